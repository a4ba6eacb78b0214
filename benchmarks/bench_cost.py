"""What a transition costs at about 10^5, 10^6 and 5 * 10^6 of them.

    python benchmarks/bench_cost.py [--largest | --smallest]

``ChandyLamport``: with two items on the seven graphs of two and three processes that have at most four channels, on
all eleven, and, with ``--largest``, with three items on those seven. Of each size TLC checks four invariants in one
run with one worker, without refinements, coverage and dump; up to 50,000 states without Java's optimising compiler, as
a plan does. Up to 500,000 states another run of TLC writes the state graph, and that is compared with the
implementation, in plain Python by one process. Steps are what TLC generates, some of them twice, so transitions are
fewer; only a comparison tells how many.

What a start costs is measured with two processes and 362 states, and is subtracted from a check. A size is run once,
so differences of 15 % mean nothing: this is growth over a factor of ten or fifty.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from family import Watch
from pairs import Comparison, cpu_seconds, leave

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import select
from pyharness.hold.conformance.comparison import conform_model
from pyharness.models.bounds import Budget
from pyharness.models.machine_tools import find_tools
from pyharness.models.model import Model
from pyharness.models.text_run import budget_of, run_texts
from pyharness.tla.modules.library import Library
from pyharness.tla.tlc import Outcome

if TYPE_CHECKING:
    from pyharness.base.topology import Topology
    from pyharness.models.machine_tools import Tools

INVARIANTS = ("TypeOK", "NoRedInWhite", "SnapshotConserves", "RecordedIsSSS")

MOST_COMPARED = 500_000


@dataclass(frozen=True)
class Size:
    """What one size came to; the comparison's figures are ``None`` where none was made."""

    items: int
    graphs: int
    states: int
    steps: int
    check_seconds: float
    check_us_a_step: float
    transitions: int | None = None
    graph_seconds: float | None = None
    comparison_seconds: float | None = None
    comparison_us_a_transition: float | None = None

    def __str__(self) -> str:
        compared = (
            "not compared"
            if self.transitions is None
            else f"{self.transitions:,} transitions: with the graph written {self.graph_seconds:.1f} s, compared in "
            f"{self.comparison_seconds:.1f} s, {self.comparison_us_a_transition:.1f} us a transition"
        )
        return (
            f"{self.items} items, {self.graphs} graphs, {self.states:,} states, {self.steps:,} steps: checked in "
            f"{self.check_seconds:.1f} s, {self.check_us_a_step:.1f} us a step beyond the start; {compared}"
        )


def checked(model: Model, library: Library, tools: Tools, *, small: bool) -> tuple[int, int, float]:
    """Check a model; return its states, its steps, and the CPU seconds."""
    found = []

    def check() -> None:
        with tempfile.TemporaryDirectory(prefix="pyharness-bench-") as directory:
            rendered, settings = model.render(library), budget_of(model)
            found.append(run_texts(rendered, tools, Path(directory), **settings, quick_jvm=small))

    seconds = cpu_seconds(check)
    (result,) = found
    if result.distinct is None or result.generated is None or result.outcome is not Outcome.SUCCESS:
        raise SystemExit(f"TLC did not end well: {result.outcome.value}")
    return result.distinct, result.generated - (result.initial_states or 0), seconds


def measured(items: int, graphs: tuple[Topology, ...], tools: Tools, start: float, *, small: bool) -> Size:
    """Check, and compare where the graph is small enough."""
    library = Library(*tools.specs)
    model = Model(
        "cost", "ChandyLamport", graphs, items=items, invariants=INVARIANTS, budget=Budget(3600, 4096)
    )
    states, steps, seconds = checked(model, library, tools, small=small)
    size = Size(items, len(graphs), states, steps, seconds, (seconds - start) / steps * 1e6)
    if states > MOST_COMPARED:
        return size
    watch = Watch()
    watch.start()
    found = conform_model(
        model,
        library,
        tools,
        say=lambda text: watch.enter("comparison" if text.startswith("comparing") else "TLC"),
        processes=1,
    )
    watch.stop()
    if not found.agreed or found.states != states:
        raise SystemExit(f"{found.mismatches} mismatches, {found.states} states and not {states}")
    compared = watch.seconds["comparison"]
    return replace(
        size,
        transitions=found.transitions,
        graph_seconds=watch.seconds["TLC"],
        comparison_seconds=compared,
        comparison_us_a_transition=compared / found.transitions * 1e6,
    )


def main() -> int:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description="The cost of a transition as graphs grow.")
    which = options.add_mutually_exclusive_group()
    which.add_argument(
        "--largest", action="store_true", help="5 * 10^6 steps too: minutes, checked by TLC only"
    )
    which.add_argument("--smallest", action="store_true", help="10^5 steps only")
    given = options.parse_args()
    tools = find_tools(SPECS)
    few, all_ = (select({"processes": [2, 3], "channels_max": most}) for most in (4, 6))
    tiny = Model("start", "ChandyLamport", few[:1], items=2, invariants=INVARIANTS, budget=Budget(60, 1024))
    *_, start = checked(tiny, Library(*tools.specs), tools, small=True)
    print(f"a start: {start:.1f} CPU seconds")
    wanted = [(2, few), (2, all_), (3, few)][: 1 if given.smallest else 3 if given.largest else 2]
    sizes = []
    for number, (items, graphs) in enumerate(wanted):
        sizes.append(measured(items, graphs, tools, start, small=number == 0))
        print(sizes[-1])
    checks = [(size.steps, size.check_us_a_step) for size in sizes]
    compared = [
        (size.transitions, size.comparison_us_a_transition) for size in sizes if size.transitions is not None
    ]
    growth = [
        Comparison(
            "cost",
            f"a check's step, at {checks[-1][0]:,} steps against {checks[0][0]:,}",
            (checks[-1][1],),
            (checks[0][1],),
            cost=True,
            unit="CPU us",
        ),
        Comparison(
            "cost-of-comparison",
            f"a comparison's transition, at {compared[-1][0]:,} transitions against {compared[0][0]:,}",
            (compared[-1][1] or 0,),
            (compared[0][1] or 0,),
            cost=True,
            unit="CPU us",
        ),
    ]
    table = [asdict(size) for size in sizes]
    lines = {"check, a step": checks, "comparison, a transition": compared}
    leave(*growth, table=table, lines=lines, start_cpu_seconds=round(start, 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
