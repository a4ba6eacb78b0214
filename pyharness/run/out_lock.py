"""One run at a time in a directory of results."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from pyharness.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["LOCK", "locked"]

LOCK: Final = ".lock"
"""The name of the file that a run holds in its directory."""


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold ``directory``, which is made if there is none, for one run of a plan.

    The system lets go when the process ends, however it ends. Raises ToolError when another run holds it, or when it
    cannot be written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        file = (directory / LOCK).open("a+", encoding="utf-8")
    except OSError as error:
        raise ToolError(f"results cannot be written here: {error.strerror}", where=str(directory)) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.read(20).strip() or "unknown"
            raise ToolError(
                f"another run uses this directory (process {holder})",
                where=str(directory),
                hint="wait until it has ended, or give this run an --out of its own",
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
