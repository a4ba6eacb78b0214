"""The result of a run of a plan, as cases of a test: a model and property, mutant, claim, example, log, module.

A case passes only with the evidence of the verdict that it belongs to. What is incomplete is an error; skipped is
only what a violation beside it, or a selection of models, kept from being decided.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.gate.judge.judgement import Finding, findings
from pyharness.gate.judge.plan_report import over_budget
from pyharness.gate.judge.refused_traces import mismatch_trace, refused_trace
from pyharness.gate.plans.source_places import (
    example_place,
    model_place,
    mutant_place,
    named_place,
    property_place,
)
from pyharness.models.table_rows import CORRECT
from pyharness.models.tlc_runs import passed_states
from pyharness.models.verdicts import Verdict
from pyharness.tla.modules.places import first_place, place_of
from pyharness.tla.modules.source_excerpt import spec_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyharness.gate.judge.claim_coverage import ClaimRow
    from pyharness.gate.judge.plan_report import AnyReport, ModelReport, ModuleReport, PlanReport
    from pyharness.gate.plans.plan_modules import ModuleModel
    from pyharness.models.table_rows import ExampleRow, LogRow, TraceRow
    from pyharness.tla.modules.places import Place

ENTIRE_MODEL: Final = "the entire model"
"""The name of a model's case for what belongs to no single property: pins, coverage, and the implementation."""

_DISAGREE: Final = (Verdict.VIOLATION, Verdict.NONCONFORMANCE)
_UNREAD: Final = "not decided: the spec has an error"
_SELECTED: Final = "not decided: only some of the plan's models were run"


class Status(Enum):
    """The result of a case, in JUnit's words."""

    PASSED = "passed"
    FAILURE = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, eq=False)
class Case:
    """One case: its ``suite`` and ``name``, its status, and why, if it is not a pass.

    ``reasons`` are lines; ``place`` is where to look. ``trace`` is the row of ``traces`` that shows what is wrong,
    the shortest. ``figures`` and ``seconds`` (of TLC) are what was measured. ``consequence`` is true where another
    case has the cause, ``spec_error`` where the cause is what TLC could not read or evaluate.
    """

    suite: str
    name: str
    status: Status = Status.PASSED
    reasons: tuple[str, ...] = ()
    place: Place | None = None
    trace: TraceRow | None = None
    figures: Mapping[str, str | int] = field(default_factory=dict)
    seconds: float | None = None
    consequence: bool = False
    spec_error: bool = False

    @property
    def red(self) -> bool:
        """Whether the case makes the gate fail."""
        return self.status in {Status.FAILURE, Status.ERROR}


def cases(report: PlanReport, seconds: float) -> tuple[Case, ...]:
    """Return the cases of a run that took this many ``seconds``; one of them is red unless the run is a pass."""
    found = [case for model in report.models if model.model.mutant is None for case in _model(report, model)]
    found += _mutants(report)
    found += (_example(report, row) for row in report.examples)
    found += (_log(report, row) for row in report.logs)
    found += (_module(report, module) for module in report.modules)
    found += (_claim(report, row) for row in report.claims)
    found += _plan(report, seconds)
    if report.verdict is not Verdict.PASS and not any(case.red for case in found):
        status, reasons = _status([report.verdict]), report.reasons or (report.verdict.text,)
        found.append(Case("plan", "verdict", status, reasons))
    return tuple(_deduplicated(found))


def _deduplicated(found: Iterable[Case]) -> Iterator[Case]:
    """Yield the first of the cases that have the same error of a spec as it is; the others as not decided."""
    reported: dict[tuple[str, ...], Case] = {}
    for case in found:
        if not case.spec_error or (first := reported.setdefault(case.reasons, case)) is case:
            yield case
        else:
            why = f"not decided: the same error as of {first.suite}"
            yield replace(case, status=Status.SKIPPED, reasons=(why,), consequence=True)


