"""Conformance: in every reachable state, by every action, the implementation has the successors that the spec has.

TLC writes the state graph of a model, and the implementation is held against it, both ways. Where the spec says that the
snapshot is over, TLC follows nothing (``NotBeyond``), and the implementation must say so too.
"""

from __future__ import annotations

import heapq
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import HarnessError, IncompleteError
from pyharness.base.toolchain.machine_size import cores
from pyharness.hold.conformance.graph_comparison import write_graph
from pyharness.hold.conformance.plain_comparison import PlainComparison
from pyharness.hold.conformance.subject import subject_of
from pyharness.models.table_rows import CORRECT, ConformanceRow, MismatchRow
from pyharness.models.tlc_verdict import require_success
from pyharness.tla.tlc import Step, Trace
from pyharness.tla.tlc.itf import itf_document, itf_line
from pyharness.tla.values import to_tla

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyharness.hold.conformance.subject import Subject
    from pyharness.models.job import Job
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Result
    from pyharness.tla.values import Fn


INITIAL: Final = "Init"
"""Stands for the action where the initial states differ."""

MOST_ROWS: Final = 100
"""So many mismatches of a model are described; all are counted."""


def initial_rows(model: Model, subject: Subject, graph: PlainComparison) -> list[MismatchRow]:
    """Describe the topologies on which the initial states differ.

    Raises IncompleteError for a topology on which there are none on either side: nothing was compared there.
    """
    rows = []
    implementation = subject.build()
    for topology in model.topologies:
        ours, theirs = implementation.initial(topology), graph.initial.get(topology.id, {})
        if not ours and not theirs:
            raise IncompleteError(f"no state of {topology.id} was compared", where=model.name)
        if set(ours) != set(theirs):
            states = graph.find(theirs.values())
            rows.append(
                MismatchRow(
                    model=model.name,
                    implementation=subject.mutant or CORRECT,
                    topology=topology.id,
                    action=INITIAL,
                    depth=0,
                    state="",
                    tlc=tuple(sorted(map(to_tla, states.values()))),
                    python=tuple(sorted(map(to_tla, ours.values()))),
                    itf=None,
                )
            )
    return rows


def mismatch_rows(model: Model, subject: Subject, graph: PlainComparison) -> list[MismatchRow]:
    """Describe those pairs of a state and an action that have the shortest traces, the shortest first.

    Raises IncompleteError when no initial state leads to one of the states.
    """
    paths = graph.paths()

    def nearest(pair: tuple[int, str]) -> tuple[int, int, str]:
        if pair[0] not in paths.depth:
            raise IncompleteError(f"no initial state leads to state {pair[0]}", where=graph.name)
        return (paths.depth[pair[0]], *pair)

    chosen = heapq.nsmallest(MOST_ROWS, graph.pairs, key=nearest)
    sources = sorted({source for source, _ in chosen})
    theirs = graph.following(sources)
    ways = {source: paths.to(source) for source in sources}
    states = graph.find(
        {i for way in ways.values() for _, i in way} | {i for ids in theirs.values() for i in ids}
    )
    implementation = subject.build()
    return [
        MismatchRow(
            model=model.name,
            implementation=subject.mutant or CORRECT,
            topology=str(states[source]["topo"]),
            action=action,
            depth=paths.depth[source],
            state=to_tla(states[source]),
            tlc=tuple(sorted(to_tla(states[i]) for i in theirs.get((source, action), ()))),
            python=tuple(sorted(map(to_tla, implementation.after(states[source], action).values()))),
            itf=_itf(model, subject, action, ways[source], states),
        )
        for source, action in chosen
    ]


def _itf(
    model: Model,
    subject: Subject,
    action: str,
    way: Sequence[tuple[str | None, int]],
    states: Mapping[int, Fn],
) -> str:
    trace = Trace(tuple(Step(name, states[number]) for name, number in way))
    meta = {
        "title": f"{model.name}: {action} differs in the last state",
        "spec": model.spec,
        "mutant": model.mutant or subject.mutant,
        "granularity": model.granularity,
    }
    return itf_line(itf_document(trace, meta))


_HINT: Final = "take fewer items, a smaller graph or a depth"


