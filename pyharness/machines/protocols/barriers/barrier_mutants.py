"""Seeded bugs of the barrier protocols. Each class breaks one idea, by overriding the decisions of that idea."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.machines.protocols.barriers.barrier_protocols import (
    AlignedBarriers,
    AtLeastOnceBarriers,
    BarrierProcess,
    BarrierState,
    CyclicBarriers,
    TimeoutBarriers,
    UnalignedBarriers,
)
from pyharness.machines.protocols.common.mutant import Mutant, mutants_of
from pyharness.machines.protocols.common.process import WHITE, Coloured, Network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.machines.protocols.applications.application import Channel, Value
    from pyharness.machines.protocols.common.process import Message, Step


class NoBlocking(AlignedBarriers):
    """No input is blocked: what at-least-once does on purpose (A1, A11)."""

    def blocked(self, state: BarrierState, index: int) -> bool:
        """Never."""
        return False


class StaysBlocked(AlignedBarriers):
    """An input whose barrier has come stays blocked when its process has recorded (A11)."""

    def blocked(self, state: BarrierState, index: int) -> bool:
        """From its barrier on."""
        return state.arrived[index]


class RecordAtFirstBarrier(AlignedBarriers):
    """A process records at its first barrier, and nothing of what is still to come (A1)."""

    def records_now(self, arrived: tuple[bool, ...]) -> bool:
        """At any barrier."""
        return any(arrived)


class WrongChannelsLogged(UnalignedBarriers):
    """What is recorded as in flight is from the inputs whose barrier has come (A5)."""

    def logs(self, state: BarrierState, index: int) -> bool:
        """After the input's barrier."""
        return state.recorded is not None and state.arrived[index]


class OvertakenLost(UnalignedBarriers):
    """The records that a barrier overtakes are not recorded (A5)."""

    def overtaken(self, queued: tuple[Value, ...]) -> tuple[Value, ...]:
        """None of them."""
        return ()


class OvertakenBackwards(UnalignedBarriers):
    """The records that a barrier overtakes are recorded in the wrong order, the last one first (A5)."""

    def overtaken(self, queued: tuple[Value, ...]) -> tuple[Value, ...]:
        """From behind."""
        return queued[::-1]


class ForgetTogether(UnalignedBarriers):
    """Nothing is recorded as in flight of an action that accepts several records (E6, E17)."""

    def after(
        self, state: BarrierState, app: Value, taken: Sequence[tuple[Channel, Message]]
    ) -> BarrierState:
        """Of one record, as ever."""
        return super().after(state, app, taken if len(taken) < 2 else ())


class UnblockAtTimeout(TimeoutBarriers):
    """A timeout unblocks the inputs whose barrier has come, and what they bring is logged too (A6)."""

    def blocked(self, state: BarrierState, index: int) -> bool:
        """Until the process records."""
        return state.arrived[index] and state.recorded is None

    def logs(self, state: BarrierState, index: int) -> bool:
        """From every input, until all barriers have come."""
        return state.recorded is not None and not all(state.arrived)


class StaysBlockedAfterTimeout(TimeoutBarriers):
    """An input whose barrier has come stays blocked when all others have come too (A6)."""

    def blocked(self, state: BarrierState, index: int) -> bool:
        """From its barrier on."""
        return state.arrived[index]


class DropLog(CyclicBarriers):
    """Nothing is logged on back edges (A10)."""

    def logs(self, state: BarrierState, index: int) -> bool:
        """Never."""
        return False


class LogPastBarrier(CyclicBarriers):
    """Back edges are logged beyond their barrier (A10)."""

    def logs(self, state: BarrierState, index: int) -> bool:
        """From the recording on."""
        return self.is_back(index) and state.recorded is not None


class WaitForBackEdges(CyclicBarriers):
    """A process waits for the barriers of back edges too: Algorithm 1 on a cycle (A10)."""

    def records_now(self, arrived: tuple[bool, ...]) -> bool:
        """When all have arrived."""
        return all(arrived)


class StaysBlockedInCycles(CyclicBarriers):
    """A back edge is blocked, and for ever, when its barrier has come (A10)."""

    def blocked(self, state: BarrierState, index: int) -> bool:
        """A back edge from its barrier on."""
        return state.arrived[index] and (self.is_back(index) or state.recorded is None)


