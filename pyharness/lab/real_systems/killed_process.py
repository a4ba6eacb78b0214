"""Processes that are started to be killed: each in a group of its own, so that all it has started dies with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.base.errors import IncompleteError
from pyharness.base.toolchain.bounded_files import read_utf8
from pyharness.base.toolchain.clean_text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MOST = 64 * 1024 * 1024


def started(module: str, words: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """Start a module of ours; its output is added to a log. Its temporary files are beside that."""
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", module, *words],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            umask=0o077,
            env={**os.environ, "PYTHONSAFEPATH": "1", "TMPDIR": str(log.parent)},
        )


def wait_for(
    process: subprocess.Popen[bytes], seen: Callable[[], bool], what: str, log: Path, seconds: float
) -> None:
    """Wait until something is seen. Raises IncompleteError, with the end of the log, if it ends or takes too long."""
    end = time.monotonic() + seconds
    while True:
        ended = process.poll() is not None  # looked at first: it may end after it is seen
        if seen():
            return
        if ended or time.monotonic() > end:
            kill(process)
            came = "ended by itself" if ended else f"was not there after {seconds:g} s"
            raise IncompleteError(f"{what} {came}", hint=_last_words(log))
        time.sleep(0.01)


def _last_words(log: Path) -> str:
    """Return the last lines, without the places of Java's; the log is removed with all that the run left."""
    lines = [one_line(line, 200) for line in read_utf8(log, _MOST).split("\n") if not line.startswith("\t")]
    return "\n".join(line for line in lines[-20:] if line)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with all of its group, as Java is, and wait until none of them runs."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    while any(_runs(stat, process.pid) for stat in Path("/proc").glob("[0-9]*/stat")):
        time.sleep(0.01)


def _runs(stat: Path, group: int) -> bool:
    try:
        state, _, of = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[:3]
    except (OSError, ValueError):
        return False
    return int(of) == group and state not in "ZX"
