"""The system of ``specs/ChandyLamport.tla``: markers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.machines.explain.endless_reasons import eventually_all_red
from pyharness.machines.explain.snapshot_reasons import (
    not_final,
    one_marker,
    separates,
    white_sends_white,
)
from pyharness.machines.protocols import ChandyLamport
from pyharness.machines.protocols.snapshot_mutants import CHANDY_LAMPORT_MUTANTS
from pyharness.machines.systems.held_up import holds_nobody_up
from pyharness.machines.systems.protocol_spec import (
    COMPUTATION_STEPS,
    ProtocolSpec,
    ScheduleForm,
    seen,
    unless,
    unless_forever,
)
from pyharness.machines.systems.system import Action, GlobalState, System
from pyharness.machines.systems.white_red_system import (
    OF_SNAPSHOTS,
    OF_STEPS,
    eventually_complete,
    eventually_red_if_reached,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.tla.values import Value


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
        accepts = super().fair_actions()
        markers = {("AcceptMarker", channel) for _, channel in accepts}
        return accepts | markers | self.at_processes("Initiate")

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


def _locally_final(system: System, state: GlobalState) -> bool:
    """E15: the inputs of a process that is done are recorded for good."""
    machines = zip(system.processes, state.local, strict=True)
    done = {machine.identity for machine, local in machines if machine.locally_complete(local)}
    return not_final(seen(system, state), done) is None


CHANDY_LAMPORT = ProtocolSpec(
    name="ChandyLamport",
    system=ChandyLamportSystem,
    process=ChandyLamport,
    mutants=CHANDY_LAMPORT_MUTANTS,
    state_properties={
        **OF_SNAPSHOTS,
        "ColourDiscipline": unless(white_sends_white),
        "OneMarker": unless(one_marker),
        "MarkerSeparates": unless(separates),
        "LocallyFinal": _locally_final,
        "HoldsNobodyUp": holds_nobody_up,
    },
    step_properties=OF_STEPS,
    liveness={
        "EventuallyComplete": eventually_complete,
        "EventuallyAllRed": unless_forever(eventually_all_red),
        "EventuallyRedIfReached": eventually_red_if_reached,
    },
    schedule=ScheduleForm({**COMPUTATION_STEPS, "Initiate": "process", "AcceptMarker": "channel"}),
)
