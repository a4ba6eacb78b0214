"""Some graphs, chosen and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.errors import SpecError
from pyharness.report.formats.data_frames import frame, html_table, topology_rows
from pyharness.topology import Topology, parse_topologies, select

if TYPE_CHECKING:
    from collections.abc import Sequence


class Topologies(tuple[Topology, ...]):
    """Some topologies: a tuple that can be shown as a table."""

    __slots__ = ()

    def to_pandas(self) -> Any:
        """Return a data frame with a row for each: ``id``, ``processes``, ``channels``, ``initiators``."""
        return frame(topology_rows(self))

    def _repr_html_(self) -> str:
        return html_table(topology_rows(self))


def topologies(processes: int | str | Sequence[int] | None = None, /, **keys: object) -> Topologies:
    """Choose graphs: ``topologies(3)``, ``topologies("ring:4")``, ``topologies(family="ring", processes=4)``.

    A text is the notation of :mod:`pyharness.topology.notation`, and stands alone.

    The keys are those of :mod:`pyharness.topology.select`. Raises SpecError for a key or a value that is wrong.
    """
    if isinstance(processes, str):
        if keys:
            raise SpecError(
                f"a notation takes no selection, but there is {', '.join(keys)}", where="topologies"
            )
        return Topologies(parse_topologies(processes))
    table = keys if processes is None else {"processes": processes, **keys}
    return Topologies(select(table))
