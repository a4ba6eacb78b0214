"""The logs of real runs that a plan names: ``[[logs]]`` tables, each a directory that must validate."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING

from pyharness.base.toolchain.toml_tables import FLAG, WORDS
from pyharness.hold.logs.log_source import LogSource

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyharness.base.toolchain.toml_tables import Table


def read_logs(tables: Iterable[Table], beside: Path) -> tuple[LogSource, ...]:
    """Read the tables of a plan; directories are relative to the one that the plan is in.

    Raises SpecError for a table with other keys or values.
    """
    found: dict[str, LogSource] = {}
    for table in tables:
        directory = beside / table.take("directory", WORDS)
        name = table.take("name", WORDS, directory.name)
        if name in found:
            raise table.error(f"other logs are called {name!r}", "name")
        protocol = table.take("protocol", WORDS, "")
        found[name] = LogSource(name, directory, protocol, table.take("tlc", FLAG, default=True))
        table.close()
    return tuple(found.values())


def content_of(directory: Path) -> dict[str, str]:
    """Return a digest of each log in a directory, by its name; where it is not a file, or not there, words for that."""
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
