"""Behaviours from files: a trace in any format that is read, or a schedule, which the implementation takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.replay.schedule_traces import read_schedule_trace
from pyharness.tlc import read_trace

if TYPE_CHECKING:
    from pathlib import Path

    from pyharness.tlc import Trace


def read_behaviour(path: Path, nth: int = 1) -> tuple[Trace, dict[str, Any]]:
    """Read a behaviour from ``path``, the ``nth`` where there are several, and what is said of it.

    A file whose name ends in ``.toml`` is a schedule; any other is a trace (see :func:`pyharness.tlc.read_trace`).

    Raises SpecError, naming the file and the place in it, for what is neither.
    """
    return read_schedule_trace(path) if path.suffix == ".toml" else read_trace(path, nth)