def model_figures(report: AnyReport) -> dict[str, str | int]:
    """Return a model's measured figures: states, topologies, depth, and what the implementation was compared with."""
    evidence = report.evidence
    checks = [run for run in evidence.runs if run.kind == "check"]
    distinct, generated = passed_states(checks) or (None, None)
    figures: dict[str, str | int | None] = {
        "spec": report.model.spec,
        "verdict": report.verdict.text,
        "topologies": len(report.model.topologies) or None,
        "distinct": distinct,
        "generated": generated,
        "depth": max((run.depth for run in checks if run.depth is not None), default=None),
        "replays": len(evidence.replays),
        "transitions": sum(row.transitions or 0 for row in evidence.conformances if row.error is None),
    }
    return {name: value for name, value in figures.items() if value is not None}


# -- models ----------------------------------------------------------------------------------------------------


def _model(plan: PlanReport, report: ModelReport) -> Iterator[Case]:
    model = report.model
    found = findings(model, report.evidence)
    named: set[str] = set()
    for name in (*model.invariants, *model.properties):
        decide = _property if model.expect == "pass" else _refuted
        case = decide(plan, report, found, name)
        if case.status is Status.FAILURE:
            named.add(name)
        yield case
    rest = [finding for finding in found if finding.about not in named]
    status, reasons = _status([each.verdict for each in rest]), tuple(each.reason for each in rest)
    if found and not rest:
        status, reasons = Status.SKIPPED, ("not decided: a property is violated",)
    wrong = _tlc_message(report)
    if wrong:
        reasons = tuple(
            str(spec_error(wrong, plan.plan.library, spec=model.spec, where=model.name)).split("\n")
        )
    yield Case(
        model.name,
        ENTIRE_MODEL,
        status,
        reasons,
        named_place(plan.plan.library, _tlc_message(report)) or model_place(plan.plan, model),
        _refused(report, CORRECT) if rest else None,
        model_figures(report),
        sum(run.seconds or 0 for run in report.evidence.runs),
        consequence=status is Status.SKIPPED,
        spec_error=bool(wrong),
    )


def _property(plan: PlanReport, report: ModelReport, found: Sequence[Finding], name: str) -> Case:
    """Return the case of a property that is to hold: violated, undecided, or shown by all that the model's pass needs."""
    model, place = report.model, property_place(plan.plan.library, report.model.spec, name)
    violated = [finding for finding in found if finding.verdict is Verdict.VIOLATION]
    reasons = tuple(finding.reason for finding in violated if finding.about == name)
    if reasons:
        trace = _shortest(report, name)
        shown = (f"{trace.length} states show it, on {trace.topology}",) if trace else ()
        return Case(model.name, name, Status.FAILURE, reasons + shown, place, trace, _of_trace(trace))
    if any(finding.verdict is Verdict.SPEC_ERROR for finding in found):
        return Case(model.name, name, Status.SKIPPED, (_UNREAD,), place, consequence=True)
    doubts = tuple(finding.reason for finding in found if finding.verdict not in _DISAGREE)
    if doubts:
        return Case(model.name, name, Status.ERROR, doubts, place, consequence=True)
    if violated:
        why = f"not decided: TLC stopped at another violation, {violated[0].reason}"
        return Case(model.name, name, Status.SKIPPED, (why,), place, consequence=True)
    return Case(model.name, name, place=place)


def _refuted(plan: PlanReport, report: ModelReport, found: Sequence[Finding], name: str) -> Case:
    """Return the case of a property that is to be violated in a model."""
    model, place = report.model, property_place(plan.plan.library, report.model.spec, name)
    if name not in model.caught_by:
        nowhere = any(each.verdict is Verdict.VIOLATION and each.about in model.caught_by for each in found)
        expected = "TLC stops at the violation that the plan expects"
        why = f"not decided: {'the plan expects a violation that there is not' if nowhere else expected}"
        return Case(model.name, name, Status.SKIPPED, (why,), place)
    title = f"not {name}"
    missing = tuple(each.reason for each in found if each.verdict is Verdict.VIOLATION and each.about == name)
    if missing:
        return Case(model.name, title, Status.FAILURE, missing, place)
    if any(finding.verdict is Verdict.SPEC_ERROR for finding in found):
        return Case(model.name, title, Status.SKIPPED, (_UNREAD,), place, consequence=True)
    if found:
        reasons = tuple(finding.reason for finding in found)
        return Case(model.name, title, Status.ERROR, reasons, place, consequence=True)
    trace = _shortest(report, name)
    return Case(model.name, title, place=place, figures=_of_trace(trace))


