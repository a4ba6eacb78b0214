"""Each benchmark can be started, though none is run here: what it imports of the harness is there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PLACE = Path(__file__).parents[1] / "benchmarks"
FILES = sorted(PLACE.glob("bench_*.py"))

# In one process: what they import of the harness is the same.
START = """
import json, runpy, sys
ended = {}
for file in sys.argv[1:]:
    sys.argv = [file, "--help"]
    try:
        runpy.run_path(file, run_name="__main__")
        ended[file] = "no end"
    except BaseException as end:
        ended[file] = repr(end)
print("ENDED", json.dumps(ended))
"""


def test_each_benchmark_finds_what_it_imports():
    run = [sys.executable, "-c", START, *map(str, FILES)]
    printed = subprocess.run(run, cwd=PLACE, capture_output=True, text=True, check=True).stdout
    ended = json.loads(printed.rpartition("ENDED ")[2])
    assert ended == {str(file): "SystemExit(0)" for file in FILES}
    assert len(ended) > 5
