"""How strongly TLA+'s operators bind, for the reader of expressions and for their printing alike."""

from __future__ import annotations

from typing import Final

INFIX: Final = {
    "=>": 1, "-+->": 2, "<=>": 2, "~>": 2, "/\\": 3, "\\/": 3,
    "=": 5, "#": 5, "/=": 5, "<": 5, ">": 5, "<=": 5, "=<": 5, ">=": 5, "\\leq": 5, "\\geq": 5,
    "\\in": 5, "\\notin": 5, "\\subseteq": 5, "\\subset": 5, "\\prec": 5,
    "@@": 6, ":>": 7, "\\cup": 8, "\\cap": 8, "\\union": 8, "\\intersect": 8, "\\": 8, "..": 9,
    "+": 10, "-": 11, "%": 11, "\\X": 11, "\\div": 13, "*": 13, "\\o": 13, "\\circ": 13, "^": 14,
}  # fmt: skip
"""Infix operators with their precedence; where TLA+ gives a range, a number in it that serves."""

LEFT: Final = frozenset(
    {"/\\", "\\/", "\\cup", "\\cap", "\\union", "\\intersect", "+", "-", "*", "\\o", "@@"}
)
"""Those that may stand in a row without parentheses, and then belong together from the left."""

PREFIX: Final = {
    "~": 4, "\\lnot": 4, "[]": 15, "<>": 15, "ENABLED": 15, "UNCHANGED": 15,
    "SUBSET": 13, "UNION": 13, "DOMAIN": 13, "-": 12,
}  # fmt: skip
"""Prefix operators with the precedence that an operator in their body must exceed, the upper end of a range."""

POSTFIX: Final = 16
"""The precedence of a prime, an index and a field."""
