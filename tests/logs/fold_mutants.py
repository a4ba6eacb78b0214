"""Mutants of the fold, machine-made, on the battery of logs: ``python -m tests.logs.fold_mutants`` says what is not seen.

It is a program, for a process that forks must have one thread.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import pyharness.logs
from pyharness.mutation.code_mutants import code_mutants
from pyharness.mutation.trials import try_mutants
from tests.logs.log_battery import Battery

ROOT = Path(pyharness.logs.__file__).parent
FILES = ("clock_fold.py", "conserved_sum.py", "fold.py", "log_events.py", "pauses.py", "snapshot_fold.py")


def main():
    mutants = [mutant for file in FILES for mutant in code_mutants(ROOT / file, ROOT, guards=True)]
    seen = {}

    def tell(mutant, difference):
        seen[mutant.id] = difference
        if difference is None:
            print(mutant.id, f"(line {mutant.line})", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as scratch:
        battery = Battery(Path(scratch))
        try_mutants(mutants, battery, ROOT, package="pyharness.logs", guards=True, workers=2, tell=tell)
    print(json.dumps({"mutants": len(seen), "unseen": sorted(m for m, told in seen.items() if told is None)}))


if __name__ == "__main__":
    main()
