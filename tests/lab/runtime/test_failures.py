"""What goes wrong around a run: processes killed, stopped, or late; a full disk; a directory in use."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from pyharness.base.errors import IncompleteError, SpecError, ToolError
from pyharness.base.toolchain.interrupts import INTERRUPTS
from pyharness.hold.logs.validation import validate
from pyharness.lab.runtime.dataflow_vertex import BARRIER_MODES
from pyharness.lab.runtime.system_run import RunSetting, run_system
from pyharness.lab.runtime.vertex_process import RUNNING
from tests.long import some

PATIENCE = 60.0


def children(pid):
    """Return the processes that a process has started, with their command lines."""
    found = {}
    with suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with suppress(OSError):
                found[int(child)] = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
    return found


def vertices(pid):
    """Return the vertices of the run that a process is the parent of."""
    return sorted(child for child, line in children(pid).items() if "vertex_process" in line)


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(true, what):
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"{what}: not in {PATIENCE} seconds"
        time.sleep(0.005)


def send(number, pids):
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def parts(directory):
    """Return how many parts of snapshots are complete, by the logs."""
    return sum(path.read_bytes().count(b'{"e":"done"') for path in (directory / "logs").glob("*.jsonl"))


@contextmanager
def running(directory, *options, **more):
    """Have a run in a process of its own, in which a snapshot is complete."""
    parent = subprocess.Popen(
        [sys.executable, "-m", "pyharness", "run", "--out", str(directory), "--seconds=600", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )
    try:
        wait_until(lambda: parent.poll() is not None or parts(directory) >= 3, "a snapshot")
        yield parent
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
        parent.stderr.close()  # without a word read: a vertex that is stopped has it, too


@pytest.mark.parametrize("protocol", some(RUNNING, 1))
@pytest.mark.parametrize("victim", some(["vertex", "parent", "stopped vertex", "all at once"], 2))
def test_a_run_that_is_killed_leaves_no_process_and_a_log_that_is_right_so_far(victim, protocol, tmp_path):
    graph = "join:3" if protocol in BARRIER_MODES else "ring:3"
    with running(tmp_path, f"--topology={graph}", f"--protocol={protocol}") as parent:
        own = vertices(parent.pid)
        if victim == "stopped vertex":
            send(signal.SIGSTOP, own[:1])
        send(signal.SIGKILL, own[:1] if victim == "vertex" else [parent.pid])
        send(signal.SIGKILL, own if victim == "all at once" else [])
        _, said = parent.communicate(timeout=PATIENCE)
        assert parent.returncode == (3 if victim == "vertex" else -signal.SIGKILL), said
        wait_until(lambda: not any(map(alive, own)), "the end of those that have lost their parent")
    log = validate(tmp_path / "logs")
    assert log.verdict != "violation", log.reason
    assert log.complete


def test_a_vertex_whose_parent_is_gone_before_it_has_begun_ends():
    for _ in range(3):
        vertex = subprocess.Popen(
            [sys.executable, "-m", "pyharness.lab.runtime.vertex_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        vertex.stdin.close()
        vertex.stdout.close()
        assert vertex.wait(timeout=60) == 1


def test_a_vertex_that_stands_still_ends_the_run(tmp_path):
    pids = {}

    def stop(started):
        pids.update(started)
        threading.Timer(0.1, send, (signal.SIGSTOP, [started[2]])).start()

    with pytest.raises(IncompleteError, match="did not come in 2 seconds"):
        run_system(RunSetting(seconds=60, limit=2), tmp_path, started=stop)
    assert not any(map(alive, pids.values()))


def test_a_full_disk_ends_the_run(tmp_path):
    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

    with running(tmp_path, preexec_fn=little_room) as parent:
        _, said = parent.communicate(timeout=60)
    assert parent.returncode == 4, said
    assert "a file cannot be written" in said
    assert max(path.stat().st_size for path in (tmp_path / "logs").iterdir()) == 30_000


def test_a_directory_has_one_run(tmp_path):
    with running(tmp_path), pytest.raises(ToolError, match="another run uses this directory"):
        run_system(RunSetting(), tmp_path)
    with pytest.raises(SpecError, match="there is a run in this directory"):
        run_system(RunSetting(), tmp_path)


@pytest.mark.parametrize("number", some(INTERRUPTS, 1))
def test_an_interrupt_ends_a_run_in_words(number, tmp_path):
    with running(tmp_path) as parent:
        own = vertices(parent.pid)
        parent.send_signal(number)
        _, said = parent.communicate(timeout=PATIENCE)
        assert "interrupted" in said
        assert "Traceback" not in said
        assert not any(map(alive, own))
