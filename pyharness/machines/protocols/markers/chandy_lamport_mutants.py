"""Seeded bugs of Chandy and Lamport's processes. Each class overrides the decision of the idea that it breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.machines.protocols.common.mutant import Mutant, mutants_of
from pyharness.machines.protocols.common.process import (
    MARKER,
    RED,
    WHITE,
    Body,
    Coloured,
    Element,
    Marker,
    Recorded,
    Step,
)
from pyharness.machines.protocols.markers.chandy_lamport import ChandyLamport, ChandyLamportState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.machines.protocols.applications.application import Channel, Value

_State = ChandyLamportState
_Step = Step[ChandyLamportState]


class _AdmitsMarkers(ChandyLamport):
    """Any number of markers may come on a channel: a bug that sends more is to be seen in what follows."""

    def admit_marker(self, state: ChandyLamportState, channel: Channel, marker: Marker) -> int:
        """Admit a marker whether or not there was one before."""
        return super().admit_marker(state._replace(closed=(False,) * len(self.inputs)), channel, marker)


class _EndsOtherwise(ChandyLamport):
    """An action ends otherwise (TLA+: Act): ``ended`` changes the step that is made of it."""

    def act(
        self,
        before: ChandyLamportState,
        after: ChandyLamportState,
        outputs: tuple[Body, ...],
        *,
        accepts_marker: bool = False,
        action: str | None = None,
    ) -> Step[ChandyLamportState]:
        """End it as it should, and change that."""
        step = super().act(before, after, outputs, accepts_marker=accepts_marker, action=action)
        return self.ended(step, before, after, accepts_marker=accepts_marker)

    def ended(self, step: _Step, before: _State, after: _State, *, accepts_marker: bool) -> _Step:
        """Return the step of an action from one state to another that accepts a marker, or none."""
        raise NotImplementedError


def _recording(step: _Step, of: _State) -> _Step:
    return step._replace(state=step.state._replace(recorded=Recorded(of.app)))


class MarkerAfterMessage(ChandyLamport):
    """The marker is sent after the next message (E4, E12)."""

    def emission(
        self, state: ChandyLamportState, output: int, *, turns: bool, action: str, body: Body
    ) -> Body:
        """Put off the marker until a message has gone."""
        late = not turns and self.colour(state) == RED and state.markers[output] == 0 and body
        return (*body, MARKER) if late else body


class LateTurn(ChandyLamport):
    """A process turns red in the first action after the one that accepted a marker (E4, E13)."""

    def turns_red(self, state: ChandyLamportState, *, accepts_marker: bool) -> bool:
        """Only if an earlier action accepted one."""
        return self.colour(state) == WHITE and any(state.closed)


class ForgetCompanions(ChandyLamport):
    """In an action that accepts a marker, the messages from other inputs are not recorded (E6, E17)."""

    def take(
        self, state: ChandyLamportState, action: str, taken: Sequence[tuple[Channel, Element]]
    ) -> ChandyLamportState:
        """Record nothing beside a marker."""
        after = super().take(state, action, taken)
        forgets = any(element == MARKER for _, element in taken)
        return after._replace(rec_chan=state.rec_chan) if forgets else after


class InitiateAgain(_AdmitsMarkers):
    """An initiator whose part is complete may initiate again (E1, E11)."""

    def may_record(self, state: ChandyLamportState) -> bool:
        """Also when its part is complete."""
        return super().may_record(state) or self.locally_complete(state)


class SecondMarker(ChandyLamport):
    """A process turns red as it accepts its second marker (E13)."""

    def turns_red(self, state: ChandyLamportState, *, accepts_marker: bool) -> bool:
        """Only if it is not the first."""
        return super().turns_red(state, accepts_marker=accepts_marker) and any(state.closed)


class DropChannelState(ChandyLamport):
    """Channel states are dropped: a token in transit is lost (E6)."""

    def recording(self, state: ChandyLamportState, index: int, *, action: str) -> bool:
        """Never."""
        return False


class RecordPastMarker(ChandyLamport):
    """Recording goes on past the marker (E6)."""

    def recording(self, state: ChandyLamportState, index: int, *, action: str) -> bool:
        """For ever, once red."""
        return action == RED


class RecordUntilRed(_AdmitsMarkers):
    """The recording of a channel is closed by its first red message, which need not exist (E6, E15)."""

    carries = Coloured

    def take(
        self, state: ChandyLamportState, action: str, taken: Sequence[tuple[Channel, Element]]
    ) -> ChandyLamportState:
        """Close at what is red; a marker closes nothing."""
        whites = [(c, e) for c, e in taken if isinstance(e, Coloured) and e.colour == WHITE]
        reds = {c for c, e in taken if isinstance(e, Coloured) and e.colour == RED}
        closed = tuple(done or c in reds for c, done in zip(self.inputs, state.closed, strict=True))
        return super().take(state, action, whites)._replace(closed=closed)


class RecordAgain(_EndsOtherwise):
    """A process records again at each further marker (E1)."""

    def ended(self, step: _Step, before: _State, after: _State, *, accepts_marker: bool) -> _Step:
        """Whenever a marker comes."""
        return _recording(step, before if step.colour == RED else after) if accepts_marker else step


class InitiatorRecordsAgain(RecordAgain):
    """An initiator records again as it accepts a marker (E16)."""

    def ended(self, step: _Step, before: _State, after: _State, *, accepts_marker: bool) -> _Step:
        """Whenever a marker comes to an initiator."""
        return super().ended(step, before, after, accepts_marker=accepts_marker and self.is_initiator)


class MarkerPerMarker(_EndsOtherwise, _AdmitsMarkers):
    """A process puts out markers for each marker that it accepts (E11)."""

    def ended(self, step: _Step, before: _State, after: _State, *, accepts_marker: bool) -> _Step:
        """Also when it is red."""
        again = accepts_marker and self.colour(before) == RED
        return self.put(before, after, step.outputs, turns=True, action=RED) if again else step


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


class RecordBeforeSending(_EndsOtherwise):
    """An action that turns red records the state before it, and sends its messages ahead of the markers (E17)."""

    def ended(self, step: _Step, before: _State, after: _State, *, accepts_marker: bool) -> _Step:
        """The state before, whatever the action's colour."""
        return _recording(step, before) if self.turns_red(before, accepts_marker=accepts_marker) else step


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
        self, state: ChandyLamportState, output: int, *, turns: bool, action: str, body: Body
    ) -> Body:
        """Put the marker between two messages."""
        if turns and len(body) == 2:
            return (body[0], MARKER, body[1])
        return super().emission(state, output, turns=turns, action=action, body=body)


