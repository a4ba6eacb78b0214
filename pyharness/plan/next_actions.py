r"""The actions of a next-state relation, by the names that TLC gives to its steps.

TLC goes down from the relation through disjunctions, through ``\E`` over constant sets, and through calls with constant
arguments. What it meets there and cannot go down further is an action, and has the name of the definition that it
stands in; a call with other arguments has the name of what is called.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol

from pyharness.plan.formula_parts import disjuncts, parts
from pyharness.plan.spec_text import without_strings

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Definitions", "actions_of"]

_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_CALL: Final = re.compile(r"([A-Za-z_]\w*)\s*(?:\((.*)\))?", re.DOTALL)
_LET_OR_IN: Final = re.compile(r"\b(LET|IN)\b")


class Definitions(Protocol):
    """What is asked of modules; each question begins with the module that asks."""

    def defines(self, name: str, operator: str) -> bool:
        """Tell whether the module ``name``, or one it extends, defines ``operator``."""

    def text_of(self, name: str, definition: str) -> str:
        """Return the right-hand side of a definition."""

    def variables(self, name: str) -> frozenset[str]:
        """Return every variable that the module and those it extends declare."""


def actions_of(library: Definitions, module: str, relation: str) -> tuple[str, ...]:
    """Name the actions of the definition ``relation`` of a module, in the order in which they stand there."""
    reader = _Reader(library, module)
    return tuple(dict.fromkeys(reader.of(library.text_of(module, relation), relation, frozenset({relation}))))


class _Reader:
    def __init__(self, library: Definitions, module: str) -> None:
        self._library = library
        self._module = module
        self._variables = library.variables(module)

    def of(self, formula: str, name: str, within: frozenset[str]) -> Iterator[str]:
        """Yield the names of the actions of a formula that stands in the definition ``name``."""
        ways = disjuncts(formula)
        if len(ways) > 1:
            for way in ways:
                yield from self.of(way, name, within)
            return
        text = ways[0].strip()
        if text.startswith("\\E") and self._is_constant(_ranges(text)):
            yield from self.of(_behind(ways[0], ":"), name, within)
        elif text.startswith("LET"):
            yield from self.of(_body_of_let(ways[0]), name, within)
        elif call := self._call(text, within):
            called, arguments = call
            if self._is_constant(arguments):
                yield from self.of(self._library.text_of(self._module, called), called, within | {called})
            else:
                yield called
        else:
            yield name

    def _call(self, text: str, within: frozenset[str]) -> tuple[str, str] | None:
        """Return the name and the arguments of a call of a definition that it is not a part of itself."""
        call = _CALL.fullmatch(text)
        if call is None or call[1] in within or not self._library.defines(self._module, call[1]):
            return None
        arguments = call[2] or ""
        return (call[1], arguments) if parts(arguments, ")") == [arguments] else None

    def _is_constant(self, text: str) -> bool:
        """Tell whether a text depends on no variable, down to all definitions that it uses."""
        waiting, seen = [text], set[str]()
        while waiting:
            for word in _WORD.findall(without_strings(waiting.pop())):
                if word in self._variables:
                    return False
                if word not in seen and self._library.defines(self._module, word):
                    seen.add(word)
                    waiting.append(self._library.text_of(self._module, word))
        return True


def _ranges(quantified: str) -> str:
    """Return what stands between a quantifier and its colon."""
    return parts(quantified, ":", most=1)[0].removeprefix("\\E")


def _behind(text: str, sign: str) -> str:
    """Return what stands behind the first ``sign`` outside brackets, in its columns."""
    return _blanked(text, len(parts(text, sign, most=1)[0]) + len(sign))


def _body_of_let(text: str) -> str:
    """Return what stands behind the IN of the LET with which a text begins, in its columns."""
    depth = 0
    for word in _LET_OR_IN.finditer(text):
        depth += 1 if word[1] == "LET" else -1
        if depth == 0:
            return _blanked(text, word.end())
    return text


def _blanked(text: str, end: int) -> str:
    """Return a text with blanks for all up to a place, without the lines that are blank then."""
    begin = text.rfind("\n", 0, end) + 1
    return " " * (end - begin) + text[end:]
