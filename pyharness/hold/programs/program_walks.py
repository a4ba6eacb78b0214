"""The spec's system and the programs side by side: through every interleaving on a graph, and on long random ways.

Every interleaving on a graph: the spec's system and the programs go through their states side by side. The pairs of a
state of the spec and the states of the programs are explored from the initial ones, breadth first, and at each the
programs are asked what the spec's machines are asked: events that those take, and refuse. A state that a program keeps
cannot be made from the spec's variables, only reached; so this is a walk from Init, and not a comparison state by
state.

*Pure* programs hand their states out: two of them for one state of the spec are two pairs, and nothing is hidden. Of
*stateful* ones the first way to each of the spec's local states stands for all ways there, and a second way, drawn at
random among the others that were met, is asked everything once more.

Long behaviours drawn at random, on larger graphs and with more items than are walked exhaustively, without a reset.
State of a stateful program that it does not show is found here, if it ever matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.errors import IncompleteError
from pyharness.base.topology import Topology, random_topology
from pyharness.base.topology.families import random_dataflow
from pyharness.hold.programs.case_runs import LiveRun
from pyharness.hold.programs.difference import Difference, ProgramCase
from pyharness.hold.programs.watched_machine import plain, refused_in, taken_by, watched_system
from pyharness.machines.protocols import Items

if TYPE_CHECKING:
    from pyharness.hold.programs.team import Programs, Team
    from pyharness.hold.programs.vocabulary import Event, HeldProtocol
    from pyharness.hold.programs.watched_machine import Taken, WatchedState
    from pyharness.machines.systems.system import Action, GlobalState, System

    Way = tuple[Event, ...]
    Place = tuple[int, WatchedState]


@dataclass(frozen=True)
class Walked:
    """The extent of a walk: states of the spec, pairs of them with the programs' states, transitions of the spec.

    ``answers`` counts pairs of a local state and an event that were asked, ``refusals`` those of them that the spec
    refuses; ``seconds`` the local states to which a second way was known, all of which agreed.
    """

    states: int
    pairs: int
    transitions: int
    answers: int
    refusals: int
    seconds: int = 0


class _KnownStep(NamedTuple):
    """The effects of the spec's machine at an event, and a pure program's state after it."""

    after: WatchedState | None
    memory: str | None


class ProductWalk:
    """A walk on one graph; ``run`` it once. Its result is its extent, or the first difference."""

    def __init__(self, system: System, team: Team, *, max_states: int = 200_000, seed: int = 1) -> None:
        self._system, self._team, self._most = system, team, max_states
        self._random = Random(f"{seed} {system.topology.id}")  # noqa: S311 - to be repeated, not to be secret
        self._from: dict[GlobalState, tuple[GlobalState, Taken] | None] = {}
        self._ways: dict[GlobalState, tuple[Way, ...]] = {}
        self._first: dict[Place, Way] = {}
        self._second: dict[Place, GlobalState] = {}
        self._others: dict[Place, int] = {}
        self._known: dict[Place, dict[Event, _KnownStep]] = {}
        self._difference: Difference | None = None
        self._transitions = self._answers = self._refusals = self._seconds = 0

    def run(self) -> Walked | Difference:
        """Walk from each initial state. Raises IncompleteError for too many pairs, ProgramError if a reset fails."""
        for begin in self._system.initial():
            self._known.clear()
            self._first.clear()
            self._second.clear()
            level = [each for each in (self._team.begin(self._system, begin),) if each not in self._from]
            for first in level:
                self._met(first, None, ((),) * len(first.local))
            while level and self._difference is None:
                level = [after for state in level for after in self._successors(state)]
            if self._difference is None:
                self._ask_second_ways()
            if self._difference is not None:
                return self._difference
            self._team.quiet()
        spec = {plain(state) for state in self._from}
        return Walked(
            len(spec), len(self._from), self._transitions, self._answers, self._refusals, self._seconds
        )

    def _successors(self, state: GlobalState) -> list[GlobalState]:
        """Ask for all events that can be done in a state, and for refused ones; return the states that are new.

        Where the snapshot is over TLC follows nothing more: such a step is asked, and leads nowhere here.
        """
        if self._difference is not None:
            return []
        over = self._system.over(state)
        refused_in(self._system)
        actions = list(self._system.actions(state))
        refused = refused_in(self._system)
        new: list[GlobalState] = []
        for action in actions:
            after = self._agreed(state, action)
            if after is None:
                return []
            self._transitions += not over
            if after not in self._from and not over:
                ways = list(self._ways[state])
                for number, event in taken_by(action):
                    ways[number - 1] = (*ways[number - 1], event)
                self._met(after, (state, taken_by(action)), tuple(ways))
                new.append(after)
        for number, event in refused:
            if self._asked(state, number, event, None) is None:
                return []
        return new

    def _agreed(self, state: GlobalState, action: Action) -> GlobalState | None:
        """Give all programs that take part in an action its events; return the pair after it, or None if one differs."""
        local = list(action.after.local)
        for number, event in taken_by(action):
            known = self._asked(state, number, event, local[number - 1])
            if known is None:
                return None
            local[number - 1] = local[number - 1]._replace(memory=known.memory, asked=None)
        return action.after._replace(local=tuple(local))

    def _asked(
        self, state: GlobalState, number: int, event: Event, after: WatchedState | None
    ) -> _KnownStep | None:
        """Return a program's step at an event, asked for once in each of its local states; None if it differs."""
        place = number, state.local[number - 1]
        events = self._known.setdefault(place, {})
        if event not in events:
            response = self._team.ask(
                self._system.processes[number - 1], place[1], event, after, self._first[place]
            )
            if response.mismatches:
                self._difference = self._differs(state, (number, event), response.mismatches)
                return None
            events[event] = _KnownStep(after, response.memory)
            self._answers += 1
            self._refusals += after is None
        return events[event]

    def _met(self, state: GlobalState, came: tuple[GlobalState, Taken] | None, ways: tuple[Way, ...]) -> None:
        """Note a new pair, and the way of each of its processes to it."""
        if len(self._from) >= self._most:
            raise IncompleteError(self._too_many(), hint=self._grows() or "give it more by --max-states")
        self._from[state] = came
        self._ways[state] = ways
        for place, way in zip(enumerate(state.local, start=1), ways, strict=True):
            if self._first.setdefault(place, way) != way and not self._team.pure:
                self._others[place] = self._others.get(place, 0) + 1
                if self._random.random() < 1 / self._others[place]:
                    self._second[place] = state

    def _ask_second_ways(self) -> None:
        """Ask stateful programs everything once more where another way led to the same local state."""
        for place, state in self._second.items():
            number, before = place
            way = self._ways[state][number - 1]
            for event, known in self._known.get(place, {}).items():
                machine = self._system.processes[number - 1]
                response = self._team.ask(machine, before, event, known.after, way)
                if response.mismatches:
                    self._difference = self._differs(state, (number, event), response.mismatches)
                    return
            self._seconds += place in self._known

    def _differs(self, state: GlobalState, last: tuple[int, Event], mismatches: Any) -> Difference:
        steps: list[Taken] = []
        place = state
        while (came := self._from[place]) is not None:
            steps.append(came[1])
            place = came[0]
        held = tuple(tuple(sorted(local.app)) for local in place.local)
        case = ProgramCase(self._system.protocol, self._system.topology, held, tuple(reversed(steps)), last)
        return Difference(case, tuple(mismatches))

    # -- too many ------------------------------------------------------------------------------------------

    def _too_many(self) -> str:
        states = len({plain(state) for state in self._from})
        return (
            f"{self._system.topology.id}: more than {self._most:,} pairs of a state of the spec ({states:,} of these) "
            "and the programs' states"
        )

    def _grows(self) -> str | None:
        """Describe how two states of a program differ that stand beside one state of the spec."""
        seen: dict[Any, str] = {}
        for state in self._from:
            for number, local in enumerate(state.local, start=1):
                other = seen.setdefault((number, local.local), local.memory)
                if other != local.memory:
                    return (
                        "a program's state has more in it than the spec's, and may grow without an end: "
                        f"{other[:200]} and {local.memory[:200]} stand for one"
                    )
        return None


