"""Tables for notebooks, as pandas data frames; pandas is asked for only here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pyharness.base.toolchain.extras import require_extra
from pyharness.tla.values import to_tla

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyharness.base.topology import Topology
    from pyharness.tla.tlc import Trace


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> Any:
    """Return rows as a ``pandas.DataFrame``, with these columns even without rows.

    Raises SpecError if pandas is not installed.
    """
    require_extra("notebook")
    return import_module("pandas").DataFrame.from_records(list(rows), columns=columns)


def step_rows(trace: Trace) -> list[dict[str, Any]]:
    """Return a row for each state of a trace: ``step`` from 1, ``action``, and each variable as TLA+ text."""
    return [
        {"step": number, "action": step.action or ("Init" if number == 1 else None)}
        | {str(name): to_tla(value) for name, value in step.state.items()}
        for number, step in enumerate(trace.steps, start=1)
    ]


def topology_rows(topologies: Iterable[Topology]) -> list[dict[str, Any]]:
    """Return a row for each topology: ``id``, ``processes``, ``channels`` and ``initiators``."""
    return [
        {
            "id": topology.id,
            "processes": topology.processes,
            "channels": topology.channels,
            "initiators": topology.initiators,
        }
        for topology in topologies
    ]
