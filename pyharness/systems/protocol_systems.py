"""The systems of the protocols: what else can happen in each, and how its state reads as TLA+ variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.errors import SpecError
from pyharness.protocols import (
    MUTANTS,
    AlignedBarriers,
    AtLeastOnceBarriers,
    ChandyLamport,
    Coloured,
    Controller,
    CyclicBarriers,
    Marker,
    StopTheWorld,
    Task,
    TimeoutBarriers,
    UnalignedBarriers,
    WhiteRed,
    World,
)
from pyharness.systems.checkpoint_system import Bounds, CheckpointSystem
from pyharness.systems.computation import Computation, ComputationSystem
from pyharness.systems.system import Action, GlobalState, System, messages_in, subsets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.protocols import Application, Channel, Mutant, Process
    from pyharness.tla.values import Value
    from pyharness.topology import Topology

__all__ = [
    "BARRIERS",
    "PROTOCOLS",
    "BarrierSystem",
    "ChandyLamportSystem",
    "StopTheWorldSystem",
    "WhiteRedSystem",
    "build_system",
    "implementation_of",
]


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
        sendable = (
            Coloured(msg, self.network.tint(colour, colour, receiver))
            for msg in self.processes[source].sendable(state.local[source], channel)
        )
        for message in self.processes[target].foreseen(sendable):
            step = self.processes[target].accept(state.local[target], channel, message)
            if step is not None:
                detail = f"{self.topology.channel_name(channel)}, {message.msg}"
                yield Action("Accept", detail, self.settle(state, target, step))

    def fair_actions(self) -> frozenset[tuple[str, str]]:
        """Magic turns each machine red by itself in the end."""
        names = map(self.topology.process_name, range(1, self.topology.processes + 1))
        return super().fair_actions() | {("TurnRed", name) for name in names}

    def complete(self, state: GlobalState) -> bool:
        """Every machine and every message is red (E3)."""
        return all(local.recorded is not None for local in state.local) and not any(
            self.whites(state, index) for index in range(len(self.channels))
        )

    def variables(self, state: GlobalState) -> dict[str, Value]:
        """Return topo, state, chan, recState and recChan."""
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

    def fair_actions(self) -> frozenset[tuple[str, str]]:
        """An initiator initiates in the end."""
        names = map(self.topology.process_name, range(1, self.topology.processes + 1))
        return super().fair_actions() | {("Initiate", name) for name in names}

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


class StopTheWorldSystem(System):
    """``specs/StopTheWorld.tla``: a controller that sees everything gives the commands."""

    protocol = "StopTheWorld"
    controller: Controller = Controller()

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield RecordAll, Pause, Record and Resume, as the controller may command them."""
        paused = tuple(local.paused for local in state.local)
        red = tuple(local.recorded is not None for local in state.local)
        world = World(paused, red, drained=not any(state.queues))
        if not any(red) and not any(paused):
            yield Action("RecordAll", "", self._record_all(state))
        for number, (machine, local) in enumerate(zip(self.processes, state.local, strict=True)):
            record = self.controller.may_record(world, number)
            steps = {
                "Pause": machine.pause(local) if not any(red) else None,
                "Record": machine.record(local, ((),) * len(machine.inputs)) if record else None,
                "Resume": machine.resume(local) if self.controller.may_resume(world) else None,
            }
            for name, step in steps.items():
                if step is not None:
                    yield Action(
                        name, self.topology.process_name(number + 1), self.settle(state, number, step)
                    )

    def _record_all(self, state: GlobalState) -> GlobalState:
        local = list(state.local)
        for number in self.controller.everyone(len(local)):
            found = tuple(
                self.controller.as_found(messages_in(state.queues[i])) for i in self._inputs[number]
            )
            local[number] = self.processes[number].record(local[number], found).state
        return state._replace(local=tuple(local))

    def fair_actions(self) -> frozenset[tuple[str, str]]:
        """The controller goes on."""
        names = [self.topology.process_name(number) for number in range(1, self.topology.processes + 1)]
        return super().fair_actions() | {
            (action, n) for action in ("Pause", "Record", "Resume") for n in names
        }

    def kept_channels(self, state: GlobalState) -> list[tuple[Any, ...]]:
        """What is recorded was found in the channels, and is accepted later."""
        return list(state.white_in_red)

    def sss_channels(self, state: GlobalState) -> list[tuple[Any, ...]]:
        """The channels are recorded with all processes at once, or as empty."""
        if self.complete(state):
            return self.recorded_channels(state)
        return [self.whites(state, index) for index in range(len(self.channels))]

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
        """Return the spec's eight variables."""
        paused = frozenset(number for number, local in enumerate(state.local, start=1) if local.paused)
        return {**self._common(state), "paused": paused, **self._ghosts(state)}


