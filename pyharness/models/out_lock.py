"""One run at a time in a directory of results, which is the tool's own."""

from __future__ import annotations

import fcntl
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError, ToolError
from pyharness.base.toolchain.own_files import own_directory, own_place, require_no_links

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK: Final = ".lock"
"""The name of the file that a run holds in its directory, which is thereby known as one of results."""

_OURS: Final = frozenset(
    {"failures", "jobs", "report", "report-parts"} | {"junit.xml", "summary.md", "tables"}
)
"""What runs write, replace and remove there."""


_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold ``directory``, which is made if there is none, for one run of a plan.

    The system lets go when the process ends, however it ends. Raises ToolError when another run holds it, or when it
    cannot be written; SpecError when there are links in it, when its lock is none, or when it is not one of results and
    has files that a run would replace.
    """
    own_place(directory)
    require_no_links(directory)
    _require_ours(directory)
    try:
        own_directory(directory)
        number = os.open(directory / LOCK, _FLAGS, 0o666)
    except IsADirectoryError:
        raise _no_lock(directory) from None
    except OSError as error:
        raise ToolError(f"results cannot be written here: {error.strerror}", where=str(directory)) from None
    about = os.fstat(number)
    # What has another name, too, may be somebody else's.
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
        os.close(number)
        raise _no_lock(directory)
    with os.fdopen(number, "r+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
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


def _no_lock(directory: Path) -> SpecError:
    return SpecError(
        "this is no file of a run's own, and a run would write into it",
        where=str(directory / LOCK),
        hint="remove it, or name another directory by --out",
    )


def _require_ours(directory: Path) -> None:
    if (directory / LOCK).is_file() or not directory.is_dir():
        return
    foreign = sorted(path.name for path in directory.iterdir() if path.name in _OURS)
    if foreign:
        raise SpecError(
            f"a run would replace what is here and is not its own: {', '.join(foreign)}",
            where=str(directory),
            hint="move that away, or name a new directory by --out",
        )
