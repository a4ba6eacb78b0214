"""The stages on Spark: jobs -> rows -> traces -> replays -> verdicts, each result a Parquet table.

Every finished job leaves its rows in a file named by the job's id, written under another name and then renamed,
so that a run which was interrupted goes on where it stopped, and a changed spec, bound or tool is a new job.
"""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from pyharness.conformance.comparison import conformance_rows, is_plain
from pyharness.errors import ToolError
from pyharness.judge.claim_coverage import claim_rows
from pyharness.judge.judgement import Evidence, judge, judge_plan
from pyharness.judge.kill_matrix import kill_matrix
from pyharness.judge.plan_report import ModelReport, PlanReport
from pyharness.run.example_check import example_row
from pyharness.run.job_execution import run_job
from pyharness.run.job_store import finished_rows, leave_rows
from pyharness.run.jobs import Job, plan_jobs
from pyharness.run.reordering_rows import accept_rows, reorder_row
from pyharness.run.replay_rows import replay_row
from pyharness.run.table_schemas import SCHEMAS
from pyharness.run.verdicts import Verdict, worst
from pyharness.systems import implementation_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pyharness.plan.model import Model
    from pyharness.plan.plan import Plan
    from pyharness.plan.spec_modules import Library
    from pyharness.run.job_store import Row
    from pyharness.run.machine_tools import Tools

__all__ = ["STAGES", "run_plan"]

STAGES = ("replay", "reorder", "conform")
"""The checks that are the harness's own, and not TLC's."""


def run_plan(
    plan: Plan,
    tools: Tools,
    spark: SparkSession,
    out: Path,
    *,
    fresh: bool = False,
    progress: Path | None = None,
) -> PlanReport:
    """Run a plan's jobs on Spark, replay their traces, judge the models, and write all tables below ``out``.

    With ``fresh`` nothing of an earlier run is taken over. ``progress`` is a directory for small files that tell
    how far each running job is.

    Raises ToolError when Spark gives up on a job after its retries.
    """
    finished = out / "jobs"
    finished.mkdir(parents=True, exist_ok=True)
    jobs = plan_jobs(plan, tools)
    waiting = [job for job in jobs if fresh or finished_rows(finished / f"{job.id}.json") is None]
    for job in waiting:
        (finished / f"{job.id}.json").unlink(missing_ok=True)
    tasks = [job for job in waiting if job.kind != "conform" or is_plain(job.model)]
    failures, unkept = _run_jobs(spark, tasks, plan.library, tools, finished, progress)
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for job in jobs:
        for table, row in unkept.get(job.id) or finished_rows(finished / f"{job.id}.json") or []:
            rows[table].append(row)
    for table, row in _large_conformances(spark, plan, jobs, tools, out):
        rows[table].append(row)
    models = {model.name: model for model in plan.models}
    rows["replays"] = _replays(spark, models, rows["traces"])
    rows["reorderings"] = _reorderings(spark, models, rows["traces"], tools)
    reports = tuple(_report(plan, model, jobs, rows, failures) for model in plan.models)
    rows["examples"] = _examples(spark, plan.examples, tools)
    rows["verdicts"] = [
        {
            "model": r.model.name,
            "verdict": r.verdict.text,
            "expected": r.model.expect,
            "reasons": list(r.reasons),
        }
        for r in reports
    ]
    _write(spark, rows, out / "tables")
    matrix = kill_matrix(plan, rows["kills"])
    claims = claim_rows(plan.claims, plan, STAGES)
    verdict, reasons = judge_plan(plan, matrix, claims, rows["reorderings"])
    by_text = {verdict.text: verdict for verdict in Verdict}
    verdicts = [
        verdict,
        *(r.verdict for r in reports),
        *(by_text[row["verdict"]] for row in rows["examples"]),
    ]
    return PlanReport(
        plan,
        worst(verdicts),
        reasons,
        reports,
        matrix,
        claims,
        tuple(rows["examples"]),
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
) -> tuple[dict[str, str], dict[str, list[Row]]]:
    """Run the jobs, one a task; each leaves its rows in ``finished``.

    Return what went wrong by job id, and the rows of comparisons that ended in an error, which are not kept.
    """
    if not jobs:
        return {}, {}

    def work(job: Job) -> tuple[str, list[Row]]:
        note = _note(progress, job)
        if job.kind == "conform":
            rows = conformance_rows(job, library, tools)
            if any(row.get("error") for _, row in rows):
                return job.id, rows
        else:
            rows = run_job(job, library, tools, note)
        leave_rows(finished / f"{job.id}.json", rows)
        return job.id, []

    try:
        done = dict(spark.sparkContext.parallelize(list(jobs), len(jobs)).map(work).collect())
    except Exception as error:
        text = str(error).strip().split("\n")
        cause = next((line for line in reversed(text) if "Error" in line), text[0])
        done = {job.id: [] for job in jobs if (finished / f"{job.id}.json").exists()}
        if not done:
            raise ToolError(f"no job finished: {cause}", hint="run `pyharness doctor --spark`") from error
        failed = {job.id: f"the {job.kind} job did not finish: {cause}" for job in jobs if job.id not in done}
        return failed, {}
    missing = {job.id: f"the {job.kind} job is missing" for job in jobs if job.id not in done}
    return missing, {job: rows for job, rows in done.items() if rows}


