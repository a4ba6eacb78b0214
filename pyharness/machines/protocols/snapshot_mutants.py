"""Seeded bugs of the snapshot protocols, one of each kind; ``specs/mutants/`` has all of them, and more, in TLA+.

Each class breaks one idea, by overriding the decision of that idea.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from pyharness.machines.protocols.barriers.barrier_protocols import (
    AlignedBarriers,
    BarrierProcess,
    BarrierState,
    CyclicBarriers,
    TimeoutBarriers,
    UnalignedBarriers,
)
from pyharness.machines.protocols.collecting.collection import Collector, Reporter
from pyharness.machines.protocols.colouring.white_red import WhiteRed, WhiteRedState
from pyharness.machines.protocols.common.mutant import Mutant, mutants_of
from pyharness.machines.protocols.common.process import (
    MARKER,
    RED,
    WHITE,
    Body,
    Coloured,
    Element,
    Network,
    Recorded,
    Step,
)
from pyharness.machines.protocols.markers.chandy_lamport import ChandyLamport, ChandyLamportState
from pyharness.machines.protocols.markers.snapshots import Snapshots
from pyharness.machines.protocols.stopping.stop_the_world import (
    Controller,
    StopTheWorld,
    StopTheWorldState,
    World,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyharness.machines.protocols.applications.application import Channel, Value
    from pyharness.machines.protocols.collecting.predicates import Snapshot
    from pyharness.machines.protocols.markers.snapshots import SnapshotId, SnapshotsState


# -- channels, in any protocol -------------------------------------------------------------------------------


class NonFifoChannel(Network):
    """A channel is a bag: a red message can overtake the marker (E4, E5)."""

    def positions(self, queue: tuple[Element, ...]) -> Iterable[int]:
        """Return all positions: any element may come next."""
        return range(len(queue))


class CappedChannel(Network):
    """A channel of capacity 1 makes its sender wait; SSS may then be unreachable (E7, E8)."""

    def room(self, queue: tuple[Element, ...]) -> bool:
        """Return whether the channel is empty."""
        return len(queue) < 1


class UnfairChannel(Network):
    """One channel need not deliver (E3, E14, E18)."""

    def fair(self, channels: Sequence[Channel]) -> Iterable[Channel]:
        """Return all channels but the least."""
        return sorted(channels)[1:]


# -- WhiteRed ------------------------------------------------------------------------------------------------


class NoGuard(WhiteRed):
    """A white machine accepts red messages too (E4)."""

    def allows(self, action: str, message: Coloured) -> bool:
        """Return true: messages are accepted regardless of their colours (E4)."""
        return True


class TurnBack(WhiteRed):
    """A red machine that is ordered once more to turn is white again (E1, E2)."""

    def turn(self, state: WhiteRedState, app: Value) -> WhiteRedState:
        """Return a white state if the machine was red, else a red one."""
        return state._replace(recorded=Recorded(app) if state.recorded is None else None)


class BeginsWithMessage(Network):
    """Each channel begins with item 1, which no process has sent (E5, E7)."""

    def left(self, channel: Channel) -> tuple[Coloured, ...]:
        """Return item 1, white."""
        return (Coloured(1, WHITE),)


# -- ChandyLamport -------------------------------------------------------------------------------------------


class LateTurn(ChandyLamport):
    """A process turns red in the first action after the one that accepted a marker (E4, E13)."""

    def turns_red(self, state: ChandyLamportState, *, accepts_marker: bool) -> bool:
        """Return whether an earlier action accepted a marker."""
        return self.colour(state) == WHITE and any(state.closed)


class MarkerAfterMessage(ChandyLamport):
    """The marker is sent after the next message (E4, E12)."""

    def emission(
        self, state: ChandyLamportState, output: int, *, turns: bool, action: str, body: Body
    ) -> Body:
        """Return the body, with the marker only after a message has gone."""
        late = not turns and self.colour(state) == RED and state.markers[output] == 0 and body
        return (*body, MARKER) if late else body


class DropChannelState(ChandyLamport):
    """Channel states are dropped: a token in transit is lost (E6)."""

    def recording(self, state: ChandyLamportState, index: int, *, action: str) -> bool:
        """Return false: no message is recorded."""
        return False


class ForgetCompanions(ChandyLamport):
    """In an action that accepts a marker, the messages from other inputs are not recorded (E6, E17)."""

    def take(
        self, state: ChandyLamportState, action: str, taken: Sequence[tuple[Channel, Element]]
    ) -> ChandyLamportState:
        """Record no message of an action that accepts a marker."""
        after = super().take(state, action, taken)
        forgets = any(element == MARKER for _, element in taken)
        return after._replace(rec_chan=state.rec_chan) if forgets else after


class FewerInitiators(ChandyLamport):
    """The first of the initiators does not initiate (E14)."""

    def may_initiate(self) -> bool:
        """Return whether the process is an initiator other than the first."""
        return self.is_initiator and self.identity != min(self.topology.initiators)


class RecordAgain(ChandyLamport):
    """A process records again at each further marker (E1)."""

    def act(
        self,
        before: ChandyLamportState,
        after: ChandyLamportState,
        outputs: tuple[Body, ...],
        *,
        accepts_marker: bool = False,
        action: str | None = None,
    ) -> Step[ChandyLamportState]:
        """Record whenever a marker comes."""
        step = super().act(before, after, outputs, accepts_marker=accepts_marker, action=action)
        if not accepts_marker:
            return step
        recorded = Recorded((before if step.colour == RED else after).app)
        return step._replace(state=step.state._replace(recorded=recorded))


# -- Snapshots -----------------------------------------------------------------------------------------------


class RecordsForOne(Snapshots):
    """A message is recorded for the least of the ids that record its channel (E6)."""

    def recording(self, state: SnapshotsState, index: int) -> frozenset[SnapshotId]:
        """Return the least id alone."""
        return frozenset(sorted(super().recording(state, index))[:1])


class BufferIsShared(Snapshots):
    """A recording that begins discards what others have recorded (E6)."""

    def record(self, state: SnapshotsState, snapshot: SnapshotId) -> Step[SnapshotsState]:
        """Record the process, and empty all channels' recordings for all snapshots."""
        nothing = ((),) * len(self.inputs)
        parts = tuple((own, part._replace(rec_chan=nothing)) for own, part in state.parts)
        return super().record(state._replace(parts=parts), snapshot)


