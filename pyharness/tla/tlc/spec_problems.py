"""The complaints of TLC and its parser about a specification, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_PLACE: Final = (
    r"line (\d{1,9}), col(?:umn)? (\d{1,9})(?: to line \S+ col(?:umn)? \d+)?(?: (?:of module|in) (\w+))?"
)
_SEMANTIC: Final = re.compile(rf"^{_PLACE}\s*\n\s*\n(.+?)(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)
_ANYWHERE: Final = re.compile(r"line (\d{1,9}), col (\d{1,9}) (?:.*? )?of module (\w+)")
_WITH_PLACE: Final = re.compile(
    r"\bline (\d{1,9}), col (\d{1,9}) to line \d+, col \d+ of module (\w+)\.?$", re.MULTILINE
)
"""The end of a message that names its subject: the expressions around it, which follow, are less specific."""

_SYNTAX: Final = re.compile(
    r"(?:Was expecting \"(?P<wanted>[^\n]*)\"\s*\n)?"
    r"Encountered \"(?P<met>[^\n]*?)\" at line (?P<line>\d{1,9}), column (?P<column>\d{1,9})"
    r"(?: and token \"(?P<token>[^\n]*?)\"\s*$)?",
    re.MULTILINE,
)
_PRECEDENCE: Final = re.compile(
    r"Precedence conflict between ops (\S+) in block line (\d{1,9}), col (\d{1,9}) [^\n]*?of module (\w+) and (\S+)\.\s*$",
    re.MULTILINE,
)
_NOT_LEGAL: Final = re.compile(r"current state is not a legal state\s+While working on the initial state:")
_TAUTOLOGY: Final = re.compile(r"Temporal formula is a tautology\b")
_NO_VALUE: Final = re.compile(r"^(?:/\\ )?(\w+) = null$", re.MULTILINE)
_LEXICAL: Final = re.compile(r"(Lexical error) at line (\d{1,9}), column (\d{1,9})\.\s*([^\n]*)")
_OPEN: Final = re.compile(r"Lexical \{error: (EOF reached, possibly open comment) starting \D+ (\d{1,9})")
_MODULE: Final = re.compile(r"In module (\w+)")
_FILE: Final = re.compile(r"[Ff]atal errors while parsing TLA\+ spec in file (\w+)")
_MISSING: Final = re.compile(r"(Cannot find source file for module (\w+))(?: imported in module (\w+))?")
_MISNAMED: Final = re.compile(r"File name '(\w+)' does not match the name '(\w+)' of the top level module")
_ABORT: Final = re.compile(
    r"^\*\*\* Abort messages: \d+\s*\n\s*(?:Unknown location|In module (\w+))\s*\n(.+?)(?=\n[^\S\n]*\n[^\S\n]*\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
"""The parser's messages where it does not reach a place."""

_STACK: Final = re.compile(r"^\d+\. Line (\d{1,9}), column (\d{1,9}) to line .*? in (\w+)", re.MULTILINE)
_ASSUMPTION: Final = re.compile(rf"Assumption {_PLACE} is (?:false|not)[^\n]*")
_WRAPPING: Final = re.compile(
    r"^(?:TLC threw an unexpected exception\.|This was probably caused by an error in the spec or model\."
    r"|See the User Output or TLC Console for clues to what happened\.|The exception was a [\w.$]+|:|"
    r"Parsing or semantic analysis failed\.|The error occurred when TLC was evaluating the nested|"
    r"expressions at the following positions:|\d+\. Line .*|Starting\.\.\..*)?\s*\n?",
    re.MULTILINE,
)
_JVM: Final = re.compile(r"^\[[\d.,]+s\]\[(?:warning|error)\].*\n?", re.MULTILINE)
"""The Java machine's messages about itself, between the lines of TLC."""

_EVALUATED: Final = re.compile(
    r"(?:Evaluating (?:invariant|action property) (?=\w+ failed)|not completely specified by action"
    r"|^The (?:[a-z-]+ )+(?=\w+ (?:is|cannot|requires|specified)\b)|^TLC requires [^:\n]*: (?=\w+$)) ?(\w+)",
    re.MULTILINE,
)
"""The messages that name the definition that a complaint is about, and no place."""

_UNKNOWN: Final = re.compile(r"(?:Unknown operator: `|definition of symbol '|declaration of symbol ')(\w+)'")


_MOST_LINES: Final = 20
"""The greatest number of lines of a message: it may have a complete value."""

_LINE: Final = re.compile(r"\bline \d+, col(?:umn)? \d+", re.IGNORECASE)
_LINES: Final = re.compile(r"\bline \d+, col \d+ to line \d+, col \d+ (?=of module \w)")


