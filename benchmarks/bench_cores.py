"""Jobs of the quick plan on one core, against two: what the second core is worth.

    python benchmarks/bench_cores.py [--pairs N] [--models N]

The checks of ``--models`` models, each of a few CPU seconds, as ``pyharness check`` runs them on a machine of one core
and of two: each side, Java's own threads among it, is bound to its cores, and runs as many tasks at a time as a
command does there. This is wall time, so a machine that does other work makes it worse: how loaded it was, and how
many cores each side really had, is printed with it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import sys
from typing import NamedTuple

from pairs import Comparison, leave
from plan_part import PlanPart, Taken

from pyharness.gate.jobs.spark_session import local_master


class Side(NamedTuple):
    """What one side took, the names of its models, and their states."""

    taken: Taken
    models: list[str]
    states: int


def on_cores(cores: int, models: int) -> Side:
    """Bind this process, and all that it starts, to so many of its cores, and run the jobs."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    part = PlanPart(models)
    with part.session(local_master()) as spark:
        taken = part.run(spark)
    return Side(taken, [job.name for job in part.jobs], sum(count or 0 for count in part.distinct.values()))


def in_a_process(cores: int, models: int) -> Side:
    """Do so in a process of its own: a Java machine that is there already would keep its cores."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        side = pool.apply(on_cores, (cores, models))
    print(f"cores {cores}: {side.taken}")
    return side


def main() -> int:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description="One core against two.")
    options.add_argument("--pairs", type=int, default=2)
    options.add_argument("--models", type=int, default=20)
    given = options.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        print("left out: this process may use one core only", file=sys.stderr)
        return 0
    sides: dict[int, list[Side]] = {1: [], 2: []}
    for number in range(given.pairs):
        for cores in (2, 1) if number % 2 == 0 else (1, 2):
            sides[cores].append(in_a_process(cores, given.models))
    one, two = ([side.taken for side in sides[cores]] for cores in (1, 2))
    leave(
        Comparison(
            "cores",
            f"{len(sides[1][0].models)} models of the quick plan, two cores against one",
            tuple(each.wall for each in two),
            tuple(each.wall for each in one),
            wanted=1.7,
            unit="seconds",
        ),
        models=sides[1][0].models,
        states=sides[1][0].states,
        load_before_two=[each.load for each in two],
        load_before_one=[each.load for each in one],
        cpu_seconds_two=round(statistics.median(each.cpu for each in two), 1),
        cpu_seconds_one=round(statistics.median(each.cpu for each in one), 1),
        cores_had_two=[round(each.cores, 2) for each in two],
        cores_had_one=[round(each.cores, 2) for each in one],
        cores_of_the_machine=os.cpu_count(),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
