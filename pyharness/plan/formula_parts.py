r"""Parts of a formula, as text: what its ``/\``, ``\/``, ``=>`` and brackets separate.

A list of disjuncts that begin below each other is read by columns, as TLA+ reads it; so a text keeps its place.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["bare", "column", "disjuncts", "parts", "placed"]

_TOKEN: Final = re.compile(r"<=>|=>|/\\|\\/|<<|>>|[()\[\]{}:]|\\[A-Za-z]+|\w+|.", re.DOTALL)
_OPEN, _CLOSE = ("(", "[", "{", "<<"), (")", "]", "}", ">>")
_BULLET: Final = re.compile(r"^[ \t]*(\\/)", re.MULTILINE)
_REACHES_TO_THE_END: Final = ("/\\", "\\E", "\\A", "LET ", "IF ", "CASE ")


def bare(formula: str) -> str:
    """Return a formula without brackets around all of it, and without the bullet that it begins with."""
    formula = formula.strip()
    while True:
        if formula.startswith(("/\\", "\\/")):
            formula = formula[2:].lstrip()
        elif _is_bracketed(formula):
            formula = formula[1:-1].strip()
        else:
            return formula


def parts(text: str, at: str, most: int | None = None) -> list[str]:
    """Split at each ``at`` outside all brackets, or at the first ones; a bracket that was not opened counts, too."""
    found: list[str] = []
    begin = depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if depth == 0 and token == at and (most is None or len(found) < most):
            found.append(text[begin : match.start()])
            begin = match.end()
        depth += (token in _OPEN) - (token in _CLOSE)
    return [*found, text[begin:]]


def disjuncts(formula: str) -> list[str]:
    r"""Return what the outermost ``\/`` of a formula separate, each in its columns.

    What begins with a quantifier, a ``LET`` or a bullet ``/\`` reaches to its end.
    """
    formula = formula.expandtabs(8).rstrip()
    while _is_bracketed(formula.lstrip()):
        opening = formula.index("(")
        formula = formula[:opening] + " " + formula[opening + 1 : -1].rstrip()
    begin = len(formula) - len(formula.lstrip())
    if formula.startswith("\\/", begin):
        under = column(formula, begin)
        at = [m.start(1) for m in _BULLET.finditer(formula) if column(formula, m.start(1)) == under]
        starts = dict.fromkeys([begin, *at])
        ends = [*list(starts)[1:], len(formula)]
        return [placed(formula, start + 2, end) for start, end in zip(starts, ends, strict=True)]
    if formula.startswith(_REACHES_TO_THE_END, begin):
        return [formula]
    first, *rest = parts(formula, "\\/", most=1)
    if (
        not rest or len(parts(first, "/\\")) > 1
    ):  # of `A /\\ \\E x \\in S : B \\/ C' the whole is a conjunction
        return [formula]
    return [first, *disjuncts(placed(formula, len(first) + 2, len(formula)))]


def placed(text: str, begin: int, end: int) -> str:
    """Return a part of a text behind as many blanks as there are before it in its line."""
    return " " * column(text, begin) + text[begin:end].rstrip()


def column(text: str, at: int) -> int:
    """Return how many characters stand before a place in its line."""
    return at - (text.rfind("\n", 0, at) + 1)


def _is_bracketed(formula: str) -> bool:
    return formula.startswith("(") and formula.endswith(")") and parts(formula[1:-1], ")") == [formula[1:-1]]