class BarrierSystem(System):
    """``specs/Barriers.tla``: sources record and send barriers, which travel with the records or overtake them."""

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield Initiate, TimeOut and AcceptBarrier."""
        for number, machine in enumerate(self.processes):
            name = self.topology.process_name(number + 1)
            for action, handler in (("Initiate", machine.initiate), ("TimeOut", machine.time_out)):
                step = handler(state.local[number])
                if step is not None:
                    yield Action(action, name, self.settle(state, number, step))
        for index, channel in enumerate(self.channels):
            yield from self._barriers(state, index, channel)

    def _barriers(self, state: GlobalState, index: int, channel: Channel) -> Iterator[Action]:
        number, queue = channel[1] - 1, state.queues[index]
        for position, element in enumerate(queue):
            if isinstance(element, Marker):
                queued = tuple(message.msg for message in messages_in(queue[:position]))
                step = self.processes[number].accept_barrier(state.local[number], channel, queued)
                if step is not None:
                    after = self.settle(state, number, step, ((index, position),))
                    yield Action("AcceptBarrier", self.topology.channel_name(channel), after)

    def fair_actions(self) -> frozenset[tuple[str, str]]:
        """Barriers are accepted and sources hear of the checkpoint; but for unaligned ones, records move on too."""
        channels = [self.topology.channel_name(channel) for channel in self.network.fair(self.channels)]
        names = map(self.topology.process_name, range(1, self.topology.processes + 1))
        moving = (
            ("AcceptBarrier",)
            if self.protocol == "UnalignedBarriers"
            else ("AcceptBarrier", "Accept", "Send")
        )
        return frozenset((action, name) for action in moving for name in channels) | {
            ("Initiate", name) for name in names
        }

    def kept_channels(self, state: GlobalState) -> list[tuple[Any, ...]]:
        """What a barrier overtook is recorded, and is accepted later."""
        return list(state.white_in_red)

    def sss_channels(self, state: GlobalState) -> list[tuple[Any, ...]]:
        """A channel's state is whole when its barrier has arrived."""
        arrived = self.by_input(local.arrived for local in state.local)
        return [
            tuple(kept) + (() if done else self.whites(state, index))
            for index, (kept, done) in enumerate(zip(self.recorded_channels(state), arrived, strict=True))
        ]

    def complete(self, state: GlobalState) -> bool:
        """Every process has recorded, and all barriers have arrived."""
        return all(local.recorded is not None and all(local.arrived) for local in state.local)

    def variables(self, state: GlobalState) -> dict[str, Value]:
        """Return the spec's eight variables."""
        arrived = self.by_input(local.arrived for local in state.local)
        return {
            **self._common(state),
            "arrived": frozenset(c for c, done in zip(self.channels, arrived, strict=True) if done),
            **self._ghosts(state),
        }


class AlignedBarriersSystem(BarrierSystem):
    """``specs/AlignedBarriers.tla``."""

    protocol = "AlignedBarriers"


class CyclicBarriersSystem(BarrierSystem):
    """``specs/CyclicBarriers.tla``."""

    protocol = "CyclicBarriers"


class UnalignedBarriersSystem(BarrierSystem):
    """``specs/UnalignedBarriers.tla``."""

    protocol = "UnalignedBarriers"


class AtLeastOnceBarriersSystem(BarrierSystem):
    """``specs/AtLeastOnceBarriers.tla``."""

    protocol = "AtLeastOnceBarriers"


class TimeoutBarriersSystem(BarrierSystem):
    """``specs/TimeoutBarriers.tla``."""

    protocol = "TimeoutBarriers"


_BARRIERS: dict[str, tuple[type[System], type[Process[Any]]]] = {
    "AlignedBarriers": (AlignedBarriersSystem, AlignedBarriers),
    "CyclicBarriers": (CyclicBarriersSystem, CyclicBarriers),
    "UnalignedBarriers": (UnalignedBarriersSystem, UnalignedBarriers),
    "AtLeastOnceBarriers": (AtLeastOnceBarriersSystem, AtLeastOnceBarriers),
    "TimeoutBarriers": (TimeoutBarriersSystem, TimeoutBarriers),
}

BARRIERS = tuple(_BARRIERS)
"""The specs that extend ``Barriers``."""

PROTOCOLS: dict[str, tuple[type[System], type[Process[Any]]]] = {
    "Computation": (ComputationSystem, Computation),
    "WhiteRed": (WhiteRedSystem, WhiteRed),
    "ChandyLamport": (ChandyLamportSystem, ChandyLamport),
    "StopTheWorld": (StopTheWorldSystem, StopTheWorld),
    **_BARRIERS,
    "Checkpoints": (CheckpointSystem, Task),
}
"""The implemented protocols, and the computation without one, by the name of their spec."""


IMPLEMENTATIONS = {"WhiteRedHistory": "WhiteRed"}
"""The protocol that implements a spec of another name; of what else the spec has it knows nothing."""


def implementation_of(spec: str) -> str | None:
    """Name the protocol that implements a spec, if there is one."""
    name = IMPLEMENTATIONS.get(spec, spec)
    return name if name in PROTOCOLS else None


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
    if mutant is None:
        correct = system(topology, application, process=process, granularity=granularity)
        if isinstance(correct, CheckpointSystem):
            correct.configure(Bounds())
        return correct
    seeded = MUTANTS.get(mutant)
    if seeded is None:
        raise SpecError(f"no mutant {mutant!r}", hint=f"there are {', '.join(MUTANTS)}")
    if seeded.protocol not in {None, protocol}:
        raise SpecError(f"{mutant} is a mutant of {seeded.protocol}, not of {protocol}")
    if seeded.family is not None and not issubclass(process, seeded.family):
        raise SpecError(f"{mutant} is not a mutant of {protocol}")
    built = system(
        topology,
        application,
        process=_seeded(process, seeded),
        network=seeded.network(),
        granularity=granularity,
    )
    if isinstance(built, StopTheWorldSystem):
        built.controller = seeded.controller()
    if isinstance(built, CheckpointSystem):
        built.configure(Bounds(), seeded.handler, seeded.checkpoints)
    return built


def _seeded(process: type[Process[Any]], seeded: Mutant) -> type[Process[Any]]:
    """Return the class of a protocol's processes with a bug: the mutant's own, or it mixed into the protocol's."""
    if seeded.process is None:
        return process
    return type(seeded.process.__name__, (seeded.process, process), {}) if seeded.family else seeded.process
