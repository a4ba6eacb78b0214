"""Run jobs side by side, each as a task; jobs that one run of TLC does together are one task.

Jobs that one run of TLC does together: a check and the comparison of its state graph, or several mutants' checks. Each
has its own id, and leaves the rows that it would leave alone.

Every job is a Spark job of one task, so that a task that fails for good ends its own job only, and each job's rows are
with the driver as soon as it has ended. Spark gives a task that was lost with its machine to another one.
"""

from __future__ import annotations

import tempfile
import uuid
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.gate.jobs.example_check import example_row
from pyharness.gate.jobs.job_execution import run_job
from pyharness.gate.jobs.jobs import ExampleJob, LogJob, ModuleJob, TraceJob
from pyharness.gate.jobs.module_rows import module_rows
from pyharness.gate.jobs.reordering_rows import accept_rows, reorder_row
from pyharness.gate.jobs.replay_rows import replay_row
from pyharness.gate.jobs.task_tools import keep_files_with_spark
from pyharness.hold.conformance.comparison import conformance_rows
from pyharness.hold.logs.log_rows import log_rows
from pyharness.models.job import Job
from pyharness.models.mutant_check import kill_rows
from pyharness.models.mutant_group import groups
from pyharness.models.table_rows import RunRow, rows_of
from pyharness.models.tlc_jobs import checked_rows, writes_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyspark import Broadcast, SparkContext

    from pyharness.gate.jobs.jobs import AnyJob
    from pyharness.gate.jobs.task_tools import TaskTools
    from pyharness.models.machine_tools import Tools
    from pyharness.models.table_rows import TableRow
    from pyharness.tla.modules.library import Library


@dataclass(frozen=True)
class JointJob:
    """Jobs that one run of TLC does, two at least.

    They are the ``check`` of a model and its ``conform``, which compares the graph that the run writes, or the
    ``check`` of several mutants of one setting, which are distinguished by their graphs.
    """

    jobs: tuple[Job, ...]

    @property
    def id(self) -> str:
        """The id of the first job."""
        return self.jobs[0].id

    @property
    def kind(self) -> str:
        """The kind of the first job."""
        return self.jobs[0].kind

    @property
    def name(self) -> str:
        """The name of the first job's model."""
        return self.jobs[0].name


def joined(jobs: Iterable[AnyJob], library: Library) -> list[AnyJob | JointJob]:
    """Return jobs that are to run, those joined that one run of TLC can do; in the same order, by the first of them."""
    waiting = list(jobs)
    checks = {job.name: job for job in waiting if isinstance(job, Job) and job.kind == "check"}
    joint: dict[str, JointJob] = {}
    for job in waiting:
        if isinstance(job, Job) and job.kind == "conform":
            check = checks.get(job.name)
            if check is not None and writes_graph(check.model, library):
                joint[check.id] = joint[job.id] = JointJob((check, job))
    for models in groups(check.model for check in checks.values()):
        together = JointJob(tuple(checks[model.name] for model in models))
        joint |= {check.id: together for check in together.jobs}
    found = [joint.get(job.id, job) for job in waiting]
    return list({job.id: job for job in found}.values())


def parts(job: AnyJob | JointJob) -> tuple[AnyJob, ...]:
    """Return the jobs that a job stands for."""
    return job.jobs if isinstance(job, JointJob) else (job,)


def parted(job: AnyJob | JointJob, rows: Iterable[TableRow]) -> list[tuple[AnyJob, list[TableRow]]]:
    """Return each of the jobs that a job stands for with those of the rows that are of it.

    Of joined ones a row that names no job belongs to the last: it describes a mismatch.
    """
    if not isinstance(job, JointJob):
        return [(job, list(rows))]
    by_id: dict[str, list[TableRow]] = {own.id: [] for own in job.jobs}
    for row in rows:
        by_id[getattr(row, "job", job.jobs[-1].id)].append(row)
    return [(own, by_id[own.id]) for own in job.jobs]


def joint_rows(joint: JointJob, library: Library, tools: Tools) -> list[TableRow]:
    """Run the jobs and return the rows of all; a job that their one run does not decide has a run of its own."""
    together = _compared if joint.jobs[-1].kind == "conform" else kill_rows
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        decided = together(joint.jobs, library, tools, Path(directory))
    return [row for job in joint.jobs for row in decided.get(job.id) or _alone(job, library, tools)]


def _compared(
    jobs: Sequence[Job],
    library: Library,
    tools: Tools,
    work: Path,
) -> dict[str, Sequence[TableRow]]:
    """Check a model and compare its graph; unless the check passes, the graph is incomplete, and is not compared."""
    (check, conform), dump = jobs, work / "graph.dot"
    rows = list(checked_rows(check, library, tools, work, dump))
    if not dump.exists():
        return {check.id: rows}
    (run,) = rows_of(RunRow, rows)
    return {check.id: rows, conform.id: conformance_rows(conform, library, tools, graph=(dump, run))}


def _alone(job: Job, library: Library, tools: Tools) -> Sequence[TableRow]:
    if job.kind == "conform":
        return conformance_rows(job, library, tools)
    return run_job(job, library, tools)


_MOST: Final = 512
"""The number of jobs that are with Spark at the same time at most; each holds a thread here."""


def job_rows(job: AnyJob | JointJob, given: TaskTools) -> list[TableRow]:
    """Run a job of any kind here, with these tools, and return its rows.

    Raises ToolError when the machine is at fault.
    """
    match job:
        case JointJob():
            return joint_rows(job, given.library, given.tools)
        case ExampleJob():
            return [example_row(job.name, given.tools)]
        case LogJob():
            return log_rows(job.source, given.tools)
        case ModuleJob():
            return module_rows(job, given.tools)
        case TraceJob(kind="replay"):
            return [found for row in job.traces for found in replay_row(job.model, row)]
        case TraceJob():
            return [*accept_rows(job.model, [reorder_row(job.model, row) for row in job.traces], given.tools)]
        case Job(kind="conform"):
            return [*conformance_rows(job, given.library, given.tools)]
        case _:
            return run_job(job, given.library, given.tools)


def _task(job: AnyJob | JointJob, given: Broadcast[TaskTools]) -> list[TableRow]:
    keep_files_with_spark()
    return job_rows(job, given.value)


class JobTasks:
    """Jobs as tasks of ``context``, with the tools that ``given`` finds; call it with the number of a job."""

    def __init__(self, context: SparkContext, jobs: Sequence[AnyJob | JointJob], given: TaskTools) -> None:
        self._context = context
        self._tag = f"pyharness-{uuid.uuid4().hex}"
        self._tasks = context.parallelize(jobs, max(1, len(jobs))).map(
            partial(_task, given=context.broadcast(given))
        )

    def __call__(self, number: int) -> list[TableRow]:
        """Run a job and return its rows. Raises Spark's error when it has given up on the job."""
        self._context.addJobTag(self._tag)
        (rows,) = self._context.runJob(self._tasks, list, [number])
        return rows

    def places(self) -> int:
        """Return how many jobs to have with Spark now: those that its executors can run, and as many that wait."""
        return min(_MOST, 2 * self._context.defaultParallelism)

    def stop(self) -> None:
        """Stop the running jobs."""
        self._context.cancelJobsWithTag(self._tag)


def side_by_side(
    count: int,
    run: Callable[[int], list[TableRow]],
    ended: Callable[[int, Future[list[TableRow]]], None],
    *,
    places: Callable[[], int],
    stop: Callable[[], None],
) -> None:
    """Run ``count`` jobs, ``places`` of them at a time, in the order of their numbers; call ``ended`` after each.

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
