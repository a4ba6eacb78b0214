"""TLC's state graph on Spark, beside what the implementation does in each of its states.

The pieces of the dump are read twice, in parallel: the lines of steps with Spark's own functions, the lines of states
in Python, where each state is decoded and the implementation is asked for its successors. Both become tables on the
disks of Spark's executors and are compared there, as sets.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from pyspark import StorageLevel
from pyspark.sql import functions as F  # noqa: N812 - what everyone calls it
from pyspark.sql.types import ArrayType, BooleanType, LongType, MapType, StringType, StructType

from pyharness.conformance.graph_comparison import require_census, require_states
from pyharness.errors import ConformanceError, HarnessError
from pyharness.tlc.dump import EDGE_LINE, FRAME_LINE, split_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark import RDD
    from pyspark.sql import Column, DataFrame, SparkSession

    from pyharness.conformance.subject import Subject
    from pyharness.conformance.successors import Implementation

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