class SkipsNumber(Snapshots):
    """An initiator leaves out every second number (E11)."""

    def next_id(self, state: SnapshotsState) -> SnapshotId:
        """Return an odd number."""
        return (self.identity, 2 * state.begun + 1)

    def expects_marker(self, state: SnapshotsState, index: int, snapshot: SnapshotId) -> bool:
        """Return true: any marker is expected."""
        return True


# -- StopTheWorld --------------------------------------------------------------------------------------------


class NoWaiting(Controller):
    """A paused process records at any time, and resumes when it has (E4, E6)."""

    def may_record(self, world: World, number: int) -> bool:
        """Return whether the process is paused and has not recorded."""
        return world.paused[number] and not world.red[number]

    def may_resume(self, world: World) -> bool:
        """Return true: all may resume at any time."""
        return True


class MissOne(Controller):
    """The recording in one instant misses a process, and its inputs (E3, E6)."""

    def everyone(self, processes: int) -> range:
        """Return all processes but the last."""
        return range(processes - 1)


class ForgetRecord(StopTheWorld):
    """A process that resumes forgets what it recorded (E1)."""

    def kept(self, state: StopTheWorldState) -> Recorded | None:
        """Return None: the recording is forgotten."""
        return None


# -- barriers ------------------------------------------------------------------------------------------------


class ForgetToRecord(BarrierProcess):
    """Only sources record (E13). Of any of the protocols."""

    def obeys(self, *, says: bool) -> bool:
        """Return false: no process obeys its protocol."""
        return False


