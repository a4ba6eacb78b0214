"""A definition's right-hand side in the place of its call, with the names that it binds kept apart from the others."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from pyharness.weakening.definitions import expression_of
from pyharness.weakening.expressions import Bound, Call, Definition, Expression, Lambda, Name, rebuilt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.weakening.definitions import ModuleDefinition

__all__ = ["inlined", "own_name"]


def inlined(definition: ModuleDefinition, arguments: tuple[Expression, ...]) -> Expression:
    """Return the right-hand side with ``arguments`` for the parameters.

    The names that it binds become the definition's own, so that they capture nothing.
    """
    body = expression_of(definition)
    own = {name: Name(own_name(name, definition.name)) for name in _bound(body)}
    return _replaced(body, {**own, **dict(zip(definition.parameters, arguments, strict=True))})


def _bound(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Bound):
        yield from expression.names
    if isinstance(expression, Lambda):
        yield from expression.parameters
    if isinstance(expression, Definition):
        yield from (expression.name, *expression.parameters)
    for field in fields(expression):
        yield from _bound_in(getattr(expression, field.name))


def _bound_in(value: object) -> Iterator[str]:
    if isinstance(value, Expression):
        yield from _bound(value)
    elif isinstance(value, tuple):
        for part in value:
            yield from _bound_in(part)


def _replaced(expression: Expression, by: Mapping[str, Expression]) -> Expression:
    """Return an expression with names replaced; those that it binds must be replaced by names."""

    def own(name: str) -> str:
        new = by.get(name)
        return new.name if isinstance(new, Name) else name

    inner = rebuilt(expression, lambda part: _replaced(part, by))
    match inner:
        case Name(name):
            return by.get(name, inner)
        case Call(name, _):
            return replace(inner, name=own(name))
        case Bound(names, _, _):
            return replace(inner, names=tuple(own(name) for name in names))
        case Lambda(parameters, _):
            return replace(inner, parameters=tuple(own(name) for name in parameters))
        case Definition(name, parameters, _):
            return replace(inner, name=own(name), parameters=tuple(own(p) for p in parameters))
    return inner


def own_name(name: str, definition: str) -> str:
    """Return what a name is called that a definition binds, where that stands in the place of its call."""
    return f"{name}_of_{definition}"
