"""TLC's state graph on Spark: what its tasks read, in pieces, beside what the implementation does in each state.

A piece of the dump is some whole lines: read from a file, or told by the task in which TLC wrote it. No machine but
that task's sees the file, so a cluster needs no directory that its machines share.

The pieces are read twice, in parallel: the lines of steps with Spark's own functions, the lines of states in Python,
where each state is decoded and the implementation is asked for its successors. Both become tables on the disks of
Spark's executors and are compared there, as sets.
"""

from __future__ import annotations

import json
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - what everyone calls it
from pyspark.sql.types import ArrayType, BooleanType, LongType, MapType, StringType, StructType

from pyharness.base.errors import ConformanceError, HarnessError, IncompleteError
from pyharness.gate.jobs.task_tools import keep_files_with_spark
from pyharness.hold.conformance.graph_comparison import require_census, require_states, write_graph
from pyharness.tla.tlc.dump import EDGE_LINE, FRAME_LINE, split_node
from pyharness.tla.tlc.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark import RDD, Broadcast
    from pyspark.sql import Column, DataFrame

    from pyharness.gate.jobs.task_tools import TaskTools
    from pyharness.hold.conformance.subject import Implementation, Subject
    from pyharness.models.model import Model


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


_NODE_BEGINS: Final = r"^-?\d+ \[label="
_TLC, _PYTHON = 1, 2

_STATES: Final = (
    StructType()
    .add("id", LongType())
    .add("initial", BooleanType())
    .add("topology", StringType())
    .add("key", LongType())
    .add("successors", MapType(StringType(), ArrayType(LongType())))
    .add("problem", StringType())
    .add("spec", BooleanType())
)
"""A state of TLC's graph and the implementation's successors, or what is wrong with it."""


@dataclass(frozen=True)
class StateGraph:
    """The tables of a graph, in which each state is once.

    ``states`` has TLC's ``id``, whether it is ``initial``, its ``topology``, its ``key``, and the implementation's
    ``successors``: their keys by action. ``transitions`` has ``source``, ``target`` and ``action``, as TLC wrote
    them; ``size`` is the number of states. ``kept`` are the tables that take room until they are given up.
    """

    states: DataFrame
    transitions: DataFrame
    size: int
    kept: tuple[DataFrame, ...]


@dataclass(frozen=True)
class Differences:
    """What one side has and the other has not: a table with ``source``, ``action`` and ``key``, in ``differing`` rows.

    ``transitions`` is the number of TLC's distinct transitions. ``kept`` is the table that takes room.
    """

    table: DataFrame
    transitions: int
    differing: int
    kept: DataFrame


@cache
def _known(subject: Subject) -> Implementation:
    """Keep what a worker process learns from one task to the next."""
    return subject.build()


def state_rows(lines: Iterable[str], subject: Subject) -> Iterator[str]:
    """Return a row of ``states`` as JSON for each line that is of a state; ``problem`` says why one is not whole."""
    implementation = _known(subject)
    for line in lines:
        head, _, rest = line.partition(" ")
        if rest.startswith("[label=") and head.removeprefix("-").isdecimal():
            yield json.dumps(_state_row(line, int(head), implementation))


def _state_row(line: str, number: int, implementation: Implementation) -> dict[str, object]:
    node = split_node(line)
    if node is None:
        return {"id": number, "problem": f"not a line of a graph dump: {line[:80]!r}", "spec": False}
    try:
        topology, key, successors = implementation.expand_texts(node.lines)
    except HarnessError as error:
        return {"id": number, "problem": str(error), "spec": isinstance(error, ConformanceError)}
    return {
        "id": number,
        "initial": node.initial,
        "topology": topology,
        "key": key,
        "successors": successors,
    }


