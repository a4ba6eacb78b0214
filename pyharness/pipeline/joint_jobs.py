"""Jobs that one run of TLC does together: a check and the comparison of its state graph, or several mutants' checks.

Each has its own id, and leaves the rows that it would leave alone.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyharness.conformance.comparison import conformance_rows, is_plain
from pyharness.plan.mutant_group import groups
from pyharness.run.graph_check import check_with_graph, writes_graph
from pyharness.run.job_execution import run_job
from pyharness.run.jobs import Job
from pyharness.run.mutant_check import grouped_kill_rows
from pyharness.run.tlc_jobs import checked_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyharness.modules.library import Library
    from pyharness.run.jobs import AnyJob
    from pyharness.run.machine_tools import Tools
    from pyharness.run.table_rows import TableRow


@dataclass(frozen=True)
class JointJob:
    """Jobs that one run of TLC does, two at least.

    They are the ``check`` of a model and its ``conform``, which compares the graph that the run writes, or the
    ``check`` of several mutants of one setting, which are told apart by their graphs.
    """

    jobs: tuple[Job, ...]

    @property
    def id(self) -> str:
        """That of the first."""
        return self.jobs[0].id

    @property
    def kind(self) -> str:
        """That of the first."""
        return self.jobs[0].kind

    @property
    def name(self) -> str:
        """That of the first."""
        return self.jobs[0].name


def joined(jobs: Iterable[AnyJob], library: Library) -> list[AnyJob | JointJob]:
    """Return jobs that are to run, those joined that one run of TLC can do; in the same order, by the first of them."""
    waiting = list(jobs)
    checks = {job.name: job for job in waiting if isinstance(job, Job) and job.kind == "check"}
    joint: dict[str, JointJob] = {}
    for job in waiting:
        if isinstance(job, Job) and job.kind == "conform" and is_plain(job.model):
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

    Of joined ones a row that names no job is of the last: it tells of a mismatch.
    """
    if not isinstance(job, JointJob):
        return [(job, list(rows))]
    by_id: dict[str, list[TableRow]] = {own.id: [] for own in job.jobs}
    for row in rows:
        by_id[getattr(row, "job", job.jobs[-1].id)].append(row)
    return [(own, by_id[own.id]) for own in job.jobs]


def joint_rows(
    joint: JointJob, library: Library, tools: Tools, on_progress: Callable[[Any], None] | None = None
) -> list[TableRow]:
    """Run the jobs and return the rows of all; what their one run does not decide has runs of its own."""
    together = _compared if joint.jobs[-1].kind == "conform" else grouped_kill_rows
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        decided = together(joint.jobs, library, tools, Path(directory), on_progress)
    return [
        row for job in joint.jobs for row in decided.get(job.id) or _alone(job, library, tools, on_progress)
    ]


def _compared(
    jobs: Sequence[Job],
    library: Library,
    tools: Tools,
    work: Path,
    on_progress: Callable[[Any], None] | None = None,
) -> dict[str, Sequence[TableRow]]:
    """Check a model and compare its graph; unless the check passes, the graph is not whole, and is not compared."""
    check, conform = jobs
    graph = work / "graph.dot"
    checked = check_with_graph(check, library, tools, work, graph, on_progress)
    if checked is None:
        graph.unlink(missing_ok=True)
        return {check.id: list(checked_rows(check, library, tools, work, None, on_progress))}
    compared = conformance_rows(conform, library, tools, graph=(graph, checked.result))
    return {check.id: checked.rows, conform.id: compared}


def _alone(
    job: Job, library: Library, tools: Tools, on_progress: Callable[[Any], None] | None
) -> Sequence[TableRow]:
    if job.kind == "conform":
        return conformance_rows(job, library, tools)
    return run_job(job, library, tools, on_progress)
