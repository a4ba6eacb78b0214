"""Refute the seeded bugs: each by a small counterexample to induction, or name the reason why a proof cannot see it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from pyharness.prove.finite_search import UNIVERSES, fewest, find
from pyharness.prove.logic import FALSE, conj, equal, negate
from pyharness.prove.obligations import Obligation, obligations
from pyharness.prove.proof_catalogue import MODULES, UNSEEN, mutants_of, system
from pyharness.prove.solvers import ask, processes
from pyharness.prove.theorems import snapshot_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.prove.logic import Expr, Structure, Universe
    from pyharness.prove.proof_module import System

_TINY: Final = UNIVERSES[:4]

_GLANCE: Final = 0.3
"""The seconds for an obligation that a bug may break: where no solver proves it so soon, a counterexample is looked for."""


@dataclass(frozen=True)
class Refuted:
    """The result for a seeded bug: the obligation that it breaks and where, or the reason why none is broken.

    ``ok``: it is refuted, or it is listed as one that is not, and is not.
    """

    module: str
    mutant: str
    obligation: Obligation | None
    structure: Structure | None
    reason: str
    ok: bool


def changed(module: str, mutant: str) -> list[Obligation]:
    """Return the obligations of a mutant that are not, to the letter, obligations of the module itself.

    They are those of its invariant, and then those of the measure by which a snapshot ends.
    """
    found = _all(system(module, mutant))
    return [o for o in found if o.goal is not None and o.smtlib() != _as_it_is(module).get(o.name)]


@cache
def _as_it_is(module: str) -> dict[str, str]:
    return {o.name: o.smtlib() for o in _all(system(module))}


def _all(module: System) -> Iterator[Obligation]:
    yield from obligations(module)
    yield from snapshot_ends.of_module(module)


def refute(module: str, mutant: str, solvers: Sequence[str], seconds: float = 5.0) -> Refuted:
    """Look for a counterexample to induction on a graph of TLA+'s, over the smallest universe that has one.

    Conjuncts of the TLA+ spec come before those about positions, and these before those about the measure. Of a bug that
    no proof is to see, each obligation is proved, for ``seconds`` at most.
    """
    reason = UNSEEN.get((module, mutant), "")
    if mutant not in mutants_of(module):
        return Refuted(module, mutant, None, None, reason, bool(reason))
    suspects = changed(module, mutant)
    left = []
    ends = [o for o in suspects if o.module != module]
    about = [o for o in suspects if o.module == module]
    for some in ([o for o in about if not o.positions], [o for o in about if o.positions], ends):
        found = _first(some, _TINY, solvers[0]) if not reason else None
        if found is None:
            invalid = [o for o in some if not _valid(o, solvers, seconds if reason else _GLANCE)]
            found = _first(invalid, UNIVERSES, solvers[0])
            left += invalid
        if found is not None:
            return Refuted(module, mutant, *found, reason, not reason)
    return Refuted(module, mutant, None, None, reason, bool(reason) and not left)


def refute_all(
    modules: Sequence[str], solvers: Sequence[str], workers: int | None = None
) -> Iterator[Refuted]:
    """Yield the result for every seeded bug of these modules, those that have no formula too.

    ``workers`` processes look at a bug each, by default one a core.

    Raises IncompleteError when one of them dies.
    """
    asked = [
        (module, mutant)
        for module in modules
        if module in MODULES
        for mutant in dict.fromkeys([*mutants_of(module), *(mutant for of, mutant in UNSEEN if of == module)])
    ]
    with processes(workers) as pool:
        yield from map(_found, pool.map(partial(_refuted, tuple(solvers)), asked))


def _refuted(solvers: tuple[str, ...], asked: tuple[str, str]) -> tuple[Refuted, str]:
    """Refute a seeded bug; the obligation is given by its name, for a process cannot hand over a step."""
    found = refute(*asked, solvers)
    broken = found.obligation
    return replace(found, obligation=None), f"{broken.module}/{broken.name}" if broken else ""


def _found(answer: tuple[Refuted, str]) -> Refuted:
    found, broken = answer
    if not broken:
        return found
    return replace(
        found,
        obligation=next(
            o for o in _all(system(found.module, found.mutant)) if f"{o.module}/{o.name}" == broken
        ),
    )


def _valid(obligation: Obligation, solvers: Sequence[str], seconds: float) -> bool:
    return all(ask(solver, obligation.smtlib(), seconds).verdict == "unsat" for solver in solvers)


def _first(
    suspects: Sequence[Obligation], universes: Sequence[Universe], solver: str
) -> tuple[Obligation, Structure] | None:
    for universe in universes:
        for obligation in suspects:
            formula = _in_tla(obligation)
            if (structure := find(formula, universe, solver)) is not None:
                return obligation, fewest(formula, structure, solver)
    return None


def _in_tla(obligation: Obligation) -> Expr:
    """Return the obligation's formula, of a graph of TLA+'s, and of an action that is not nothing.

    In TLA+ a step that changes nothing is a step of every module.
    """
    parts = [obligation.formula]
    if obligation.system is not None:
        parts.append(obligation.system.in_tla())
    if obligation.step is not None and (moves := obligation.step[2].does.moves) is not None:
        parts.append(negate(equal(moves.before, moves.after)))
    every_part = conj(*parts)
    return conj(*parts[:2]) if every_part == FALSE else every_part
