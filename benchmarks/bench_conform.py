"""How long conformance takes, against TLC's own time for the same model with its dump; and how much memory.

    python benchmarks/bench_conform.py [--processes N ...] [--items N] [--graphs N] [--readers N]

By default ``ChandyLamport`` on all rooted strongly connected graphs of two and three processes with two items,
275,680 states. What is aimed at is at most 0.7 CPU seconds for each of TLC's, and 1 GiB. Exit status 1 if spec and
implementation differ, or if there are fewer than 150,000 states.
"""

from __future__ import annotations

import argparse
import sys

from family import Watch
from pairs import Comparison, leave

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import select
from pyharness.hold.conformance.comparison import conform_model
from pyharness.models.bounds import Budget
from pyharness.models.machine_tools import find_tools
from pyharness.models.model import Model
from pyharness.tla.modules.library import Library

LEAST_STATES = 150_000


def main() -> int:
    """Run the benchmark; return the exit status."""
    options = argparse.ArgumentParser(description="Measure the conformance of a large model.")
    options.add_argument("--processes", type=int, nargs="+", default=[2, 3])
    options.add_argument("--items", type=int, default=2)
    options.add_argument("--graphs", type=int, help="only so many, the largest")
    options.add_argument("--readers", type=int, help="processes that read the dump; default as many as cores")
    given = options.parse_args()

    graphs = select({"processes": given.processes})
    chosen = graphs[-given.graphs :] if given.graphs else graphs
    model = Model("bench", "ChandyLamport", chosen, items=given.items, budget=Budget(3600, 4096))
    watch = Watch()

    def say(text: str) -> None:
        watch.enter("comparison" if text.startswith("comparing") else "TLC")

    library = Library(SPECS, SPECS / "mutants")
    watch.start()
    found = conform_model(model, library, find_tools(), progress=say, processes=given.readers)
    watch.stop()
    peak = watch.peaks.get("comparison", 0)
    print(f"graphs: {len(chosen)}, states: {found.states:,}, transitions: {found.transitions:,}")
    print(f"mismatches: {found.mismatches}")
    for phase, seconds in (("TLC", found.tlc_seconds), ("comparison", found.seconds)):
        print(f"{phase}: {seconds:.1f} s, {watch.seconds[phase]:.1f} s of processors")
    print(f"peak memory of the comparison: {peak:.0f} MiB")
    leave(
        Comparison(
            "conform",
            "the comparison of a state graph, against TLC's run that writes it",
            (watch.seconds["comparison"],),
            (watch.seconds["TLC"],),
            wanted=0.7,
            cost=True,
        ),
        states=found.states,
        transitions=found.transitions,
        peak_mib=round(peak),
    )
    return 0 if found.agreed and found.states >= LEAST_STATES else 1


if __name__ == "__main__":
    sys.exit(main())
