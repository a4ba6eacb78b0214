"""Properties that several specs share, over global states of the implementation, under the specs' names.

A state property is a predicate of a system and a state; a step property of a system and two successive states; a
liveness property of a system and the states that a behaviour goes through for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.protocols import RED, WHITE, Coloured, Marker
from pyharness.systems.system import messages_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.systems.system import GlobalState, System

__all__ = [
    "eventually_all_red",
    "eventually_complete",
    "eventually_red_if_reached",
    "eventually_stays_complete",
    "marker_separates",
    "no_red_in_white",
    "recorded_is_sss",
    "snapshot_conserves",
    "stays_red",
    "turns_red_once",
    "white_sends_white",
]


def white_sends_white(system: System, state: GlobalState) -> bool:
    """E2: a white machine has sent only white messages."""
    return not any(
        system.colour(state, channel[0]) == WHITE and any(e.colour == RED for e in messages_in(queue))
        for channel, queue in zip(system.channels, state.queues, strict=True)
    )


def no_red_in_white(system: System, state: GlobalState) -> bool:
    """E4: no red message was accepted in a white action."""
    return not any(state.red_in_white)


def snapshot_conserves(system: System, state: GlobalState) -> bool:
    """E7: a complete snapshot obeys the application's law."""
    return not system.complete(state) or system.application.conserved(
        system.recorded_states(state).values(), system.recorded_channels(state)
    )


def recorded_is_sss(system: System, state: GlobalState) -> bool:
    """E6: the recorded channels are those the colours define."""
    if not system.complete(state):
        return True
    still = (system.whites(state, i) if system.records_ahead else () for i in range(len(system.channels)))
    return [tuple(r) for r in system.recorded_channels(state)] == [
        w + s for w, s in zip(state.white_in_red, still, strict=True)
    ]


def marker_separates(system: System, state: GlobalState) -> bool:
    """E12: in each channel white messages, the marker, red messages."""
    for queue in state.queues:
        for position, element in enumerate(queue):
            if isinstance(element, Marker) and (
                any(isinstance(e, Coloured) and e.colour == RED for e in queue[:position])
                or any(isinstance(e, Coloured) and e.colour == WHITE for e in queue[position + 1 :])
            ):
                return False
    return True


def turns_red_once(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E1: what is recorded stays recorded."""
    return all(
        old.recorded is None or old.recorded == new.recorded
        for old, new in zip(before.local, after.local, strict=True)
    )


def stays_red(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E3: once everything is red, everything stays red."""
    return not system.complete(before) or system.complete(after)


def eventually_complete(system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]) -> bool:
    """E15: at some time the snapshot is complete."""
    return any(system.complete(state) for state in path)


def eventually_stays_complete(
    system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]
) -> bool:
    """E3: from some time on the snapshot is complete."""
    return all(system.complete(state) for state in loop)


def eventually_all_red(system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]) -> bool:
    """E3: from some time on all processes and all messages are red."""
    return all(
        all(local.recorded is not None for local in state.local)
        and not any(system.whites(state, index) for index in range(len(system.channels)))
        for state in loop
    )


def everything_arrives(system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]) -> bool:
    """E18: again and again each channel is empty."""
    return all(any(not state.queues[index] for state in loop) for index in range(len(system.channels)))


def eventually_red_if_reached(
    system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]
) -> bool:
    """E14: from some time on just those are red whom the initiators reach."""
    reached = system.topology.reachable_from(system.topology.initiators)
    return all(
        {number for number, local in enumerate(state.local, start=1) if local.recorded is not None} == reached
        for state in loop
    )
