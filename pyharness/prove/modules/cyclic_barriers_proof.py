"""``CyclicBarriers``: only regular inputs are blocked; what back edges bring is logged until their barrier returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.prove.logic import (
    BOOL,
    CHANNEL,
    FALSE,
    PROCESS,
    Expr,
    Symbol,
    conj,
    disj,
    equal,
    every,
    iff,
    implies,
    some,
)
from pyharness.prove.modules.application_proof import SOURCE, TARGET
from pyharness.prove.modules.barriers_proof import Barriers
from pyharness.prove.modules.chandy_lamport_proof import INITIATOR
from pyharness.prove.proof_module import assumption, conjunct

if TYPE_CHECKING:
    from pyharness.prove.steps import Of, State

BACK: Final = Symbol("isBack", (CHANNEL,), BOOL)
"""The channel is a back edge. TLA+: IsBack."""

LEADS: Final = Symbol("leads", (PROCESS, PROCESS), BOOL)
"""The second process is reached from the first by regular channels."""

LESS: Final = Symbol("less", (PROCESS, PROCESS), BOOL)
"""The first process has the smaller number, where they have numbers."""


def numbered() -> Expr:
    """State that processes have numbers, as they do in TLA+."""
    return conj(
        every(lambda p: ~LESS(p, p)),
        every(lambda p, q: disj(equal(p, q), LESS(p, q), LESS(q, p))),
        every(lambda p, q, r: implies(LESS(p, q) & LESS(q, r), LESS(p, r))),
    )


class CyclicBarriers(Barriers):
    """For any true split of the channels into regular ones and back edges."""

    name = "CyclicBarriers"
    about = ("A10",)

    def blocked(self, s: State, c: Expr) -> Expr:
        """State that it is regular, its barrier has come and the target has not recorded (A10)."""
        return conj(s.arrived(c), ~BACK(c), ~s.red(TARGET(c)))

    def records_now(self, s: State, p: Expr, arrived: Of) -> Expr:
        """State that the barriers of all regular inputs have come (A10)."""
        return every(lambda d: implies(equal(TARGET(d), p) & ~BACK(d), arrived(d)))

    def logs(self, s: State, c: Expr) -> Expr:
        """State that it is a back edge, the target has recorded and the barrier has not come (A10)."""
        return conj(BACK(c), s.red(TARGET(c)), ~s.arrived(c))

    @assumption("InitiatorsHaveNoInputs")
    def initiators_have_no_inputs(self) -> Expr:
        """Only sources are triggered."""
        return every(lambda c: ~INITIATOR(TARGET(c)))

    @assumption("RegularWays")
    def regular_ways(self) -> Expr:
        """The processes that regular channels lead to from p: p itself, and the target of a channel whose source they lead to."""
        return every(
            lambda p, q: iff(
                LEADS(p, q),
                equal(p, q) | some(lambda c: conj(equal(TARGET(c), q), ~BACK(c), LEADS(p, SOURCE(c)))),
            )
        )

    @assumption("BackEdgesSplit")
    def back_edges_split(self) -> Expr:
        """A back edge returns to where its source was reached from."""
        return every(lambda c: implies(BACK(c), LEADS(TARGET(c), SOURCE(c))))

    def in_tla(self) -> Expr:
        """There processes have numbers, regular channels lead upwards, and reach everyone from the initiators."""
        return conj(
            super().in_tla(),
            numbered(),
            every(lambda c: iff(BACK(c), ~LESS(SOURCE(c), TARGET(c)))),
            every(lambda q: some(lambda p: INITIATOR(p) & LEADS(p, q))),
        )

    @conjunct("RedHasAligned", "A10")
    def red_has_aligned(self, s: State) -> Expr:
        """The barriers of all regular inputs of a red process have come."""
        return every(lambda c: implies(s.red(TARGET(c)) & ~BACK(c), s.arrived(c)))

    @conjunct("RedComesByRegularWays", "A10")
    def red_comes_by_regular_ways(self, s: State) -> Expr:
        """Where regular channels lead to a red process from, everyone is red."""
        return every(lambda p, q: implies(LEADS(p, q) & s.red(q), s.red(p)))

    @conjunct("BehindBarrierRed", "A10")
    def behind_barrier_red(self, s: State) -> Expr:
        """Behind a barrier that has come there is nothing white."""
        return every(lambda c, k: implies(s.arrived(c), ~self.white_in(s, c, k)))

    @conjunct("OnlyLogs", "A10")
    def only_logs(self, s: State) -> Expr:
        """Only back edges have a state."""
        return every(lambda c, k: implies(s.recChan(c, k), BACK(c)))

    @conjunct("LogIsWhiteInRed", "A10", "E6")
    def log_is_white_in_red(self, s: State) -> Expr:
        """The logged messages are the white ones that red actions accepted."""
        return every(lambda c, k: iff(s.recChan(c, k), s.whiteInRed(c, k)))


class DropLog(CyclicBarriers):
    """Nothing is logged on back edges (A10)."""

    def logs(self, s: State, c: Expr) -> Expr:
        """Never."""
        return FALSE


class WaitForBackEdges(CyclicBarriers):
    """A process waits for the barriers of back edges too: Algorithm 1 on a cycle (A10)."""

    def records_now(self, s: State, p: Expr, arrived: Of) -> Expr:
        """When all have arrived."""
        return every(lambda d: implies(equal(TARGET(d), p), arrived(d)))


class NoBlockingInCycles(CyclicBarriers):
    """No input is blocked, back edge or not (A10)."""

    def blocked(self, s: State, c: Expr) -> Expr:
        """Never."""
        return FALSE


MUTANTS = (DropLog, WaitForBackEdges, NoBlockingInCycles)
"""The seeded bugs of this module, each a class that overrides the rule of that name."""
