"""Snapshots with ids (``specs/Snapshots.tla``): Chandy and Lamport's algorithm again and again, several at a time.

A snapshot has an id, ``(initiator, number)``. ``ChandyLamport`` runs once; a process here runs it for each id by
itself, and all share the application and the channels. K. M. Chandy and L. Lamport, "Distributed Snapshots", TOCS 3(1),
1985.

Theory of operation
===================

The driver's duties are those of every process (:mod:`pyharness.machines.protocols.common.process`). It begins a snapshot with
:meth:`~Snapshots.initiate`, as often as it likes and without waiting for the ones before, and it is its affair whether
several may be under way. It hands each marker to :meth:`~Snapshots.accept_marker`.

*For each id* a process is white until it records and red ever after. It records when it initiates, or at the id's first
marker, and in that same step a marker of this id goes out on every output. Each input is open for the id from then on,
until its marker comes: a message accepted meanwhile is a part of the channel's state *for this id*. One message may be a
part of several snapshots, or of none.

*Markers of one initiator come in order* on each channel, and none is left out: an initiator numbers its snapshots 1, 2,
.., channels are FIFO, and a process sends its markers in the order in which the first ones came. So the highest number
that was accepted from an input, by initiator, is all that need be known to refuse a second marker, or one after a gap:
both mean that a link doubles or loses, or that a snapshot of an earlier life of the system is still about.

*A part that is complete* (red, and every input closed for this id) never changes. The driver takes it with
:meth:`~Snapshots.take`, which forgets it: so what a process remembers is what is under way, and one number for each
:meth:`~Snapshots.take`, which forgets it: so a process remembers only parts under way, and one number for each
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pyharness.base.errors import DriverError, PeerError
from pyharness.machines.protocols.common.process import Message, Process, Recorded, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.machines.protocols.applications.application import Channel, Value

SnapshotId: TypeAlias = tuple[int, int]
"""The initiator of a snapshot, and its number among the initiator's snapshots, from 1."""


class SnapshotMarker(NamedTuple):
    """The marker of a snapshot."""

    id: SnapshotId
    control: str = "marker"


class SnapshotPart(NamedTuple):
    """A process's part of a snapshot: its recorded state, and by input what is recorded and whether it is closed."""

    state: Value
    rec_chan: tuple[tuple[Value, ...], ...]
    closed: tuple[bool, ...]

    @property
    def complete(self) -> bool:
        """Whether it never changes again (E15)."""
        return all(self.closed)


class SnapshotsState(NamedTuple):
    """A process's state.

    ``app`` is the application's; ``parts`` are its parts of the snapshots for which it is red, by ascending id, but
    those that were taken; ``seen`` has for each input the initiators of the markers accepted from it, each with the
    highest number; ``begun`` is how many snapshots it has initiated.
    """

    app: Value
    parts: tuple[tuple[SnapshotId, SnapshotPart], ...]
    seen: tuple[tuple[tuple[int, int], ...], ...]
    begun: int

    @property
    def recorded(self) -> Recorded | None:
        """None: a process takes several snapshots, each with its own recording."""
        return None

    def part(self, snapshot: SnapshotId) -> SnapshotPart | None:
        """Return the part of a snapshot, if there is one."""
        return next((part for own, part in self.parts if own == snapshot), None)

    def with_part(self, snapshot: SnapshotId, part: SnapshotPart) -> SnapshotsState:
        """Return the state with this part of a snapshot."""
        others = [entry for entry in self.parts if entry[0] != snapshot]
        return self._replace(parts=tuple(sorted([*others, (snapshot, part)], key=lambda entry: entry[0])))


