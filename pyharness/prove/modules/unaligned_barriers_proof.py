"""``UnalignedBarriers``: a process records at its first barrier, which overtakes the records queued before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.prove.logic import ABOVE, FALSE, TRUE, Expr, conj, equal, every, iff, implies, some
from pyharness.prove.modules.application_proof import TARGET
from pyharness.prove.modules.barriers_proof import Barriers
from pyharness.prove.proof_module import conjunct

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.prove.steps import Moves, Of, State


def overtaken_by_barrier(s: State, c: Expr, j: Expr, k: Expr) -> Expr:
    """State that at j there is a message ahead of k."""
    return conj(s.chan(c, j), ~s.isMarker(c, j), ABOVE(k, j))


def in_flight_is_white(module: Barriers, s: State) -> Expr:
    """The record of a channel: the messages that red actions accepted and, once its barrier came, the white ones in it."""
    return every(
        lambda c, k: iff(s.recChan(c, k), s.whiteInRed(c, k) | (s.arrived(c) & module.white_in(s, c, k)))
    )


class UnalignedBarriers(Barriers):
    """Nothing is ever blocked; what a barrier overtakes is in flight."""

    name = "UnalignedBarriers"
    about = ("A5",)

    def records_now(self, s: State, p: Expr, arrived: Of) -> Expr:
        """State that a barrier has come (A5)."""
        return some(lambda d: equal(TARGET(d), p) & arrived(d))

    def logs(self, s: State, c: Expr) -> Expr:
        """State that the target has recorded and the barrier has not come (A5)."""
        return s.red(TARGET(c)) & ~s.arrived(c)

    def reachable(self, s: State, c: Expr, k: Expr) -> Expr:
        """From anywhere."""
        return TRUE

    def overtaken(self, s: State, c: Expr, j: Expr, k: Expr) -> Expr:
        """State that it is a record ahead of the barrier (A5)."""
        return overtaken_by_barrier(s, c, j, k)

    @conjunct("ArrivedIsRed", "A5")
    def arrived_is_red(self, s: State) -> Expr:
        """A process one of whose barriers has come is red."""
        return every(lambda c: implies(s.arrived(c), s.red(TARGET(c))))

    @conjunct("InFlightIsWhite", "A5", "E6")
    def in_flight_is_white(self, s: State) -> Expr:
        """In flight are messages that red actions accepted and, once the barrier of a channel came, the white ones in it."""
        return in_flight_is_white(self, s)


class WrongChannelsLogged(UnalignedBarriers):
    """Messages recorded as in flight are from inputs whose barrier has come (A5)."""

    def logs(self, s: State, c: Expr) -> Expr:
        """After the input's barrier."""
        return s.red(TARGET(c)) & s.arrived(c)


class OvertakenLost(UnalignedBarriers):
    """The records that a barrier overtakes are not recorded (A5)."""

    def overtaken(self, s: State, c: Expr, j: Expr, k: Expr) -> Expr:
        """None of them."""
        return FALSE


class ForgetTogether(UnalignedBarriers):
    """Nothing is recorded as in flight of an action that accepts several records (E6, E17)."""

    def taken(self, s: State, x: Moves, red: Expr) -> dict[str, Callable[[Expr, Expr], Expr]]:
        """As ever, if it accepts one."""
        several = some(lambda c, d: conj(x.takes(c), x.takes(d), ~equal(c, d)))
        logged = super().taken(s, x, red)["recChan"]
        return {
            **super().taken(s, x, red),
            "recChan": lambda d, j: s.recChan(d, j) | (logged(d, j) & ~several),
        }


MUTANTS = (WrongChannelsLogged, OvertakenLost, ForgetTogether)
"""The seeded bugs of this module, each a class that overrides the rule of that name."""
