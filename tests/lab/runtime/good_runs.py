"""Runs on many graphs by every protocol: each log validated, each snapshot held against what it conserves.

`python -m tests.lab.runtime.good_runs --runs 200 --seed 1` does so many, with delays, windows and rates drawn by lot.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from pyharness.hold.logs.validation import Validation, validate
from pyharness.lab.runtime.dataflow_vertex import BARRIER_MODES
from pyharness.lab.runtime.system_run import RunResult, RunSetting, run_system
from pyharness.lab.runtime.vertex_process import RUNNING

BANKS = (
    *(
        "ring:2",
        "ring:3",
        "ring:4",
        "kuper",
        "four-channels",
        "star:4",
        "line:3",
        "clique:4",
        "two-way-ring:4",
    ),
    *("1>2,2>1@1,2", "1>2,2>3,3>1,1>3@1,3", "1>2,2>1,2>3,3>2@1,2,3"),
)
FLOWS = (
    "pipeline:2",
    "pipeline:4",
    "join:3",
    "join:4",
    "diamond:4",
    "diamond:5",
    "funnel:4",
    "1>3,2>3,3>4,3>5@1,2",
)


def good_run(
    directory: Path, protocol: str, number: int, seed: int, tools=None
) -> tuple[RunResult, Validation]:
    """Run once, and require that all snapshots conserve what the run does."""
    random = Random(f"{seed}.{number}")
    graphs = FLOWS if protocol in BARRIER_MODES else BANKS
    setting = RunSetting(
        graphs[number % len(graphs)],
        protocol,
        seconds=random.uniform(0.3, 0.7),
        seed=number,
        every=random.choice((5, 20, 60)),
        delay=random.choice((0.2, 1, 3)),
        window=random.choice((1, 4, 16)),
    )
    result = run_system(setting, directory)
    wrong = result.inconsistent(protocol)
    assert not wrong, f"{protocol} {number}: {wrong[0]}"
    return result, validate(directory / "logs", tools=tools)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    came: Counter = Counter()
    for number in range(given.runs):
        protocol = list(RUNNING)[number % len(RUNNING)]
        with tempfile.TemporaryDirectory() as place:
            result, log = good_run(Path(place), protocol, number // len(RUNNING), given.seed)
            assert log.verdict != "violation", f"{protocol} {number}: {log.reason}"
            came[f"{protocol}: {log.verdict}"] += 1
            came["snapshots"] += len(result.snapshots)
            came["messages"] += result.messages
            came["messages across a cut"] += log.crossing
    for what, count in sorted(came.items()):
        print(f"{count:9} {what}")
    shown = sum(count for what, count in came.items() if what.endswith(": pass"))
    if shown < 0.9 * given.runs:
        sys.exit("too many runs showed nothing")


if __name__ == "__main__":
    main()
