"""Conformance: in every reachable state, by every action, the implementation has the successors that the spec has.

TLC writes the state graph of a model. Both graphs are walked from their initial states in step, and states are compared
as the values of the spec's variables: two that differ somewhere have the same key with a probability of 2**-64, as with
TLC's own fingerprints. Where the spec's snapshot is over, TLC follows nothing (``NotBeyond``), and the implementation must
not go on either.
"""

from __future__ import annotations

import heapq
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import HarnessError, IncompleteError
from pyharness.hold.conformance.dumped_graph import DumpedGraph
from pyharness.hold.conformance.graph_run import write_graph
from pyharness.hold.conformance.subject import subject_of
from pyharness.models.table_rows import CORRECT, ConformanceRow, MismatchRow
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.tlc.itf import itf_document, itf_line
from pyharness.tla.values import to_tla

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyharness.base.topology import Topology
    from pyharness.hold.conformance.subject import ComparedModel, Implementation, OwnState
    from pyharness.models.job import Job
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.models.table_rows import RunRow
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Result
    from pyharness.tla.values import Fn


INITIAL: Final = "Init"
"""The name in place of an action's for a difference of the initial states."""

MOST_ROWS: Final = 100
"""The most mismatches of a model that are described; all that the walk meets are counted."""

_MOST_VARIANTS: Final = 4
"""The most states of the implementation, on the average, that may read as one state of TLC's."""


@dataclass(frozen=True)
class Differing:
    """A state of TLC's graph, by its id, in which the sides differ by an action, and the implementation's own state."""

    topology: Topology
    number: int
    action: str
    own: OwnState


@dataclass
class PairWalk:
    """Both graphs, walked in step from their initial states: where both agree, on to what follows on both sides.

    A difference is found where it is first met, and not followed. ``begins`` has the topologies whose initial states
    differ; ``differences`` are by the order of the walk. If there is neither, all of TLC's graph was walked.

    Raises IncompleteError for a topology on which neither side has an initial state, and for an implementation
    that goes on to ever more states which read as the same variables: nothing was compared there.
    """

    model: Model
    implementation: Implementation
    graph: DumpedGraph
    begins: list[Topology] = field(default_factory=list)
    differences: list[Differing] = field(default_factory=list)

    def __post_init__(self) -> None:
        walked = sum(map(self._walk, self.model.topologies))
        if not self.begins and not self.differences and walked != self.graph.states:
            raise IncompleteError(
                f"{walked} states of {self.graph.states} were walked", where=self.model.name
            )

    @property
    def mismatches(self) -> int:
        """The number of differences, and of topologies whose initial states differ."""
        return len(self.begins) + len(self.differences)

    def _walk(self, topology: Topology) -> int:
        on, depth = self.implementation.on(topology), self.model.depth
        ours = self.implementation.initial(topology)
        theirs = self.graph.initial.get(topology.id, {})
        if not ours and not theirs:
            raise IncompleteError(f"no state of {topology.id} was compared", where=self.model.name)
        if set(ours) != set(theirs):
            self.begins.append(topology)
        level = [own for key, own in ours.items() if key in theirs]
        seen, walked = {own.part_key for own in level}, {own.key for own in level}
        while level:
            following = []
            for source in level:
                number = self.graph.ids[source.key]
                last = depth is not None and self.graph.paths.depth[number] >= depth
                found = {} if last else self.implementation.successors(on, source)
                expected = self.graph.after(number)
                if found.keys() != expected:
                    names = {name for name, _ in found.keys() ^ expected}
                    self.differences += [Differing(topology, number, name, source) for name in sorted(names)]
                for pair in found.keys() & expected:
                    walked.add(pair[1])
                    for own in found[pair]:
                        if own.part_key not in seen:
                            seen.add(own.part_key)
                            following.append(own)
            level = following
            if len(seen) > _MOST_VARIANTS * self.graph.states:
                hint = (
                    "does the implementation keep anything that grows and that no variable of the spec shows?"
                )
                raise IncompleteError(f"more than {len(seen)} states", where=topology.id, hint=hint)
        return len(walked)

    def initial_rows(self) -> list[MismatchRow]:
        """Describe the topologies on which the initial states differ."""
        rows = []
        for topology in self.begins:
            on, ours = self.implementation.on(topology), self.implementation.initial(topology)
            theirs = self.graph.find(self.graph.initial.get(topology.id, {}).values())
            python = tuple(sorted(to_tla(on.variables(own.state)) for own in ours.values()))
            rows.append(self._row(topology, INITIAL, python, tuple(sorted(map(to_tla, theirs.values())))))
        return rows

    def mismatch_rows(self, most: int) -> list[MismatchRow]:
        """Describe the differences that have the shortest traces, the shortest first."""
        paths = self.graph.paths
        if any(found.number not in paths.depth for found in self.differences):
            raise IncompleteError("no initial state leads to a state that differs", where=self.graph.name)
        chosen = heapq.nsmallest(
            most, self.differences, key=lambda d: (paths.depth[d.number], d.number, d.action)
        )
        ways = {found.number: paths.to(found.number) for found in chosen}
        theirs = {found.number: self.graph.after(found.number) for found in chosen}
        ids = {number for way in ways.values() for _, number in way}
        ids |= {self.graph.ids[key] for after in theirs.values() for _, key in after}
        states = self.graph.find(ids)
        rows = []
        for found in chosen:
            on = self.implementation.on(found.topology)
            after = self.implementation.successors(on, found.own)
            ours = {
                to_tla(on.variables(own[0].state)) for (name, _), own in after.items() if name == found.action
            }
            tlc = {
                to_tla(states[self.graph.ids[k]]) for name, k in theirs[found.number] if name == found.action
            }
            if self.model.depth is not None and paths.depth[found.number] >= self.model.depth:
                ours = set()
            row = self._row(found.topology, found.action, tuple(sorted(ours)), tuple(sorted(tlc)))
            itf = _itf(self.model, self._mutant, found.action, ways[found.number], states)
            depth, state = paths.depth[found.number], to_tla(states[found.number])
            rows.append(replace(row, depth=depth, state=state, itf=itf))
        return rows

    @property
    def _mutant(self) -> str | None:
        return self.implementation.mutant

    def _row(
        self, topology: Topology, action: str, python: tuple[str, ...], tlc: tuple[str, ...]
    ) -> MismatchRow:
        return MismatchRow(
            model=self.model.name,
            implementation=self._mutant or CORRECT,
            topology=topology.id,
            action=action,
            depth=0,
            state="",
            tlc=tlc,
            python=python,
            itf=None,
        )


