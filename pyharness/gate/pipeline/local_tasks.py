"""Jobs side by side in processes of this machine: where a plan runs without Spark.

A process does one job after another, and what it is given and returns goes through a pipe between the two. The job of
one that dies runs once more, in another; if that dies, too, the job has failed, and that one alone. When this process
ends, however that may be, so do they, and the kernel ends their TLC with them.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, resource_tracker
from typing import TYPE_CHECKING, Final, Self

from pyharness.base.errors import ToolError
from pyharness.base.toolchain.machine_size import tasks_at_once
from pyharness.gate.pipeline.job_tasks import job_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from pyharness.gate.jobs.jobs import AnyJob
    from pyharness.gate.jobs.task_tools import TaskTools
    from pyharness.gate.pipeline.job_tasks import JointJob
    from pyharness.models.table_rows import TableRow

_SECONDS: Final = 10.0
"""The seconds that a process may take to end."""


class _LostError(Exception):
    """The process of a job has ended before the job."""


@dataclass(frozen=True)
class _Worker:
    process: SpawnProcess
    pipe: Connection


class LocalTasks:
    """Jobs in processes of this machine, with the tools that are ``given``; call it with the number of a job.

    ``warn`` is called with a message about each job that runs once more.
    """

    def __init__(
        self,
        jobs: Sequence[AnyJob | JointJob],
        given: TaskTools,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self._jobs = jobs
        self._given = given
        self._warn = warn
        self._scratch = tempfile.TemporaryDirectory(prefix="pyharness-jobs-", ignore_cleanup_errors=True)
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        for worker in self._workers:
            worker.process.join(_SECONDS)
            worker.process.kill()
            worker.process.join()
            worker.pipe.close()
        self._scratch.cleanup()

    def __call__(self, number: int) -> list[TableRow]:
        """Have a process run a job, and return its rows.

        Raises ToolError, with what was raised in that process as Python prints it, or with how the process ended.
        """
        try:
            return self._done(number)
        except _LostError as lost:
            if self._warn and not self._stopped:
                self._warn(f"{self._jobs[number].name}: {lost}; the job runs once more")
        try:
            return self._done(number)
        except _LostError as lost:
            raise ToolError(f"{lost}, for the second time") from None

    def _done(self, number: int) -> list[TableRow]:
        worker = self._worker()
        try:
            worker.pipe.send(self._jobs[number])
            rows, problem = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join(_SECONDS)
            raise _LostError(f"its process {_ended(worker.process.exitcode)}") from None
        with self._lock:
            self._idle.append(worker)
        if problem:
            raise ToolError(problem)
        return [*rows]

    def places(self) -> int:
        """Return how many jobs may run at the same time."""
        return tasks_at_once()

    def stop(self) -> None:
        """End all processes, and let none begin."""
        with self._lock:
            self._stopped = True
            for worker in self._workers:
                worker.process.terminate()

    def _worker(self) -> _Worker:
        """Return an idle process, a new one if there is none."""
        with self._lock:
            if self._stopped:
                raise ToolError("the run was stopped")
            if self._idle:
                return self._idle.pop()
            spawn = get_context("spawn")
            ours, theirs = spawn.Pipe()
            process = spawn.Process(target=_work, args=(theirs, self._given, self._scratch.name), daemon=True)
            resource_tracker.ensure_running()  # its start would let the signal in again
            before = signal.pthread_sigmask(
                signal.SIG_BLOCK, {signal.SIGINT}
            )  # an interrupt is for this process
            try:
                process.start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
                theirs.close()
            self._workers.append(_Worker(process, ours))
            return self._workers[-1]


def _work(pipe: Connection, given: TaskTools, scratch: str) -> None:
    """Run one job after another in this process, until there are no more."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which ends TLC on the way
    tempfile.tempdir = scratch
    with suppress(EOFError):
        while True:
            job = pipe.recv()
            rows: list[TableRow] = []
            problem = ""
            try:
                rows = job_rows(job, given)
            except Exception:  # noqa: BLE001 - any error is of this job only
                problem = traceback.format_exc()
            pipe.send((rows, problem))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _ended(status: int | None) -> str:
    if status is None:
        return "has ended, or does not answer"
    return f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