def _mutants(plan: PlanReport) -> Iterator[Case]:
    """Yield one case for each mutant of a spec, with the results of all its models."""
    models: dict[tuple[str, str], list[ModelReport]] = defaultdict(list)
    for report in plan.models:
        if report.model.mutant is not None:
            models[report.model.spec, report.model.mutant].append(report)
    rows = {(row.spec, row.name): row for row in plan.matrix.mutants}
    for (spec, mutant), reports in models.items():
        found = [(report, each) for report in reports for each in findings(report.model, report.evidence)]
        kills = rows[spec, mutant].kills
        status = _status([each.verdict for _, each in found] or ([] if kills else [Verdict.VIOLATION]))
        place = mutant_place(plan.plan.library, mutant)
        trace = None
        if found:
            place = named_place(plan.plan.library, _tlc_message(found[0][0])) or (
                place if status is Status.FAILURE else model_place(plan.plan, found[0][0].model)
            )
            trace = _refused(found[0][0], mutant)
        wrong = next((message for r in reports if (message := _tlc_message(r))), "")
        reasons = [f"{report.model.name}: {each.reason}" for report, each in found]
        if wrong:
            reasons = str(spec_error(wrong, plan.plan.library, spec=spec, where=mutant)).split("\n")
        elif not kills:
            reasons.append(f"{mutant} survives: no property catches it")
        figures: dict[str, str | int] = {"caught by": ", ".join(kill.property for kill in kills) or "nothing"}
        if kills:
            figures |= {"topology": kills[0].topology, "states": kills[0].length}
        seconds = sum(run.seconds or 0 for r in reports for run in r.evidence.runs)
        yield Case(
            f"mutants of {spec}",
            mutant,
            status,
            tuple(reasons),
            place,
            trace,
            figures,
            seconds,
            spec_error=bool(wrong),
        )


# -- examples, claims, the plan --------------------------------------------------------------------------------


def _example(plan: PlanReport, row: ExampleRow) -> Case:
    if row.verdict == Verdict.PASS.text:
        return Case("worked examples", row.example)
    verdict = Verdict.of(row.verdict)
    place = example_place(plan.plan.library.directories[0], row.example)
    return Case("worked examples", row.example, _status([verdict]), (row.message,), place)


def _log(plan: PlanReport, row: LogRow) -> Case:
    if row.verdict == Verdict.PASS.text:
        figures: dict[str, str | int] = {"events": row.events or 0, "walked": row.walked or 0}
        return Case("logs", row.log, figures=figures)
    path, _, line = (row.refused or "").rpartition(":")
    place = place_of(Path(path), int(line)) if path and line.isdigit() else place_of(plan.plan.path, 1)
    return Case("logs", row.log, _status([Verdict.of(row.verdict)]), tuple(row.message.split("\n")), place)


def _module(plan: PlanReport, report: ModuleReport) -> Case:
    source, wrong = report.model, [run for run in report.evidence.runs if run.verdict is not Verdict.PASS]
    defined = _defined_at(source, wrong[0].violated or "") if wrong else ""
    directories = (*source.libraries, (source.config or source.module).parent)
    place = first_place("\n".join((defined, *report.reasons)), source.module, *directories)
    if report.reasons and not wrong:  # it is the plan that is wrong
        place = model_place(plan.plan, source)
    return Case(
        "modules",
        source.name,
        _status([report.verdict]),
        tuple(line for reason in report.reasons for line in reason.split("\n")),
        place,
        next(iter(report.evidence.traces), None),
        model_figures(report),
        sum(run.seconds or 0 for run in report.evidence.runs),
    )


