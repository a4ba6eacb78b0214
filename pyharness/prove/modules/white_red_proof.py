"""``WhiteRed``: EWD864a's colouring. When to turn red is magic; no red message is accepted in a white action."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.prove.logic import (
    ABOVE,
    Expr,
    conj,
    disj,
    equal,
    every,
    iff,
    implies,
    ite,
    some,
)
from pyharness.prove.modules.application_proof import (
    SOURCE,
    TARGET,
    accepts,
    changes,
    exchanges,
    only,
    sends,
    touches,
    touches_two,
)
from pyharness.prove.modules.coloured_proof import Coloured, variables
from pyharness.prove.modules.computation_proof import Computation
from pyharness.prove.proof_module import action, conjunct, keeps, refinement
from pyharness.prove.steps import Does, Moves, State, Step

if TYPE_CHECKING:
    from pyharness.prove.steps import Of


class WhiteRed(Coloured):
    """The colouring. Every protocol refines it. :meth:`act` asks of positions what TLA+ asks of sequences, no more."""

    name = "WhiteRed"
    variables = variables("state chan sent msg isRed red recState recChan")

    def initial(self, s: State) -> Expr:
        """All machines are white, and nothing was sent."""
        empty = every(lambda c, k: conj(~s.chan(c, k), ~s.sent(c, k), ~s.recChan(c, k)))
        return empty & every(lambda p: ~s.red(p))

    # -- rules -----------------------------------------------------------------------------------------------

    def may_take(self, action: Expr, message: Expr) -> Expr:
        """State that an action takes this message: only a red one takes a red one (E4). TLA+: MayTake."""
        return implies(message, action)

    def may_turn(self, s: State, p: Expr) -> Expr:
        """State that p may turn red: once (E1). Part of TLA+: Turn."""
        return ~s.red(p)

    def kept(self, action: Expr, message: Expr) -> Expr:
        """State that SSS keeps a message: a white one that a red action takes (E6). TLA+: Kept."""
        return action & ~message

    def recorded(self, s: State, p: Expr, turns: Expr) -> Expr:
        """State that p is red when those who turn have turned (E1). Part of TLA+: Turn."""
        return s.red(p) | turns

    def state_recorded(self, action: Expr, before: Expr, after: Expr) -> Expr:
        """Return the state recorded: before a red action, after a white one (E6, E17). TLA+: StateRecorded."""
        return ite(action, before, after)

    def offers(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that what is at k can be accepted from c (E5). TLA+: Offers."""
        return self.application.positions(s, c, k)

    # -- steps -----------------------------------------------------------------------------------------------

    def act(self, s: State, does: Does) -> Step:
        """Take a step of the colouring: an action of the application, turning red, or both."""
        turns, x = does.turns, does.moves
        turning = every(lambda p: implies(turns(p), self.may_turn(s, p)))
        if x is None:
            return Step(turning, self._turned(s, s, does), does)
        machine = Computation(self.application)
        guard = conj(
            machine.accepting(s, x, self.offers),
            machine.sending(s, x),
            turning,
            every(lambda p: implies(turns(p), equal(p, x.by))),
            implies(turns(x.by), touches(x) | equal(x.before, x.after)),
            implies(~turns(x.by), iff(does.red, s.red(x.by))),
            every(lambda c: implies(x.takes(c), self.may_take(does.red, s.isRed(c, x.at(c))))),
        )
        after = self.recorded(s, x.by, turns(x.by))
        moved = machine.moved(s, x).but(
            isRed=lambda c, k: ite(
                x.put(c, k), self.application.tint(does.red, after, s.red(TARGET(c))), s.isRed(c, k)
            ),
            recChan=lambda c, k: disj(s.recChan(c, k), x.accepted(c, k) & self.kept(does.red, s.isRed(c, k))),
        )
        return Step(guard, self._turned(s, moved, does), does)

    def _turned(self, s: State, t: State, does: Does) -> State:
        """Record those who turn, in the state before a red action or after a white one."""
        return t.but(
            red=lambda p: self.recorded(s, p, does.turns(p)),
            recState=lambda p: ite(
                does.turns(p), self.state_recorded(does.red, s.state(p), t.state(p)), s.recState(p)
            ),
        )

    def same(self, a: State, b: State) -> Expr:
        """State that two states are the same; what was recorded is of interest only where something was."""
        return conj(
            Computation(self.application).same(a, b),
            every(lambda c, k: implies(a.chan(c, k), iff(a.isRed(c, k), b.isRed(c, k)))),
            every(lambda c, k: iff(a.recChan(c, k), b.recChan(c, k))),
            every(lambda p: iff(a.red(p), b.red(p))),
            every(lambda p: implies(a.red(p), equal(a.recState(p), b.recState(p)))),
        )

    def allows(self, before: State, does: Does, after: State) -> Expr:
        """State that from ``before`` to ``after`` is such a step, or that nothing happens."""
        step = self.act(before, does)
        return step.guard & self.same(step.after, after)

    def taken(self, s: State, does: Does) -> Step:
        """Take it as a step of a behaviour, in which messages come behind everything that was ever sent."""
        step, x = self.act(s, does), does.moves
        if x is None:
            return step
        machine = Computation(self.application)
        return Step(step.guard & machine.unused(s, x), machine.used(s, step.after, x), does)

    def _acts(self, s: State, x: Moves) -> Step:
        return self.taken(s, Does(x, red=s.red(x.by)))

    @action("Send", "E2")
    def send(self, s: State, c: Expr, k: Expr, m: Expr, t: Expr) -> Step:
        """The source of c sends message m."""
        return self._acts(s, sends(s, c, k, m, t))

    @action("Accept", "E4", "E5")
    def accept(self, s: State, c: Expr, k: Expr, t: Expr) -> Step:
        """The target of c accepts the message at k."""
        return self._acts(s, accepts(s, c, k, t))

    @action("Internal")
    def internal(self, s: State, p: Expr, t: Expr) -> Step:
        """Process p changes its state."""
        return self._acts(s, changes(s, p, t))

    @action("Exchange", "E17")
    def exchange(self, s: State, p: Expr, t: Expr, takes: Of, at: Of, gives: Of, new: Of, body: Of) -> Step:
        """Process p accepts from several inputs and sends on several outputs."""
        step = self._acts(s, exchanges(s, p, t, takes, at, gives, new, body))
        return step.when(touches_two(takes, gives))

    @action("TurnInExchange", "E17")
    def turn_in_exchange(
        self, s: State, p: Expr, t: Expr, takes: Of, at: Of, gives: Of, new: Of, body: Of, acts_red: Expr
    ) -> Step:
        """Process p turns red in an action that also accepts or sends, and that has either colour."""
        x = exchanges(s, p, t, takes, at, gives, new, body)
        step = self.taken(s, Does(x, acts_red, only(p)))
        return step.when(touches(x))

    @action("TurnRed", "E1")
    def turn_red(self, s: State, turned: Of) -> Step:
        """Some processes turn red in one instant."""
        step = self.act(s, Does(turns=turned))
        return step.when(some(lambda p: turned(p)))

    # -- the invariant ---------------------------------------------------------------------------------------

    @conjunct("WhiteBeforeRed", "E2")
    def white_before_red(self, s: State) -> Expr:
        """In each channel the white messages come first."""
        return every(
            lambda c, j, k: implies(conj(self.red_in(s, c, j), s.chan(c, k), ABOVE(k, j)), s.isRed(c, k))
        )

    @conjunct("RecordedWhenRed", "E6")
    def recorded_when_red(self, s: State) -> Expr:
        """Channels are recorded at red processes only."""
        return every(lambda c, k: implies(s.recChan(c, k), s.red(TARGET(c))))

    @conjunct("RecordedWasAccepted", "E6", positions=True)
    def recorded_was_accepted(self, s: State) -> Expr:
        """Recorded messages were accepted, and are white."""
        return every(lambda c, k: implies(s.recChan(c, k), conj(s.sent(c, k), ~s.chan(c, k), ~s.isRed(c, k))))

    # -- what is shown ---------------------------------------------------------------------------------------

    def complete(self, s: State) -> Expr:
        """Every machine and every message is red. TLA+: Complete."""
        return every(lambda p: s.red(p)) & every(lambda c, k: ~self.white_in(s, c, k))

    @keeps("StaysRed", "E3")
    def stays_red(self, s: State, t: State) -> Expr:
        """Once everything is red, everything stays red."""
        return implies(self.complete(s), self.complete(t))

    @refinement("SSSReachable", "E7")
    def sss_reachable(self, s: State, step: Step | None) -> Expr:
        """Seen through what is recorded and still white, white actions are a computation, and the rest is nothing."""
        return self.reaches_recorded(s, step, self.recorded_with_what_is_white)

    @refinement("RefinesComputation", "E2")
    def refines_computation(self, s: State, step: Step | None) -> Expr:
        """The colours only watch."""
        machine = Computation(self.application)
        if step is None:
            return machine.initial(s)
        return machine.allows(s, step.does.moves, step.after)


