"""Machine-made mutants of the fold, on the battery of logs: ``python -m tests.logs.fold_mutants`` names the unseen.

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
FILES = ("clock_fold.py", "conserved_sum.py", "fold.py", "pauses.py", "snapshot_fold.py")


def main():
    mutants = [mutant for file in FILES for mutant in code_mutants(ROOT / file, ROOT, guards=True)]
    seen = {}

    def tell(mutant, difference):
        seen[mutant.id] = difference
        if difference is None:
            sys.stderr.write(f"{mutant.id} (line {mutant.line})\n")

    with tempfile.TemporaryDirectory() as scratch:
        battery = Battery(Path(scratch))
        try_mutants(mutants, battery, ROOT, package="pyharness.logs", guards=True, workers=2, tell=tell)
    unseen = sorted(mutant for mutant, told in seen.items() if told is None)
    sys.stdout.write(json.dumps({"mutants": len(seen), "unseen": unseen}))


if __name__ == "__main__":
    main()
