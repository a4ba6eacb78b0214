"""Read the fields of a plan's table, with messages that name the field."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal, TypeVar

from pyharness.errors import SpecError, nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

Choice = TypeVar("Choice", bound=str)


class Table:
    """A table of untyped values, as TOML or a command line gives them.

    ``fields`` are its values by key; ``where`` names the table in messages. Each reader takes a key and what
    the value must be, and returns the value, or the default if the key is absent. It raises SpecError, naming
    the key, if the value is something else, or if the key is absent and there is no default.
    """

    def __init__(self, fields: Mapping[str, object], where: str) -> None:
        self._fields = fields
        self._where = where

    def __contains__(self, key: str) -> bool:
        return key in self._fields

    def error(self, key: str, what: str, hint: str | None = None) -> SpecError:
        """Make the error that says ``what`` is wrong with the field ``key``."""
        return SpecError(f"`{key}` {what}", where=self._where, hint=hint)

    def require_keys(self, allowed: Collection[str], kind: str, known: Collection[str]) -> None:
        """Raise SpecError unless every key is ``allowed``.

        ``kind`` is the key that tells which keys are allowed; ``known`` are those of any kind of table.
        """
        takes = f"with `{kind}`, these keys go: {', '.join(sorted(set(allowed) - {kind}))}"
        for key in self._fields:
            if key in allowed:
                continue
            if key in known:
                raise self.error(key, f"does not go with `{kind}`", takes)
            close = get_close_matches(key, known, 1)
            raise self.error(key, "is not a known key", f"did you mean `{close[0]}`?" if close else takes)

    def number(self, key: str, default: int | None = None, *, least: int = 0) -> int:
        """Read a whole number from ``least`` on."""
        value = self._read(key, default)
        if type(value) is not int or value < least:
            raise self.error(key, f"is a whole number from {least} on, not {value!r}")
        return value

    def number_or_any(self, key: str, default: int, *, least: int) -> int | Literal["any"]:
        """Read a whole number from ``least`` on, or the word "any"."""
        value = self._read(key, default)
        if value == "any":
            return "any"
        if type(value) is not int or value < least:
            raise self.error(key, f'is a whole number from {least} on or "any", not {value!r}')
        return value

    def numbers(self, key: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """Read one whole number from 1 on, or a list of them that is not empty; ascending, each once."""
        value = self._read(key, default)
        items = value if isinstance(value, list | tuple) else [value]
        if not items or any(type(item) is not int or item < 1 for item in items):
            raise self.error(key, f"is a whole number from 1 on or a list of them, not {value!r}")
        return tuple(sorted(set(items)))

    def texts(self, key: str) -> tuple[str, ...]:
        """Read a list of texts that is not empty."""
        value = self._read(key, None)
        if not isinstance(value, list | tuple) or not value or any(type(item) is not str for item in value):
            raise self.error(key, f"is a list of texts, not {value!r}")
        return tuple(value)

    def choice(self, key: str, choices: tuple[Choice, ...], default: Choice | None = None) -> Choice:
        """Read one of a few words."""
        value = self._read(key, default)
        for word in choices:
            if value == word:
                return word
        raise self.error(key, f"cannot be {value!r}", nearest(str(value), choices))

    def flag(self, key: str, *, default: bool) -> bool:
        """Read true or false."""
        value = self._read(key, default)
        if not isinstance(value, bool):
            raise self.error(key, f"is true or false, not {value!r}")
        return value

    def _read(self, key: str, default: object) -> object:
        value = self._fields.get(key, default)
        if value is None:
            raise self.error(key, "is missing")
        return value
