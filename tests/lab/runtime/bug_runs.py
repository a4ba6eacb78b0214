"""Runs with a seeded bug switched on: refused by the log's rules, or by a machine that gets what cannot be.

`python -m tests.lab.runtime.bug_runs --runs 10` prints a table: of each bug how many runs had an effect, and were refused.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from pyharness.base.errors import ConformanceError, HarnessError
from pyharness.hold.logs.validation import validate
from pyharness.lab.runtime.system_run import RunSetting, bugs_of, run_system
from pyharness.lab.runtime.vertex_process import RUNNING
from pyharness.machines.protocols import OPERATOR_MUTANTS

GRAPHS = {
    "bank": ("1>2,2>1,2>3,3>2@1,2", "kuper", "1>2,2>3,3>1,1>3@1,3"),
    "flow": ("join:3", "diamond:4", "funnel:4"),
}

OF_OPERATORS = {
    "AlignedBarriers": {"NoBlocking"},
    "UnalignedBarriers": {"DropLog", "UnblockAtTimeout", "WrongChannelsLogged"},
    "AtLeastOnceBarriers": set(),
}
"""All others are of aborts, ends and timeouts, of which a run has none, or are none of the mode."""
NO_EFFECT = {protocol: set(OPERATOR_MUTANTS) - effective for protocol, effective in OF_OPERATORS.items()}


def bug_run(directory: Path, protocol: str, bug: str, number: int) -> tuple[bool, str, bool]:
    """Run with a bug; return whether it had an effect, what its log was, and whether a snapshot was inconsistent."""
    graphs = GRAPHS["bank" if protocol == "ChandyLamport" else "flow"]
    setting = RunSetting(
        graphs[number % len(graphs)],
        protocol,
        seconds=0.4,
        seed=number,
        every=15,
        delay=0.5,
        limit=3,
        bug=bug,
    )
    effects, came, wrong = None, None, False
    try:
        result = run_system(setting, directory)
        effects, wrong = result.effects, bool(result.inconsistent(protocol))
    except ConformanceError:
        came = "refused"
    except HarnessError:
        came = "incomplete"
    verdict = validate(directory / "logs").verdict
    if verdict == "violation":
        came = "refused"
    elif came is None:
        came = "incomplete" if verdict == "incomplete" else "accepted"
    return (effects is None or effects > 0), came, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--protocol", choices=list(RUNNING), action="append")
    given = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    effective = refused = wrong = 0
    for protocol in given.protocol or RUNNING:
        for bug in sorted(set(bugs_of(protocol)) - NO_EFFECT.get(protocol, set())):
            counts: dict[str, int] = {}
            for number in range(given.runs):
                with tempfile.TemporaryDirectory() as place:
                    effect, came, inconsistent = bug_run(Path(place), protocol, bug, number)
                    if not effect:
                        came = "no effect"
                    counts[came] = counts.get(came, 0) + 1
                    wrong += came in {"accepted", "no effect"} and inconsistent
            effective += given.runs - counts.get("no effect", 0)
            refused += counts.get("refused", 0)
            print(f"{protocol:20} {bug:24} {counts}")
    print(
        f"{refused} of {effective} runs with an effect refused, {wrong} accepted with an inconsistent snapshot"
    )
    if refused < 0.95 * effective or wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
