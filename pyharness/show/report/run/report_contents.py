"""The content of a run report: models, kill matrix, and how the run was made."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from dataclasses import dataclass, fields
from datetime import UTC
from typing import TYPE_CHECKING, Final

from pyharness.gate.plans.plan_modules import ModuleModel
from pyharness.machines.systems import APPLICATIONS
from pyharness.models.model import Model
from pyharness.models.tlc_runs import passed_states
from pyharness.models.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pyharness.gate.judge.claim_coverage import ClaimRow
    from pyharness.gate.judge.plan_report import AnyReport, Evidence, ModelReport, PlanReport
    from pyharness.gate.plans.plan_modules import AnyModel
    from pyharness.models.table_rows import ConformanceRow, ExampleRow, WitnessRow
    from pyharness.show.report.run.trace_links import TracePage


@dataclass(frozen=True, slots=True)
class KillView:
    """A mutant: the page of its trace, if there is one, and for each property the shortest trace's length."""

    mutant: str
    model: str
    page: str | None
    topology: str | None
    lengths: tuple[int | None, ...]

    @property
    def shortest(self) -> int | None:
        """The length of the shortest of its traces, in states."""
        return min((length for length in self.lengths if length is not None), default=None)

    @property
    def caught(self) -> int:
        """The number of properties that catch it."""
        return sum(length is not None for length in self.lengths)


@dataclass(frozen=True, slots=True)
class KillTable:
    """The mutants of a spec by its properties; ``idle`` are the properties that must catch one and do not."""

    spec: str
    properties: tuple[str, ...]
    idle: frozenset[str]
    rows: tuple[KillView, ...]

    @property
    def survivors(self) -> tuple[str, ...]:
        """The mutants that nothing catches."""
        return tuple(row.mutant for row in self.rows if row.shortest is None)


_OUTSIDE: Final = {"name", "spec", "mutant", "topologies", "invariants", "properties", "silent", "unreached"} | {
    "reached", "expect", "caught_by", "pins", "simulate", "conform", "budget", "per_run",
}  # fmt: skip
"""The fields of a model that are not bounds."""


@dataclass(frozen=True, slots=True)
class ActionView:
    """How often an action was taken; ``share`` is of the most frequent one, by logarithms.

    ``silent`` means that it must not be taken.
    """

    name: str
    total: int
    share: float
    silent: bool


@dataclass(frozen=True, slots=True)
class TopologyView:
    """The result of a model on one graph."""

    id: str
    outcome: str
    violated: str | None


@dataclass(frozen=True, slots=True)
class ModelView:
    """A model: its verdict with the reasons if it did not pass, its measured values, and where its traces are.

    ``result`` is its result in a word or two;
    ``conformance`` is the row of the comparison in every state, ``reordered`` the number of traces that TLC accepted.
    """

    name: str
    spec: str
    mutant: str | None
    verdict: str
    result: str
    reasons: tuple[str, ...]
    expected: str
    topologies: tuple[TopologyView, ...]
    distinct: int | None
    generated: int | None
    depth: int | None
    seconds: float
    properties: tuple[str, ...]
    bounds: tuple[tuple[str, str], ...]
    actions: tuple[ActionView, ...]
    witnesses: tuple[WitnessRow, ...]
    notes: tuple[str, ...]
    replays: str
    reordered: int
    conformance: ConformanceRow | None
    pages: tuple[TracePage, ...]


