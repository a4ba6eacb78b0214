"""The results of a run that go to a store: made in a directory of this machine, and brought to the store from there.

The kept rows of jobs are brought from the store when they are asked for, so that a run goes on from any machine, and
put there as soon as their job has ended. Pages and tables follow at the end of the run. While the store does not
answer, the run goes on, and what is to be put there waits; what has not arrived when the run has ended is an error,
no pass.
"""

from __future__ import annotations

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import ToolError
from pyharness.base.toolchain.own_files import write_bytes
from pyharness.gate.jobs.store import RENEWED_SECONDS, StoreClaim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pyharness.gate.jobs.store import Store

_OF_ONE_RUN: Final = ("report", "failures")
_LAST: Final = ("report/index.html", "summary.md", "junit.xml")
"""What tells of one run, and nothing of it is left when the next one begins; the last ones are put last."""

_BEFORE: Final = ("failed.json", "named.json")
"""What a run looks up of the one before, with the history."""

_OF_THE_MACHINE: Final = ("report-parts",)
"""What only saves this machine time."""

_JOBS, _HISTORY = "jobs", "history"
_AT_ONCE: Final = 8
"""So many objects are on their way at the same time."""

_RUNS: Final = 50
"""So many runs of the history are brought, the last ones: no more are read."""


class StoredResults:
    """The results of one run in ``store``, made below ``directory``.

    ``say`` is told when the store is lost, and when it is back. It holds the store for this run until :meth:`publish`.
    """

    def __init__(self, store: Store, directory: Path, say: Callable[[str], None]) -> None:
        """Take the store. Raises ToolError when another run holds it, or it does not answer."""
        self.uri = store.uri
        self.directory = directory
        self._store = store
        self._say = say
        self._brought: set[str] = set()
        self._waiting: dict[str, None] = {}
        self._guard = threading.Lock()
        self._wake = threading.Event()
        self._ended = False
        self._lost: ToolError | None = None
        self._claim = StoreClaim(store)
        try:
            self._there = set(store.names())
            self._begin()
        except BaseException:
            with suppress(ToolError):
                self._claim.release()
            raise
        self._thread = threading.Thread(target=self._work, name="store", daemon=True)
        self._thread.start()

    def _begin(self) -> None:
        """Remove what tells of the run before, so that it cannot be taken for this one's, and bring what it left."""
        for name in _LAST:
            if name in self._there:
                self._store.remove(name)
        for under in _OF_ONE_RUN:
            if any(name.startswith(f"{under}/") for name in self._there):
                self._store.clear(under)
        runs = [name for name in self._there if re.fullmatch(rf"{_HISTORY}/\d[^/]*\.json", name)]
        self._bring([*_BEFORE, *sorted(runs)[-_RUNS:]])

    def bring_jobs(self, paths: Iterable[Path]) -> None:
        """Bring the kept rows of jobs into these files, where the store had them when the run began."""
        self._bring(name for name in map(self._name, paths) if not (self.directory / name).exists())

    def mirror(self, path: Path) -> None:
        """Have the store be as ``path`` is now, soon: with an object of its content, or without one if it is gone."""
        with self._guard:
            self._waiting[self._name(path)] = None
        self._wake.set()

    def publish(self) -> None:
        """Bring everything to the store, and let go of it.

        Raises ToolError when that fails, or another run has taken the store meanwhile: what tells of a verdict is then
        not there.
        """
        self._ended = True
        self._wake.set()
        self._thread.join()
        self._claim.require_held()
        self._settle()
        files = [self._name(path) for path in self.directory.rglob("*") if path.is_file()]
        mine = [name for name in files if self._is_published(name)]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(self._same, (name for name in mine if name not in _LAST)))
        for name in _LAST:
            self._same(name)
        self._claim.release()

    def _is_published(self, name: str) -> bool:
        first, *_ = parts = PurePosixPath(name).parts
        if first in {_JOBS, *_OF_THE_MACHINE} or any(part.startswith(".") for part in parts):
            return False
        return name not in self._brought or first != _HISTORY

    def _bring(self, names: Iterable[str]) -> None:
        wanted = [name for name in names if name in self._there]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for name, content in zip(wanted, pool.map(self._store.read, wanted), strict=True):
                if content is not None:
                    path = self.directory / name
                    write_bytes(path, content)
                    self._brought.add(name)

    def _name(self, path: Path) -> str:
        return path.relative_to(self.directory).as_posix()

    def _same(self, name: str) -> None:
        """Have the object of this name be as the file of this name is."""
        try:
            content = (self.directory / name).read_bytes()
        except FileNotFoundError:
            if name in self._there:
                self._store.remove(name)
        else:
            self._there.add(name)
            self._store.write(name, content)

    def _settle(self) -> None:
        """Do what waits; what fails goes on waiting."""
        while True:
            with self._guard:
                if not self._waiting:
                    return
                name = next(iter(self._waiting))
                del self._waiting[name]
            try:
                self._same(name)
            except ToolError:
                with self._guard:
                    self._waiting.setdefault(name)
                raise

    def _work(self) -> None:
        """Put what waits, and renew the claim, until the run has ended; a lost store is asked again."""
        renewed = time.monotonic()
        while not self._ended:
            try:
                self._settle()
                if time.monotonic() - renewed >= RENEWED_SECONDS:
                    self._claim.require_held()
                    self._claim.renew()
                    renewed = time.monotonic()
            except ToolError as error:
                self._is_lost(error)
            else:
                self._answered()
            self._wake.wait(RENEWED_SECONDS)
            self._wake.clear()

    def _is_lost(self, error: ToolError) -> None:
        if self._lost is None:
            self._say(
                f"{error.where}: {error.message}; the run goes on, and its results wait in {self.directory}"
            )
        self._lost = error

    def _answered(self) -> None:
        if self._lost is not None:
            self._say(f"{self.uri.of()}: the store answers again")
        self._lost = None
