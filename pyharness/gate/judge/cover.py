"""A cover of a plan: jobs that have each kind of its evidence once, chosen by machine for the CPU time that they take.

The kinds are: each spec with each of its applications and granularities; each property where it holds, and where it
catches a seeded bug or is violated as the plan expects; each part of a claim; each implementation, compared with its
spec; behaviours that are simulated, replayed and reordered; each module with a configuration of its own. Comparisons,
simulation and modules come first, and then, as far as the time allows, the runs with most kinds for a second of CPU
time. Evidence that only long runs have, or for which no time is left, is left out, and named. Only the plan and its
pins decide, so that the same plan has the same cover on every machine.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.gate.judge.claim_coverage import claim_rows, expected_evidence
from pyharness.gate.plans.plan import Cover, Plan
from pyharness.models.job import cpu_seconds
from pyharness.models.mutant_group import groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.models.model import Model

Chosen = tuple[str, str]
"""The name of a model, or of a module without graphs, and the kind of its job."""

_MOST: Final = 3.5
"""CPU seconds of a run of TLC that a cover may have."""

_SECONDS: Final = 82.0
"""CPU seconds of all of them together, from which on no more runs are added."""

_OF_A_SPEC: Final = 1.5
"""CPU seconds of a module without graphs, which includes SANY's."""

_CATCHES: Final = " catches"
_VIOLATED: Final = " is violated"
_HOLDS: Final = " holds"
_PART: Final = "part "
_COMPARED: Final = " compared"
_SIMULATED: Final = "simulated"

_OF_A_BUG: Final = 0.2
"""CPU seconds of one more seeded bug in a run of TLC."""


def cover(plan: Plan) -> Plan:
    """Return the part of a plan that is its cover: models with the jobs that are chosen, and modules without graphs.

    Raises SpecError if each run of the plan is too long for a cover, so that nothing would be checked.
    """
    chosen, lacking = chosen_jobs(plan)
    models = tuple(_part(model, chosen) for model in plan.models if (model.name, "check") in chosen)
    modules = tuple(each for each in plan.modules if (each.name, "module") in chosen)
    if not models and not modules:
        raise SpecError(
            "each run of it is too long for a cover", where=plan.path.name, hint="leave out --cover"
        )
    return replace(
        plan, models=models, modules=modules, examples=(), logs=(), complete=False, cover=Cover(plan, lacking)
    )


def _part(model: Model, chosen: frozenset[Chosen]) -> Model:
    """Return a model without the jobs that are not chosen; transitions are counted where it is compared."""
    pins = model.pins
    compared = (model.name, "conform") in chosen
    if pins and not compared:
        pins = replace(pins, transitions=None)
    simulate = model.simulate if (model.name, "simulate") in chosen else None
    return replace(model, conform=compared, simulate=simulate, pins=pins)


def chosen_jobs(plan: Plan) -> tuple[frozenset[Chosen], tuple[str, ...]]:
    """Choose jobs for their kinds of evidence, each time the run with most that is new for a second of CPU time.

    Return those, and the kinds that none of them has. Seeded bugs that TLC is asked about in one run come together, and
    a model that is compared or simulated is checked, too. A run whose evidence the others have is left out.
    """
    together = {model.name: tuple(m.name for m in group) for group in groups(plan.models) for model in group}
    of: dict[tuple[Chosen, ...], set[str]] = {}
    for kind, (name, job) in _evidence(plan):
        run = tuple((each, job) for each in together.get(name, (name,)))
        of.setdefault(run, set()).add(kind)
    for run in [run for run in of if run[0][1] in {"conform", "simulate"}]:
        check = (run[0][0], "check")
        of[check, *run] = of.pop(run) | of[check,]
    models = {model.name: model for model in plan.models}
    costs = {run: _cost(run, models) for run in of}
    everything = set().union(*of.values())
    of = {run: kinds for run, kinds in of.items() if costs[run] <= _MOST}
    chosen: list[tuple[Chosen, ...]] = []

    def add(left: set[str], most: float) -> None:
        while left:
            best = max(of, key=lambda run: (len(of[run] & left) / costs[run], run))
            if not of[best] & left or sum(costs[run] for run in (*chosen, best)) > most:
                break
            chosen.append(best)
            left -= of[best]

    def clear(needed: set[str]) -> None:
        for run in sorted(chosen, key=lambda each: (-costs[each], each)):
            if set().union(*(of[other] for other in chosen if other != run)) & needed >= of[run] & needed:
                chosen.remove(run)

    within = set().union(*of.values())
    first = {kind for kind in within if kind.endswith((_COMPARED, _SIMULATED, " pass"))}
    add(set(first), inf)
    clear(first)
    add(within - set().union(*(of[run] for run in chosen)), _SECONDS)
    found = set().union(*(of[run] for run in chosen))
    clear(found)
    return frozenset(job for run in chosen for job in run), tuple(sorted(everything - found))


