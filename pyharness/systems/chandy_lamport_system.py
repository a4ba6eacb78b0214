"""The system of ``specs/ChandyLamport.tla``: markers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.protocols import RED, ChandyLamport
from pyharness.protocols.markers.chandy_lamport_mutants import CHANDY_LAMPORT_MUTANTS
from pyharness.systems.computation import sss_reachable
from pyharness.systems.decoding import Decoder, Reading, members_per_input, numbers_per_output
from pyharness.systems.protocol_spec import COMPUTATION_STEPS, ProtocolSpec, ScheduleForm
from pyharness.systems.snapshot_properties import (
    eventually_all_red,
    eventually_complete,
    eventually_red_if_reached,
    marker_separates,
    no_red_in_white,
    recorded_is_sss,
    snapshot_conserves,
    turns_red_once,
    white_sends_white,
)
from pyharness.systems.system import Action, GlobalState, System
from pyharness.systems.white_red_system import refines_white_red

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.tla.values import Value

__all__ = ["CHANDY_LAMPORT", "READINGS", "ChandyLamportSystem"]


class ChandyLamportSystem(System):
    """``specs/ChandyLamport.tla``: initiators and markers."""

    protocol = "ChandyLamport"

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield Initiate."""
        for number, machine in enumerate(self.processes):
            step = machine.initiate(state.local[number])
            if step is not None:
                yield Action(
                    "Initiate", self.topology.process_name(number + 1), self.settle(state, number, step)
                )

    def marker_actions(self, state: GlobalState, index: int, position: int) -> Iterator[Action]:
        """Yield AcceptMarker."""
        channel = self.channels[index]
        number = channel[1] - 1
        step = self.processes[number].accept_marker(state.local[number], channel)
        after = self.settle(state, number, step, ((index, position),))
        yield Action("AcceptMarker", self.topology.channel_name(channel), after)

    def fair_actions(self) -> frozenset[tuple[str, str]]:
        """Markers are accepted too, and an initiator initiates in the end."""
        names = map(self.topology.process_name, range(1, self.topology.processes + 1))
        accepts = super().fair_actions()
        return (
            accepts
            | {("AcceptMarker", channel) for _, channel in accepts}
            | {("Initiate", name) for name in names}
        )

    def complete(self, state: GlobalState) -> bool:
        """Every process has recorded and closed its inputs (E15)."""
        return all(m.locally_complete(local) for m, local in zip(self.processes, state.local, strict=True))

    def variables(self, state: GlobalState) -> dict[str, Value]:
        """Return the spec's nine variables."""
        closed = self.by_input(local.closed for local in state.local)
        return {
            **self._common(state),
            "closed": frozenset(c for c, done in zip(self.channels, closed, strict=True) if done),
            "markers": self.by_channel(self.by_output(local.markers for local in state.local)),
            **self._ghosts(state),
        }


def type_ok(system: System, state: GlobalState) -> bool:
    """What is recorded of an input, or closed, is at a process that has recorded; the rest is a matter of types."""
    return all(
        local.recorded is not None or not (any(local.rec_chan) or any(local.closed)) for local in state.local
    )


def one_marker(system: System, state: GlobalState) -> bool:
    """E11: exactly one marker on each output of a red process, none on a white one's."""
    return all(set(local.markers) <= {1 if local.recorded is not None else 0} for local in state.local)


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


READINGS = {
    "closed": Reading("closed", members_per_input),
    "markers": Reading("markers", numbers_per_output),
}
"""How the fields that only this protocol has are read from its variables."""

CHANDY_LAMPORT = ProtocolSpec(
    name="ChandyLamport",
    system=ChandyLamportSystem,
    process=ChandyLamport,
    mutants=CHANDY_LAMPORT_MUTANTS,
    decoder=lambda system: Decoder(system, READINGS),
    state_properties={
        "TypeOK": type_ok,
        "SnapshotConserves": snapshot_conserves,
        "NoRedInWhite": no_red_in_white,
        "RecordedIsSSS": recorded_is_sss,
        "ColourDiscipline": white_sends_white,
        "OneMarker": one_marker,
        "MarkerSeparates": marker_separates,
        "LocallyFinal": locally_final,
    },
    step_properties={
        "TurnsRedOnce": turns_red_once,
        "SSSReachable": sss_reachable,
        "RefinesWhiteRed": refines_white_red,
    },
    liveness={
        "EventuallyComplete": eventually_complete,
        "EventuallyAllRed": eventually_all_red,
        "EventuallyRedIfReached": eventually_red_if_reached,
    },
    schedule=ScheduleForm({**COMPUTATION_STEPS, "Initiate": "process", "AcceptMarker": "channel"}),
)
