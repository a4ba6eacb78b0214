"""The process and all that descend from it: their processor time, and the memory that they take."""

from __future__ import annotations

import os
import threading
from pathlib import Path


class Watch(threading.Thread):
    """Watches this process and all that descend from it.

    ``peaks`` has by phase the most memory in MiB, ``seconds`` the time of all processors together.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.phase = "TLC"
        self.peaks: dict[str, float] = {}
        self.seconds: dict[str, float] = {}
        self._spent = processor_seconds()
        self._done = threading.Event()

    def run(self) -> None:
        """Look twice a second."""
        while not self._done.wait(0.5):
            used = sum(_proportional_kib(process) for process in _family(os.getpid())) / 1024
            self.peaks[self.phase] = max(used, self.peaks.get(self.phase, 0))

    def enter(self, phase: str) -> None:
        """End a phase and begin the next."""
        if phase != self.phase:
            spent = processor_seconds()
            self.seconds[self.phase] = spent - self._spent
            self.phase, self._spent = phase, spent

    def stop(self) -> None:
        """Look no more."""
        self.enter("")
        self._done.set()
        self.join()


def _family(root: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    family = [root]
    for member in family:
        family += parents.get(member, ())
    return family


def processor_seconds() -> float:
    """Return the processor time of the family, with that of children that have ended."""
    ticks = 0
    for process in _family(os.getpid()):
        try:
            ticks += sum(
                map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15])
            )
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def _proportional_kib(process: int) -> int:
    """Return a process's memory, what it shares counted in parts."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
