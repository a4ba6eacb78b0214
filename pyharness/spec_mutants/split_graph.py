"""The state graph of many mutants, split by mutant and compared with that of the spec itself."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from pyharness.spec_mutants.one_module import MUTANT, action_of
from pyharness.tla import Fn, StateReader
from pyharness.tlc.dump import Edge, read_graph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Numbers:
    """A graph in numbers: ``states`` and ``steps``, and how many of them the spec has not, and it has not of the spec.

    ``new_initial`` are initial states that are none of the spec's. Steps that change nothing are not counted.
    """

    states: int
    steps: int
    new_states: int = 0
    new_steps: int = 0
    lost_states: int = 0
    lost_steps: int = 0
    new_initial: int = 0


@dataclass(frozen=True, slots=True)
class BehaviourStep:
    """A state of a behaviour, and the action that led to it, ``""`` for the first."""

    action: str
    state: Fn


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
        """Tell whether two graphs have the same initial states, states and steps, whatever the actions are called."""
        return (
            self.initial == other.initial
            and self.states == other.states
            and self.steps.keys() == other.steps.keys()
        )

    def is_part_of(self, other: MutantGraph) -> bool:
        """Tell whether all of this graph is in the other one."""
        return (
            self.initial <= other.initial
            and self.states <= other.states
            and self.steps.keys() <= other.steps.keys()
        )

    def numbers(self, plain: MutantGraph) -> Numbers:
        """Compare the graph with that of the spec."""
        own, others = self.steps.keys(), plain.steps.keys()
        return Numbers(
            len(self.states),
            len(self.steps),
            len(self.states - plain.states),
            len(own - others),
            len(plain.states - self.states),
            len(others - own),
            len(self.initial - plain.initial),
        )

    def shortest_new(self, plain: MutantGraph) -> tuple[BehaviourStep, ...]:
        """Return the shortest behaviour that the spec does not have; empty if there is none."""
        for state in self.initial - plain.initial:
            return (BehaviourStep("", state),)
        following: dict[Fn, list[Fn]] = {}
        for source, target in self.steps:
            following.setdefault(source, []).append(target)
        before: dict[Fn, Fn | None] = dict.fromkeys(self.initial)
        waiting = deque(self.initial)
        while waiting:
            state = waiting.popleft()
            for target in following.get(state, ()):
                if (state, target) not in plain.steps:
                    return (*self._path(state, before), self._step(state, target))
                if target not in before:
                    before[target] = state
                    waiting.append(target)
        return ()

    def _step(self, source: Fn, target: Fn) -> BehaviourStep:
        return BehaviourStep(min(self.steps[source, target], default=""), target)

    def _path(self, state: Fn, before: Mapping[Fn, Fn | None]) -> Iterator[BehaviourStep]:
        path = [state]
        while (previous := before[path[-1]]) is not None:
            path.append(previous)
        path.reverse()
        yield BehaviourStep("", path[0])
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
