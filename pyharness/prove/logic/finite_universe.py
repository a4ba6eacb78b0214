"""Formulas in a universe of a few elements, where quantifiers are finite conjunctions and disjunctions.

The elements of a sort are 0, 1, ..; positions are ordered as their numbers are. Atoms that ``meaning`` does not settle are
an :class:`Atom`, a proposition.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Protocol

from pyharness.prove.logic.formula import (
    ABOVE,
    BOOL,
    CHANNEL,
    FALSE,
    GLOBAL,
    ID,
    MESSAGE,
    POSITION,
    PROCESS,
    STATE,
    TRUE,
    And,
    App,
    Equal,
    Expr,
    Implies,
    Ite,
    Not,
    Or,
    Quantified,
    Sort,
    Symbol,
    Var,
    conj,
    constant,
    disj,
    equal,
    implies,
    negate,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Atom(Expr):
    """A proposition: a predicate holds of these elements, or a function has this ``value`` there."""

    symbol: Symbol
    arguments: tuple[int, ...]
    value: int | None = None

    def __str__(self) -> str:
        name = "_".join([self.symbol.name, *map(str, self.arguments)])
        return name if self.value is None else f"{name}_is_{self.value}"


@dataclass(frozen=True, slots=True)
class Element(Expr):
    """An element of a sort, by its number."""

    of: Sort
    number: int

    @property
    def sort(self) -> Sort:
        """Of what kind it is."""
        return self.of


@dataclass(frozen=True, slots=True)
class Universe:
    """How many elements each sort has, at least one."""

    processes: int = 1
    channels: int = 1
    positions: int = 1
    states: int = 2
    messages: int = 1
    ids: int = 1

    def __getitem__(self, sort: Sort) -> range:
        sizes = {
            PROCESS: self.processes,
            CHANNEL: self.channels,
            POSITION: self.positions,
            STATE: self.states,
            MESSAGE: self.messages,
            ID: self.ids,
            GLOBAL: 2,
        }
        return range(sizes[sort])

    def places(self, symbol: Symbol) -> Iterator[tuple[int, ...]]:
        """Yield all tuples of arguments of a symbol."""
        return product(*(self[sort] for sort in symbol.arguments))


Choice = dict[int, Expr]
"""A term's value: under which condition it is which element. The conditions exclude each other."""


class Meaning(Protocol):
    """The meaning of a symbol at these arguments: a formula for a predicate, a choice for a function."""

    def __call__(self, symbol: Symbol, arguments: tuple[int, ...], /) -> Expr | Choice:
        """Return what the symbol means there."""
        ...


def open_meaning(universe: Universe) -> Meaning:
    """Return the meaning that leaves everything open: an atom for each predicate, one for each value of a function."""

    def meaning(symbol: Symbol, arguments: tuple[int, ...], /) -> Expr | Choice:
        if symbol.sort == BOOL:
            return Atom(symbol, arguments)
        return {value: Atom(symbol, arguments, value) for value in universe[symbol.sort]}

    return meaning


def expand(formula: Expr, universe: Universe, meaning: Meaning) -> Expr:
    """Return ``formula`` in the universe, as a formula of atoms without variables."""
    return _Expansion(universe, meaning).formula(formula, {})


class _Expansion:
    def __init__(self, universe: Universe, meaning: Meaning) -> None:
        self.universe, self.meaning = universe, meaning

    def formula(self, e: Expr, env: Mapping[int, int]) -> Expr:
        """Expand a formula, its variables being the elements of ``env``."""
        match e:
            case App(symbol, arguments):
                return self._applied(symbol, arguments, env)
            case And(parts):
                return _all(self.formula(part, env) for part in parts)
            case Or(parts):
                return _any(self.formula(part, env) for part in parts)
            case Implies(left, right):
                condition = self.formula(left, env)
                return TRUE if condition == FALSE else implies(condition, self.formula(right, env))
            case Not(body):
                return negate(self.formula(body, env))
            case Equal(left, right) if left.sort == BOOL:
                return equal(self.formula(left, env), self.formula(right, env))
            case Equal(left, right):
                one, two = self.term(left, env), self.term(right, env)
                return disj(*(conj(when, two[value]) for value, when in one.items() if value in two))
            case Quantified(universal, variables, body):
                ranges = product(*(self.universe[v.of] for v in variables))
                numbers = [v.number for v in variables]
                bodies = (
                    self.formula(body, {**env, **dict(zip(numbers, values, strict=True))})
                    for values in ranges
                )
                return _all(bodies) if universal else _any(bodies)
        raise TypeError(f"no formula: {e!r}")

    def _applied(self, symbol: Symbol, arguments: tuple[Expr, ...], env: Mapping[int, int]) -> Expr:
        found: list[Expr] = []
        for values, when in self._places(arguments, env):
            if symbol == ABOVE:
                meant: Expr | Choice = constant(values[0] > values[1])
            else:
                meant = self.meaning(symbol, values)
            found.append(conj(when, meant) if isinstance(meant, Expr) else FALSE)
        return disj(*found)

    def _places(
        self, arguments: tuple[Expr, ...], env: Mapping[int, int]
    ) -> Iterator[tuple[tuple[int, ...], Expr]]:
        """Yield the elements that the arguments can be, with the condition under which they are."""
        choices = [self.term(argument, env).items() for argument in arguments]
        for chosen in product(*choices):
            yield tuple(value for value, _ in chosen), conj(*(when for _, when in chosen))

    def term(self, e: Expr, env: Mapping[int, int]) -> Choice:
        """Return what a term is, its variables being the elements of ``env``."""
        match e:
            case Var(_, _, number):
                return {env[number]: TRUE}
            case Element(_, number):
                return {number: TRUE}
            case Ite(condition, then, other):
                holds = self.formula(condition, env)
                if holds in (TRUE, FALSE):
                    return self.term(then if holds == TRUE else other, env)
                return _merged([(holds, self.term(then, env)), (negate(holds), self.term(other, env))])
            case App(symbol, arguments):
                found = []
                for values, when in self._places(arguments, env):
                    meant = self.meaning(symbol, values)
                    if isinstance(meant, Expr):
                        raise TypeError(f"{symbol.name} is not a function")
                    found.append((when, meant))
                return _merged(found)
        raise TypeError(f"no term: {e!r}")


def _merged(cases: list[tuple[Expr, Choice]]) -> Choice:
    if len(cases) == 1 and cases[0][0] == TRUE:
        return cases[0][1]
    merged: Choice = {}
    for when, choice in cases:
        for value, inner in choice.items():
            merged[value] = disj(merged.get(value, FALSE), conj(when, inner))
    return {value: when for value, when in merged.items() if when != FALSE}


def _all(parts: Iterable[Expr]) -> Expr:
    kept = []
    for part in parts:
        if part == FALSE:
            return FALSE
        kept.append(part)
    return conj(*kept)


def _any(parts: Iterable[Expr]) -> Expr:
    kept = []
    for part in parts:
        if part == TRUE:
            return TRUE
        kept.append(part)
    return disj(*kept)
