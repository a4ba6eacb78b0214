r"""Read TLA+ values and states from TLC's text.

:func:`parse_value` reads one value with the grammar in ``value.lark``. :class:`StateReader` reads states,
each a few ``/\ var = value`` lines. A state graph repeats its lines: 190,000 lines of a typical dump are 5,600
different ones. So the reader caches the meaning of each line, and a state of N lines costs N look-ups in a dict.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, Final, cast

from lark import Lark, Token, Transformer
from lark.exceptions import LarkError, UnexpectedInput, UnexpectedToken, VisitError

from pyharness.base.errors import SpecError
from pyharness.tla.values.values import Fn, ModelValue, Value, function, set_of

MAX_INTERVAL: Final = 1_000_000
"""The largest interval ``a..b`` that is read as a set; TLC has the same limit for sets."""

_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_NAME: Final = re.compile(r"[0-9_]*[^\W\d_]\w*")
_SIGN: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|<<|>>|[][(){},]|@@')
_OPENS, _CLOSES = frozenset({"<<", "[", "(", "{"}), frozenset({">>", "]", ")", "}"})
_SHORT: Final = 500
"""The most characters of a part of a value that is kept."""
_INTERVAL: Final = re.compile(r"(-?\d{1,18})\s*\.\.\s*(-?\d{1,18})")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)


class _Build(Transformer[Token, Value]):
    """Builds the value while the parser reduces; one method for each alias in the grammar."""

    def integer(self, items: list[str]) -> Value:
        return int(items[0])

    def interval(self, items: list[str]) -> Value:
        low, high = int(items[0]), int(items[1])
        if high - low >= MAX_INTERVAL:
            raise SpecError(f"the interval {low}..{high} has more than {MAX_INTERVAL} elements")
        return frozenset(range(low, high + 1))

    def string(self, items: list[str]) -> Value:
        text = items[0][1:-1]
        if "\\" in text:
            return _ESCAPED.sub(lambda m: _ESCAPES.get(m[1], m[1]), text)
        return str(text)

    def true(self, _: list[str]) -> Value:
        return True

    def false(self, _: list[str]) -> Value:
        return False

    def model_value(self, items: list[str]) -> Value:
        return ModelValue(str(items[0]))

    def set(self, items: list[Value]) -> Value:
        return set_of(items)

    def tuple(self, items: list[Value]) -> Value:
        return tuple(items)

    def field(self, items: list[Any]) -> Any:
        return str(items[0]), items[1]

    def pair(self, items: list[Any]) -> Any:
        return items[0], items[1]

    def record(self, items: list[Any]) -> Value:
        return function(items)

    def function(self, items: list[Any]) -> Value:
        return function(items)


@cache
def _parser() -> Lark:
    return Lark.open(
        "value.lark",
        rel_to=__file__,
        parser="lalr",
        lexer="basic",
        transformer=_Build(),
        start=["start", "pair"],
    )


def parse_value(text: str) -> Value:
    """Read one TLA+ value as TLC prints it, line breaks and indentation allowed.

    Raises ``SpecError`` with the line, the column and a caret under the place when ``text`` is not one value.
    """
    try:
        return cast("Value", _parser().parse(text, start="start"))
    except UnexpectedInput as error:
        raise _bad_value(text, error) from None
    except VisitError as error:
        if isinstance(error.orig_exc, SpecError):
            raise error.orig_exc from None
        raise SpecError(f"not a TLA+ value: {error.orig_exc}") from None
    except LarkError as error:
        raise SpecError(f"not a TLA+ value: {error}") from None


def _bad_value(text: str, error: UnexpectedInput) -> SpecError:
    """Show the place of ``error`` in ``text``: a short stretch of the line and a caret under it."""
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    at = len(text.rstrip()) if ended or error.pos_in_stream is None else error.pos_in_stream
    start = text.rfind("\n", 0, at) + 1
    stop = text.find("\n", at)
    line = text[start : len(text) if stop < 0 else stop]
    column = at - start
    left = max(0, column - 60)
    shown = line[left : column + 20]
    wrong = "it ends too early" if ended else f"unexpected {text[at]!r}"
    picture = f"{shown}\n  {' ' * (column - left)}^"
    where = f"line {text.count(chr(10), 0, at) + 1}, column {column + 1}"
    return SpecError(f"not a TLA+ value, {wrong}", where=where, hint=picture)


class Memo(dict[str, tuple[str, Value]]):
    r"""The meaning of each line ``var = value`` (without its ``/\``): ``memo[line]`` is the pair (name, value).

    An unknown line is parsed and kept. The memo is emptied whenever it holds ``max_entries`` lines or
    ``max_chars`` characters of line text (the values take a small multiple of that in memory). So it stays
    bounded on a graph whose lines never repeat; such a graph is merely read more slowly. After ``most`` characters of
    different lines it raises ``SpecError``.
    """

    def __init__(
        self, max_entries: int = 200_000, max_chars: int = 32_000_000, most: int | None = None
    ) -> None:
        super().__init__()
        self._room = most
        self.max_entries = max_entries
        self.max_chars = max_chars
        self._chars = 0

    def __missing__(self, line: str) -> tuple[str, Value]:
        name, sign, text = line.partition(" = ")
        name = name.strip()
        if not sign or not _NAME.fullmatch(name):
            raise SpecError(f"not a line of a state: {line[:80]!r}", hint="expected: /\\ variable = value")
        if self._room is not None:
            self._room -= len(line) + _elements(line)
            if self._room < 0:
                raise SpecError("too many different values to read", hint="give a shorter trace")
        entry = (name, _value(text))
        self._chars += len(line)
        if len(self) >= self.max_entries or self._chars > self.max_chars:
            self.clear()
            self._chars = len(line)
        self[line] = entry
        return entry


def _value(text: str) -> Value:
    """Read a value; a tuple or a function part by part, since parts repeat where complete lines do not."""
    try:
        if text.startswith("<<") and text.endswith(">>") and (parts := _cut(text[2:-2], ",")):
            return tuple(map(_part, parts))
        if text.startswith("(") and text.endswith(")") and (parts := _cut(text[1:-1], "@@")):
            return function(map(_pair, parts))
    except (LarkError, SpecError):
        pass  # the error of all of the text has the place
    return parse_value(text)


def _cut(text: str, sign: str) -> list[str]:
    """Cut a text at each ``sign`` outside of brackets and strings; no parts if the brackets do not match."""
    parts, depth, begin = [], 0, 0
    for found in _SIGN.finditer(text):
        if found[0] in _OPENS:
            depth += 1
        elif found[0] in _CLOSES:
            depth -= 1
            if depth < 0:
                return []
        elif not depth and found[0] == sign:
            parts.append(text[begin : found.start()])
            begin = found.end()
    return [] if depth else [*parts, text[begin:]]


def _part(text: str) -> Value:
    return _kept_value(text) if len(text) <= _SHORT else parse_value(text)


def _pair(text: str) -> tuple[Value, Value]:
    return _kept_pair(text) if len(text) <= _SHORT else _read_pair(text)


def _read_pair(text: str) -> tuple[Value, Value]:
    return cast("tuple[Value, Value]", _parser().parse(text, start="pair"))


_kept_value = lru_cache(100_000)(parse_value)
_kept_pair = lru_cache(100_000)(_read_pair)


def _elements(line: str) -> int:
    """Return how many elements the intervals of a line have, each of which is read as a set of them."""
    return sum(max(0, int(high) - int(low)) for low, high in _INTERVAL.findall(line))


class StateReader:
    """Reads states from the text TLC prints for them; one reader for a run, its memo makes it fast.

    ``memo`` may be shared between readers of one thread.
    """

    def __init__(self, memo: Memo | None = None) -> None:
        self.memo = Memo() if memo is None else memo

    def read(self, text: str) -> Fn:
        r"""Return the state whose lines are ``text``: a function from variable name to value, in name order.

        ``text`` is ``/\ var = value`` lines with indented continuation lines, or one bare ``var = value``.
        Raises ``SpecError`` for text that is not a state, or that gives a variable twice.
        """
        lines = text.strip().removeprefix("/\\ ").split("\n/\\ ")
        state = dict(map(self.memo.__getitem__, lines))
        if len(state) != len(lines):
            raise SpecError("a state gives a variable two values", where=text[:80])
        return Fn.of_sorted(dict(sorted(state.items())))
