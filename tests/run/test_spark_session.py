"""Spark's session: on demand, and in an environment in which Java reads every path."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from pyharness.errors import ToolError
from pyharness.run import spark_session as sessions
from pyharness.run.spark_session import driver_address, spark_when_needed

COUNT = """
from pyharness.run.spark_session import spark_session
with spark_session(quick=True) as session:
    print("counted", session.range(3).count())
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


@pytest.mark.slow
def test_a_path_that_is_not_ascii_does_not_stop_it_under_the_c_locale(tmp_path):
    directory = tmp_path / "\u00fcber"
    directory.mkdir()
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(directory)}
    done = subprocess.run(
        [sys.executable, "-c", COUNT], env=environment, capture_output=True, timeout=600, check=False
    )
    assert b"counted 3" in done.stdout, done.stderr.decode(errors="replace")[-2000:]


@pytest.mark.parametrize(
    ("master", "address"),
    [
        ("local[2,4]", "127.0.0.1"),
        ("local-cluster[2,1,1024]", "127.0.0.1"),
        ("spark://127.0.0.1:7077", "127.0.0.1"),
        ("spark://localhost:7077", "127.0.0.1"),
        ("yarn", None),
        ("k8s://https://host:443", None),
    ],
)
def test_the_driver_listens_where_the_master_is(monkeypatch, master, address):
    monkeypatch.delenv("SPARK_LOCAL_IP", raising=False)
    assert driver_address(master) == address
    monkeypatch.setenv("SPARK_LOCAL_IP", "192.0.2.1")
    assert driver_address(master) == ("127.0.0.1" if master.startswith("local") else "192.0.2.1")


def test_a_master_to_which_there_is_no_way_is_said():
    with pytest.raises(
        ToolError, match=r"spark://no\.such\.invalid:7077: there is no way to the Spark master"
    ):
        driver_address("spark://no.such.invalid:7077")


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
