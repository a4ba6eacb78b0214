"""The cores and the memory of the machine that this process may use, cut by a container's limits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

CGROUP: Final = Path("/sys/fs/cgroup")
"""The directory where Linux keeps a container's limits."""

_EACH: Final = 3 * 1024**3
"""Bytes for a task: TLC's heap is 2 GiB in most models, and there are Java itself and a process of Python."""

_MOST: Final = 16


def cores(cgroup: Path = CGROUP) -> int:
    """Count the cores this process may use: its affinity, cut by a container's CPU quota."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _words(cgroup / "cpu.max")
    if len(quota) == 2 and quota[0].isdigit() and quota[1].isdigit() and int(quota[1]) > 0:
        usable = max(1, min(usable, -(-int(quota[0]) // int(quota[1]))))
    return usable


def memory(cgroup: Path = CGROUP) -> int | None:
    """Measure the memory, in bytes, that this process may use; ``None`` where the system does not report it."""
    try:
        usable = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None
    for limit_file in (cgroup / "memory.max", cgroup / "memory" / "memory.limit_in_bytes"):
        limit = _words(limit_file)
        if len(limit) == 1 and limit[0].isdigit():
            usable = min(usable, int(limit[0]))
    return usable


def tasks_at_once(cgroup: Path = CGROUP) -> int:
    """Return how many tasks to run here at the same time: one more than there are cores, two to sixteen.

    While one process ends and the next one starts, a core would be idle. There are fewer where memory is short.
    """
    room = memory(cgroup)
    fitting = _MOST if room is None else room // _EACH
    return max(2, min(cores(cgroup) + 1, fitting, _MOST))


def _words(path: Path) -> list[str]:
    """Return the words of a small file; none when it is not there or may not be read."""
    try:
        return path.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return []


def default_heap() -> int:
    """Return the MiB of Java's heap: half of what this machine has, 1 GiB at least and 8 at most."""
    room = memory()
    return 2048 if room is None else max(1024, min(8192, room // 2**21))
