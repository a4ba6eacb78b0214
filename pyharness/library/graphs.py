"""Some graphs, chosen and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.report.formats.data_frames import frame, html_table, topology_rows
from pyharness.topology import Topology, select

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Topologies", "topologies"]


class Topologies(tuple[Topology, ...]):
    """Some topologies: a tuple that can be shown as a table."""

    __slots__ = ()

    def to_pandas(self) -> Any:
        """Return a data frame with a row for each: ``id``, ``processes``, ``channels``, ``initiators``."""
        return frame(topology_rows(self))

    def _repr_html_(self) -> str:
        return html_table(topology_rows(self))


def topologies(processes: int | Sequence[int] | None = None, /, **keys: object) -> Topologies:
    """Choose graphs, as a table of a plan does: ``topologies(3)``, ``topologies(family="ring", processes=4)``.

    The keys are those of :mod:`pyharness.topology.select`. Raises SpecError for a key or a value that is wrong.
    """
    table = keys if processes is None else {"processes": processes, **keys}
    return Topologies(select(table))
