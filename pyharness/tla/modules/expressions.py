r"""TLA+ expressions as values: the parts of modules.

They have the form in which they are written, bullets and all, and the names that SANY has for operators with several
spellings: ``/\`` for ``\land``, ``#`` for ``/=``. Comments, blanks and parentheses are not part of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping


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
    """``X(a)!name(b)``: a name of an instance that has parameters."""

    instance: Call
    name: str
    arguments: tuple[Expression, ...] = ()


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
class Postfix(Expression):
    """``body^+``, ``body^*`` or ``body^#``."""

    operator: str
    body: Expression


@dataclass(frozen=True, slots=True)
class Product(Expression):
    r"""``A \X B \X C``: of three factors or more, which is not ``(A \X B) \X C``."""

    factors: tuple[Expression, ...]


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
    r"""``x, y \in domain``; if ``tupled``, ``<<x, y>> \in domain``; without a domain ``x, y``."""

    names: tuple[str, ...]
    domain: Expression | None
    tupled: bool = False


@dataclass(frozen=True, slots=True)
class Quantification(Expression):
    r"""``kind bounds : body``; the kind is ``\A``, ``\E``, ``\AA``, ``\EE`` or ``CHOOSE``."""

    kind: str
    bounds: tuple[Bound, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Listed(Expression):
    """``{a, b}`` or ``<<a, b>>``, by its opening bracket."""

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
class CaseOf(Expression):
    """``CASE condition -> value [] ... [] OTHER -> value``; ``OTHER`` is a name."""

    arms: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True, slots=True)
class Binding(Expression):
    """``name(parameters) == body`` in a ``LET``; a parameter that is an operator keeps its blanks: ``F(_)``."""

    name: str
    parameters: tuple[str, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Let(Expression):
    """``LET definitions IN body``; ``recursive`` are the declarations after RECURSIVE: ``F(_)``."""

    definitions: tuple[Binding, ...]
    body: Expression
    recursive: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    """``LAMBDA x : body``."""

    parameters: tuple[str, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Boxed(Expression):
    """``[action]_subscript`` or ``<<action>>_subscript``, by its opening bracket."""

    opening: str
    action: Expression
    subscript: Expression


@dataclass(frozen=True, slots=True)
class Fair(Expression):
    """``WF_subscript(action)`` or ``SF_subscript(action)``; the kind is ``WF`` or ``SF``."""

    kind: str
    subscript: Expression
    action: Expression


@dataclass(frozen=True, slots=True)
class Instanced(Expression):
    """``INSTANCE module WITH a <- x``, as the body of a definition in a ``LET``."""

    module: str
    substitutions: tuple[tuple[str, Expression], ...]


def rebuilt(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return an expression with each of its immediate parts changed."""
    values = [_changed(getattr(expression, name), change) for name in _fields(expression)]
    return type(expression)(*values)


def replaced(expression: Expression, by: Mapping[str, Expression]) -> Expression:
    """Return an expression with names replaced; those that it binds must be replaced by names."""

    def own(name: str) -> str:
        new = by.get(name)
        return new.name if isinstance(new, Name) else name

    inner = rebuilt(expression, lambda part: replaced(part, by))
    match inner:
        case Name(name):
            return by.get(name, inner)
        case Call(name, arguments):
            new = by.get(name)
            if isinstance(new, Lambda):
                return replaced(new.body, dict(zip(new.parameters, arguments, strict=True)))
            return Call(own(name), arguments)
        case Bound(names, domain, tupled):
            return Bound(tuple(own(name) for name in names), domain, tupled)
        case Lambda(parameters, body):
            return Lambda(tuple(own(name) for name in parameters), body)
        case Binding(name, parameters, body):
            return Binding(own(name), tuple(own(p) for p in parameters), body)
    return inner


def apart(
    body: Expression, given: Mapping[str, Expression], mark: str, known: Container[str] | None = None
) -> Expression:
    """Return a body with the ``given`` expressions for names; its bound names end with ``mark``, and capture nothing.

    With the names ``known`` around it, only bound names among those, or used in the given expressions, are renamed.
    """
    used = {name for each in given.values() for name in names_in(each)}
    own = {
        name: Name(f"{name}{mark}") for name in _bound(body) if known is None or name in known or name in used
    }
    return replaced(body, {**own, **given})


def _bound(expression: Expression) -> Iterator[str]:
    match expression:
        case Bound(names, _, _):
            yield from names
        case Lambda(parameters, _):
            yield from parameters
        case Binding(name, parameters, _):
            yield from (name, *parameters)
    for part in parts_of(expression):
        yield from _bound(part)


def row(operator: str, formula: Expression) -> tuple[Expression, ...]:
    """Return the operands that an operator joins in a formula, in order; the formula alone if it is another's."""
    if isinstance(formula, Junction) and formula.operator == operator:
        return formula.items
    if isinstance(formula, Infix) and formula.operator == operator:
        return (*row(operator, formula.left), formula.right)
    return (formula,)


def joined(operator: str, items: tuple[Expression, ...]) -> Expression:
    """Return the formula in which an operator joins these."""
    return items[0] if len(items) == 1 else Junction(operator, items)


def within(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all its parts, each before its own."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(parts_of(part))


def names_in(expression: Expression) -> Iterator[str]:
    """Yield the names that an expression uses, operators included, in the order of the text, with repetitions."""
    for part in within(expression):
        yield from own_names(part)


def own_names(expression: Expression) -> Iterator[str]:
    """Yield the names that an expression uses itself, and not in a part of it."""
    match expression:
        case Name(name) | Call(name, _):
            yield name
        case Prefix("-", _):
            yield "-."  # by which the minus before something is defined
        case Infix(name, _, _) | Prefix(name, _) | Postfix(name, _):
            yield name
        case Member(instance, name, _):
            yield f"{instance.name}!{name}"


def parts_of(expression: Expression) -> list[Expression]:
    """Return the immediate parts of an expression, in the order of the text."""
    found: list[Expression] = []
    for name in _fields(expression):
        _gather(getattr(expression, name), found)
    return found


def _fields(expression: Expression) -> tuple[str, ...]:
    return expression.__match_args__


def _gather(value: object, found: list[Expression]) -> None:
    if isinstance(value, Expression):
        found.append(value)
    elif isinstance(value, tuple):
        for part in value:
            _gather(part, found)


def _changed(value: object, change: Callable[[Expression], Expression]) -> object:
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_changed(part, change) for part in value)
    return value


def as_written(value: object) -> Any:
    """Return an expression, or a tuple of some, as JSON has it: ``{"Infix": ["=", {"Name": ["x"]}, ...]}``."""
    if isinstance(value, Expression):
        return {type(value).__name__: [as_written(getattr(value, name)) for name in _fields(value)]}
    if isinstance(value, tuple):
        return [as_written(part) for part in value]
    return value


def from_written(value: Any) -> Any:
    """Return the expression from which :func:`as_written` made its argument."""
    if isinstance(value, dict):
        ((kind, parts),) = value.items()
        return _KINDS[kind](*map(from_written, parts))
    return tuple(map(from_written, value)) if isinstance(value, list) else value


_KINDS: Final = {
    name: kind
    for name, kind in list(globals().items())
    if isinstance(kind, type) and issubclass(kind, Expression)
}
