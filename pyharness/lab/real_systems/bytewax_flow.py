"""The dataflow that :mod:`~pyharness.lab.real_systems.bytewax_epochs` crashes: two partitions, and a fold by key.

The source is ours, so the schedule is, too: which poll of which partition yields a record, and at which poll the
execution dies. The m-th record of partition ``a`` is ``a<m>``; its key is m modulo 3. The state of a key is the text of
its records in the order in which they came, so each record that is there can be named.

Needs the extra ``bytewax``. Run as ``python -m pyharness.lab.real_systems.bytewax_flow PLACE SEED RECORDS`` it has two
workers and a source that takes its time.
"""

from __future__ import annotations

import random
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import bytewax.operators as op
from bytewax.dataflow import Dataflow
from bytewax.inputs import AbortExecution, FixedPartitionedSource, StatefulSourcePartition
from bytewax.recovery import RecoveryConfig, init_db_dir
from bytewax.testing import TestingSink, cluster_main, run_main

PARTITIONS: Final = ("a", "b")
_KEYS: Final = 3
_KEEP: Final = timedelta(days=1)
"""So long snapshots that are not needed any more stay readable."""


def key_of(record: str) -> str:
    """Return the key of a record such as ``a7``."""
    return str(int(record[1:]) % _KEYS)


class Source(FixedPartitionedSource):  # type: ignore[misc]
    """Both partitions: a poll yields a record or nothing, by lot, and poll ``die`` is the last one.

    ``resumed`` tells at which position each partition went on, ``died`` whether the execution was aborted.
    """

    def __init__(self, records: int, generator: random.Random, die: int | None, pause: float = 0.0) -> None:
        self.records = records
        self.generator = generator
        self.left = die
        self.pause = pause
        self.died = False
        self.resumed: dict[str, int] = {}

    def list_parts(self) -> list[str]:
        """Return the names of the partitions."""
        return list(PARTITIONS)

    def build_part(self, step_id: str, for_part: str, resume_state: int | None) -> _Partition:
        """Return one partition, from the position at which it was recorded."""
        self.resumed[for_part] = resume_state or 0
        return _Partition(self, for_part, resume_state or 0)

    def poll(self) -> bool:
        """Return whether a poll yields a record. Raises AbortExecution when it is time to die."""
        if self.pause:
            time.sleep(self.generator.uniform(0, self.pause))
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.died = True
                raise AbortExecution
        return self.generator.random() < 0.7


class _Partition(StatefulSourcePartition):  # type: ignore[misc]
    def __init__(self, source: Source, name: str, position: int) -> None:
        self.source, self.name, self.position = source, name, position

    def next_batch(self) -> list[tuple[str, str]]:
        yields = self.source.poll()
        if self.position >= self.source.records:
            raise StopIteration
        if not yields:
            return []
        self.position += 1
        record = f"{self.name}{self.position}"
        return [(key_of(record), record)]

    def snapshot(self) -> int:
        return self.position


def prepare(place: Path, partitions: int) -> None:
    """Make the files in which Bytewax keeps its snapshots."""
    place.mkdir(parents=True, exist_ok=True)
    init_db_dir(place, partitions)


def run_once(place: Path, source: Source, workers: int = 1) -> list[str]:
    """Run the flow from the last complete epoch until the source ends or dies; return the states that the sink got.

    Each poll is an epoch of its own, or several are one where the machine is quicker than Bytewax's clock.
    """
    out: list[tuple[str, str]] = []
    flow = Dataflow("flow")
    folded = op.stateful_map("fold", op.input("source", flow, source), _fold)
    op.output("sink", folded, TestingSink(out))
    recovery = RecoveryConfig(place, _KEEP)
    if workers == 1:
        run_main(flow, epoch_interval=timedelta(0), recovery_config=recovery)
    else:
        cluster_main(
            flow,
            [],
            0,
            epoch_interval=timedelta(0),
            recovery_config=recovery,
            worker_count_per_proc=workers,
        )
    return [state for _, state in out]


def _fold(state: str | None, record: str) -> tuple[Any, Any]:
    new = f"{state} {record}" if state else record
    return new, new


if __name__ == "__main__":
    (Path(sys.argv[1]) / "started").touch()
    _generator = random.Random(int(sys.argv[2]))  # noqa: S311 - a schedule, no secret
    run_once(Path(sys.argv[1]), Source(int(sys.argv[3]), _generator, None, pause=0.01), workers=2)
