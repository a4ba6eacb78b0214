"""A plan's budget of wall time: over it, a run is incomplete, however well it ended."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyharness.run.verdicts import Verdict, worst

if TYPE_CHECKING:
    from pyharness.judge.plan_report import PlanReport
    from pyharness.plan.plan import Plan


def over_budget(plan: Plan, seconds: float) -> str | None:
    """Say by how much a run of ``seconds`` is over the plan's ``budget_seconds``; ``None`` if it is not."""
    budget = plan.budget_seconds
    if budget is None or seconds <= budget:
        return None
    return f"over its budget: {seconds:.0f} s, and budget_seconds is {budget}"


def within_budget(report: PlanReport, seconds: float) -> PlanReport:
    """Return the report of a run of ``seconds`` as it is, or as incomplete at best where that is over the budget."""
    over = over_budget(report.plan, seconds)
    if over is None:
        return report
    return replace(
        report, verdict=worst([report.verdict, Verdict.INCOMPLETE]), reasons=(*report.reasons, over)
    )
