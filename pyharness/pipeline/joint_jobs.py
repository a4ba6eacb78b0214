"""Jobs that one run of TLC does together: the check of a model, and the comparison of its state graph.

Each has its own id, and leaves the rows that it would leave alone.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyharness.conformance.comparison import conformance_rows, is_plain
from pyharness.run.graph_check import check_with_graph, writes_graph
from pyharness.run.job_execution import run_job
from pyharness.run.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyharness.plan.spec_modules import Library
    from pyharness.run.jobs import AnyJob
    from pyharness.run.machine_tools import Tools
    from pyharness.run.table_rows import TableRow

__all__ = ["JointJob", "joined", "joint_rows", "parted", "parts"]


@dataclass(frozen=True)
class JointJob:
    """The ``check`` of a model and its ``conform``: the run that checks it writes the graph that is compared."""

    check: Job
    conform: Job

    @property
    def id(self) -> str:
        """The check's."""
        return self.check.id

    @property
    def kind(self) -> str:
        """The check's."""
        return self.check.kind

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.check.name


def joined(jobs: Iterable[AnyJob], library: Library) -> list[AnyJob | JointJob]:
    """Return jobs that are to run, those joined that one run of TLC can do; in the same order, by the first of two."""
    waiting = list(jobs)
    comparisons = {
        job.name: job
        for job in waiting
        if isinstance(job, Job) and job.kind == "conform" and is_plain(job.model)
    }
    joint = {
        job.name: JointJob(job, comparisons[job.name])
        for job in waiting
        if isinstance(job, Job)
        and job.kind == "check"
        and job.name in comparisons
        and writes_graph(job.model, library)
    }
    found: list[AnyJob | JointJob] = []
    for job in waiting:
        pair = joint.get(job.name) if job.kind in {"check", "conform"} else None
        if pair is None:
            found.append(job)
        elif pair not in found:
            found.append(pair)
    return found


def parts(job: AnyJob | JointJob) -> tuple[AnyJob, ...]:
    """Return the jobs that a job stands for."""
    return (job.check, job.conform) if isinstance(job, JointJob) else (job,)


def parted(job: AnyJob | JointJob, rows: Iterable[TableRow]) -> list[tuple[AnyJob, list[TableRow]]]:
    """Return each of the jobs that a job stands for with those of its rows that are of it.

    A row that names no job is of the last one: it tells of a mismatch.
    """
    own: Sequence[AnyJob] = parts(job)
    by_id: dict[str, list[TableRow]] = {part.id: [] for part in own}
    for row in rows:
        by_id[getattr(row, "job", own[-1].id)].append(row)
    return [(part, by_id[part.id]) for part in own]


def joint_rows(
    joint: JointJob, library: Library, tools: Tools, on_progress: Callable[[Any], None] | None = None
) -> list[TableRow]:
    """Run the two jobs and return the rows of both.

    Where the check does not pass, its run did not write the whole graph, and each job has runs of its own.
    """
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        work = Path(directory)
        graph = work / "graph.dot"
        checked = check_with_graph(joint.check, library, tools, work, graph, on_progress)
        if checked is not None:
            compared = conformance_rows(joint.conform, library, tools, graph=(graph, checked.result))
            return [*checked.rows, *compared]
    return [
        *run_job(joint.check, library, tools, on_progress),
        *conformance_rows(joint.conform, library, tools),
    ]
