"""A case, asked again from a reset on, and made smaller as long as the program still differs in the same way."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology
from pyharness.hold.programs.difference import Difference, ProgramCase
from pyharness.hold.programs.vocabulary import FOUND, ID, find_held
from pyharness.hold.programs.watched_machine import refused_in, taken_by, watched_system

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.hold.programs.team import Mismatch, Programs, Team
    from pyharness.hold.programs.vocabulary import Event
    from pyharness.hold.programs.watched_machine import Taken, WatchedState
    from pyharness.machines.systems.system import GlobalState, System

_PAIRS: Final = 40
"""The number of steps up to which any two are left out together, such as a sending and its acceptance."""

MOST_REQUESTS: Final = 500_000
"""The number of requests after which a difference is not made smaller any more."""


class LiveRun:
    """Programs that go through one behaviour, step by step, from a reset on and without another.

    ``steps`` are those that they agreed in. Raises ProgramError if they cannot be reset.
    """

    def __init__(self, system: System, begin: GlobalState, team: Team) -> None:
        self.system, self._team = system, team
        self.held = tuple(tuple(sorted(local.app)) for local in begin.local)
        self.state = team.begin(system, begin)
        self.steps: tuple[Taken, ...] = ()

    def choices(self) -> tuple[dict[Taken, GlobalState], list[tuple[int, Event]]]:
        """Return the possible events, each with the spec's state after it, and those that the spec refuses."""
        refused_in(self.system)
        actions = {taken_by(action): action.after for action in self.system.actions(self.state)}
        return actions, list(dict.fromkeys(refused_in(self.system)))

    def take(self, step: Taken, after: GlobalState | None) -> Difference | None:
        """Ask for a step: that leads to this state, or that the spec refuses. Return how a program differs."""
        local = list(self.state.local if after is None else after.local)
        for number, event in step:
            before: WatchedState = self.state.local[number - 1]
            wanted = None if after is None else local[number - 1]
            response = self._team.ask(self.system.processes[number - 1], before, event, wanted)
            if response.mismatches:
                return self.differs((number, event), response.mismatches)
            local[number - 1] = local[number - 1]._replace(memory=response.memory, asked=None)
        self.state = (after or self.state)._replace(local=tuple(local))
        self.steps = (*self.steps, step)
        return None

    def differs(self, last: tuple[int, Event], mismatches: tuple[Mismatch, ...]) -> Difference:
        """Return the difference that these are, after the steps that were agreed in."""
        case = ProgramCase(self.system.protocol, self.system.topology, self.held, self.steps, last)
        return Difference(case, mismatches)


def repeat(case: ProgramCase, programs: Programs) -> Difference | None:
    """Repeat a case with programs, from a reset on: return the first difference, or None if it does not come again.

    Raises SpecError for a case that the spec does not have.
    """
    system = watched_system(find_held(case.protocol), case.topology, case.application)
    run = LiveRun(system, next(system.initial()), programs.team(case.topology.processes))
    for number, step in enumerate((*case.steps, (case.last,)), start=1):
        actions, refused = run.choices()
        complete = next((taken for taken in actions if set(step) <= set(taken)), None)
        if complete is None and not set(step) <= set(refused):
            raise SpecError(
                "the spec has no such event here, and does not refuse it either", where=f"step {number}"
            )
        found = run.take(complete or step, actions.get(complete) if complete is not None else None)
        if found is not None:
            return found
    return None


def minimise(found: Difference, programs: Programs, *, requests: int = MOST_REQUESTS) -> Difference:
    """Return a smallest difference of the same kind: fewer steps, processes, items, channels, initiators.

    It differs in no field in which the first did not differ. After ``requests`` requests to programs it is the
    smallest so far, and ``cut``.
    """
    most = programs.requests() + requests
    tried: set[ProgramCase] = set()
    smaller = True
    while smaller:
        smaller = False
        for case in _smaller(found.case):
            if case in tried:
                continue
            if programs.requests() > most:
                return replace(found, cut=True)
            tried.add(case)
            one = _differs(case, programs)
            if one is not None and one.fields <= found.fields and one.case.size < found.case.size:
                found, smaller = one.met_at(found.found), True
                break
    return found


def _differs(case: ProgramCase, programs: Programs) -> Difference | None:
    try:
        return repeat(case, programs)
    except SpecError:
        return None


def _smaller(case: ProgramCase) -> Iterator[ProgramCase]:
    """Yield what is smaller than a case, whether the spec has it or not; the largest steps first."""
    count = len(case.steps)
    size = count
    while size:
        for start in range(0, count, size):
            yield replace(case, steps=case.steps[:start] + case.steps[start + size :])
        size //= 2
    for first, second in combinations(range(count if count <= _PAIRS else 0), 2):
        yield replace(
            case, steps=case.steps[:first] + case.steps[first + 1 : second] + case.steps[second + 1 :]
        )
    graph = case.topology
    for gone in range(1, graph.processes + 1):
        if gone != case.last[0] and graph.processes > 1:
            yield from _without_process(case, gone)
    for item in sorted(item for held in case.held for item in held):
        yield _without_item(case, item)
    for channel in graph.channels:
        rest = set(graph.channels) - {channel}
        yield replace(case, topology=Topology.of(graph.processes, rest, graph.initiators))
    for initiator in graph.initiators:
        fewer = set(graph.initiators) - {initiator}
        yield replace(case, topology=Topology.of(graph.processes, graph.channels, fewer))


def _without_process(case: ProgramCase, gone: int) -> Iterator[ProgramCase]:
    """Yield the case without a process, if what is left has channels and the last event is not of one to it."""
    graph = case.topology
    number = {p: p - (p > gone) for p in range(1, graph.processes + 1) if p != gone}
    channels = {(number[s], number[t]) for s, t in graph.channels if gone not in (s, t)}
    initiators = [number[p] for p in graph.initiators if p != gone]
    if _touches(case.last, gone) or not channels:
        return
    steps = tuple(
        tuple((number[p], event.relabelled(number)) for p, event in step if p != gone)
        for step in case.steps
        if not any(_touches(each, gone) for each in step if len(step) == 1)
    )
    yield ProgramCase(
        case.protocol,
        Topology.of(graph.processes - 1, channels, initiators),
        tuple(held for p, held in enumerate(case.held, start=1) if p != gone),
        steps,
        (number[case.last[0]], case.last[1].relabelled(number)),
    )


def _touches(asked: tuple[int, Event], process: int) -> bool:
    number, event = asked
    return number == process or event.touches(process)


def _without_item(case: ProgramCase, item: int) -> ProgramCase:
    """Return the case without an item, and without the steps in which it moves; the others are 1, 2, ... then."""
    left = sorted(each for held in case.held for each in held if each != item)
    number = {each: place for place, each in enumerate(left, start=1)}

    def renamed(event: Event) -> Event:
        return event._replace(fields=tuple((key, _renamed(key, v, number)) for key, v in event.fields))

    return replace(
        case,
        held=tuple(tuple(number[each] for each in held if each != item) for held in case.held),
        steps=tuple(
            tuple((p, renamed(event)) for p, event in step)
            for step in case.steps
            if not any(("msg", item) in event.fields for _, event in step)
        ),
        last=(case.last[0], renamed(case.last[1])),
    )


def _renamed(name: str, value: Any, number: dict[int, int]) -> Any:
    if name == FOUND:
        pairs = ((source, _renamed("", kept, number)) for source, kept in value)
        return tuple((source, kept) for source, kept in pairs if kept)
    if name == ID:
        return value
    if isinstance(value, tuple):
        return tuple(number[each] for each in value if each in number)
    return number.get(value, value)
