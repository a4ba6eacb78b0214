"""Without Spark a plan's jobs run in processes of this machine: the same rows, and what is killed is no pass."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pyharness.base.errors import ToolError
from pyharness.base.toolchain.spec_files import ROOT, SPECS
from pyharness.gate.jobs.jobs import ExampleJob, plan_jobs
from pyharness.gate.jobs.spark_session import cause_of
from pyharness.gate.jobs.task_tools import DriversTools
from pyharness.gate.pipeline.job_tasks import job_rows
from pyharness.gate.pipeline.local_tasks import LocalTasks
from pyharness.gate.pipeline.stages import run_plan
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.models.table_rows import to_plain
from pyharness.models.verdicts import Verdict

pytestmark = pytest.mark.tlc

SMALL = """format = "pyharness-plan/1"
[[model]]
name = "small"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
invariants = ["TypeOK"]
silent = ["Internal", "Exchange"]
pins = { distinct = 362, depth = 16 }
"""

LARGE = """
[[model]]
name = "large"
spec = "ChandyLamport"
topologies = [{ family = "clique", processes = 4 }]
items = 4
invariants = ["TypeOK"]
budget = { seconds = 600 }
"""
"""Which takes TLC longer than any test."""

MAIN = """
import sys
sys.modules["pyspark"] = sys.modules["pyarrow"] = None
from pyharness.cli.main import main
if __name__ == "__main__":
    main()
"""


@pytest.fixture
def made(tmp_path):
    """Return a function that reads a plan of this text."""

    def make(text):
        path = tmp_path / "own.toml"
        path.write_text(text, encoding="utf-8")
        return read_plan(path, SPECS)

    return make


def seen(ready, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := ready():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come")


def kill_the_last_one(kept):
    """When all but one job are done, kill each process that runs TLC, as the kernel does when memory is short."""

    def kill():
        seen(lambda: len([*kept.glob("*.json")]) == 1)
        killed = []
        for _ in range(2):
            killed.append(seen(lambda: busy(killed))[0])
            os.kill(killed[-1], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def busy(killed):
    """The processes that run TLC now; one that was killed may have its own for a moment more."""
    processes = {process.pid for process in multiprocessing.active_children()}
    return [pid for pid in processes.difference(killed) if children(pid)]


def children(pid):
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(word) for word in found.stdout.split()]


def runs_yet(pid):
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def plain(rows):
    """Rows without what is never the same twice."""
    return [{k: v for k, v in to_plain(row).items() if "seconds" not in k and k != "tlc"} for row in rows]


def test_what_a_job_raises_is_said_and_one_whose_process_is_killed_runs_once_more(made):
    """And returns the rows that a task of Spark returns."""
    plan, tools = made(SMALL), find_tools()
    jobs = [ExampleJob("id", "no-such-example"), *plan_jobs(plan, tools)]
    given, message = DriversTools(tools, plan.library), []
    with LocalTasks(jobs, given, message.append) as tasks:
        with pytest.raises(ToolError) as caught:
            tasks(0)
        (process,) = multiprocessing.active_children()
        os.kill(process.pid, signal.SIGKILL)
        assert plain(tasks(1)) == plain(job_rows(jobs[1], given))
    assert cause_of(caught.value).startswith("pyharness.base.errors.SpecError: ")  # as of a task of Spark
    assert message == ["small: its process was killed by signal 9; the job runs once more"]


def test_a_process_that_is_killed_twice_fails_its_job_alone_and_the_plan_does_not_pass(made, tmp_path):
    plan, reported, message = made(SMALL + LARGE), [], []
    killer = kill_the_last_one((out := tmp_path / "out") / "jobs")
    report = run_plan(plan, find_tools(), lambda: None, out, progress=reported.append, warn=message.append)
    killer.join()
    assert reported[0] == "2 jobs on this machine, 2 at a time"
    assert reported[-1].startswith("2 of 2 jobs on this machine have ended")
    verdicts = {model.model.name: model.verdict for model in report.models}
    assert verdicts["small"] is Verdict.PASS
    assert verdicts["large"] is Verdict.ERROR
    assert message == ["large: its process was killed by signal 9; the job runs once more"]
    assert "was killed by signal 9, for the second time" in " ".join(report.models[1].reasons)
    assert report.verdict is not Verdict.PASS
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("ends", [signal.SIGINT, signal.SIGKILL])
def test_when_the_run_ends_no_process_of_it_and_no_tlc_stays(made, tmp_path, ends):
    made(LARGE.join(['format = "pyharness-plan/1"\n', ""]))
    (tmp_path / "light.py").write_text(MAIN, encoding="utf-8")
    words = [sys.executable, "light.py", "check", "own.toml", "--out", "out"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, start_new_session=True) as run:  # fmt: skip
        tlc = seen(lambda: [java for worker in children(run.pid) for java in children(worker)])
        workers = children(run.pid)
        os.killpg(run.pid, ends) if ends == signal.SIGINT else run.kill()
        _, message = run.communicate(timeout=120)
    first = message.splitlines()[0]
    assert "local processes: Spark is not installed" in first
    assert "pip install pyarrow pyspark" in first
    assert "Traceback" not in message
    assert run.returncode == (3 if ends == signal.SIGINT else -9)
    assert ("interrupted; what has finished is kept" in message) == (ends == signal.SIGINT)
    seen(lambda: not any(map(runs_yet, [*workers, *tlc])), 30)
