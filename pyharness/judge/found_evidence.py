"""The evidence that claims rest on, as a run has found it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.judge.claim_evidence import ClaimEvidence
from pyharness.judge.plan_report import verdicts_of
from pyharness.run.tlc_runs import passed_states
from pyharness.run.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.judge.plan_report import ModelReport, SpecReport
    from pyharness.run.table_rows import ReorderingRow


def found_evidence(reports: Sequence[ModelReport], specs: Sequence[SpecReport] = ()) -> ClaimEvidence:
    """Return what a run has found.

    A stage counts by what it has shown: traces that were replayed as they should be, traces that were reordered by at
    least one swap, comparisons of at least one transition, graphs that were explored.
    """
    return ClaimEvidence(
        frozenset(name for name, verdict in verdicts_of(reports, specs).items() if verdict is Verdict.PASS),
        frozenset((r.model.name, row.property) for r in reports for row in r.evidence.kills if row.property),
        {
            r.model.name: {row.witness: row.topology is not None for row in r.evidence.witnesses}
            for r in reports
        },
        {r.model.name: _distinct(r) for r in reports}
        | {r.source.name: r.row.distinct or 0 for r in specs if r.row},
        {
            "replay": sum(row.agreed for r in reports for row in r.evidence.replays),
            "reorder": sum(was_sorted(row) for r in reports for row in r.evidence.reorderings),
            "conform": sum(bool(row.transitions) for r in reports for row in r.evidence.conformances),
            "explore": sum(bool(row.distinct) for r in reports for row in r.evidence.explorations),
        },
    )


def was_sorted(row: ReorderingRow) -> bool:
    """Tell whether a trace had something to swap, and TLC accepts the result."""
    return bool(row.accepted and row.swaps)


def _distinct(report: ModelReport) -> int:
    measured = passed_states([run for run in report.evidence.runs if run.kind == "check"])
    return measured[0] if measured else 0
