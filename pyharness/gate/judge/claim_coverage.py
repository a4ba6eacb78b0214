"""The coverage of the theory's claims by a plan, or a run of it: part by part, by which models and which mutants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyharness.gate.plans.claims import (
    BOUND_FEATURES,
    GRAPH_FEATURES,
    RUN_FEATURES,
    features_of,
    graphs_with,
)
from pyharness.gate.plans.proof_lists import obligations_of
from pyharness.machines.systems import implementation_of
from pyharness.models.witness import probes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyharness.gate.plans.claims import Claim, Part
    from pyharness.gate.plans.plan import Plan
    from pyharness.gate.plans.plan_modules import ModuleModel
    from pyharness.models.model import Model


@dataclass(frozen=True)
class ClaimEvidence:
    """The evidence that each model of a plan gives.

    ``passed`` are the models, and the modules without graphs, with the result that the plan expects, ``kills`` pairs of a
    mutant's model and a property that caught the mutant, ``states`` the distinct states of a model, and ``stages`` how
    many rows each of the harness's stages has that show something. ``witnessed`` are the witnesses that a model looks
    for, each with whether it is reached.
    """

    passed: frozenset[str] = frozenset()
    kills: frozenset[tuple[str, str]] = frozenset()
    witnessed: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    states: Mapping[str, int] = field(default_factory=dict)
    stages: Mapping[str, int] = field(default_factory=dict)

    def reached(self, model: Model) -> frozenset[str]:
        """Return the witnesses that a model reaches."""
        return frozenset(name for name, reached in self.witnessed.get(model.name, {}).items() if reached)

    def unreached(self, model: Model) -> frozenset[str]:
        """Return the witnesses that a model looks for and does not reach."""
        return frozenset(name for name, reached in self.witnessed.get(model.name, {}).items() if not reached)


def expected_evidence(plan: Plan) -> ClaimEvidence:
    """Return the evidence of a run in which every model has the result that the plan expects."""
    models = plan.models
    implemented = [m for m in models if implementation_of(m.spec) is not None]
    simulated = sum(m.simulate.traces for m in implemented if m.simulate)
    return ClaimEvidence(
        frozenset(entry.name for entry in plan.all),
        frozenset((model.name, name) for model in models if model.mutant for name in model.caught_by),
        {m.name: {name: name not in m.unreached for name in probes_of(m, plan.library)} for m in models},
        {entry.name: entry.pins.distinct for entry in plan.all if entry.pins},
        {
            "replay": simulated + sum(m.mutant is not None for m in implemented),
            "reorder": simulated,
            "conform": sum(m.conform for m in models),
        },
    )


@dataclass(frozen=True, slots=True)
class CheckingModel:
    """A model that checks a part: its graphs that have what the part needs, its features, and its distinct states."""

    name: str
    graphs: tuple[str, ...]
    features: tuple[str, ...]
    states: int


@dataclass(frozen=True, slots=True)
class PartRow:
    """The evidence for a part of a claim: the models that check it, and the mutants that its properties catch.

    ``lacking`` names the missing evidence, with reasons; the part is checked if nothing is missing.
    """

    part: Part
    models: tuple[CheckingModel, ...] = ()
    mutants: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()

    @property
    def states(self) -> int:
        """The distinct states of its models."""
        return sum(model.states for model in self.models)


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """The evidence for a claim, part by part.

    ``unproved`` names the claimed proofs of which ``pyharness prove`` has no obligation; ``obligations`` counts those
    that prove the claim, or a part of it, for every graph.
    """

    claim: Claim
    parts: tuple[PartRow, ...] = field(default=())
    unproved: tuple[str, ...] = ()
    obligations: int = 0

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models that check some part."""
        return tuple(dict.fromkeys(model.name for row in self.parts for model in row.models))

    @property
    def mutants(self) -> tuple[str, ...]:
        """The mutants that the properties of some part catch."""
        return tuple(dict.fromkeys(name for row in self.parts for name in row.mutants))

    @property
    def states(self) -> int:
        """The distinct states in which some part is checked, each model's once."""
        return sum({model.name: model.states for row in self.parts for model in row.models}.values())

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The unchecked parts and proofs, in words; the claim is checked without any."""
        lacking = [f"{row.part.says}: {', '.join(row.lacking)}" for row in self.parts if row.lacking]
        return (*lacking, *(f"proof of {name}" for name in self.unproved))

    @property
    def proved(self) -> str:
        """The obligations by which ``pyharness prove`` proves it, in words; empty without any."""
        if not self.obligations:
            return ""
        part = f" ({self.claim.proved_part})" if self.claim.proved_part else ""
        return f"{self.obligations} obligations{part}"


def claim_rows(claims: Iterable[Claim], plan: Plan, evidence: ClaimEvidence) -> tuple[ClaimRow, ...]:
    """Return for each claim the ``evidence`` that a plan's models give."""
    return tuple(_claim(claim, plan, evidence) for claim in claims)