class Snapshots(Process[SnapshotsState]):
    """A process of the algorithm with ids. Mutants override one of its decisions."""

    def initial(self, app: Value) -> SnapshotsState:
        """Begin with no snapshot."""
        return SnapshotsState(app, (), ((),) * len(self.inputs), 0)

    # -- the algorithm's decisions -------------------------------------------------------------------------

    def next_id(self, state: SnapshotsState) -> SnapshotId:
        """Return the id of the next snapshot that it initiates. TLA+: NextOf."""
        return (self.identity, state.begun + 1)

    def turns_red(self, state: SnapshotsState, snapshot: SnapshotId) -> bool:
        """Return whether it turns red for a snapshot when a marker of it comes: at the first (E13). TLA+: TurnsRed."""
        return state.part(snapshot) is None

    def recording(self, state: SnapshotsState, index: int) -> frozenset[SnapshotId]:
        """Return the snapshots for which a message from an input is a part of its state (E6). TLA+: Recording."""
        return frozenset(snapshot for snapshot, part in state.parts if not part.closed[index])

    def expects_marker(self, state: SnapshotsState, index: int, snapshot: SnapshotId) -> bool:
        """Return whether a marker may come from an input now: the next one of its initiator there (E11)."""
        initiator, number = snapshot
        return number == dict(state.seen[index]).get(initiator, 0) + 1

    # -- actions -------------------------------------------------------------------------------------------

    def after(
        self, state: SnapshotsState, app: Value, taken: Sequence[tuple[Channel, Message]]
    ) -> SnapshotsState:
        """Record what is taken for each snapshot that records its channel."""
        for channel, message in taken:
            index = self._input_index[channel]
            snapshots = self.recording(state, index)
            parts = tuple(
                (own, _logged(part, index, message.msg) if own in snapshots else part)
                for own, part in state.parts
            )
            state = state._replace(parts=parts)
        return state._replace(app=app)

    def waits(self, *, complete: bool) -> bool:
        """Return whether an initiator waits where snapshots may not overlap: until those begun are ``complete`` (E16).

        TLA+: MayInitiate.
        """
        return not complete

    def initiate(self, state: SnapshotsState) -> Step[SnapshotsState] | None:
        """Begin its next snapshot; ``None`` for a process that is not an initiator (E16). TLA+: Initiate."""
        if not self.is_initiator:
            return None
        return self.record(state._replace(begun=state.begun + 1), self.next_id(state))

    def accept_marker(
        self, state: SnapshotsState, channel: Channel, marker: SnapshotMarker
    ) -> Step[SnapshotsState]:
        """Accept a marker, which closes the channel for its snapshot (E15). TLA+: AcceptMarker.

        Raises DriverError for a channel that is not its input, PeerError for an element that is not a marker, and for a marker that
        is not the next one of its initiator on this channel.
        """
        index = self.admit_snapshot_marker(state, channel, marker)
        turns = self.turns_red(state, marker.id)
        step = self.record(state, marker.id) if turns else Step(state, self.silence)
        return step._replace(state=self.close(step.state, index, marker.id))

    def record(self, state: SnapshotsState, snapshot: SnapshotId) -> Step[SnapshotsState]:
        """Record the state for a snapshot, and put a marker on each output (E6, E11). TLA+: Record."""
        part = SnapshotPart(state.app, ((),) * len(self.inputs), (False,) * len(self.inputs))
        body: Any = (SnapshotMarker(snapshot),)
        return Step(state.with_part(snapshot, part), (body,) * len(self.outputs))

    def close(self, state: SnapshotsState, index: int, snapshot: SnapshotId) -> SnapshotsState:
        """Close an input for a snapshot for which it is red, at its marker (E6, E15). TLA+: Close."""
        part = state.part(snapshot)
        if part is None:
            return state
        seen = tuple(sorted({**dict(state.seen[index]), snapshot[0]: snapshot[1]}.items()))
        state = state._replace(seen=(*state.seen[:index], seen, *state.seen[index + 1 :]))
        return state.with_part(snapshot, _closed(part, index))

    def admit_snapshot_marker(self, state: SnapshotsState, channel: Channel, marker: Any) -> int:
        """Return the place of an input if a marker may come from it now. Raises DriverError and PeerError."""
        index = self.input_index(channel)
        if not isinstance(marker, SnapshotMarker):
            raise PeerError(f"{marker!r} is not a marker of a snapshot", where=self._place(channel))
        if not self.expects_marker(state, index, marker.id):
            raise PeerError(
                f"marker {marker.id[1]} of process {marker.id[0]}, and it is not the next one of that process",
                where=self._place(channel),
                hint="a second one, or one that was lost: see what doubles or loses on this channel",
            )
        return index

    def take(self, state: SnapshotsState, snapshot: SnapshotId) -> tuple[SnapshotPart, SnapshotsState]:
        """Return its part of a snapshot that is complete, and the state in which that is forgotten.

        Raises DriverError if there is none, or it is not complete.
        """
        part = state.part(snapshot)
        if part is None or not part.complete:
            raise DriverError(
                f"its part of snapshot {snapshot} is not complete",
                where=self._place(),
                hint="ask `state.part` after each step that accepted a marker, or that initiated",
            )
        return part, state._replace(parts=tuple(entry for entry in state.parts if entry[0] != snapshot))


def _logged(part: SnapshotPart, index: int, msg: Value) -> SnapshotPart:
    log = (*part.rec_chan[index], msg)
    return part._replace(rec_chan=(*part.rec_chan[:index], log, *part.rec_chan[index + 1 :]))


def _closed(part: SnapshotPart, index: int) -> SnapshotPart:
    return part._replace(closed=(*part.closed[:index], True, *part.closed[index + 1 :]))
