"""Jobs of the quick plan on Spark, and in processes of this machine, which leave the same rows: what Spark costs.

    python benchmarks/bench_spark.py [--pairs N] [--models N]

Both sides are a process of their own and run as many jobs at a time as ``pyharness check`` does here. The start of Spark
counts, since each run that has something to do waits for it. The memory is the largest sum of what all processes of a
side hold, looked at twice a second.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from multiprocessing import get_context
from typing import NamedTuple

from family import Watch
from pairs import Comparison, leave
from plan_part import PlanPart

from pyharness.gate.jobs.spark_session import local_master


class Side(NamedTuple):
    """The wall seconds and CPU seconds that one side took, and the most memory, in MiB."""

    wall: float
    cpu: float
    mib: float


def side(models: int, *, spark: bool) -> Side:
    """Run the jobs in this process, on Spark or not."""
    part, watch = PlanPart(models), Watch()
    watch.start()
    began = time.monotonic()
    with part.session(local_master()) if spark else nullcontext() as session:
        part.run(session)
        watch.enter("ended")
    wall = time.monotonic() - began
    watch.stop()
    return Side(wall, watch.seconds["TLC"], max(watch.peaks.values()))


def main() -> int:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description="Spark against local processes.")
    options.add_argument("--pairs", type=int, default=2)
    options.add_argument("--models", type=int, default=20)
    given = options.parse_args()
    sides: dict[bool, list[Side]] = {True: [], False: []}
    for number in range(given.pairs):
        for spark in (True, False) if number % 2 == 0 else (False, True):
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                found = pool.submit(side, given.models, spark=spark).result()
            print(f"{'Spark' if spark else 'local processes'}: {found}")
            sides[spark].append(found)
    words = f"{given.models} models of the quick plan, on Spark by local processes"

    def compared(name: str, field: str, unit: str) -> Comparison:
        ours, other = (tuple(getattr(each, field) for each in sides[spark]) for spark in (True, False))
        return Comparison(name, f"{words}, {field}", ours, other, cost=True, unit=unit)

    leave(
        compared("spark", "wall", "seconds"),
        compared("spark-cpu", "cpu", "CPU seconds"),
        compared("spark-memory", "mib", "MiB"),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
