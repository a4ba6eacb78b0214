"""A process that outlives this one by a moment, to kill what this one started and could not.

Programs run in process groups of their own, which :class:`GroupKeeper` gets. It reads a pipe that only this
process holds: when that ends, however this process did (an interrupt, SIGTERM, SIGKILL), it kills the groups that are
left.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from typing import Final

_CODE: Final = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""


class GroupKeeper:
    """Keeps a list of process groups, and kills them when this process ends. Close it when none is left."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
            bufsize=1,
        )

    def keep(self, group: int) -> None:
        """Have this group killed when this process ends."""
        self._write(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Leave it alone from now on: it is gone."""
        self._write(f"-{group}\n")

    def close(self) -> None:
        """Let the keeper kill what is left, and end."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        self._process.wait()

    def _write(self, line: str) -> None:
        if self._process.stdin is not None:
            with suppress(OSError):  # somebody killed it: programs still end with their input
                self._process.stdin.write(line)
