"""The models of a run as the report shows them."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

from pyharness.plan.model import Model
from pyharness.run.tlc_runs import passed_states
from pyharness.systems import APPLICATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.judge.plan_report import Evidence, ModelReport
    from pyharness.report.run.trace_links import TracePage
    from pyharness.run.table_rows import ConformanceRow, WitnessRow

_OUTSIDE: Final = {"name", "spec", "mutant", "topologies", "invariants", "properties", "silent", "unreached"} | {
    "reached", "expect", "caught_by", "pins", "simulate", "explore", "conform", "budget", "per_run",
}  # fmt: skip
"""The fields of a model that are no bounds."""


@dataclass(frozen=True, slots=True)
class ActionView:
    """How often an action was taken; ``share`` is of the most frequent one, by logarithms.

    ``silent`` says that it must not be taken.
    """

    name: str
    total: int
    share: float
    silent: bool


@dataclass(frozen=True, slots=True)
class TopologyView:
    """The result of a model on one graph."""

    id: str
    distinct: int | None
    outcome: str
    violated: str | None


@dataclass(frozen=True, slots=True)
class ModelView:
    """A model: its verdict with the reasons if it is no pass, what was measured, and where its traces are.

    ``result`` is its result in a word or two; ``explored`` is the number of graphs that Python explored.
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
    replays: str
    explored: int
    reordered: int
    conformance: ConformanceRow | None
    pages: tuple[TracePage, ...]


def model_view(report: ModelReport, pages: Sequence[TracePage]) -> ModelView:
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
        result=_result(report),
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
        replays=replays_text(evidence),
        explored=len(evidence.explorations),
        reordered=sum(bool(row.accepted) for row in evidence.reorderings),
        conformance=compared[0] if compared else None,
        pages=tuple(pages),
    )


def _result(report: ModelReport) -> str:
    if report.verdict.text != "pass" or report.model.expect == "pass":
        return report.verdict.text
    traces = [row for row in report.evidence.traces if row.kind == "counterexample"]
    shortest = min((row.length for row in traces), default=None)
    return f"caught by {', '.join(report.model.caught_by)} in {shortest} states"


def _topologies(model: Model, evidence: Evidence) -> tuple[TopologyView, ...]:
    """Return every graph of the model, those without a row too."""
    views = {
        row.topology: TopologyView(row.topology, row.distinct, row.outcome, row.violated)
        for row in evidence.topologies
    }
    return tuple(views.get(t.id, TopologyView(t.id, None, "not checked", None)) for t in model.topologies)


def fired(evidence: Evidence) -> Counter[str]:
    """Count how often each action was taken, over all runs."""
    total: Counter[str] = Counter()
    for row in evidence.actions:
        total[row.action] += row.total
    return total


def _actions(model: Model, evidence: Evidence) -> tuple[ActionView, ...]:
    counts = fired(evidence)
    most = math.log1p(max(counts.values(), default=0)) or 1
    names = dict.fromkeys([*evidence.actions_of_spec, *+counts]) if counts else {}
    return tuple(
        ActionView(name, counts[name], math.log1p(counts[name]) / most, name in model.silent)
        for name in sorted(names, key=lambda name: -counts[name])
    )


def _bounds(model: Model) -> tuple[tuple[str, str], ...]:
    """Return the bounds: the items, and what is not as it is by default."""
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
    """Say how many replays there were and which went as they should: refused is right for a bug's trace."""
    agreed = sum(bool(row.agreed) for row in evidence.replays)
    total = len(evidence.replays)
    if not total:
        return ""
    return f"{agreed} of {total} taken" if agreed < total else f"all {total} taken"
