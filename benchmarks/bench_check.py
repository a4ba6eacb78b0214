"""What a check costs beside TLC: models of the quick plan as jobs, against bare runs of TLC on the same models.

    python benchmarks/bench_check.py [--pairs N] [--model NAME ...]

A job renders the model, runs TLC with what shows that the check is not vacuous, reads its output and makes rows. A
bare run is ``java tlc2.TLC`` on the rendered module, without probes and without coverage, with the same options of
Java. What a job costs more than the run is the harness and its evidence.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from pairs import compared, leave

from pyharness.plan.plan import read_plan
from pyharness.run.job_execution import run_job
from pyharness.run.jobs import plan_jobs
from pyharness.run.machine_tools import find_tools
from pyharness.run.table_rows import RunRow, rows_of
from pyharness.run.tlc_runs import tlc_run
from pyharness.tlc import run_tlc
from pyharness.toolchain.spec_files import SPECS, find_plan

MODELS = ("white-red", "chandy-lamport-four-processes", "the-rule-is-sharp", "aligned-barriers-terminate")


def main() -> int:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description="A check against bare runs of TLC.")
    options.add_argument("--pairs", type=int, default=3)
    options.add_argument("--model", nargs="+", default=MODELS)
    given = options.parse_args()
    plan, tools = read_plan(find_plan("quick"), SPECS), find_tools(SPECS)
    jobs = [job for job in plan_jobs(plan, tools) if job.kind == "check" and job.name in given.model]
    found: dict[str, list[int | None]] = {}

    def ours() -> None:
        found["ours"] = [
            row.distinct for job in jobs for row in rows_of(RunRow, run_job(job, plan.library, tools))
        ]

    def bare() -> None:
        found["other"] = []
        for job in jobs:
            with tempfile.TemporaryDirectory(prefix="pyharness-bench-") as directory:
                rendered = job.model.render(plan.library)
                result = run_tlc(tlc_run(rendered, job.model, tools, Path(directory)))
                found["other"].append(result.distinct)

    comparison = compared(
        "check",
        f"{len(jobs)} models of the quick plan, their checks against bare runs of TLC",
        ours,
        bare,
        pairs=given.pairs,
        wanted=1.1,
        cost=True,
    )
    if found["ours"] != found["other"] or None in found["ours"]:
        raise SystemExit(f"the two sides differ: {found}")
    leave(comparison, models=[job.name for job in jobs], states=sum(count or 0 for count in found["ours"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
