"""The files that the ids of jobs name, watched while the jobs run: what was made after one was written is not kept.

That a file has its old text in the end is not enough. A task may have read it in between, when another branch was
checked out and then the first one again; and a run that is killed comes to no end, but leaves what its jobs had left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.run.jobs import files_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from pyharness.modules.library import Library
    from pyharness.run.jobs import AnyJob
    from pyharness.run.machine_tools import Tools


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
