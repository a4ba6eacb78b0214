"""The seeded bugs of ``Snapshots``, each a class that overrides the rule of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.proof.logic import (
    STATE,
    TRUE,
    Expr,
    Symbol,
    conj,
    disj,
    equal,
    every,
    exactly,
    implies,
    ite,
    some,
)
from pyharness.proof.modules.application_proof import TARGET
from pyharness.proof.modules.snapshots_proof import BEFORE, Snapshots

if TYPE_CHECKING:
    from pyharness.proof.steps import Of, State


class ClosesAll(Snapshots):
    """A marker closes its channel for all snapshots of which its target has a part (E6, E15)."""

    def close(self, s: State, t: State, c: Expr, n: Expr) -> State:
        """For n, and for those for which the target was red."""
        return t.but(
            closed=lambda of, d: t.closed(of, d) | (equal(d, c) & (equal(of, n) | s.red(of, TARGET(c))))
        )


class _ClosesWhenRed(Snapshots):
    """A marker closes its channel only for a snapshot for which the target is red then."""

    def close(self, s: State, t: State, c: Expr, n: Expr) -> State:
        """If the target is red for n."""
        closed = super().close(s, t, c, n).closed
        return t.but(closed=lambda of, d: t.closed(of, d) | (closed(of, d) & t.red(n, TARGET(c))))


class IgnoresSecond(_ClosesWhenRed):
    """A process that records for one snapshot does not begin to record for another one at its marker (E13)."""

    def turns_red(self, s: State, p: Expr, n: Expr) -> Expr:
        """Only if its part of each other one is complete."""
        done = every(
            lambda n2: implies(s.red(n2, p), self.single.locally_complete(self.view(s, n2), p)),
        )
        return ~s.red(n, p) & done


class RecordsOnce(_ClosesWhenRed):
    """Ids are not told apart: who has recorded for one snapshot does not record for another one (E13)."""

    def turns_red(self, s: State, p: Expr, n: Expr) -> Expr:
        """Only for the first of all."""
        return every(lambda n2: ~s.red(n2, p))


class RecordsAgain(Snapshots):
    """A process records at each marker of a snapshot, and puts out markers each time (E1, E11)."""

    def turns_red(self, s: State, p: Expr, n: Expr) -> Expr:
        """At each one."""
        return TRUE


class RecordsForOne(Snapshots):
    """A message is recorded for the least of the ids that record its channel (E6)."""

    def recording(self, s: State, n: Expr, c: Expr) -> Expr:
        """For the first of those that do."""
        whole = super().recording
        return conj(whole(s, n, c), every(lambda n2: implies(whole(s, n2, c), ~BEFORE(n2, n))))


class SharesState(Snapshots):
    """A later recording takes the state that an earlier one has recorded (E6)."""

    def state_recorded(self, s: State, p: Expr, n: Expr) -> Expr:
        """Return the state recorded for the least id, if there is one: the only one that is as ``earliest`` says."""
        return ite(every(lambda n2: ~s.red(n2, p)), s.state(p), _EARLIEST)

    def room_for_markers(self, s: State, p: Expr, mark: Of, turns: Expr = TRUE) -> Expr:
        """Say also which state that is."""

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


class GivesUpOlder(Snapshots):
    """Who begins to record at a marker gives up the snapshots of which its part is not complete (E1)."""

    def given_up(self, s: State, p: Expr, of: Expr) -> Expr:
        """Say that p's part of a snapshot is not complete."""
        return s.red(of, p) & ~self.single.locally_complete(self.view(s, of), p)

    def close(self, s: State, t: State, c: Expr, n: Expr) -> State:
        """Close c for n; and if its target has turned, forget its parts of others."""
        p, kept = TARGET(c), super().close(s, t, c, n)

        def gone(of: Expr, q: Expr) -> Expr:
            turned = t.red(n, p) & ~s.red(n, p)
            return conj(turned, ~equal(of, n), equal(q, p), self.given_up(s, p, of))

        return kept.but(
            red=lambda of, q: kept.red(of, q) & ~gone(of, q),
            recChan=lambda of, d, k: kept.recChan(of, d, k) & ~gone(of, TARGET(d)),
            closed=lambda of, d: kept.closed(of, d) & ~gone(of, TARGET(d)),
        )


class NumbersStay(Snapshots):
    """An initiator gives all its snapshots one number, and what it recorded last counts (E1, E11)."""

    def next_of(self, s: State, p: Expr, n: Expr) -> Expr:
        """Say that n is the first of its own ids."""
        return self.own(p, n) & every(lambda n2: implies(self.own(p, n2), ~BEFORE(n2, n)))


class NumbersFromTwo(Snapshots):
    """An initiator begins to number its snapshots with 2 (E11)."""

    def next_of(self, s: State, p: Expr, n: Expr) -> Expr:
        """Say that it leaves out one of its own ids."""
        left_out = exactly(lambda n2: conj(self.own(p, n2), BEFORE(n2, n), ~s.red(n2, p)))
        return conj(self.own(p, n), ~s.red(n, p), left_out)


class SkipsNumber(NumbersFromTwo):
    """An initiator leaves out every second number (E11). Here it takes two snapshots at the most."""

    def next_of(self, s: State, p: Expr, n: Expr) -> Expr:
        """Say that it is the first of all; or that one is left out, where it has taken one."""
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
        """Say that n is the first of its own ids."""
        return every(lambda n2: implies(self.own(p, n2), ~BEFORE(n2, n)))


MUTANTS = (
    ClosesAll,
    IgnoresSecond,
    RecordsOnce,
    RecordsAgain,
    RecordsForOne,
    SharesState,
    BufferIsShared,
    GivesUpOlder,
    NumbersStay,
    NumbersFromTwo,
    SkipsNumber,
    RedOfReceiver,
    InitiatesOnce,
)
"""The seeded bugs of this module, each a class that overrides the rule of that name."""
