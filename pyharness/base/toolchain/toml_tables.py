"""Read TOML tables key by key: every error names the file, the line and the key.

A *kind* reads a key of a table: ``table.take("items", integer(1, 9))`` returns the number, or raises a SpecError such as
``plan.toml:7: items: must be a number from 1 to 9, not 'one'``. :meth:`Table.read` makes a value of a class from all keys
of a table: other keys are errors, and those for which the class has no default must be there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from pyharness.base.errors import SpecError, nearest
from pyharness.base.toolchain.bounded_files import MOST_TOML_BYTES, parse_toml, read_utf8

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

T = TypeVar("T")

_NEEDED: Final[Any] = object()

_HEAD: Final = re.compile(r"\s*\[\[?[\w.\s-]+\]\]?\s*(#.*)?")


@dataclass
class Table:
    """A table of untyped values, as TOML gives them, which is read key by key.

    ``left`` are the values that were not taken yet. ``where`` names the file or another source. ``lines`` are the file's,
    if there is one, and ``head`` is the number of the table's first (from 0). ``name`` is the name in its header, with a
    dot; an ``inline`` table is on one line. ``prefix`` stands before each key in messages.
    """

    left: dict[str, Any]
    where: str
    lines: Sequence[str] = ()
    head: int = 0
    name: str = ""
    inline: bool = False
    prefix: str = ""
    _asked: dict[str, None] = field(default_factory=dict, init=False)

    def __contains__(self, key: str) -> bool:
        return key in self.left

    def error(self, message: str, key: str | None = None, hint: str | None = None) -> SpecError:
        """Make an error about a key, at its line; or about the table, at its head."""
        line = self.head if key is None else self._line(key) or self.head
        place = f"{self.where}:{line + 1}" if self.lines else self.where
        return SpecError(f"{self.prefix}{key}: {message}" if key else message, where=place, hint=hint)

    def given(self, key: str) -> Any:
        """Take the value of a key, which must be there."""
        self._asked[key] = None
        if key not in self.left:
            raise self.error("is missing", key, f"it has {', '.join(self.left) or 'nothing'}")
        return self.left.pop(key)

    def take(self, key: str, kind: Kind[T], default: Any = _NEEDED) -> T:
        """Take the value of a key, of a kind; the key may be missing if there is a default."""
        self._asked[key] = None
        return kind(self, key) if key in self or default is _NEEDED else default

    def read(self, make: Callable[..., T], kinds: Mapping[str, Kind[Any]]) -> T:
        """Make a value of a table with keys of these kinds, and no others."""
        self.close(kinds)
        needed = {each.name for each in signature(make).parameters.values() if each.default is each.empty}
        return make(**{key: kind(self, key) for key, kind in kinds.items() if key in self or key in needed})

    def table(self, key: str, *, needed: bool = True) -> Table:
        """Take a table, ``[key]`` or ``key = { }``; an empty one for one that is not there, and not ``needed``."""
        return self.within(key, self.given(key) if needed or key in self else {})

    def tables(self, key: str) -> list[Table]:
        """Take the tables ``[[key]]``, of which there may be none."""
        tables = value(f"[[{key}]] tables", list, lambda given: all(type(each) is dict for each in given))
        given = self.take(key, tables, [])
        heads = self._heads(f"[[{self.name}{key}]]") if self._line(key) is None else []
        return [
            self._inner(key, each, heads[number] if number < len(heads) else None, "")
            for number, each in enumerate(given)
        ]

    def within(self, key: str, values: Any) -> Table:
        """Return ``values``, a value below a key, as a table; its errors name the key. Raises SpecError for other values."""
        if not isinstance(values, dict):
            raise self.error(f"must be a table, not {values!r}", key)
        heads = self._heads(f"[{self.name}{key}]") if self._line(key) is None else []
        return self._inner(key, values, heads[0] if heads else None, f"{self.prefix}{key}.")

    def close(self, known: Iterable[str] | None = None) -> None:
        """Raise SpecError for a key that was not taken, and is not ``known``."""
        keys = (*(self._asked if known is None else known),)
        for key in self.left:
            if known is None or key not in keys:
                raise self.error("no such key", key, nearest(key, keys))

    def _inner(self, key: str, values: Mapping[str, Any], head: int | None, prefix: str) -> Table:
        line = self._line(key) or self.head if head is None else head
        name = f"{self.name}{key}."
        return replace(self, left={**values}, head=line, name=name, inline=head is None, prefix=prefix)

    def _line(self, key: str) -> int | None:
        """Return the number of the line that begins with a key, from 0; ``None`` if there is none."""
        written = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]")
        for number in range(self.head, len(self.lines) * (not self.inline)):
            if number > self.head and _HEAD.fullmatch(self.lines[number]):
                break
            if written.match(self.lines[number]):
                return number
        return None

    def _heads(self, head: str) -> list[int]:
        lines = enumerate(self.lines)
        return [n for n, line in lines if n >= self.head and line.partition("#")[0].replace(" ", "") == head]


Kind: TypeAlias = Callable[[Table, str], T]
"""A function that takes the value of a key of a table."""


def value(
    words: str,
    of: type,
    fits: Callable[[Any], object] = lambda _: True,
    make: Callable[[Any], Any] = lambda given: given,
) -> Kind[Any]:
    """Return the kind of the values ``of`` a type for which ``fits`` is true; ``words`` describe them in errors.

    ``make`` converts a value. A SpecError that it raises is raised with the place.
    """

    def taken(table: Table, key: str) -> Any:
        given = table.given(key)
        if type(given) is not of or not fits(given):
            raise table.error(f"must be {words}, not {given!r}", key)
        try:
            return make(given)
        except SpecError as error:
            place = f" ({error.where})" if error.where else ""
            raise table.error(f"{error.message}{place}", key, error.hint) from None

    return taken


def integer(least: int = 0, most: int | None = None, words: str = "a number") -> Kind[int]:
    """Return the kind of integers from ``least`` on, up to ``most`` unless ``None``."""
    bounds = f"{words} from {least} {'on' if most is None else f'to {most}'}"
    return value(bounds, int, lambda given: least <= given <= (given if most is None else most))


def one_of(choices: Iterable[T]) -> Kind[T]:
    """Return the kind of the texts in ``choices``."""
    words = [*choices]

    def chosen(given: T) -> T:
        if given not in words:
            raise SpecError(f"cannot be {given!r}", hint=nearest(str(given), map(str, words)))
        return given

    return value(f"one of {', '.join(map(str, words))}", str, make=chosen)


def are_texts(given: Iterable[Any]) -> bool:
    """Return whether all values are texts."""
    return all(type(each) is str for each in given)


def by_name(of: type, words: str, fits: Callable[[Any], object] = lambda _: True) -> Kind[dict[str, Any]]:
    """Return the kind of tables in which each value is ``of`` a type and ``fits`` is true; ``words`` describe them."""
    return value(words, dict, lambda given: all(type(each) is of and fits(each) for each in given.values()))


TEXT: Final[Kind[str]] = value("text", str)
WORDS: Final[Kind[str]] = value("text that is not empty", str, str.strip)
FLAG: Final[Kind[bool]] = value("true or false", bool)
LIST: Final[Kind[list[Any]]] = value("a list", list)
NAMES: Final[Kind[tuple[str, ...]]] = value("a list of names", list, are_texts, tuple)


def read_table(path: Path, file_format: str) -> Table:
    """Read a file of this format. Raises SpecError for one that cannot be read, or is of another format."""
    return parse_table(read_utf8(path, MOST_TOML_BYTES), path.name, file_format)


def parse_table(text: str, where: str, file_format: str | None = None) -> Table:
    """Read the text of a file, named ``where`` in errors, and of this format if one is named. Raises SpecError."""
    table = Table(parse_toml(text, where), where, text.split("\n"))
    if file_format is not None:
        table.take("format", value(repr(file_format), str, file_format.__eq__))
    return table
