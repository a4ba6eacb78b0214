"""Results in a store, jobs on a cluster that shares nothing with the driver: the driver alone reads and writes them."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gate.pipeline.cluster_runs import (
    EXECUTOR,
    await_,
    document,
    driver_environment,
    nothing_is_left,
    on_workers,
    written_plan,
)
from tests.gate.pipeline.standalone_cluster import require_namespaces, started_cluster
from tests.gate.run.store_server import CREDENTIALS, started_store
from tests.long import LONG

pytestmark = [pytest.mark.slow, pytest.mark.tlc]


def finished(server):
    return sorted(name for name in server.names("run") if name.startswith("jobs/"))


@LONG
def test_another_machine_goes_on_where_a_run_was_broken_off(tmp_path):
    """The first driver is stopped; the second has its own directories, and the store; the third needs no cluster."""
    require_namespaces()
    plan, specs = written_plan(tmp_path)
    with started_store() as server, started_cluster(tmp_path) as cluster:

        def start(name, master):
            """Start a driver as on a machine of its own: nothing here is the others', but the plan and the specs."""
            own = tmp_path / name
            own.mkdir()
            words = [sys.executable, "-m", "pyharness", "check", str(plan), "--specs", str(specs)]
            words += ["--out", server.uri("run"), "--json", "--master", master]
            environment = {**driver_environment(own / "tmp"), **CREDENTIALS}
            pipe = subprocess.PIPE
            return subprocess.Popen(words, cwd=own, env=environment, stdout=pipe, stderr=pipe, text=True)

        run = start("first", cluster.master)
        executors = await_(lambda: on_workers(cluster, EXECUTOR), cluster, run)
        for _, process in executors:
            assert b"AWS_" not in Path("/proc", str(process), "environ").read_bytes(), "it could write there"
        await_(lambda: finished(server), cluster, run)
        run.send_signal(signal.SIGINT)
        run.communicate()
        kept = finished(server)
        assert kept
        assert nothing_is_left(cluster)

        code, found = document(start("second", cluster.master))
        verdicts = {model["name"]: model["verdict"] for model in found["models"]}
        assert (code, verdicts) == (0, dict.fromkeys(("shipped", "own", "small"), "pass"))
        assert found["reused"] >= len(kept)
        assert set(kept) <= set(finished(server))
        assert nothing_is_left(cluster)

        code, found = document(start("third", "spark://127.0.0.1:1"))
        assert (code, found["reused"]) == (0, found["jobs"])
