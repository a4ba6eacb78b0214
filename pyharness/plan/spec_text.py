"""The text of a TLA+ module without its comments, and what of it a reader by lines cannot understand.

Modules are read by lines, which is quick and keeps the places of definitions, as long as every definition begins in the
first column and has a line of its own. What is written otherwise is refused, for it would be passed over in silence.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "WHAT_TO_DO",
    "not_understood",
    "one_spelling",
    "within_module",
    "without_comments",
    "without_strings",
]

WHAT_TO_DO: Final = {
    "LOCAL": "leave LOCAL out: every definition of a module is read",
    "an INSTANCE without a name": "give it one: M == INSTANCE ..., and write M!Op",
    "a module within a module": "give it a file of its own",
    "a definition in a form of its own": "define an operator with a name instead of a sign: Plus(a, b) == ...",
    "a sign that is not ASCII": "write what it means as TLC reads it, such as /\\ for \u2227 and \\in for \u2208",
    "a definition of a LET in the first column": "indent what stands between LET and IN",
}
"""What to do about what is not understood; else a definition is to begin in the first column of a line of its own."""

_LET_IN: Final = re.compile(r"\b(?:LET|IN)\b")
_TOKEN: Final = re.compile(r'"(?:\\.|[^"\\\n])*"|\\\*[^\n]*|\(\*')
_WITHIN: Final = re.compile(r"\(\*|\*\)")
_STRING: Final = re.compile(r'"(?:\\.|[^"\\\n])*"')
_HEAD: Final = re.compile(r"[A-Za-z_]\w*\s*(?:\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\])?\s*==(?!=)")
_EQUALS: Final = re.compile(r"(?<![=<>])==(?!=)")
_NAMED: Final = re.compile(r"(?:ASSUME|ASSUMPTION|AXIOM|THEOREM|LEMMA|COROLLARY|PROPOSITION)\b")
_BEGINS: Final = re.compile(r"-{4,} *MODULE\b")
_ENDS: Final = re.compile(r"^={4,}", re.MULTILINE)
_DECLARATION: Final = re.compile(r"(?<!^)(?<!NEW )\b(?:EXTENDS|CONSTANTS?|VARIABLES?)\b")
_SPELT: Final = {
    r"\land": "/\\",
    r"\lor": "\\/",
    r"\lnot": "~",
    r"\neg": "~",
    r"\equiv": "<=>",
    r"\forall": r"\A",
    r"\exists": r"\E",
}
"""Signs that TLA+ lets one write as words, too."""
_WORD: Final = re.compile(r'"(?:\\.|[^"\\\n])*"|\\[a-z]+')


@lru_cache(maxsize=500)
def without_comments(text: str) -> str:
    """Return a module's text with blanks for its comments, which may nest, so that everything keeps its place."""
    parts: list[str] = []
    at = depth = 0
    while token := (_WITHIN if depth else _TOKEN).search(text, at):
        between, word = text[at : token.start()], token[0]
        parts.append(_blank(between) if depth else between)
        depth += (word == "(*") - (word == "*)" and depth > 0)
        parts.append(word if word.startswith('"') else _blank(word))
        at = token.end()
    parts.append(_blank(text[at:]) if depth else text[at:])
    return "".join(parts)


def without_strings(bare: str) -> str:
    """Return a text without comments with blanks for its strings."""
    return _STRING.sub(lambda match: _blank(match[0]), bare)


def one_spelling(bare: str) -> str:
    r"""Return a text without comments with ``/\`` for ``\land`` and the like, so that everything keeps its place."""
    return _WORD.sub(lambda match: _SPELT.get(match[0], match[0]).ljust(len(match[0])), bare)


def within_module(text: str) -> str:
    """Return a module's text with blanks for its comments, and for what stands around it, which TLA+ does not read.

    A comment or a line of === that stands before the module is none: the module begins where its head is.
    """
    begins = _BEGINS.search(text)
    first = begins.start() if begins else 0
    bare = _blank(text[:first]) + without_comments(text[first:])
    ends = _ENDS.search(bare, first)
    last = ends.start() if ends else len(bare)
    return bare[:last] + _blank(bare[last:])


def not_understood(bare: str) -> Iterator[tuple[int, str]]:
    """Say what of a module without comments cannot be read by lines: lines (from 1), and what stands there."""
    within_let = False
    open_lets = 0
    bare = without_strings(bare)
    for number, line in enumerate(bare.split("\n"), start=1):
        if any(sign > "~" and sign.isprintable() for sign in line):
            yield number, "a sign that is not ASCII"
        elif open_lets > 0 and _HEAD.match(line):
            yield number, "a definition of a LET in the first column"
        elif re.match(r"-{4,}\s*MODULE\b", line) and number > 1 and "MODULE" in bare.split(line, 1)[0]:
            yield number, "a module within a module"
        elif re.match(r"LOCAL\b", line):
            yield number, "LOCAL"
        elif re.match(r"\s*INSTANCE\b", line) and not re.search(r"==\s*$", bare.split("\n")[number - 2]):
            yield number, "an INSTANCE without a name"
        elif _DECLARATION.search(line):
            yield number, "a declaration that does not begin in the first column"
        if line[:1].strip():
            within_let = False
        open_lets += sum(1 if word == "LET" else -1 for word in _LET_IN.findall(line))
        head = re.search(r"\bLET\b", line)
        free = line if head is None else line[: head.start()]
        found = len(_EQUALS.findall(free))
        if line[:1].strip() and found and not _NAMED.match(line):
            if found > 1:
                yield number, "two definitions on one line"
            elif not _HEAD.match(line) and not _continued(bare, number):
                yield number, "a definition in a form of its own"
        elif found and not line[:1].strip() and not within_let and not _continued(bare, number):
            yield number, "a definition that does not begin in the first column"
        within_let = within_let or head is not None


def _continued(bare: str, number: int) -> bool:
    """Whether the ``==`` of a line belongs to a name on a line before, which begins a definition without one."""
    lines = bare.split("\n")
    start = number - 1
    while start > 0 and not lines[start][:1].strip():
        start -= 1
    return _HEAD.match("\n".join(lines[start:number])) is not None and "==" not in "".join(
        lines[start : number - 1]
    )


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
