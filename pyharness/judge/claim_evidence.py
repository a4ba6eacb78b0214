"""The evidence that claims rest on, and what it is if a run finds what its plan expects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyharness.plan.witness import probes_of
from pyharness.systems import implementation_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.plan.model import Model
    from pyharness.plan.plan import Plan
    from pyharness.plan.plan_specs import SpecSource


@dataclass(frozen=True)
class ClaimEvidence:
    """What there is of each model of a plan.

    ``passed`` are the models, and the specs without graphs, that came to what the plan expects, ``kills`` pairs of a
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
    """Return what a run of a plan finds if all is as the plan says."""
    models = plan.models
    entries: list[Model | SpecSource] = [*models, *plan.specs]
    implemented = [m for m in models if implementation_of(m.spec) is not None]
    simulated = sum(m.simulate.traces for m in implemented if m.simulate)
    return ClaimEvidence(
        frozenset(entry.name for entry in entries),
        frozenset((model.name, name) for model in models if model.mutant for name in model.caught_by),
        {m.name: {name: name not in m.unreached for name in probes_of(m, plan.library)} for m in models},
        {entry.name: entry.pins.distinct for entry in entries if entry.pins},
        {
            "replay": simulated + sum(m.mutant is not None for m in implemented),
            "reorder": simulated,
            "conform": sum(m.conform for m in models),
            "explore": sum(m.explore for m in models),
        },
    )