def _note(progress: Path | None, job: Job) -> Callable[[Any], None] | None:
    if progress is None:
        return None
    path = progress / f"{job.model.name}.{job.kind}"
    path.write_text("started", encoding="utf-8")

    def note(now: Any) -> None:
        path.write_text(f"{now.distinct or 0:,} states, {now.queue or 0:,} on the queue", encoding="utf-8")

    return note


def _replays(
    spark: SparkSession, models: Mapping[str, Model], traces: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    if not traces:
        return []
    pairs = [(models[row["model"]], row) for row in traces]
    slices = min(len(pairs), 16)
    return list(
        spark.sparkContext.parallelize(pairs, slices).flatMap(lambda pair: replay_row(*pair)).collect()
    )


def _reorderings(
    spark: SparkSession, models: Mapping[str, Model], traces: Sequence[dict[str, Any]], tools: Tools
) -> list[dict[str, Any]]:
    """Reorder the traces of all models that are no mutants; one run of TLC for each model walks the results."""
    pairs = [(models[row["model"]], row) for row in traces]
    pairs = [(model, row) for model, row in pairs if model.mutant is None and implementation_of(model.spec)]
    if not pairs:
        return []
    context = spark.sparkContext
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in context.parallelize(pairs, min(len(pairs), 16)).map(lambda pair: reorder_row(*pair)).collect():
        found[row["model"]].append(row)
    walks = [(models[name], rows) for name, rows in found.items()]
    return list(
        context.parallelize(walks, len(walks)).flatMap(lambda walk: accept_rows(*walk, tools)).collect()
    )


def _large_conformances(
    spark: SparkSession, plan: Plan, jobs: Sequence[Job], tools: Tools, out: Path
) -> list[Row]:
    """Compare the models whose graphs are large with the implementation, on Spark; finished ones are taken over.

    Two at a time, so that TLC writes the graph of one while Spark reads the other's.
    """

    def compared(job: Job) -> list[Row]:
        rows = conformance_rows(job, plan.library, tools, spark, out / "graphs" / job.model.name)
        if not any(row.get("error") for _, row in rows):
            leave_rows(out / "jobs" / f"{job.id}.json", rows)
        return rows

    with ThreadPoolExecutor(2) as pool:
        waiting = [
            job
            for job in jobs
            if job.kind == "conform"
            and not is_plain(job.model)
            and finished_rows(out / "jobs" / f"{job.id}.json") is None
        ]
        return [row for rows in pool.map(compared, waiting) for row in rows]


def _examples(spark: SparkSession, names: Sequence[str], tools: Tools) -> list[dict[str, Any]]:
    if not names:
        return []
    return list(
        spark.sparkContext.parallelize(names, len(names)).map(lambda name: example_row(name, tools)).collect()
    )


def _report(
    plan: Plan,
    model: Model,
    jobs: Sequence[Job],
    rows: Mapping[str, Sequence[dict[str, Any]]],
    failures: Mapping[str, str],
) -> ModelReport:
    ids = {job.id for job in jobs if job.model.name == model.name}

    def of(table: str) -> list[dict[str, Any]]:
        return [row for row in rows.get(table, ()) if row["job"] in ids]

    evidence = Evidence(
        actions_of_spec=plan.library.actions(model.spec),
        runs=of("runs"),
        topologies=of("topologies"),
        actions=of("actions"),
        traces=of("traces"),
        kills=of("kills"),
        witnesses=of("witnesses"),
        reorderings=of("reorderings"),
        conformances=of("conformances"),
        replays=of("replays"),
        explorations=of("explorations"),
        failures=[failures[job] for job in sorted(ids) if job in failures],
    )
    verdict, reasons = judge(model, evidence)
    return ModelReport(model, verdict, reasons, evidence)


def _write(spark: SparkSession, rows: Mapping[str, Sequence[Mapping[str, Any]]], directory: Path) -> None:
    for name, schema in SCHEMAS.items():
        data = [tuple(row.get(field.name) for field in schema) for row in rows.get(name, ())]
        spark.createDataFrame(data, schema).coalesce(1).write.mode("overwrite").parquet(str(directory / name))
