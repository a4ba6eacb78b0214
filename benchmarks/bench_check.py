"""What a check costs beside TLC: models of the quick plan as jobs, against bare runs of TLC on the same models.

    python benchmarks/bench_check.py [--pairs N] [--model NAME ...]

A job renders the model, runs TLC with what shows that the check is not vacuous, reads its output and makes rows. A
bare run is ``java tlc2.TLC`` on the rendered module, without probes and without anything that counts, with the same
options of Java. What a job costs more than that is the harness and its evidence; a second comparison, with runs that
have the evidence (probes, and registers that count) and no job around them, says what the harness alone is, a third
what the evidence is, and a fourth what it would be with TLC's coverage instead of registers.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

from pairs import compared, leave

from pyharness.base.toolchain.spec_files import SPECS, find_plan
from pyharness.gate.jobs.job_execution import run_job
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.gate.plans.plan import read_plan
from pyharness.models.counted_steps import counted_steps
from pyharness.models.machine_tools import find_tools
from pyharness.models.table_rows import RunRow, rows_of
from pyharness.models.tlc_runs import tlc_run
from pyharness.models.witness import probes_of
from pyharness.tla.tlc import run_tlc

MODELS = ("white-red", "chandy-lamport-four-processes", "the-rule-is-sharp", "aligned-barriers-terminate")

BARE, EVIDENCE, COVERAGE = "bare", "with evidence", "with coverage"


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

    def runs(what: str) -> None:
        found[what] = counts = []
        for job in jobs:
            probes = probes_of(job.model, plan.library) if what != BARE else None
            counted = counted_steps(plan.library, job.model.spec) if what == EVIDENCE else None
            with tempfile.TemporaryDirectory(prefix="pyharness-bench-") as directory:
                told = counted is not None
                rendered = job.model.render(plan.library, probes=probes, told=told, counted=counted)
                run = tlc_run(rendered, job.model, tools, Path(directory))
                counts.append(run_tlc(replace(run, coverage=what == COVERAGE)).distinct)

    bare, with_evidence, with_coverage = (partial(runs, what) for what in (BARE, EVIDENCE, COVERAGE))

    models = f"{len(jobs)} models of the quick plan"
    compare = partial(compared, pairs=given.pairs, cost=True)
    comparisons = (
        compare("check", f"{models}, their checks against bare runs of TLC", ours, bare, wanted=1.1),
        compare(
            "check-harness",
            f"{models}, their checks against runs of TLC with the same evidence",
            ours,
            with_evidence,
            wanted=1.1,
        ),
        compare("check-evidence", f"{models}, runs of TLC with evidence and without", with_evidence, bare),
        compare("check-coverage", f"{models}, runs of TLC with coverage and without", with_coverage, bare),
    )
    if any(counts != found["ours"] for counts in found.values()) or None in found["ours"]:
        raise SystemExit(f"the two sides differ: {found}")
    leave(*comparisons, models=[job.name for job in jobs], states=sum(count or 0 for count in found["ours"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
