"""The stages on Spark: jobs -> rows -> traces -> replays -> verdicts, each result a Parquet table.

Every finished job leaves its rows in a file named by the job's id, written under another name and then renamed,
so that a run which was interrupted goes on where it stopped, and a changed spec, bound or tool is a new job.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from pyharness.conformance.comparison import conformance_rows, is_plain
from pyharness.errors import ToolError
from pyharness.judge.claim_coverage import claim_rows
from pyharness.judge.evidence import evidence_of
from pyharness.judge.found_evidence import found_evidence
from pyharness.judge.judgement import judge, judge_plan
from pyharness.judge.kill_matrix import kill_matrix
from pyharness.judge.plan_minimums import below_minimums
from pyharness.judge.plan_report import ModelReport, PlanReport
from pyharness.run.example_check import example_row
from pyharness.run.job_execution import run_job
from pyharness.run.job_store import leave_rows, left_rows
from pyharness.run.jobs import Job, plan_jobs
from pyharness.run.reordering_rows import accept_rows, reorder_row
from pyharness.run.replay_rows import replay_row
from pyharness.run.table_rows import TABLES, KillRow, TraceRow, VerdictRow, rows_of
from pyharness.run.table_schemas import write_rows
from pyharness.run.verdicts import Verdict, worst
from pyharness.systems import implementation_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pyharness.plan.model import Model
    from pyharness.plan.plan import Plan
    from pyharness.plan.spec_modules import Library
    from pyharness.run.machine_tools import Tools
    from pyharness.run.table_rows import ExampleRow, ReorderingRow, ReplayRow, TableRow

__all__ = ["run_plan"]


def run_plan(
    plan: Plan,
    tools: Tools,
    spark: SparkSession,
    out: Path,
    *,
    fresh: bool = False,
    progress: Path | None = None,
    say: Callable[[str], None] | None = None,
) -> PlanReport:
    """Run a plan's jobs on Spark, replay their traces, judge the models, and write all tables below ``out``.

    With ``fresh`` nothing of an earlier run is taken over. ``progress`` is a directory for small files that tell
    how far each running job is; ``say`` is told of kept results that do not fit, whose jobs run again.

    Raises ToolError when Spark gives up on a job after its retries.
    """
    finished = out / "jobs"
    finished.mkdir(parents=True, exist_ok=True)
    jobs = plan_jobs(plan, tools)
    kept = {job.id: left_rows(finished / f"{job.id}.json") for job in jobs}
    for job in jobs:
        if (problem := kept[job.id].problem) and say:
            say(
                f"the kept result of {job.model.name} ({job.kind}) is not used, the job runs again: {problem}"
            )
    waiting = [job for job in jobs if fresh or not kept[job.id].finished]
    for job in waiting:
        (finished / f"{job.id}.json").unlink(missing_ok=True)
    large = [job for job in waiting if job.kind == "conform" and not is_plain(job.model)]
    tasks = [job for job in waiting if job not in large]
    failures = _run_jobs(spark, tasks, plan.library, tools, finished, progress)
    _compare_on_spark(spark, plan, large, tools, out)
    rows = [row for job in jobs for row in left_rows(finished / f"{job.id}.json").rows]
    traces = rows_of(TraceRow, rows)
    models = {model.name: model for model in plan.models}
    rows += _replays(spark, models, traces)
    reorderings = _reorderings(spark, models, traces, tools)
    rows += reorderings
    reports = tuple(_report(plan, model, jobs, rows, failures) for model in plan.models)
    examples = _examples(spark, plan.examples, tools)
    rows += examples
    rows += [VerdictRow(r.model.name, r.verdict.text, r.model.expect, r.reasons) for r in reports]
    for name, kind in TABLES.items():
        write_rows(spark, kind, rows_of(kind, rows), out / "tables" / name)
    matrix = kill_matrix(plan, rows_of(KillRow, rows))
    claims = claim_rows(plan.claims, plan, found_evidence(reports))
    below = below_minimums(plan, reports, matrix, examples)
    verdict, reasons = judge_plan(plan, matrix, claims, reorderings, below)
    verdicts = [verdict, *(r.verdict for r in reports), *(Verdict.of(row.verdict) for row in examples)]
    return PlanReport(
        plan,
        worst(verdicts),
        reasons,
        reports,
        matrix,
        claims,
        tuple(examples),
        len(jobs),
        len(jobs) - len(waiting),
    )


def _run_jobs(
    spark: SparkSession,
    jobs: Sequence[Job],
    library: Library,
    tools: Tools,
    finished: Path,
    progress: Path | None,
) -> dict[str, str]:
    """Run the jobs, one a task; each leaves its rows in ``finished``. Gives what went wrong by job id."""
    if not jobs:
        return {}

    def work(job: Job) -> str:
        note = _note(progress, job)
        if job.kind == "conform":
            leave_rows(finished / f"{job.id}.json", conformance_rows(job, library, tools))
        else:
            leave_rows(finished / f"{job.id}.json", run_job(job, library, tools, note))
        return job.id

    try:
        done = set(spark.sparkContext.parallelize(list(jobs), len(jobs)).map(work).collect())
    except Exception as error:
        text = str(error).strip().split("\n")
        cause = next((line for line in reversed(text) if "Error" in line), text[0])
        done = {job.id for job in jobs if (finished / f"{job.id}.json").exists()}
        if not done:
            raise ToolError(f"no job finished: {cause}", hint="run `pyharness doctor --spark`") from error
        return {job.id: f"the {job.kind} job did not finish: {cause}" for job in jobs if job.id not in done}
    return {job.id: f"the {job.kind} job is missing" for job in jobs if job.id not in done}


def _note(progress: Path | None, job: Job) -> Callable[[Any], None] | None:
    if progress is None:
        return None
    path = progress / f"{job.model.name}.{job.kind}"
    path.write_text("started", encoding="utf-8")

    def note(now: Any) -> None:
        path.write_text(f"{now.distinct or 0:,} states, {now.queue or 0:,} on the queue", encoding="utf-8")

    return note


def _replays(spark: SparkSession, models: Mapping[str, Model], traces: Sequence[TraceRow]) -> list[ReplayRow]:
    if not traces:
        return []
    pairs = [(models[row.model], row) for row in traces]
    slices = min(len(pairs), 16)
    return list(
        spark.sparkContext.parallelize(pairs, slices).flatMap(lambda pair: replay_row(*pair)).collect()
    )


def _reorderings(
    spark: SparkSession, models: Mapping[str, Model], traces: Sequence[TraceRow], tools: Tools
) -> list[ReorderingRow]:
    """Reorder the traces of all models that are no mutants; one run of TLC for each model walks the results."""
    pairs = [(models[row.model], row) for row in traces]
    pairs = [(model, row) for model, row in pairs if model.mutant is None and implementation_of(model.spec)]
    if not pairs:
        return []
    context = spark.sparkContext
    found: dict[str, list[ReorderingRow]] = {}
    for row in context.parallelize(pairs, min(len(pairs), 16)).map(lambda pair: reorder_row(*pair)).collect():
        found.setdefault(row.model, []).append(row)
    walks = [(models[name], rows) for name, rows in found.items()]
    return list(
        context.parallelize(walks, len(walks)).flatMap(lambda walk: accept_rows(*walk, tools)).collect()
    )


def _compare_on_spark(spark: SparkSession, plan: Plan, jobs: Sequence[Job], tools: Tools, out: Path) -> None:
    """Compare models whose graphs are large with the implementation; Spark is the comparison's own, so it is no task.

    Two at a time, so that TLC writes the graph of one while Spark reads the other's.
    """

    def compare(job: Job) -> None:
        rows = conformance_rows(job, plan.library, tools, spark, out / "graphs" / job.model.name)
        leave_rows(out / "jobs" / f"{job.id}.json", rows)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(compare, jobs))


def _examples(spark: SparkSession, names: Sequence[str], tools: Tools) -> list[ExampleRow]:
    if not names:
        return []
    return list(
        spark.sparkContext.parallelize(names, len(names)).map(lambda name: example_row(name, tools)).collect()
    )


def _report(
    plan: Plan,
    model: Model,
    jobs: Sequence[Job],
    rows: Iterable[TableRow],
    failures: Mapping[str, str],
) -> ModelReport:
    ids = {job.id for job in jobs if job.model.name == model.name}
    own = [row for row in rows if getattr(row, "job", None) in ids]
    lost = [failures[job] for job in sorted(ids) if job in failures]
    evidence = evidence_of(plan.library.actions(model.spec), own, lost)
    return ModelReport(model, *judge(model, evidence), evidence)