def _claim(claim: Claim, plan: Plan, evidence: ClaimEvidence) -> ClaimRow:
    obligations = {name: obligations_of(name) for name in claim.proved}
    needed = {obligation for steps in obligations.values() for obligation in steps}
    return ClaimRow(
        claim,
        tuple(_part(part, plan, evidence) for part in claim.parts),
        tuple(name for name, steps in obligations.items() if not steps),
        len(needed),
    )


def _part(part: Part, plan: Plan, evidence: ClaimEvidence) -> PartRow:
    models: dict[str, CheckingModel] = {}
    lacking: list[str] = []
    for name in part.properties:
        found = _holding_without_graphs(part, name, plan, evidence) or _holding(part, name, plan, evidence)
        models |= {row.name: row for row in found.models}
        lacking += found.lacking
    for name in part.refuted:
        found = _violating(part, name, plan, evidence)
        models |= {row.name: row for row in found.models}
        lacking += found.lacking
    if part.harness and not evidence.stages.get(part.harness):
        lacking.append(f"no rows of the stage {part.harness}")
    mutants = _caught(part, plan, evidence)
    if part.properties and not part.mutants:
        lacking.append("it names no mutant, so nothing shows that its check is one")
    lacking += [f"{name} is not caught by its properties" for name in part.mutants if name not in mutants]
    return PartRow(part, tuple(models.values()), mutants, tuple(lacking))


@dataclass(frozen=True, slots=True)
class _Found:
    """The models for a property; without any, the reason."""

    models: tuple[CheckingModel, ...] = ()
    lacking: tuple[str, ...] = ()


def _holding(part: Part, name: str, plan: Plan, evidence: ClaimEvidence) -> _Found:
    """Find the models in which a property holds, of those that have all that the part needs."""
    spec, _, prop = name.partition(".")
    tests: list[tuple[str, Callable[[Model], bool]]] = [
        (
            "no model that is to pass has it",
            lambda m: m.spec == spec and m.expect == "pass" and prop in (*m.invariants, *m.properties),
        ),
        (f"no such model has {_in_words(part.where)}", part.concerns),
        *_needed(part, evidence),
        (
            "its antecedent is never reached",
            lambda m: not any(witness.startswith(f"{prop}.") for witness in evidence.unreached(m)),
        ),
        ("none of its models passes", lambda m: m.name in evidence.passed),
    ]
    return _sieved(part, name, plan, evidence, tests)


def _holding_without_graphs(part: Part, name: str, plan: Plan, evidence: ClaimEvidence) -> _Found | None:
    """Find the modules without graphs in which a property holds; ``None`` if the plan has none of its module."""
    spec, _, prop = name.partition(".")
    own = [source for source in plan.modules if source.module.stem == spec]
    if not own:
        return None
    if part.needs or part.where:
        return _Found(lacking=(f"{name}: of a module without graphs nothing can be needed",))
    passing = [source for source in own if source.expect == "pass" and prop in source.properties]
    if not passing:
        return _Found(lacking=(f"{name}: no spec that is to pass names it",))
    left = [source.name for source in passing if source.name in evidence.passed]
    if not left:
        return _Found(lacking=(f"{name}: none of its specs passes",))
    return _Found(tuple(CheckingModel(each, (), (), evidence.states.get(each, 0)) for each in left))


