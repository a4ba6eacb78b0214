"""Conformance: in every reachable state, by every action, the implementation has the successors that the spec has.

TLC writes the state graph of a model; Spark holds the implementation against it, both ways. Where the spec says that
the snapshot is over, TLC follows nothing (``NotBeyond``), and the implementation must say so too.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 - what everyone calls it

from pyharness.conformance.mismatches import MOST_ROWS, initial_rows, mismatch_rows
from pyharness.conformance.shortest_paths import Paths
from pyharness.conformance.state_graph import Subject, differences, read_state_graph
from pyharness.errors import HarnessError, IncompleteError, SpecError, ToolError
from pyharness.plan.model import NOT_COMPARABLE
from pyharness.run.replay_rows import CORRECT
from pyharness.run.table_rows import ConformanceRow, MismatchRow
from pyharness.run.table_schemas import write_rows
from pyharness.run.tlc_runs import tlc_run
from pyharness.run.tlc_verdict import require_success
from pyharness.tlc import run_tlc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from pyharness.conformance.state_graph import Differences, StateGraph
    from pyharness.plan.model import Model
    from pyharness.plan.spec_modules import Library
    from pyharness.run.jobs import Job
    from pyharness.run.machine_tools import Tools
    from pyharness.tlc import Progress, Result

__all__ = ["Conformance", "compare", "conform_model", "conformance_row", "write_graph"]


@dataclass(frozen=True)
class Conformance:
    """What the comparison of a model came to.

    ``states`` and ``transitions`` are TLC's distinct ones; a transition is a source, an action and a target.
    ``mismatches`` counts pairs of a state and an action whose successors differ, and topologies whose initial states
    do. ``rows`` describes some of them by the columns of the table ``conformance``: at most
    :data:`~pyharness.conformance.mismatches.MOST_ROWS`, those with the shortest traces, the shortest first.
    ``tlc_seconds`` is TLC's wall time, ``seconds`` that of the comparison.
    """

    model: str
    implementation: str
    states: int
    transitions: int
    mismatches: int
    rows: tuple[MismatchRow, ...]
    tlc_seconds: float
    seconds: float

    @property
    def agreed(self) -> bool:
        """Whether spec and implementation do the same everywhere."""
        return self.mismatches == 0


def conformance_row(
    job: Job, library: Library, tools: Tools, spark: SparkSession, out: Path
) -> ConformanceRow:
    """Compare a job's model with the correct implementation and return its row of ``conformances``.

    The tables go to ``out``. An error, such as a graph that is not whole, is in the row's ``error``.
    """
    row = ConformanceRow(job.id, job.model.name, CORRECT)
    try:
        found = conform_model(job.model, library, tools, spark, out)
    except HarnessError as error:
        return replace(row, error=str(error))
    first = found.rows[0] if found.rows else None
    return replace(
        row,
        states=found.states,
        transitions=found.transitions,
        mismatches=found.mismatches,
        first=None if first is None else f"by {first.action} on {first.topology}, depth {first.depth}",
        tlc_seconds=found.tlc_seconds,
        seconds=found.seconds,
    )


def conform_model(
    model: Model,
    library: Library,
    tools: Tools,
    spark: SparkSession,
    out: Path | None = None,
    *,
    implementation: str | None = None,
    say: Callable[[str], None] | None = None,
) -> Conformance:
    """Run TLC on a model, and compare its state graph with the implementation, or with the mutant of that name.

    The spec is the model's, with its mutant and overrides if it has them; its properties are not checked here. With a
    ``depth`` TLC follows behaviours for so many states, and the last ones are not expanded on either side. Tables go
    to ``out`` if it is given; ``say`` is told how far it is.

    Raises SpecError for a model without an implementation, IncompleteError when TLC's graph is not whole, ToolError
    when Java, TLC or Spark fails, ConformanceError for a state that the implementation cannot be in.
    """
    subject = _subject(model, implementation)
    with tempfile.TemporaryDirectory(prefix="pyharness-conform-") as directory:
        work = Path(directory)
        dump = work / "graph.dot"
        result = write_graph(model, library, tools, dump, say)
        if say:
            say(f"comparing {result.distinct or 0:,} states")
        return compare(model, subject, dump, result, spark, out or work / "tables")


def compare(
    model: Model, subject: Subject, dump: Path, result: Result, spark: SparkSession, out: Path
) -> Conformance:
    """Compare the state graph in ``dump``, which a run of TLC with this result wrote, with an implementation.

    Raises what :func:`conform_model` does.
    """
    began = time.monotonic()
    require_success(result, model.name, "take fewer items, a smaller graph or a depth")
    with _spark_errors(model):
        graph = read_state_graph(spark, dump, subject, out, distinct=result.distinct)
        initial = _initial(graph)
        paths = _paths(graph, initial) if model.depth is not None else None
        found = differences(graph, out, unexpanded=_at_bound(spark, paths, model.depth))
        pairs = _pairs(found, dump)
        rows = initial_rows(model, subject, initial, dump)
        mismatches = len(rows) + len(pairs)
        if pairs:
            rows += mismatch_rows(model, subject, graph, paths or _paths(graph, initial), pairs, dump)
        write_rows(spark, MismatchRow, rows[:MOST_ROWS], out / "conformance")
    return Conformance(
        model=model.name,
        implementation=subject.mutant or CORRECT,
        states=graph.size,
        transitions=found.transitions,
        mismatches=mismatches,
        rows=tuple(rows[:MOST_ROWS]),
        tlc_seconds=result.seconds or 0.0,
        seconds=time.monotonic() - began,
    )


def _subject(model: Model, implementation: str | None) -> Subject:
    if not model.comparable:
        raise SpecError(
            f"{model.spec} cannot be compared state by state", where=model.name, hint=NOT_COMPARABLE
        )
    if model.stop not in {"", "Over"}:
        raise SpecError(
            f"the implementation does not know {model.stop!r}", where=model.name, hint="stop at Over"
        )
    subject = Subject(
        protocol=model.spec,
        application=model.application,
        items=model.items,
        placement=model.placement,
        constants=tuple(sorted({**model.defaults, **model.constants}.items())),
        granularity=model.granularity,
        mutant=implementation,
        stop_when_over=bool(model.stop),
    )
    for topology in model.topologies:
        subject.build().initial(topology)
    return subject


def write_graph(
    model: Model,
    library: Library,
    tools: Tools,
    dump: Path,
    say: Callable[[str], None] | None = None,
) -> Result:
    """Run TLC on a model without its properties, so that nothing stops it, and let it write its graph to ``dump``."""
    bare = replace(model, invariants=(), properties=(), fair=False)
    run = replace(
        tlc_run(bare.render(library), model, tools, dump.parent),
        dump=dump,
        quick_jvm=len(model.topologies) < 5,
    )

    def note(now: Progress) -> None:
        if say:
            say(f"TLC: {now.distinct or 0:,} states, {now.queue or 0:,} on the queue")

    return run_tlc(run, on_progress=note)


# -- the graph ---------------------------------------------------------------------------------------------------


def _initial(graph: StateGraph) -> dict[str, dict[int, int]]:
    """Return the initial states of each topology in TLC's graph: ids by key."""
    found: dict[str, dict[int, int]] = {}
    for row in graph.states.where("initial").select("topology", "key", "id").collect():
        found.setdefault(row.topology, {})[row.key] = row.id
    return found