def model_view(report: AnyReport, pages: Sequence[TracePage]) -> ModelView:
    """Make the view of a model; ``pages`` are those of its traces."""
    model, evidence = report.model, report.evidence
    checks = [run for run in evidence.runs if run.kind == "check"]
    first = (checks[0].distinct, checks[0].generated) if checks else (None, None)
    distinct, generated = passed_states(checks) or first
    compared = [row for row in evidence.conformances if row.error is None]
    return ModelView(
        name=model.name,
        spec=model.spec,
        mutant=model.mutant,
        verdict=report.verdict.text,
        result=result_text(report),
        reasons=report.reasons,
        expected="pass" if model.expect == "pass" else f"violation of {', '.join(model.caught_by)}",
        topologies=_topologies(model, evidence),
        distinct=distinct,
        generated=generated,
        depth=max((run.depth or 0 for run in checks), default=None),
        seconds=sum(run.seconds or 0 for run in evidence.runs),
        properties=(*model.invariants, *model.properties),
        bounds=_bounds(model),
        actions=_actions(model, evidence),
        witnesses=tuple(evidence.witnesses),
        notes=tuple(note for run in checks for note in run.notes),
        replays=replays_text(evidence),
        reordered=sum(bool(row.accepted) for row in evidence.reorderings),
        conformance=compared[0] if compared else None,
        pages=tuple(pages),
    )


def result_text(report: AnyReport) -> str:
    """Return the result of a model in a word or two."""
    if report.verdict.text != "pass" or report.model.expect == "pass":
        return report.verdict.text
    traces = [row for row in report.evidence.traces if row.kind == "counterexample"]
    shortest = min((row.length for row in traces), default=None)
    length = f" in {shortest} states" if shortest else ""
    return f"caught by {', '.join(report.model.caught_by)}{length}"


def _topologies(model: AnyModel, evidence: Evidence) -> tuple[TopologyView, ...]:
    """Return every graph of the model, those without a row too."""
    views = {
        row.topology: TopologyView(row.topology, row.outcome, row.violated) for row in evidence.topologies
    }
    return tuple(views.get(t.id, TopologyView(t.id, "not checked", None)) for t in model.topologies)


def fired(evidence: Evidence) -> Counter[str]:
    """Count how often each action was taken, over all runs."""
    total: Counter[str] = Counter()
    for row in evidence.actions:
        total[row.action] += row.total
    return total


def _actions(model: AnyModel, evidence: Evidence) -> tuple[ActionView, ...]:
    counts = fired(evidence)
    most = math.log1p(max(counts.values(), default=0)) or 1
    names = dict.fromkeys([*evidence.actions_of_spec, *+counts]) if counts else {}
    return tuple(
        ActionView(name, counts[name], math.log1p(counts[name]) / most, name in model.silent)
        for name in sorted(names, key=lambda name: -counts[name])
    )


def _bounds(model: AnyModel) -> tuple[tuple[str, str], ...]:
    """Return the bounds: the items, and the settings that are not the default; of a module its configuration."""
    if isinstance(model, ModuleModel):
        return (("configuration", model.config.name if model.config else "its own"),)
    found = []
    for field in fields(Model):
        value = getattr(model, field.name)
        if field.name in {"items", "placement"} and not APPLICATIONS[model.application].items:
            continue
        default = field.default_factory() if callable(field.default_factory) else field.default
        if field.name in _OUTSIDE or (value == default and field.name not in {"items", "placement"}):
            continue
        pairs = value.items() if isinstance(value, dict) else [(field.name, value)]
        found += [(str(name), _text(given)) for name, given in pairs]
    return tuple(found)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value in {None, ""} else str(value)


def replays_text(evidence: Evidence) -> str:
    """Describe how many replays there were and which went as they should: refused is right for a bug's trace."""
    agreed = sum(bool(row.agreed) for row in evidence.replays)
    total = len(evidence.replays)
    if not total:
        return ""
    return f"{agreed} of {total}"


