r"""Read and write the configuration of a module for TLC, with entries that only newer builds than the pinned one know.

The configuration is written for the pinned TLC. ``CHECK_DEADLOCK`` becomes its option; an ``ALIAS``, which changes the
output of a trace but not the verdict, is left out with a note; a ``POSTCONDITION`` is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.base.errors import SpecError, nearest
from pyharness.base.toolchain.bounded_files import read_bytes, require_own_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_MOST_BYTES: Final = 1024 * 1024
_MOST_DEPTH: Final = 100
_SPACES: Final = re.compile(r"\s+|\\\*[^\n]*")
_STRING: Final = r'"(?:\\.|[^"\\\n])*"'
_TOKEN: Final = re.compile(
    rf"(?P<string>{_STRING})|(?P<word>[A-Za-z0-9_!]+)|(?P<sign><-|-(?=\d)|[={{}},()\[\]])|(?P<other>.)",
    re.DOTALL,
)
_WITHIN_BLOCK: Final = re.compile(r"\(\*|\*\)|\n")
_OUTSIDE_BLOCKS: Final = re.compile(rf"\\\*[^\n]*|{_STRING}|\(\*|\n")
_LISTS: Final = {
    "CONSTANT": "constants", "CONSTANTS": "constants",
    "INVARIANT": "invariants", "INVARIANTS": "invariants",
    "PROPERTY": "properties", "PROPERTIES": "properties",
    "CONSTRAINT": "constraints", "CONSTRAINTS": "constraints",
    "ACTION_CONSTRAINT": "action_constraints", "ACTION_CONSTRAINTS": "action_constraints",
}  # fmt: skip
_ONE: Final = {
    "SPECIFICATION": "specification", "INIT": "init", "NEXT": "next", "SYMMETRY": "symmetry", "VIEW": "view",
    "CHECK_DEADLOCK": "check_deadlock", "ALIAS": "alias", "POSTCONDITION": "postcondition",
}  # fmt: skip
WORDS: Final = (*_LISTS, *_ONE)
"""The words that begin a section of a configuration."""

_TRUTHS: Final = {"TRUE": True, "FALSE": False}
_NAME: Final = re.compile(r"[A-Za-z0-9_!]*[A-Za-z][A-Za-z0-9_!]*")


class _Token(NamedTuple):
    text: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A configuration's entry for a constant or an operator.

    ``name`` is given the ``value``; with ``stands_in`` the value is the name of a definition (``N <- Small``). With
    ``of`` the name is that in one module alone (``N <- [Inner] Small``, ``N = [Inner] 3``). ``line`` is that of the file.
    """

    name: str
    value: str
    stands_in: bool = False
    of: str = ""
    line: int = 0

    @property
    def text(self) -> str:
        """The entry in TLC's syntax."""
        return (
            f"{self.name} {'<-' if self.stands_in else '='} {f'[{self.of}] ' if self.of else ''}{self.value}"
        )


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The content of a configuration; names are those of definitions, or empty for an entry that is missing."""

    where: str = ""
    constants: tuple[Constant, ...] = ()
    specification: str = ""
    init: str = ""
    next: str = ""
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    action_constraints: tuple[str, ...] = ()
    symmetry: str = ""
    view: str = ""
    check_deadlock: bool = True
    alias: str = ""
    lines: dict[str, int] = field(default_factory=dict, compare=False)

    @property
    def names(self) -> dict[str, str]:
        """The names of definitions in the configuration, each with the word that it follows."""
        found = [(name, "<-") for name in (c.value for c in self.constants if c.stands_in and not c.of)]
        for word, key in (
            *(("INVARIANT", "invariants"), ("PROPERTY", "properties")),
            *(("CONSTRAINT", "constraints"), ("ACTION_CONSTRAINT", "action_constraints")),
        ):
            found += [(name, word) for name in getattr(self, key)]
        for word in ("SPECIFICATION", "INIT", "NEXT", "SYMMETRY", "VIEW"):
            found += [(name, word) for name in [getattr(self, word.lower())] if name]
        return dict(found)

    @property
    def behaviours(self) -> bool:
        """Whether the configuration specifies behaviours; otherwise TLC evaluates assumptions alone."""
        return bool(self.specification or self.init)

    def text(self) -> str:
        """Return the configuration for the pinned TLC; entries that are options of their own are left out."""
        rows = [("CONSTANT", each.text) for each in self.constants]
        for word in ("SPECIFICATION", "INIT", "NEXT", "SYMMETRY", "VIEW"):
            rows += [(word, value) for value in [getattr(self, word.lower())] if value]
        for word, names in (
            ("INVARIANT", self.invariants),
            ("PROPERTY", self.properties),
            ("CONSTRAINT", self.constraints),
            ("ACTION_CONSTRAINT", self.action_constraints),
        ):
            rows += [(word, name) for name in names]
        return "".join(f"{word} {value}\n" for word, value in rows)

    def with_constant(self, given: Constant) -> ConfigFile:
        """Return the configuration with the entry ``given`` in the place of any other for that constant."""
        others = tuple(each for each in self.constants if each.name != given.name or each.of)
        return replace(self, constants=(*others, given))


def read_config(path: Path, given: Iterable[str] = ()) -> ConfigFile:
    """Read a configuration file; the values of constants that are ``given`` elsewhere are skipped without a check.

    Raises SpecError, with the line, for words that TLC does not know, and those not supported here.
    """
    require_own_kind(path, ".cfg")
    try:
        text = read_bytes(path, _MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SpecError(
            "this is not UTF-8", where=path.name, hint="write the configuration in UTF-8"
        ) from None
    return parse_config(text, path.name, given)


def parse_config(text: str, where: str, given: Iterable[str] = ()) -> ConfigFile:
    """Read the text of a configuration; ``where`` names it in errors. Raises what :func:`read_config` raises."""
    return _ConfigReader(list(_tokens(text, where)), where, frozenset(given)).config()


def parse_constant(text: str) -> Constant:
    """Read ``NAME=VALUE`` or ``NAME<-DEFINITION``. Raises SpecError."""
    where = f"constant {text[:80]}"
    reader = _ConfigReader(list(_tokens(text, where)), where)
    found = reader.constant()
    reader.require_end()
    return found


def _tokens(text: str, where: str) -> Iterator[_Token]:
    text = _without_blocks(text.replace("\r\n", "\n").replace("\r", "\n"), where)
    at, line = 0, 1
    while at < len(text):
        if space := _SPACES.match(text, at):
            line += space[0].count("\n")
            at = space.end()
            continue
        found = _TOKEN.match(text, at)
        if found is None:
            raise SpecError(f"{text[at]!r} is not part of a configuration", where=f"{where}:{line}")
        yield _Token(found[0], found.lastgroup or "", line)
        at = found.end()


def _without_blocks(text: str, where: str) -> str:
    """Return a text without the comments between ``(*`` and ``*)``, which may nest; its line breaks are kept."""
    parts, depth, at, line, opened = list[str](), 0, 0, 1, 0
    while mark := (_WITHIN_BLOCK if depth else _OUTSIDE_BLOCKS).search(text, at):
        if not depth:
            parts.append(text[at : mark.start()])
        at = mark.end()
        if mark[0] == "(*":
            opened = opened if depth else line
            depth += 1
        elif mark[0] == "*)":
            depth -= 1
        elif mark[0] == "\n":
            line += 1
            parts.append("\n")
        elif not depth:
            parts.append(mark[0])
    if depth:
        raise SpecError("this comment has no end", where=f"{where}:{opened}", hint="write *)")
    return "".join(parts) + text[at:]


class _ConfigReader:
    """Reads the tokens of a configuration in order."""

    def __init__(self, tokens: list[_Token], where: str, given: frozenset[str] = frozenset()) -> None:
        self._tokens = tokens
        self._where = where
        self._given = given
        self._at = 0

    def config(self) -> ConfigFile:
        lists: dict[str, list[str]] = {
            key: [] for key in dict.fromkeys(_LISTS.values()) if key != "constants"
        }
        ones: dict[str, str] = {}
        constants: list[Constant] = []
        lines: dict[str, int] = {}
        while (word := self._peek()) is not None:
            self._at += 1
            if word.text in _ONE:
                self._one(word, ones, lines)
            elif word.text not in _LISTS:
                raise self._unknown(word)
            elif _LISTS[word.text] == "constants":
                while (ahead := self._peek()) is not None and self._is_value():
                    if ahead.text in self._given:
                        self._pass_over()
                    else:
                        constants.append(self.constant())
            else:
                while self._is_value():
                    name = self._name(f"of a definition after {word.text}")
                    lists[_LISTS[word.text]].append(name)
                    lines[name] = self._tokens[self._at - 1].line
        return self._assembled(ones, lists, constants, lines)

    def _one(self, word: _Token, ones: dict[str, str], lines: dict[str, int]) -> None:
        key = _ONE[word.text]
        value = self._name(f"after {word.text}")
        if key in ones:
            raise SpecError(f"{word.text} is given twice", where=f"{self._where}:{word.line}")
        ones[key], lines[value] = value, word.line
        if key == "postcondition":
            raise SpecError(
                f"POSTCONDITION {value}: the pinned TLC does not evaluate what holds after a run",
                where=f"{self._where}:{word.line}",
                hint="leave the line out; a condition on all states is an INVARIANT",
            )
        if key == "check_deadlock" and value not in _TRUTHS:
            raise SpecError(
                f"CHECK_DEADLOCK is TRUE or FALSE, not {value}", where=f"{self._where}:{word.line}"
            )

    def _assembled(
        self,
        ones: dict[str, str],
        lists: dict[str, list[str]],
        constants: list[Constant],
        lines: dict[str, int],
    ) -> ConfigFile:
        if bool(ones.get("init")) != bool(ones.get("next")):
            there, lacks = ("INIT", "NEXT") if ones.get("init") else ("NEXT", "INIT")
            raise SpecError(f"there is {there} without {lacks}", where=self._where)
        if ones.get("init") and ones.get("specification"):
            raise SpecError(
                "there are both SPECIFICATION and INIT", where=self._where, hint="keep one of the two"
            )
        several = {key: tuple(dict.fromkeys(names)) for key, names in lists.items()}
        return ConfigFile(
            where=self._where,
            constants=tuple(constants),
            specification=ones.get("specification", ""),
            init=ones.get("init", ""),
            next=ones.get("next", ""),
            invariants=several["invariants"],
            properties=several["properties"],
            constraints=several["constraints"],
            action_constraints=several["action_constraints"],
            symmetry=ones.get("symmetry", ""),
            view=ones.get("view", ""),
            check_deadlock=_TRUTHS[ones.get("check_deadlock", "TRUE")],
            alias=ones.get("alias", ""),
            lines=lines,
        )

    def constant(self) -> Constant:
        """Read ``N = 3``, ``N <- Small``, or either with a module: ``N <- [Inner] Small``."""
        line = self._tokens[self._at].line if self._at < len(self._tokens) else 0
        name = self._name("of a constant")
        sign = self._next()
        if sign is None or sign.text not in ("=", "<-"):
            if nearest(name, WORDS).startswith("did you mean"):
                raise self._unknown(self._tokens[self._at - 2])
            raise SpecError(
                f"{name} is followed by neither = nor <-",
                where=self._place(line),
                hint="N = 3, or N <- Definition",
            )
        of = ""
        if (bracket := self._peek()) is not None and bracket.text == "[" and self._names_a_module():
            self._at += 1
            of = self._name("of a module")
            self._sign("]")
        if sign.text == "=":
            return Constant(name, self._value(), of=of, line=line)
        hint = f"define a name, and write {name} <- Name; or give it by --constant '{name}=VALUE'"
        return Constant(name, self._name("of a definition", hint), stands_in=True, of=of, line=line)

    def _pass_over(self) -> None:
        """Skip to the next constant or word of a configuration, which may be misspelt if it begins a line."""
        self._at += 1
        signs = ("=", "<-")
        while self._is_value():
            before, token = self._tokens[self._at - 1 : self._at + 1]
            following = self._tokens[self._at + 1].text if self._at + 1 < len(self._tokens) else ""
            anew = token.line > before.line and (before.kind in ("word", "string") or before.text in "})]>")
            if token.kind == "word" and (following in signs or anew):
                return
            self._at += 1

    def _names_a_module(self) -> bool:
        """Return whether the text in brackets is a name and no more."""
        return [token.text for token in self._tokens[self._at + 2 : self._at + 3]] == ["]"]

    def require_end(self) -> None:
        """Require that nothing is left. Raises SpecError."""
        if (token := self._peek()) is not None:
            raise SpecError(f"{token.text} follows the value", where=self._place(token.line))

    def _value(self, depth: int = 0) -> str:
        """Read a number, a string, TRUE, FALSE, a model value, or a set of values, as TLC does."""
        if depth > _MOST_DEPTH:
            raise SpecError(f"sets within sets, more than {_MOST_DEPTH} deep", where=self._where)
        token = self._next()
        if token is None:
            raise SpecError("the value is missing", where=self._where)
        if token.text == "-":
            raise SpecError(
                "TLC reads no negative number in a configuration",
                where=self._place(token.line),
                hint="define a name, Least == -1, and write N <- Least; or give it by --constant 'N=-1'",
            )
        if token.text == "{":
            items: list[str] = []
            while (after := self._peek()) is not None and after.text != "}":
                if items:
                    self._sign(",")
                items.append(self._value(depth + 1))
            self._sign("}")
            return f"{{{', '.join(items)}}}"
        if token.kind not in ("word", "string"):
            raise SpecError(
                f"{token.text} does not begin a value of a configuration",
                where=self._place(token.line),
                hint="numbers, strings, model values and sets of them; of others define a name, and write N <- Name",
            )
        return token.text

    def _is_value(self) -> bool:
        token = self._peek()
        return token is not None and token.text not in _LISTS and token.text not in _ONE

    def _name(self, what: str, hint: str | None = None) -> str:
        token = self._next()
        if token is None or token.kind != "word" or not _NAME.fullmatch(token.text) or token.text in _LISTS:
            found = f", found {token.text}" if token else ""
            line = token.line if token else 0
            raise SpecError(f"expected a name {what}{found}", where=self._place(line), hint=hint)
        return token.text

    def _sign(self, sign: str) -> None:
        token = self._next()
        if token is None or token.text != sign:
            raise SpecError(f"{sign} is missing", where=self._place(token.line if token else 0))

    def _unknown(self, word: _Token) -> SpecError:
        return SpecError(
            f"{word.text} is not a word of a configuration",
            where=self._place(word.line),
            hint="give a .cfg, not a module: the pinned TLC reads no CONFIG within one"
            if self._where.endswith(".tla")
            else nearest(word.text, WORDS),
        )

    def _place(self, line: int) -> str:
        return f"{self._where}:{line}" if line else self._where

    def _peek(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _next(self) -> _Token | None:
        token = self._peek()
        self._at += 1
        return token
