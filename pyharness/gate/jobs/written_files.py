"""Detect that a file was written while jobs that may read it ran: their results are then not those that their ids name.

That a file has its old text in the end is not enough: a task may have read it in between, when another branch was
checked out and then the first one again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.base.toolchain.code_digest import code_files
from pyharness.gate.jobs.jobs import CODE, LogJob, ModuleJob

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyharness.gate.jobs.jobs import AnyJob
    from pyharness.models.machine_tools import Tools
    from pyharness.tla.modules.library import Library

_Marks = dict["Path", tuple[int, ...]]


class WrittenFiles:
    """The files that jobs may read: our code, a library's modules, the worked examples, and the jobs' own files."""

    def __init__(self, library: Library, tools: Tools) -> None:
        self._marks: dict[Path | None, _Marks] = {None: _marks(code_files(*CODE))}
        for directory in (*library.directories, *tools.specs, tools.specs[0] / "examples"):
            self._marks[directory] = _marks_in(directory)

    def add(self, jobs: Iterable[AnyJob]) -> None:
        """Look at the logs and the specs of these jobs, too."""
        for job in jobs:
            if isinstance(job, LogJob | ModuleJob):
                own = job.source.directory if isinstance(job, LogJob) else job.model.module.parent
                self._marks.setdefault(own, _marks_in(own))

    def written(self) -> Path | None:
        """Return a file that was written, replaced, removed or added since, even with the same content; or ``None``."""
        for directory, before in self._marks.items():
            now = _marks(before) if directory is None else _marks_in(directory)
            if now != before:
                return next(path for path in {**before, **now} if before.get(path) != now.get(path))
        return None


def _marks_in(directory: Path) -> _Marks:
    try:
        return _marks(
            path for path in directory.iterdir() if path.suffix in {".tla", ".cfg", ".toml", ".jsonl"}
        )
    except OSError:
        return {}


def _marks(paths: Iterable[Path]) -> _Marks:
    """Return a value that changes whenever one of the files is written, or another one takes its place.

    The time of its last change of any kind is among it, which no program can set back.
    """
    found: _Marks = {}
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        found[path] = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    return found
