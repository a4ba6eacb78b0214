"""``AtLeastOnceBarriers``: alignment skipped. Nothing is lost on any graph, and on pipelines the rule is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.prove.logic import Expr, equal, every, implies, some
from pyharness.prove.modules.application_proof import TARGET
from pyharness.prove.modules.barriers_proof import Barriers
from pyharness.prove.modules.chandy_lamport_proof import INITIATOR
from pyharness.prove.proof_module import assumption, conjunct, follows, refinement

if TYPE_CHECKING:
    from pyharness.prove.steps import Of, State, Step


class AtLeastOnceBarriers(Barriers):
    """No input is ever blocked. Properties that need the rule are stated for pipelines."""

    name = "AtLeastOnceBarriers"
    about = ("A4",)

    def records_now(self, s: State, p: Expr, arrived: Of) -> Expr:
        """State that the barriers of all inputs have come."""
        return every(lambda d: implies(equal(TARGET(d), p), arrived(d)))

    def pipeline(self) -> Expr:
        """State that no process has two inputs. TLA+: Pipeline."""
        return every(lambda c, d: implies(equal(TARGET(c), TARGET(d)), equal(c, d)))

    @assumption("InitiatorsHaveNoInputs")
    def initiators_have_no_inputs(self) -> Expr:
        """Only sources are triggered."""
        return every(lambda c: ~INITIATOR(TARGET(c)))

    @conjunct("NoRedInWhiteOnPipelines", "E4", "A4")
    def no_red_in_white(self, s: State) -> Expr:
        """On a pipeline, no red message was accepted in a white action."""
        return implies(self.pipeline(), super().no_red_in_white(s))

    @conjunct("RedHasAligned", "A4")
    def red_has_aligned(self, s: State) -> Expr:
        """The barriers of all inputs of a red process have come."""
        return every(lambda c: implies(s.red(TARGET(c)), s.arrived(c)))

    @conjunct("RedIffArrivedOnPipelines", "A4")
    def red_iff_arrived_on_pipelines(self, s: State) -> Expr:
        """On a pipeline, a process with an input is red if and only if the barrier of that input has come."""
        return implies(self.pipeline(), every(lambda c: equal(s.red(TARGET(c)), s.arrived(c))))

    @conjunct("RedInWhiteWasAccepted", "A4", positions=True)
    def red_in_white_was_accepted(self, s: State) -> Expr:
        """Red messages that white actions accepted were sent, and are no longer in their channels."""
        return every(
            lambda c, k: implies(s.redInWhite(c, k), s.sent(c, k) & ~s.chan(c, k) & self.is_message(s, c, k))
        )

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

    @refinement("RefinesWhiteRed", "A4")
    def refines_white_red(self, s: State, step: Step | None) -> Expr:
        """On a pipeline."""
        return implies(self.pipeline(), super().refines_white_red(s, step))

    @refinement("SSSReachable", "A4")
    def sss_reachable(self, s: State, step: Step | None) -> Expr:
        """On a pipeline."""
        return implies(self.pipeline(), super().sss_reachable(s, step))


class FirstBarrierIsEnough(AtLeastOnceBarriers):
    """A process records at its first barrier although alignment is skipped, so records are lost (A4)."""

    def records_now(self, s: State, p: Expr, arrived: Of) -> Expr:
        """At any barrier."""
        return some(lambda d: equal(TARGET(d), p) & arrived(d))


MUTANTS = (FirstBarrierIsEnough,)
"""The seeded bugs of this module, each a class that overrides the rule of that name."""