class NoGuard(WhiteRed):
    """A white machine accepts red messages too (E4)."""

    def may_take(self, action: Expr, message: Expr) -> Expr:
        """In any colour."""
        return conj()


class RecordEarly(WhiteRed):
    """A channel's recording begins before its machine is red (E6)."""

    def kept(self, action: Expr, message: Expr) -> Expr:
        """Every white message."""
        return ~message


class TurnBack(WhiteRed):
    """A red machine that turns once more is white again (E1, E2)."""

    def may_turn(self, s: State, p: Expr) -> Expr:
        """At any time."""
        return conj()

    def recorded(self, s: State, p: Expr, turns: Expr) -> Expr:
        """Those who turn are red if they were white."""
        return ~iff(s.red(p), turns)


class AcceptBeforeSend(WhiteRed):
    """A message is accepted that its source could send, but has not sent (E5)."""

    def offers(self, s: State, c: Expr, k: Expr) -> Expr:
        """Anything of the source's colour, too."""
        foreseen = conj(~s.sent(c, k), iff(s.isRed(c, k), s.red(SOURCE(c))))
        return super().offers(s, c, k) | foreseen


class RecordAfterRed(WhiteRed):
    """A machine that turns red in a red action records the state after it (E6, E17)."""

    def state_recorded(self, action: Expr, before: Expr, after: Expr) -> Expr:
        """Always the state after."""
        return after


MUTANTS = (NoGuard, RecordEarly, TurnBack, AcceptBeforeSend, RecordAfterRed)
