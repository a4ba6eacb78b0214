"""Runs of TLC that tests share: a run with the same content as an earlier one is not made again.

The content is all that the result depends on: TLC's command line, Java, the jar, every module and configuration
that TLC can find, and the code that reads its output. What is kept is what the run itself gave, its result, its dump
and its output, in ``build/tests-tlc`` for later sessions, too; the workers of xdist use it together. Runs that did not
come to an end of their own, that are given little time, that simulate, or that are given more are always made. None is
long enough for Java's optimising compiler to pay, which is left out of all. Nothing here is for the tests of
``tests/tla/tlc``, ``tests/base`` and ``tests/package``, which are about running TLC.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import pickle
import shutil
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.base.toolchain.code_digest import code_digest
from pyharness.base.toolchain.own_files import write_bytes
from pyharness.tla.tlc import EndedBy, Outcome, TlcRun, run_tlc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyharness.tla.tlc import Result

LEAST_SECONDS = 10.0
"""A run with less time than this may be meant to be cut off."""

FAILURES = {Outcome.INCOMPLETE, Outcome.OUT_OF_MEMORY, Outcome.STACK_OVERFLOW, Outcome.TOOL_ERROR}


class SharedRuns:
    """``run_tlc`` with a directory in which results are kept; ``made`` counts the runs that ``real`` made."""

    def __init__(self, kept: Path, real: Callable[..., Result] = run_tlc) -> None:
        self.kept, self.real, self.made = kept, real, 0
        kept.mkdir(parents=True, exist_ok=True)

    def __call__(self, run: TlcRun, **options) -> Result:
        run = replace(run, quick_jvm=True)
        given = {name: value for name, value in options.items() if value is not None}
        in_time = run.timeout is None or run.timeout >= LEAST_SECONDS
        given.pop("on_progress", None)  # says how far a run is, about once a minute
        written = {".dump": run.dump, ".output": given.pop("output", None)}
        if given or not in_time or run.simulation or run.options or not run.directory.is_dir():
            return self._make(run, options)
        name = content_of(run, written=bool(written[".output"]))
        with alone(self.kept / f"{name}.lock"):
            file = self.kept / f"{name}.result"
            places = [(self.kept / f"{name}{suffix}", place) for suffix, place in written.items() if place]
            if file.is_file():
                for kept, place in places:
                    if kept.is_file():
                        shutil.copyfile(kept, place)
                file.touch()
                return pickle.loads(file.read_bytes())  # noqa: S301 - written below
            result = self._make(run, options)
            if result.ended_by is EndedBy.EXIT and result.finished and result.outcome not in FAILURES:
                for kept, place in places:
                    if place.is_file():
                        shutil.copyfile(place, kept)
                write_bytes(file, pickle.dumps(result))
        return result

    def _make(self, run: TlcRun, options: dict[str, object]) -> Result:
        self.made += 1
        return self.real(run, **options)


def content_of(run: TlcRun, *, written: bool = False) -> str:
    """Return a digest of all that the result of a run depends on, and whether its output is written to a file, too.

    Not of the places where things are.
    """
    dump = run.dump and Path(f"dump{run.dump.suffix}")
    heap = min(run.heap_mib, 512)  # a run that did not come to its end for want of more is not kept
    placeless = replace(
        run, directory=Path("directory"), libraries=(), dump=dump, timeout=None, heap_mib=heap
    )
    parts = [*placeless.command(Path("scratch")), _digest(run.jar, run.jar.stat().st_mtime_ns)]
    parts += [code_digest("base", "tla"), f"{written}"]
    for place in (run.directory, *run.libraries):
        parts += [f"{place == run.directory}"]
        parts += [
            f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}"
            for file in sorted(place.glob("*"))  # a directory of a user's specs may be missing
            if file.suffix in {".tla", ".cfg"}
        ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@cache
def _digest(path: Path, _changed: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold a lock that only one of the session's processes can have."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def forget_old(kept: Path) -> None:
    """Remove what no test has asked for in two weeks."""
    for file in kept.glob("*"):
        if time.time() - file.stat().st_mtime > 14 * 24 * 3600:
            file.unlink(missing_ok=True)


def replace_everywhere(shared: SharedRuns, patch) -> None:
    """Let every module of the package that runs TLC share its runs; the package ``tlc`` itself is left as it is."""
    for name, module in list(sys.modules.items()):
        ours = name.startswith("pyharness.") and not name.startswith("pyharness.tla.tlc")
        if ours and getattr(module, "run_tlc", None) is run_tlc:
            patch.setattr(module, "run_tlc", shared)
