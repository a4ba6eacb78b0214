"""The form that this project's modules keep to: what is wrong with one, and what can be mended without asking.

- ASCII, without tabs or trailing blanks, lines of at most 120 characters;
- the first line is ``---- MODULE Name ----`` with the file's name, the last a bar of ``=``; after it and a blank line
  there may be results, which TLA+ does not read;
- the lines of a box, ``(****)`` above and below a comment, are as wide as its first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDEST: Final = 120
"""The longest line, in characters."""

_HEAD: Final = re.compile(r"-{4,} MODULE (\w+) -{4,}")
_FOOT: Final = re.compile(r"={4,}")
_BAR: Final = re.compile(r"\(\*{3,}\)")


def form_problems(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Say what is wrong with the form of the module ``name``: lines (from 1) and what is wrong there."""
    lines = text.split("\n")
    head = _HEAD.fullmatch(lines[0])
    if head is None or head[1] != name:
        yield 1, f"the first line is not ---- MODULE {name} ----"
    width = 0
    for number, line in enumerate(lines, start=1):
        if not line.isascii():
            yield number, "not ASCII"
        if "\t" in line:
            yield number, "a tab"
        if line != line.rstrip():
            yield number, "blanks at the end"
        if len(line) > WIDEST:
            yield number, f"{len(line)} characters, more than {WIDEST}"
        width = _box(width, line)
        if width and len(line) != width:
            yield number, f"{len(line)} characters in a box of {width}"
    bar = max((number for number, line in enumerate(lines) if _FOOT.fullmatch(line)), default=len(lines))
    if lines[-1] or not lines[-2:][0] or bar == len(lines):
        yield len(lines), "the last line is not a bar of = with an end of line, nor results after one"
    elif lines[bar + 1]:
        yield bar + 2, "no blank line between the last bar and the results"


def mended(text: str) -> str:
    """Return a module's text without blanks at the ends, with one end of line, and with boxes of one width."""
    lines, width = [], 0
    for line in text.rstrip().split("\n"):
        bare = line.rstrip()
        width = _box(width, bare)
        if width and len(bare) != width and bare.endswith("*)"):
            bar = f"({'*' * (width - 2)})"
            bare = bar if _BAR.fullmatch(bare) else f"(*{bare[2:-2].rstrip():{width - 4}}*)"
        lines.append(bare)
    return "\n".join(lines) + "\n"


def _box(width: int, line: str) -> int:
    """Return the width of the box that a line is in, after a line that was in one of ``width``; 0 outside."""
    if not line.startswith("(*"):
        return 0
    return width or (len(line) if _BAR.fullmatch(line) else 0)
