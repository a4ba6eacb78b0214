"""Jobs of the quick plan on one core, against two: what the second core is worth.

    python benchmarks/bench_cores.py [--pairs N] [--models N]

The checks of ``--models`` models, each of a few CPU seconds, as ``pyharness check`` runs them on a machine of one core
and of two: each side, Java's own threads among it, is bound to its cores, and runs as many tasks at a time as a
command does there. This is wall time, so a machine that does other work makes it worse: how loaded it was, and how
many cores each side really had, is printed with it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pairs import Comparison, leave
from plan_part import PlanPart, Taken

from pyharness.run.spark_session import local_master

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def bound(cores: int) -> Iterator[None]:
    """Bind this process, and what it starts, to so many of its cores."""
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(usable)[:cores])
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)


def main() -> int:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description="One core against two.")
    options.add_argument("--pairs", type=int, default=2)
    options.add_argument("--models", type=int, default=20)
    given = options.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        print("left out: this process may use one core only", file=sys.stderr)
        return 0
    part = PlanPart(given.models)
    taken: dict[int, list[Taken]] = {1: [], 2: []}
    for number in range(given.pairs):
        for cores in (2, 1) if number % 2 == 0 else (1, 2):
            with bound(cores), part.session(local_master()) as spark:
                taken[cores].append(part.run(spark))
                print(f"cores {cores}: {taken[cores][-1]}")
    leave(
        Comparison(
            "cores",
            f"{len(part.jobs)} models of the quick plan, two cores against one",
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
