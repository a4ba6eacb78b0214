"""``AlignedBarriers``: an input is blocked once its barrier has come; the process records when all have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.prove.logic import FALSE, Expr, equal, every, implies, some
from pyharness.prove.modules.application_proof import TARGET
from pyharness.prove.modules.barriers_proof import Barriers
from pyharness.prove.modules.chandy_lamport_proof import INITIATOR
from pyharness.prove.proof_module import assumption, conjunct, follows

if TYPE_CHECKING:
    from pyharness.prove.steps import Of, State


class AlignedBarriers(Barriers):
    """For graphs without cycles; on others it is safe as well, but need not end."""

    name = "AlignedBarriers"
    about = ("A11",)

    def blocked(self, s: State, c: Expr) -> Expr:
        """State that its barrier has come and the target has not recorded (A11)."""
        return s.arrived(c) & ~s.red(TARGET(c))

    def records_now(self, s: State, p: Expr, arrived: Of) -> Expr:
        """State that the barriers of all inputs have come (A11)."""
        return every(lambda d: implies(equal(TARGET(d), p), arrived(d)))

    @assumption("InitiatorsHaveNoInputs")
    def initiators_have_no_inputs(self) -> Expr:
        """Only sources are triggered."""
        return every(lambda c: ~INITIATOR(TARGET(c)))

    @conjunct("RedHasAligned", "A11")
    def red_has_aligned(self, s: State) -> Expr:
        """The barriers of all inputs of a red process have come."""
        return every(lambda c: implies(s.red(TARGET(c)), s.arrived(c)))

    @conjunct("BehindBarrierRed", "A11")
    def behind_barrier_red(self, s: State) -> Expr:
        """Behind a barrier that has come there is nothing white."""
        return every(lambda c, k: implies(s.arrived(c), ~self.white_in(s, c, k)))

    @conjunct("NothingInFlight", "A11", "E6")
    def nothing_in_flight(self, s: State) -> Expr:
        """Nothing is recorded of channels, and nothing would have to be."""
        return every(lambda c, k: ~s.recChan(c, k) & ~s.whiteInRed(c, k))

    @follows("EmptyChannels", "A11")
    def empty_channels(self, s: State) -> Expr:
        """Channel states are empty."""
        return every(lambda c, k: ~s.recChan(c, k))


class NoBlocking(AlignedBarriers):
    """No input is blocked: what at-least-once does on purpose (A1, A11)."""

    def blocked(self, s: State, c: Expr) -> Expr:
        """Never."""
        return FALSE


class RecordAtFirstBarrier(AlignedBarriers):
    """A process records at its first barrier, and nothing of what is still to come (A1)."""

    def records_now(self, s: State, p: Expr, arrived: Of) -> Expr:
        """At any barrier."""
        return some(lambda d: equal(TARGET(d), p) & arrived(d))


MUTANTS = (NoBlocking, RecordAtFirstBarrier)
"""The seeded bugs of this module, each a class that overrides the rule of that name."""
