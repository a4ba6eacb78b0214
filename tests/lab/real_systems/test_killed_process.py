"""What is started to be killed is gone afterwards, with all that it has started, and says why it ended by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pyharness.base.errors import IncompleteError
from pyharness.lab.real_systems.killed_process import kill, started, wait_for

STARTS = """
import os, subprocess, sys, time
print(subprocess.Popen([sys.executable, "-c", "{other}", str(os.getpid())]).pid, flush=True)
time.sleep(60)
"""


def runs(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_what_ends_as_soon_as_it_is_done_has_not_failed(tmp_path):
    """What it says is looked at after it ended: both may happen between two looks."""

    class Process:
        done = False

        def poll(self):
            self.done = True
            return 0

    process = Process()
    wait_for(process, lambda: process.done, "it", tmp_path / "log", 5)


def test_one_that_ends_by_itself_is_incomplete_and_says_what_it_printed(tmp_path):
    with (
        pytest.raises(IncompleteError, match="ended by itself") as raised,
        started("no_such_module", [], tmp_path / "log") as process,
    ):
        wait_for(process, lambda: False, "it", tmp_path / "log", 20)
    assert "No module named" in raised.value.hint


def test_one_that_takes_too_long_is_incomplete_and_killed(tmp_path):
    words = ["0", "--bind", "127.0.0.1"]
    with (
        pytest.raises(IncompleteError, match=r"was not there after 0\.5 s"),
        started("http.server", words, tmp_path / "log") as process,
    ):
        wait_for(process, lambda: False, "it", tmp_path / "log", 0.5)
    assert not runs(process.pid)


def test_a_killed_one_takes_with_it_what_it_started():
    script = STARTS.format(other="import time; time.sleep(60)")
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True)
    other = int(process.stdout.readline())
    assert runs(other)
    kill(process)
    process.stdout.close()
    assert not runs(other)


@pytest.mark.parametrize("wait", [0, 1])
def test_a_job_of_flink_ends_with_who_started_it(wait):
    """It may have no end of its own, and nobody kills it if pyharness is killed."""
    job = "import sys; from pyharness.lab.real_systems.flink_job import end_with; end_with(int(sys.argv[1]))"
    parent = [sys.executable, "-c", STARTS.format(other=job)]
    with subprocess.Popen(parent, stdout=subprocess.PIPE) as process:
        child = int(process.stdout.readline())
        time.sleep(wait)
        assert runs(child)
        os.kill(process.pid, signal.SIGKILL)
    end = time.monotonic() + 20
    while runs(child) and time.monotonic() < end:
        time.sleep(0.1)
    assert not runs(child)