def read_state_graph(
    spark: SparkSession, pieces: RDD[str], subject: Subject, *, name: str, distinct: int | None
) -> StateGraph:
    """Read the pieces of a dump that TLC wrote with the names of the actions.

    ``distinct`` is the number of distinct states that TLC reports; ``name`` stands for the graph in messages.

    Raises IncompleteError for a dump that was cut off or has another number of states, ToolError for what is no
    dump, ConformanceError for a state that the implementation cannot be in.
    """
    lines = _kept(_lines(spark, pieces))
    census = _census(lines)
    require_census(name, opened=census["opened"], closed=census["closed"], unknown=census["unknown"])
    asked = pieces.mapPartitions(partial(_state_rows, subject=subject))
    states = told = _kept(spark.read.schema(_STATES).option("mode", "FAILFAST").json(asked))
    troubled = F.when(F.col("problem").isNotNull(), F.col("id"))
    found = states.agg(
        F.count("*").alias("rows"),
        F.countDistinct("id").alias("ids"),
        F.countDistinct("key").alias("keys"),
        F.min_by("problem", troubled).alias("problem"),
        F.min_by("spec", troubled).alias("spec"),
    ).collect()[0]
    require_states(
        name,
        problem=found.problem,
        of_spec=bool(found.spec),
        lines=census["nodes"],
        read=found.rows,
        ids=found.ids,
        keys=found["keys"],
        distinct=distinct,
    )
    if found.rows != found.ids:
        states = states.groupBy("id").agg(
            F.max("initial").alias("initial"),
            *(F.any_value(name).alias(name) for name in ("topology", "key", "successors")),
        )
    transitions = lines.where(F.col("kind") == "edge").select("source", "target", "action")
    return StateGraph(states, transitions, found.ids, (lines, told))


def _kept(table: DataFrame) -> DataFrame:
    return table.persist(StorageLevel.DISK_ONLY)


def _state_rows(pieces: Iterable[str], subject: Subject) -> Iterator[str]:
    return state_rows(chain.from_iterable(piece.split("\n") for piece in pieces), subject)


def differences(graph: StateGraph, *, unexpanded: DataFrame | None = None) -> Differences:
    """Compare the successors by each action of each state, exactly and both ways.

    A step to a state that is not in the graph has no key, and so is a difference too. States whose ``id`` is in
    ``unexpanded`` are left out of the implementation's side.
    """
    keys = graph.states.select(F.col("id").alias("target"), "key")
    theirs = graph.transitions.join(keys, "target", "left").select("source", "action", "key")
    asked = graph.states if unexpanded is None else graph.states.join(unexpanded, "id", "left_anti")
    ours = asked.select(F.col("id").alias("source"), F.explode("successors").alias("action", "keys")).select(
        "source", "action", F.explode("keys").alias("key")
    )
    sides = theirs.withColumn("side", F.lit(_TLC)).unionByName(ours.withColumn("side", F.lit(_PYTHON)))
    side = F.col("side")
    compared = _kept(sides.groupBy("source", "action", "key").agg(F.bit_or("side").alias("side")))
    counts = compared.agg(
        F.count_if(side != _PYTHON).alias("transitions"),
        F.count_if(side != (_TLC | _PYTHON)).alias("differing"),
    ).collect()[0]
    table = compared.where(side != (_TLC | _PYTHON))
    return Differences(table, counts.transitions, counts.differing, compared)


def _lines(spark: SparkSession, pieces: RDD[str]) -> DataFrame:
    """Return what each line of a dump is: an edge with its ends and its action, a node, a part of the frame."""
    texts = spark.read.schema("piece string").json(pieces.map(lambda piece: json.dumps({"piece": piece})))
    line = F.col("value")
    kind = (
        F.when(F.col("label") != "", "edge")
        .when(line.rlike(_NODE_BEGINS), "node")
        .when(line.rlike(f"^(?:{FRAME_LINE})"), "frame")
    )
    is_edge, is_frame = (F.col("kind") == name for name in ("edge", "frame"))
    ids = F.split(line, " ", 4)
    return (
        texts.select(F.explode(F.split("piece", "\n")).alias("value"))
        .select("value", F.regexp_extract(line, f"^{EDGE_LINE}$", 3).alias("label"))
        .select("*", kind.alias("kind"))
        .select(
            "kind",
            F.when(is_edge, ids[0]).cast("long").alias("source"),
            F.when(is_edge, ids[2]).cast("long").alias("target"),
            F.when(is_edge, F.substring_index("label", "(", 1)).alias("action"),
            F.when(is_frame, _occurrences(line, "{")).alias("opened"),
            F.when(is_frame, _occurrences(line, "}")).alias("closed"),
            F.when(F.col("kind").isNull(), line).alias("unknown"),
        )
    )


def _census(lines: DataFrame) -> dict[str, Any]:
    return (
        lines.agg(
            F.count_if(F.col("kind") == "node").alias("nodes"),
            F.coalesce(F.sum("opened"), F.lit(0)).alias("opened"),
            F.coalesce(F.sum("closed"), F.lit(0)).alias("closed"),
            F.max("unknown").alias("unknown"),
        )
        .collect()[0]
        .asDict()
    )


def _occurrences(text: Column, character: str) -> Column:
    return F.length(text) - F.length(F.replace(text, F.lit(character)))
