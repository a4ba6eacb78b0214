"""Seeded bugs of snapshots with ids. Each class breaks one idea, by overriding the decisions of that idea."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.machines.protocols.common.message_log import EMPTY_LOG
from pyharness.machines.protocols.common.mutant import Mutant, mutants_of
from pyharness.machines.protocols.common.process import WHITE, Coloured, Network
from pyharness.machines.protocols.markers.snapshots import Snapshots

if TYPE_CHECKING:
    from pyharness.machines.protocols.applications.application import Channel
    from pyharness.machines.protocols.common.process import Step
    from pyharness.machines.protocols.markers.snapshots import SnapshotId, SnapshotMarker, SnapshotsState


class ClosesAll(Snapshots):
    """A marker closes its channel for all snapshots (E6, E15)."""

    def close(self, state: SnapshotsState, index: int, snapshot: SnapshotId) -> SnapshotsState:
        """For each of which there is a part."""
        closed = super().close(state, index, snapshot)
        for other, _ in closed.parts:
            part = closed.part(other)
            if part is not None:
                done = (*part.closed[:index], True, *part.closed[index + 1 :])
                closed = closed.with_part(other, part._replace(closed=done))
        return closed


class RecordsForOne(Snapshots):
    """A message is recorded for the least of the ids that record its channel (E6)."""

    def recording(self, state: SnapshotsState, index: int) -> frozenset[SnapshotId]:
        """The least one."""
        return frozenset(sorted(super().recording(state, index))[:1])


class IgnoresSecond(Snapshots):
    """A process that records for one snapshot does not begin to record for another one at its marker (E13)."""

    def turns_red(self, state: SnapshotsState, snapshot: SnapshotId) -> bool:
        """Only while nothing is being recorded."""
        return super().turns_red(state, snapshot) and self.phase(state) == "idle"


class SharesState(Snapshots):
    """A later recording takes the state that an earlier one has recorded (E6)."""

    def record(self, state: SnapshotsState, snapshot: SnapshotId) -> Step[SnapshotsState]:
        """With the state of the least id that is there."""
        step = super().record(state, snapshot)
        part = step.state.part(snapshot)
        if not state.parts or part is None:
            return step
        first = part._replace(state=state.parts[0][1].state)
        return step._replace(state=step.state.with_part(snapshot, first))


class BufferIsShared(Snapshots):
    """A recording that begins discards what others have recorded (E6)."""

    def record(self, state: SnapshotsState, snapshot: SnapshotId) -> Step[SnapshotsState]:
        """With nothing recorded of any channel for any snapshot."""
        nothing = (EMPTY_LOG,) * len(self.inputs)
        parts = tuple((own, part._replace(rec_chan=nothing)) for own, part in state.parts)
        return super().record(state._replace(parts=parts), snapshot)


class RecordsOnce(Snapshots):
    """Ids are not told apart: who has recorded for one snapshot does not record for another one (E13)."""

    def turns_red(self, state: SnapshotsState, snapshot: SnapshotId) -> bool:
        """Only for the first."""
        return not state.parts


class RecordsAgain(Snapshots):
    """A process records at each marker of a snapshot, and puts out markers each time (E1, E11)."""

    def turns_red(self, state: SnapshotsState, snapshot: SnapshotId) -> bool:
        """Always."""
        return True

    def record(self, state: SnapshotsState, snapshot: SnapshotId) -> Step[SnapshotsState]:
        """In the place of what was recorded; what is recorded of channels stays."""
        step, was = super().record(state, snapshot), state.part(snapshot)
        if was is None:
            return step
        return step._replace(state=step.state.with_part(snapshot, was._replace(state=state.app)))

    def expects_marker(self, state: SnapshotsState, index: int, snapshot: SnapshotId) -> bool:
        """Any number of them."""
        return True


class SkipsNumber(Snapshots):
    """An initiator leaves out every second number (E11)."""

    def next_id(self, state: SnapshotsState) -> SnapshotId:
        """An odd one."""
        return (self.identity, 2 * state.begun + 1)

    def expects_marker(self, state: SnapshotsState, index: int, snapshot: SnapshotId) -> bool:
        """Any one."""
        return True


class NumbersFromTwo(SkipsNumber):
    """An initiator begins to number its snapshots with 2 (E11)."""

    def next_id(self, state: SnapshotsState) -> SnapshotId:
        """One further."""
        return (self.identity, state.begun + 2)


class InitiatesOnce(Snapshots):
    """An initiator takes one snapshot, and no other one (E16, E18)."""

    def initiate(self, state: SnapshotsState) -> Step[SnapshotsState] | None:
        """The first."""
        return None if state.begun else super().initiate(state)


class NumbersStay(RecordsAgain):
    """An initiator gives all its snapshots one number; what it recorded last takes the place of the first (E1, E11)."""

    def next_id(self, state: SnapshotsState) -> SnapshotId:
        """The first one."""
        return (self.identity, 1)

    def turns_red(self, state: SnapshotsState, snapshot: SnapshotId) -> bool:
        """At the first marker, as it should."""
        return state.part(snapshot) is None


class GivesUpOlder(Snapshots):
    """A process that begins to record at a marker gives up its parts that are not complete (E1)."""

    def next_id(self, state: SnapshotsState) -> SnapshotId:
        """By the parts that are left."""
        return (self.identity, 1 + sum(initiator == self.identity for (initiator, _), _ in state.parts))

    def expects_marker(self, state: SnapshotsState, index: int, snapshot: SnapshotId) -> bool:
        """Any one: what was given up begins anew."""
        return True

    def accept_marker(
        self, state: SnapshotsState, channel: Channel, marker: SnapshotMarker
    ) -> Step[SnapshotsState]:
        """As if they had not begun."""
        if self.turns_red(state, marker.id):
            state = state._replace(parts=tuple(entry for entry in state.parts if entry[1].complete))
        return super().accept_marker(state, channel, marker)


class RedOfReceiver(Network):
    """A message is red for the ids for which its receiver is (E2)."""

    def red_for(self, sender: frozenset[Any], receiver: frozenset[Any]) -> frozenset[Any]:
        """The receiver's."""
        return receiver


class RedByInitiator(Network):
    """A message tells for whose snapshots its sender is red, and leaves out their numbers (E2)."""

    def red_for(self, sender: frozenset[Any], receiver: frozenset[Any]) -> frozenset[Any]:
        """With 0 for each number."""
        return frozenset((initiator, 0) for initiator, _ in sender)


class BeginsInFlight(Network):
    """It begins with item 1 in each channel, which nobody has sent (E5, E7)."""

    def left(self, channel: Channel) -> tuple[Coloured, ...]:
        """Item 1, white."""
        return (Coloured(1, WHITE),)


class WaitsForNone(Snapshots):
    """An initiator begins a snapshot although one is not complete, and they may not overlap (E16)."""

    def waits(self, *, complete: bool) -> bool:
        """Never."""
        return False


SNAPSHOTS_MUTANTS: dict[str, Mutant] = {
    **mutants_of(
        "process",
        *(ClosesAll, RecordsForOne, IgnoresSecond, RecordsOnce, RecordsAgain),
        *(SharesState, BufferIsShared, SkipsNumber, NumbersFromTwo),
        *(InitiatesOnce, NumbersStay, GivesUpOlder, WaitsForNone),
    ),
    **mutants_of("network", RedOfReceiver, RedByInitiator, BeginsInFlight),
}
"""The seeded bugs by name."""
