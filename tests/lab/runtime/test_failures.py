"""What goes wrong around a run: processes killed, stopped, or late; a full disk; a directory in use; strangers."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from pyharness.base.errors import IncompleteError, SpecError, ToolError
from pyharness.base.toolchain.interrupts import INTERRUPTS
from pyharness.hold.logs.validation import validate
from pyharness.lab.runtime import system_run
from pyharness.lab.runtime.frames import encode
from pyharness.lab.runtime.links import HOST
from pyharness.lab.runtime.stored_snapshots import StoredSnapshot, newest_snapshot, snapshot_files
from pyharness.lab.runtime.system_run import RunSetting, run_system
from tests.lab.runtime.kill_rounds import (
    alive,
    children,
    command,
    ended,
    look_at,
    play,
    send,
    vertices,
    wait_until,
)


@contextmanager
def running(directory, *options, **more):
    """Have a run in a process of its own, which has stored a snapshot."""
    fresh = options or ("--topology=ring:3",)
    parent = subprocess.Popen(
        command(directory, fresh, 600), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
    )
    try:
        wait_until(lambda: parent.poll() is not None or snapshot_files(directory), "a snapshot")
        yield parent
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
        parent.stderr.close()  # without a word read: a vertex that is stopped has it, too


@pytest.mark.parametrize("protocol", ["ChandyLamport", "UnalignedBarriers"])
def test_what_is_killed_is_restored(protocol, tmp_path):
    assert play(tmp_path, "1", 2, protocol)


def test_what_one_has_lost_the_look_at_the_end_sees(tmp_path):
    run_system(RunSetting("pipeline:2", "AlignedBarriers", seconds=0.3, every=20), tmp_path)
    said = ended(tmp_path)
    look_at(tmp_path, said)
    output = tmp_path / "output" / "2.jsonl"
    lines = output.read_text().splitlines(keepends=True)
    output.write_text("".join(lines[1:]))
    with pytest.raises(AssertionError, match="1 lost"):
        look_at(tmp_path, said)
    output.write_text("".join([*lines, lines[0]]))
    with pytest.raises(AssertionError, match="1 written twice"):
        look_at(tmp_path, said)


def test_at_least_once_doubles_what_its_snapshot_has_twice(tmp_path):
    run_system(RunSetting("diamond:4", "AtLeastOnceBarriers", seconds=0.4, every=20, window=16), tmp_path)
    path = max(snapshot_files(tmp_path), key=lambda path: StoredSnapshot.read(path).law())
    lost, twice = StoredSnapshot.read(path).law()
    assert (lost, twice > 0) == (0, True)
    for newer in snapshot_files(tmp_path)[snapshot_files(tmp_path).index(path) + 1 :]:
        newer.unlink()
    assert look_at(tmp_path, ended(tmp_path))["records"] == twice


def test_a_process_that_wakes_up_after_the_restore_changes_nothing(tmp_path):
    """It and its keeper, which would have killed it, are worse off than any that is only killed."""
    with running(tmp_path, "--topology=pipeline:2", "--protocol=AlignedBarriers") as parent:
        own = vertices(parent.pid)
        send(signal.SIGSTOP, own)
        send(signal.SIGKILL, [*(set(children(parent.pid)) - set(own)), parent.pid])
        parent.wait()
    try:
        said = ended(tmp_path)
        assert all(map(alive, own))
        send(signal.SIGCONT, own)
        wait_until(lambda: not any(map(alive, own)), "the end of those that woke up")
    finally:
        send(signal.SIGKILL, [pid for pid in own if alive(pid)])
    look_at(tmp_path, said)


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


def test_a_full_disk_ends_the_run_and_leaves_what_was_stored(tmp_path):
    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

    with running(tmp_path, preexec_fn=little_room) as parent:
        _, said = parent.communicate(timeout=60)
    assert parent.returncode == 4, said
    assert "a file cannot be written" in said
    assert max(path.stat().st_size for path in (tmp_path / "logs" / "1").iterdir()) == 30_000
    look_at(tmp_path, ended(tmp_path))


def test_a_directory_has_one_run(tmp_path):
    with running(tmp_path):
        with pytest.raises(ToolError, match="another run uses this directory"):
            run_system(RunSetting(), tmp_path)
        with pytest.raises(ToolError, match="another run uses this directory"):
            run_system(RunSetting(), tmp_path, StoredSnapshot.read(newest_snapshot(tmp_path)))
    with pytest.raises(SpecError, match="there is a run in this directory"):
        run_system(RunSetting(), tmp_path)


# Strangers


def ports(pid):
    """Return the ports that a process listens at."""
    inodes = set()
    for number in Path(f"/proc/{pid}/fd").iterdir():
        inodes |= set(re.findall(r"socket:\[(\d+)\]", str(number.readlink())))
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [int(row[1].partition(":")[2], 16) for row in rows if row[3] == "0A" and row[9] in inodes]


def stranger(port, data):
    connection = socket.create_connection((HOST, port))
    connection.settimeout(20)
    connection.sendall(data)
    return connection


def is_dropped(connection):
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_strangers_are_dropped_and_the_run_goes_on(tmp_path):
    strangers = [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"\xff" * 100_000,
        Random(1).randbytes(5_000),
        encode(["h", "0" * 32, 1, 2]),  # of another incarnation
        encode(["m", 1, 5]),
    ]
    with running(tmp_path) as parent:
        port = ports(vertices(parent.pid)[0])[0]
        for data in strangers:
            with stranger(port, data) as connection:
                assert is_dropped(connection)
        waiting = [stranger(port, b"") for _ in range(40)]  # half open; of more than 32 the oldest go
        assert all(map(is_dropped, waiting[:8]))
        slow = stranger(port, b"\0")
        with slow:
            began = time.monotonic()
            while time.monotonic() < began + 30:  # a byte now and then buys no more time
                try:
                    slow.sendall(b"\0")
                    time.sleep(0.2)
                except OSError:
                    break
            assert time.monotonic() < began + 30
        for connection in waiting:
            connection.close()
        stored = len(snapshot_files(tmp_path))
        wait_until(lambda: len(snapshot_files(tmp_path)) > stored + 2, "snapshots behind the strangers")
    assert validate(tmp_path / "logs" / "1").verdict == "pass"


def test_no_address_but_this_machine_s_is_listened_at(tmp_path):
    with running(tmp_path) as parent:
        own = [port for pid in vertices(parent.pid) for port in ports(pid)]
        rows = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        places = {row.partition(":")[0] for row in rows if int(row.partition(":")[2], 16) in own}
    assert len(own) == 3
    assert places == {"0100007F"}


@pytest.mark.parametrize("number", INTERRUPTS)
def test_an_interrupt_ends_a_run_behind_the_step_that_it_comes_in(number, monkeypatch, tmp_path):
    """Raised within one, such as a write that must be durable, it would be a traceback of asyncio's."""
    before = signal.signal(number, signal.default_int_handler)
    ended = []

    async def run(_system):
        os.kill(os.getpid(), number)
        time.sleep(0.01)  # noqa: ASYNC251 - a step without an await
        ended.append("the step")
        await asyncio.sleep(60)

    monkeypatch.setattr(system_run._System, "run", run)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_system(RunSetting("ring:2"), tmp_path)
        assert ended == ["the step"]
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)
