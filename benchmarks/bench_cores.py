"""Jobs of the quick plan one at a time, against two at a time: what the second core is worth.

    python benchmarks/bench_cores.py [--pairs N] [--models N]

The checks of ``--models`` models, each of a few CPU seconds, as ``pyharness check`` runs them, on ``local[2]`` and on
``local[1]``. This is wall time, so a machine that does other work makes it worse: how loaded it was, and how many cores
each side really had, is printed with it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys

from pairs import Comparison, leave
from plan_part import PlanPart, Taken


def main() -> int:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description="One job at a time against two.")
    options.add_argument("--pairs", type=int, default=2)
    options.add_argument("--models", type=int, default=20)
    given = options.parse_args()
    part = PlanPart(given.models)
    taken: dict[int, list[Taken]] = {1: [], 2: []}
    for number in range(given.pairs):
        for cores in (2, 1) if number % 2 == 0 else (1, 2):
            with part.session(f"local[{cores},4]") as spark:
                taken[cores].append(part.run(spark))
                print(f"{cores} at a time: {taken[cores][-1]}")
    leave(
        Comparison(
            "cores",
            f"{len(part.jobs)} models of the quick plan, two jobs at a time against one",
            tuple(each.wall for each in taken[2]),
            tuple(each.wall for each in taken[1]),
            wanted=1.7,
            unit="seconds",
        ),
        models=[job.name for job in part.jobs],
        states=sum(count or 0 for count in part.distinct.values()),
        load_before_two=[each.load for each in taken[2]],
        load_before_one=[each.load for each in taken[1]],
        cpu_seconds_two=round(statistics.median(each.cpu for each in taken[2]), 1),
        cpu_seconds_one=round(statistics.median(each.cpu for each in taken[1]), 1),
        cores_had_two=[round(each.cores, 2) for each in taken[2]],
        cores_had_one=[round(each.cores, 2) for each in taken[1]],
        cores_of_the_machine=os.cpu_count(),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
