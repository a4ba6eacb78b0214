"""Each benchmark can be started, though none is run here: what it imports of the harness is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FILES = sorted((Path(__file__).parents[1] / "benchmarks").glob("bench_*.py"))

# In one process: what they import of the harness is the same.
START = """
import runpy, sys
for file in sys.argv[1:]:
    sys.argv, sys.path[0] = [file, "--help"], file.rpartition("/")[0]
    try:
        runpy.run_path(file, run_name="__main__")
    except SystemExit as end:
        print("ENDED", end.code)
"""


def test_each_benchmark_finds_what_it_imports():
    run = [sys.executable, "-c", START, *map(str, FILES)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.stdout.count("\nENDED 0\n") == len(FILES) > 5, done.stderr[-300:]
