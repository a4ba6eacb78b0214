"""What the ids of jobs name is what runs: compiled modules of just these sources, and files that stay as they are.

The code that is named is the code that runs: Python takes a compiled module by the time and the size of its source. A
source that was replaced by one of the same size and time, as copies that keep times make it, is not read then: what
runs is the old one, and a result would be named by the new one.

The files that the ids of jobs name, watched while the jobs run: what was made after one was written is not kept. That a
file has its old text in the end is not enough. A task may have read it in between, when another branch was checked out
and then the first one again; and a run that is killed comes to no end, but leaves what its jobs had left.
"""

from __future__ import annotations

import marshal
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import ToolError
from pyharness.gate.jobs.jobs import files_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from os import stat_result

    from pyharness.gate.jobs.jobs import AnyJob
    from pyharness.models.machine_tools import Tools
    from pyharness.tla.modules.library import Library


_HEAD: Final = 16
_BY_HASH, _CHECKED = 0b01, 0b10
"""What a compiled module says of itself: that it is known by its source's hash, and that Python looks at that."""


def require_own_code(sources: Iterable[Path]) -> None:
    """Require that Python runs these modules, and not something else that was compiled in their place.

    Only what was compiled before its source last changed is read.

    Raises ToolError for the first that it does not run.
    """
    for source in sources:
        if source.suffix == ".py" and _is_stale(source):
            raise ToolError(
                "Python runs an older text of this module, which it has compiled",
                where=str(source),
                hint="remove the directories __pycache__, and run it again",
            )


def _is_stale(source: Path) -> bool:
    compiled = Path(cache_from_source(source))
    try:
        now, then = source.stat(), compiled.stat()
        if now.st_ctime_ns < then.st_mtime_ns:
            return False
        content = compiled.read_bytes()
        if not _is_taken(content[:_HEAD], now):
            return False
        own = compile(source.read_bytes(), str(source), "exec", dont_inherit=True)
        return bool(marshal.loads(content[_HEAD:]) != own)  # noqa: S302 - what Python would run
    except (OSError, SyntaxError, ValueError, EOFError, TypeError):
        return False  # then Python cannot take it either


def _is_taken(head: bytes, source: stat_result) -> bool:
    """Tell whether Python takes what has this head for the compilation of the source, which it has not read."""
    flags = int.from_bytes(head[4:8], "little")
    if head[:4] != MAGIC_NUMBER:
        return False
    if flags & _BY_HASH:
        return not flags & _CHECKED
    time, size = (int.from_bytes(head[at : at + 4], "little") for at in (8, 12))
    return (time, size) == (int(source.st_mtime) & 0xFFFFFFFF, source.st_size & 0xFFFFFFFF)


class WatchedFiles:
    """The files of some jobs, as they are when this is made."""

    def __init__(self, jobs: Iterable[AnyJob], library: Library, tools: Tools) -> None:
        self._files = {job.id: files_of(job, library, tools) for job in jobs}
        self._marks = {path: _mark(path) for files in self._files.values() for path in files}

    @property
    def all(self) -> Collection[Path]:
        """All of them."""
        return self._marks.keys()

    def written(self, job: AnyJob) -> Path | None:
        """Return a file of a job that was written, replaced or removed since, whatever is in it; or ``None``."""
        return next((path for path in self._files[job.id] if _mark(path) != self._marks[path]), None)


def _mark(path: Path) -> tuple[int, ...] | None:
    """Return what changes whenever a file is written or another one takes its place.

    The time of its last change of any kind is among it, which no program can set back.
    """
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
