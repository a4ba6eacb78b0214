"""The result of a plan, and of each of its models, with their evidence; and whether it took too long."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyharness.gate.plans.plan_modules import ModuleModel
from pyharness.models.table_rows import (
    ActionRow,
    ConformanceRow,
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
from pyharness.models.tlc_runs import passed_states
from pyharness.models.verdicts import Verdict, worst
from pyharness.models.witness import probes_of
from pyharness.tla.modules.formula_facts import next_actions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pyharness.gate.judge.claim_coverage import ClaimRow
    from pyharness.gate.judge.kill_matrix import KillMatrix
    from pyharness.gate.plans.plan import Plan
    from pyharness.gate.plans.plan_modules import AnyModel
    from pyharness.models.model import Model
    from pyharness.models.table_rows import ExampleRow, LogRow, TableRow
    from pyharness.tla.modules.library import Library


@dataclass(frozen=True)
class Evidence:
    """The rows of one model by table (see :mod:`pyharness.models.table_rows`), and the jobs that failed.

    ``actions_of_spec`` and ``witnesses_asked`` are what there must be rows of: the actions of its spec, and what its
    check was to look for so that it is not vacuous (:func:`pyharness.models.witness.probes_of`). The table
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
        failures=failures,
    )


def evidence_for(
    model: AnyModel, library: Library, rows: Iterable[TableRow], failures: Sequence[str] = ()
) -> Evidence:
    """Return the evidence for a model from the ``rows`` that its jobs left, and the messages of jobs that failed."""
    if isinstance(model, ModuleModel):
        kept = list(rows)
        actions = tuple(dict.fromkeys(row.action for row in rows_of(ActionRow, kept)))
        return evidence_of(actions, (), kept, failures)
    return evidence_of(next_actions(library, model.spec), tuple(probes_of(model, library)), rows, failures)


@dataclass(frozen=True)
class ModelReport:
    """The result of one model: the verdict, the reasons if it is not a pass, and the evidence."""

    model: Model
    verdict: Verdict
    reasons: tuple[str, ...]
    evidence: Evidence


@dataclass(frozen=True)
class ModuleReport:
    """The result of a module with its own configuration, as :class:`ModelReport` is that of a model on graphs."""

    model: ModuleModel
    verdict: Verdict
    reasons: tuple[str, ...]
    evidence: Evidence


AnyReport = ModelReport | ModuleReport
"""The result of one model of a plan."""


@dataclass(frozen=True)
class PlanReport:
    """The result of a plan: the worst verdict, reports of models, rows of examples and logs, reused jobs.

    ``modules`` are the models that have no graphs; ``reasons`` are those that no single model has.
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
    modules: tuple[ModuleReport, ...] = ()

    @property
    def all(self) -> tuple[AnyReport, ...]:
        """The reports of all models, those without graphs last."""
        return (*self.models, *self.modules)

    @property
    def states(self) -> int:
        """The distinct states of the models that passed; the number for a violated one depends on TLC's timing."""
        return sum((passed_states(report.evidence.runs) or (0, 0))[0] for report in self.all)

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict of each model by its name."""
        return {report.model.name: report.verdict for report in self.all}


def over_budget(plan: Plan, seconds: float) -> str | None:
    """Return in words by how much a run of ``seconds`` exceeds the plan's ``budget_seconds``; ``None`` if it does not."""
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
