"""A definition's right-hand side in the place of its call, with the names that it binds kept apart from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.modules.expressions import apart

if TYPE_CHECKING:
    from pyharness.modules.expressions import Expression
    from pyharness.modules.module import Definition


def inlined(definition: Definition, arguments: tuple[Expression, ...]) -> Expression:
    """Return the right-hand side with ``arguments`` for the parameters.

    The names that it binds become the definition's own, so that they capture nothing.
    """
    given = dict(zip(definition.parameters, arguments, strict=True))
    return apart(definition.body, given, own_mark(definition.name))


def own_mark(definition: str) -> str:
    """Return what a name ends with that a definition binds, where that stands in the place of its call."""
    return f"_of_{definition}"
