"""``TimeoutBarriers``: aligned at first; a process that has aligned for too long goes on unaligned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.prove.logic import TRUE, Expr, equal, every, implies, some
from pyharness.prove.modules.application_proof import TARGET
from pyharness.prove.modules.barriers_proof import Barriers
from pyharness.prove.modules.unaligned_barriers_proof import in_flight_is_white, overtaken_by_barrier
from pyharness.prove.proof_module import action, conjunct
from pyharness.prove.steps import State, Step

if TYPE_CHECKING:
    from pyharness.prove.steps import Of


class TimeoutBarriers(Barriers):
    """The inputs whose barrier has come stay blocked until all have, timeout or not."""

    name = "TimeoutBarriers"
    about = ("A6",)

    def all_arrived(self, p: Expr, arrived: Of) -> Expr:
        """State that the barriers of all inputs have come. TLA+: AllArrived."""
        return every(lambda d: implies(equal(TARGET(d), p), arrived(d)))

    def blocked(self, s: State, c: Expr) -> Expr:
        """State that its barrier has come, and another one has not (A6)."""
        return s.arrived(c) & ~self.all_arrived(TARGET(c), s.arrived)

    def records_now(self, s: State, p: Expr, arrived: Of) -> Expr:
        """State that the barriers of all inputs have come."""
        return self.all_arrived(p, arrived)

    def logs(self, s: State, c: Expr) -> Expr:
        """State that the target has recorded and the barrier has not come (A6)."""
        return s.red(TARGET(c)) & ~s.arrived(c)

    def reachable(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that it is first, or that the target has timed out."""
        return self.application.positions(s, c, k) | s.red(TARGET(c))

    def overtaken(self, s: State, c: Expr, j: Expr, k: Expr) -> Expr:
        """State that it is a record ahead of the barrier."""
        return overtaken_by_barrier(s, c, j, k)

    @action("TimeOut", "A6")
    def time_out(self, s: State, p: Expr, mark: Of) -> Step:
        """Process p has aligned for too long."""
        aligning = some(lambda c: equal(TARGET(c), p) & s.arrived(c))
        return self.records(s, Step(TRUE, s), p, TRUE, mark).when(~s.red(p), aligning)

    @conjunct("WhiteIsAligning", "A6")
    def white_is_aligning(self, s: State) -> Expr:
        """Where a barrier has come and the process is white, another barrier has not come."""
        return every(
            lambda c: implies(
                s.arrived(c) & ~s.red(TARGET(c)),
                some(lambda d: equal(TARGET(d), TARGET(c)) & ~s.arrived(d)),
            )
        )

    @conjunct("InFlightIsWhite", "A6", "E6")
    def in_flight_is_white(self, s: State) -> Expr:
        """At a red process, what red actions accepted and what a barrier that came has overtaken is in flight."""
        return in_flight_is_white(self, s)


class UnblockAtTimeout(TimeoutBarriers):
    """A timeout unblocks the inputs whose barrier has come, and what they bring is logged too (A6)."""

    def blocked(self, s: State, c: Expr) -> Expr:
        """Until the process records."""
        return s.arrived(c) & ~s.red(TARGET(c))

    def logs(self, s: State, c: Expr) -> Expr:
        """From every input, until all barriers have come."""
        return s.red(TARGET(c)) & ~self.all_arrived(TARGET(c), s.arrived)


MUTANTS = (UnblockAtTimeout,)
"""The seeded bugs of this module, each a class that overrides the rule of that name."""
