"""Whether a run of a plan has shown the least that the plan asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.judge.found_evidence import was_sorted
from pyharness.plan.minimums import COUNTS, Minimums
from pyharness.run.replay_rows import CORRECT
from pyharness.run.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.judge.kill_matrix import KillMatrix
    from pyharness.judge.plan_report import ModelReport
    from pyharness.plan.plan import Plan
    from pyharness.run.table_rows import ExampleRow


def measured_minimums(
    reports: Sequence[ModelReport], matrix: KillMatrix, examples: Sequence[ExampleRow]
) -> Minimums:
    """Count what a run has shown, as minimums are stated."""
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
            "explored": sum(row.distinct or 0 for r in reports for row in r.evidence.explorations),
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
    """Say what a run has shown less of than its plan asks for; nothing for a selection of a plan's models.

    A plan that is to check all claims must state its minimums.
    """
    if not plan.whole:
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
