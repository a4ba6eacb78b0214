"""Chandy and Lamport's algorithm (``specs/ChandyLamport.tla``), as a state machine per process.

A process records its state, spontaneously if it is an initiator or else in the action that accepts its first
marker, and puts a marker on each of its outputs before anything else. It then records what it accepts from an
input until that input's marker comes. K. M. Chandy and L. Lamport, "Distributed Snapshots", TOCS 3(1), 1985.

Theory of operation
===================

The duties of every machine's driver are those of :mod:`pyharness.machines.protocols.common.process`: FIFO channels, one atomic
step for an event with its outputs, outputs in order. The proof needs each of the three. If a message overtakes the
marker it is counted on both sides of the cut (``NonFifoChannel``); if a process sends between recording its state and
sending its markers, a message that is not part of the snapshot arrives ahead of the marker (``MarkerAfterMessage``).

There are two machines in one, and they are independent but for the moment of recording:

- *the process* is white until it records and red ever after. It turns in :meth:`~ChandyLamport.initiate`, if it is an
  initiator that no marker has reached, or in the :meth:`~ChandyLamport.accept_marker` that is its first. In that same
  step, and in no other, a marker goes out on every output, ahead of anything it sends later;
- *each input* is open until its marker comes and closed ever after. A message accepted from an open input while the
  process is red was sent before its sender recorded: that is the channel's state, in order.

When both are done, red and every input closed, the process's part is complete and never changes again:
``recorded`` and ``rec_chan`` may be reported (:mod:`~pyharness.machines.protocols.collecting.collection`). A driver that wants
to know asks :meth:`~ChandyLamport.locally_complete` after each step that accepted a marker, or that initiated.

``initiate`` returns ``None`` for a process that is not an initiator, and for one that has recorded: a timer and a marker
may race, and the second has nothing to do. Any number of processes may initiate, and it stays one snapshot.
``accept_marker`` never returns ``None``: the first element of a channel, if it is a marker, can always be taken, and
must be in the end (E18), or else the snapshot never completes. A second marker on one channel is refused, for what
should it close? It means that two snapshots are mixed up, or that a link delivers twice. To take a second snapshot,
make a new state with :meth:`~ChandyLamport.initial` when all processes are complete and all markers have arrived.

``exchange`` is EWD864a's larger action, that accepts from several inputs and sends on several outputs at once. If it
accepts the first marker it may be counted as white, with the state *after* it recorded and the markers after what it
sends, or as red, with the state *before* it and the markers in front: it yields both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyharness.base.errors import PeerError
from pyharness.machines.protocols.common.process import (
    MARKER,
    RED,
    WHITE,
    Body,
    Coloured,
    Element,
    Marker,
    Message,
    Process,
    Recorded,
    Step,
    messages_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyharness.machines.protocols.applications.application import Channel, Value


class ChandyLamportState(NamedTuple):
    """A process's state.

    ``app`` is the application's; ``recorded`` the recorded one; ``rec_chan`` has the recorded messages of each
    input; ``closed`` has for each input whether its marker was accepted; ``markers`` counts the markers sent
    on each output.
    """

    app: Value
    recorded: Recorded | None
    rec_chan: tuple[tuple[Value, ...], ...]
    closed: tuple[bool, ...]
    markers: tuple[int, ...]


class ChandyLamport(Process[ChandyLamportState]):
    """A process of the algorithm. Mutants override one of its decisions."""

    def initial(self, app: Value) -> ChandyLamportState:
        """Begin with nothing recorded and every input open."""
        return ChandyLamportState(
            app, None, ((),) * len(self.inputs), (False,) * len(self.inputs), (0,) * len(self.outputs)
        )

    # -- the algorithm's decisions -------------------------------------------------------------------------

    def may_initiate(self) -> bool:
        """Return whether it may record spontaneously: an initiator may (E16). TLA+: MayInitiate."""
        return self.is_initiator

    def may_record(self, state: ChandyLamportState) -> bool:
        """Return whether it may record its state: once (E1). TLA+: MayRecord."""
        return self.colour(state) == WHITE

    def turns_red(self, state: ChandyLamportState, *, accepts_marker: bool) -> bool:
        """Return whether it turns red in this action: a white one does that accepts a marker (E13). TLA+: TurnsRed."""
        return self.colour(state) == WHITE and accepts_marker

    def emission(
        self, state: ChandyLamportState, output: int, *, turns: bool, action: str, body: Body
    ) -> Body:
        """Return the elements for an output (its index): the marker after what is white, ahead of what is red (E12).

        TLA+: Emission.
        """
        if not turns:
            return body
        return (MARKER, *body) if action == RED else (*body, MARKER)

    def recording(self, state: ChandyLamportState, index: int, *, action: str) -> bool:
        """Return whether a message from input ``index`` is part of the channel's state (E6). TLA+: Recording."""
        return action == RED and not state.closed[index]

    def locally_complete(self, state: ChandyLamportState) -> bool:
        """Return whether this process's part of the snapshot is complete (E15). TLA+: LocallyComplete."""
        return self.colour(state) == RED and all(state.closed)

    # -- actions -------------------------------------------------------------------------------------------

    def after(
        self, state: ChandyLamportState, app: Value, taken: Sequence[tuple[Channel, Message | Coloured]]
    ) -> ChandyLamportState:
        """Record what is taken from the inputs being recorded."""
        return self.take(state, self.colour(state), taken)._replace(app=app)

    def act(
        self,
        before: ChandyLamportState,
        after: ChandyLamportState,
        outputs: tuple[Body, ...],
        *,
        accepts_marker: bool = False,
        action: str | None = None,
    ) -> Step[ChandyLamportState]:
        """End an action: a process that turns red in it records the state that white actions alone have made (E1, E6).

        TLA+: Act.
        """
        action = action or self.colour(before)
        turns = self.turns_red(before, accepts_marker=accepts_marker)
        if turns:
            after = after._replace(recorded=Recorded(after.app if action == WHITE else before.app))
        return self.put(before, after, outputs, turns=turns, action=action)

    def take(
        self, state: ChandyLamportState, action: str, taken: Sequence[tuple[Channel, Element]]
    ) -> ChandyLamportState:
        """Take from inputs: a message is recorded while its channel is, a marker closes that (E6). TLA+: Take."""
        rec_chan, closed = state.rec_chan, state.closed
        for channel, element in taken:
            index = self._input_index[channel]
            if isinstance(element, Marker):
                closed = (*closed[:index], True, *closed[index + 1 :])
            elif self.recording(state, index, action=action):
                rec_chan = (*rec_chan[:index], rec_chan[index] + (element.msg,), *rec_chan[index + 1 :])
        return state._replace(rec_chan=rec_chan, closed=closed)

    def put(
        self,
        before: ChandyLamportState,
        after: ChandyLamportState,
        outputs: tuple[Body, ...],
        *,
        turns: bool,
        action: str,
    ) -> Step[ChandyLamportState]:
        """Put on each output what goes out there, and count the markers. TLA+: Put."""
        sent = tuple(
            self.emission(before, index, turns=turns, action=action, body=body)
            for index, body in enumerate(outputs)
        )
        markers = tuple(count + body.count(MARKER) for count, body in zip(before.markers, sent, strict=True))
        return Step(after._replace(markers=markers), sent, action)

    def initiate(self, state: ChandyLamportState) -> Step[ChandyLamportState] | None:
        """Record spontaneously; any number of initiators may (E16). TLA+: Initiate."""
        if not self.may_initiate() or not self.may_record(state):
            return None
        after = state._replace(recorded=Recorded(state.app))
        return self.put(state, after, self.silence, turns=True, action=RED)

    def accept_marker(self, state: ChandyLamportState, channel: Channel) -> Step[ChandyLamportState]:
        """Accept the marker of ``channel``, which closes its recording (E15). TLA+: AcceptMarker.

        Raises DriverError for a channel that is not its input, PeerError for a second marker on one channel.
        """
        self.admit_marker(state, channel, MARKER)
        after = self.take(state, self.colour(state), ((channel, MARKER),))
        return self.act(state, after, self.silence, accepts_marker=True)

    def admit_marker(self, state: ChandyLamportState, channel: Channel, marker: Marker) -> int:
        """Admit the one marker of an input (E11). Raises DriverError and PeerError."""
        index = self.input_index(channel)
        if marker != MARKER:
            raise PeerError(
                f"{marker!r} is not this protocol's", where=self._place(channel), hint=f"it is {MARKER!r}"
            )
        if state.closed[index]:
            raise PeerError(
                "a second marker",
                where=self._place(channel),
                hint="a process sends one on each output: see what put two on this channel",
            )
        return index

    def _exchange(
        self, state: ChandyLamportState, taken: Mapping[Channel, Element], sending: Sequence[Channel]
    ) -> Iterator[Step[ChandyLamportState]]:
        """Accept all of ``taken``, markers too, then send on each of ``sending``. TLA+: Exchange (E17).

        An action that accepts the first marker may have either colour.
        """
        messages = messages_of(taken)
        accepts_marker = len(messages) < len(taken)
        turns = self.turns_red(state, accepts_marker=accepts_marker)
        accepted = tuple(sorted(taken.items()))
        for app, bodies in self.exchanges(state, messages, sending):
            for action in (WHITE, RED) if turns else (self.colour(state),):
                after = self.take(state, action, accepted)._replace(app=app)
                out = self._bodies(bodies)
                yield self.act(state, after, out, accepts_marker=accepts_marker, action=action)
