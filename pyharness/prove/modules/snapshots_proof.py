"""``Snapshots``: Chandy and Lamport's algorithm with ids, any number of them, of any number of initiators.

Ids are a sort of its own. An id has an initiator and ids that are before it, nothing else. *Before* stands for
the order of TLA+'s pairs, by their initiators and then by their numbers, so that of two ids of one initiator the one
before has the smaller number; but that it is an order is not even assumed, for nothing here needs it. Numbers do
not occur: the counts of TLA+ are expressed by *before*:

- ``NextOf(p)`` is one more than how many of its own ids p has recorded for; here it is the first of its own ids for
  which p has not recorded. They are the same where p has recorded for the first n of them, which ``RedInOrder`` states.
- ``MarkersAscend`` states that 1, 2, .. were accepted, and that what is in the channel goes on from there; here, that an
  id before an accepted one was accepted, that in the channel an id is behind those before it, and that none is left
  out: an id before one that is in the channel is there too, or was accepted.

Seen through one id, with the markers of the others hidden, a state is one of ``ChandyLamport``: :meth:`Snapshots.view`.
Everything that is proved of that module is proved here of each id: its invariant, and what follows from it. A channel is
one set of positions for all ids. That there are finitely many ids is asked nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pyharness.prove.logic import (
    ABOVE,
    BOOL,
    CHANNEL,
    ID,
    POSITION,
    PROCESS,
    STATE,
    TRUE,
    Expr,
    Symbol,
    conj,
    disj,
    equal,
    every,
    exactly,
    iff,
    implies,
    ite,
    some,
)
from pyharness.prove.logic.formula import And, Quantified
from pyharness.prove.modules.application_proof import SOURCE, TARGET, VARIABLES, accepts, changes, sends
from pyharness.prove.modules.chandy_lamport_proof import INITIATOR, ChandyLamport, goes_on
from pyharness.prove.modules.coloured_proof import variables
from pyharness.prove.modules.computation_proof import Computation
from pyharness.prove.modules.cyclic_barriers_proof import LESS, numbered
from pyharness.prove.modules.white_red_proof import WhiteRed
from pyharness.prove.proof_module import System, action, conjunct, follows, refinement
from pyharness.prove.steps import Does, State, Step

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.prove.modules.application_proof import Application
    from pyharness.prove.proof_module import Declaration
    from pyharness.prove.steps import Of


BY: Final = Symbol("initiatedBy", (ID,), PROCESS)
"""The initiator of a snapshot. TLA+: the first component of an id."""

BEFORE: Final = Symbol("before", (ID, ID), BOOL)
"""The first id is before the second: of one initiator, it has the smaller number."""

OVERLAP: Final = Symbol("overlap", (), BOOL)
"""An initiator waits for nothing, as where the constant `Overlap` is 1."""

MARKER_ID: Final = Symbol("markerId", (CHANNEL, POSITION), ID)
"""Of which snapshot the marker at a position is."""

OF_IDS: Final = {
    name: Symbol(name, (ID, *VARIABLES[name].arguments), VARIABLES[name].sort)
    for name in ("isRed", "red", "recState", "recChan", "closed", "whiteInRed", "redInWhite")
}
"""The variables of each id, as functions and predicates of the id and the arguments that they have in ``ChandyLamport``."""


@dataclass(frozen=True, slots=True)
class ByIds(Step):
    """A step with ids. Seen through an id that it ``concerns``, it is ``one`` of ``ChandyLamport``, from that view.

    Seen through any other id it is nothing.
    """

    concerns: Of = lambda _: TRUE
    one: Callable[[State], Step] = lambda view: Step(TRUE, view)


class Snapshots(System):
    """The algorithm with ids."""

    name = "Snapshots"
    variables = (*variables("state chan sent msg isMarker"), MARKER_ID, *OF_IDS.values())

    def __init__(self, application: Application) -> None:
        super().__init__(application)
        self.single = ChandyLamport(application)

    def initial(self, s: State) -> Expr:
        """Nothing was sent, and nothing recorded for any id."""
        return _of_each(lambda n: self.single.initial(self.view(s, n)))

    def in_tla(self) -> Expr:
        """There initiators alone have ids, of two ids one is before, and that of a process with a smaller number is."""
        return conj(
            super().in_tla(),
            numbered(),
            every(lambda n: ~BEFORE(n, n)),
            every(lambda n, n2: disj(equal(n, n2), BEFORE(n, n2), BEFORE(n2, n))),
            every(lambda n, n2, n3: implies(BEFORE(n, n2) & BEFORE(n2, n3), BEFORE(n, n3))),
            every(lambda n: INITIATOR(BY(n))),
            every(lambda n, n2: implies(BEFORE(n, n2), equal(BY(n), BY(n2)) | LESS(BY(n), BY(n2)))),
        )

    # -- through one id ----------------------------------------------------------------------------------------

    def view(self, s: State, n: Expr) -> State:
        """Return what is seen through id n: a state of ``ChandyLamport``. TLA+: CL."""

        def seen(within: Callable[..., Expr]) -> Callable[..., Expr]:
            return lambda c, k: conj(within(c, k), disj(~s.isMarker(c, k), equal(s.markerId(c, k), n)))

        of_id = {name: partial(getattr(s, name), n) for name in OF_IDS}
        return State(
            {
                "state": s.state,
                "msg": s.msg,
                "isMarker": s.isMarker,
                "chan": seen(s.chan),
                "sent": seen(s.sent),
                **of_id,
            }
        )

    def declared(self, kind: str) -> list[tuple[Declaration, Callable[..., Any]]]:
        """Return also the declarations of ``ChandyLamport``, for each id, except those that are replaced here."""
        own = super().declared(kind)
        if kind not in ("conjunct", "follows", "keeps"):
            return own
        names = {fact.name for fact, _ in own}
        return [
            (fact, partial(self._of_each_view, method))
            for fact, method in self.single.declared(kind)
            if fact.name not in names
        ] + own

    def _of_each_view(self, method: Callable[..., Expr], *states: State) -> Expr:
        return _of_each(lambda n: method(*(self.view(s, n) for s in states)))

    # -- the algorithm's decisions -----------------------------------------------------------------------------

    def own(self, p: Expr, n: Expr) -> Expr:
        """State that n is one of p's own ids."""
        return equal(BY(n), p)

    def next_of(self, s: State, p: Expr, n: Expr) -> Expr:
        """State that n is the next id of p: the first for which it has not recorded. TLA+: NextOf."""
        earlier = every(lambda n2: implies(self.own(p, n2) & BEFORE(n2, n), s.red(n2, p)))
        return conj(self.own(p, n), ~s.red(n, p), earlier)

    def may_initiate(self, s: State, p: Expr, n: Expr) -> Expr:
        """State that p may begin its next snapshot n: at once, or when those that were begun are complete (E16)."""
        begun = every(
            lambda n2: disj(every(lambda p2: ~s.red(n2, p2)), self.complete_for(s, n2)),
        )
        return OVERLAP() | begun

    def complete_for(self, s: State, n: Expr) -> Expr:
        """State that snapshot n is complete. TLA+: CompleteFor."""
        return every(lambda q: self.single.locally_complete(self.view(s, n), q))

    def turns_red(self, s: State, p: Expr, n: Expr) -> Expr:
        """State that p turns red for n when a marker of n comes: at the first one (E13). TLA+: TurnsRed."""
        return ~s.red(n, p)

    def recording(self, s: State, n: Expr, c: Expr) -> Expr:
        """State that a message accepted from c is a part of its state for n (E6). TLA+: Recording."""
        return s.red(n, TARGET(c)) & ~s.closed(n, c)

    def state_recorded(self, s: State, p: Expr, n: Expr) -> Expr:
        """Return the state that p records for n (E6). Part of TLA+: Record."""
        return s.state(p)

    def tinted(self, s: State, n: Expr, c: Expr) -> Expr:
        """State that a message that is sent on c is red for n: if its source is (E2). TLA+: Sent."""
        return s.red(n, SOURCE(c))

    def record(self, s: State, p: Expr, n: Expr, mark: Of, turns: Expr = TRUE) -> State:
        """Let p record for n if it turns, and put a marker on each output, at ``mark`` (E6). TLA+: Record."""

        def marks(c: Expr, k: Expr) -> Expr:
            return conj(turns, equal(SOURCE(c), p), equal(k, mark(c)))

        def here(of: Expr, q: Expr) -> Expr:
            return conj(turns, equal(of, n), equal(q, p))

        return s.but(
            chan=lambda c, k: s.chan(c, k) | marks(c, k),
            sent=lambda c, k: s.sent(c, k) | marks(c, k),
            isMarker=lambda c, k: s.isMarker(c, k) | marks(c, k),
            markerId=lambda c, k: ite(marks(c, k), n, s.markerId(c, k)),
            red=lambda of, q: s.red(of, q) | here(of, q),
            recState=lambda of, q: ite(here(of, q), self.state_recorded(s, p, n), s.recState(of, q)),
        )

    def close(self, s: State, t: State, c: Expr, n: Expr) -> State:
        """Close c for n at its marker, ``s`` being before the step and t after the recording (E15). TLA+: Close."""
        return t.but(closed=lambda of, d: t.closed(of, d) | conj(equal(of, n), equal(d, c)))

    # -- steps -------------------------------------------------------------------------------------------------

    def may_close(self, s: State, c: Expr, n: Expr) -> Expr:
        """State that the marker of n on c may be taken now: it always may (E22). Part of TLA+: Close."""
        return TRUE

    def room_for_markers(self, s: State, p: Expr, mark: Of, turns: Expr = TRUE) -> Expr:
        """State that markers are put behind everything that was ever sent."""
        return every(lambda c: implies(turns & equal(SOURCE(c), p), self.application.fresh(s, c, mark(c))))

    @action("Send", "E2")
    def send(self, s: State, c: Expr, k: Expr, m: Expr, t: Expr) -> ByIds:
        """The source of c sends message m."""
        x = sends(s, c, k, m, t)
        step = Computation(self.application).taken(s, x)
        after = step.after.but(
            isMarker=lambda d, j: s.isMarker(d, j) & ~x.put(d, j),
            isRed=lambda n, d, j: ite(x.put(d, j), self.tinted(s, n, d), s.isRed(n, d, j)),
        )
        return ByIds(
            step.guard, after, Does(x), one=lambda view: self.single.send(view, c, k, m, t, lambda _: k)
        )

    @action("Accept", "E4", "E6")
    def accept(self, s: State, c: Expr, k: Expr, t: Expr) -> ByIds:
        """The target of c accepts the message at k."""
        x = accepts(s, c, k, t)
        step = Computation(self.application).act(s, x)
        p = x.by

        def noted(name: str, ids: Callable[[Expr, Expr, Expr], Expr]) -> Callable[..., Expr]:
            was = getattr(s, name)
            return lambda n, d, j: was(n, d, j) | (x.accepted(d, j) & ids(n, d, j))

        after = step.after.but(
            recChan=noted("recChan", lambda n, d, _: self.recording(s, n, d)),
            whiteInRed=noted("whiteInRed", lambda n, d, j: s.red(n, p) & ~s.isRed(n, d, j)),
            redInWhite=noted("redInWhite", lambda n, d, j: s.isRed(n, d, j) & ~s.red(n, p)),
        )
        return ByIds(
            conj(step.guard, ~s.isMarker(c, k)),
            after,
            Does(x),
            one=lambda view: self.single.accept(view, c, k, t, lambda _: k),
        )

    @action("Internal")
    def internal(self, s: State, p: Expr, t: Expr) -> ByIds:
        """Process p changes its state."""
        x = changes(s, p, t)
        step = Computation(self.application).act(s, x)
        return ByIds(
            step.guard,
            step.after,
            Does(x),
            one=lambda view: self.single.internal(view, p, t, Symbol("unused", (CHANNEL,), POSITION)),
        )

    @action("Initiate", "E16")
    def initiate(self, s: State, p: Expr, n: Expr, mark: Of) -> ByIds:
        """An initiator begins its next snapshot."""
        guard = conj(
            INITIATOR(p),
            self.next_of(s, p, n),
            self.may_initiate(s, p, n),
            self.room_for_markers(s, p, mark),
        )
        return ByIds(
            guard,
            self.record(s, p, n, mark),
            Does(changes(s, p, s.state(p))),
            concerns=lambda of: equal(of, n),
            one=lambda view: self.single.initiate(view, p, mark),
        )

    @action("AcceptMarker", "E13")
    def accept_marker(self, s: State, c: Expr, k: Expr, mark: Of) -> ByIds:
        """The target of c accepts the marker at k."""
        p, n = TARGET(c), s.markerId(c, k)
        turns = self.turns_red(s, p, n)
        taken = s.but(chan=lambda d, j: s.chan(d, j) & ~conj(equal(d, c), equal(j, k)))
        guard = conj(
            self.application.positions(s, c, k),
            s.isMarker(c, k),
            self.room_for_markers(s, p, mark, turns),
            self.may_close(s, c, n),
        )
        return ByIds(
            guard,
            self.close(s, self.record(taken, p, n, mark, turns), c, n),
            Does(changes(s, p, s.state(p))),
            concerns=lambda of: equal(of, n),
            one=lambda view: self.single.accept_marker(view, c, k, mark),
        )

    # -- the invariant, beyond that of each id -----------------------------------------------------------------

    @conjunct("RedInOrder", "E11")
    def red_in_order(self, s: State) -> Expr:
        """A process that has recorded for an id has recorded for the earlier ids of its initiator."""
        return every(
            lambda n, n2, p: implies(self.one_after_the_other(n, n2) & s.red(n2, p), s.red(n, p)),
        )

    @conjunct("MarkersAscend", "E11")
    def markers_ascend(self, s: State) -> Expr:
        """The markers of one initiator come in the order of their numbers, and none is left out."""
        pair = self.one_after_the_other
        accepted = every(lambda n, n2, c: implies(pair(n, n2) & s.closed(n2, c), s.closed(n, c)))
        in_order = every(
            lambda c, j, k: implies(
                conj(
                    self.marker_in(s, c, j),
                    self.marker_in(s, c, k),
                    pair(s.markerId(c, j), s.markerId(c, k)),
                ),
                ABOVE(k, j),
            )
        )
        none_left_out = every(
            lambda n, c, k: implies(
                self.marker_in(s, c, k) & pair(n, s.markerId(c, k)),
                s.closed(n, c) | some(lambda j: self.marker_in(s, c, j) & equal(s.markerId(c, j), n)),
            )
        )
        return conj(accepted, in_order, none_left_out)

    def one_after_the_other(self, n: Expr, n2: Expr) -> Expr:
        """State that the ids are of one initiator, and the first has the smaller number."""
        return equal(BY(n), BY(n2)) & BEFORE(n, n2)

    def marker_in(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that a marker is at k of c."""
        return s.chan(c, k) & s.isMarker(c, k)

    @follows("HoldsNobodyUp", "E22")
    def holds_nobody_up(self, s: State) -> Expr:
        """The actions with ids hold up no step of the computation, in channels that have a first element, if any."""
        rules = self.application
        finite = every(lambda c, k: implies(s.chan(c, k), some(lambda j: rules.first(s, c, j))))
        return goes_on(self, s, finite & self.single.room_behind(s))

    # -- refinements -------------------------------------------------------------------------------------------

    @refinement("RefinesWhiteRed", "E6", "E13")
    def refines_white_red(self, s: State, step: Step | None) -> Expr:
        """Each snapshot by itself is one of ``WhiteRed``."""
        return _of_each(
            lambda n: self.single.refines_white_red(self.view(s, n), step and self._seen(s, step, n))
        )

    @refinement("RefinesChandyLamport", "E11", "E13", "E15")
    def refines_chandy_lamport(self, s: State, step: ByIds | None) -> Expr:
        """With the other ids hidden, it is one of ``ChandyLamport``, or nothing happens."""
        if step is None:
            return self.initial(s)

        def stepped(n: Expr) -> Expr:
            before, after = self.view(s, n), self.view(step.after, n)
            one = step.one(before)
            taken = one.guard & self._same(one.after, after)
            return ite(step.concerns(n), taken, self._same(before, after))

        return _of_each(stepped)

    def _seen(self, s: State, step: Step, n: Expr) -> Step:
        """Return a step as the colouring has it: red if who acts is red for n, and with those who turn red for n."""
        before, after, moves = self.view(s, n), self.view(step.after, n), step.does.moves
        red = TRUE if moves is None else before.red(moves.by)
        return Step(step.guard, after, Does(moves, red, lambda q: after.red(q) & ~before.red(q)))

    def _same(self, a: State, b: State) -> Expr:
        """State that two states of ``ChandyLamport`` are the same, what was ever sent too."""
        return conj(
            WhiteRed(self.application).same(a, b),
            every(lambda c, k: iff(a.sent(c, k), b.sent(c, k))),
            every(lambda c, k: implies(a.sent(c, k), iff(a.isMarker(c, k), b.isMarker(c, k)))),
            every(lambda c: iff(a.closed(c), b.closed(c))),
            every(lambda c, k: iff(a.whiteInRed(c, k), b.whiteInRed(c, k))),
            every(lambda c, k: iff(a.redInWhite(c, k), b.redInWhite(c, k))),
        )


def _of_each(body: Of) -> Expr:
    """Return ``body`` for each id: each conjunct by itself, which is easier to prove."""
    formula = every(lambda n: body(n))
    if isinstance(formula, Quantified) and isinstance(formula.body, And):
        return conj(*(Quantified(True, formula.variables, part) for part in formula.body.parts))
    return formula


class ClosesAll(Snapshots):
    """A marker closes its channel for all snapshots of which its target has a part (E6, E15)."""

    def close(self, s: State, t: State, c: Expr, n: Expr) -> State:
        """For n, and for those for which the target was red."""
        return t.but(
            closed=lambda of, d: t.closed(of, d) | (equal(d, c) & (equal(of, n) | s.red(of, TARGET(c))))
        )


class RecordsAgain(Snapshots):
    """A process records at each marker of a snapshot, and puts out markers each time (E1, E11)."""

    def turns_red(self, s: State, p: Expr, n: Expr) -> Expr:
        """At each one."""
        return TRUE


class RecordsForOne(Snapshots):
    """A message is recorded for the least of the ids that record its channel (E6)."""

    def recording(self, s: State, n: Expr, c: Expr) -> Expr:
        """For the first of those that do."""
        recording = super().recording
        return conj(recording(s, n, c), every(lambda n2: implies(recording(s, n2, c), ~BEFORE(n2, n))))


class SharesState(Snapshots):
    """A later recording takes the state that an earlier one has recorded (E6).

    Which that is, is a condition of a step here, so that steps are possible is not asked.
    """

    def holds_nobody_up(self, s: State) -> Expr:
        """Ask nothing."""
        return TRUE

    def state_recorded(self, s: State, p: Expr, n: Expr) -> Expr:
        """Return the state recorded for the least id, if there is one: the only one that satisfies ``earliest``."""
        return ite(every(lambda n2: ~s.red(n2, p)), s.state(p), _EARLIEST)

    def room_for_markers(self, s: State, p: Expr, mark: Of, turns: Expr = TRUE) -> Expr:
        """State also which state that is."""

        def is_first(n: Expr) -> Expr:
            return s.red(n, p) & every(lambda n2: implies(s.red(n2, p), ~BEFORE(n2, n)))

        earliest = every(lambda n: implies(is_first(n), equal(_EARLIEST, s.recState(n, p))))
        found = every(lambda n: ~s.red(n, p)) | some(lambda n: is_first(n))
        return conj(super().room_for_markers(s, p, mark, turns), earliest, found)


_EARLIEST = Symbol("earliest", (), STATE)()


class BufferIsShared(Snapshots):
    """A recording that begins discards what others have recorded (E6)."""

    def record(self, s: State, p: Expr, n: Expr, mark: Of, turns: Expr = TRUE) -> State:
        """Leave nothing recorded of p's inputs, for any id."""
        return (
            super()
            .record(s, p, n, mark, turns)
            .but(recChan=lambda of, c, k: s.recChan(of, c, k) & ~(turns & equal(TARGET(c), p)))
        )


class NumbersFromTwo(Snapshots):
    """An initiator begins to number its snapshots with 2 (E11)."""

    def next_of(self, s: State, p: Expr, n: Expr) -> Expr:
        """State that it leaves out one of its own ids."""
        left_out = exactly(lambda n2: conj(self.own(p, n2), BEFORE(n2, n), ~s.red(n2, p)))
        return conj(self.own(p, n), ~s.red(n, p), left_out)


class SkipsNumber(NumbersFromTwo):
    """An initiator leaves out every second number (E11). Here it takes two snapshots at the most."""

    def next_of(self, s: State, p: Expr, n: Expr) -> Expr:
        """State that it is the first of all; or that one is left out, where it has taken one."""
        taken = exactly(lambda n2: self.own(p, n2) & s.red(n2, p))
        none = every(lambda n2: implies(self.own(p, n2), ~s.red(n2, p) & ~BEFORE(n2, n)))
        return disj(self.own(p, n) & none, taken & super().next_of(s, p, n))


class RedOfReceiver(Snapshots):
    """A message is red for the ids for which its receiver is (E2)."""

    def tinted(self, s: State, n: Expr, c: Expr) -> Expr:
        """The receiver's."""
        return s.red(n, TARGET(c))


class InitiatesOnce(Snapshots):
    """An initiator takes one snapshot, and no other one (E16, E18)."""

    def may_initiate(self, s: State, p: Expr, n: Expr) -> Expr:
        """State that n is the first of its own ids."""
        return every(lambda n2: implies(self.own(p, n2), ~BEFORE(n2, n)))


class OneIdAtATime(Snapshots):
    """A process takes no marker of a snapshot while its part of another one is under way (E22)."""

    def may_close(self, s: State, c: Expr, n: Expr) -> Expr:
        """When its part of each other one is complete."""
        p = TARGET(c)
        complete = self.single.locally_complete
        return every(
            lambda n2: implies(s.red(n2, p) & ~equal(n2, n), complete(self.view(s, n2), p)),
        )


MUTANTS = (
    OneIdAtATime,
    ClosesAll,
    RecordsAgain,
    RecordsForOne,
    SharesState,
    BufferIsShared,
    NumbersFromTwo,
    SkipsNumber,
    RedOfReceiver,
    InitiatesOnce,
)
"""The seeded bugs of this module, each a class that overrides the rule of that name."""
