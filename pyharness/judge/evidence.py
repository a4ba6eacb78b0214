"""The evidence of one model: the rows of a run that are about it, by table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.run.table_rows import (
    ActionRow,
    ConformanceRow,
    ExplorationRow,
    KillRow,
    MismatchRow,
    ReorderingRow,
    ReplayRow,
    RunRow,
    TopologyRow,
    TraceRow,
    WitnessRow,
    rows_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pyharness.run.table_rows import TableRow


@dataclass(frozen=True)
class Evidence:
    """The rows of one model by table (see :mod:`pyharness.run.table_rows`), and the jobs that failed.

    ``actions_of_spec`` and ``witnesses_asked`` are what there must be rows of: the actions of its spec, and what its
    check was to look for so that it is not vacuous (:func:`pyharness.plan.witness.probes_of`). The table
    ``conformance`` has the mismatches that ``conformances`` counts. ``failures`` are words.
    """

    actions_of_spec: Sequence[str]
    witnesses_asked: Collection[str]
    runs: Sequence[RunRow] = ()
    topologies: Sequence[TopologyRow] = ()
    actions: Sequence[ActionRow] = ()
    traces: Sequence[TraceRow] = ()
    kills: Sequence[KillRow] = ()
    witnesses: Sequence[WitnessRow] = ()
    conformances: Sequence[ConformanceRow] = ()
    conformance: Sequence[MismatchRow] = ()
    reorderings: Sequence[ReorderingRow] = ()
    replays: Sequence[ReplayRow] = ()
    explorations: Sequence[ExplorationRow] = ()
    failures: Sequence[str] = ()


def evidence_of(
    actions_of_spec: Sequence[str],
    witnesses_asked: Collection[str],
    rows: Iterable[TableRow],
    failures: Sequence[str] = (),
) -> Evidence:
    """Sort the ``rows`` of one model by table; the other arguments are those of :class:`Evidence`."""
    kept = list(rows)
    return Evidence(
        actions_of_spec=actions_of_spec,
        witnesses_asked=witnesses_asked,
        runs=rows_of(RunRow, kept),
        topologies=rows_of(TopologyRow, kept),
        actions=rows_of(ActionRow, kept),
        traces=rows_of(TraceRow, kept),
        kills=rows_of(KillRow, kept),
        witnesses=rows_of(WitnessRow, kept),
        conformances=rows_of(ConformanceRow, kept),
        conformance=rows_of(MismatchRow, kept),
        reorderings=rows_of(ReorderingRow, kept),
        replays=rows_of(ReplayRow, kept),
        explorations=rows_of(ExplorationRow, kept),
        failures=failures,
    )
