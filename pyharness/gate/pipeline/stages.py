"""The stages of a run: jobs -> rows -> traces -> replays -> verdicts, each result a Parquet table; logs are rows, too."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import ToolError
from pyharness.base.toolchain.bounded_files import MOST_KEPT_BYTES, read_bytes
from pyharness.base.toolchain.extras import missing
from pyharness.base.toolchain.own_files import remove, write_bytes
from pyharness.base.toolchain.seal import seal
from pyharness.gate.jobs.jobs import example_jobs, log_jobs, module_jobs, plan_jobs, trace_jobs
from pyharness.gate.judge.claim_coverage import claim_rows
from pyharness.gate.judge.judgement import judge, judge_plan, uncaught
from pyharness.gate.judge.kill_matrix import kill_matrix
from pyharness.gate.judge.pinned import not_as_pinned, violations
from pyharness.gate.judge.plan_minimums import below_minimums, found_evidence
from pyharness.gate.judge.plan_report import ModelReport, ModuleReport, PlanReport, evidence_for
from pyharness.gate.judge.stated_theorems import not_stated
from pyharness.gate.pipeline.job_runs import JobRuns
from pyharness.gate.plans.feature_pairs import not_paired
from pyharness.models.table_rows import (
    TABLES,
    ExampleRow,
    KillRow,
    LogRow,
    ReorderingRow,
    TraceRow,
    VerdictRow,
    rows_of,
    rows_version,
    to_plain,
)
from pyharness.models.verdicts import Verdict, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pyharness.gate.jobs.jobs import AnyJob, ExampleJob, LogJob
    from pyharness.gate.judge.plan_report import AnyReport, Evidence
    from pyharness.gate.plans.plan import Plan
    from pyharness.gate.plans.plan_modules import AnyModel
    from pyharness.models.machine_tools import Tools
    from pyharness.models.table_rows import TableRow


_CONTENT: Final = "content.sha256"
"""The file beside the tables with the digest of their content; it exists only when they are complete."""

_MOST_BYTES: Final = 4 << 30


def write_tables(rows: Sequence[TableRow], directory: Path) -> None:
    """Write the rows of all tables below ``directory``, in place of what is there.

    Where it is the same already, nothing is written. Without pyarrow what an earlier run left is removed.

    Raises ToolError when they cannot be written.
    """
    by_table = {name: rows_of(kind, rows) for name, kind in TABLES.items()}
    digest, seal = _digest(by_table), directory / _CONTENT
    complete = seal.is_file() and all(any((directory / name).glob("*.parquet")) for name in TABLES)
    if complete and read_bytes(seal, MOST_KEPT_BYTES) == _sealed(digest, directory):
        return
    try:
        remove(seal)
        if "pyarrow" in missing("spark"):
            for path in _files(directory):
                remove(path)
            return
        from pyharness.gate.jobs.table_schemas import write_rows  # noqa: PLC0415 - only what writes needs Arrow

        for name, kind in TABLES.items():
            write_rows(kind, by_table[name], directory / name)
        write_bytes(seal, _sealed(digest, directory))
    except OSError as error:
        cause = error.strerror or error
        raise ToolError(f"the tables cannot be written: {cause}", where=str(directory)) from error


def _sealed(digest: str, directory: Path) -> bytes:
    """Return the digest of the rows with that of the files that hold them: a file that was damaged is written anew."""
    files = hashlib.sha256()
    for path in _files(directory):
        files.update(path.relative_to(directory).as_posix().encode())
        files.update(hashlib.sha256(read_bytes(path, _MOST_BYTES)).digest())
    return seal(_CONTENT, digest, files.hexdigest()).encode()


def _files(directory: Path) -> list[Path]:
    return sorted(path for name in TABLES for path in (directory / name).glob("*.parquet"))


def _digest(by_table: dict[str, list[TableRow]]) -> str:
    digest = hashlib.sha256(rows_version().encode())
    for name, rows in by_table.items():
        digest.update(json.dumps([name, [list(to_plain(row).values()) for row in rows]]).encode())
    return digest.hexdigest()


def run_plan(
    plan: Plan,
    tools: Tools,
    spark: Callable[[], SparkSession | None],
    out: Path,
    *,
    fresh: bool = False,
    progress: Callable[[str], None] | None = None,
    warn: Callable[[str], None] | None = None,
) -> PlanReport:
    """Run a plan's jobs, replay their traces, judge the models, and write all tables below ``out``.

    Valid results of an earlier run are reused, unless ``fresh``; ``spark`` is called only if
    there is something to run. ``progress`` and ``warn`` are those of :class:`JobRuns`.

    Raises ToolError when Spark does not start, or gives up on all jobs after their retries.
    """
    runs = JobRuns(spark, plan.library, tools, out, fresh=fresh, progress=progress, warn=warn)
    examples = example_jobs(plan, tools)
    jobs = plan_jobs(plan, tools)
    logs = log_jobs(plan.logs, plan.library, tools)
    modules = module_jobs(plan.modules, plan.library, tools)
    rows = runs.run([*jobs, *examples, *logs, *modules])
    later = trace_jobs(plan, rows_of(TraceRow, rows), tools)
    rows += runs.run(later)
    own = _by_model([*jobs, *later, *modules])
    reports = tuple(ModelReport(m, *_judged(plan, m, own[m.name], runs)) for m in plan.models)
    of_modules = tuple(ModuleReport(m, *_judged(plan, m, own[m.name], runs)) for m in plan.modules)
    rows += examples_without_a_row(examples, rows_of(ExampleRow, rows), runs.failures)
    rows += logs_without_a_row(logs, rows_of(LogRow, rows), runs.failures)
    of_logs = rows_of(LogRow, rows)
    rows += verdicts_of_logs(of_logs)
    everything: tuple[AnyReport, ...] = (*reports, *of_modules)
    rows += [VerdictRow(r.model.name, r.verdict.text, r.model.expect, r.reasons) for r in everything]
    write_tables(rows, out / "tables")
    matrix = kill_matrix(plan, rows_of(KillRow, rows))
    of_examples = rows_of(ExampleRow, rows)
    claims = claim_rows(plan.claims, plan, found_evidence(reports, of_modules))
    lacking = (
        *below_minimums(plan, reports, matrix, of_examples),
        *not_paired(plan),
        *not_stated(plan),
        *uncaught(plan, of_modules),
        *not_as_pinned(plan, [*rows_of(KillRow, rows), *violations(plan, rows_of(TraceRow, rows))]),
    )
    verdict, reasons = judge_plan(plan, matrix, claims, rows_of(ReorderingRow, rows), lacking)
    others = [*(row.verdict for row in of_examples), *(row.verdict for row in of_logs)]
    verdicts = [
        verdict,
        *(r.verdict for r in everything),
        *map(Verdict.of, others),
    ]
    return PlanReport(
        plan,
        worst(verdicts),
        reasons,
        reports,
        matrix,
        claims,
        tuple(of_examples),
        runs.jobs,
        runs.reused,
        tuple(of_logs),
        of_modules,
    )


def examples_without_a_row(
    jobs: Iterable[ExampleJob], rows: Iterable[ExampleRow], failures: Mapping[str, str]
) -> list[ExampleRow]:
    """Return a row for each worked example whose job left none: with why it failed, or incomplete without a reason."""
    known = {row.example for row in rows}
    return [
        ExampleRow(job.name, Verdict.ERROR.text, failures[job.id])
        if job.id in failures
        else ExampleRow(job.name, Verdict.INCOMPLETE.text, "its job left nothing")
        for job in jobs
        if job.name not in known
    ]


def verdicts_of_logs(rows: Iterable[LogRow]) -> list[VerdictRow]:
    """Return the verdicts of logs as rows."""
    return [VerdictRow(row.log, row.verdict, "pass", (row.message,) if row.message else ()) for row in rows]


def logs_without_a_row(
    jobs: Iterable[LogJob], rows: Iterable[LogRow], failures: Mapping[str, str]
) -> list[LogRow]:
    """Return a row for each log whose job left none: with why it failed, or incomplete without a reason."""
    known = {row.log for row in rows}
    return [
        LogRow(
            job.name,
            str(job.source.directory),
            job.source.protocol,
            Verdict.ERROR.text if job.id in failures else Verdict.INCOMPLETE.text,
            failures.get(job.id, "its job left nothing"),
            *(None,) * 6,
            (),
        )
        for job in jobs
        if job.name not in known
    ]


def _by_model(jobs: Sequence[AnyJob]) -> dict[str, list[AnyJob]]:
    found: dict[str, list[AnyJob]] = {}
    for job in jobs:
        found.setdefault(job.name, []).append(job)
    return found


def _judged(
    plan: Plan, model: AnyModel, jobs: Sequence[AnyJob], runs: JobRuns
) -> tuple[Verdict, tuple[str, ...], Evidence]:
    rows: list[TableRow] = [row for job in jobs for row in runs.rows[job.id]]
    lost = [runs.failures[job.id] for job in jobs if job.id in runs.failures]
    evidence = evidence_for(model, plan.library, rows, lost)
    return *judge(model, evidence), evidence