def _defined_at(source: ModuleModel, name: str) -> str:
    try:
        return source.read().place_of(name)
    except SpecError:
        return ""


def _claim(plan: PlanReport, row: ClaimRow) -> Case:
    """Return the case of a claim: it holds if models of the plan check all that states it, and those models pass."""
    claim, verdicts = row.claim, plan.verdicts
    if not plan.plan.complete:
        return Case("claims", claim.id, Status.SKIPPED, (_SELECTED,))
    if row.unchecked:
        return Case("claims", claim.id, Status.ERROR, tuple(f"not checked: {part}" for part in row.unchecked))
    right = (report.model.name for report in plan.models if report.model.mutant is None)
    names = right if claim.harness else row.models
    wrong = {name: verdicts[name] for name in names if verdicts[name] is not Verdict.PASS}
    reasons = tuple(f"{name}: {verdict.text}" for name, verdict in wrong.items())
    return Case("claims", claim.id, _status(list(wrong.values())), reasons, consequence=True)


def _plan(plan: PlanReport, seconds: float) -> Iterator[Case]:
    over = over_budget(plan.plan, seconds)
    reasons = tuple(reason for reason in plan.reasons if reason != over)
    if not plan.plan.full:
        yield Case("plan", "evidence", Status.SKIPPED, (_SELECTED,))
    elif reasons:
        status = Status.FAILURE if plan.matrix.survivors else Status.ERROR
        yield Case("plan", "evidence", status, reasons)
    else:
        yield Case("plan", "evidence")
    if plan.plan.budget_seconds is not None:
        figures: dict[str, str | int] = {"seconds": round(seconds), "budget": plan.plan.budget_seconds}
        status = Status.ERROR if over else Status.PASSED
        yield Case("plan", "budget", status, (over,) if over else (), figures=figures)


# -- parts -----------------------------------------------------------------------------------------------------


def _status(verdicts: Sequence[Verdict]) -> Status:
    """Return the status for some verdicts: a violation or a disagreement is a failure, anything not known an error."""
    wrong = [verdict for verdict in verdicts if verdict is not Verdict.PASS]
    if any(verdict in _DISAGREE for verdict in wrong):
        return Status.FAILURE
    return Status.ERROR if wrong else Status.PASSED


def _shortest(report: ModelReport, name: str) -> TraceRow | None:
    own = [r for r in report.evidence.traces if r.kind == "counterexample" and r.violated == name]
    return min(own, key=lambda row: row.length, default=None)


def _refused(report: ModelReport, implementation: str) -> TraceRow | None:
    """Find the shortest trace that an implementation should have followed and did not, or an unnamed violation.

    Without one it is the trace to a state in which spec and implementation differ.
    """
    refused = {
        (row.kind, row.index): row
        for row in report.evidence.replays
        if row.implementation == implementation and not row.agreed
    }
    unnamed = {
        (row.kind, row.index)
        for row in report.evidence.traces
        if row.kind == "counterexample" and row.violated is None
    }
    own = [row for row in report.evidence.traces if (row.kind, row.index) in refused.keys() | unnamed]
    found = min(own, key=lambda row: row.length, default=None)
    if found is None:
        return next(filter(None, map(mismatch_trace, report.evidence.conformance)), None)
    replay = refused.get((found.kind, found.index))
    return found if replay is None or found.kind != "simulation" else refused_trace(found, replay)


def _of_trace(trace: TraceRow | None) -> dict[str, str | int]:
    return {} if trace is None else {"topology": trace.topology, "states": trace.length}


def _tlc_message(report: ModelReport) -> str:
    """Return TLC's message about a spec that it could not read or evaluate; "" if it could."""
    wrong = (run for run in report.evidence.runs if run.verdict is Verdict.SPEC_ERROR)
    return "\n".join(run.detail for run in wrong)
