"""What one may ask for in "go to a state where …": a closed list for each system, of predicates with a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.protocols import Coloured, Marker, Message
from pyharness.systems import find_protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyharness.systems import GlobalState, System

_VARIABLES: Final = {
    "completed": "a checkpoint is complete",
    "aborted": "a checkpoint is aborted",
    "crashes": "there was a crash",
}
"""Variables of which it can be asked that they are neither empty nor 0."""


class StateGoal(NamedTuple):
    """A predicate of states: ``key`` in requests, ``text`` after "a state where", and whether it ``holds``."""

    key: str
    text: str
    holds: Callable[[Any], bool]


def goals_of(system: System) -> tuple[StateGoal, ...]:
    """List what can be asked for of the states of ``system``, each under a key of its own."""
    return tuple(_goals(system))


def _goals(system: System) -> Iterator[StateGoal]:
    spec, topology = find_protocol(system.protocol), system.topology
    names = system.variables(next(iter(system.initial())))
    if "recState" in names:
        yield StateGoal("complete", "the snapshot is complete", system.complete)
    if spec.tests_predicates:
        yield StateGoal("over", "the collector has its verdict", system.over)
    yield StateGoal("still", "nothing can happen any more", lambda state: not any(system.actions(state)))
    yield StateGoal("empty", "every channel is empty", lambda state: not any(state.queues))
    if spec.predicate_holds is not None:
        holds = spec.predicate_holds
        yield StateGoal("predicate", "the predicate holds now", lambda state: holds(system, state))
    for name, text in _VARIABLES.items():
        if name in names:
            yield StateGoal(name, text, _is_not_empty(system, name))
    if "recState" in names:
        for process in range(1, topology.processes + 1):
            name = topology.process_name(process)
            yield StateGoal(f"recorded-{name}", f"{name} has recorded", _has_recorded(system, process))
    for index, channel in enumerate(system.channels):
        name = topology.channel_name(channel)
        yield StateGoal(f"message-{name}", f"{name} holds a message", _holds(index, (Coloured, Message)))
        if spec.coloured:
            yield StateGoal(f"marker-{name}", f"{name} holds a marker", _holds(index, (Marker,)))


def _is_not_empty(system: System, variable: str) -> Callable[[GlobalState], bool]:
    return lambda state: bool(system.variables(state)[variable])


def _has_recorded(system: System, process: int) -> Callable[[GlobalState], bool]:
    return lambda state: process in system.recorded_states(state)


def _holds(index: int, kinds: tuple[type, ...]) -> Callable[[GlobalState], bool]:
    return lambda state: any(isinstance(element, kinds) for element in state.queues[index])
