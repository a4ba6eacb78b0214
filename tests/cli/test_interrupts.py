"""A command that is asked to end, by Ctrl-C, a CI system, ``timeout`` or a closed terminal, ends all that it began."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from pyharness.base.toolchain.interrupts import INTERRUPTS
from pyharness.base.toolchain.spec_files import ROOT, SPECS
from tests.long import some

pytestmark = [pytest.mark.tlc, pytest.mark.slow]

LASTS = ["check", str(SPECS / "recovering" / "RecoveringBarriers.tla"), "--constant", "Fresh=3"]


def started(words, scratch, ignored=()):
    """Begin a command whose own files are in ``scratch``, with signals as a shell in the foreground leaves them."""

    def dispositions():
        for number in INTERRUPTS:
            signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

    environment = os.environ | {"TMPDIR": str(scratch), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "pyharness", *words],
        cwd=scratch.parent, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=dispositions, start_new_session=True,  # noqa: PLW1509 - there is one thread
    )  # fmt: skip


def until(what, seconds=100):
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.2)  # a look is one of ps
    return found


def tlc_in(scratch):
    """The processes that are TLC's and have their files there."""
    listed = subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if "tlc2.TLC" in line and str(scratch) in line]


@pytest.mark.parametrize("number", some(INTERRUPTS, 1))
def test_what_a_command_began_is_ended_removed_and_said(tmp_path, number):
    (scratch := tmp_path / "scratch").mkdir()
    with started(LASTS, scratch) as run:
        until(lambda: tlc_in(scratch))
        assert list(scratch.iterdir())
        run.send_signal(number)
        out, said = run.communicate(timeout=60)
    assert run.returncode == 3, said
    assert out == ""
    assert said.splitlines()[-1] == "pyharness: interrupted"
    assert "Traceback" not in said
    assert list(scratch.iterdir()) == []
    assert tlc_in(scratch) == []


def test_what_is_ignored_stays_so(tmp_path):
    """As under ``nohup``, where the end of the terminal is not to end the command."""
    (scratch := tmp_path / "scratch").mkdir()
    small = str(ROOT / "tests" / "models" / "specs" / "Minutes.tla")
    with started(["check", small], scratch, {signal.SIGHUP}) as run:
        until(lambda: tlc_in(scratch))
        run.send_signal(signal.SIGHUP)
        out, said = run.communicate(timeout=120)
    assert run.returncode == 0, said
    assert "NO VIOLATION" in out


def test_an_interrupt_while_it_is_imported_is_no_traceback(tmp_path):
    (tmp_path / "click.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n", encoding="utf-8"
    )
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    run = subprocess.run(
        [sys.executable, "-m", "pyharness", "doctor"], env=environment, capture_output=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (-signal.SIGINT, b"", b"")
