"""Digests of properties: of all texts that TLC evaluates for one, including the definitions that it uses."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import names_in
from pyharness.tla.modules.meanings import assumptions, reached, used_by

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.library import Library


class PropertyDigests:
    """Makes the digests of definitions of a library's modules.

    A digest is of the definition's text, of every definition that it uses, including those of an instance and the
    substitutes of its variables, and of the assumptions of the module. Blanks, comments and superfluous parentheses do
    not count. ``but`` are names whose definitions do not count either.
    """

    def __init__(self, library: Library) -> None:
        self._library = library

    def digest(self, module: str, name: str, but: Iterable[str] = ()) -> str:
        """Return the digest of definition ``name`` of a module."""
        seen = {(module, left_out) for left_out in but} - {(module, name)}
        return self._digest(module, [(module, name)], seen, [])

    def of_formula(self, module: str, formula: Expression) -> str:
        """Return the digest of a formula that stands in a module, or could."""
        return self._digest(
            module, used_by(self._library, module, names_in(formula)), set(), [on_one_line(formula)]
        )

    def _digest(
        self, module: str, names: Iterable[tuple[str, str]], seen: set[tuple[str, str]], parts: list[str]
    ) -> str:
        found = reached(self._library, names, seen)
        parts += [f"{place}: {text}" for (place, _), text in found]
        text = "\n".join([*sorted(parts), *assumptions(self._library, module)])
        return hashlib.sha256(text.encode()).hexdigest()[:16]
