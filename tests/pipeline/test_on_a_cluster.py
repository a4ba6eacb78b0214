"""A plan on a cluster that shares nothing with the driver: what travels, what comes back, what a loss costs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyspark
import pytest

from pyharness.toolchain import find_java, java_home_for_spark
from pyharness.toolchain.spec_files import ROOT
from tests.pipeline.standalone_cluster import QUICK, SECONDS, require_namespaces, started_cluster

pytestmark = [pytest.mark.slow, pytest.mark.tlc]

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
name = "own"
spec = "Own"
topologies = [{ processes = 2 }]
items = 2
invariants = ["TypeOK", "OwnInvariant"]
silent = ["Internal", "Exchange"]
pins = { distinct = 362, depth = 16 }
"""

OWN = """---- MODULE Own ----
EXTENDS ChandyLamport

OwnInvariant == Red \\subseteq Proc
====
"""

SUBMITTED = """
import json, sys
from pyharness.cli import main
sys.argv[1:] = json.loads(sys.argv[1])
main()
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    require_namespaces()
    directory = tmp_path_factory.mktemp("cluster")
    with started_cluster(directory) as started:
        yield started


@pytest.fixture
def environment(tmp_path):
    """That of a driver, with a directory for temporary files that is nobody else's."""
    own = tmp_path / "tmp"
    own.mkdir()
    options = f"--conf 'spark.executor.extraJavaOptions={QUICK}' --conf spark.sql.codegen.wholeStage=false"
    return {**os.environ, "TMPDIR": str(own), "PYSPARK_SUBMIT_ARGS": f"{options} pyspark-shell"}


@pytest.fixture
def specs(tmp_path):
    directory = tmp_path / "specs"
    directory.mkdir()
    (directory / "Own.tla").write_text(OWN, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    return directory


def await_(what, cluster, process):
    """Wait until there is something of a kind; fail if the process ends before."""
    until = time.monotonic() + SECONDS
    while not (found := what()):
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < until, cluster.logs()
        time.sleep(0.05)
    return found


def on_workers(cluster, word):
    """The workers that have a process with this word, each with the first of these."""
    return [(worker, found[0]) for worker in cluster.workers if (found := worker.processes(word))]


def gone(cluster, word):
    """Wait for the processes with this word to end."""
    until = time.monotonic() + 30
    while on_workers(cluster, word) and time.monotonic() < until:
        time.sleep(0.1)
    return not on_workers(cluster, word)


def test_a_plan_goes_through_whatever_is_killed(cluster, environment, specs, tmp_path):
    """First the driver, in the second run an executor with TLC below it; the third has nothing left to do."""
    out = tmp_path / "out"
    command = [sys.executable, "-m", "pyharness", "check", str(tmp_path / "plan.toml"), "--specs", str(specs)]
    command += ["--out", str(out), "--json"]

    def start(master):
        words = [*command, "--master", master]
        return subprocess.Popen(
            words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    for worker in cluster.workers:
        assert worker.sees(Path("/srv/spark/jars")), "else it is not the namespace that is looked into"
        assert not any(
            map(worker.sees, (ROOT / "pyharness", ROOT / ".venv", tmp_path, Path(environment["TMPDIR"])))
        )

    first = start(cluster.master)
    await_(lambda: list(out.glob("jobs/*.json")), cluster, first)
    await_(lambda: on_workers(cluster, "tlc2.TLC"), cluster, first)
    first.kill()
    first.communicate()
    kept = len(list(out.glob("jobs/*.json")))
    assert gone(cluster, "tlc2.TLC")
    assert gone(cluster, "org.apache.spark.executor.CoarseGrainedExecutorBackend")

    second = start(cluster.master)
    worker, tlc = await_(lambda: on_workers(cluster, "tlc2.TLC"), cluster, second)[0]
    (executor,) = worker.processes("org.apache.spark.executor.CoarseGrainedExecutorBackend")
    os.kill(executor, signal.SIGKILL)
    until = time.monotonic() + 30
    while Path("/proc", str(tlc)).exists():
        assert time.monotonic() < until, "TLC outlives the executor that was killed"
        time.sleep(0.05)
    said, _ = second.communicate(timeout=SECONDS)
    assert second.returncode == 0, said + cluster.logs()
    document = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert document["verdict"] == "pass"
    assert document["reused"] >= kept > 0
    assert {model["name"]: model["verdict"] for model in document["models"]} == {
        "shipped": "pass",
        "own": "pass",
    }
    assert gone(cluster, "org.apache.spark.executor.CoarseGrainedExecutorBackend")
    assert gone(cluster, "tlc2.TLC")
    assert [worker.left() for worker in cluster.workers] == [[], []]

    third = start("spark://127.0.0.1:1")
    said, _ = third.communicate(timeout=SECONDS)
    assert third.returncode == 0, said
    document = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert document["reused"] == document["jobs"]


def test_a_comparison_on_spark_under_spark_submit(cluster, environment, tmp_path):
    """The session of spark-submit is used as it is; TLC runs in one task and tells the others of its graph."""
    (tmp_path / "submitted.py").write_text(SUBMITTED, encoding="utf-8")
    out = tmp_path / "out"
    asked = ["conform", "ChandyLamport:LateTurn", "--topology", "n2-6-i1", "--items", "1", "--out", str(out)]
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--master", cluster.master]
    command += ["--driver-java-options", QUICK, "--conf", f"spark.executor.extraJavaOptions={QUICK}"]
    command += ["--conf", "spark.sql.codegen.wholeStage=false", "--conf", "spark.sql.shuffle.partitions=2"]
    environment |= {
        "JAVA_HOME": str(java_home_for_spark(find_java(), tmp_path)),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYSPARK_PYTHON": f"python{sys.version_info.major}.{sys.version_info.minor}",
    }
    done = subprocess.run(
        [*command, "submitted.py", json.dumps([*asked, "--json"])],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=2 * SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr[-3000:] + cluster.logs()
    document = json.loads(done.stdout[done.stdout.index("{") :])
    assert (document["states"], document["transitions"]) == (32, 37)
    assert document["mismatches"] > 0
    assert document["first"]["action"] == "AcceptMarker"
    assert {path.name for path in out.iterdir()} == {"states", "transitions", "differences", "conformance"}
    assert gone(cluster, "org.apache.spark.executor.CoarseGrainedExecutorBackend")
    assert [worker.left() for worker in cluster.workers] == [[], []]
