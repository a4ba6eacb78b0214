"""Spark's session: on demand, and in an environment in which Java reads every path."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pyharness.run import spark_session as sessions
from pyharness.run.spark_session import spark_when_needed

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
