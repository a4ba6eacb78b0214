"""Properties that several specs share, under the specs' names, whose reasons are not all that they say.

The others hold unless there is a reason (:func:`~pyharness.systems.protocol_spec.unless`): an application's law is its
own, and what must come is a matter of all states that a behaviour goes through for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.systems.system import GlobalState, System


def snapshot_conserves(system: System, state: GlobalState) -> bool:
    """E7: a complete snapshot obeys the application's law."""
    return not system.complete(state) or system.application.conserved(
        system.recorded_states(state).values(), system.recorded_channels(state)
    )


def eventually_complete(system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]) -> bool:
    """E15: at some time the snapshot is complete."""
    return any(system.complete(state) for state in path)


def eventually_red_if_reached(
    system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]
) -> bool:
    """E14: from some time on just those are red whom the initiators reach."""
    reached = system.topology.reachable_from(system.topology.initiators)
    return all(
        {number for number, local in enumerate(state.local, start=1) if local.recorded is not None} == reached
        for state in loop
    )
