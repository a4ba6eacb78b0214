"""The systems of the protocols: what else can happen in each, and how its state reads as TLA+ variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.errors import SpecError
from pyharness.protocols import MUTANTS, ChandyLamport, Network, StopTheWorld, WhiteRed
from pyharness.replay.system import Action, GlobalState, System, subsets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.protocols import Application, Process
    from pyharness.tla.values import Value
    from pyharness.topology import Topology

__all__ = ["PROTOCOLS", "ChandyLamportSystem", "StopTheWorldSystem", "WhiteRedSystem", "build_system"]


class WhiteRedSystem(System):
    """``specs/WhiteRed.tla``: magic may turn any white processes red, at any moment."""

    protocol = "WhiteRed"

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield TurnRed for each non-empty set of white processes."""
        white = [number for number, local in enumerate(state.local) if local.recorded is None]
        for turning in subsets(white):
            if turning:
                local = list(state.local)
                for number in turning:
                    local[number] = self.processes[number].turn_red(local[number]).state
                names = ", ".join(self.topology.process_name(number + 1) for number in turning)
                yield Action("TurnRed", names, state._replace(local=tuple(local)))

    def complete(self, state: GlobalState) -> bool:
        """Every machine and every message is red (E3)."""
        return all(local.recorded is not None for local in state.local) and not any(
            self.whites(state, index) for index in range(len(self.channels))
        )

    def variables(self, state: GlobalState) -> dict[str, Value]:
        """Give topo, state, chan, recState and recChan."""
        return self._common(state)


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

    def complete(self, state: GlobalState) -> bool:
        """Every process has recorded and closed its inputs (E15)."""
        return all(m.locally_complete(local) for m, local in zip(self.processes, state.local, strict=True))

    def variables(self, state: GlobalState) -> dict[str, Value]:
        """Give the spec's nine variables."""
        closed = self.by_input(local.closed for local in state.local)
        return {
            **self._common(state),
            "closed": frozenset(c for c, done in zip(self.channels, closed, strict=True) if done),
            "markers": self.by_channel(self.by_output(local.markers for local in state.local)),
            **self._ghosts(state),
        }


class StopTheWorldSystem(System):
    """``specs/StopTheWorld.tla``: a controller that sees everything gives the commands."""

    protocol = "StopTheWorld"

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield RecordAll, Pause, Record and Resume, as the controller may command them."""
        locals_ = state.local
        red = [local.recorded is not None for local in locals_]
        if not any(red) and not any(local.paused for local in locals_):
            yield Action("RecordAll", "", self._record_all(state))
        drained = all(local.paused for local in locals_) and not any(state.queues)
        for number, machine in enumerate(self.processes):
            steps = {
                "Pause": machine.pause(locals_[number]) if not any(red) else None,
                "Record": machine.record(locals_[number], ((),) * len(machine.inputs)) if drained else None,
                "Resume": machine.resume(locals_[number]) if all(red) else None,
            }
            for name, step in steps.items():
                if step is not None:
                    yield Action(
                        name, self.topology.process_name(number + 1), self.settle(state, number, step)
                    )

    def _record_all(self, state: GlobalState) -> GlobalState:
        local = []
        for number, machine in enumerate(self.processes):
            found = tuple(tuple(e.msg for e in state.queues[i]) for i in self._inputs[number])  # type: ignore[union-attr]
            local.append(machine.record(state.local[number], found).state)
        return state._replace(local=tuple(local))

    def complete(self, state: GlobalState) -> bool:
        """Every process has recorded."""
        return all(local.recorded is not None for local in state.local)

    def over(self, state: GlobalState) -> bool:
        """Tell whether all have resumed, and what was in the channels has arrived."""
        return (
            self.complete(state)
            and not any(local.paused for local in state.local)
            and not any(self.whites(state, index) for index in range(len(self.channels)))
        )

    def variables(self, state: GlobalState) -> dict[str, Value]:
        """Give the spec's eight variables."""
        paused = frozenset(number for number, local in enumerate(state.local, start=1) if local.paused)
        return {**self._common(state), "paused": paused, **self._ghosts(state)}


PROTOCOLS: dict[str, tuple[type[System], type[Process[Any]]]] = {
    "WhiteRed": (WhiteRedSystem, WhiteRed),
    "ChandyLamport": (ChandyLamportSystem, ChandyLamport),
    "StopTheWorld": (StopTheWorldSystem, StopTheWorld),
}
"""The implemented protocols by the name of their spec."""


def build_system(
    protocol: str,
    topology: Topology,
    application: Application,
    granularity: str = "event",
    mutant: str | None = None,
) -> System:
    """Compose ``protocol`` (the name of a spec), or its ``mutant``, on a topology.

    Raises SpecError for a protocol or mutant that does not exist, or a mutant of another protocol.
    """
    if protocol not in PROTOCOLS:
        raise SpecError(f"no protocol {protocol!r}", hint=f"there are {', '.join(PROTOCOLS)}")
    system, process = PROTOCOLS[protocol]
    network: type[Network] = Network
    if mutant is not None:
        seeded = MUTANTS.get(mutant)
        if seeded is None:
            raise SpecError(f"no mutant {mutant!r}", hint=f"there are {', '.join(MUTANTS)}")
        if seeded.protocol != protocol:
            raise SpecError(f"{mutant} is a mutant of {seeded.protocol}, not of {protocol}")
        process, network = seeded.process, seeded.network
    return system(topology, application, process=process, network=network(), granularity=granularity)
