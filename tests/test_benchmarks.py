"""Each benchmark can be started, though none is run here: what it imports of the harness is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FILES = sorted((Path(__file__).parents[1] / "benchmarks").glob("bench_*.py"))


def test_each_benchmark_finds_what_it_imports():
    runs = {file.name: [sys.executable, str(file), "--help"] for file in FILES}
    ended = {name: subprocess.run(run, capture_output=True, check=False) for name, run in runs.items()}
    assert {name: one.stderr[-300:] for name, one in ended.items() if one.returncode} == {}
    assert len(ended) > 5
