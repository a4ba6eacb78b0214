"""The result of a plan, and of each of its models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyharness.judge.claim_coverage import ClaimRow
    from pyharness.judge.evidence import Evidence
    from pyharness.judge.kill_matrix import KillMatrix
    from pyharness.plan.model import Model
    from pyharness.plan.plan import Plan
    from pyharness.run.table_rows import ExampleRow, LogRow
    from pyharness.run.verdicts import Verdict

__all__ = ["ModelReport", "PlanReport"]


@dataclass(frozen=True)
class ModelReport:
    """What one model came to: the verdict, the reasons if it is no pass, and the evidence."""

    model: Model
    verdict: Verdict
    reasons: tuple[str, ...]
    evidence: Evidence


@dataclass(frozen=True)
class PlanReport:
    """What a plan came to: the worst verdict, every model's report, rows of examples and logs, the jobs taken over.

    ``reasons`` are those that no single model has.
    """

    plan: Plan
    verdict: Verdict
    reasons: tuple[str, ...]
    models: tuple[ModelReport, ...]
    matrix: KillMatrix
    claims: tuple[ClaimRow, ...]
    examples: tuple[ExampleRow, ...]
    jobs: int
    reused: int
    logs: tuple[LogRow, ...] = ()
