"""The specs' properties over global states of the implementation, under their names.

A state property is a predicate of a system and a state; a step property of a system and two successive states; a
liveness property of a system and the states that a behaviour goes through for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.protocols import RED, WHITE, Coloured, Dataflow, Marker
from pyharness.systems.checkpoint_properties import (
    CHECKPOINT_LIVENESS,
    CHECKPOINT_PROPERTIES,
    CHECKPOINT_STEPS,
)
from pyharness.systems.protocol_systems import BARRIERS, BarrierSystem
from pyharness.systems.refinements import refines_computation, refines_white_red, sss_reachable
from pyharness.systems.system import messages_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.systems.system import GlobalState, System

__all__ = ["LIVENESS", "STATE_PROPERTIES", "STEP_PROPERTIES", "known_properties", "violations"]


def type_ok(system: System, state: GlobalState) -> bool:
    """What is recorded of an input, or closed, is at a process that has recorded; the rest is a matter of types."""
    if system.protocol == "StopTheWorld":
        return not any(system.recorded_channels(state)) or system.complete(state)
    if isinstance(system, BarrierSystem):
        arrived = system.by_input(local.arrived for local in state.local)
        return all(local.recorded is not None or not any(local.rec_chan) for local in state.local) and all(
            system.colour(state, channel[0]) == RED
            for channel, done in zip(system.channels, arrived, strict=True)
            if done
        )
    return all(
        local.recorded is not None or not (any(local.rec_chan) or any(getattr(local, "closed", ())))
        for local in state.local
    )


def colour_discipline(system: System, state: GlobalState) -> bool:
    """E2: a white machine has sent only white messages; in WhiteRed, white ones come first in each channel."""
    for channel, queue in zip(system.channels, state.queues, strict=True):
        colours = [element.colour for element in messages_in(queue)]
        if system.colour(state, channel[0]) == WHITE and RED in colours:
            return False
        if system.protocol == "WhiteRed" and colours != sorted(colours, reverse=True):
            return False
    return True


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
    later = system.protocol == "StopTheWorld" or isinstance(system, BarrierSystem)
    still = (system.whites(state, i) if later else () for i in range(len(system.channels)))
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
                any(isinstance(e, Coloured) and e.colour == RED for e in queue[:position])
                or any(isinstance(e, Coloured) and e.colour == WHITE for e in queue[position + 1 :])
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


def empty_channels(system: System, state: GlobalState) -> bool:
    """A11: nothing is recorded of channels."""
    return not any(system.recorded_channels(state))


def only_logs(system: System, state: GlobalState) -> bool:
    """A10: only back edges have a state."""
    recorded = zip(system.channels, system.recorded_channels(state), strict=True)
    return all(target <= source for (source, target), kept in recorded if kept)


def snapshot_loses_nothing(system: System, state: GlobalState) -> bool:
    """A4: in a complete snapshot records may have come more than once, but have come."""
    return (
        not system.complete(state)
        or not isinstance(system.application, Dataflow)
        or system.application.nothing_lost(
            system.recorded_states(state).values(), system.recorded_channels(state)
        )
    )


def exact_on_pipelines(system: System, state: GlobalState) -> bool:
    """A4: where no process has two inputs, a complete snapshot is exact all the same."""
    return any(len(machine.inputs) > 1 for machine in system.processes) or snapshot_conserves(system, state)


def turns_red_once(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E1: what is recorded stays recorded."""
    return all(
        old.recorded is None or old.recorded == new.recorded
        for old, new in zip(before.local, after.local, strict=True)
    )


