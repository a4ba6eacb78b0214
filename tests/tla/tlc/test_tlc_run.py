"""TLC itself: what it is given, what becomes of it, and what it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.tla.tlc import (
    EndedBy,
    Outcome,
    TlcRun,
    load_graph,
    read_states,
    run_tlc,
)

pytestmark = pytest.mark.tlc


@pytest.fixture(autouse=True)
def private_temporary_directory(tmp_path, monkeypatch):
    """Runs put their scratch directories here; none may stay."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    yield scratch
    assert list(scratch.iterdir()) == []


def _alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def _java_of(directory, wait=120.0):
    """Return the pid of the Java process that works below ``directory``'s parent, once there is one."""
    end = time.monotonic() + wait
    while time.monotonic() < end:
        for entry in Path("/proc").iterdir():
            try:
                mine = entry.name.isdigit() and (entry / "cwd").readlink().is_relative_to(directory.parent)
                if mine and b"tlc2.TLC" in (entry / "cmdline").read_bytes():
                    return int(entry.name)
            except OSError:
                continue
        time.sleep(0.05)
    raise AssertionError("no Java process")


def test_success(tlc, tmp_path):
    log, plain = tmp_path / "out.txt", tmp_path / "states.dump"
    result = run_tlc(tlc("Ok", "ok.cfg", coverage=True, dump=plain, dump_graph=False), output=log)
    assert result.outcome is Outcome.SUCCESS
    assert result.finished
    assert [state["x"] for state in read_states(plain, expected=8)] == [0, 1, 2, 3] * 2
    assert (result.generated, result.distinct, result.left_on_queue) == (9, 8, 0)
    assert result.fp == 0
    assert {name: action.total for name, action in result.coverage.actions.items()} == {
        "Init": 1,
        "Inc": 6,
        "Reset": 2,
        "Never": 0,
    }
    assert "@!@!@ENDMSG 2186 @!@!@" in log.read_text()
    assert result.seconds > 0


def test_coverage_is_reported_once_and_counts_states(tlc, tmp_path):
    log = tmp_path / "out.txt"
    result = run_tlc(tlc("Count", "count.cfg", coverage=True), output=log)
    assert result.outcome is Outcome.SUCCESS
    assert log.read_text().count("STARTMSG 2201:") == 1
    states = [
        result.coverage.expressions["Count"][f"line {line}, col 27 to line {line}, col 32 of module Count"]
        for line in (7, 8, 9)
    ]
    assert states == [2, 4, 2]
    assert sum(states) == result.distinct


def test_a_graph_is_written_and_an_output_file_is_bounded(tlc, tmp_path):
    log, dot = tmp_path / "out.txt", tmp_path / "graph.dot"
    assert run_tlc(tlc("Ok", "ok.cfg", dump=dot), output=log, max_output=100).outcome is Outcome.SUCCESS
    assert log.stat().st_size == 100
    graph = load_graph(dot)
    assert [state["x"] for state in graph.states.values()] == [0, 1, 2, 3] * 2
    assert len(graph.edges) == 8


def test_a_timeout_kills_it(tlc, specs):
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run_tlc, tlc("Endless", "endless.cfg", directory=specs, timeout=2))
        pid = _java_of(specs)
        result = future.result()
    assert result.outcome is Outcome.INCOMPLETE
    assert result.ended_by is EndedBy.TIMEOUT
    assert not result.finished
    assert "the time was up" in result.error_text
    assert not _alive(pid)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_signal_from_outside_makes_it_incomplete(tlc, specs, tmp_path, number):
    log, run = tmp_path / "out.txt", tlc("Endless", "endless.cfg", directory=specs, timeout=600)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run_tlc, run, output=log)
        pid = _java_of(specs)
        while "STARTMSG 2190" not in log.read_text() and not future.done():  # it has its initial states
            time.sleep(0.05)
        os.kill(pid, number)
        result = future.result()
    assert result.outcome is Outcome.INCOMPLETE
    assert result.exit_status in {-9, 143}


def test_too_small_a_heap(tlc):
    result = run_tlc(tlc("Oom", "oom.cfg", heap_mib=48, timeout=120))
    assert result.outcome is Outcome.OUT_OF_MEMORY


@pytest.mark.parametrize("fault", ['rmdir "$own"', "ulimit -f 1"])
def test_tlc_without_a_place_for_its_own_modules_is_no_error_of_the_spec(tlc, tmp_path, fault):
    """The directory was cleared by someone, or files may not become as long as they are."""
    run = tlc("Ok", "ok.cfg")
    java = tmp_path / "java"
    own = "for word; do case $word in -Djava.io.tmpdir=*) own=${word#*=};; esac; done"
    java.write_text(f'#!/bin/sh\n{own}\n{fault}\nexec "{run.java}" "$@"\n', encoding="utf-8")
    java.chmod(0o755)
    result = run_tlc(replace(run, java=java))
    assert result.outcome is Outcome.TOOL_ERROR
    assert "java.io." in result.error_text


def test_an_error_in_a_callback_ends_the_run(tlc, specs):
    def fail(progress):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        run_tlc(tlc("Ok", "ok.cfg", directory=specs), on_progress=fail)


@pytest.mark.parametrize("thread", ["main", "pool"])
def test_it_dies_with_its_parent(tlc, specs, thread):
    run = tlc("Endless", "endless.cfg", directory=specs)
    script = (
        "import sys, tempfile; from pathlib import Path; from pyharness.tla.tlc import TlcRun, run_tlc;"
        "from concurrent.futures import ThreadPoolExecutor;"
        "tempfile.tempdir = sys.argv[4];"
        "run = TlcRun(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), 'Endless', 'endless.cfg');"
    )
    script += "run_tlc(run)" if thread == "main" else "ThreadPoolExecutor(1).submit(run_tlc, run).result()"
    arguments = [str(run.java), str(run.jar), str(specs), str(specs)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", script, *arguments], env=environment) as parent:
        pid = _java_of(specs)
        parent.kill()
    end = time.monotonic() + 120
    while _alive(pid) and time.monotonic() < end:
        time.sleep(0.1)
    assert not _alive(pid)


def test_an_error_that_is_cut_off_is_kept(tmp_path):
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho '@!@!@STARTMSG 1000:1 @!@!@'\necho broken\n", encoding="utf-8")
    java.chmod(0o755)
    (tmp_path / "Nothing.tla").write_text("", encoding="utf-8")
    assert run_tlc(TlcRun(java, tmp_path / "tla2tools.jar", tmp_path, "Nothing")).errors == ("broken",)


def test_no_variable_of_the_environment_speaks_to_java(tmp_path, monkeypatch):
    for name in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "LD_PRELOAD"):
        monkeypatch.setenv(name, "anything")
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\nexec /usr/bin/env\n", encoding="utf-8")
    java.chmod(0o755)
    (tmp_path / "Nothing.tla").write_text("", encoding="utf-8")
    result = run_tlc(TlcRun(java, tmp_path / "tla2tools.jar", tmp_path, "Nothing"))
    named = {line.partition("=")[0] for line in result.output.splitlines()}
    assert {"PATH", "LC_ALL"} <= named <= {"PATH", "HOME", "LC_ALL", "PWD", "SHLVL", "_"}
    assert result.outcome is Outcome.INCOMPLETE
