"""A sweep of graphs in one run of TLC, as a plan makes it, against a shell loop with one ``java tlc2.TLC`` for each.

    python benchmarks/bench_sweep.py [--pairs N] [--four N] [--jar TLA2TOOLS.JAR]

``ChandyLamport`` with one item on the ten rooted strongly connected graphs of three processes, and on ``--four`` of
those of four with at most six channels. Both sides must come to the same verdict and the same number of distinct
states; ours looks for witnesses and counts actions besides.

``tlakit`` has a sweep, too, which needs a TLC newer than the one that comes with us: with ``--jar``, a build of 1.8.0
or newer, all of this runs on that jar, and the ten graphs are given to it as well.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pairs import compared, leave

from pyharness.base.toolchain.jar import VARIABLE
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import select
from pyharness.gate.jobs.job_execution import run_job
from pyharness.models.bounds import Budget
from pyharness.models.job import Job
from pyharness.models.machine_tools import Tools, find_tools
from pyharness.models.model import Model
from pyharness.models.table_rows import RunRow, rows_of
from pyharness.models.verdicts import Verdict
from pyharness.tla.modules.library import Library

if TYPE_CHECKING:
    from pairs import Comparison

    from pyharness.base.topology import Topology

_DISTINCT = re.compile(r"(\d+) distinct states found, 0 states left")


def with_tlakit(model: Model, library: Library, tools: Tools) -> dict[str, int | None]:
    """Let tlakit's sweep check each graph of a model; return the distinct states, ``None`` where it does not pass."""
    from tlakit import CliRunner  # noqa: PLC0415 - of this comparison only
    from tlakit.sweep import run_sweep  # noqa: PLC0415

    os.environ.setdefault("TLAKIT_JAVA", str(tools.java))
    runner = CliRunner(tools.jar, community_jar=False)
    modules = {
        each.name: each.text for root in model.modules for each in library.closure(root, instances=True)
    }

    def check(constants: dict[str, Topology]) -> object:
        rendered = replace(model, topologies=(constants["graph"],)).render(library)
        return runner.check(
            rendered.tla, rendered.module, rendered.cfg, extra_opts=["-deadlock"], extra_modules=modules
        )

    found = run_sweep(check, {"graph": list(model.topologies)})
    return {
        run.constants["graph"].id: run.result.stats.distinct if run.result.ok else None for run in found.runs
    }


def sweep(
    name: str, graphs: tuple[Topology, ...], tools: Tools, pairs: int, wanted: float, *, tlakit: bool = False
) -> tuple[list[Comparison], int]:
    """Compare both on these graphs, and the first with ``tlakit``."""
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
    counts: dict[str, int | None] = {}
    with tempfile.TemporaryDirectory(prefix="pyharness-bench-") as directory:
        work = Path(directory)
        for graph in graphs:
            own = work / graph.id
            own.mkdir()
            rendered = replace(model, topologies=(graph,)).render(library)
            (own / "Model.tla").write_text(rendered.tla, encoding="utf-8")
            (own / "Model.cfg").write_text(rendered.cfg, encoding="utf-8")
        found = ":".join(map(str, tools.specs))
        java = f"{shlex.quote(str(tools.java))} -DTLA-Library={shlex.quote(found)} -cp {shlex.quote(str(tools.jar))}"
        loop = f"for d in */; do (cd $d && {java} tlc2.TLC -deadlock Model > out.txt 2>&1); done"

        def ours() -> None:
            (run,) = rows_of(RunRow, run_job(Job(name, "check", model), library, tools))
            counts["ours"] = run.distinct if run.verdict is Verdict.PASS else None

        def others() -> None:
            subprocess.run(["sh", "-c", loop], cwd=work, check=False)
            told = {graph.id: (work / graph.id / "out.txt").read_text(encoding="utf-8") for graph in graphs}
            found = {graph: _DISTINCT.search(text) for graph, text in told.items()}
            ended = [match for graph, match in found.items() if "No error has been found" in told[graph]]
            counts["other"] = sum(int(match[1]) for match in ended if match) if all(ended) else None

        def tlakits() -> None:
            by_graph = with_tlakit(model, library, tools).values()
            counts["tlakit"] = None if None in by_graph else sum(filter(None, by_graph))

        comparisons = [
            compared(
                f"sweep-{name}-{other}" if other == "tlakit" else f"sweep-{name}",
                f"{len(graphs)} graphs, one run against {what}",
                ours,
                action,
                pairs=pairs,
                wanted=wanted,
            )
            for other, what, action in (
                ("loop", "a shell loop", others),
                ("tlakit", "the sweep of tlakit", tlakits),
            )
            if tlakit or other == "loop"
        ]
    if any(each != counts["ours"] for each in counts.values()) or counts["ours"] is None:
        raise SystemExit(f"the sides differ: {counts}")
    return comparisons, counts["ours"]


def main() -> int:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description="A sweep against a shell loop.")
    options.add_argument("--pairs", type=int, default=3)
    options.add_argument("--four", type=int, default=40, help="graphs of four processes; 0 for none")
    options.add_argument(
        "--jar", type=Path, help="tla2tools.jar, 1.8.0 or newer, with which tlakit's sweep runs"
    )
    given = options.parse_args()
    tools = find_tools(SPECS, {**os.environ, **({VARIABLE: str(given.jar)} if given.jar else {})})
    if not given.jar:
        print("tlakit's sweep is left out: it needs a newer TLC (--jar TLA2TOOLS.JAR)")
    found, states = sweep("three", select({"processes": 3}), tools, given.pairs, 4, tlakit=bool(given.jar))
    facts: dict[str, object] = {"states-three": states}
    if given.four:
        few = select({"processes": 4, "channels_max": 6})
        sample = few[:: max(1, len(few) // given.four)][: given.four]
        four, facts["states-four"] = sweep("four", sample, tools, max(1, given.pairs // 3), 6)
        found += four
    leave(*found, **facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
