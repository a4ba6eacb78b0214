"""Seeded bugs of Chandy and Lamport's processes. Each class overrides the decision of the idea that it breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.protocols.common.mutant import Mutant, mutants_of
from pyharness.protocols.common.process import (
    MARKER,
    RED,
    WHITE,
    Body,
    Coloured,
    Element,
    Message,
    Recorded,
    Step,
)
from pyharness.protocols.markers.chandy_lamport import ChandyLamport, ChandyLamportState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.protocols.applications.application import Channel, Value

__all__ = [
    "CHANDY_LAMPORT_MUTANTS",
    "AnyoneInitiates",
    "DropChannelState",
    "FewerInitiators",
    "FinishEarly",
    "ForgetAllAtMarker",
    "ForgetAtMarker",
    "ForgetCompanions",
    "ForgetInput",
    "InitiateAgain",
    "InitiatorRecordsAgain",
    "LateTurn",
    "LeftOver",
    "MarkerAfterMessage",
    "MarkerBeforeRecording",
    "MarkerPerMarker",
    "RecordAgain",
    "RecordBackwards",
    "RecordBeforeSending",
    "RecordPastMarker",
    "RecordUntilRed",
    "SecondMarker",
    "TwoPerOutput",
]


class MarkerAfterMessage(ChandyLamport):
    """The marker is sent after the next message (E4, E12)."""

    def emission(
        self,
        state: ChandyLamportState,
        output: int,
        *,
        sends_markers: bool,
        action: str,
        body: Body,
    ) -> Body:
        """Put off the marker until a message has gone."""
        late = not sends_markers and self.colour(state) == RED and state.markers[output] == 0 and body
        return (*body, MARKER) if late else body


class LateTurn(ChandyLamport):
    """A process turns red in the first action after the one that accepted a marker (E4, E13)."""

    def turns_red(self, state: ChandyLamportState, *, accepts_marker: bool) -> bool:
        """Only if an earlier action accepted one."""
        return any(state.closed)


class ForgetCompanions(ChandyLamport):
    """In an action that accepts a marker, the messages from other inputs are not recorded (E6, E17)."""

    def _took(
        self, state: ChandyLamportState, action: str, taken: Sequence[tuple[Channel, Element]]
    ) -> ChandyLamportState:
        after = super()._took(state, action, taken)
        forgets = any(element == MARKER for _, element in taken)
        return after._replace(rec_chan=state.rec_chan) if forgets else after


class InitiateAgain(ChandyLamport):
    """An initiator whose part is complete may initiate again (E1, E11)."""

    def may_record(self, state: ChandyLamportState) -> bool:
        """Also when its part is complete."""
        return super().may_record(state) or self.locally_complete(state)

    def expects_marker(self, state: ChandyLamportState, index: int) -> bool:
        """Any number of them."""
        return True


class SecondMarker(ChandyLamport):
    """A process turns red as it accepts its second marker (E13)."""

    def turns_red(self, state: ChandyLamportState, *, accepts_marker: bool) -> bool:
        """Only if it is not the first."""
        return accepts_marker and any(state.closed)


class DropChannelState(ChandyLamport):
    """Channel states are dropped: a token in transit is lost (E6)."""

    def recording(
        self, state: ChandyLamportState, index: int, *, action: str, message: Message | Coloured
    ) -> bool:
        """Never."""
        return False


class RecordPastMarker(ChandyLamport):
    """Recording goes on past the marker (E6)."""

    def recording(
        self, state: ChandyLamportState, index: int, *, action: str, message: Message | Coloured
    ) -> bool:
        """For ever, once red."""
        return action == RED


class RecordUntilRed(ChandyLamport):
    """The recording of a channel is closed by its first red message, which need not exist (E6, E15)."""

    carries = Coloured

    def closes(self, element: Element) -> bool:
        """A red message does."""
        return isinstance(element, Coloured) and element.colour == RED

    def expects_marker(self, state: ChandyLamportState, index: int) -> bool:
        """Whether the input is closed or not."""
        return True

    def recording(
        self, state: ChandyLamportState, index: int, *, action: str, message: Message | Coloured
    ) -> bool:
        """What is white."""
        white = isinstance(message, Coloured) and message.colour == WHITE
        return action == RED and not state.closed[index] and white


class RecordAgain(ChandyLamport):
    """A process records again at each further marker (E1)."""

    def recorded(
        self, state: ChandyLamportState, *, turning: bool, accepts_marker: bool, value: Value
    ) -> Recorded | None:
        """Whenever a marker comes."""
        return Recorded(value) if turning or accepts_marker else state.recorded


class InitiatorRecordsAgain(ChandyLamport):
    """An initiator records again as it accepts a marker (E16)."""

    def recorded(
        self, state: ChandyLamportState, *, turning: bool, accepts_marker: bool, value: Value
    ) -> Recorded | None:
        """Whenever a marker comes to an initiator."""
        again = accepts_marker and self.is_initiator
        return Recorded(value) if turning or again else state.recorded


class MarkerPerMarker(ChandyLamport):
    """A process puts out markers for each marker that it accepts (E11)."""

    def sends_markers(self, *, turning: bool, accepts_marker: bool) -> bool:
        """Whenever a marker comes."""
        return turning or accepts_marker

    def expects_marker(self, state: ChandyLamportState, index: int) -> bool:
        """Any number of them."""
        return True


class FewerInitiators(ChandyLamport):
    """The first of the initiators does not initiate (E14)."""

    def may_initiate(self) -> bool:
        """All but the first."""
        return self.is_initiator and self.identity != min(self.topology.initiators)


class FinishEarly(ChandyLamport):
    """A process says that it is done after its first marker (E15)."""

    def locally_complete(self, state: ChandyLamportState) -> bool:
        """As soon as one input is closed."""
        return self.colour(state) == RED and (not self.inputs or any(state.closed))


class ForgetInput(ChandyLamport):
    """A process forgets an input when it says that it is done (E15)."""

    def locally_complete(self, state: ChandyLamportState) -> bool:
        """As soon as all inputs but one are closed."""
        return self.colour(state) == RED and bool(self.inputs) and state.closed.count(False) <= 1


class RecordBeforeSending(ChandyLamport):
    """An action that turns red records the state before it, and sends its messages ahead of the markers (E17)."""

    def state_recorded(self, action: str, before: Value, after: Value) -> Value:
        """The state before, whatever the action's colour."""
        return before


