"""The seeded bugs of ``ChandyLamport``, each a class that overrides the rule of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.proof.logic import FALSE, PROCESS, Expr, Symbol, conj, equal, every, implies, some
from pyharness.proof.modules.application_proof import SOURCE, TARGET
from pyharness.proof.modules.chandy_lamport_proof import INITIATOR, ChandyLamport, Emission

if TYPE_CHECKING:
    from pyharness.proof.steps import State


class LateTurn(ChandyLamport):
    """A process turns red in the first action after the one that accepted a marker (E4, E13)."""

    def turns_red(self, s: State, p: Expr, accepts_marker: Expr) -> Expr:
        """Only if an earlier action accepted one."""
        return self.closed_one(s, p)

    def closed_one(self, s: State, p: Expr) -> Expr:
        """Say that an input of p is closed."""
        return some(lambda c: equal(TARGET(c), p) & s.closed(c))


class SecondMarker(LateTurn):
    """A process turns red as it accepts its second marker (E13)."""

    def turns_red(self, s: State, p: Expr, accepts_marker: Expr) -> Expr:
        """Only if it is not the first."""
        return accepts_marker & self.closed_one(s, p)


class DropChannelState(ChandyLamport):
    """Channel states are dropped: a token in transit is lost (E6)."""

    def recording(self, s: State, c: Expr, k: Expr, action: Expr) -> Expr:
        """Never."""
        return FALSE


class RecordPastMarker(ChandyLamport):
    """Recording goes on past the marker (E6)."""

    def recording(self, s: State, c: Expr, k: Expr, action: Expr) -> Expr:
        """For ever, once red."""
        return action


class RecordUntilRed(ChandyLamport):
    """The recording of a channel is closed by its first red message, which need not exist (E6, E15)."""

    def closes(self, s: State, c: Expr, k: Expr) -> Expr:
        """A red message does."""
        return ~s.isMarker(c, k) & s.isRed(c, k)

    def recording(self, s: State, c: Expr, k: Expr, action: Expr) -> Expr:
        """What is white."""
        return conj(action, ~s.closed(c), ~s.isRed(c, k))


class RecordAgain(ChandyLamport):
    """A process records again at each further marker (E1)."""

    def recorded(self, p: Expr, turning: Expr, accepts_marker: Expr) -> Expr:
        """Whenever a marker comes."""
        return turning | accepts_marker


class InitiatorRecordsAgain(ChandyLamport):
    """An initiator records again as it accepts a marker (E16)."""

    def recorded(self, p: Expr, turning: Expr, accepts_marker: Expr) -> Expr:
        """Whenever a marker comes to an initiator."""
        return turning | (accepts_marker & INITIATOR(p))


class MarkerPerMarker(ChandyLamport):
    """A process puts out markers for each marker that it accepts (E11)."""

    def sends_markers(self, turning: Expr, accepts_marker: Expr) -> Expr:
        """Whenever a marker comes."""
        return turning | accepts_marker


class MarkerAfterMessage(ChandyLamport):
    """The marker is sent after the next message (E4, E12)."""

    def emission(self, s: State, c: Expr, sends_markers: Expr, action: Expr, body: Expr) -> Emission:
        """Put off the marker until a message has gone."""
        none_yet = every(lambda k: ~self.marker_sent(s, c, k))
        return Emission(marker=conj(~sends_markers, s.red(SOURCE(c)), none_yet, body), ahead=FALSE)


class FinishEarly(ChandyLamport):
    """A process says that it is done after its first marker (E15)."""

    def locally_complete(self, s: State, p: Expr) -> Expr:
        """As soon as one input is closed."""
        return s.red(p) & implies(
            some(lambda c: equal(TARGET(c), p)), some(lambda c: equal(TARGET(c), p) & s.closed(c))
        )


class ForgetInput(ChandyLamport):
    """A process forgets an input when it says that it is done (E15)."""

    def locally_complete(self, s: State, p: Expr) -> Expr:
        """As soon as all inputs but one are closed."""
        return conj(
            s.red(p),
            some(lambda c: equal(TARGET(c), p)),
            every(
                lambda c, d: implies(
                    conj(equal(TARGET(c), p), equal(TARGET(d), p), ~s.closed(c), ~s.closed(d)), equal(c, d)
                )
            ),
        )


class RecordBeforeSending(ChandyLamport):
    """An action that turns red records the state before it, and sends its messages ahead of the markers (E17)."""

    def state_recorded(self, action: Expr, before: Expr, after: Expr) -> Expr:
        """Return the state before, whatever the action's colour."""
        return before


class FewerInitiators(ChandyLamport):
    """One of the initiators does not initiate (E14)."""

    def may_initiate(self, p: Expr) -> Expr:
        """All but the first."""
        return INITIATOR(p) & ~equal(p, Symbol("first", (), PROCESS)())


class ForgetCompanions(ChandyLamport):
    """In an action that accepts a marker, the messages that it also accepts are not recorded (E6, E17)."""

    def companions(self, accepts_marker: Expr) -> Expr:
        """Only where no marker is accepted."""
        return ~accepts_marker


class InitiateAgain(ChandyLamport):
    """An initiator whose part is complete may initiate again (E1, E11)."""

    def may_record(self, s: State, p: Expr) -> Expr:
        """Once more when its part is complete."""
        return ~s.red(p) | self.locally_complete(s, p)


MUTANTS = (
    ForgetCompanions,
    InitiateAgain,
    LateTurn,
    SecondMarker,
    DropChannelState,
    RecordPastMarker,
    RecordUntilRed,
    RecordAgain,
    InitiatorRecordsAgain,
    MarkerPerMarker,
    MarkerAfterMessage,
    FinishEarly,
    ForgetInput,
    RecordBeforeSending,
    FewerInitiators,
)
"""The seeded bugs of this module, each a class that overrides the rule of that name."""
