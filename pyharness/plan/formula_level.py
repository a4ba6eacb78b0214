"""Whether a formula is about single states, or about steps and whole behaviours.

TLC takes the former as an invariant, and evaluates it in every state. Where it is asked for it as a property, it does
so in the initial states alone, and says not a word of that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.plan.spec_modules import Library

__all__ = ["is_about_states", "says_states_only"]

_STRING: Final = re.compile(r'"[^"\n]*"')
_TEMPORAL: Final = re.compile(r"<>|~>|-\+->|\b[WS]F_|\\AA\b|\\EE\b")
_BOX: Final = re.compile(r"\[\]")
_OPERAND: Final = re.compile(r"(?:[\w)\]}']|>>)\s*\Z")
"""What ends so is an operand: a ``[]`` behind it is that of another arm of CASE, and no "always"."""

_WORD_BEFORE: Final = re.compile(r"\b(?:IN|THEN|ELSE|CASE)\s*\Z")
_NAME: Final = re.compile(r"(?:(?P<instance>[A-Za-z_]\w*)(?:\([^()]*\))?!)?(?P<name>[A-Za-z_]\w*)")


def is_about_states(library: Library, module: str, name: str) -> bool:
    """Tell whether the formula ``name`` of a module speaks of states only, down to all definitions that it uses.

    What is about steps without saying "always" (``x' = x``) counts as such: TLC refuses it wherever it stands.
    """
    return says_states_only(library, module, name)


def says_states_only(library: Library, module: str, formula: str) -> bool:
    """Tell the same of a formula that stands in a module, or could."""
    waiting, seen = [(module, formula)], set[tuple[str, str]]()
    while waiting:
        where, text = waiting.pop()
        text = _STRING.sub("0", text)
        if _TEMPORAL.search(text) or any(_is_always(text[: box.start()]) for box in _BOX.finditer(text)):
            return False
        for used in _used(library, where, text):
            if used not in seen and library.defines(*used):
                seen.add(used)
                waiting.append((used[0], library.text_of(*used)))
    return True


def _is_always(before: str) -> bool:
    return not _OPERAND.search(before) or bool(_WORD_BEFORE.search(before))


def _used(library: Library, module: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the names in a text, each with a module in which to look for it."""
    instances: dict[str, str] = {}
    for own in library.closure(module):
        instances |= own.instances
    for match in _NAME.finditer(text):
        where = instances.get(match["instance"]) if match["instance"] else module
        if where is not None and where in library:
            yield where, match["name"]
