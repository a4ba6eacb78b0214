"""Run a plan's jobs. Valid results of an earlier run are reused; only the others run, on Spark, which starts when needed.

Without Spark they run in local processes.

The rows of a job are kept in a file named by the job's id as soon as it has ended, written here under another name and
then renamed, so that a run which was interrupted goes on where it stopped, and a changed spec, bound or tool is a new
job.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from pyharness.base.errors import ToolError
from pyharness.base.toolchain.own_files import own_directory, remove
from pyharness.gate.jobs.job_store import NOT_OURS, leave_rows, left_rows
from pyharness.gate.jobs.jobs import ModuleJob
from pyharness.gate.jobs.spark_session import cause_of
from pyharness.gate.jobs.task_tools import DriversTools, tools_for_tasks
from pyharness.gate.jobs.written_files import WrittenFiles
from pyharness.gate.pipeline.job_tasks import JobTasks, joined, parted, parts, side_by_side
from pyharness.gate.pipeline.local_tasks import LocalTasks
from pyharness.models.job import Job, cpu_seconds
from pyharness.models.machine_tools import require_unchanged
from pyharness.models.plain_form import read_ahead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pyharness.gate.jobs.jobs import AnyJob
    from pyharness.gate.jobs.task_tools import TaskTools
    from pyharness.gate.pipeline.job_tasks import JointJob
    from pyharness.models.machine_tools import Tools
    from pyharness.models.table_rows import TableRow
    from pyharness.tla.modules.library import Library


class _Ends:
    """Counts the jobs that have ended, and estimates how long the others take. ``words`` is the first message."""

    def __init__(self, jobs: Sequence[AnyJob | JointJob], where: str, at_once: int) -> None:
        self.words = f"{len(jobs)} jobs on {where}, {min(at_once, len(jobs))} at a time"
        self._jobs, self._where, self._began = len(jobs), where, time.monotonic()
        self._all = sum(_seconds(job) for job in jobs)
        self._ended, self._done = 0, 0.0

    def after(self, job: AnyJob | JointJob) -> str:
        """Count a job that has ended, and return in words how far the run is."""
        self._ended, self._done = self._ended + 1, self._done + _seconds(job)
        left = (time.monotonic() - self._began) * (self._all - self._done) / self._done
        return (
            f"{self._ended} of {self._jobs} jobs on {self._where} have ended, the last one {job.name}; "
            f"about {left:.0f} s are left"
        )


def _seconds(job: AnyJob | JointJob) -> float:
    """Return roughly the CPU time of a job."""
    return sum(map(_part_seconds, parts(job)))


def _part_seconds(job: AnyJob) -> float:
    if isinstance(job, Job):
        return cpu_seconds(job.model, job.kind)
    # TLC runs several times for a module, and all is evaluated once more.
    if isinstance(job, ModuleJob) and job.model.pins:
        return 2.0 + job.model.pins.distinct / 550
    return 1.0


class JobRuns:
    """The jobs of one run of a plan, with their ``rows`` and their ``failures`` (messages) by job id.

    ``jobs`` counts them, and ``reused`` those whose rows an earlier run left. ``spark`` is called when there is
    something to run, and returns ``None`` where jobs run in processes of this machine. With ``fresh`` nothing is taken
    over from an earlier run. ``progress`` is called with how
    many jobs have ended, ``warn`` with the jobs that run again, since a kept result does not fit or a process was lost.
    """

    def __init__(
        self,
        spark: Callable[[], SparkSession | None],
        library: Library,
        tools: Tools,
        out: Path,
        *,
        fresh: bool = False,
        progress: Callable[[str], None] | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self._spark = spark
        self._library = library
        self._tools = tools
        self._out = out
        self._finished = out / "jobs"
        self._fresh = fresh
        self._progress = progress
        self._files = WrittenFiles(library, tools)
        self._warn = warn
        self.rows: dict[str, tuple[TableRow, ...]] = {}
        self.failures: dict[str, str] = {}
        self._warned = set[str]()
        self.jobs = self.reused = 0
        try:
            own_directory(self._finished)
        except OSError as error:
            raise ToolError(
                f"results cannot be written: {error.strerror}", where=str(self._finished)
            ) from error

    def run(self, jobs: Iterable[AnyJob]) -> list[TableRow]:
        """Run those of the jobs that have not left their rows, and return the rows of all, in the order of the jobs.

        Raises ToolError when Spark does not start, or no job finishes.
        """
        wanted = list(jobs)
        waiting = [job for job in wanted if not self._taken_over(job)]
        self.jobs += len(wanted)
        self.reused += len({job.id for job in wanted} - {job.id for job in waiting})
        if waiting:
            self._forget(waiting)
            with self._same_tools(waiting):
                self._run(waiting)
            self.rows |= {job.id: left_rows(self._file(job)).rows for job in waiting}
        return [row for job in wanted for row in self.rows[job.id]]

    def _run(self, waiting: Sequence[AnyJob]) -> None:
        """Run the jobs, some joined, the long ones first, and keep the rows of each as soon as it has ended."""
        self._files.add(waiting)
        with ThreadPoolExecutor(1) as beside:
            checks = [each.model for each in waiting if isinstance(each, Job) and each.kind == "check"]
            plain = [model for model in checks if model.mutant is None]
            ahead = beside.submit(read_ahead, plain, self._library)
            spark = self._spark()
            joint = sorted(joined(waiting, self._library), key=_seconds, reverse=True)
            ahead.result()
        with ExitStack() as stack:
            ours = self._tools, self._library
            given: TaskTools = DriversTools(*ours)
            if spark is not None:
                given = stack.enter_context(tools_for_tasks(spark.sparkContext, *ours))
            self._require_unwritten()  # what is read from now on, or was sent, is what the ids name
            read_here = isinstance(given, DriversTools)
            tasks: JobTasks | LocalTasks
            if spark is None:
                tasks = stack.enter_context(LocalTasks(joint, given, self._warn))
            else:
                tasks = JobTasks(spark.sparkContext, joint, given)

            at_once = spark.sparkContext.defaultParallelism if spark else tasks.places()
            ends = _Ends(joint, "Spark" if spark else "this machine", at_once)

            def ended(number: int, rows: Future[list[TableRow]]) -> None:
                self._keep(joint[number], rows, read_here)
                if self._progress:
                    self._progress(ends.after(joint[number]))

            if self._progress:
                self._progress(ends.words)

            try:
                side_by_side(len(joint), tasks, ended, places=tasks.places, stop=tasks.stop)
            finally:
                if read_here:  # others have what was sent when the run began
                    self._require_unwritten()
        if all(job.id in self.failures for job in waiting):
            doctor = "pyharness doctor --spark" if spark else "pyharness doctor"
            raise ToolError(f"no job finished: {self.failures[waiting[0].id]}", hint=f"run `{doctor}`")

    def _keep(self, task: AnyJob | JointJob, rows: Future[list[TableRow]], read_here: bool) -> None:
        """Keep the rows of a job as soon as it has ended, unless a file that its task may have read was written."""
        try:
            own_rows = parted(task, rows.result())
            if read_here and self._files.written():
                return  # the run ends with an error about it
            for job, own in own_rows:
                leave_rows(self._file(job), own)
        except Exception as error:  # noqa: BLE001 - any error is of these jobs only
            for job in parts(task):
                self.failures[job.id] = f"the {job.kind} job did not finish: {cause_of(error)}"

    @contextmanager
    def _same_tools(self, jobs: Iterable[AnyJob]) -> Iterator[None]:
        """Keep no result of the jobs if Java or TLC is replaced meanwhile: the jobs' ids name the earlier ones."""
        try:
            yield
        finally:
            try:
                require_unchanged(self._tools)
            except ToolError:
                self._forget(jobs)
                raise

    def _require_unwritten(self) -> None:
        """Require that no file was written on which the results depend: the jobs' ids name the earlier content.

        Raises ToolError if there is one. What ended before it was written is kept.
        """
        if path := self._files.written():
            raise ToolError(f"{path.name} was written during the run", where=str(path), hint="run it again")

    def _forget(self, jobs: Iterable[AnyJob]) -> None:
        for job in jobs:
            remove(self._file(job))

    def _file(self, job: AnyJob) -> Path:
        return self._finished / f"{job.id}.json"

    def _taken_over(self, job: AnyJob) -> bool:
        if self._fresh:
            return False
        left = left_rows(self._file(job))
        if left.problem and self._warn and left.problem not in self._warned:
            self._warn(
                f"the kept result of {job.name} ({job.kind}) is not used, the job runs again: {left.problem}"
            )
            self._warned |= {left.problem} & {NOT_OURS}  # somebody else's results are many
        if left.finished:
            self.rows[job.id] = left.rows
        return left.finished
