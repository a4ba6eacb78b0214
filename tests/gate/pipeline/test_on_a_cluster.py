"""A plan on a cluster that shares nothing with the driver: what travels, what comes back, what a loss costs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from pyharness.base.toolchain import find_java, java_home_for_spark
from pyharness.base.toolchain.spec_files import ROOT
from tests.gate.pipeline.cluster_runs import (
    CHECKING,
    EXECUTOR,
    await_,
    document,
    driver_environment,
    nothing_is_left,
    on_workers,
    written_plan,
)
from tests.gate.pipeline.standalone_cluster import SECONDS, require_namespaces, started_cluster
from tests.long import LONG
from tests.spark_classes import java_options

pytestmark = [pytest.mark.slow, pytest.mark.tlc]

SUBMITTED = """
import json, sys
from pyharness.cli.main import main
sys.argv[1:] = json.loads(sys.argv[1])
main()
"""


@pytest.fixture(scope="module")
def cluster(request, tmp_path_factory):
    """A cluster of so many workers."""
    require_namespaces()
    directory = tmp_path_factory.mktemp("cluster")
    with started_cluster(directory, request.param) as started:
        yield started


@pytest.fixture
def environment(tmp_path):
    return driver_environment(tmp_path / "tmp")


@LONG
@pytest.mark.parametrize("cluster", [2], indirect=True)
def test_a_plan_goes_through_whatever_is_killed(cluster, environment, tmp_path):
    """First the driver, then a run of TLC, then an executor and a worker; at last there is nothing left to do."""
    out = tmp_path / "out"
    plan, specs = written_plan(tmp_path)
    command = [sys.executable, "-m", "pyharness", "check", str(plan), "--specs", str(specs)]

    def start(master):
        words = [*command, "--out", str(out), "--json", "--master", master]
        pipe = subprocess.PIPE
        return subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=pipe, stderr=pipe, text=True)

    hidden = (ROOT / "pyharness", ROOT / ".venv" / "bin", tmp_path, Path(environment["TMPDIR"]))
    for worker in cluster.workers:
        assert worker.sees(Path("/srv/spark/jars")), "else it is not the namespace that is looked into"
        assert not any(map(worker.sees, hidden))

    run = start(cluster.master)
    await_(lambda: list(out.glob("jobs/*.json")), cluster, run)
    run.kill()
    run.communicate()
    own = [path for path in out.glob("jobs/*.json") if '"model": "own"' in path.read_text(encoding="utf-8")]
    for path in own:  # it is what is struck next
        path.unlink()
    kept = len(list(out.glob("jobs/*.json")))
    assert nothing_is_left(cluster)

    run = start(cluster.master)
    ((_, checking), *_) = await_(lambda: on_workers(cluster, CHECKING), cluster, run)
    os.kill(checking, signal.SIGKILL)
    code, found = document(run)
    verdicts = {model["name"]: model["verdict"] for model in found["models"]}
    assert (code, sorted(verdicts.values())) == (3, ["incomplete", "pass", "pass"])
    (reasons,) = [model["reasons"] for model in found["models"] if model["verdict"] == "incomplete"]
    assert "killed" in " ".join(reasons)
    assert found["reused"] >= kept
    assert nothing_is_left(cluster)

    run = start(cluster.master)
    ((worker, checking), *_) = await_(lambda: on_workers(cluster, CHECKING), cluster, run)
    (executor,) = worker.processes(EXECUTOR)
    os.kill(executor, signal.SIGKILL)
    await_(lambda: not Path("/proc", str(checking)).exists(), cluster)
    ((worker, _), *_) = await_(lambda: on_workers(cluster, CHECKING), cluster, run)
    worker.process.kill()
    code, found = document(run)
    verdicts = {model["name"]: model["verdict"] for model in found["models"]}
    assert (code, verdicts) == (0, dict.fromkeys(("shipped", "own", "small"), "pass"))
    assert found["reused"] == found["jobs"] - 1
    assert nothing_is_left(cluster)

    code, found = document(start("spark://127.0.0.1:1"))
    assert (code, found["reused"]) == (0, found["jobs"])


@pytest.mark.parametrize("cluster", [1], indirect=True)
def test_a_plan_under_spark_submit(cluster, environment, tmp_path):
    """The session of spark-submit is used as it is; a worker has nothing of the driver's."""
    (tmp_path / "submitted.py").write_text(SUBMITTED, encoding="utf-8")
    plan, specs = written_plan(tmp_path)
    asked = ["check", str(plan), "--specs", str(specs), "--out", str(tmp_path / "out")]
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--master", cluster.master]
    command += [
        "--driver-java-options",
        java_options(),
        "--conf",
        f"spark.executor.extraJavaOptions={java_options()}",
    ]
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
    assert done.returncode == 0, done.stderr[-3000:] + cluster.logs()
    document = json.JSONDecoder().raw_decode(done.stdout[done.stdout.index("{") :])[0]
    verdicts = {model["name"]: model["verdict"] for model in document["models"]}
    assert verdicts == dict.fromkeys(("shipped", "own", "small"), "pass")
    assert nothing_is_left(cluster)
