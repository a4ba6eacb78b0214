"""``AtLeastOnceBarriers``: alignment skipped. The rule is kept where no process has two inputs, and only there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.proof.logic import Expr, equal, every, implies, some
from pyharness.proof.modules.application_proof import TARGET
from pyharness.proof.modules.barriers_proof import Barriers
from pyharness.proof.modules.chandy_lamport_proof import INITIATOR
from pyharness.proof.proof_module import assumption, conjunct, follows

if TYPE_CHECKING:
    from pyharness.proof.steps import Of, State

__all__ = ["MUTANTS", "AtLeastOnceBarriers"]


class AtLeastOnceBarriers(Barriers):
    """On pipelines. No input is ever blocked."""

    name = "AtLeastOnceBarriers"
    about = ("A4",)

    def records_now(self, s: State, p: Expr, arrived: Of) -> Expr:
        """Say that the barriers of all inputs have come."""
        return every(lambda d: implies(equal(TARGET(d), p), arrived(d)))

    @assumption("Pipeline")
    def pipeline(self) -> Expr:
        """No process has two inputs."""
        return every(lambda c, d: implies(equal(TARGET(c), TARGET(d)), equal(c, d)))

    @assumption("InitiatorsHaveNoInputs")
    def initiators_have_no_inputs(self) -> Expr:
        """Only sources are told to record."""
        return every(lambda c: ~INITIATOR(TARGET(c)))

    @conjunct("RedIffArrived", "A4")
    def red_iff_arrived(self, s: State) -> Expr:
        """A process with an input is red if and only if the barrier of that input has come."""
        return every(lambda c: equal(s.red(TARGET(c)), s.arrived(c)))

    @conjunct("BehindBarrierRed", "A4")
    def behind_barrier_red(self, s: State) -> Expr:
        """Behind a barrier that has come there is nothing white."""
        return every(lambda c, k: implies(s.arrived(c), ~self.white_in(s, c, k)))

    @conjunct("NothingInFlight", "A4")
    def nothing_in_flight(self, s: State) -> Expr:
        """Nothing is recorded of channels, and nothing would have to be."""
        return every(lambda c, k: ~s.recChan(c, k) & ~s.whiteInRed(c, k))

    @follows("EmptyChannels", "A4")
    def empty_channels(self, s: State) -> Expr:
        """Channel states are empty."""
        return every(lambda c, k: ~s.recChan(c, k))


class FirstBarrierIsEnough(AtLeastOnceBarriers):
    """A process records at its first barrier although alignment is skipped, so records are lost (A4)."""

    def records_now(self, s: State, p: Expr, arrived: Of) -> Expr:
        """At any barrier."""
        return some(lambda d: equal(TARGET(d), p) & arrived(d))


MUTANTS = (FirstBarrierIsEnough,)
"""The seeded bugs of this module, each a class that overrides the rule of that name."""
