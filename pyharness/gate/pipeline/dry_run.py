"""Which jobs of a plan would run now, and why, without running any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.gate.jobs.job_names import changes, left_names
from pyharness.gate.jobs.job_store import left_rows
from pyharness.gate.jobs.jobs import example_jobs, log_jobs, plan_jobs, spec_jobs, trace_jobs
from pyharness.models.model import Job
from pyharness.models.table_rows import TraceRow, rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyharness.gate.jobs.jobs import AnyJob
    from pyharness.gate.plans.plan import Plan
    from pyharness.models.machine_tools import Tools
    from pyharness.models.table_rows import TableRow


@dataclass(frozen=True, slots=True)
class WaitingJob:
    """A job that would run: its ``model``, example, log or spec, its ``kind``, its graph if it is of one, and why."""

    model: str
    kind: str
    topology: str | None
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DryRun:
    """The ``jobs`` that would run, and of how many others the results are ``kept``.

    The traces that a job of TLC finds are replayed and reordered by further jobs, if they are others than before:
    ``traces_of`` names the models whose traces are not known yet.
    """

    jobs: tuple[WaitingJob, ...]
    kept: int
    traces_of: tuple[str, ...]


def dry_run(plan: Plan, tools: Tools, directory: Path, *, fresh: bool = False) -> DryRun:
    """Return what a run of a plan would do whose results are in ``directory``; a ``fresh`` one takes over none."""
    before = left_names(directory)
    waiting: list[WaitingJob] = []
    rows: list[TableRow] = []
    kept = 0
    unknown: dict[str, None] = {}

    def ask(job: AnyJob) -> None:
        nonlocal kept
        left = left_rows(directory / "jobs" / f"{job.id}.json")
        if left.finished and not fresh:
            kept += 1
            rows.extend(left.rows)
            return
        topology = job.topology.id if isinstance(job, Job) and job.topology else None
        why = changes(job, before, plan.library) or [left.problem or "it left no result that is kept"]
        waiting.append(WaitingJob(job.name, job.kind, topology, ("all run afresh",) if fresh else tuple(why)))
        if job.kind in ("check", "simulate"):
            unknown[job.name] = None

    first: list[AnyJob] = [*plan_jobs(plan, tools), *example_jobs(plan, tools)]
    first += log_jobs(plan.logs, plan.library, tools)
    first += spec_jobs(plan.specs, plan.library, tools)
    for job in first:
        ask(job)
    known = [row for row in rows_of(TraceRow, rows) if row.model not in unknown]
    for later in trace_jobs(plan, known, tools):
        ask(later)
    return DryRun(tuple(waiting), kept, tuple(unknown))