_MOST_PROCESSES: Final = 5
_MOST_ITEMS: Final = 4
_LOOPS: Final = 0.15
"""The share of processes that have a channel to themselves, where there may be cycles."""

_REFUSED: Final = 0.15
"""The share of questions that ask for an event that the spec refuses, if there is any."""


@dataclass(frozen=True)
class RandomWalks:
    """The number of random ``walks``, of their ``steps`` in all, and of the ``refusals`` among these."""

    walks: int = 0
    steps: int = 0
    refusals: int = 0


def random_walks(
    held: HeldProtocol, programs: Programs, walks: int, *, steps: int = 60, seed: int = 1
) -> RandomWalks | Difference:
    """Make ``walks`` walks of at most ``steps`` steps; return how many, or the first difference.

    Raises ProgramError if programs cannot be reset, or write lines after their last answers.
    """
    taken = refusals = 0
    for walk in range(walks):
        random = Random(f"{seed} {walk} {held.name}")  # noqa: S311 - to be repeated, not to be secret
        graph = _graph(held, random)
        items = range(1, random.randint(2, _MOST_ITEMS) + 1)
        placement = {p: [i for i in items if i % graph.processes == p % graph.processes] for p in _all(graph)}
        if held.dataflow:
            placement = {p: [] for p in _all(graph)}
            for item in items:
                placement[random.choice(graph.initiators)].append(item)
        system = watched_system(held, graph, Items(items, placement))
        team = programs.team(graph.processes)
        run = LiveRun(system, next(system.initial()), team)
        patience = random.choice((0, 0, 10, 30))
        for number in range(steps):
            actions, refused = run.choices()
            if refused and random.random() < _REFUSED:
                step: Taken = (random.choice(refused),)
                found = run.take(step, None)
                refusals += 1
            elif actions:
                step = _chosen(list(actions), random, waits=number < patience)
                found = run.take(step, actions[step])
            else:
                break
            if found is not None:
                return found.met_at(f"walk {walk + 1}, step {len(run.steps) + 1}, seed {seed}")
            taken += 1
        team.quiet()
    return RandomWalks(walks, taken, refusals)


def _all(graph: Topology) -> range:
    return range(1, graph.processes + 1)


def _graph(held: HeldProtocol, random: Random) -> Topology:
    n = random.randint(2, _MOST_PROCESSES)
    if held.dataflow:
        return random_dataflow(n, random, cyclic=False)
    initiators = random.sample(range(1, n + 1), random.randint(1, n))
    graph = random_topology(n, random, initiators, n + random.randint(0, min(3, n * (n - 2))))
    loops = {(p, p) for p in _all(graph) if random.random() < _LOOPS}
    return Topology.of(n, loops.union(graph.channels), initiators)


def _chosen(steps: list[Taken], random: Random, *, waits: bool) -> Taken:
    """Choose a step: half of the time a kind of event first, or else sending is nearly all there is.

    While it ``waits``, nothing is begun, for a snapshot that is begun at once finds nothing to record.
    """
    if waits:
        steps = [step for step in steps if not step[0][1].is_request()] or steps
    if random.random() < 0.5:
        kind = random.choice(sorted({step[0][1].type for step in steps}))
        steps = [step for step in steps if step[0][1].type == kind]
    return random.choice(steps)
