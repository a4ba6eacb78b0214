"""A sweep of graphs in one run of TLC, as a plan makes it, against a shell loop with one ``java tlc2.TLC`` for each.

    python benchmarks/bench_sweep.py [--pairs N] [--four N]

``ChandyLamport`` with one item on the ten rooted strongly connected graphs of three processes, and on ``--four`` of
those of four with at most six channels. Both sides must come to the same verdict and the same distinct states on each
graph; ours looks for witnesses and counts actions besides.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pairs import compared, leave

from pyharness.plan.model import Budget, Model
from pyharness.plan.spec_modules import Library
from pyharness.run.job_execution import run_job
from pyharness.run.jobs import Job
from pyharness.run.machine_tools import Tools, find_tools
from pyharness.run.table_rows import TopologyRow, rows_of
from pyharness.toolchain.spec_files import SPECS
from pyharness.topology import select

if TYPE_CHECKING:
    from pairs import Comparison

    from pyharness.topology import Topology

_DISTINCT = re.compile(r"(\d+) distinct states found, 0 states left")


def sweep(
    name: str, graphs: tuple[Topology, ...], tools: Tools, pairs: int, wanted: float
) -> tuple[Comparison, int]:
    """Compare both on these graphs."""
    model = Model(
        name,
        "ChandyLamport",
        graphs,
        items=1,
        invariants=("TypeOK", "NoRedInWhite", "SnapshotConserves", "RecordedIsSSS"),
        properties=("TurnsRedOnce", "SSSReachable"),
        budget=Budget(3600, 4096),
    )
    library = Library(*tools.specs)
    counts: dict[str, dict[str, int | None]] = {}
    with tempfile.TemporaryDirectory(prefix="pyharness-bench-") as directory:
        work = Path(directory)
        for graph in graphs:
            own = work / graph.id
            own.mkdir()
            rendered = model.render(library, (graph,))
            (own / "Model.tla").write_text(rendered.tla, encoding="utf-8")
            (own / "Model.cfg").write_text(rendered.cfg, encoding="utf-8")
        found = ":".join(map(str, tools.specs))
        java = f"{shlex.quote(str(tools.java))} -DTLA-Library={shlex.quote(found)} -cp {shlex.quote(str(tools.jar))}"
        loop = f"for d in */; do (cd $d && {java} tlc2.TLC -deadlock Model > out.txt 2>&1); done"

        def ours() -> None:
            rows = rows_of(TopologyRow, run_job(Job(name, "check", model), library, tools))
            counts["ours"] = {
                row.topology: row.distinct if row.outcome == "success" else None for row in rows
            }

        def others() -> None:
            subprocess.run(["sh", "-c", loop], cwd=work, check=False)
            told = {graph.id: (work / graph.id / "out.txt").read_text(encoding="utf-8") for graph in graphs}
            counts["other"] = {
                graph: int(match[1]) if "No error has been found" in text and match else None
                for graph, text in told.items()
                for match in [_DISTINCT.search(text)]
            }

        comparison = compared(
            f"sweep-{name}",
            f"{len(graphs)} graphs, one run against a shell loop",
            ours,
            others,
            pairs=pairs,
            wanted=wanted,
        )
    if counts["ours"] != counts["other"] or None in counts["ours"].values():
        raise SystemExit(f"the two sides differ: {counts}")
    return comparison, sum(count or 0 for count in counts["ours"].values())


def main() -> int:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description="A sweep against a shell loop.")
    options.add_argument("--pairs", type=int, default=3)
    options.add_argument("--four", type=int, default=40, help="graphs of four processes; 0 for none")
    given = options.parse_args()
    tools = find_tools(SPECS)
    three, states = sweep("three", select({"processes": 3}), tools, given.pairs, 4)
    found, facts = [three], {"states-three": states}
    if given.four:
        few = select({"processes": 4, "channels_max": 6})
        sample = few[:: max(1, len(few) // given.four)][: given.four]
        four, facts["states-four"] = sweep("four", sample, tools, max(1, given.pairs // 3), 6)
        found.append(four)
    leave(*found, **facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
