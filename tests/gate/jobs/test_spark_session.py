"""Spark's session: on demand, and in an environment in which Java reads every path."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from pyharness.base.errors import ToolError
from pyharness.base.toolchain import find_java, java_home_for_spark
from pyharness.base.toolchain.interrupts import INTERRUPTS
from pyharness.base.toolchain.spec_files import ROOT
from pyharness.gate.jobs import spark_session as sessions
from pyharness.gate.jobs.spark_session import spark_when_needed

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


JAVA_IS_GONE = """
from pyharness.gate.jobs.spark_session import spark_session
with spark_session("local[1]") as session:
    session.sparkContext.parallelize([0], 1).count()
    java = session.sparkContext._gateway.proc
    java.kill(), java.wait()
"""


@pytest.mark.slow
def test_where_a_signal_ended_java_first_the_session_ends_without_a_word():
    done = subprocess.run(
        [sys.executable, "-c", JAVA_IS_GONE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