def stays_red(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E3: once everything is red, everything stays red."""
    return not system.complete(before) or system.complete(after)


# -- liveness ------------------------------------------------------------------------------------------------


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


def eventually_red_if_reached(
    system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]
) -> bool:
    """E14: from some time on just those are red whom the initiators reach."""
    reached = system.topology.reachable_from(system.topology.initiators)
    return all(
        {number for number, local in enumerate(state.local, start=1) if local.recorded is not None} == reached
        for state in loop
    )


# -- by name -------------------------------------------------------------------------------------------------

_EVERY: dict[str, Callable[[System, GlobalState], bool]] = {
    "TypeOK": type_ok,
    "SnapshotConserves": snapshot_conserves,
}
_RECORDING = {**_EVERY, "NoRedInWhite": no_red_in_white, "RecordedIsSSS": recorded_is_sss}
_BARRIERS = {**_RECORDING, "BarrierSeparates": marker_separates}

STATE_PROPERTIES: dict[str, dict[str, Callable[[System, GlobalState], bool]]] = {
    "WhiteRed": {**_EVERY, "ColourDiscipline": colour_discipline},
    "StopTheWorld": _RECORDING,
    "ChandyLamport": {
        **_RECORDING,
        "ColourDiscipline": colour_discipline,
        "OneMarker": one_marker,
        "MarkerSeparates": marker_separates,
        "LocallyFinal": locally_final,
    },
    **dict.fromkeys(BARRIERS, _BARRIERS),
    "AlignedBarriers": {**_BARRIERS, "EmptyChannels": empty_channels},
    "CyclicBarriers": {**_BARRIERS, "OnlyLogs": only_logs},
    "AtLeastOnceBarriers": {
        **_BARRIERS,
        "EmptyChannels": empty_channels,
        "SnapshotLosesNothing": snapshot_loses_nothing,
        "ExactOnPipelines": exact_on_pipelines,
    },
    "Checkpoints": CHECKPOINT_PROPERTIES,
}
"""The invariants by spec and name."""

_STEPS: dict[str, Callable[[System, GlobalState, GlobalState], bool]] = {
    "TurnsRedOnce": turns_red_once,
    "SSSReachable": sss_reachable,
}
STEP_PROPERTIES: dict[str, dict[str, Callable[[System, GlobalState, GlobalState], bool]]] = {
    "WhiteRed": {**_STEPS, "StaysRed": stays_red, "RefinesComputation": refines_computation},
    "StopTheWorld": {**_STEPS, "RefinesWhiteRed": refines_white_red},
    "ChandyLamport": {**_STEPS, "RefinesWhiteRed": refines_white_red},
    **{protocol: {**_STEPS, "RefinesWhiteRed": refines_white_red} for protocol in BARRIERS},
    "Checkpoints": CHECKPOINT_STEPS,
}
"""The step properties and refinements by spec and name."""


LIVENESS: dict[str, dict[str, Callable[[System, Sequence[GlobalState], Sequence[GlobalState]], bool]]] = {
    "WhiteRed": {"EventuallyAllRed": eventually_stays_complete},
    "StopTheWorld": {"EventuallyComplete": eventually_stays_complete},
    "ChandyLamport": {
        "EventuallyComplete": eventually_complete,
        "EventuallyAllRed": eventually_all_red,
        "EventuallyRedIfReached": eventually_red_if_reached,
    },
    **{protocol: {"EventuallyComplete": eventually_complete} for protocol in BARRIERS},
    "Checkpoints": CHECKPOINT_LIVENESS,
}
"""The liveness properties by spec and name: of a system, all states of a behaviour, and those it goes on in."""


def known_properties(protocol: str) -> frozenset[str]:
    """Name the properties of a spec that Python knows."""
    return frozenset().union(
        *(table.get(protocol, ()) for table in (STATE_PROPERTIES, STEP_PROPERTIES, LIVENESS))
    )


def violations(system: System, before: GlobalState | None, after: GlobalState) -> tuple[str, ...]:
    """Name the properties that ``after``, or the step to it from ``before``, violates."""
    named = [
        name for name, holds in STATE_PROPERTIES.get(system.protocol, {}).items() if not holds(system, after)
    ]
    if before is not None:
        named += [
            name
            for name, holds in STEP_PROPERTIES.get(system.protocol, {}).items()
            if not holds(system, before, after)
        ]
    return tuple(named)
