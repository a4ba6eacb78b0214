"""The words of a TLA+ expression, each with the column that it stands in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pyharness.errors import SpecError

__all__ = ["END", "Token", "tokens_of"]

END: Final = ""
"""The word of what follows the last word."""

_WORD: Final = re.compile(
    r"""
    (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<number>\d+)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<symbol><=>|-\+->|\|->|/\\|\\/|\\[A-Za-z]+|\]_(?=[A-Za-z<])|>>_(?=[A-Za-z<])|\[\]|<<|>>|<>|=>|<=|>=|=<|==|->|<-
      |~>|:>|@@|\.\.|/=|[=<>\#\\+\-*%^~'.,:;!@()\[\]{}_])
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word: ``kind`` (``string``, ``number``, ``name``, ``symbol`` or ``end``), text, column, line (from 1)."""

    kind: str
    text: str
    column: int
    line: int


def tokens_of(text: str) -> list[Token]:
    """Split an expression without comments into its words; the last is of the kind ``end``.

    Raises SpecError at a character that begins no word.
    """
    found: list[Token] = []
    for number, line in enumerate(text.split("\n"), start=1):
        at = 0
        while at < len(line):
            if line[at].isspace():
                at += 1
                continue
            match = _WORD.match(line, at)
            if match is None:
                raise SpecError(
                    f"{line[at]!r} begins no word of TLA+", where=f"line {number}, column {at + 1}"
                )
            found.append(Token(match.lastgroup or "symbol", match[0], at, number))
            at = match.end()
    return [*found, Token("end", END, -1, text.count("\n") + 1)]
