"""Small counterexamples: structures of a few elements in which a formula holds.

A solver answers a propositional question here; that the formula holds in the structure is then evaluated, so nobody
has to believe the solver.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import ToolError
from pyharness.prove.logic import (
    BOOL,
    FALSE,
    Expr,
    Structure,
    Symbol,
    Universe,
    conj,
    disj,
    expand,
    negate,
    symbols_of,
    text_of,
)
from pyharness.prove.logic.finite_universe import Atom, open_meaning
from pyharness.prove.logic.formula import ABOVE, parts_of
from pyharness.prove.solvers import SOLVERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

IDS: Final = 3
"""How many ids a universe that is searched has: enough for one after another with one between them."""

UNIVERSES: Final = sorted(
    (Universe(p, c, k, 2, 2, IDS) for p in range(1, 5) for c in range(1, 5) for k in range(1, 5)),
    key=lambda u: (u.processes + u.channels + u.positions, u.processes, u.channels),
)
"""The universes that are searched, smallest first: one to four processes, channels and positions in each."""

SECONDS: Final = 20.0


def find(formula: Expr, universe: Universe, solver: str = "cvc5") -> Structure | None:
    """Return a structure over ``universe`` in which ``formula`` holds; none if there is none.

    Raises ToolError when the solver does not know.
    """
    expanded = expand(formula, universe, open_meaning(universe))
    if expanded == FALSE:
        return None
    symbols = [symbol for symbol in symbols_of(formula) if symbol != ABOVE]
    values = _solve(conj(expanded, *_functions(symbols, universe)), solver)
    if values is None:
        return None
    return _checked(formula, universe, dict(_meant(values)), solver)


def _checked(
    formula: Expr,
    universe: Universe,
    values: Mapping[tuple[Symbol, tuple[int, ...]], int],
    solver: str,
) -> Structure:
    structure = Structure(universe, values)
    if not structure.holds(formula):
        raise ToolError(f"{solver} gave a structure in which the formula does not hold")
    return structure


def smallest(
    formula: Expr, solver: str = "cvc5", universes: Iterable[Universe] = UNIVERSES
) -> Structure | None:
    """Return a structure in which ``formula`` holds over the first of ``universes`` that has one, with few facts."""
    for universe in universes:
        if (found := find(formula, universe, solver)) is not None:
            return fewest(formula, found, solver)
    return None


def fewest(formula: Expr, found: Structure, solver: str = "cvc5") -> Structure:
    """Return a structure in which ``formula`` holds and no predicate can be left out of where it holds in ``found``."""
    expanded = expand(formula, found.universe, open_meaning(found.universe))
    symbols = [symbol for symbol in symbols_of(formula) if symbol != ABOVE]
    rules = list(_functions(symbols, found.universe))
    values = found.values
    off: list[Expr] = [
        negate(Atom(*key))
        for symbol in symbols
        if symbol.sort == BOOL
        for key in ((symbol, place) for place in found.universe.places(symbol))
        if not values.get(key)
    ]
    for key in [key for key, value in values.items() if key[0].sort == BOOL and value]:
        if not values.get(key):
            continue
        less = _solve(conj(expanded, *rules, *off, negate(Atom(*key))), solver)
        if less is not None:
            values = dict(_meant(less))
            off.append(negate(Atom(*key)))
    return _checked(formula, found.universe, values, solver)


def _functions(symbols: Iterable[Symbol], universe: Universe) -> Iterator[Expr]:
    """State of every function that it has exactly one value everywhere."""
    for symbol in symbols:
        if symbol.sort == BOOL:
            continue
        for place in universe.places(symbol):
            atoms = [Atom(symbol, place, value) for value in universe[symbol.sort]]
            yield disj(*atoms)
            yield from (disj(negate(a), negate(b)) for n, a in enumerate(atoms) for b in atoms[n + 1 :])


def _solve(formula: Expr, solver: str) -> dict[str, tuple[Atom, bool]] | None:
    atoms = {str(atom): atom for atom in _atoms(formula)}
    if not atoms:
        return None if formula == FALSE else {}
    text = "\n".join(
        [
            "(set-option :produce-models true)",
            "(set-logic QF_UF)",
            *(f"(declare-fun {name} () Bool)" for name in atoms),
            f"(assert {text_of(formula)})",
            "(check-sat)",
            f"(get-value ({' '.join(atoms)}))",
            "",
        ]
    )
    output = SOLVERS[solver](text, SECONDS)
    verdict = output.split(maxsplit=1)[0] if output.strip() else "unknown"
    if verdict == "unsat":
        return None
    if verdict != "sat":
        raise ToolError(f"{solver} does not know whether a finite structure exists: {output[:200]}")
    values = dict(re.findall(r"\(\s*(\w+)\s+(true|false)\s*\)", output))
    return {name: (atom, values[name] == "true") for name, atom in atoms.items()}


def _meant(values: Mapping[str, tuple[Atom, bool]]) -> Iterator[tuple[tuple[Symbol, tuple[int, ...]], int]]:
    for atom, true in values.values():
        if atom.value is None:
            yield (atom.symbol, atom.arguments), int(true)
        elif true:
            yield (atom.symbol, atom.arguments), atom.value


def _atoms(formula: Expr) -> Iterator[Atom]:
    seen: set[int] = set()
    waiting = [formula]
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, Atom):
            yield part
        waiting += parts_of(part)
