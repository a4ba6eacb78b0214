"""Refute the seeded bugs: each by a small counterexample to induction, or say why a proof cannot see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.proof.finite_search import UNIVERSES, fewest, find
from pyharness.proof.obligations import Obligation, obligations
from pyharness.proof.proof_catalogue import MODULES, UNSEEN, mutants_of, system
from pyharness.proof.solvers import ask

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.proof.logic import Structure, Universe

__all__ = ["Refuted", "changed", "refute", "refute_all"]

_TINY = UNIVERSES[:4]


@dataclass(frozen=True)
class Refuted:
    """What became of a seeded bug: the obligation that it breaks and where, or the reason why none is broken.

    ``ok``: it is refuted, or it is listed as one that is not, and is not.
    """

    module: str
    mutant: str
    obligation: Obligation | None
    structure: Structure | None
    reason: str
    ok: bool


def changed(module: str, mutant: str) -> list[Obligation]:
    """Return the obligations of a mutant that are not, to the letter, obligations of the module itself."""
    as_it_is = {o.name: o.smtlib() for o in obligations(system(module))}
    found = obligations(system(module, mutant))
    return [o for o in found if o.goal is not None and o.smtlib() != as_it_is.get(o.name)]


def refute(module: str, mutant: str, solvers: Sequence[str], seconds: float = 5.0) -> Refuted:
    """Look for a counterexample to induction, over the smallest universe that has one."""
    reason = UNSEEN.get((module, mutant), "")
    if mutant not in mutants_of(module):
        return Refuted(module, mutant, None, None, reason, bool(reason))
    suspects = changed(module, mutant)
    found = _first(suspects, _TINY, solvers[0]) if not reason else None
    if found is None:
        suspects = [o for o in suspects if not _valid(o, solvers, seconds)]
        found = _first(suspects, UNIVERSES, solvers[0])
    if found is None:
        return Refuted(module, mutant, None, None, reason, bool(reason) and not suspects)
    obligation, structure = found
    return Refuted(module, mutant, obligation, structure, reason, not reason)


def refute_all(modules: Sequence[str], solvers: Sequence[str]) -> Iterator[Refuted]:
    """Yield the result for every seeded bug of these modules, those that cannot be said here too."""
    for module in modules:
        if module in MODULES:
            listed = [mutant for of, mutant in UNSEEN if of == module]
            for mutant in dict.fromkeys([*mutants_of(module), *listed]):
                yield refute(module, mutant, solvers)


def _valid(obligation: Obligation, solvers: Sequence[str], seconds: float) -> bool:
    return all(ask(solver, obligation.smtlib(), seconds).verdict == "unsat" for solver in solvers)


def _first(
    suspects: Sequence[Obligation], universes: Sequence[Universe], solver: str
) -> tuple[Obligation, Structure] | None:
    for universe in universes:
        for obligation in suspects:
            if (structure := find(obligation.formula, universe, solver)) is not None:
                return obligation, fewest(obligation.formula, structure, solver)
    return None
