"""Conformance: in every reachable state, by every action, the implementation has the successors that the spec has.

TLC writes the state graph of a model, and the implementation is held against it, both ways: in plain Python, or on
Spark where the graph is large or a cluster is there. Where the spec says that the snapshot is over, TLC follows nothing
(``NotBeyond``), and the implementation must say so too.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.conformance.mismatches import MOST_ROWS, initial_rows, mismatch_rows
from pyharness.conformance.plain_comparison import PlainComparison
from pyharness.conformance.subject import subject_of
from pyharness.errors import HarnessError
from pyharness.run.replay_rows import CORRECT
from pyharness.run.table_rows import ConformanceRow, MismatchRow
from pyharness.run.tlc_runs import is_small, tlc_run
from pyharness.run.tlc_verdict import require_success
from pyharness.tlc import run_tlc

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from pyharness.conformance.graph_comparison import GraphComparison
    from pyharness.conformance.subject import Subject
    from pyharness.plan.model import Model
    from pyharness.plan.spec_modules import Library
    from pyharness.run.jobs import Job
    from pyharness.run.machine_tools import Tools
    from pyharness.tlc import Progress, Result

__all__ = [
    "MOST_PLAIN_STATES",
    "Conformance",
    "compare",
    "compare_on_spark",
    "conform_model",
    "conformance_rows",
    "graph_digest",
    "is_plain",
    "write_graph",
]

_HINT: Final = "take fewer items, a smaller graph or a depth"

MOST_PLAIN_STATES: Final = 500_000
"""A graph of more states is compared on Spark unless the caller says otherwise."""


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


def is_plain(model: Model) -> bool:
    """Tell whether a model is compared in plain Python: unless its pinned count says that its graph is large."""
    return model.pins is None or model.pins.distinct <= MOST_PLAIN_STATES


def conformance_rows(
    job: Job,
    library: Library,
    tools: Tools,
    spark: SparkSession | None = None,
    out: Path | None = None,
    *,
    graph: tuple[Path, Result] | None = None,
) -> tuple[ConformanceRow | MismatchRow, ...]:
    """Compare a job's model with the correct implementation, and return its row and those of its mismatches.

    An error, such as a graph that is not whole, is in the first one's ``error``. With ``spark`` it is done there, and
    its tables go to ``out``, else in plain Python. A ``graph`` that a run of TLC with this result wrote is not written
    again.
    """
    row = ConformanceRow(job.id, job.model.name, CORRECT)
    try:
        if graph is not None:
            found = compare(job.model, subject_of(job.model, None), *graph)
        else:
            found = conform_model(job.model, library, tools, spark, out, processes=1, plain=spark is None)
    except HarnessError as error:
        return (replace(row, error=str(error)),)
    first = found.rows[0] if found.rows else None
    row = replace(
        row,
        states=found.states,
        transitions=found.transitions,
        mismatches=found.mismatches,
        first=None if first is None else f"by {first.action} on {first.topology}, depth {first.depth}",
        tlc_seconds=found.tlc_seconds,
        seconds=found.seconds,
    )
    return (row, *found.rows)


def conform_model(
    model: Model,
    library: Library,
    tools: Tools,
    spark: SparkSession | None = None,
    out: Path | None = None,
    *,
    implementation: str | None = None,
    say: Callable[[str], None] | None = None,
    processes: int | None = None,
    plain: bool = False,
) -> Conformance:
    """Run TLC on a model, and compare its state graph with the implementation, or with the mutant of that name.

    The spec is the model's, with its mutant and overrides if it has them; its properties are not checked here. With a
    ``depth`` TLC follows behaviours for so many states, and the last ones are not expanded on either side. ``say`` is
    told how far it is.

    With ``spark`` the comparison is made there, and its tables go to ``out`` if it is given. Without, it is made in
    plain Python by so many ``processes`` (as many as there are cores, four at most), or, if the graph has more than
    :data:`MOST_PLAIN_STATES` and ``plain`` is not set, on a Spark session of its own.

    Raises SpecError for a model without an implementation, IncompleteError when TLC's graph is not whole, ToolError
    when Java, TLC or Spark fails, ConformanceError for a state that the implementation cannot be in.
    """
    subject = subject_of(model, implementation)
    with tempfile.TemporaryDirectory(prefix="pyharness-conform-") as directory:
        work = Path(directory)
        dump = work / "graph.dot"
        result = write_graph(model, library, tools, dump, say)
        if say:
            say(f"comparing {result.distinct or 0:,} states")
        if spark is not None:
            return compare_on_spark(model, subject, dump, result, spark, out or work / "tables")
        if plain or (result.distinct or 0) <= MOST_PLAIN_STATES:
            return compare(model, subject, dump, result, processes=processes or _cores())
        from pyharness.run.spark_session import spark_session  # noqa: PLC0415 - only large graphs need it

        with spark_session() as session:
            return compare_on_spark(model, subject, dump, result, session, out or work / "tables")


def compare(model: Model, subject: Subject, dump: Path, result: Result, *, processes: int = 1) -> Conformance:
    """Compare the state graph in ``dump``, which a run of TLC with this result wrote, with an implementation.

    Raises what :func:`conform_model` does.
    """
    began = time.monotonic()
    require_success(result, model.name, _HINT)
    graph = PlainComparison(dump, subject, distinct=result.distinct, depth=model.depth, processes=processes)
    rows, mismatches = _rows(model, subject, graph, dump)
    return _conformance(model, subject, graph, rows, mismatches, result, began)


def compare_on_spark(
    model: Model, subject: Subject, dump: Path, result: Result, spark: SparkSession, out: Path
) -> Conformance:
    """Do the same on Spark, and leave the tables in ``out``.

    The directory of the dump and ``out`` must be the same on all of Spark's machines.
    """
    from pyharness.conformance.spark_comparison import (  # noqa: PLC0415 - only this needs Spark
        SparkComparison,
        spark_errors,
    )
    from pyharness.run.table_schemas import write_rows  # noqa: PLC0415

    began = time.monotonic()
    require_success(result, model.name, _HINT)
    with spark_errors(model.name):
        graph = SparkComparison(spark, dump, subject, out, distinct=result.distinct, depth=model.depth)
        rows, mismatches = _rows(model, subject, graph, dump)
        write_rows(spark, MismatchRow, rows, out / "conformance")
    return _conformance(model, subject, graph, rows, mismatches, result, began)


def _rows(
    model: Model, subject: Subject, graph: GraphComparison, dump: Path
) -> tuple[list[MismatchRow], int]:
    """Return rows of ``conformance``, and the number of all mismatches."""
    rows = initial_rows(model, subject, graph.initial, dump)
    mismatches = len(rows) + len(graph.pairs)
    if graph.pairs:
        rows += mismatch_rows(model, subject, graph, dump)
    return rows[:MOST_ROWS], mismatches


def _conformance(
    model: Model,
    subject: Subject,
    graph: GraphComparison,
    rows: list[MismatchRow],
    mismatches: int,
    result: Result,
    began: float,
) -> Conformance:
    return Conformance(
        model=model.name,
        implementation=subject.mutant or CORRECT,
        states=graph.states,
        transitions=graph.transitions,
        mismatches=mismatches,
        rows=tuple(rows),
        tlc_seconds=result.seconds or 0.0,
        seconds=time.monotonic() - began,
    )


def _cores() -> int:
    return min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def write_graph(
    model: Model,
    library: Library,
    tools: Tools,
    dump: Path,
    say: Callable[[str], None] | None = None,
) -> Result:
    """Run TLC on a model without its properties, so that nothing stops it, and let it write its graph to ``dump``."""
    run = replace(
        tlc_run(_bare(model).render(library, watched=True), model, tools, dump.parent),
        dump=dump,
        quick_jvm=is_small(model, len(model.topologies)),
    )

    def note(now: Progress) -> None:
        if say:
            say(f"TLC: {now.distinct or 0:,} states, {now.queue or 0:,} on the queue")

    return run_tlc(run, on_progress=note)


def graph_digest(model: Model, library: Library, tools: Tools) -> str:
    """Return a digest of all that a model's state graph depends on: what is rendered, the modules, and TLC."""
    rendered = _bare(model).render(library, watched=True)
    modules = {m.name: m.text for root in model.modules for m in library.closure(root, instances=True)}
    content = [rendered.tla, rendered.cfg, sorted(modules.items()), tools.jar_sha256]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:24]


def _bare(model: Model) -> Model:
    return replace(model, invariants=(), properties=(), fair=False)