@dataclass(frozen=True, slots=True)
class RunInfo:
    """How a run was made.

    ``began`` with its time zone, the wall ``seconds`` it took, the ``command`` that runs the plan as a list of
    arguments, the patterns of ``only`` some models if there were any, and ``versions`` of the tools by name.
    """

    began: datetime
    seconds: float
    command: tuple[str, ...]
    versions: Mapping[str, str]
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why the run did not pass: the verdict, its subject (a model, a spec, the plan, ...), and the reasons."""

    verdict: str
    about: str
    model: ModelView | None
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """The report, ready for its template."""

    plan: str
    complete: bool
    verdict: str
    began: str
    seconds: float
    jobs: int
    reused: int
    reasons: tuple[Reason, ...]
    numbers: tuple[tuple[str, str], ...]
    claims: tuple[ClaimRow, ...]
    specs: tuple[tuple[str, tuple[ModelView, ...]], ...]
    tables: tuple[KillTable, ...]
    conformances: tuple[tuple[ModelView, ConformanceRow], ...]
    held: tuple[tuple[str, str], ...]
    examples: tuple[ExampleRow, ...]
    command: str
    plan_command: str
    versions: tuple[tuple[str, str], ...]

    @property
    def shown(self) -> frozenset[str]:
        """The names of the models that the report has a row of."""
        return frozenset(view.name for _, views in self.specs for view in views)


def utc(time: datetime) -> str:
    """Write a time as ``2026-01-31 12:00 UTC``."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def contents(report: PlanReport, info: RunInfo, pages: Sequence[TracePage]) -> Contents:
    """Gather the content of the report.

    ``pages`` has the pages of the traces. Mutants that are caught as they should be have a row in the matrix only.
    """
    views = [model_view(m, [page for page in pages if page.model == m.model.name]) for m in report.all]
    shown = [view for view in views if view.mutant is None or view.verdict != Verdict.PASS.text]
    graphs = {t.id for m in report.models for t in m.model.topologies}
    return Contents(
        plan=report.plan.name,
        complete=report.plan.complete,
        verdict=report.verdict.text,
        began=utc(info.began),
        seconds=info.seconds,
        jobs=report.jobs,
        reused=report.reused,
        reasons=tuple(reasons_of(report, views)),
        numbers=tuple(_numbers(report, len(graphs))),
        claims=tuple(concerned_claims(report)),
        specs=tuple(
            (spec, tuple(view for view in shown if view.spec == spec))
            for spec in dict.fromkeys(view.spec for view in shown)
        ),
        tables=_tables(report, views, pages),
        conformances=tuple((view, view.conformance) for view in views if view.conformance),
        held=tuple(_held(report)),
        examples=report.examples,
        command=shlex.join(
            [*info.command, *(word for pattern in info.only for word in ("--only", pattern)), "--fresh"]
        ),
        plan_command=shlex.join(info.command),
        versions=tuple(info.versions.items()),
    )


def reasons_of(report: PlanReport, views: Sequence[ModelView]) -> list[Reason]:
    """Return why a run did not pass, the worst first; ``views`` are those of all its models."""
    found = [Reason(view.verdict, view.name, view, view.reasons) for view in views if view.reasons]
    if report.reasons:
        found.append(Reason(report.verdict.text, f"plan {report.plan.name}", None, report.reasons))
    found += [
        Reason(row.verdict, f"example {row.example}", None, (row.message,))
        for row in report.examples
        if row.verdict != Verdict.PASS.text
    ]
    found += [
        Reason(log.verdict, f"log {log.log}", None, tuple(log.message.split("\n")))
        for log in report.logs
        if log.verdict != Verdict.PASS.text
    ]
    order = {verdict.text: number for number, verdict in enumerate(reversed(Verdict))}
    return sorted(found, key=lambda reason: order.get(reason.verdict, 0))


def _numbers(report: PlanReport, graphs: int) -> list[tuple[str, str]]:
    matrix, models, claims = report.matrix, report.models, concerned_claims(report)
    modules = sum(module.verdict is Verdict.PASS for module in report.modules)
    passed = sum(row.verdict == Verdict.PASS.text for row in report.examples)
    logs = sum(row.verdict == Verdict.PASS.text for row in report.logs)
    of_models = [
        ("models", _part(sum(m.verdict is Verdict.PASS for m in models), len(models))),
        ("graphs", f"{graphs:,}"),
        ("claims checked", _part(sum(not row.unchecked for row in claims), len(claims))),
        ("mutants caught", _part(len(matrix.mutants) - len(matrix.survivors), len(matrix.mutants))),
        (
            "properties catch one",
            _part(len(matrix.properties) - len(matrix.idle_properties), len(matrix.properties))
            if matrix.mutants
            else "none",
        ),
        (
            "transitions conform",
            f"{conforming(models):,}" if any(m.model.conform for m in models) else "none",
        ),
        ("worked examples", _part(passed, len(report.examples))),
    ]
    return [
        ("distinct states", f"{report.states:,}"),
        *(of_models if models or not report.modules else ()),
        *([("logs", _part(logs, len(report.logs)))] if report.logs else []),
        *([("modules without graphs", _part(modules, len(report.modules)))] if report.modules else []),
    ]