def _paths(graph: StateGraph, initial: Mapping[str, Mapping[int, int]]) -> Paths:
    steps = (
        graph.transitions.select("source", "action", "target")
        .distinct()
        .toLocalIterator(prefetchPartitions=True)
    )
    return Paths([number for ids in initial.values() for number in ids.values()], map(tuple, steps))


def _at_bound(spark: SparkSession, paths: Paths | None, depth: int | None) -> DataFrame | None:
    if paths is None or depth is None:
        return None
    return spark.createDataFrame([(state,) for state, at in paths.depth.items() if at >= depth], "id long")


# -- mismatches --------------------------------------------------------------------------------------------------


def _pairs(found: Differences, dump: Path) -> list[tuple[int, str]]:
    """Return the pairs of a state and an action whose successors differ."""
    if not found.differing:
        return []
    if not found.table.where(F.col("key").isNull()).isEmpty():
        raise IncompleteError("a step leads to a state that is not there", where=dump.name)
    return [tuple(pair) for pair in found.table.select("source", "action").distinct().collect()]


@contextmanager
def _spark_errors(model: Model) -> Iterator[None]:
    """Make what Spark raises a ToolError, with the line of it that says what went wrong."""
    try:
        yield
    except HarnessError:
        raise
    except Exception as error:
        lines = str(error).strip().split("\n")
        cause = next((line.strip() for line in reversed(lines) if "Error" in line), lines[0])
        raise ToolError(cause, where=model.name, hint="run `pyharness doctor --spark`") from error