class LeftOver(ChandyLamport):
    """A process begins with what another snapshot has left of its inputs' recordings (E6, E7)."""

    def initial(self, app: Value) -> ChandyLamportState:
        """Item 1, as often as the input's source is numbered."""
        return super().initial(app)._replace(rec_chan=tuple((1,) * source for source, _ in self.inputs))


class RecordBackwards(ChandyLamport):
    """What is recorded of a channel is in reverse order (E5, E6)."""

    def take(
        self, state: ChandyLamportState, action: str, taken: Sequence[tuple[Channel, Element]]
    ) -> ChandyLamportState:
        """In front of what was recorded."""
        after = super().take(state, action, taken)
        pairs = zip(state.rec_chan, after.rec_chan, strict=True)
        return after._replace(rec_chan=tuple(new[len(old) :] + old for old, new in pairs))


class ForgetAtMarker(_EndsOtherwise):
    """A red process that accepts a marker forgets what it recorded, and does not initiate again (E1, E3)."""

    def may_record(self, state: ChandyLamportState) -> bool:
        """Only before any marker."""
        return super().may_record(state) and not any(state.closed)

    def ended(self, step: _Step, before: _State, after: _State, *, accepts_marker: bool) -> _Step:
        """Nothing after a marker that it does not turn red at."""
        forgets = accepts_marker and self.colour(before) == RED
        return step._replace(state=step.state._replace(recorded=None)) if forgets else step


class AnyoneInitiates(ChandyLamport):
    """A process that is no initiator initiates, too (E14, E16)."""

    def may_initiate(self) -> bool:
        """Anyone may."""
        return True


class MarkerBeforeRecording(ChandyLamport):
    """An initiator's marker goes out behind its first message, also while it has not recorded yet (E11, E12)."""

    def emission(
        self, state: ChandyLamportState, output: int, *, turns: bool, action: str, body: Body
    ) -> Body:
        """Send it with the first message, and once."""
        if state.markers[output]:
            return body
        early = self.is_initiator and body and not turns
        if early:
            return (*body, MARKER)
        return super().emission(state, output, turns=turns, action=action, body=body)


class ForgetAllAtMarker(_EndsOtherwise, _AdmitsMarkers):
    """A red process that accepts a marker forgets what it recorded, and that it has sent markers (E1, E3)."""

    def ended(self, step: _Step, before: _State, after: _State, *, accepts_marker: bool) -> _Step:
        """Begin anew at a marker that it does not turn red at."""
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
