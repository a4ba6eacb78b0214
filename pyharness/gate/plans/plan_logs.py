"""The logs of real runs that a plan names: ``[[logs]]`` tables, each a directory that must validate."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING, Any

from pyharness.base.errors import SpecError, nearest
from pyharness.hold.logs.log_source import LogSource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


_KEYS = {"name": str, "directory": str, "protocol": str, "tlc": bool}


def read_logs(
    given: Any, beside: Path, error: Callable[[str, int | None, str | None], SpecError]
) -> tuple[LogSource, ...]:
    """Read the tables of a plan; directories are relative to the one that the plan is in.

    ``error`` makes the error of a message, a table's number and a key. Raises it for what is no such table.
    """
    if not isinstance(given, list) or not all(isinstance(table, dict) for table in given):
        raise error("must be [[logs]] tables", None, "logs")
    found = [_read(table, beside, number, error) for number, table in enumerate(given)]
    names = [source.name for source in found]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise error(f"other logs are called {name!r}", number, "name")
    return tuple(found)


def _read(
    table: Mapping[str, Any],
    beside: Path,
    number: int,
    error: Callable[[str, int | None, str | None], SpecError],
) -> LogSource:
    for key, value in table.items():
        if key not in _KEYS:
            raise error(f"no such key; {nearest(key, _KEYS)}", number, key)
        if not isinstance(value, _KEYS[key]) or value == "":
            raise error(f"must be {'true or false' if key == 'tlc' else 'text'}, not {value!r}", number, key)
    if "directory" not in table:
        raise error("these logs have no directory", number, None)
    directory = beside / table["directory"]
    name = table.get("name", directory.name)
    return LogSource(name, directory, table.get("protocol", ""), table.get("tlc", True))


def content_of(directory: Path) -> dict[str, str]:
    """Return a digest of each log in a directory, by its name; of one that is no file, or not there, say that."""
    try:
        names = sorted(path.name for path in directory.iterdir() if path.suffix == ".jsonl")
    except OSError as error:
        return {"": f"cannot be read: {error.strerror}"}
    return {name: _digest(directory / name) for name in names}


def _digest(path: Path) -> str:
    try:
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        return "no regular file"
    with os.fdopen(number, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