@dataclass(frozen=True, slots=True)
class SpecProblem:
    """One complaint: TLC's ``message`` on a few lines, and the ``module``, ``line`` and ``column`` (from 1) it names.

    ``unknown`` is the name that TLC did not find, if any; ``definition`` the name of the property that it could not
    evaluate, or of the action that leaves a variable out.
    """

    message: str
    module: str | None = None
    line: int | None = None
    column: int | None = None
    unknown: str | None = None
    definition: str | None = None


def names_a_place(text: str) -> bool:
    """Return whether TLC names a line of a module in a text: such a text is about the module as it was then."""
    return _LINE.search(text) is not None


def without_places(text: str) -> str:
    """Return a text of TLC without lines and columns: places have only their modules."""
    return _LINES.sub("", text)


def spec_problems(text: str) -> tuple[SpecProblem, ...]:
    """Return the complaints in an output of TLC, or of its parser, about a specification; the first is the cause.

    A text without a place is one complaint without a place.
    """
    text = _JVM.sub("", text)
    named = _MODULE.search(text) or _FILE.search(text)
    module = named[1] if named else None
    if lexical := _LEXICAL.search(text):
        return (SpecProblem(f"{lexical[1]}. {lexical[4]}".strip(), module, int(lexical[2]), int(lexical[3])),)
    if opened := _OPEN.search(text):
        return (SpecProblem(f"Lexical error: {opened[1]}, or string", module, int(opened[2])),)
    if syntax := _SYNTAX.search(text):
        return (_syntax(syntax, module),)
    if conflict := _PRECEDENCE.search(text):
        words = f"Parse error: parentheses are missing: {conflict[1]} and {conflict[5]} bind alike"
        return (SpecProblem(words, conflict[4], int(conflict[2]), int(conflict[3])),)
    if _NOT_LEGAL.search(text):
        names = ", ".join(dict.fromkeys(_NO_VALUE.findall(text))) or "some variable"
        return (SpecProblem(f"the initial predicate leaves out {names}: each variable needs a value there"),)
    if tautology := _TAUTOLOGY.search(text):
        words = "the temporal properties are vacuous here: each behaviour of any spec has them, perhaps as"
        return (SpecProblem(f"{words} a quantifier ranges over nothing ({tautology[0]})"),)
    if missing := _MISSING.search(text):
        return (SpecProblem(missing[1], missing[3], unknown=missing[2]),)
    if misnamed := _MISNAMED.search(text):
        words = f"the module in this file is {misnamed[2]}, and not {misnamed[1]} as the file is called"
        return (SpecProblem(words, misnamed[1]),)
    if abort := _ABORT.search(text):
        return (SpecProblem(_one(abort[2]), abort[1]),)
    if assumption := _ASSUMPTION.search(text):
        return (
            SpecProblem("this assumption is false", assumption[3], int(assumption[1]), int(assumption[2])),
        )
    if stack := _STACK.findall(text):
        own = _WITH_PLACE.search(text)
        line, column, inner = own.groups() if own else stack[-1]
        return (SpecProblem(_bare(text), inner, int(line), int(column)),)
    semantic = [
        SpecProblem(_one(match[4]), match[3] or module, int(match[1]), int(match[2]), _unknown(match[4]))
        for match in _SEMANTIC.finditer(text)
    ]
    if semantic:
        return tuple(dict.fromkeys(semantic))
    failed, named = _EVALUATED.search(text), _ANYWHERE.search(text)
    if named and not failed:
        return (SpecProblem(_bare(text), named[3], int(named[1]), int(named[2]), _unknown(text)),)
    return (SpecProblem(_bare(text), unknown=_unknown(text), definition=failed[1] if failed else None),)


def _syntax(match: re.Match[str], module: str | None) -> SpecProblem:
    met, token = match["met"], (match["token"] or "").replace("\\\\", "\\")
    met = f"{met} and {token}" if token and token != met else met
    wanted = f"expected {match['wanted']}, " if match["wanted"] else ""
    return SpecProblem(f"Parse error: {wanted}met {met}", module, int(match["line"]), int(match["column"]))


def _unknown(text: str) -> str | None:
    found = _UNKNOWN.search(text)
    return found[1] if found else None


def _one(text: str) -> str:
    return " ".join(text.split())


def _bare(text: str) -> str:
    """Return a message without the lines that TLC prints around every error."""
    lines = [line.strip() for line in _WRAPPING.sub("", text).splitlines()]
    found = list(dict.fromkeys(line for line in lines if line))
    return "\n".join([*found[:_MOST_LINES], *(["…"] if len(found) > _MOST_LINES else [])])
