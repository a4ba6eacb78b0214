"""Defects of Bytewax 0.21.1, each in its shortest program: ``python -m pyharness.lab.real_systems.bytewax_defects``.

The file needs Bytewax alone. ``pyharness systems bytewax`` runs it, and reports when one of these is not there any more.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import bytewax.operators as op
from bytewax.dataflow import Dataflow
from bytewax.inputs import AbortExecution, FixedPartitionedSource, StatefulSourcePartition
from bytewax.recovery import RecoveryConfig, init_db_dir
from bytewax.testing import TestingSink, TestingSource, run_main


def _run(place: Path, source: Any) -> list[str]:
    """Run a flow that joins the records of its only key, and return the states that it put out."""
    out: list[tuple[str, str]] = []
    flow = Dataflow("flow")
    keyed = op.key_on("key", op.input("source", flow, source), lambda _: "k")
    op.output("sink", op.stateful_map("fold", keyed, _joined), TestingSink(out))
    run_main(flow, epoch_interval=timedelta(0), recovery_config=RecoveryConfig(place, timedelta(days=1)))
    return [state for _, state in out]


def _joined(state: str | None, record: str) -> tuple[str, str]:
    new = f"{state} {record}" if state else record
    return new, new


def replayed_record(place: Path) -> str:
    """``TestingSource`` does not count an ``ABORT`` that it passes over, and so resumes too early the next time.

    The second execution passes over the first abort and has read x4 when it meets the other one; it records position 4,
    for four records, and at 4 the list has x4, for the abort is an item of it. The third goes on with x4, which the
    restored state has already.
    """
    init_db_dir(place, 1)
    items = ["x1", TestingSource.ABORT(), "x2", "x3", "x4", TestingSource.ABORT(), "x5"]
    out: list[str] = []
    for _ in range(3):
        out = _run(place, TestingSource(items)) or out
    return out[-1]


class _Polls(FixedPartitionedSource):  # type: ignore[misc]
    """Records x1, x2, ...: each poll yields one (``.``) or none (``-``), or aborts (``!``), as given by ``polls``."""

    def __init__(self, polls: str) -> None:
        self.polls = iter(polls)

    def list_parts(self) -> list[str]:
        return ["only"]

    def build_part(self, step_id: str, for_part: str, resume_state: int | None) -> _Part:
        return _Part(self.polls, resume_state or 0)


class _Part(StatefulSourcePartition):  # type: ignore[misc]
    def __init__(self, polls: Any, position: int) -> None:
        self.polls, self.position = polls, position

    def next_batch(self) -> list[str]:
        poll = next(self.polls, None)
        if poll is None:
            raise StopIteration
        if poll == "!":
            raise AbortExecution
        self.position += poll == "."
        return [f"x{self.position}"] if poll == "." else []

    def snapshot(self) -> int:
        return self.position


def stale_snapshot(place: Path) -> str:
    """A snapshot of an epoch that was not closed outlives a crash, and is restored later as if it were valid.

    A kill between the write of a snapshot and that of the frontier leaves a snapshot of epoch 2, with x2, and the
    frontier at 2; here the frontier is put back, which is what was seen after a SIGKILL with two workers. The second
    execution rightly goes on at epoch 2 with x1; while no record comes for the key it records nothing of it, and the
    old row stays. The third takes that row as the state, and reads x2 once more.
    """
    init_db_dir(place, 1)
    _run(place, _Polls(".."))
    with closing(sqlite3.connect(next(place.glob("*.sqlite3")))) as base, base:
        base.execute("delete from snaps where snap_epoch > 2")
        base.execute("update fronts set worker_frontier = 2")
    _run(place, _Polls("----!"))
    return _run(place, _Polls(".."))[0]


DEFECTS: Final = {
    "replayed record": (replayed_record, "x1 x2 x3 x4 x4 x5"),
    "stale snapshot": (stale_snapshot, "x1 x2 x2"),
}
"""Each with what it yields; without the defect the records would be there once each."""

if __name__ == "__main__":
    for _name, (_show, _) in DEFECTS.items():
        with tempfile.TemporaryDirectory() as _place:
            print(f"{_name}: {_show(Path(_place))}")  # noqa: T201