class FirstBarrierIsEnough(AtLeastOnceBarriers):
    """A process records at its first barrier although alignment is skipped, so records are lost (A4)."""

    def records_now(self, arrived: tuple[bool, ...]) -> bool:
        """At any barrier."""
        return any(arrived)


class NoBlockingInCycles(CyclicBarriers):
    """No input is blocked, back edge or not (A10)."""

    def blocked(self, state: BarrierState, index: int) -> bool:
        """Never."""
        return False


class SourceRecordsAgain(BarrierProcess):
    """A source records again when it is asked again (E1). Of any of the protocols."""

    def may_record(self, state: BarrierState) -> bool:
        """Always."""
        return True

    def expects_barrier(self, state: BarrierState, index: int) -> bool:
        """Any number of them."""
        return True


class SinkForgets(BarrierProcess):
    """A sink forgets its record with the next message that it accepts (E1). Of any of the protocols."""

    def after(
        self, state: BarrierState, app: Value, taken: Sequence[tuple[Channel, Message]]
    ) -> BarrierState:
        """With nothing recorded, if it has no outputs."""
        after = super().after(state, app, taken)
        return after._replace(recorded=None) if taken and not self.outputs else after


class TaskForgets(BarrierProcess):
    """A process with outputs forgets its record with the next message that it accepts (E1, E2). Of any protocol."""

    def after(
        self, state: BarrierState, app: Value, taken: Sequence[tuple[Channel, Message]]
    ) -> BarrierState:
        """With nothing recorded, if it has outputs."""
        after = super().after(state, app, taken)
        return after._replace(recorded=None) if taken and self.outputs else after

    def expects_barrier(self, state: BarrierState, index: int) -> bool:
        """Any number of them."""
        return True


class ForgetArrival(BarrierProcess):
    """A process forgets that a barrier has arrived (E11). Of any of the protocols."""

    def accept_barrier(
        self, state: BarrierState, channel: Channel, queued: tuple[Value, ...] = ()
    ) -> Step[BarrierState] | None:
        """With those that had arrived before."""
        step = super().accept_barrier(state, channel, queued)
        return step and step._replace(state=step.state._replace(arrived=state.arrived))


class BeginsWithRecord(Network):
    """It begins with the first record of process 1 in each channel (E7, A1). Of any of the protocols."""

    def left(self, channel: Channel) -> tuple[Coloured, ...]:
        """That record, white."""
        return (Coloured((1, 1, 0), WHITE),)


class ForgetToRecord(BarrierProcess):
    """Only sources record (E13). Of any of the protocols."""

    def obeys(self, *, says: bool) -> bool:
        """Never."""
        return False


class LogAlways(BarrierProcess):
    """Everything accepted is recorded as in flight (E6). Of any of the protocols."""

    def in_flight(self, *, says: bool) -> bool:
        """Always."""
        return True


ANY_BARRIER_MUTANTS: dict[str, Mutant] = {
    **mutants_of(
        "process",
        SourceRecordsAgain,
        SinkForgets,
        TaskForgets,
        ForgetArrival,
        ForgetToRecord,
        LogAlways,
    ),
    **mutants_of("network", BeginsWithRecord),
}
"""The seeded bugs of what the barrier protocols have in common, to be mixed into any of them."""

ALIGNED_MUTANTS: dict[str, Mutant] = mutants_of("process", NoBlocking, StaysBlocked, RecordAtFirstBarrier)
UNALIGNED_MUTANTS: dict[str, Mutant] = mutants_of(
    "process", WrongChannelsLogged, OvertakenLost, OvertakenBackwards, ForgetTogether
)
TIMEOUT_MUTANTS: dict[str, Mutant] = mutants_of("process", UnblockAtTimeout, StaysBlockedAfterTimeout)
CYCLIC_MUTANTS: dict[str, Mutant] = mutants_of(
    "process", DropLog, LogPastBarrier, WaitForBackEdges, NoBlockingInCycles, StaysBlockedInCycles
)
AT_LEAST_ONCE_MUTANTS: dict[str, Mutant] = mutants_of("process", FirstBarrierIsEnough)
"""The seeded bugs of each barrier protocol by name."""
