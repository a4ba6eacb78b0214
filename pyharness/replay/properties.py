"""The specs' properties over global states of the implementation, under their names.

A state property is a predicate of a system and a state; a step property of a system and two successive states.
A refinement is a step property: the step, seen through the spec's mapping, is one of the abstract system or
changes nothing there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.protocols import MARKER, RED, WHITE, Marker, Message, WhiteRed
from pyharness.protocols.white_red import WhiteRedState
from pyharness.replay.system import GlobalState, System
from pyharness.replay.systems import WhiteRedSystem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyharness.protocols import Channel

__all__ = ["STATE_PROPERTIES", "STEP_PROPERTIES", "violations"]


def colour_discipline(system: System, state: GlobalState) -> bool:
    """E2: a white machine has sent only white messages."""
    return all(
        element.colour == WHITE
        for channel, queue in zip(system.channels, state.queues, strict=True)
        for element in queue
        if isinstance(element, Message) and system.colour(state, channel[0]) == WHITE
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
    still = (
        system.whites(state, i) if system.protocol == "StopTheWorld" else ()
        for i in range(len(system.channels))
    )
    return [tuple(r) for r in system.recorded_channels(state)] == [
        w + s for w, s in zip(state.white_in_red, still, strict=True)
    ]


def one_marker(system: System, state: GlobalState) -> bool:
    """E11: exactly one marker on each output of a red process, none on a white one's."""
    return all(set(local.markers) <= {1 if local.recorded is not None else 0} for local in state.local)


def marker_separates(system: System, state: GlobalState) -> bool:
    """E12: in each channel white messages, the marker, red messages."""
    for queue in state.queues:
        for position, element in enumerate(queue):
            if isinstance(element, Marker) and (
                any(isinstance(e, Message) and e.colour == RED for e in queue[:position])
                or any(isinstance(e, Message) and e.colour == WHITE for e in queue[position + 1 :])
            ):
                return False
    return True


def locally_final(system: System, state: GlobalState) -> bool:
    """E15: the inputs of a process that is done are recorded for good."""
    recorded = system.recorded_channels(state)
    for machine, local in zip(system.processes, state.local, strict=True):
        if not machine.locally_complete(local):
            continue
        for channel in machine.inputs:
            index = system.channels.index(channel)
            if (
                recorded[index] != state.white_in_red[index]
                or system.whites(state, index)
                or system.colour(state, channel[0]) != RED
            ):
                return False
    return True


def turns_red_once(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E1: what is recorded stays recorded."""
    return all(
        old.recorded is None or old.recorded == new.recorded
        for old, new in zip(before.local, after.local, strict=True)
    )


# -- refinements ---------------------------------------------------------------------------------------------


def _computation(system: System, state: GlobalState) -> tuple[tuple[Any, ...], tuple[tuple[Any, ...], ...]]:
    """See a state as SSS together with what is still white (THEORY of E7): states and channels."""
    states = tuple(local.app if local.recorded is None else local.recorded.state for local in state.local)
    recorded = system.recorded_channels(state)
    if system.protocol == "StopTheWorld" and system.complete(state):
        return states, tuple(tuple(r) for r in recorded)
    kept = state.white_in_red if system.protocol == "StopTheWorld" else recorded
    return states, tuple(tuple(r) + system.whites(state, i) for i, r in enumerate(kept))


def sss_reachable(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E7: every step is a step of the computation towards SSS, or none."""
    old, new = _computation(system, before), _computation(system, after)
    return old == new or any(new == step for step in _computation_steps(system, *old))


def _computation_steps(
    system: System, states: tuple[Any, ...], channels: tuple[tuple[Any, ...], ...]
) -> Iterator[tuple[tuple[Any, ...], tuple[tuple[Any, ...], ...]]]:
    """Yield the successors of a colourless global state: a white system, seen without its colours."""
    bare = WhiteRedSystem(
        system.topology,
        system.application,
        process=WhiteRed,
        network=system.network,
        granularity=system.granularity,
    )
    inputs = [((),) * len(machine.inputs) for machine in bare.processes]
    local = tuple(WhiteRedState(app, None, rec) for app, rec in zip(states, inputs, strict=True))
    queues = tuple(tuple(Message(msg, WHITE) for msg in queue) for queue in channels)
    empty: tuple[tuple[Any, ...], ...] = ((),) * len(channels)
    for action in bare.actions(GlobalState(local, queues, empty, empty)):
        if action.name != "TurnRed":
            after = action.after
            yield (
                tuple(process.app for process in after.local),
                tuple(tuple(e.msg for e in queue if isinstance(e, Message)) for queue in after.queues),
            )


def refines_white_red(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E13: every step is a step of WhiteRed, or none."""
    abstract = WhiteRedSystem(
        system.topology,
        system.application,
        process=WhiteRed,
        network=system.network,
        granularity=system.granularity,
    )
    old, new = _as_white_red(system, before), _as_white_red(system, after)
    if old == new:
        return True
    ghosts = {"white_in_red": old.white_in_red, "red_in_white": old.red_in_white}
    return any(action.after._replace(**ghosts) == new for action in abstract.actions(old))


def _as_white_red(system: System, state: GlobalState) -> GlobalState:
    kept: Mapping[Channel, Any] = dict(
        zip(
            system.channels,
            state.white_in_red if system.protocol == "StopTheWorld" else system.recorded_channels(state),
            strict=True,
        )
    )
    local = tuple(
        WhiteRedState(own.app, own.recorded, tuple(kept[c] for c in machine.inputs))
        for machine, own in zip(system.processes, state.local, strict=True)
    )
    queues = tuple(tuple(e for e in queue if e is not MARKER) for queue in state.queues)
    empty: tuple[tuple[Any, ...], ...] = ((),) * len(queues)
    return GlobalState(local, queues, empty, empty)


# -- by name -------------------------------------------------------------------------------------------------

_EVERY: dict[str, Callable[[System, GlobalState], bool]] = {
    "ColourDiscipline": colour_discipline,
    "SnapshotConserves": snapshot_conserves,
}
_RECORDING = {**_EVERY, "NoRedInWhite": no_red_in_white, "RecordedIsSSS": recorded_is_sss}

STATE_PROPERTIES: dict[str, dict[str, Callable[[System, GlobalState], bool]]] = {
    "WhiteRed": _EVERY,
    "StopTheWorld": _RECORDING,
    "ChandyLamport": {
        **_RECORDING,
        "OneMarker": one_marker,
        "MarkerSeparates": marker_separates,
        "LocallyFinal": locally_final,
    },
}
"""The invariants by spec and name."""

_STEPS: dict[str, Callable[[System, GlobalState, GlobalState], bool]] = {
    "TurnsRedOnce": turns_red_once,
    "SSSReachable": sss_reachable,
}
STEP_PROPERTIES: dict[str, dict[str, Callable[[System, GlobalState, GlobalState], bool]]] = {
    "WhiteRed": _STEPS,
    "StopTheWorld": {**_STEPS, "RefinesWhiteRed": refines_white_red},
    "ChandyLamport": {**_STEPS, "RefinesWhiteRed": refines_white_red},
}
"""The step properties and refinements by spec and name."""


def violations(system: System, before: GlobalState | None, after: GlobalState) -> tuple[str, ...]:
    """Name the properties that ``after``, or the step to it from ``before``, violates."""
    named = [name for name, holds in STATE_PROPERTIES[system.protocol].items() if not holds(system, after)]
    if before is not None:
        named += [
            name
            for name, holds in STEP_PROPERTIES[system.protocol].items()
            if not holds(system, before, after)
        ]
    return tuple(named)
