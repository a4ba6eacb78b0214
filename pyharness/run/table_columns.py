"""The columns of a table, read off the class of its rows; rows as plain values and back, with every type checked."""

from __future__ import annotations

import hashlib
import types
from dataclasses import dataclass, fields
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from pyharness.run.table_rows import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its ``name``, the type of a value (of an element, if ``many``), and whether it may be null."""

    name: str
    kind: type
    many: bool = False
    nullable: bool = False

    def plain(self, value: Any) -> Any:
        """Return a value of this column as a number, a text, a list of them, or ``None``.

        Raises TypeError for a value of another type.
        """
        self._require(value)
        if isinstance(value, Enum):
            return value.name
        return list(value) if self.many and value is not None else value

    def value(self, plain: Any) -> Any:
        """Return the value that :meth:`plain` wrote. Raises TypeError or ValueError for what it cannot have written."""
        value = plain
        if self.many and isinstance(plain, list):
            value = tuple(plain)
        elif issubclass(self.kind, Enum) and isinstance(plain, str):
            if plain not in self.kind.__members__:
                raise ValueError(f"{self.name} is no {self.kind.__name__}: {plain!r}")
            value = self.kind[plain]
        elif self.kind is float and type(plain) is int:
            value = float(plain)
        self._require(value)
        return value

    def _require(self, value: Any) -> None:
        if value is None and self.nullable:
            return
        given = value if self.many and isinstance(value, tuple) else (value,)
        if (self.many and not isinstance(value, tuple)) or any(type(item) is not self.kind for item in given):
            raise TypeError(f"{self.name} is {value!r}, and should be {self}")

    def __str__(self) -> str:
        """What its values are, in words: ``str``, ``list of str``, ``int or null``."""
        words = f"list of {self.kind.__name__}" if self.many else self.kind.__name__
        return f"{words} or null" if self.nullable else words


def columns(kind: type[Any]) -> tuple[Column, ...]:
    """Return the columns of a class of rows, in order.

    Raises TypeError for a field whose type no column can have.
    """
    return _columns(kind)  # type: ignore[arg-type] # mypy does not know that classes are hashable


@cache
def _columns(kind: Any) -> tuple[Column, ...]:
    hints = get_type_hints(kind)
    return tuple(_column(field.name, hints[field.name]) for field in fields(kind))


def _column(name: str, hint: Any) -> Column:
    nullable = get_origin(hint) in {Union, types.UnionType}
    inner = [part for part in get_args(hint) if part is not type(None)] if nullable else [hint]
    many = get_origin(inner[0]) is tuple and get_args(inner[0])[1:] == (...,)
    kind = get_args(inner[0])[0] if many else inner[0]
    known = kind in {str, int, float, bool} or (isinstance(kind, type) and issubclass(kind, Enum))
    if len(inner) != 1 or not known:
        raise TypeError(f"no column can have the type of {name}: {hint}")
    return Column(name, kind, many, nullable)


def to_plain(row: Any) -> dict[str, Any]:
    """Return a row as plain values by column: numbers, texts, lists of them, and ``None``.

    Raises TypeError for a value that is not of its column's type.
    """
    return {column.name: column.plain(getattr(row, column.name)) for column in columns(type(row))}


def from_plain(kind: type[Row], plain: Mapping[str, Any]) -> Row:
    """Return the row whose plain values these are: every column, no other.

    Raises TypeError or ValueError, naming the column, for values that no row of ``kind`` has.
    """
    named = columns(kind)
    if set(plain) != {column.name for column in named}:
        differ = sorted(set(plain) ^ {column.name for column in named})
        raise ValueError(f"not the columns of {kind.__name__}: {', '.join(map(str, differ))}")
    return kind(**{column.name: column.value(plain[column.name]) for column in named})


@cache
def rows_version() -> str:
    """Return a digest of all tables' columns: another one as soon as a row looks different."""
    shape = repr([(name, [(c.name, str(c)) for c in columns(kind)]) for name, kind in TABLES.items()])
    return hashlib.sha256(shape.encode()).hexdigest()[:16]
