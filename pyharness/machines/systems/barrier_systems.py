"""The systems of ``specs/Barriers.tla`` and the five specs that extend it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.machines.explain.checkpoint_reasons import exact_on_pipelines
from pyharness.machines.explain.endless_reasons import everything_arrives
from pyharness.machines.explain.snapshot_reasons import (
    empty_channels,
    one_barrier,
    only_logs,
    separates,
    snapshot_loses_nothing,
)
from pyharness.machines.protocols import (
    AlignedBarriers,
    AtLeastOnceBarriers,
    CyclicBarriers,
    Marker,
    TimeoutBarriers,
    UnalignedBarriers,
)
from pyharness.machines.protocols.snapshot_mutants import (
    ALIGNED_MUTANTS,
    ANY_BARRIER_MUTANTS,
    CYCLIC_MUTANTS,
    TIMEOUT_MUTANTS,
    UNALIGNED_MUTANTS,
)
from pyharness.machines.systems.held_up import held_is_blocked, holds_nobody_up
from pyharness.machines.systems.protocol_spec import ProtocolSpec, once_complete, unless, unless_forever
from pyharness.machines.systems.system import Action, GlobalState, System, messages_in
from pyharness.machines.systems.white_red_system import OF_SNAPSHOTS, OF_STEPS, eventually_complete

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols import Channel, Mutant, Process
    from pyharness.machines.systems.protocol_spec import StateProperty
    from pyharness.tla.values import Value


class BarrierSystem(System):
    """``specs/Barriers.tla``: sources record and send barriers, which travel with the records or overtake them."""

    moving: tuple[str, ...] = ("AcceptBarrier", "Accept", "Send")
    """The actions on channels that are fair."""
    sources_begin = False
    """Whether it is for graphs on which only sources begin. TLA+: InitiatorsHaveNoInputs."""

    @classmethod
    def unassumed(cls, topology: Topology) -> str | None:
        """Explain that a process with inputs may begin, where only sources are to."""
        begin = [p for p in topology.initiators if topology.inputs(p)] if cls.sources_begin else []
        return f"InitiatorsHaveNoInputs, and process {begin[0]} has inputs and may begin" if begin else None

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
        moving = frozenset((action, name) for action in self.moving for name in channels)
        return moving | self.at_processes("Initiate")

    def kept_channels(self, state: GlobalState) -> list[tuple[Any, ...]]:
        """The overtaken messages of a channel: they are recorded, and accepted later."""
        return list(state.white_in_red)

    def sss_channels(self, state: GlobalState) -> list[tuple[Any, ...]]:
        """A channel's state is complete when its barrier has arrived."""
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
    sources_begin = True


class CyclicBarriersSystem(BarrierSystem):
    """``specs/CyclicBarriers.tla``."""

    protocol = "CyclicBarriers"
    sources_begin = True


class UnalignedBarriersSystem(BarrierSystem):
    """``specs/UnalignedBarriers.tla``."""

    protocol = "UnalignedBarriers"
    moving = ("AcceptBarrier",)


class AtLeastOnceBarriersSystem(BarrierSystem):
    """``specs/AtLeastOnceBarriers.tla``."""

    protocol = "AtLeastOnceBarriers"
    sources_begin = True


class TimeoutBarriersSystem(BarrierSystem):
    """``specs/TimeoutBarriers.tla``."""

    protocol = "TimeoutBarriers"


def _protocol(
    system: type[BarrierSystem],
    process: type[Process[Any]],
    mutants: Mapping[str, Mutant] | None = None,
    own: Mapping[str, StateProperty] | None = None,
) -> ProtocolSpec:
    """Return the registration of a barrier protocol, with seeded bugs and invariants of its ``own``."""
    return ProtocolSpec(
        name=system.protocol,
        system=system,
        process=process,
        application="Dataflow",
        mutants={**ANY_BARRIER_MUTANTS, **(mutants or {})},
        state_properties={
            **OF_SNAPSHOTS,
            "OneBarrier": unless(one_barrier),
            "BarrierSeparates": unless(separates),
            **(own or {}),
        },
        step_properties=OF_STEPS,
        liveness={
            "EventuallyComplete": eventually_complete,
            "EverythingArrives": unless_forever(everything_arrives),
        },
    )


BARRIER_PROTOCOLS = (
    _protocol(
        AlignedBarriersSystem,
        AlignedBarriers,
        ALIGNED_MUTANTS,
        {
            "EmptyChannels": unless(empty_channels),
            "HeldIsBlocked": held_is_blocked(lambda _, local: local.recorded is None),
        },
    ),
    _protocol(
        CyclicBarriersSystem,
        CyclicBarriers,
        CYCLIC_MUTANTS,
        {
            "OnlyLogs": unless(only_logs),
            "HeldIsBlocked": held_is_blocked(lambda c, local: c[0] < c[1] and local.recorded is None),
        },
    ),
    _protocol(
        UnalignedBarriersSystem,
        UnalignedBarriers,
        UNALIGNED_MUTANTS,
        {"HoldsNobodyUp": holds_nobody_up},
    ),
    _protocol(
        AtLeastOnceBarriersSystem,
        AtLeastOnceBarriers,
        own={
            "EmptyChannels": unless(empty_channels),
            "SnapshotLosesNothing": unless(snapshot_loses_nothing, once_complete),
            "ExactOnPipelines": unless(exact_on_pipelines, once_complete),
            "HoldsNobodyUp": holds_nobody_up,
        },
    ),
    _protocol(
        TimeoutBarriersSystem,
        TimeoutBarriers,
        TIMEOUT_MUTANTS,
        {"HeldIsBlocked": held_is_blocked(lambda _, local: not all(local.arrived))},
    ),
)
"""The specs that extend ``Barriers``."""
