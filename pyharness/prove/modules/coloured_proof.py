"""The common part of the proofs of all protocols: positions that stand for sequences, and the recorded states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.prove.logic import ABOVE, TRUE, Expr, Symbol, conj, equal, every, implies, ite
from pyharness.prove.modules.application_proof import SOURCE, VARIABLES
from pyharness.prove.modules.computation_proof import Computation
from pyharness.prove.proof_module import System, conjunct, keeps

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.prove.steps import State, Step


def variables(names: str) -> tuple[Symbol, ...]:
    """Return the variables of these names, which are separated by spaces."""
    return tuple(VARIABLES[name] for name in names.split())


class Coloured(System):
    """A protocol with colours, whose state is made of some of the variables of ``application_proof``."""

    def has(self, variable: str) -> bool:
        """Return whether this is one of its variables."""
        return any(symbol.name == variable for symbol in self.variables)

    # -- every step ------------------------------------------------------------------------------------------

    @keeps("AppendsAtEnd", positions=True)
    def appends_at_end(self, s: State, t: State) -> Expr:
        """A step adds to the end of a sequence, and only channels lose elements."""
        records = [name for name in ("recChan", "whiteInRed", "redInWhite") if self.has(name)]
        grows = [_appends(getattr(s, name), getattr(t, name)) for name in ("chan", *records)]
        return conj(*grows, *(_within(getattr(s, name), getattr(t, name)) for name in records))

    @keeps("ElementsLast", positions=True)
    def elements_last(self, s: State, t: State) -> Expr:
        """An element that was sent at a position does not change, and a channel grows only where nothing was sent before."""
        kept = [_kept(s, t, name) for name in ("isRed", "isMarker", "msg") if self.has(name)]
        new = every(lambda c, k: implies(t.chan(c, k) & ~s.chan(c, k), t.sent(c, k) & ~s.sent(c, k)))
        return conj(*kept, _within(s.sent, t.sent), new)

    @keeps("TurnsRedOnce", "E1")
    def turns_red_once(self, s: State, t: State) -> Expr:
        """A red process stays red, and what it recorded stays as it was."""
        return every(lambda p: implies(s.red(p), t.red(p) & equal(t.recState(p), s.recState(p))))

    # -- the invariant ---------------------------------------------------------------------------------------

    @conjunct("SentBeforeAccepted", "E5", positions=True)
    def sent_before_accepted(self, s: State) -> Expr:
        """Elements of a channel were sent on it."""
        return every(lambda c, k: implies(s.chan(c, k), s.sent(c, k)))

    @conjunct("AcceptedInOrder", "E5", positions=True)
    def accepted_in_order(self, s: State) -> Expr:
        """The messages that were accepted from a channel were sent before those that are still in it."""
        return every(
            lambda c, j, k: implies(
                conj(s.sent(c, j), self.is_message(s, c, j), ~s.chan(c, j))
                & conj(s.chan(c, k), self.is_message(s, c, k)),
                ABOVE(k, j),
            )
        )

    @conjunct("ColourDiscipline", "E2")
    def colour_discipline(self, s: State) -> Expr:
        """Messages of a white process are white."""
        return every(lambda c, k: implies(~s.red(SOURCE(c)), ~self.red_in(s, c, k)))

    # -- words -----------------------------------------------------------------------------------------------

    def is_message(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that what stands at k of c is a message; without markers everything is."""
        return ~s.isMarker(c, k) if self.has("isMarker") else TRUE

    def red_in(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that a red message stands at k of c."""
        return conj(s.chan(c, k), self.is_message(s, c, k), s.isRed(c, k))

    def white_in(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that a white message stands at k of c."""
        return conj(s.chan(c, k), self.is_message(s, c, k), ~s.isRed(c, k))

    def recorded_with_what_is_white(self, s: State) -> State:
        """Return the state that E7 states to be reachable: the recorded parts, and the white rest."""
        return self.seen_as_recorded(s, self.white_in)

    def seen_as_recorded(self, s: State, remaining: Callable[[State, Expr, Expr], Expr]) -> State:
        """Return the recorded states, else the states, and of the channels what was recorded and what remains."""
        return s.but(
            state=lambda p: ite(s.red(p), s.recState(p), s.state(p)),
            chan=lambda c, k: s.recChan(c, k) | remaining(s, c, k),
        )

    def reaches_recorded(self, s: State, step: Step | None, seen: Callable[[State], State]) -> Expr:
        """State that ``seen`` so, a white action is a step of Computation, and every other one is nothing (E7)."""
        machine = Computation(self.application)
        if step is None:
            return machine.initial(seen(s))
        return machine.allows(seen(s), step.does.moves, seen(step.after), counts=~step.does.red)


def _appends(old: Callable[..., Expr], new: Callable[..., Expr]) -> Expr:
    return every(lambda c, j, k: implies(conj(old(c, j), new(c, k), ~old(c, k)), ABOVE(k, j)))


def _within(old: Callable[..., Expr], new: Callable[..., Expr]) -> Expr:
    return every(lambda c, k: implies(old(c, k), new(c, k)))


def _kept(s: State, t: State, name: str) -> Expr:
    old, new = getattr(s, name), getattr(t, name)
    return every(lambda c, k: implies(s.sent(c, k), equal(old(c, k), new(c, k))))
