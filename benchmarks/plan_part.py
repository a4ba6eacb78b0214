"""A part of the quick plan, run as ``pyharness check`` runs it: on a Spark session, by the code that keeps jobs' rows.

What is timed is the jobs. Spark's start is not, nor that of its Python: a first task without work goes before.
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from family import processor_seconds

from pyharness.base.toolchain.spec_files import SPECS, find_plan
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.gate.jobs.spark_session import spark_session
from pyharness.gate.jobs.task_tools import tools_for_tasks
from pyharness.gate.pipeline.job_runs import JobRuns
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.models.table_rows import RunRow, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.job import Job
    from pyharness.models.machine_tools import Tools

LEAST, MOST = 400, 3000
"""Between so many distinct states a model of the quick plan takes one to five CPU seconds."""


@dataclass(frozen=True)
class Taken:
    """What a run of the jobs took, and on how loaded a machine: processes that want a core, before it began."""

    wall: float
    cpu: float
    load: float

    @property
    def cores(self) -> float:
        """How many cores it had, on average."""
        return self.cpu / self.wall


class PlanPart:
    """The checks of so many correct models of the quick plan; ``distinct`` has what the last run counted, by name."""

    def __init__(self, models: int) -> None:
        self.plan: Plan = read_plan(find_plan("quick"), SPECS)
        self.tools: Tools = find_tools(SPECS)
        self.jobs: list[Job] = [
            job
            for job in plan_jobs(self.plan, self.tools)
            if job.kind == "check"
            and job.model.mutant is None
            and job.model.pins is not None
            and job.model.expect == "pass"
            and LEAST <= job.model.pins.distinct <= MOST
        ][:models]
        self.distinct: dict[str, int | None] = {}

    def run(self, spark: SparkSession | None) -> Taken:
        """Run all of them there, or in processes of this machine, and return what that took."""
        load = os.getloadavg()[0]
        with tempfile.TemporaryDirectory(prefix="pyharness-bench-") as out:
            runs = JobRuns(lambda: spark, self.plan.library, self.tools, Path(out), fresh=True)
            began, spent = time.monotonic(), processor_seconds()
            rows = runs.run(self.jobs)
            taken = Taken(time.monotonic() - began, processor_seconds() - spent, load)
        if runs.failures:
            raise SystemExit(f"jobs failed: {runs.failures}")
        self.distinct = {row.model: row.distinct for row in rows_of(RunRow, rows)}
        pinned = {job.name: job.model.pins.distinct for job in self.jobs if job.model.pins}
        if self.distinct != pinned:
            raise SystemExit(f"the states are not those that are pinned: {self.distinct}, {pinned}")
        return taken

    @contextmanager
    def session(self, master: str) -> Iterator[SparkSession]:
        """Start a session there, on which tasks have run that found what jobs need."""
        with spark_session(master) as spark:
            context = spark.sparkContext
            with tools_for_tasks(context, self.tools, self.plan.library) as given:
                places = context.defaultParallelism
                context.parallelize(range(places), places).map(lambda _: bool(given.tools)).collect()
            yield spark
