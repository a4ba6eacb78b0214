"""Each benchmark can be started, though none is run here: what it imports of the harness is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PLACE = Path(__file__).parents[1] / "benchmarks"
FILES = sorted(PLACE.glob("bench_*.py"))
PROGRAM = """
import os, runpy, sys
for file in sys.argv[1:]:
    if not os.fork():  # which has imported what it shares with the others
        sys.argv = [file, "--help"]
        runpy.run_path(file, run_name="__main__")
        sys.exit(1)  # it did not take its option
    if os.wait()[1]:
        sys.exit(file)
    runpy.run_path(file, run_name="imported")
"""


def test_each_benchmark_finds_what_it_imports():
    run = [sys.executable, "-c", PROGRAM, *map(str, FILES)]
    ended = subprocess.run(run, cwd=PLACE, capture_output=True, check=False, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(FILES) > 5
