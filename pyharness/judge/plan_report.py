"""The result of a plan, and of each of its models and specs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.run.tlc_runs import passed_states
from pyharness.run.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.judge.claim_coverage import ClaimRow
    from pyharness.judge.evidence import Evidence
    from pyharness.judge.kill_matrix import KillMatrix
    from pyharness.plan.model import Model
    from pyharness.plan.plan import Plan
    from pyharness.plan.plan_specs import SpecSource
    from pyharness.run.table_rows import ExampleRow, LogRow, SpecRow, TraceRow


@dataclass(frozen=True)
class ModelReport:
    """What one model came to: the verdict, the reasons if it is no pass, and the evidence."""

    model: Model
    verdict: Verdict
    reasons: tuple[str, ...]
    evidence: Evidence


@dataclass(frozen=True)
class SpecReport:
    """What a spec with its own configuration came to, with its row, and the trace that violates it, if there are."""

    source: SpecSource
    verdict: Verdict
    reasons: tuple[str, ...]
    row: SpecRow | None = None
    trace: TraceRow | None = None


@dataclass(frozen=True)
class PlanReport:
    """What a plan came to: the worst verdict, reports of models and specs, rows of examples and logs, jobs taken over.

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
    specs: tuple[SpecReport, ...] = ()

    @property
    def states(self) -> int:
        """The distinct states of what passed: what is violated ends when TLC looks for it, a matter of time."""
        models = sum((passed_states(report.evidence.runs) or (0, 0))[0] for report in self.models)
        rows = [report.row for report in self.specs if report.row]
        return models + sum(row.distinct or 0 for row in rows if row.verdict == Verdict.PASS.text)

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict of each model and each spec, by its name."""
        return verdicts_of(self.models, self.specs)


def verdicts_of(models: Sequence[ModelReport], specs: Sequence[SpecReport]) -> dict[str, Verdict]:
    """Return the verdict of each model and each spec, by its name."""
    of_models = {report.model.name: report.verdict for report in models}
    return of_models | {report.source.name: report.verdict for report in specs}
