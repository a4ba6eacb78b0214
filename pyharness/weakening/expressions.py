"""TLA+ expressions as values: what the properties of this project are made of."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "Bound",
    "Call",
    "Case",
    "Collected",
    "Definition",
    "Except",
    "Expression",
    "Fair",
    "Field",
    "Filtered",
    "FunctionOf",
    "FunctionSpace",
    "If",
    "Index",
    "Infix",
    "Junction",
    "Lambda",
    "Let",
    "Listed",
    "Literal",
    "Member",
    "Name",
    "Prefix",
    "Prime",
    "Quantified",
    "Record",
    "Step",
    "names_in",
    "rebuilt",
]


@dataclass(frozen=True, slots=True)
class Expression:
    """Any expression; two are equal if they are the same but for blanks and parentheses."""


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """An identifier, also one of an instance (``X!Next``), or ``@``."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """A number or a string, as it is written."""

    text: str


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """An operator with its arguments: ``F(a, b)``."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Member(Expression):
    """``X(a)!name``: a name of an instance that has parameters."""

    instance: Call
    name: str


@dataclass(frozen=True, slots=True)
class Infix(Expression):
    """``left operator right``."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Prefix(Expression):
    """``~``, ``DOMAIN``, ``SUBSET``, ``UNION``, ``UNCHANGED``, ``ENABLED``, ``[]``, ``<>`` or ``-`` before a body."""

    operator: str
    body: Expression


@dataclass(frozen=True, slots=True)
class Prime(Expression):
    """``body'``."""

    body: Expression


@dataclass(frozen=True, slots=True)
class Junction(Expression):
    r"""A list with bullets, each the operator: ``/\`` or ``\/``."""

    operator: str
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Bound(Expression):
    r"""``x, y \in domain``; if ``tupled``, ``<<x, y>> \in domain``."""

    names: tuple[str, ...]
    domain: Expression
    tupled: bool = False


@dataclass(frozen=True, slots=True)
class Quantified(Expression):
    r"""``kind bounds : body``; the kind is ``\A``, ``\E`` or ``CHOOSE``."""

    kind: str
    bounds: tuple[Bound, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Listed(Expression):
    """``{a, b}`` or ``<<a, b>>``, by what opens it."""

    opening: str
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Filtered(Expression):
    r"""``{x \in S : condition}``."""

    bound: Bound
    condition: Expression


@dataclass(frozen=True, slots=True)
class Collected(Expression):
    r"""``{value : x \in S}``."""

    value: Expression
    bounds: tuple[Bound, ...]


@dataclass(frozen=True, slots=True)
class Record(Expression):
    """``[a |-> x, b |-> y]``; with the separator ``:`` a set of records."""

    separator: str
    entries: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class FunctionOf(Expression):
    r"""``[x \in S |-> value]``."""

    bounds: tuple[Bound, ...]
    value: Expression


@dataclass(frozen=True, slots=True)
class FunctionSpace(Expression):
    """``[domain -> range]``."""

    domain: Expression
    codomain: Expression


@dataclass(frozen=True, slots=True)
class Except(Expression):
    """``[base EXCEPT !path = value]``; a path has indices, tuples of expressions, and fields, strings."""

    base: Expression
    updates: tuple[tuple[tuple[tuple[Expression, ...] | str, ...], Expression], ...]


@dataclass(frozen=True, slots=True)
class Index(Expression):
    """``base[a, b]``."""

    base: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Field(Expression):
    """``base.name``."""

    base: Expression
    name: str


@dataclass(frozen=True, slots=True)
class If(Expression):
    """``IF condition THEN then ELSE otherwise``."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Case(Expression):
    """``CASE condition -> value [] ... [] OTHER -> value``; ``OTHER`` is a name."""

    arms: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True, slots=True)
class Definition(Expression):
    """``name(parameters) == body`` in a ``LET``; a parameter that is an operator keeps its blanks: ``F(_)``."""

    name: str
    parameters: tuple[str, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Let(Expression):
    """``LET definitions IN body``; ``recursive`` are what is declared as such: ``F(_)``."""

    definitions: tuple[Definition, ...]
    body: Expression
    recursive: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    """``LAMBDA x : body``."""

    parameters: tuple[str, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Step(Expression):
    """``[action]_subscript`` or ``<<action>>_subscript``, by what opens it."""

    opening: str
    action: Expression
    subscript: Expression


@dataclass(frozen=True, slots=True)
class Fair(Expression):
    """``WF_subscript(action)`` or ``SF_subscript(action)``; the kind is ``WF`` or ``SF``."""

    kind: str
    subscript: str
    action: Expression


def rebuilt(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return an expression with each of its immediate parts changed."""
    values = [_changed(getattr(expression, field.name), change) for field in fields(expression)]
    return type(expression)(*values)


def names_in(expression: Expression) -> Iterator[str]:
    """Yield the names that an expression uses, operators included, in the order of the text, with repetitions."""
    if isinstance(expression, Name | Call):
        yield expression.name
    if isinstance(expression, Fair):
        yield expression.subscript
    if isinstance(expression, Member):
        yield f"{expression.instance.name}!{expression.name}"
    for part in _parts(expression):
        yield from names_in(part)


def _parts(value: object) -> Iterator[Expression]:
    for field in fields(value):  # type: ignore[arg-type]
        yield from _expressions(getattr(value, field.name))


def _expressions(value: object) -> Iterator[Expression]:
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _expressions(part)


def _changed(value: object, change: Callable[[Expression], Expression]) -> object:
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_changed(part, change) for part in value)
    return value