class TwoPerOutput(ChandyLamport):
    """An action sends two messages on an output, with the marker between them (E17)."""

    def sends(
        self, app: Value, sending: Sequence[Channel]
    ) -> Iterator[tuple[Value, dict[Channel, tuple[Value, ...]]]]:
        """One or two messages on each channel."""
        if not sending:
            yield app, {}
            return
        first, rest = sending[0], sending[1:]
        for after, (msg,) in self._each(app, first):
            for ended, body in ((after, (msg,)), *((e, (msg, *b)) for e, b in self._each(after, first))):
                for end, bodies in self.sends(ended, rest):
                    yield end, {first: body, **bodies}

    def _each(self, app: Value, channel: Channel) -> Iterator[tuple[Value, tuple[Value, ...]]]:
        for msg in self.application.sendable(self.identity, channel, app):
            yield self.application.after_send(self.identity, channel, app, msg), (msg,)

    def emission(
        self,
        state: ChandyLamportState,
        output: int,
        *,
        sends_markers: bool,
        action: str,
        body: Body,
    ) -> Body:
        """Put the marker between two messages."""
        if sends_markers and len(body) == 2:
            return (body[0], MARKER, body[1])
        return super().emission(state, output, sends_markers=sends_markers, action=action, body=body)


class LeftOver(ChandyLamport):
    """A process begins with what another snapshot has left of its inputs' recordings (E6, E7)."""

    def initial(self, app: Value) -> ChandyLamportState:
        """Item 1, as often as the input's source is numbered."""
        return super().initial(app)._replace(rec_chan=tuple((1,) * source for source, _ in self.inputs))


class RecordBackwards(ChandyLamport):
    """What is recorded of a channel is in reverse order (E5, E6)."""

    def _took(
        self, state: ChandyLamportState, action: str, taken: Sequence[tuple[Channel, Element]]
    ) -> ChandyLamportState:
        after = super()._took(state, action, taken)
        pairs = zip(state.rec_chan, after.rec_chan, strict=True)
        return after._replace(rec_chan=tuple(new[len(old) :] + old for old, new in pairs))


class ForgetAtMarker(ChandyLamport):
    """A red process that accepts a marker forgets what it recorded, and does not initiate again (E1, E3)."""

    def may_record(self, state: ChandyLamportState) -> bool:
        """Only before any marker."""
        return super().may_record(state) and not any(state.closed)

    def recorded(
        self, state: ChandyLamportState, *, turning: bool, accepts_marker: bool, value: Value
    ) -> Recorded | None:
        """Nothing after a marker that it does not turn red at."""
        kept = None if accepts_marker else state.recorded
        return Recorded(value) if turning else kept


class AnyoneInitiates(ChandyLamport):
    """A process that is no initiator initiates, too (E14, E16)."""

    def may_initiate(self) -> bool:
        """Anyone may."""
        return True


class MarkerBeforeRecording(ChandyLamport):
    """An initiator's marker goes out behind its first message, also while it has not recorded yet (E11, E12)."""

    def emission(
        self,
        state: ChandyLamportState,
        output: int,
        *,
        sends_markers: bool,
        action: str,
        body: Body,
    ) -> Body:
        """Send it with the first message, and once."""
        if state.markers[output]:
            return body
        early = self.is_initiator and body and not sends_markers
        if early:
            return (*body, MARKER)
        return super().emission(state, output, sends_markers=sends_markers, action=action, body=body)


class ForgetAllAtMarker(ChandyLamport):
    """A red process that accepts a marker forgets what it recorded, and that it has sent markers (E1, E3)."""

    def expects_marker(self, state: ChandyLamportState, index: int) -> bool:
        """Any number of them."""
        return True

    def act(
        self,
        before: ChandyLamportState,
        after: ChandyLamportState,
        outputs: tuple[Body, ...],
        *,
        accepts_marker: bool = False,
        action: str | None = None,
    ) -> Step[ChandyLamportState]:
        """Begin anew at a marker that it does not turn red at."""
        step = super().act(before, after, outputs, accepts_marker=accepts_marker, action=action)
        if accepts_marker and self.colour(before) == RED:
            forgotten = step.state._replace(recorded=None, markers=(0,) * len(self.outputs))
            return step._replace(state=forgotten)
        return step


CHANDY_LAMPORT_MUTANTS: dict[str, Mutant] = mutants_of(
    "process",
    MarkerAfterMessage,
    LateTurn,
    SecondMarker,
    DropChannelState,
    RecordPastMarker,
    RecordUntilRed,
    RecordAgain,
    InitiatorRecordsAgain,
    MarkerPerMarker,
    FewerInitiators,
    FinishEarly,
    ForgetInput,
    ForgetCompanions,
    InitiateAgain,
    RecordBeforeSending,
    TwoPerOutput,
    LeftOver,
    RecordBackwards,
    ForgetAtMarker,
    AnyoneInitiates,
    MarkerBeforeRecording,
    ForgetAllAtMarker,
)
"""The seeded bugs of the markers by name."""
