"""The state graph of a mutant of a spec, in the configuration that was run, and the verdict on the mutant."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from pyharness.mutants.specs.one_module import MUTANT, action_of
from pyharness.mutants.trial import Trial, Verdict
from pyharness.show.report.trace.counterexample_table import MOST_STEPS, table_lines
from pyharness.tla.modules.expressions import names_in
from pyharness.tla.tlc import Trace
from pyharness.tla.tlc import TraceStep as TlcStep
from pyharness.tla.tlc.dump import Edge, read_graph
from pyharness.tla.values import Fn, StateReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pyharness.models.spec_check import CheckedSpec
    from pyharness.mutants.specs.spec_mutant import SpecMutant


@dataclass
class MutantGraph:
    """The graph of one mutant, 0 for the spec itself: ``initial`` states, and ``steps`` with the names of actions.

    Steps that change nothing are apart, in ``stutters``: every behaviour may have them anywhere.
    """

    initial: set[Fn] = field(default_factory=set)
    states: set[Fn] = field(default_factory=set)
    steps: dict[tuple[Fn, Fn], set[str]] = field(default_factory=dict)
    stutters: dict[Fn, set[str]] = field(default_factory=dict)

    def add(self, source: Fn, target: Fn, action: str) -> None:
        """Add a step."""
        if source == target:
            self.stutters.setdefault(source, set()).add(action)
        else:
            self.steps.setdefault((source, target), set()).add(action)

    def actions(self) -> set[str]:
        """Return the names of the actions that are taken."""
        return set().union(*self.steps.values(), *self.stutters.values())

    def dead_ends(self) -> set[Fn]:
        """Return the states without a step."""
        return self.states - {source for source, _ in self.steps} - self.stutters.keys()

    def is_same(self, other: MutantGraph) -> bool:
        """Return whether two graphs have the same initial states, states and steps; the names of actions may differ."""
        return (
            self.initial == other.initial
            and self.states == other.states
            and self.steps.keys() == other.steps.keys()
        )

    def is_part_of(self, other: MutantGraph) -> bool:
        """Return whether all of this graph is in the other one."""
        return (
            self.initial <= other.initial
            and self.states <= other.states
            and self.steps.keys() <= other.steps.keys()
        )

    def difference(self, plain: MutantGraph) -> str:
        """Return in numbers how the graph differs from that of the spec."""
        own, others = self.steps.keys(), plain.steps.keys()
        initial = len(self.initial - plain.initial)
        return (
            f"{len(self.states - plain.states):,} states and {len(own - others):,} steps are new, "
            f"{len(plain.states - self.states):,} states and {len(others - own):,} steps are gone"
        ) + (f"; {initial:,} initial states are new" if initial else "")

    def shortest_new(self, plain: MutantGraph) -> Trace | None:
        """Return the shortest behaviour that the spec does not have, if there is one."""
        for state in self.initial - plain.initial:
            return Trace((TlcStep(None, state),))
        following: dict[Fn, list[Fn]] = {}
        for source, target in self.steps:
            following.setdefault(source, []).append(target)
        before: dict[Fn, Fn | None] = dict.fromkeys(self.initial)
        waiting = deque(self.initial)
        while waiting:
            state = waiting.popleft()
            for target in following.get(state, ()):
                if (state, target) not in plain.steps:
                    return Trace((*self._path(state, before), self._step(state, target)))
                if target not in before:
                    before[target] = state
                    waiting.append(target)
        return None

    def _step(self, source: Fn, target: Fn) -> TlcStep:
        return TlcStep(min(self.steps[source, target], default=None), target)

    def _path(self, state: Fn, before: Mapping[Fn, Fn | None]) -> Iterator[TlcStep]:
        path = [state]
        while (previous := before[path[-1]]) is not None:
            path.append(previous)
        path.reverse()
        yield TlcStep(None, path[0])
        for source, target in pairwise(path):
            yield self._step(source, target)


def split_graph(dump: Path) -> dict[int, MutantGraph]:
    """Read a dump of TLC's, and split it by mutant; a dump of the spec itself is all of the mutant 0.

    Raises IncompleteError for a dump that is cut off, ToolError for one that cannot be read.
    """
    reader = StateReader()
    states: dict[int, tuple[int, Fn]] = {}
    graphs: dict[int, MutantGraph] = {}
    edges: list[Edge] = []
    for item in read_graph(dump, reader):
        if isinstance(item, Edge):
            edges.append(item)
            continue
        if item.id in states:
            continue
        number = item.state.get(MUTANT, 0)
        mutant = number if isinstance(number, int) else 0
        state = Fn.of_sorted({name: value for name, value in item.state.items() if name != MUTANT})
        states[item.id] = (mutant, state)
        graph = graphs.setdefault(mutant, MutantGraph())
        graph.states.add(state)
        if item.initial:
            graph.initial.add(state)
    for edge in edges:
        mutant, source = states[edge.source]
        graphs[mutant].add(source, states[edge.target][1], action_of(edge.action))
    return graphs


DEADLOCK: Final = "deadlock"
UNEVALUATED: Final = "TLC, which cannot evaluate it"
"""The names of judges other than properties."""

TEMPORAL: Final = "a temporal property"
"""The judge where TLC does not name the violated one of several properties."""

_WIDTH: Final = 96
_SPAN: Final = re.compile(r"line (\d+), col \d+ to line (\d+), col \d+ of module (\w+)")


def trial_of(
    subject: str,
    mutant: SpecMutant,
    plain: MutantGraph,
    graph: MutantGraph | None,
    *,
    noticed: str,
    deadlock: bool,
    checked: CheckedSpec,
    refused: bool,
    unasked: bool,
) -> Trial:
    """Return the verdict on a mutant of a ``subject``, of which ``graph`` was found, or ``None`` where it did not run.

    ``noticed`` names its judge, ``"?"`` for a graph that grew beyond its bound; with ``deadlock`` a state without a
    step is noticed, and so is an action that is never taken. ``refused`` is true if SANY refuses it, ``unasked`` if
    temporal properties were not checked.
    """
    one = Trial(f"{subject}.{mutant.definition}", mutant.change, Verdict.INCOMPLETE, place=mutant.place)
    if refused:
        return replace(one, why="SANY refuses it")
    if noticed == "?":
        return replace(one, why="its graph grows beyond the bound")
    if noticed:
        return replace(one, verdict=Verdict.NOTICED, by=noticed)
    if graph is None:
        return replace(one, why="the time was up")
    if graph.is_same(plain):
        same = "it has the same states and steps"
        why = same if _is_reached(mutant, checked) else "TLC never evaluates the place"
        return replace(one, verdict=Verdict.EQUIVALENT, why=why)
    if deadlock and (graph.dead_ends() or not graph.states):
        return replace(one, verdict=Verdict.NOTICED, by=DEADLOCK)
    fewer = graph.is_part_of(plain)
    if fewer and (idle := plain.actions() - graph.actions()):
        return replace(one, verdict=Verdict.NOTICED, by=f"coverage: {min(idle)} is never taken")
    if unasked:
        why = "no property of states or steps notices it; temporal properties were not checked in time"
        return replace(one, why=why)
    if fewer:
        why = f"it only takes steps away: {graph.difference(plain)}"
        return replace(one, verdict=Verdict.SURVIVES, why=why)
    trace = graph.shortest_new(plain)
    shown = table_lines(trace, _WIDTH, MOST_STEPS) if trace else ()
    lines = ["the shortest behaviour that only the mutant has:", *shown] if trace else []
    return replace(one, verdict=Verdict.SURVIVES, why=graph.difference(plain), details=tuple(lines))


def _is_reached(mutant: SpecMutant, checked: CheckedSpec) -> bool:
    """Return whether TLC evaluated, in the spec itself, the part that a mutant changes: true where it gives no count.

    Of an action that was never taken TLC's coverage has the guards that were evaluated, and nothing of the rest.
    """
    idle = {action.name for action in checked.actions if not action.taken}
    if mutant.definition not in idle and not idle.isdisjoint(names_in(mutant.old)):
        return False
    if checked.coverage is None:
        return True
    around = [
        (int(span[2]) - int(span[1]), count)
        for counts in checked.coverage.expressions.values()
        for place, count in counts.items()
        if (span := _SPAN.fullmatch(place))
        and span[3] == mutant.module
        and int(span[1]) <= mutant.line <= int(span[2])
    ]
    if not around:
        return mutant.definition not in idle
    smallest = min(size for size, _ in around)
    return any(count for size, count in around if size == smallest)
