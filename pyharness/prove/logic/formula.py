"""Terms and formulas. A formula is a term of sort Bool; every constructor simplifies what is plainly true or false.

Bound variables are the parameters of a Python function, and a parameter's first letter is its sort, as on paper:

    p q r   processes          i j k   positions in a channel   n   ids of snapshots
    c d     channels           s t     local states             m   messages         g h   global states

So ``every(lambda c, k: ...)`` quantifies over all channels c and all positions k.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, count
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class Sort:
    """A kind of things; ``letter`` names its elements in a picture."""

    name: str
    letter: str


BOOL: Final = Sort("Bool", "")
PROCESS: Final = Sort("Process", "P")
CHANNEL: Final = Sort("Channel", "C")
POSITION: Final = Sort("Position", "k")
STATE: Final = Sort("State", "s")
MESSAGE: Final = Sort("Message", "m")
ID: Final = Sort("Id", "n")

GLOBAL: Final = Sort("Global", "g")

SORTS: Final = (PROCESS, CHANNEL, POSITION, STATE, MESSAGE, ID, GLOBAL)
"""Every sort of which nothing is known but that it is not empty; positions are also totally ordered."""

_LETTERS: Final = {
    **dict.fromkeys("pqr", PROCESS),
    **dict.fromkeys("cd", CHANNEL),
    **dict.fromkeys("ijk", POSITION),
    **dict.fromkeys("st", STATE),
    "m": MESSAGE,
    "n": ID,
    **dict.fromkeys("gh", GLOBAL),
}


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function from sorts to a sort; a predicate if that is Bool, a constant if it has no arguments."""

    name: str
    arguments: tuple[Sort, ...]
    sort: Sort

    def __call__(self, *arguments: Expr) -> App:
        """Apply it. Raises TypeError when the arguments are not of its sorts."""
        if tuple(argument.sort for argument in arguments) != self.arguments:
            raise TypeError(f"{self.name} takes {[sort.name for sort in self.arguments]}")
        return App(self, arguments)


class Expr:
    """A term or a formula."""

    __slots__ = ()

    @property
    def sort(self) -> Sort:
        """Of what kind it is."""
        return BOOL

    def __and__(self, other: Expr) -> Expr:
        return conj(self, other)

    def __or__(self, other: Expr) -> Expr:
        return disj(self, other)

    def __invert__(self) -> Expr:
        return negate(self)


@dataclass(frozen=True, slots=True)
class Var(Expr):
    """A bound variable; no two quantifiers bind the same ``number``."""

    name: str
    of: Sort
    number: int

    @property
    def sort(self) -> Sort:
        """Of what kind it is."""
        return self.of


@dataclass(frozen=True, slots=True)
class App(Expr):
    """A symbol applied to its arguments."""

    symbol: Symbol
    arguments: tuple[Expr, ...]

    @property
    def sort(self) -> Sort:
        """Of what kind it is."""
        return self.symbol.sort


@dataclass(frozen=True, slots=True)
class Ite(Expr):
    """A term that is one of two, depending on a condition."""

    condition: Expr
    then: Expr
    other: Expr

    @property
    def sort(self) -> Sort:
        """Of what kind it is."""
        return self.then.sort


@dataclass(frozen=True, slots=True)
class Not(Expr):
    """The formula does not hold."""

    body: Expr


@dataclass(frozen=True, slots=True)
class And(Expr):
    """All hold."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Or(Expr):
    """At least one holds."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Implies(Expr):
    """The second holds if the first does."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Equal(Expr):
    """Two terms, or two formulas, are the same."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Quantified(Expr):
    """``body`` holds for ``all`` values of its variables, or for some."""

    all: bool
    variables: tuple[Var, ...]
    body: Expr


TRUE: Final[Expr] = And(())
FALSE: Final[Expr] = Or(())


def constant(value: bool) -> Expr:
    """Return the formula that is plainly true, or plainly false."""
    return TRUE if value else FALSE


def negate(body: Expr) -> Expr:
    """State that ``body`` does not hold."""
    if body == TRUE:
        return FALSE
    if body == FALSE:
        return TRUE
    return body.body if isinstance(body, Not) else Not(body)


def conj(*parts: Expr) -> Expr:
    """State that all hold."""
    return _joined(And, parts, TRUE, FALSE)


def disj(*parts: Expr) -> Expr:
    """State that at least one holds."""
    return _joined(Or, parts, FALSE, TRUE)