def _cost(run: tuple[Chosen, ...], models: Mapping[str, Model]) -> float:
    (name, kind), *others = run
    if kind == "module":
        return _OF_A_SPEC
    if models[name].mutant:
        return cpu_seconds(models[name], kind) + _OF_A_BUG * len(others)
    return sum(cpu_seconds(models[name], each) for _, each in run)


def _evidence(plan: Plan) -> Iterator[tuple[str, Chosen]]:
    """Yield each kind of evidence with each job that has it."""
    for model in plan.models:
        check = (model.name, "check")
        if model.expect == "pass":
            yield f"{model.spec} with {model.application}, {model.granularity}", check
            for name in (*model.invariants, *model.properties):
                yield f"{model.spec}.{name}{_HOLDS}", check
        else:
            for name in model.caught_by:
                yield f"{model.spec}.{name}{_CATCHES if model.mutant else _VIOLATED}", check
        if model.conform:
            yield f"{model.spec}{_COMPARED}", (model.name, "conform")
        if model.simulate:
            yield _SIMULATED, (model.name, "simulate")
    for module in plan.modules:
        yield f"{module.spec} {module.expect}", (module.name, "module")
        for name in module.caught_by:
            yield f"{module.spec}.{name}{_VIOLATED}", (module.name, "module")
    jobs = {model.name: (model.name, "check") for model in plan.models}
    jobs |= {module.name: (module.name, "module") for module in plan.modules}
    for row in claim_rows(plan.claims, plan, expected_evidence(plan)):
        for number, part in enumerate(row.parts):
            for model_of in part.models:
                yield f"{_PART}{number + 1} of {row.claim.id}", jobs[model_of.name]


def left_out(plan: Plan) -> str:
    """Return in words the evidence of its plan that a cover leaves out; "" for a plan that is not a cover."""
    if plan.cover is None:
        return ""
    full = plan.cover.of
    models, bugs = len(full.models) - len(plan.models), len(_bugs(full) - _bugs(plan))
    compared = sum(m.conform for m in full.models) - sum(m.conform for m in plan.models)
    lacking = ", ".join(
        f"{sum(kind.endswith(end) for kind in plan.cover.lacking)} {words}"
        for end, words in (
            (_HOLDS, "properties that hold"),
            (_CATCHES, "that catch a bug"),
            (_VIOLATED, "that are violated without"),
        )
    )
    parts = sum(kind.startswith(_PART) for kind in plan.cover.lacking)
    return (
        f"{models} of {len(full.models)} models, {bugs} of {len(_bugs(full))} seeded bugs, {parts} parts of claims, {lacking}, "
        f"{compared} comparisons, {len(full.examples)} worked examples, {len(full.logs)} logs"
    )


def is_asked(plan: Plan, name: str, what: str) -> bool:
    """Return whether a property, as ``Spec.Property``, must ``holds`` or ``catches`` in a run of a plan or a cover."""
    return plan.cover is None or f"{name} {what}" not in plan.cover.lacking


def _bugs(plan: Plan) -> set[tuple[str, str]]:
    return {(model.spec, model.mutant) for model in plan.models if model.mutant}
