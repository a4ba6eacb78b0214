"""Jobs side by side, each as a task of Spark: what a task does, and how the driver starts them and hears of them.

Every job is a Spark job of one task, so that a task that fails for good ends its own job only, and each job's rows are
with the driver as soon as it has ended. Spark gives a task that was lost with its machine to another one.
"""

from __future__ import annotations

import uuid
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.conformance.comparison import conformance_rows
from pyharness.logs.log_rows import log_rows
from pyharness.pipeline.joint_jobs import JointJob, joint_rows
from pyharness.run.example_check import example_row
from pyharness.run.job_execution import run_job
from pyharness.run.jobs import ExampleJob, Job, LogJob, SpecJob, TraceJob
from pyharness.run.reordering_rows import accept_rows, reorder_row
from pyharness.run.replay_rows import replay_row
from pyharness.run.spec_rows import spec_rows
from pyharness.run.task_tools import keep_files_with_spark

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark import Broadcast, SparkContext

    from pyharness.run.jobs import AnyJob
    from pyharness.run.table_rows import TableRow
    from pyharness.run.task_tools import TaskTools

_MOST: Final = 512
"""So many jobs are with Spark at the same time at most; each holds a thread here."""


def job_rows(job: AnyJob | JointJob, given: TaskTools) -> list[TableRow]:
    """Run a job of any kind here, with these tools, and return its rows.

    Raises ToolError when the machine is at fault.
    """
    note = _note(job, given)
    match job:
        case JointJob():
            return joint_rows(job, given.library, given.tools, note)
        case ExampleJob():
            return [example_row(job.name, given.tools)]
        case LogJob():
            return log_rows(job.source, given.tools)
        case SpecJob():
            return spec_rows(job, given.tools, note)
        case TraceJob(kind="replay"):
            return [found for row in job.traces for found in replay_row(job.model, row)]
        case TraceJob():
            return [*accept_rows(job.model, [reorder_row(job.model, row) for row in job.traces], given.tools)]
        case Job(kind="conform"):
            return [*conformance_rows(job, given.library, given.tools)]
        case _:
            return run_job(job, given.library, given.tools, note)


def _note(job: AnyJob | JointJob, given: TaskTools) -> Callable[[Any], None] | None:
    if given.notes is None:
        return None
    path = given.notes / f"{Path(job.name).name}.{job.kind}"  # of a log it is that of a directory
    path.write_text("started", encoding="utf-8")

    def note(now: Any) -> None:
        path.write_text(f"{now.distinct or 0:,} states, {now.queue or 0:,} on the queue", encoding="utf-8")

    return note


def _task(job: AnyJob | JointJob, given: Broadcast[TaskTools]) -> list[TableRow]:
    keep_files_with_spark()
    return job_rows(job, given.value)


class JobTasks:
    """Jobs as tasks of ``context``, which find their tools as ``given`` says; call it with the number of a job."""

    def __init__(self, context: SparkContext, jobs: Sequence[AnyJob | JointJob], given: TaskTools) -> None:
        self._context = context
        self._tag = f"pyharness-{uuid.uuid4().hex}"
        self._tasks = context.parallelize(jobs, max(1, len(jobs))).map(
            partial(_task, given=context.broadcast(given))
        )

    def __call__(self, number: int) -> list[TableRow]:
        """Run a job and return its rows. Raises what Spark does when it has given up on it."""
        self._context.addJobTag(self._tag)
        (rows,) = self._context.runJob(self._tasks, list, [number])
        return rows

    def places(self) -> int:
        """Return how many jobs to have with Spark now: those that its executors can run, and as many that wait."""
        return min(_MOST, 2 * self._context.defaultParallelism)

    def stop(self) -> None:
        """Stop those that run."""
        self._context.cancelJobsWithTag(self._tag)


def side_by_side(
    count: int,
    run: Callable[[int], list[TableRow]],
    ended: Callable[[int, Future[list[TableRow]]], None],
    *,
    places: Callable[[], int],
    stop: Callable[[], None],
) -> None:
    """Run so many jobs, ``places`` of them at the same time and in the order of their numbers; tell when one has ended.

    Where this is left early, those that run are stopped.
    """
    waiting = iter(range(count))
    running: dict[Future[list[TableRow]], int] = {}
    with ThreadPoolExecutor(_MOST) as pool:
        try:
            while True:
                for number in islice(waiting, max(0, places() - len(running))):
                    running[pool.submit(run, number)] = number
                if not running:
                    return
                for future in wait(running, timeout=1, return_when=FIRST_COMPLETED).done:
                    ended(running.pop(future), future)
        except BaseException:
            stop()
            raise
