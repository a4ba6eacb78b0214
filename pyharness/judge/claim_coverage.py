"""What a plan does for the claims of the theory: which models check each, which mutants prove the check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.proof.expectations import obligations_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pyharness.plan.claims import Claim
    from pyharness.plan.model import Model
    from pyharness.plan.plan import Plan

__all__ = ["ClaimRow", "claim_rows"]


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """What a plan does for a claim: the models that check it, and the mutants that its properties catch.

    ``unchecked`` names what no model of the plan checks; the claim is covered if there is nothing. ``obligations`` is
    the number of those in which ``pyharness prove`` proves it, or a part of it, for every graph.
    """

    claim: Claim
    models: tuple[str, ...]
    mutants: tuple[str, ...]
    unchecked: tuple[str, ...]
    obligations: int = 0

    @property
    def proved(self) -> str:
        """What ``pyharness prove`` proves of it, in words; empty if nothing."""
        if not self.obligations:
            return ""
        part = f" ({self.claim.proved_part})" if self.claim.proved_part else ""
        return f"{self.obligations} obligations{part}"


def claim_rows(claims: Collection[Claim], plan: Plan, stages: Collection[str] = ()) -> tuple[ClaimRow, ...]:
    """Say for each claim what a plan does for it; ``stages`` are the harness checks that the plan has."""
    return tuple(_row(claim, plan, stages) for claim in claims)


def _row(claim: Claim, plan: Plan, stages: Collection[str]) -> ClaimRow:
    models: dict[str, None] = {}
    unchecked: list[str] = []
    for name in claim.properties:
        found = [m.name for m in plan.models if m.expect == "pass" and name in _stated(m)]
        models.update(dict.fromkeys(found))
        unchecked += [] if found else [name]
    for name in claim.refuted:
        found = [m.name for m in plan.models if m.mutant is None and name in _stated(m, m.caught_by)]
        models.update(dict.fromkeys(found))
        unchecked += [] if found else [f"not {name}"]
    for name in claim.models:
        found = [m.name for m in plan.models if m.name == name and m.expect == "pass"]
        models.update(dict.fromkeys(found))
        unchecked += [] if found else [f"model {name}"]
    if claim.harness and claim.harness not in stages:
        unchecked.append(claim.harness)
    mutants = [
        str(m.mutant)
        for m in plan.models
        if m.mutant and set(claim.properties) & set(_stated(m, m.caught_by))
    ]
    obligations = {name: obligations_of(name) for name in claim.proved}
    unchecked += [f"proof of {name}" for name, steps in obligations.items() if not steps]
    proved = {obligation for steps in obligations.values() for obligation in steps}
    return ClaimRow(claim, tuple(models), tuple(dict.fromkeys(mutants)), tuple(unchecked), len(proved))


def _stated(model: Model, names: Collection[str] | None = None) -> Iterator[str]:
    for name in (*model.invariants, *model.properties) if names is None else names:
        yield f"{model.spec}.{name}"
