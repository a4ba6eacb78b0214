"""Evaluate formulas in a structure that leaves nothing open: each expression becomes a function, once.

This is the third reading of a formula, beside its text for solvers and its expansion into propositions. The states of
TLC are structures, and there are many of them, so it is made to be fast.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from pyharness.prove.logic.finite_universe import Element, Universe
from pyharness.prove.logic.formula import (
    ABOVE,
    And,
    App,
    Equal,
    Expr,
    Implies,
    Ite,
    Not,
    Or,
    Quantified,
    Symbol,
    Var,
    sort_of_letter,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Run = Callable[["Structure", dict[int, int]], int]


@dataclass(frozen=True)
class Structure:
    """A universe in which every symbol has a meaning: ``values[symbol, arguments]`` is a truth value or an element.

    A predicate without an entry does not hold, and a function has the value 0 there.
    """

    universe: Universe
    values: Mapping[tuple[Symbol, tuple[int, ...]], int]

    @cached_property
    def tables(self) -> Mapping[str, Mapping[tuple[int, ...], int]]:
        """The values of each symbol, by its name."""
        found: defaultdict[str, dict[tuple[int, ...], int]] = defaultdict(dict)
        for (symbol, place), value in self.values.items():
            found[symbol.name][place] = value
        return found

    def extended(self, universe: Universe, more: Mapping[tuple[Symbol, tuple[int, ...]], int]) -> Structure:
        """Return a structure over a larger universe in which other symbols mean something, too."""
        found = Structure(universe, {**self.values, **more})
        tables = defaultdict(dict, self.tables)
        for name in {symbol.name for symbol, _ in more}:
            tables[name] = {place: value for (symbol, place), value in more.items() if symbol.name == name}
        found.__dict__["tables"] = tables
        return found

    def holds(self, formula: Expr) -> bool:
        """Return whether a formula holds here."""
        return bool(compiled(formula)(self, {}))

    def value(self, term: Expr) -> int:
        """Return which element a term is here."""
        return int(compiled(term)(self, {}))


def reader(body: Callable[..., Expr], letters: str) -> Callable[..., int]:
    """Return a function from a structure and elements to the value of ``body`` for them, a truth value or an element.

    ``letters`` are the sorts of the elements, as the parameters of formulas have them: ``ck`` are a channel and a
    position.
    """
    variables = [Var(letter, sort_of_letter(letter), -n) for n, letter in enumerate(letters, start=1)]
    run = compiled(body(*variables))

    def read(structure: Structure, *elements: int) -> int:
        return run(structure, {v.number: e for v, e in zip(variables, elements, strict=True)})

    return read


def compiled(expression: Expr) -> Run:
    """Return a function that evaluates an expression in a structure, its free variables being as given."""
    return _Compiler().run(expression)


class _Compiler:
    def __init__(self) -> None:
        self._known: dict[int, tuple[Expr, Run]] = {}

    def run(self, e: Expr) -> Run:
        """Compile an expression; one that stands in several places is compiled once."""
        if id(e) not in self._known:
            self._known[id(e)] = (e, self._new(e))
        return self._known[id(e)][1]

    def _new(self, e: Expr) -> Run:
        match e:
            case Var(_, _, number):
                return lambda world, env: env[number]
            case Element(_, number):
                return lambda world, env: number
            case App(symbol, arguments):
                return self._applied(symbol, arguments)
            case And(parts):
                every = [self.run(part) for part in parts]
                return lambda world, env: all(part(world, env) for part in every)
            case Or(parts):
                some = [self.run(part) for part in parts]
                return lambda world, env: any(part(world, env) for part in some)
            case Not(body):
                inner = self.run(body)
                return lambda world, env: not inner(world, env)
            case Implies(left, right):
                one, two = self.run(left), self.run(right)
                return lambda world, env: not one(world, env) or two(world, env)
            case Equal(left, right):
                one, two = self.run(left), self.run(right)
                return lambda world, env: one(world, env) == two(world, env)
            case Ite(condition, then, other):
                holds, one, two = self.run(condition), self.run(then), self.run(other)
                return lambda world, env: one(world, env) if holds(world, env) else two(world, env)
            case Quantified():
                return self._quantified(e)
        raise TypeError(f"cannot be evaluated: {e!r}")

    def _applied(self, symbol: Symbol, arguments: tuple[Expr, ...]) -> Run:
        name, parts = symbol.name, [self.run(argument) for argument in arguments]
        if symbol == ABOVE:
            upper, lower = parts
            return lambda world, env: upper(world, env) > lower(world, env)
        match parts:
            case []:
                return lambda world, env: world.tables[name].get((), 0)
            case [only]:
                return lambda world, env: world.tables[name].get((only(world, env),), 0)
            case [one, two]:
                return lambda world, env: world.tables[name].get((one(world, env), two(world, env)), 0)
        return lambda world, env: world.tables[name].get(tuple(part(world, env) for part in parts), 0)

    def _quantified(self, e: Quantified) -> Run:
        sorts, numbers = [v.of for v in e.variables], [v.number for v in e.variables]
        inner, universal = self.run(e.body), e.all

        def run(world: Structure, env: dict[int, int]) -> bool:
            own = dict(env)
            for chosen in product(*(world.universe[sort] for sort in sorts)):
                own.update(zip(numbers, chosen, strict=True))
                if bool(inner(world, own)) != universal:
                    return not universal
            return universal

        return run
