"""The logs of many runs, each validated in a task of Spark, with their tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.modules.library import Library
from pyharness.pipeline.job_runs import JobRuns
from pyharness.pipeline.parquet_tables import write_tables
from pyharness.pipeline.stages import logs_without_a_row, verdicts_of_logs
from pyharness.run.jobs import log_jobs
from pyharness.run.table_rows import LogRow, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pyharness.plan.plan_logs import LogSource
    from pyharness.run.machine_tools import Tools


def validate_logs(
    sources: Sequence[LogSource],
    tools: Tools,
    spark: Callable[[], SparkSession | None],
    out: Path,
    *,
    say: Callable[[str], None] | None = None,
) -> list[LogRow]:
    """Validate logs, a task for each, and write the tables below ``out``; return the rows of ``logs``.

    What an earlier run has found of logs that are still the same is taken over. A cluster's machines must have the
    directories at the same paths.

    Raises ToolError when Spark does not start, or gives up on all jobs after their retries.
    """
    library = Library(*tools.specs)
    runs = JobRuns(spark, library, tools, out, say=say)
    jobs = log_jobs(sources, library, tools)
    rows = runs.run(jobs)
    rows += logs_without_a_row(jobs, rows_of(LogRow, rows), runs.failures)
    found = rows_of(LogRow, rows)
    write_tables([*rows, *verdicts_of_logs(found)], out / "tables")
    return found
