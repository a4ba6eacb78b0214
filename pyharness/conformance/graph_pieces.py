"""TLC's dump of a state graph on Spark, as pieces of text: read from a file, or told by the task in which TLC wrote it.

A piece is some whole lines. No machine but that task's sees the file, so a cluster needs no directory that its machines
share.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyspark import StorageLevel

from pyharness.conformance.graph_dump import write_graph
from pyharness.errors import IncompleteError
from pyharness.run.task_tools import keep_files_with_spark
from pyharness.tlc.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark import RDD, Broadcast
    from pyspark.sql import SparkSession

    from pyharness.plan.model import Model
    from pyharness.run.task_tools import TaskTools

PIECE: Final = 256 * 1024
"""Bytes of a piece, and what is left of its last line."""

_PART: Final = 16 * 1024 * 1024
"""Bytes of a dump that one task reads."""


def pieces_of(dump: Path, begin: int = 0, end: int | None = None) -> Iterator[str]:
    """Yield the lines of a dump that begin from byte ``begin`` up to ``end``, in pieces without their last break."""
    position = begin
    with dump.open("rb") as file:
        if begin:
            file.seek(begin - 1)
            position += len(file.readline()) - 1
        while end is None or position < end:
            wanted = PIECE if end is None else min(PIECE, end - position)
            raw = file.read(wanted)
            if not raw.endswith(b"\n"):
                raw += file.readline()
            if not raw:
                return
            position += len(raw)
            yield raw.decode(errors="replace").removesuffix("\n")


def lines_from(piece: str, wanted: set[str]) -> list[str]:
    """Return the lines of a piece that are of the states with these ids, or of steps from them."""
    return [line for line in piece.split("\n") if line.partition(" ")[0] in wanted]


def written_graph(spark: SparkSession, dump: Path) -> RDD[str]:
    """Return the pieces of a file that all tasks see: those of a session on this machine."""
    context, size = spark.sparkContext, dump.stat().st_size
    count = max(2 * context.defaultParallelism, 1 + size // _PART)
    bounds = [(size * number // count, size * (number + 1) // count) for number in range(count)]
    return context.parallelize(bounds, count).flatMap(lambda pair: pieces_of(dump, *pair))


@contextmanager
def told_graph(spark: SparkSession, model: Model, given: TaskTools) -> Iterator[tuple[RDD[str], Result]]:
    """Run TLC on a model in a task; return the pieces of its graph, on the disks of all executors, and its result.

    An executor that is lost meanwhile takes its pieces with it, and TLC runs again.
    """
    context = spark.sparkContext
    told = (
        context.parallelize([model], 1)
        .flatMap(_Telling(context.broadcast(given)))
        .repartition(2 * context.defaultParallelism)
        .persist(StorageLevel.DISK_ONLY)
    )
    try:
        results = told.filter(lambda piece: isinstance(piece, Result)).collect()
        if len(results) != 1:
            raise IncompleteError(f"{len(results)} runs of TLC told of this graph", where=model.name)
        yield told.filter(lambda piece: isinstance(piece, str)), results[0]
    finally:
        told.unpersist()


class _Telling:
    """What the task does: run TLC on a model, and tell of its graph piece by piece, with the result in the end."""

    def __init__(self, given: Broadcast[TaskTools]) -> None:
        self._given = given

    def __call__(self, model: Model) -> Iterable[Any]:
        keep_files_with_spark()
        given = self._given.value
        with tempfile.TemporaryDirectory(prefix="pyharness-graph-") as directory:
            dump = Path(directory) / "graph.dot"
            result = write_graph(model, given.library, given.tools, dump)
            if dump.is_file():
                yield from pieces_of(dump)
            yield result
