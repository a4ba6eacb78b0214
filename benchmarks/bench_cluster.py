"""The same jobs on two cores of this process's Spark, and on a cluster of two workers with a core each: what one costs.

    python benchmarks/bench_cluster.py [--pairs N] [--models N]

The cluster is one on this machine: a standalone master, and two workers that share nothing with the command but the
network. Code, specs and TLC's jar travel there, which the first task waits for and is not timed; TLC runs there without
the archive of Java's classes that this machine has. Both sides have two cores, so this is no speed-up. It is left out
where the machine permits no mount namespaces.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import pytest
from pairs import Comparison, leave
from plan_part import PlanPart, Taken

from pyharness.base.toolchain.spec_files import ROOT

sys.path.insert(0, str(ROOT))
from standalone_cluster import require_namespaces, started_cluster


def main() -> int:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description="Two cores here, and two workers.")
    options.add_argument("--pairs", type=int, default=2)
    options.add_argument("--models", type=int, default=20)
    given = options.parse_args()
    try:
        require_namespaces()
    except pytest.skip.Exception as reason:
        print(f"left out: {reason}")
        return 0
    part = PlanPart(given.models)
    taken: dict[str, list[Taken]] = {"here": [], "there": []}
    with (
        tempfile.TemporaryDirectory(prefix="pyharness-bench-") as directory,
        started_cluster(Path(directory)) as cluster,
    ):
        masters = {"here": "local[2,4]", "there": cluster.master}
        for number in range(given.pairs):
            for where in ("here", "there") if number % 2 == 0 else ("there", "here"):
                with part.session(masters[where]) as spark:
                    taken[where].append(part.run(spark))
                    print(f"{where}: {taken[where][-1]}")
    leave(
        Comparison(
            "cluster",
            f"{len(part.jobs)} models of the quick plan, on two workers of a cluster against two cores here",
            tuple(each.wall for each in taken["there"]),
            tuple(each.wall for each in taken["here"]),
            cost=True,
            unit="seconds",
        ),
        models=[job.name for job in part.jobs],
        cpu_seconds_there=round(statistics.median(each.cpu for each in taken["there"]), 1),
        cpu_seconds_here=round(statistics.median(each.cpu for each in taken["here"]), 1),
        load_before_there=[each.load for each in taken["there"]],
        load_before_here=[each.load for each in taken["here"]],
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