def _part(some: int, total: int) -> str:
    return f"{some:,}/{total:,}" if total else "none"


def conforming(models: Sequence[ModelReport]) -> int:
    """Count the transitions in which spec and implementation were compared and found equal."""
    rows = [row for m in models for row in m.evidence.conformances]
    return sum(row.transitions or 0 for row in rows if row.error is None and not row.mismatches)


def _tables(
    report: PlanReport, views: Sequence[ModelView], pages: Sequence[TracePage]
) -> tuple[KillTable, ...]:
    """Make a table for each spec that has mutants, in the matrix's order."""
    models = {(view.spec, view.mutant): view.name for view in reversed(views) if view.mutant}
    files = {(page.spec, page.mutant): page.file for page in pages if page.mutant}
    matrix = report.matrix
    tables = []
    for spec in dict.fromkeys(row.spec for row in matrix.mutants):
        mutants = [row for row in matrix.mutants if row.spec == spec]
        demanded = [row for row in matrix.properties if row.spec == spec]
        lengths = {row.name: {kill.property: kill.length for kill in row.kills} for row in mutants}
        names = dict.fromkeys(
            [row.name for row in demanded] + [kill.property for row in mutants for kill in row.kills]
        )
        catches = {name: sum(name in caught for caught in lengths.values()) for name in names}
        properties = tuple(sorted(names, key=catches.__getitem__, reverse=True))
        rows = tuple(
            KillView(
                row.name,
                models.get((spec, row.name), ""),
                files.get((spec, row.name)),
                row.kills[0].topology if row.kills else None,
                tuple(lengths[row.name].get(name) for name in properties),
            )
            for row in mutants
        )
        idle = frozenset(row.name for row in demanded if not row.kills)
        tables.append(KillTable(spec, properties, idle, rows))
    return tuple(tables)


def _held(report: PlanReport) -> list[tuple[str, str]]:
    """Describe how the implementation was compared with TLC, beside the comparison in every state."""
    models = report.models
    plain = [row for m in models if m.model.mutant is None for row in m.evidence.replays]
    bugs = [row for m in models if m.model.mutant is not None for row in m.evidence.replays]
    sorted_ = [row for m in models for row in m.evidence.reorderings if row.accepted]
    found = []
    if plain:
        found.append(("Traces replayed", f"{sum(bool(r.agreed) for r in plain):,} of {len(plain):,} taken"))
    if bugs:
        own = [row for row in bugs if row.implementation != "correct"]
        refused = sum(not row.agreed for row in bugs if row.implementation == "correct")
        taken = sum(bool(row.agreed) for row in own)
        by_bug = f"{taken:,} of {len(own):,} taken by the same bug in Python"
        by_correct = f"{refused:,} of {len(bugs) - len(own):,} refused by the correct implementation"
        found.append(("Counterexamples of mutants", f"{by_bug}; {by_correct}"))
    if sorted_:
        swaps = sum(row.swaps or 0 for row in sorted_)
        passed = sum(bool(row.occurred) for row in sorted_)
        found.append((
            "Traces reordered, white before red",
            f"{len(sorted_):,}, by {swaps:,} swaps; in {passed:,} the snapshot is a state that occurred",
        ))  # fmt: skip
    return found


def concerned_claims(report: PlanReport) -> list[ClaimRow]:
    """Return the claims that a run is about: all, or of a run of some models those that one of them checks."""
    return [row for row in report.claims if report.plan.complete or (row.models and not report.plan.cover)]
