"""``Computation``: machines and FIFO buffers, no snapshot. A recorded state must be reachable in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.prove.logic import TRUE, Expr, conj, disj, equal, every, iff, implies, ite
from pyharness.prove.modules.application_proof import SOURCE, TARGET, VARIABLES
from pyharness.prove.proof_module import System
from pyharness.prove.steps import Moves, State, Step

if TYPE_CHECKING:
    from collections.abc import Callable


class Computation(System):
    """Every step is an action of the application. :meth:`act` asks of positions what TLA+ asks of sequences."""

    name = "Computation"
    variables = tuple(VARIABLES[name] for name in ("state", "chan", "sent", "msg"))

    def initial(self, s: State) -> Expr:
        """All channels are empty."""
        return every(lambda c, k: ~s.chan(c, k))

    def act(self, s: State, x: Moves) -> Step:
        """Take an action of the application: Send, Accept, Internal and Exchange are all of this form."""
        guard = conj(self.accepting(s, x, self.application.positions), self.sending(s, x))
        return Step(guard, self.moved(s, x))

    def taken(self, s: State, x: Moves) -> Step:
        """Take it as a step of a behaviour, in which messages come behind everything that was ever sent."""
        step = self.act(s, x)
        return Step(step.guard & self.unused(s, x), self.used(s, step.after, x))

    def unused(self, s: State, x: Moves) -> Expr:
        """State that what it sends comes behind everything that was ever sent."""
        return every(lambda c: implies(x.gives(c), self.application.fresh(s, c, x.new(c))))

    def used(self, s: State, after: State, x: Moves) -> State:
        """Return the state after it, in which what it sends was sent."""
        return after.but(sent=lambda c, k: s.sent(c, k) | x.put(c, k))

    def accepting(self, s: State, x: Moves, offered: Callable[[State, Expr, Expr], Expr]) -> Expr:
        """State that the process is in the state that the action begins in, and that what it accepts is ``offered``."""
        return equal(s.state(x.by), x.before) & every(
            lambda c: implies(
                x.takes(c),
                conj(equal(TARGET(c), x.by), offered(s, c, x.at(c)), equal(s.msg(c, x.at(c)), x.took(c))),
            )
        )

    def sending(self, s: State, x: Moves) -> Expr:
        """State that what it sends goes to the ends of its outputs."""
        rules = self.application
        return every(
            lambda c: implies(
                x.gives(c), conj(equal(SOURCE(c), x.by), rules.room(s, c), rules.behind(s, c, x.new(c)))
            )
        )

    def moved(self, s: State, x: Moves) -> State:
        """Return the state after it."""
        return s.but(
            state=lambda p: ite(equal(p, x.by), x.after, s.state(p)),
            chan=lambda c, k: disj(conj(s.chan(c, k), ~x.accepted(c, k)), x.put(c, k)),
            msg=lambda c, k: ite(x.put(c, k), x.body(c), s.msg(c, k)),
        )

    def same(self, a: State, b: State) -> Expr:
        """State that two states are the same; a message is of interest only where there is one."""
        return conj(
            every(lambda p: equal(a.state(p), b.state(p))),
            every(lambda c, k: iff(a.chan(c, k), b.chan(c, k))),
            every(lambda c, k: implies(a.chan(c, k), equal(a.msg(c, k), b.msg(c, k)))),
        )

    def allows(self, before: State, moves: Moves | None, after: State, counts: Expr = TRUE) -> Expr:
        """State that from ``before`` to ``after`` is a step here if it ``counts``, and that nothing happens if not."""
        if moves is None:
            return self.same(before, after)
        step = self.act(before, moves)
        return ite(counts, step.guard & self.same(step.after, after), self.same(before, after))