def _joined(kind: type[And | Or], parts: tuple[Expr, ...], unit: Expr, zero: Expr) -> Expr:
    flat: list[Expr] = []
    for part in parts:
        if part == zero:
            return zero
        flat += part.parts if isinstance(part, kind) else [part]
    return flat[0] if len(flat) == 1 else kind(tuple(flat)) if flat else unit


def implies(left: Expr, right: Expr) -> Expr:
    """State that ``right`` holds if ``left`` does."""
    if TRUE in (left, right):
        return right
    if left == FALSE:
        return TRUE
    return negate(left) if right == FALSE else Implies(left, right)


def equal(left: Expr, right: Expr) -> Expr:
    """State that two terms, or two formulas, are the same. Raises TypeError when they are of two sorts."""
    if left.sort != right.sort:
        raise TypeError(f"a {left.sort.name} is not a {right.sort.name}")
    if left == right:
        return TRUE
    for one, two in ((left, right), (right, left)):
        if one == TRUE:
            return two
        if one == FALSE:
            return negate(two)
    return Equal(left, right)


iff = equal
"""Two formulas hold together."""


def ite(condition: Expr, then: Expr, other: Expr) -> Expr:
    """Return ``then`` if the condition holds, else ``other``: a term, or a formula."""
    if condition == TRUE or then == other:
        return then
    if condition == FALSE:
        return other
    if then.sort == BOOL:
        return (implies(condition, then)) & implies(negate(condition), other)
    return Ite(condition, then, other)


_numbers = count()


def sort_of_letter(name: str) -> Sort:
    """Return the sort that a parameter's name stands for. Raises TypeError when there is none."""
    if name[:1] not in _LETTERS:
        raise TypeError(f"no sort for a variable named {name!r}: see the letters in {__name__}")
    return _LETTERS[name[0]]


def _quantified(body: Callable[..., Expr], *, universal: bool) -> Expr:
    code = body.__code__
    names = code.co_varnames[: code.co_argcount]
    variables = tuple(Var(name, sort_of_letter(name), next(_numbers)) for name in names)
    inside = body(*variables)
    return inside if inside in (TRUE, FALSE) else Quantified(universal, variables, inside)


def every(body: Callable[..., Expr]) -> Expr:
    """State that it holds for all values of the parameters."""
    return _quantified(body, universal=True)


def some(body: Callable[..., Expr]) -> Expr:
    """State that it holds for some values of the parameters."""
    return _quantified(body, universal=False)


def exactly(body: Callable[..., Expr]) -> Expr:
    """State that it holds of exactly one value of the only parameter."""
    (name,) = body.__code__.co_varnames[: body.__code__.co_argcount]
    of = sort_of_letter(name)
    one, two = Var(name, of, next(_numbers)), Var(name, of, next(_numbers))
    unique = Quantified(True, (one, two), implies(body(one) & body(two), equal(one, two)))
    return some(body) & unique


def several(of: Sort, number: int) -> Expr:
    """State that a sort has this many values."""
    values = tuple(Var(of.letter, of, next(_numbers)) for _ in range(number))
    return Quantified(False, values, conj(*(negate(equal(a, b)) for a, b in combinations(values, 2))))


def symbols_of(*expressions: Expr) -> Iterator[Symbol]:
    """Yield every symbol that occurs, once each, in the order of its first occurrence."""
    seen: dict[Symbol, None] = {}
    done: set[int] = set()
    waiting = list(reversed(expressions))
    while waiting:
        expression = waiting.pop()
        if id(expression) in done:
            continue
        done.add(id(expression))
        if isinstance(expression, App) and expression.symbol not in seen:
            seen[expression.symbol] = None
            yield expression.symbol
        waiting += reversed(parts_of(expression))


def parts_of(expression: Expr) -> tuple[Expr, ...]:
    """Return the expressions that this one is made of."""
    match expression:
        case App(_, arguments):
            return arguments
        case Not(body) | Quantified(_, _, body):
            return (body,)
        case And(parts) | Or(parts):
            return parts
        case Implies(left, right) | Equal(left, right):
            return left, right
        case Ite(condition, then, other):
            return condition, then, other
    return ()


ABOVE: Final = Symbol("above", (POSITION, POSITION), BOOL)
"""``ABOVE(j, k)``: position j comes behind position k. A strict total order; see :func:`smtlib.script`."""
