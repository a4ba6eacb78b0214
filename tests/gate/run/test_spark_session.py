"""Spark's session: on demand, and in an environment in which Java reads every path."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from pyharness.base.errors import ToolError
from pyharness.base.toolchain import find_java, java_home_for_spark
from pyharness.base.toolchain.interrupts import INTERRUPTS
from pyharness.base.toolchain.spec_files import ROOT
from pyharness.gate.jobs import spark_session as sessions
from pyharness.gate.jobs.spark_session import driver_address, spark_when_needed

ENDLESS = """
import sys, time
from pathlib import Path
from pyharness.gate.jobs.spark_session import spark_session
def task(begun):
    Path(begun).touch()
    time.sleep(600)
with spark_session() as session:
    print("counted", session.range(3).count(), flush=True)
    session.sparkContext.parallelize(sys.argv[1:], 1).map(task).first()
"""

WHOSE = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
from pyharness.tla.modules.library import Library
from pyharness.models.machine_tools import Tools
from pyharness.gate.jobs.spark_session import spark_session
from pyharness.gate.jobs.task_tools import tools_for_tasks
if sys.argv[1] == "theirs":
    SparkSession.builder.master("local[1]").getOrCreate()
with (
    spark_session() as session,
    tools_for_tasks(session.sparkContext, Tools(Path(), Path(), "", ()), Library()),
):
    tasks = session.sparkContext.parallelize([0], 1)
    print(tasks.map(lambda _: __import__("pyharness").__file__).first())
"""


def test_a_session_is_started_once_and_only_when_it_is_asked_for(monkeypatch):
    events = []

    class Session:
        def __enter__(self):
            events.append("started")
            return self

        def __exit__(self, *_):
            events.append("stopped")

    monkeypatch.setattr(sessions, "spark_session", lambda *_, **__: Session())
    with spark_when_needed():
        pass
    assert events == []
    with spark_when_needed() as spark:
        assert spark() is spark()
        assert events == ["started"]
    assert events == ["started", "stopped"]


def test_a_session_that_does_not_start_leaves_the_environment_as_it_was(monkeypatch):
    def fails(*_, **__):
        raise OSError("no gateway")

    monkeypatch.setattr(sessions, "_running", lambda: None)
    monkeypatch.setattr(sessions, "_context", fails)
    monkeypatch.setenv("PYSPARK_PYTHON", "mine")
    before = dict(os.environ)
    with pytest.raises(ToolError, match="does not start: no gateway"), sessions.spark_session():
        pass
    assert dict(os.environ) == before


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """What a program says that is interrupted while Spark has a task, with a path not of ASCII and the C locale."""
    begun = tmp_path_factory.mktemp("interrupted") / "begun"
    directory = begun.with_name("\u00fcber")
    directory.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(begun)],
        env={**os.environ, "LC_ALL": "C", "TMPDIR": str(directory)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        while not begun.exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # it waits for the task
        return process.communicate(timeout=120)


@pytest.mark.slow
def test_an_interrupt_ends_a_job_and_py4j_says_nothing_of_it(interrupted):
    _, said = interrupted
    assert b"KeyboardInterrupt" in said, "Python's own, for nothing here catches it"
    assert b"while sending command" not in said, said.decode(errors="replace")


@pytest.mark.parametrize("before", ["", "127.0.0.1:1,"])
def test_the_driver_listens_where_it_reaches_the_master(monkeypatch, before):
    with socket.create_server(("127.0.0.3", 0)) as master:
        address = f"spark://{before}127.0.0.3:{master.getsockname()[1]}"
        monkeypatch.delenv("SPARK_LOCAL_IP", raising=False)
        assert driver_address(address) == "127.0.0.1"
        monkeypatch.setenv("SPARK_LOCAL_IP", "192.0.2.1")
        assert driver_address(address) == "192.0.2.1"


@pytest.mark.parametrize(
    ("master", "address"),
    [
        ("local[2,4]", "127.0.0.1"),
        ("local-cluster[2,1,1024]", "127.0.0.1"),
        ("yarn", None),
        ("k8s://https://h:1", None),
    ],
)
def test_on_this_machine_it_listens_here_and_elsewhere_where_spark_says(monkeypatch, master, address):
    monkeypatch.delenv("SPARK_LOCAL_IP", raising=False)
    assert driver_address(master) == address
    monkeypatch.setenv("SPARK_LOCAL_IP", "192.0.2.1")
    assert driver_address(master) == (address or "192.0.2.1")


def test_a_context_that_runs_is_used_as_it_is(spark):
    """Also where its session is not the active one, as in a thread of a notebook."""
    found = []

    def look():
        with sessions.spark_session("spark://no.such.invalid:7077") as session:
            found.append(session.sparkContext)

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [spark.sparkContext]


@pytest.fixture(params=INTERRUPTS, ids=lambda number: number.name)
def interrupt(request):
    """An interrupt is heard, also where who started the tests ignores it, as a shell does for what is behind `&`."""
    before = signal.signal(request.param, signal.default_int_handler)
    yield request.param
    signal.signal(request.param, before)


def test_an_interrupt_waits_until_sparks_java_machine_is_there(monkeypatch, tmp_path, interrupt):
    """Else it would be left behind: it ends by itself only once it has told where it listens."""
    told = []

    def launch(*_, **__):
        os.kill(os.getpid(), interrupt)
        time.sleep(0.1)
        told.append("listens")

    monkeypatch.setattr("pyspark.java_gateway.launch_gateway", launch)
    monkeypatch.setattr("pyspark.SparkContext._gateway", None)
    before = signal.getsignal(interrupt)
    with pytest.raises(KeyboardInterrupt):
        sessions._context("local[1]", None, tmp_path)
    assert told == ["listens"]
    assert signal.getsignal(interrupt) is before


@pytest.mark.usefixtures("spark")
def test_while_a_session_runs_what_else_this_process_starts_imports_from_where_it_runs(tmp_path):
    (tmp_path / "here.py").write_text("", encoding="utf-8")
    found = subprocess.run([sys.executable, "-c", "import here"], cwd=tmp_path, check=False)
    assert found.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("session", ["ours", "theirs"])
def test_tasks_run_the_code_of_this_process_and_not_that_of_the_working_directory(tmp_path, session):
    (tmp_path / "pyharness").mkdir()
    (tmp_path / "pyharness" / "__init__.py").write_text("", encoding="utf-8")
    home = java_home_for_spark(find_java(), tmp_path)
    done = subprocess.run(
        [sys.executable, "-P", "-c", WHOSE, session],
        cwd=tmp_path,
        env={
            **{name: os.environ[name] for name in ("PATH", "PYSPARK_SUBMIT_ARGS")},
            "PYTHONPATH": str(ROOT),
            "JAVA_HOME": str(home),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if session == "ours":
        assert done.stdout.strip() == str(ROOT / "pyharness" / "__init__.py"), done.stderr
    else:
        assert f"Spark's tasks run the code in {tmp_path / 'pyharness'}" in done.stderr
