"""Machine-made mutants of the fold, on the battery of logs: ``python -m tests.hold.logs.fold_mutants`` names the unseen.

It is a program, for a process that forks must have one thread.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import pyharness.hold.logs
from pyharness.mutants.code.code_mutants import code_mutants
from pyharness.mutants.code.trials import try_mutants
from tests.hold.logs.log_battery import Battery

ROOT = Path(pyharness.hold.logs.__file__).parent
FILES = ("clock_fold.py", "fold.py", "fold.py", "rules.py", "log_events.py", "fold.py")


EQUIVALENT = {
    "clock_fold.py ClockFold.finish: 0 -> 1 #2": "an entry of who has recorded is 1 at least, so nobody knows of more",
    "clock_fold.py ClockFold.finish: 0 -> 1 #3": "the same, where there is nobody else",
    "fold.py Fold._receive: self.forget(channel, number) -> pass": "what is forgotten is never asked for: memory alone",
    "fold.py SnapshotFold.__init__: True -> False": "the same",
    "fold.py SnapshotFold.forget: channel in snapshot.got and channel not in snapshot.recorded -> "
    "channel in snapshot.got": "the same: more is kept than is asked for",
    "fold.py SnapshotFold.forget: channel.first <= number -> channel.first < number": "the same",
    "fold.py SnapshotFold.forget: self.forgets and channel.first <= number and channel.kept -> "
    "channel.first <= number and channel.kept": "it is false on copies only, on which one event is tried",
    "fold.py SnapshotFold.forget: self.forgets and channel.first <= number and channel.kept -> "
    "self.forgets and channel.first <= number": "as many are kept as are in the channel",
    "fold.py SnapshotFold.finish: not s.done and s.last is not None -> "
    "not s.done": "one that is settled has a last event",
    "fold.py SnapshotFold._marker: position is None or snapshot is None -> "
    "position is None": "a marker in a channel is of a snapshot that is open",
}
"""Mutants that do the same as the original in all that is said of a log, and why."""

LEAST_SEEN = 0.98


def fold_mutants():
    """Return the mutants of the modules of the fold, rules that are left out among them."""
    return [mutant for file in FILES for mutant in code_mutants(ROOT / file, ROOT, guards=True)]


def main():
    mutants = fold_mutants()
    seen = {}

    def tell(mutant, difference):
        seen[mutant.id] = difference
        if difference is None:
            sys.stderr.write(f"{mutant.id} (line {mutant.line})\n")

    with tempfile.TemporaryDirectory() as scratch:
        battery = Battery(Path(scratch))
        try_mutants(mutants, battery, ROOT, package="pyharness.hold.logs", guards=True, workers=2, tell=tell)
    unseen = sorted(mutant for mutant, told in seen.items() if told is None)
    counted = [mutant for mutant in seen if mutant not in EQUIVALENT]
    share = sum(seen[mutant] is not None for mutant in counted) / len(counted)
    found = {"mutants": len(seen), "counted": len(counted), "seen": round(share, 4), "unseen": unseen}
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    sys.exit(share < LEAST_SEEN)


if __name__ == "__main__":
    main()