@dataclass(frozen=True)
class Conformance:
    """What the comparison of a model came to.

    ``states`` and ``transitions`` are TLC's distinct ones; a transition is a source, an action and a target.
    ``mismatches`` counts pairs of a state and an action whose successors differ, and topologies whose initial states
    do. ``rows`` describes some of them by the columns of the table ``conformance``: at most
    :data:`~pyharness.hold.conformance.comparison.MOST_ROWS`, those with the shortest traces, the shortest first.
    ``tlc_seconds`` is TLC's wall time, ``seconds`` that of the comparison. It is true if there is no mismatch in some
    transitions.
    """

    model: str
    implementation: str
    states: int
    transitions: int
    mismatches: int
    rows: tuple[MismatchRow, ...]
    tlc_seconds: float
    seconds: float

    def __bool__(self) -> bool:
        return self.agreed and self.transitions > 0

    @property
    def agreed(self) -> bool:
        """Whether spec and implementation do the same everywhere."""
        return self.mismatches == 0


def conformance_rows(
    job: Job, library: Library, tools: Tools, *, graph: tuple[Path, Result] | None = None
) -> tuple[ConformanceRow | MismatchRow, ...]:
    """Compare a job's model with the correct implementation, and return its row and those of its mismatches.

    An error, such as a graph that is not whole, is in the first one's ``error``.
    A ``graph`` that a run of TLC with this result wrote is not written again.
    """
    if graph is not None:
        return _job_rows(job, lambda: compare(job.model, subject_of(job.model, None), *graph))
    return _job_rows(job, lambda: conform_model(job.model, library, tools, processes=1))


def _job_rows(job: Job, found_by: Callable[[], Conformance]) -> tuple[ConformanceRow | MismatchRow, ...]:
    row = ConformanceRow(job.id, job.model.name, CORRECT)
    try:
        found = found_by()
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
    *,
    implementation: str | None = None,
    say: Callable[[str], None] | None = None,
    processes: int | None = None,
) -> Conformance:
    """Run TLC on a model, and compare its state graph with the implementation, or with the mutant of that name.

    The spec is the model's, with its mutant and overrides if it has them; its properties are not checked here. With a
    ``depth`` TLC follows behaviours for so many states, and the last ones are not expanded on either side. ``say`` is
    told how far it is.

    The comparison is made by so many ``processes``: as many as there are cores, four at most.

    Raises SpecError for a model without an implementation, IncompleteError when TLC's graph is not whole or there was
    nothing to compare, ToolError when Java or TLC fails, ConformanceError for a state that the implementation
    cannot be in.
    """
    subject = subject_of(model, implementation)
    with tempfile.TemporaryDirectory(prefix="pyharness-conform-") as directory:
        dump = Path(directory) / "graph.dot"
        result = write_graph(model, library, tools, dump, say)
        if say:
            say(f"comparing {result.distinct or 0:,} states")
        return compare(model, subject, dump, result, processes=processes or min(4, cores()))


def compare(model: Model, subject: Subject, dump: Path, result: Result, *, processes: int = 1) -> Conformance:
    """Compare the state graph in ``dump``, which a run of TLC with this result wrote, with an implementation.

    Raises what :func:`conform_model` does.
    """
    began = time.monotonic()
    require_success(result, model.name, _HINT)
    graph = PlainComparison(dump, subject, distinct=result.distinct, depth=model.depth, processes=processes)
    rows, mismatches = _rows(model, subject, graph)
    return _conformance(model, subject, graph, rows, mismatches, result, began)


def _rows(model: Model, subject: Subject, graph: PlainComparison) -> tuple[list[MismatchRow], int]:
    """Return rows of ``conformance``, and the number of all mismatches.

    Raises IncompleteError for a graph without a step on either side: then nothing was compared.
    """
    rows = initial_rows(model, subject, graph)
    mismatches = len(rows) + len(graph.pairs)
    if not mismatches and not graph.transitions:
        hint = (
            "follow behaviours for more states"
            if model.depth
            else "take a model in which something can happen"
        )
        raise IncompleteError("no transitions were compared", where=model.name, hint=hint)
    if graph.pairs:
        rows += mismatch_rows(model, subject, graph)
    return rows[:MOST_ROWS], mismatches


def _conformance(
    model: Model,
    subject: Subject,
    graph: PlainComparison,
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
