"""TLC's state graph on Spark, beside what the implementation does in each of its states.

The dump is read twice, in parallel: the lines of steps with Spark's own functions, the lines of states in Python,
where each state is decoded and the implementation is asked for its successors. Both become Parquet tables and are
compared there, as sets.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import Observation
from pyspark.sql import functions as F  # noqa: N812 - what everyone calls it

from pyharness.conformance.graph_comparison import require_census, require_states
from pyharness.errors import ConformanceError, HarnessError
from pyharness.run.table_schemas import STATES
from pyharness.tlc.dump import EDGE_LINE, FRAME_LINE, split_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pyspark.sql import Column, DataFrame, SparkSession

    from pyharness.conformance.subject import Subject
    from pyharness.conformance.successors import Implementation

__all__ = ["Differences", "StateGraph", "differences", "read_state_graph", "state_rows"]

_PART: Final = 16 * 1024 * 1024
"""Bytes of a dump that one task reads."""

_NODE_BEGINS: Final = r"^-?\d+ \[label="
_TLC, _PYTHON = 1, 2


@dataclass(frozen=True)
class StateGraph:
    """The tables of a graph, in which each state is once.

    ``states`` has TLC's ``id``, whether it is ``initial``, its ``topology``, its ``key``, and the implementation's
    ``successors``: their keys by action. ``transitions`` has ``source``, ``target`` and ``action``, as TLC wrote
    them; ``size`` is the number of states.
    """

    states: DataFrame
    transitions: DataFrame
    size: int


@dataclass(frozen=True)
class Differences:
    """What one side has and the other has not: a table with ``source``, ``action`` and ``key``, in ``differing`` rows.

    ``transitions`` is the number of TLC's distinct transitions.
    """

    table: DataFrame
    transitions: int
    differing: int


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
    spark: SparkSession, dump: Path, subject: Subject, out: Path, *, distinct: int | None
) -> StateGraph:
    """Read a dump that TLC wrote with the names of the actions, into tables in ``out``.

    ``distinct`` is the number of distinct states that TLC reports. The directory of the dump and ``out`` must be
    the same on all of Spark's machines.

    Raises IncompleteError for a dump that was cut off or has another number of states, ToolError for what is no
    dump, ConformanceError for a state that the implementation cannot be in.
    """
    census = _write_transitions(spark, dump, out / "transitions")
    require_census(dump, opened=census["opened"], closed=census["closed"], unknown=census["unknown"])
    _write_states(spark, dump, subject, out / "states")
    states = spark.read.parquet(str(out / "states"))
    troubled = F.when(F.col("problem").isNotNull(), F.col("id"))
    found = states.agg(
        F.count("*").alias("rows"),
        F.countDistinct("id").alias("ids"),
        F.countDistinct("key").alias("keys"),
        F.min_by("problem", troubled).alias("problem"),
        F.min_by("spec", troubled).alias("spec"),
    ).collect()[0]
    require_states(
        dump,
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
    return StateGraph(states, spark.read.parquet(str(out / "transitions")), found.ids)


def differences(graph: StateGraph, out: Path, *, unexpanded: DataFrame | None = None) -> Differences:
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
    counts = Observation()
    compared = sides.groupBy("source", "action", "key").agg(F.bit_or("side").alias("side"))
    counted = compared.observe(
        counts,
        F.count_if(side != _PYTHON).alias("transitions"),
        F.count_if(side != (_TLC | _PYTHON)).alias("differing"),
    )
    path = str(out / "differences")
    counted.where(side != (_TLC | _PYTHON)).write.mode("overwrite").parquet(path)
    table = graph.states.sparkSession.read.parquet(path)
    return Differences(table, **counts.get)


def _write_transitions(spark: SparkSession, dump: Path, out: Path) -> dict[str, Any]:
    """Write the table of steps, and return a census of all lines."""
    line = F.col("value")
    label = F.regexp_extract(line, f"^{EDGE_LINE}$", 3)
    kind = (
        F.when(F.col("label") != "", "edge")
        .when(line.rlike(_NODE_BEGINS), "node")
        .when(line.rlike(f"^(?:{FRAME_LINE})"), "frame")
    )
    is_edge, is_node, is_frame = (F.col("kind") == name for name in ("edge", "node", "frame"))
    ids = F.split(line, " ", 4)
    census = Observation()
    lines = spark.read.option("lineSep", "\n").text(str(dump)).select("value", label.alias("label"))
    steps = lines.select("*", kind.alias("kind")).select(
        "*",
        F.when(is_edge, ids[0]).cast("long").alias("source"),
        F.when(is_edge, ids[2]).cast("long").alias("target"),
        F.when(is_edge, F.substring_index("label", "(", 1)).alias("action"),
    )
    counted = steps.observe(
        census,
        F.count_if(is_node).alias("nodes"),
        F.coalesce(F.sum(F.when(is_frame, _occurrences(line, "{"))), F.lit(0)).alias("opened"),
        F.coalesce(F.sum(F.when(is_frame, _occurrences(line, "}"))), F.lit(0)).alias("closed"),
        F.max(F.when(F.col("kind").isNull(), line)).alias("unknown"),
    )
    counted.where(is_edge).select("source", "target", "action").write.mode("overwrite").parquet(str(out))
    return dict(census.get)


def _occurrences(text: Column, character: str) -> Column:
    return F.length(text) - F.length(F.replace(text, F.lit(character)))


def _write_states(spark: SparkSession, dump: Path, subject: Subject, out: Path) -> None:
    parts = max(2 * spark.sparkContext.defaultParallelism, 1 + dump.stat().st_size // _PART)
    rows = spark.sparkContext.textFile(str(dump), parts).mapPartitions(partial(state_rows, subject=subject))
    spark.read.schema(STATES).option("mode", "FAILFAST").json(rows).write.mode("overwrite").parquet(str(out))
