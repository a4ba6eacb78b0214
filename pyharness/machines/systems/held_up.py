"""E22: find the steps of the computation that a protocol holds up.

The computation alone could take each of :func:`computation_steps`. A protocol holds one up if it cannot take it now, and
cannot first take a marker, or barrier, from in front of a message that the step accepts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.base.errors import PeerError
from pyharness.machines.systems.computation import ComputationSystem, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.machines.protocols import Channel
    from pyharness.machines.systems.computation import LocalAction
    from pyharness.machines.systems.system import GlobalState, System


def computation_steps(system: System, state: GlobalState) -> dict[LocalAction, GlobalState]:
    """Return the steps of the computation alone that change its state, each with the new state. TLA+: ComputationSteps."""
    bare = ComputationSystem(system.topology, system.application, granularity=system.granularity)
    now = bare.underlying(state)
    return {step: after for step, after in bare.local_actions(now) if after != now}


def held_up(system: System, state: GlobalState) -> set[LocalAction]:
    """Return the steps that the protocol holds up; none where a process refuses a wrong element. TLA+: HeldUp."""
    try:
        actions = list(system.actions(state))
    except PeerError:
        return set()
    possible = {plain(action.after) for action in actions}
    taken = {action.place for action in actions if action.name.endswith(("AcceptMarker", "AcceptBarrier"))}
    clears = {c for c in _controlled(system, state) if system.topology.channel_name(c) in taken}
    return {
        step
        for step, after in computation_steps(system, state).items()
        if plain(after) not in possible and clears.isdisjoint(dict(step.accepted))
    }


def _controlled(system: System, state: GlobalState) -> set[Channel]:
    """Return the channels in which a marker or a barrier comes first."""
    queues = zip(system.channels, state.queues, strict=True)
    return {channel for channel, queue in queues if queue and not hasattr(queue[0], "msg")}


def holds_nobody_up(system: System, state: GlobalState) -> bool:
    """E22: the computation can go on as if there were no snapshot."""
    return not held_up(system, state)


def held_is_paused(system: System, state: GlobalState) -> bool:
    """E22: a paused process does nothing but accept, and nothing else is held up."""
    return held_up(system, state) == {
        step
        for step in computation_steps(system, state)
        if state.local[step.process - 1].paused and (step.sent or not step.accepted)
    }


def held_is_blocked(waits: Callable[[Channel, Any], bool]) -> Callable[[System, GlobalState], bool]:
    """Return E22 for a protocol that blocks an input with a barrier while ``waits`` is true of it and its process's state."""

    def holds(system: System, state: GlobalState) -> bool:
        """E22: nothing is held up but messages behind a barrier, until their process has aligned."""
        arrived = system.by_input(local.arrived for local in state.local)
        blocked = {
            channel
            for channel, done in zip(system.channels, arrived, strict=True)
            if done and waits(channel, state.local[channel[1] - 1])
        }
        front = _controlled(system, state)
        return held_up(system, state) == {
            step
            for step in computation_steps(system, state)
            if not blocked.isdisjoint(dict(step.accepted)) and front.isdisjoint(dict(step.accepted))
        }

    return holds