class NoBlocking(AlignedBarriers):
    """No input is blocked, as at-least-once does on purpose (A1, A11)."""

    def blocked(self, state: BarrierState, index: int) -> bool:
        """Return false: no input is blocked."""
        return False


class StaysBlocked(AlignedBarriers):
    """An input whose barrier has come stays blocked when its process has recorded (A11)."""

    def blocked(self, state: BarrierState, index: int) -> bool:
        """Return whether the input's barrier has come, also after the recording."""
        return state.arrived[index]


class OvertakenLost(UnalignedBarriers):
    """The records that a barrier overtakes are not recorded (A5)."""

    def overtaken(self, queued: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return no record."""
        return ()


class UnblockAtTimeout(TimeoutBarriers):
    """A timeout unblocks the inputs whose barrier has come, and their later records are logged too (A6)."""

    def blocked(self, state: BarrierState, index: int) -> bool:
        """Return whether the barrier has come and the process has not recorded."""
        return state.arrived[index] and state.recorded is None

    def logs(self, state: BarrierState, index: int) -> bool:
        """Return true, for every input, until all barriers have come."""
        return state.recorded is not None and not all(state.arrived)


class DropLog(CyclicBarriers):
    """Nothing is logged on back edges (A10)."""

    def logs(self, state: BarrierState, index: int) -> bool:
        """Return false: no record is logged."""
        return False


# -- Collection ----------------------------------------------------------------------------------------------


class ReportEarly(Reporter):
    """A process reports while its channels are still being recorded (E15)."""

    def may_report(self, state: ChandyLamportState) -> bool:
        """Return whether the process has recorded its state."""
        return self.colour(state) == RED


class _ProcessesOnly(Collector):
    def holds(self, snapshot: Snapshot) -> bool:
        return super().holds(snapshot._replace(channels=dict.fromkeys(snapshot.channels, ())))


class IgnoreChannels(Reporter):
    """The predicate is tested on the processes' states alone, as if nothing were in transit (E19)."""

    collector: ClassVar[type[Collector]] = _ProcessesOnly


NETWORK_MUTANTS: Final[Mapping[str, Mutant]] = mutants_of(
    "network", NonFifoChannel, CappedChannel, UnfairChannel
)
"""The seeded bugs of the channels by name."""

WHITE_RED_MUTANTS: Final[Mapping[str, Mutant]] = {
    **mutants_of("process", NoGuard, TurnBack),
    **mutants_of("network", BeginsWithMessage),
}
CHANDY_LAMPORT_MUTANTS: Final[Mapping[str, Mutant]] = mutants_of(
    "process",
    *(LateTurn, MarkerAfterMessage, DropChannelState, ForgetCompanions, FewerInitiators, RecordAgain),
)
SNAPSHOTS_MUTANTS: Final[Mapping[str, Mutant]] = mutants_of(
    "process", RecordsForOne, BufferIsShared, SkipsNumber
)
STOP_THE_WORLD_MUTANTS: Final[Mapping[str, Mutant]] = {
    **mutants_of("controller", NoWaiting, MissOne),
    **mutants_of("process", ForgetRecord),
}
ANY_BARRIER_MUTANTS: Final[Mapping[str, Mutant]] = mutants_of("process", ForgetToRecord)
"""The seeded bugs of the part that all barrier protocols share, to be mixed into any of them."""

ALIGNED_MUTANTS: Final[Mapping[str, Mutant]] = mutants_of("process", NoBlocking, StaysBlocked)
UNALIGNED_MUTANTS: Final[Mapping[str, Mutant]] = mutants_of("process", OvertakenLost)
TIMEOUT_MUTANTS: Final[Mapping[str, Mutant]] = mutants_of("process", UnblockAtTimeout)
CYCLIC_MUTANTS: Final[Mapping[str, Mutant]] = mutants_of("process", DropLog)
COLLECTION_MUTANTS: Final[Mapping[str, Mutant]] = mutants_of("process", ReportEarly, IgnoreChannels)
"""The seeded bugs of each protocol by name."""
