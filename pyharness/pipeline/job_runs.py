"""Jobs as tasks on Spark, and the rows they leave: what is kept and still fits is taken over, and then no Spark starts.

Every job leaves its rows in a file named by the job's id, written under another name and then renamed, so that a run
which was interrupted goes on where it stopped, and a changed spec, bound or tool is a new job.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

from pyharness.conformance.comparison import conformance_rows, is_plain
from pyharness.errors import ToolError
from pyharness.pipeline.joint_jobs import JointJob, joined, joint_rows, parted, parts
from pyharness.run.example_check import example_row
from pyharness.run.job_execution import run_job
from pyharness.run.job_store import leave_rows, left_rows
from pyharness.run.jobs import AnyJob, ExampleJob, Job, TraceJob
from pyharness.run.machine_tools import require_unchanged
from pyharness.run.reordering_rows import accept_rows, reorder_row
from pyharness.run.replay_rows import replay_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pyharness.plan.spec_modules import Library
    from pyharness.run.machine_tools import Tools
    from pyharness.run.table_rows import TableRow

__all__ = ["JobRuns"]


class JobRuns:
    """The jobs of one run of a plan, with their ``rows`` by job id, and what went wrong (``failures``) by job id.

    ``jobs`` counts them, and ``reused`` those whose rows an earlier run left. ``spark`` is called when there is
    something to run. With ``fresh`` nothing is taken over. ``progress`` is a directory for small files that tell how
    far each running job is; ``say`` is told of kept results that do not fit, whose jobs run again.
    """

    def __init__(
        self,
        spark: Callable[[], SparkSession],
        library: Library,
        tools: Tools,
        out: Path,
        *,
        fresh: bool = False,
        progress: Path | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self._spark = spark
        self._library = library
        self._tools = tools
        self._out = out
        self._finished = out / "jobs"
        self._fresh = fresh
        self._progress = progress
        self._say = say
        self.rows: dict[str, tuple[TableRow, ...]] = {}
        self.failures: dict[str, str] = {}
        self.jobs = self.reused = 0
        try:
            self._finished.mkdir(parents=True, exist_ok=True)
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
        self.reused += len(wanted) - len(waiting)
        if waiting:
            for job in waiting:
                self._file(job).unlink(missing_ok=True)
            with self._same_tools(waiting):
                self._run(waiting)
            self.rows |= {job.id: left_rows(self._file(job)).rows for job in waiting}
        return [row for job in wanted for row in self.rows[job.id]]

    def _run(self, waiting: Sequence[AnyJob]) -> None:
        large = [job for job in waiting if isinstance(job, Job) and _is_large(job)]
        self._run_tasks(joined([job for job in waiting if job not in large], self._library))
        self._compare_on_spark(large)

    @contextmanager
    def _same_tools(self, jobs: Iterable[AnyJob]) -> Iterator[None]:
        """Keep nothing of what the jobs leave if Java or TLC is replaced meanwhile: their ids name the ones before."""
        try:
            yield
        finally:
            try:
                require_unchanged(self._tools)
            except ToolError:
                for job in jobs:
                    self._file(job).unlink(missing_ok=True)
                raise

    def _file(self, job: AnyJob) -> Path:
        return self._finished / f"{job.id}.json"

    def _taken_over(self, job: AnyJob) -> bool:
        if self._fresh:
            return False
        left = left_rows(self._file(job))
        if left.problem and self._say:
            self._say(
                f"the kept result of {job.name} ({job.kind}) is not used, the job runs again: {left.problem}"
            )
        if left.finished:
            self.rows[job.id] = left.rows
        return left.finished

    def _run_tasks(self, tasks: Sequence[AnyJob | JointJob]) -> None:
        """Run the jobs, one a task, or two that are joined; each leaves its rows in its file."""
        jobs = [job for task in tasks for job in parts(task)]
        if not jobs:
            return
        context = self._spark().sparkContext
        directory, library, tools, progress = self._finished, self._library, self._tools, self._progress

        def work(task: AnyJob | JointJob) -> list[str]:
            rows = _rows(task, library, tools, _note(progress, task))
            for job, own in parted(task, rows) if isinstance(task, JointJob) else [(task, rows)]:
                leave_rows(directory / f"{job.id}.json", own)
            return [job.id for job in parts(task)]

        cause = ""
        try:
            done = set(chain.from_iterable(context.parallelize(list(tasks), len(tasks)).map(work).collect()))
        except Exception as error:
            text = str(error).strip().split("\n")
            cause = next((line for line in reversed(text) if "Error" in line), text[0])
            done = {job.id for job in jobs if self._file(job).exists()}
            if not done:
                raise ToolError(f"no job finished: {cause}", hint="run `pyharness doctor --spark`") from error
        self.failures |= {
            job.id: f"the {job.kind} job {f'did not finish: {cause}' if cause else 'is missing'}"
            for job in jobs
            if job.id not in done
        }

    def _compare_on_spark(self, jobs: Sequence[Job]) -> None:
        """Compare models whose graphs are large; Spark is the comparison's own, so it is no task.

        Two at a time, so that TLC writes the graph of one while Spark reads the other's.
        """
        if not jobs:
            return
        spark = self._spark()

        def compare(job: Job) -> None:
            graphs = self._out / "graphs" / job.name
            leave_rows(self._file(job), conformance_rows(job, self._library, self._tools, spark, graphs))

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(compare, jobs))


def _is_large(job: Job) -> bool:
    return job.kind == "conform" and not is_plain(job.model)


def _rows(
    job: AnyJob | JointJob, library: Library, tools: Tools, note: Callable[[Any], None] | None
) -> Iterable[TableRow]:
    match job:
        case JointJob():
            return joint_rows(job, library, tools, note)
        case ExampleJob():
            return [example_row(job.name, tools)]
        case TraceJob(kind="replay"):
            return [found for row in job.traces for found in replay_row(job.model, row)]
        case TraceJob():
            return accept_rows(job.model, [reorder_row(job.model, row) for row in job.traces], tools)
        case Job(kind="conform"):
            return conformance_rows(job, library, tools)
        case _:
            return run_job(job, library, tools, note)


def _note(progress: Path | None, job: AnyJob | JointJob) -> Callable[[Any], None] | None:
    if progress is None:
        return None
    path = progress / f"{job.name}.{job.kind}"
    path.write_text("started", encoding="utf-8")

    def note(now: Any) -> None:
        path.write_text(f"{now.distinct or 0:,} states, {now.queue or 0:,} on the queue", encoding="utf-8")

    return note
