"""TOML files of this project, and tables that are read field by field, so that errors name the fault and its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import read_toml

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from pyharness.machines.protocols import Value

T = TypeVar("T")


def toml_document(path: Path, file_format: str, keys: Collection[str]) -> dict[str, Any]:
    """Read a file of this ``format``, with no keys but ``keys`` beside it.

    Raises SpecError for a file that cannot be read, is of another format, or has other keys.
    """
    try:
        _, document = read_toml(path)
    except SpecError as error:
        raise SpecError(f"cannot be read: {error.message}", where=error.where) from None
    if document.pop("format", None) != file_format:
        raise SpecError(f"its format is not {file_format!r}", where=path.name)
    unknown = document.keys() - set(keys)
    if unknown:
        raise SpecError(f"unknown: {', '.join(sorted(unknown))}", where=path.name)
    return document


class Fields:
    """A TOML table that is read field by field, and refuses fields that nobody asked for."""

    def __init__(self, fields: Mapping[str, Any], where: str, prefix: str = "") -> None:
        self._fields, self._where, self._prefix = dict(fields), where, prefix

    def error(self, field: str, message: str, hint: str | None = None) -> SpecError:
        """Make an error about a field."""
        return SpecError(message, where=f"{self._where}, {self._prefix}{field}", hint=hint)

    def __contains__(self, field: str) -> bool:
        return field in self._fields

    def names(self) -> tuple[str, ...]:
        """Name the fields that are left."""
        return tuple(self._fields)

    def take(self, field: str, kind: type[T], default: T | None = None) -> T:
        """Take a field of this type; it may be missing if there is a default."""
        if field not in self._fields:
            if default is None:
                raise self.error(field, "this field is missing")
            return default
        value = self._fields.pop(field)
        if type(value) is not kind:
            raise self.error(field, f"{value!r} is not a {_KINDS[kind]}")
        return value

    def table(self, field: str) -> Fields:
        """Take a field that is a table."""
        return Fields(self.take(field, dict), self._where, f"{self._prefix}{field}.")

    def within(self, field: str, row: Mapping[str, Any]) -> Fields:
        """Read ``row``, an element of a list in this table."""
        return Fields(row, self._where, f"{self._prefix}{field}.")

    def texts(self, field: str) -> tuple[str, ...]:
        """Take a list of texts."""
        values = self.take(field, list)
        if not all(type(value) is str for value in values):
            raise self.error(field, "not a list of texts")
        return tuple(values)

    def state(self, field: str) -> Value:
        """Take a local state: a text, or a list of texts that stands for a set."""
        if isinstance(self._fields.get(field), str):
            return self.take(field, str)
        return frozenset(self.texts(field))

    def close(self) -> None:
        """Raise SpecError if a field is left."""
        for field in self._fields:
            raise self.error(
                field, "there is no such field here", "see pyharness/machines/replay/schedule.py"
            )


_KINDS: Final = {str: "text", int: "number", bool: "truth value", list: "list", dict: "table"}
