"""Check that the theorems of a plan's specs and the properties of its models are the same claims, each way.

A model checks a theorem's hypotheses itself (:meth:`pyharness.models.model.Model.assumed`). This module finds what no
model can: a property without a theorem, and a theorem without a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.models.theorems import theorems_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.model import Model


def not_stated(plan: Plan) -> tuple[str, ...]:
    """Return in words which properties no theorem states, and which theorems no model checks.

    This applies to a complete plan, or that of a cover, that is to check all claims and has the list of its properties
    beside its specs.
    """
    full = plan.full
    if full is None or full.strength is None:
        return ()
    checked: dict[str, set[str]] = {}
    found: list[str] = []
    for model in full.models:
        names = checked.setdefault(model.spec, set())
        if model.expect == "pass":
            names.update((*model.invariants, *model.properties))
            found += _without_theorem(model, full)
    for spec, names in checked.items():
        stated = theorems_of(full.library, spec).values()
        found += [
            f"{each.where} states {each.name}, and no model checks it"
            for each in stated
            if each.name not in names
        ]
    return tuple(dict.fromkeys(found))


def _without_theorem(model: Model, plan: Plan) -> Iterator[str]:
    names = (*model.invariants, *model.properties)
    theorems = model.theorems(plan.library, names)
    known = {theorem.name for theorem in theorems}
    known |= {each.formula for theorem in theorems for each in theorem.hypotheses}
    for name in names:
        if name not in known:
            yield f"{model.spec}.{name} is checked, and no theorem states it"
