"""The system of ``specs/WhiteRed.tla``, and the systems that refine it; with the properties that several specs share.

Properties that several specs share, under the specs' names, that their reasons alone do not decide. The others hold
unless there is a reason (:func:`~pyharness.machines.systems.protocol_spec.unless`): an application's law is its own, and
liveness is a matter of all states that a behaviour goes through forever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.machines.explain.endless_reasons import eventually_all_red
from pyharness.machines.explain.snapshot_reasons import (
    colour_discipline,
    no_red_in_white,
    recorded_is_sss,
    stays_red,
    turns_red_once,
    type_ok,
)
from pyharness.machines.protocols import Coloured, WhiteRed, WhiteRedState
from pyharness.machines.protocols.snapshot_mutants import WHITE_RED_MUTANTS
from pyharness.machines.systems.computation import refines_computation, sss_reachable
from pyharness.machines.systems.protocol_spec import ProtocolSpec, once_complete, unless, unless_forever
from pyharness.machines.systems.system import Action, GlobalState, System, messages_in, subsets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from pyharness.machines.protocols import Channel
    from pyharness.machines.systems.protocol_spec import StateProperty, StepProperty
    from pyharness.tla.values import Value


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


class WhiteRedSystem(System):
    """``specs/WhiteRed.tla``: magic may turn any white processes red, at any moment."""

    protocol = "WhiteRed"

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield TurnRed for each non-empty set of white processes."""
        steps = {
            n: m.turn_red(local) for n, (m, local) in enumerate(zip(self.processes, state.local, strict=True))
        }
        for turning in subsets([number for number, step in steps.items() if step is not None]):
            if turning:
                local = list(state.local)
                for number in turning:
                    local[number] = steps[number].state
                names = ", ".join(self.topology.process_name(number + 1) for number in turning)
                yield Action("TurnRed", names, state._replace(local=tuple(local)))
        if self.granularity == "action":
            for number, machine in enumerate(self.processes):
                yield from self.exchanges(state, number, "TurnInExchange", machine.turn_in_exchange, least=1)
        for channel in self.channels:
            yield from self._foreseen(state, channel)

    def _foreseen(self, state: GlobalState, channel: Channel) -> Iterator[Action]:
        source, target = channel[0] - 1, channel[1] - 1
        colour, receiver = self.colour(state, channel[0]), self.colour(state, channel[1])
        first = channel == self.processes[source].outputs[0]
        sendable = (
            Coloured(msg, self.network.tint(colour, colour, receiver, first=first))
            for msg in self.processes[source].sendable(state.local[source], channel)
        )
        for message in self.processes[target].foreseen(sendable):
            step = self.processes[target].accept(state.local[target], channel, message)
            if step is not None:
                detail = f"{self.topology.channel_name(channel)}, {message.msg}"
                yield Action("Accept", detail, self.settle(state, target, step))

    def fair_actions(self) -> frozenset[tuple[str, str]]:
        """Magic turns each machine red by itself in the end."""
        return super().fair_actions() | self.at_processes("TurnRed")

    def complete(self, state: GlobalState) -> bool:
        """Every machine and every message is red (E3)."""
        return all(local.recorded is not None for local in state.local) and not any(
            self.whites(state, index) for index in range(len(self.channels))
        )

    def variables(self, state: GlobalState) -> dict[str, Value]:
        """Return topo, state, chan, recState and recChan."""
        return self._common(state)


def begins_otherwise(system: System, state: GlobalState) -> bool:
    """Return whether a state is the first one and yet something is recorded or sent in it, which no spec's Init allows."""
    recorded = any(system.recorded_channels(state)) or any(system.recorded_states(state))
    return (recorded or any(state.queues)) and state in system.beginnings


def refines_white_red(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E13: every step is a step of WhiteRed, or none."""
    old, new = _as_white_red(system, before), _as_white_red(system, after)
    if begins_otherwise(system, before):
        return False
    if old == new:
        return True
    ghosts = {"white_in_red": old.white_in_red, "red_in_white": old.red_in_white}
    abstract = system.as_another(WhiteRedSystem, WhiteRed)
    return any(action.after._replace(**ghosts) == new for action in abstract.actions(old))


def _as_white_red(system: System, state: GlobalState) -> GlobalState:
    by_channel = dict(zip(system.channels, system.kept_channels(state), strict=True))
    local = tuple(
        WhiteRedState(own.app, own.recorded, tuple(by_channel[c] for c in machine.inputs))
        for machine, own in zip(system.processes, state.local, strict=True)
    )
    empty: tuple[tuple[Any, ...], ...] = ((),) * len(state.queues)
    return GlobalState(local, tuple(messages_in(queue) for queue in state.queues), empty, empty)


OF_SNAPSHOTS: Final[Mapping[str, StateProperty]] = {
    "TypeOK": unless(type_ok),
    "SnapshotConserves": snapshot_conserves,
    "NoRedInWhite": unless(no_red_in_white),
    "RecordedIsSSS": unless(recorded_is_sss, once_complete),
}
"""The properties of states that every protocol with one snapshot has."""

OF_STEPS: Final[Mapping[str, StepProperty]] = {
    "TurnsRedOnce": unless(turns_red_once),
    "SSSReachable": sss_reachable,
    "RefinesWhiteRed": refines_white_red,
}
"""The properties of steps that every protocol with one snapshot has."""

WHITE_RED = ProtocolSpec(
    name="WhiteRed",
    system=WhiteRedSystem,
    process=WhiteRed,
    mutants=WHITE_RED_MUTANTS,
    state_properties={
        "TypeOK": unless(type_ok),
        "SnapshotConserves": snapshot_conserves,
        "ColourDiscipline": unless(colour_discipline),
    },
    step_properties={
        "TurnsRedOnce": unless(turns_red_once),
        "SSSReachable": sss_reachable,
        "StaysRed": unless(stays_red, once_complete),
        "RefinesComputation": refines_computation,
    },
    liveness={"EventuallyAllRed": unless_forever(eventually_all_red)},
    also_implements=("WhiteRedHistory",),
)
