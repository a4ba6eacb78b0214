"""What a check costs beside TLC: models of the quick plan as jobs, against bare runs of TLC on the same models.

    python benchmarks/bench_check.py [--pairs N] [--model NAME ...]

A job renders the model, runs TLC with what shows that the check is not vacuous, reads its output and makes rows. A
bare run is ``java tlc2.TLC`` on the rendered module, without anything that looks for premises or counts, with the same
options of Java. SANY's answers are kept, so that the first of the pairs alone asks it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from pairs import compared, leave

from pyharness.base.toolchain.spec_files import SPECS, find_plan
from pyharness.gate.jobs.job_execution import run_job
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.models.table_rows import RunRow, rows_of
from pyharness.models.text_run import budget_of, run_texts
from pyharness.models.tlc_runs import is_small

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
        found["bare"] = counts = []
        for job in jobs:
            model, small = job.model, is_small(job.model, len(job.model.topologies))
            with tempfile.TemporaryDirectory(prefix="pyharness-bench-") as directory:
                rendered, work = model.render(plan.library), Path(directory)
                counts.append(run_texts(rendered, tools, work, **budget_of(model), quick_jvm=small).distinct)

    models = f"{len(jobs)} models of the quick plan, their checks against bare runs of TLC"
    comparison = compared("check", models, ours, bare, pairs=given.pairs, cost=True, wanted=1.1)
    if any(counts != found["ours"] for counts in found.values()) or None in found["ours"]:
        raise SystemExit(f"the two sides differ: {found}")
    leave(comparison, models=[job.name for job in jobs], states=sum(count or 0 for count in found["ours"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
