"""Chandy and Lamport's algorithm (``specs/ChandyLamport.tla``), as a state machine per process.

A process records its state, spontaneously if it is an initiator or else in the action that accepts its first
marker, and puts a marker on each of its outputs before anything else. It then records what it accepts from an
input until that input's marker comes. K. M. Chandy and L. Lamport, "Distributed Snapshots", TOCS 3(1), 1985.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyharness.protocols.process import MARKER, RED, WHITE, Element, Message, Process, Recorded, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.protocols.application import Channel, Value

__all__ = ["ChandyLamport", "ChandyLamportState"]


class ChandyLamportState(NamedTuple):
    """A process's state.

    ``app`` is the application's; ``recorded`` the recorded one; ``rec_chan`` has the recorded messages of each
    input; ``closed`` tells of each input whether its marker was accepted; ``markers`` counts the markers sent
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

    def turns_red(self, state: ChandyLamportState, *, accepts_marker: bool) -> bool:
        """Tell whether a white process turns red in this action: when it accepts a marker (E13). TLA+: TurnsRed."""
        return accepts_marker

    def emission(
        self, state: ChandyLamportState, output: int, *, turning: bool, body: tuple[Element, ...]
    ) -> tuple[Element, ...]:
        """Give what goes out on an output (its index): the marker as soon as it turns red (E11, E12).

        TLA+: Emission.
        """
        return (MARKER, *body) if turning else body

    def recording(self, state: ChandyLamportState, index: int) -> bool:
        """Tell whether what is accepted from input ``index`` is part of the channel's state (E6). TLA+: Recording."""
        return self.colour(state) == RED and not state.closed[index]

    # -- actions -------------------------------------------------------------------------------------------

    def after(
        self, state: ChandyLamportState, app: Value, taken: Sequence[tuple[Channel, Message]]
    ) -> ChandyLamportState:
        """Record what is taken from the inputs being recorded."""
        rec_chan = state.rec_chan
        for channel, message in taken:
            index = self.inputs.index(channel)
            if self.recording(state, index):
                rec_chan = (*rec_chan[:index], (*rec_chan[index], message.msg), *rec_chan[index + 1 :])
        return state._replace(app=app, rec_chan=rec_chan)

    def act(
        self,
        before: ChandyLamportState,
        after: ChandyLamportState,
        outputs: tuple[tuple[Element, ...], ...],
        *,
        accepts_marker: bool = False,
    ) -> Step[ChandyLamportState]:
        """End an action, turning red in it if it is time. TLA+: Act."""
        turning = self.colour(before) == WHITE and self.turns_red(before, accepts_marker=accepts_marker)
        return self._emit(before, after, outputs, turning=turning)

    def initiate(self, state: ChandyLamportState) -> Step[ChandyLamportState] | None:
        """Record spontaneously; any number of initiators may (E16). TLA+: Initiate."""
        if not self.is_initiator or self.colour(state) == RED:
            return None
        return self._emit(state, state, self.silence, turning=True)

    def accept_marker(self, state: ChandyLamportState, channel: Channel) -> Step[ChandyLamportState]:
        """Accept the marker of ``channel``, which closes its recording (E15). TLA+: AcceptMarker."""
        index = self.inputs.index(channel)
        closed = (*state.closed[:index], True, *state.closed[index + 1 :])
        return self.act(state, state._replace(closed=closed), self.silence, accepts_marker=True)

    def locally_complete(self, state: ChandyLamportState) -> bool:
        """Tell whether this process's part of the snapshot is complete (E15). TLA+: LocallyComplete."""
        return self.colour(state) == RED and all(state.closed)

    def _emit(
        self,
        before: ChandyLamportState,
        after: ChandyLamportState,
        outputs: tuple[tuple[Element, ...], ...],
        *,
        turning: bool,
    ) -> Step[ChandyLamportState]:
        sent = tuple(
            self.emission(before, index, turning=turning, body=body) for index, body in enumerate(outputs)
        )
        markers = tuple(
            count + sum(element is MARKER for element in body)
            for count, body in zip(before.markers, sent, strict=True)
        )
        recorded = Recorded(after.app) if turning else after.recorded
        return Step(after._replace(recorded=recorded, markers=markers), sent)