def _itf(
    model: Model,
    mutant: str | None,
    action: str,
    way: Sequence[tuple[str | None, int]],
    states: Mapping[int, Fn],
) -> str:
    trace = Trace(tuple(TraceStep(name, states[number]) for name, number in way))
    facts = model.trace_facts(f"{model.name}: {action} differs in the last state")
    return itf_line(itf_document(trace, facts | {"mutant": model.mutant or mutant}))


@dataclass(frozen=True)
class Conformance:
    """The result of the comparison of a model.

    ``states`` and ``transitions`` are TLC's distinct ones; a transition is a source, an action and a target.
    ``mismatches`` counts pairs of a state and an action whose successors differ, as far as the walk goes, and topologies
    whose initial states do. ``rows`` describes some of them by the columns of the table ``conformance``: at most
    :data:`~pyharness.hold.conformance.comparison.MOST_ROWS`, those with the shortest traces, the shortest first.
    ``tlc_seconds`` is TLC's wall time, ``seconds`` that of the comparison. ``actions`` are those that label some
    transition. A result is true if transitions were compared without a mismatch.
    """

    model: str
    implementation: str
    states: int
    transitions: int
    mismatches: int
    rows: tuple[MismatchRow, ...]
    tlc_seconds: float
    seconds: float
    actions: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.agreed and self.transitions > 0

    @property
    def agreed(self) -> bool:
        """Whether spec and implementation have the same steps everywhere."""
        return self.mismatches == 0


def conformance_rows(
    job: Job, library: Library, tools: Tools, *, graph: tuple[Path, RunRow] | None = None
) -> tuple[ConformanceRow | MismatchRow, ...]:
    """Compare a job's model with the correct implementation, and return its row and those of its mismatches.

    An error, such as a graph that is not complete, is in the first one's ``error``.
    A ``graph`` that a check with this row wrote is not written again.
    """
    if graph is not None:
        return _job_rows(job, lambda: compare(job.model, subject_of(job.model, None), *graph))
    return _job_rows(job, lambda: conform_model(job.model, library, tools))


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
        actions=found.actions,
    )
    return (row, *found.rows)


def conform_model(
    model: Model,
    library: Library,
    tools: Tools,
    *,
    implementation: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Conformance:
    """Run TLC on a model, and compare its state graph with the implementation, or with the mutant of that name.

    The spec is the model's, with its mutant and overrides if it has them; its properties are not checked here. With a
    ``depth`` TLC follows behaviours for that many states, and the last ones are not expanded on either side. ``progress``
    is called with lines of text.

    Raises SpecError for a model without an implementation, IncompleteError when TLC's graph is not complete or there was
    nothing to compare, ToolError when Java or TLC fails.
    """
    subject = subject_of(model, implementation)
    with tempfile.TemporaryDirectory(prefix="pyharness-conform-") as directory:
        dump = Path(directory) / "graph.dot"
        result = write_graph(model, library, tools, dump, progress)
        if progress:
            progress(f"comparing {result.distinct or 0:,} states")
        return compare(model, subject, dump, result)


def compare(model: Model, subject: ComparedModel, dump: Path, run: Result | RunRow) -> Conformance:
    """Compare the state graph in ``dump``, which a ``run`` of TLC wrote that found all states, with an implementation.

    Raises what :func:`conform_model` does; IncompleteError also for a graph without a step on either side.
    """
    began = time.monotonic()
    graph = DumpedGraph(dump, distinct=run.distinct)
    walk = PairWalk(model, subject.build(), graph)
    if not walk.mismatches and not graph.transitions:
        hint = (
            "follow behaviours for more states"
            if model.depth
            else "take a model in which something can happen"
        )
        raise IncompleteError("no transitions were compared", where=model.name, hint=hint)
    rows = walk.initial_rows()
    if walk.differences:
        rows += walk.mismatch_rows(MOST_ROWS)
    return Conformance(
        model=model.name,
        implementation=subject.mutant or CORRECT,
        states=graph.states,
        transitions=graph.transitions,
        mismatches=walk.mismatches,
        rows=tuple(rows[:MOST_ROWS]),
        tlc_seconds=run.seconds or 0.0,
        seconds=time.monotonic() - began,
        actions=tuple(sorted(graph.actions)),
    )
