"""Check that a run of a plan reaches the plan's minimums, and collect the evidence for its claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.gate.judge.claim_coverage import ClaimEvidence
from pyharness.gate.plans.minimums import COUNTS, Minimums
from pyharness.models.table_rows import CORRECT
from pyharness.models.tlc_runs import passed_states
from pyharness.models.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.gate.judge.kill_matrix import KillMatrix
    from pyharness.gate.judge.plan_report import AnyReport, ModelReport, ModuleReport
    from pyharness.gate.plans.plan import Plan
    from pyharness.models.table_rows import ExampleRow, ReorderingRow


def found_evidence(reports: Sequence[ModelReport], modules: Sequence[ModuleReport] = ()) -> ClaimEvidence:
    """Return the evidence of a run.

    A stage counts by what it has shown: traces that were replayed as they should be, traces that were reordered by at
    least one swap, comparisons of at least one transition.
    """
    everything: tuple[AnyReport, ...] = (*reports, *modules)
    return ClaimEvidence(
        frozenset(r.model.name for r in everything if r.verdict is Verdict.PASS),
        frozenset((r.model.name, row.property) for r in reports for row in r.evidence.kills if row.property),
        {r.model.name: {row.witness: row.reached for row in r.evidence.witnesses} for r in reports},
        {r.model.name: _distinct(r) for r in everything},
        {
            "replay": sum(row.agreed for r in reports for row in r.evidence.replays),
            "reorder": sum(was_sorted(row) for r in reports for row in r.evidence.reorderings),
            "conform": sum(bool(row.transitions) for r in reports for row in r.evidence.conformances),
        },
    )


def was_sorted(row: ReorderingRow) -> bool:
    """Return whether a trace had a pair to swap, and TLC accepts the result."""
    return bool(row.accepted and row.swaps)


def _distinct(report: AnyReport) -> int:
    measured = passed_states([run for run in report.evidence.runs if run.kind == "check"])
    return measured[0] if measured else 0


def measured_minimums(
    reports: Sequence[ModelReport], matrix: KillMatrix, examples: Sequence[ExampleRow]
) -> Minimums:
    """Return the counts of a run, in the form of minimums."""
    replays = [row for r in reports for row in r.evidence.replays]
    compared = [row for r in reports for row in r.evidence.conformances]
    return Minimums(
        {
            "examples": sum(row.verdict == Verdict.PASS.text for row in examples),
            "mutants": len(matrix.mutants) - len(matrix.survivors),
            "replays": sum(row.agreed for row in replays),
            "refused": sum(
                row.implementation == CORRECT and not row.agreed
                for r in reports
                if r.model.mutant is not None
                for row in r.evidence.replays
            ),
            "transitions": sum(
                row.transitions or 0 for row in compared if row.error is None and not row.mismatches
            ),
        },
        {
            r.model.name: sum(was_sorted(row) for row in r.evidence.reorderings)
            for r in reports
            if r.model.simulate and r.model.mutant is None
        },
    )


def below_minimums(
    plan: Plan, reports: Sequence[ModelReport], matrix: KillMatrix, examples: Sequence[ExampleRow]
) -> tuple[str, ...]:
    """Return in words the minimums that a run is below; none for a selection of a plan's models.

    A plan that is to check all claims must state its minimums.
    """
    if not plan.complete:
        return ()
    found = measured_minimums(reports, matrix, examples)
    asked = plan.minimums
    if asked is None:
        if not plan.claims:
            return ()
        measured = ", ".join(f"{key} = {count}" for key, count in found.counts.items())
        return (f"the plan is to check all claims, and states no [minimums]; measured: {measured}",)
    below = [
        f"{found.counts[key]:,} {words}, the plan's minimum is {asked.counts[key]:,}"
        for key, words in COUNTS.items()
        if found.counts[key] < asked.counts[key]
    ]
    for name, least in asked.reorderings.items():
        have = found.reorderings.get(name, 0)
        if have < least:
            below.append(f"{have} traces of {name} are reordered by a swap, the plan's minimum is {least}")
    return tuple(below)
