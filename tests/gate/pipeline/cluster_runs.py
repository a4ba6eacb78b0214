"""A plan that is run on a cluster while things break: its text, a driver's environment, and what to wait for."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

from tests.gate.pipeline.standalone_cluster import SECONDS
from tests.spark_classes import java_options

if TYPE_CHECKING:
    from pathlib import Path

PLAN = """format = "pyharness-plan/1"

[[model]]
name = "shipped"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
items = 2
invariants = ["TypeOK"]
properties = ["SSSReachable"]
silent = ["Internal", "Exchange"]
simulate = { traces = 10, depth = 20, seed = 1 }
explore = true
conform = true
pins = { distinct = 362, depth = 16, transitions = 501 }

[[model]]
name = "own"  # it takes some seconds, in which it can be struck
spec = "Own"
topologies = [{ ids = ["n3-0cc-i1"] }]
items = 2
invariants = ["TypeOK", "OwnInvariant"]
silent = ["Internal", "Exchange"]
pins = { distinct = 8069, depth = 26 }
budget = { heap_mb = 777 }

[[model]]
name = "small"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
items = 1
invariants = ["TypeOK"]
silent = ["Internal", "Exchange"]
conform = true
pins = { distinct = 32, depth = 11, transitions = 37 }
"""

OWN = """---- MODULE Own ----
EXTENDS ChandyLamport

OwnInvariant == Red \\subseteq ProcessesOf[topo]
====
"""

OF_A_SESSION = ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_LOCAL_IP")
"""What a session of another test that goes on in this process has set."""

EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
TLC = "tlc2.TLC"


def driver_environment(own: Path) -> dict[str, str]:
    """Return that of a driver whose temporary files go to ``own``, which is made, and are nobody else's."""
    own.mkdir()
    options = (
        f"--driver-java-options '{java_options()}' --conf 'spark.executor.extraJavaOptions={java_options()}'"
        " --conf spark.sql.codegen.wholeStage=false"
    )
    here = {name: value for name, value in os.environ.items() if name not in OF_A_SESSION}
    return {**here, "TMPDIR": str(own), "PYSPARK_SUBMIT_ARGS": f"{options} pyspark-shell"}


def written_plan(directory: Path) -> tuple[Path, Path]:
    """Write the plan and the specs of its own below a directory; return both paths."""
    specs = directory / "specs"
    specs.mkdir()
    (specs / "Own.tla").write_text(OWN, encoding="utf-8")
    (directory / "plan.toml").write_text(PLAN, encoding="utf-8")
    return directory / "plan.toml", specs


def await_(what, cluster, process=None):
    """Wait until something is so, and return it; fail if the process ends before."""
    until = time.monotonic() + SECONDS
    while not (found := what()):
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < until, cluster.logs()
        time.sleep(0.1)
    return found


def on_workers(cluster, word):
    """The workers that have a process with this word, each with the first of these."""
    return [(worker, found[0]) for worker in cluster.workers if (found := worker.processes(word))]


def nothing_is_left(cluster):
    """Wait until the workers have no process of the application and no file of its tasks; they need a moment."""
    for word in (TLC, EXECUTOR):
        await_(lambda word=word: not on_workers(cluster, word), cluster)
    await_(lambda: not any(worker.left() for worker in cluster.workers), cluster)
    return True


def document(process):
    """Wait for ``check --json``, and return its exit code and its document."""
    said, complained = process.communicate(timeout=SECONDS)
    assert said.startswith("{"), complained
    return process.returncode, json.loads(said)
