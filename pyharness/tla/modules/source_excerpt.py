"""Report a complaint of TLC with its file, line and column, the line itself with a caret, and the nearest known name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from pyharness.base.errors import SpecError, nearest
from pyharness.tla.modules.places import place_of
from pyharness.tla.tlc.spec_problems import spec_problems

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyharness.tla.modules.module import Module
    from pyharness.tla.tlc.spec_problems import SpecProblem

_FEW: Final = 5
"""The number of further complaints that are reported."""

_STANDARD: Final = (
    *("Append", "BOOLEAN", "Cardinality", "CHOOSE", "DOMAIN", "ENABLED", "EXCEPT", "FALSE", "Head", "Int"),
    *(
        "IsFiniteSet",
        "Len",
        "Nat",
        "Print",
        "PrintT",
        "SelectSeq",
        "Seq",
        "STRING",
        "SubSeq",
        "SUBSET",
        "Tail",
    ),
    *("TLCGet", "TLCSet", "TRUE", "UNCHANGED", "UNION"),
)
"""Names that every module may use, or those that extend the standard modules."""

_USED: Final = r"\b(?:EXTENDS|INSTANCE)\b(?:[\w,\s]|\\\*[^\n]*\n|\(\*.*?\*\))*?\b({})\b"
"""A regular expression for the place where EXTENDS or INSTANCE names a module, not in a comment, perhaps after one."""

_REGISTER: Final = re.compile(r"TLCGet\((?:(\w+)!)?([^()]*)\) was undefined")
"""TLC's message for a TLCGet that fails: of a register, of a value of other builds, of a stand-in without Java code."""

_WORD: Final = re.compile(r"\b[A-Za-z_]\w*\b")


class SourceFiles(Protocol):
    """The part of a library that reports complaints: files that SANY may refuse, and the modules that were read."""

    def __contains__(self, name: str, /) -> bool:
        """Return whether there is a file of a module."""

    def names(self) -> list[str]:
        """Return the names of all modules."""

    def path(self, name: str) -> Path:
        """Return the file of a module."""

    def has_read(self, name: str) -> bool:
        """Return whether a module was read already."""

    def closure(self, name: str) -> tuple[Module, ...]:
        """Return a module and all modules that it extends."""


def spec_error(text: str, library: SourceFiles, *, spec: str = "", where: str = "") -> SpecError:
    """Return TLC's complaint ``text`` about a specification as a readable error.

    ``spec`` is the module that was checked, and ``where`` names the run, for a complaint that names no
    place. Further complaints follow the first.
    """
    first, *others = spec_problems(text)
    if first.module is None and first.definition and spec in library:
        first = _defined(first, library, spec)
    place, excerpt = _place(first, library)
    message = first.message + (f"\n{excerpt}" if excerpt else "")
    for problem in others[:_FEW]:
        spot, more = _place(problem, library)
        message += f"\nand {spot or ''}: {problem.message}" + (f"\n{more}" if more else "")
    if len(others) > _FEW:
        message += f"\nand {len(others) - _FEW} more"
    hint = nearest(first.unknown, _known(first, library)) if first.unknown else _cure(first.message)
    if register := _REGISTER.search(text):
        hint = _of_register(*register.groups())
    return SpecError(message, where=place or where or None, hint=hint)


def _cure(message: str) -> str | None:
    """Return a hint for a complaint of the parser, ``None`` if there is none."""
    if "Beginning of definition" in message:
        return "== defines a name; is = meant, which compares?"
    if (sign := _SIGN.match(message)) and int(sign[1]) > 127:
        return "the pinned TLC reads ASCII alone, and newer builds also such signs: name one by TLA2TOOLS_JAR"
    return None


_SIGN: Final = re.compile(r'Lexical error\. Encountered: "[^"]*" \((\d{1,9})\)')


def _of_register(module: str | None, name: str) -> str | None:
    if module:
        return f"{name} of {module} is in Java, which is not run here: leave it out of what is checked"
    if name.isdecimal():
        return None
    if name.startswith("-D"):
        return f"a property of Java, which is not given to TLC here: what needs {name[2:]} is not checked"
    return f'this build of TLC does not know TLCGet("{name}"): a newer one may, which TLA2TOOLS_JAR names'


def _defined(problem: SpecProblem, library: SourceFiles, spec: str) -> SpecProblem:
    """Return a complaint about a property with the place of its definition."""
    for module in library.closure(spec):
        if problem.definition and problem.definition in module.definitions:
            line = module.definitions[problem.definition].line
            return replace(problem, module=module.name, line=line, column=1)
    return problem


def _place(problem: SpecProblem, library: SourceFiles) -> tuple[str | None, str]:
    """Return the place of a complaint, ``None`` if it has none, and the line with a caret, or an empty text."""
    if problem.module is None or problem.module not in library:
        return problem.module and f"{problem.module}:{problem.line}", ""
    path = library.path(problem.module)
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    number, column = problem.line, problem.column
    if number is None and problem.unknown:
        text = "\n".join(lines)
        if used := re.search(_USED.format(problem.unknown), text, re.DOTALL):
            before = text[: used.start(1)].split("\n")
            number, column = len(before), len(before[-1]) + 1
    if number is None or not 1 <= number <= len(lines):
        return str(place_of(path, number or 1)), ""
    if problem.unknown and column and (at := lines[number - 1].find(problem.unknown, column - 1)) >= 0:
        column = at + 1
    gutter = f"{number:>5} | "
    caret = f"\n{' ' * (len(gutter) - 2)}| {' ' * ((column or 1) - 1)}^" if column else ""
    return f"{place_of(path, number)}:{column or 1}", f"{gutter}{lines[number - 1]}{caret}"


def _known(problem: SpecProblem, library: SourceFiles) -> Iterable[str]:
    """Return the names that may be used at the place of a complaint: those of its module and of those it extends.

    For a module that was not read these are the words in its text.
    """
    if problem.message.startswith("Cannot find source file"):
        return library.names()
    if not library.has_read(problem.module or ""):  # SANY may be the one that complains of it
        return [*_STANDARD, *(word for word in _words(problem, library) if word != problem.unknown)]
    closure = library.closure(problem.module or "")
    names = [name for module in closure for name in (*module.definitions, *module.constants)]
    return [*names, *sorted({name for module in closure for name in module.variables}), *_STANDARD]


def _words(problem: SpecProblem, library: SourceFiles) -> list[str]:
    """Return the words of the module that a complaint is about, and of those that it names."""
    waiting, found = [problem.module or ""], dict[str, None]()
    seen = set(waiting)
    while waiting:
        name = waiting.pop()
        if name in library:
            words = _WORD.findall(library.path(name).read_text(encoding="utf-8", errors="replace"))
            found.update(dict.fromkeys(words))
            waiting += {word for word in words if word in library} - seen
            seen.update(words)
    return list(found)