def _violating(part: Part, name: str, plan: Plan, evidence: ClaimEvidence) -> _Found:
    """Find the models that are expected to violate a property, and do."""
    spec, _, prop = name.partition(".")
    tests: list[tuple[str, Callable[[Model], bool]]] = [
        ("no model expects that", lambda m: m.spec == spec and m.mutant is None and prop in m.caught_by),
        (f"no such model has {_in_words(part.where)}", part.concerns),
        *((why, test) for need, why, test in _needs(part, evidence) if need not in RUN_FEATURES),
        ("none of its models is as expected", lambda m: m.name in evidence.passed),
    ]
    return _sieved(part, f"not {name}", plan, evidence, tests)


def _needed(part: Part, evidence: ClaimEvidence) -> Iterator[tuple[str, Callable[[Model], bool]]]:
    return ((why, test) for _, why, test in _needs(part, evidence))


def _needs(part: Part, evidence: ClaimEvidence) -> Iterator[tuple[str, str, Callable[[Model], bool]]]:
    """Yield the needs of a part: a feature, the words for a model without it, and the test of a model.

    All that is needed of graphs is needed of one and the same graph.
    """
    graphs = [need for need in part.needs if need in GRAPH_FEATURES]
    if graphs:
        yield graphs[0], f"no such graph: {', '.join(graphs)}", lambda m: bool(graphs_with(m, graphs))
    for need in part.needs:
        if need in BOUND_FEATURES:
            yield need, f"no such model with {need}", BOUND_FEATURES[need]
        elif need in RUN_FEATURES:
            witness = RUN_FEATURES[need]
            yield need, f"no such model reaches {need}", _reaches(evidence, witness)


def _reaches(evidence: ClaimEvidence, witness: str) -> Callable[[Model], bool]:
    return lambda model: witness in evidence.reached(model)


def _sieved(
    part: Part,
    name: str,
    plan: Plan,
    evidence: ClaimEvidence,
    tests: Iterable[tuple[str, Callable[[Model], bool]]],
) -> _Found:
    left = list(plan.models)
    for why, test in tests:
        left = [model for model in left if test(model)]
        if not left:
            return _Found(lacking=(f"{name}: {why}",))
    return _Found(tuple(_checking(model, part, evidence) for model in left))


def _checking(model: Model, part: Part, evidence: ClaimEvidence) -> CheckingModel:
    graphs = tuple(graph.id for graph in graphs_with(model, part.needs))
    features = features_of(model, evidence.reached(model))
    return CheckingModel(model.name, graphs, features, evidence.states.get(model.name, 0))


def _caught(part: Part, plan: Plan, evidence: ClaimEvidence) -> tuple[str, ...]:
    """Return the mutants that a property of the part catches, in a model that the part is about.

    Those of a module without graphs are configurations of it, or of a module that extends it, by their files' names.
    """
    checked = [(spec, prop) for spec, _, prop in (name.partition(".") for name in part.properties)]
    found = [
        str(model.mutant)
        for model in plan.models
        if model.mutant
        and any(spec == model.spec and (model.name, prop) in evidence.kills for spec, prop in checked)
        and part.concerns(model)
    ]
    for spec, prop in checked:
        found += [
            source.config.stem
            for source in plan.modules
            if source.config and source.caught_by == (prop,) and source.name in evidence.passed
            if spec in _extended(source)
        ]
    return tuple(dict.fromkeys(found))


def _extended(source: ModuleModel) -> frozenset[str]:
    """Return the names of a spec's module and of those that it extends."""
    model = source.read()
    return frozenset(module.name for module in model.library.closure(model.module))


def _in_words(where: Mapping[str, object]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in where.items()) or "anything"
