"""What a mutant of a spec came to, in the configuration that was run: its part of the state graph, and the verdict."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from pyharness.mutants.specs.one_module import MUTANT, action_of
from pyharness.tla.modules.expressions import names_in
from pyharness.tla.tlc.dump import Edge, read_graph
from pyharness.tla.values import Fn, StateReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pyharness.models.spec_check import CheckedSpec
    from pyharness.mutants.specs.spec_mutant import SpecMutant


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


DEADLOCK: Final = "deadlock"
UNEVALUATED: Final = "TLC, which cannot evaluate it"
"""What notices a mutant beside the properties."""

WHOLE: Final = "a property of whole behaviours"
"""What notices one where TLC does not say which."""

_SPAN: Final = re.compile(r"line (\d+), col \d+ to line (\d+), col \d+ of module (\w+)")


class Class(Enum):
    """What a mutant can come to."""

    NOTICED = "noticed"
    FEWER = "only takes steps away"
    UNREACHED = "unreached"
    SAME = "the same"
    OTHER = "another behaviour that no property notices"
    UNDECIDED = "not decided"


@dataclass(frozen=True)
class MutantVerdict:
    """What a ``mutant`` came to; ``by`` is what notices it, ``idle`` the actions that it never takes and the spec does.

    ``numbers`` tell of its graph, as far as it was followed, and ``behaviour`` is the shortest that only it has.
    ``why`` says why it is not decided.
    """

    mutant: SpecMutant
    verdict: Class
    by: str = ""
    idle: tuple[str, ...] = ()
    numbers: Numbers | None = None
    behaviour: tuple[BehaviourStep, ...] = ()
    why: str = ""

    @property
    def is_unnoticed(self) -> bool:
        """Whether nothing notices it: no property, and no action that is never taken, though it behaves otherwise."""
        return self.verdict is Class.OTHER or (self.verdict is Class.FEWER and not self.idle)


def verdict_of(
    mutant: SpecMutant,
    plain: MutantGraph,
    graph: MutantGraph | None,
    *,
    noticed: str,
    deadlock: bool,
    checked: CheckedSpec,
    refused: bool,
    unasked: bool,
) -> MutantVerdict:
    """Return what a mutant came to, of which ``graph`` was found, or ``None`` where it did not run.

    ``noticed`` is what noticed it, ``"?"`` for a graph that grew beyond its bound; with ``deadlock`` a state without a
    step is noticed. ``refused`` says that SANY refuses it, ``unasked`` that properties of whole behaviours
    were not asked.
    """
    if refused:
        return MutantVerdict(mutant, Class.UNDECIDED, why="SANY refuses it")
    if noticed == "?":
        return MutantVerdict(mutant, Class.UNDECIDED, why="its graph grows beyond the bound")
    if noticed and graph is None:
        return MutantVerdict(mutant, Class.NOTICED, by=noticed)
    if graph is None:
        return MutantVerdict(mutant, Class.UNDECIDED, why="the time was up")
    numbers = graph.numbers(plain)
    if noticed:
        return MutantVerdict(mutant, Class.NOTICED, by=noticed, numbers=numbers)
    if graph.is_same(plain):
        verdict = Class.SAME if _is_reached(mutant, checked) else Class.UNREACHED
        return MutantVerdict(mutant, verdict, numbers=numbers)
    idle = tuple(sorted(plain.actions() - graph.actions()))
    if deadlock and (graph.dead_ends() or not graph.states):
        return MutantVerdict(mutant, Class.NOTICED, by=DEADLOCK, idle=idle, numbers=numbers)
    fewer = graph.is_part_of(plain)
    if unasked and not (fewer and idle):
        why = "no property of states or steps notices it; those of whole behaviours were not asked in time"
        return MutantVerdict(mutant, Class.UNDECIDED, numbers=numbers, why=why)
    if fewer:
        return MutantVerdict(mutant, Class.FEWER, idle=idle, numbers=numbers)
    behaviour = graph.shortest_new(plain)
    return MutantVerdict(mutant, Class.OTHER, idle=idle, numbers=numbers, behaviour=behaviour)


def _is_reached(mutant: SpecMutant, checked: CheckedSpec) -> bool:
    """Tell whether TLC evaluated in the spec itself what a mutant changes; where it does not say, it counts as reached.

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
