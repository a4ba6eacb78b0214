"""``Barriers``: what Flink's asynchronous barrier snapshots have in common, for one checkpoint.

A module that extends this one defines when an input is blocked, when a process records, and what is in flight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.prove.logic import (
    ABOVE,
    FALSE,
    TRUE,
    Expr,
    conj,
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
    sends,
    touches_two,
)
from pyharness.prove.modules.chandy_lamport_proof import INITIATOR
from pyharness.prove.modules.coloured_proof import variables
from pyharness.prove.modules.recording_proof import Recording
from pyharness.prove.proof_module import action, conjunct, follows, refinement
from pyharness.prove.steps import Does, Moves, State, Step

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.prove.steps import Of


class Barriers(Recording):
    """One checkpoint. A barrier is a marker here, as it is in ``ChandyLamport``."""

    variables = variables(
        "state chan sent msg isRed isMarker red recState recChan arrived whiteInRed redInWhite"
    )

    def initial(self, s: State) -> Expr:
        """Nothing was sent, nothing recorded, and no barrier has arrived."""
        return self.nothing_yet(s) & every(lambda c: ~s.arrived(c))

    # -- what the protocols differ in ----------------------------------------------------------------------------

    def blocked(self, s: State, c: Expr) -> Expr:
        """State that nothing is accepted from c for now. TLA+: Blocked."""
        return FALSE

    def records_now(self, s: State, p: Expr, arrived: Of) -> Expr:
        """State that p records when these barriers have arrived. TLA+: RecordsNow."""
        raise NotImplementedError

    def logs(self, s: State, c: Expr) -> Expr:
        """State that what is accepted from c is recorded as in flight. TLA+: Logs."""
        return FALSE

    def reachable(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that a barrier at k of c can be taken. TLA+: Positions."""
        return self.application.positions(s, c, k)

    def overtaken(self, s: State, c: Expr, j: Expr, k: Expr) -> Expr:
        """State that what is at j of c is in flight when the barrier at k is taken. TLA+: Overtaken."""
        return FALSE

    # -- what they agree on, and mutants override ------------------------------------------------------------------

    def may_record(self, s: State, p: Expr) -> Expr:
        """State that p may record: once (E1). TLA+: MayRecord."""
        return ~s.red(p)

    def obeys(self, holds: Expr) -> Expr:
        """State that a process records when its protocol requires it (E13). Part of TLA+: TakeBarrier."""
        return holds

    def in_flight(self, holds: Expr) -> Expr:
        """State that a message that is accepted is recorded when its protocol requires it (E6). TLA+: Log."""
        return holds

    # -- steps -------------------------------------------------------------------------------------------------

    def records(self, s: State, step: Step, p: Expr, when: Expr, mark: Of) -> Step:
        """Let p record in this step if ``when`` holds, and put a barrier on each output. TLA+: Record."""
        before = step.after

        def put(c: Expr, k: Expr) -> Expr:
            return conj(when, equal(SOURCE(c), p), equal(k, mark(c)))

        fresh = every(lambda c: implies(when & equal(SOURCE(c), p), self.application.fresh(s, c, mark(c))))
        after = before.but(
            red=lambda q: s.red(q) | (equal(q, p) & when),
            recState=lambda q: ite(equal(q, p) & when, s.state(p), s.recState(q)),
            chan=lambda c, k: before.chan(c, k) | put(c, k),
            sent=lambda c, k: before.sent(c, k) | put(c, k),
            isMarker=lambda c, k: ite(put(c, k), TRUE, before.isMarker(c, k)),
        )
        return Step(step.guard & fresh, after, Does(turns=lambda q: equal(q, p) & when))

    @action("Send", "E2")
    def send(self, s: State, c: Expr, k: Expr, m: Expr, t: Expr) -> Step:
        """The source of c sends message m."""
        x, rules, red = sends(s, c, k, m, t), self.application, s.red(SOURCE(c))
        after = s.but(
            state=lambda q: ite(equal(q, x.by), t, s.state(q)),
            chan=lambda d, j: s.chan(d, j) | x.put(d, j),
            sent=lambda d, j: s.sent(d, j) | x.put(d, j),
            msg=lambda d, j: ite(x.put(d, j), m, s.msg(d, j)),
            isMarker=lambda d, j: ite(x.put(d, j), FALSE, s.isMarker(d, j)),
            isRed=lambda d, j: ite(x.put(d, j), rules.tint(red, red, s.red(TARGET(d))), s.isRed(d, j)),
        )
        return Step(rules.room(s, c) & rules.fresh(s, c, k), after, Does(x, red))

    @action("Accept", "E4")
    def accept(self, s: State, c: Expr, k: Expr, t: Expr) -> Step:
        """The target of c, which is not blocked, accepts the message at k."""
        x, red = accepts(s, c, k, t), s.red(TARGET(c))
        after = s.but(
            state=lambda q: ite(equal(q, x.by), t, s.state(q)),
            chan=lambda d, j: s.chan(d, j) & ~x.accepted(d, j),
            **self.taken(s, x, red),
        )
        guard = conj(~self.blocked(s, c), self.application.positions(s, c, k), ~s.isMarker(c, k))
        return Step(guard, after, Does(x, red))

    @action("Exchange", "E17")
    def exchange(
        self,
        s: State,
        p: Expr,
        t: Expr,
        takes: Of,
        at: Of,
        gives: Of,
        new: Of,
        body: Of,
    ) -> Step:
        """Process p accepts from several inputs, none of which is blocked, and sends. TLA+: AcceptAndSend."""
        x, rules, red = exchanges(s, p, t, takes, at, gives, new, body), self.application, s.red(p)
        after = s.but(
            state=lambda q: ite(equal(q, p), t, s.state(q)),
            chan=lambda d, j: conj(s.chan(d, j), ~x.accepted(d, j)) | x.put(d, j),
            sent=lambda d, j: s.sent(d, j) | x.put(d, j),
            msg=lambda d, j: ite(x.put(d, j), x.body(d), s.msg(d, j)),
            isMarker=lambda d, j: ite(x.put(d, j), FALSE, s.isMarker(d, j)),
            isRed=lambda d, j: ite(x.put(d, j), rules.tint(red, red, s.red(TARGET(d))), s.isRed(d, j)),
            **self.taken(s, x, red),
        )
        guard = conj(
            every(
                lambda d: implies(
                    takes(d),
                    conj(
                        equal(TARGET(d), p),
                        ~self.blocked(s, d),
                        rules.first(s, d, at(d)),
                        ~s.isMarker(d, at(d)),
                    ),
                )
            ),
            every(
                lambda d: implies(
                    gives(d), conj(equal(SOURCE(d), p), rules.room(s, d), rules.fresh(s, d, new(d)))
                )
            ),
            touches_two(takes, gives),
        )
        return Step(guard, after, Does(x, red))

    def taken(self, s: State, x: Moves, red: Expr) -> dict[str, Callable[[Expr, Expr], Expr]]:
        """Return what an action of this colour makes of the records of what it accepts. TLA+: Take."""
        return {
            "recChan": lambda d, j: s.recChan(d, j) | (x.accepted(d, j) & self.in_flight(self.logs(s, d))),
            "whiteInRed": lambda d, j: s.whiteInRed(d, j) | conj(x.accepted(d, j), red, ~s.isRed(d, j)),
            "redInWhite": lambda d, j: s.redInWhite(d, j) | conj(x.accepted(d, j), ~red, s.isRed(d, j)),
        }

    @action("Internal")
    def internal(self, s: State, p: Expr, t: Expr) -> Step:
        """Process p changes its state."""
        after = s.but(state=lambda q: ite(equal(q, p), t, s.state(q)))
        return Step(TRUE, after, Does(changes(s, p, t), s.red(p)))

    @action("Initiate", "E16")
    def initiate(self, s: State, p: Expr, mark: Of) -> Step:
        """The coordinator's request reaches a source, which records its state."""
        step = self.records(s, Step(TRUE, s), p, TRUE, mark)
        return step.when(INITIATOR(p), self.may_record(s, p))

    @action("AcceptBarrier", "E13")
    def accept_barrier(self, s: State, c: Expr, k: Expr, mark: Of) -> Step:
        """The target of c takes the barrier at k, and records if its protocol requires it."""
        p = TARGET(c)

        def arrived(d: Expr) -> Expr:
            return s.arrived(d) | equal(d, c)

        taken = s.but(
            arrived=arrived,
            chan=lambda d, j: s.chan(d, j) & ~(equal(d, c) & equal(j, k)),
            recChan=lambda d, j: s.recChan(d, j) | (equal(d, c) & self.overtaken(s, c, j, k)),
        )
        guard = conj(~self.blocked(s, c), s.chan(c, k), self.reachable(s, c, k), s.isMarker(c, k))
        when = ~s.red(p) & self.obeys(self.records_now(s, p, arrived))
        return self.records(s, Step(guard, taken), p, when, mark)

    # -- the invariant -----------------------------------------------------------------------------------------

    @conjunct("OneBarrier", "E11")
    def one_barrier(self, s: State) -> Expr:
        """Of a channel whose source is red, the barrier is in the channel or has arrived; of another, there is none."""
        return conj(
            every(lambda c, k: implies(self.barrier_in(s, c, k), s.red(SOURCE(c)) & ~s.arrived(c))),
            every(lambda c: implies(s.arrived(c), s.red(SOURCE(c)))),
            every(lambda c, j, k: implies(self.barrier_in(s, c, j) & self.barrier_in(s, c, k), equal(j, k))),
            every(
                lambda c: implies(s.red(SOURCE(c)) & ~s.arrived(c), some(lambda k: self.barrier_in(s, c, k)))
            ),
        )

    @conjunct("BarrierSeparates", "E12")
    def barrier_separates(self, s: State) -> Expr:
        """In each channel the barrier is behind what is white, and ahead of what is red."""
        return conj(
            every(lambda c, j, k: implies(self.barrier_in(s, c, j) & self.white_in(s, c, k), ABOVE(j, k))),
            every(lambda c, j, k: implies(self.barrier_in(s, c, j) & self.red_in(s, c, k), ABOVE(k, j))),
        )

    def barrier_in(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that a barrier is at k of c."""
        return s.chan(c, k) & s.isMarker(c, k)

    # -- what is shown -----------------------------------------------------------------------------------------

    def complete(self, s: State) -> Expr:
        """Every task has acknowledged: recorded, and all barriers have arrived. TLA+: Complete."""
        return every(lambda p: s.red(p)) & every(lambda c: s.arrived(c))

    @follows("RecordedIsSSS", "E6")
    def recorded_is_sss(self, s: State) -> Expr:
        """When it is complete, what was recorded of a channel is what is white in it, or was, in a red action."""
        sss = every(lambda c, k: iff(s.recChan(c, k), s.whiteInRed(c, k) | self.white_in(s, c, k)))
        return implies(self.complete(s), sss)

    @refinement("SSSReachable", "E7")
    def sss_reachable(self, s: State, step: Step | None) -> Expr:
        """Seen through what is recorded and what is white in channels whose barrier has not arrived."""

        def remaining(a: State, c: Expr, k: Expr) -> Expr:
            return self.white_in(a, c, k) & ~a.arrived(c)

        return self.reaches_recorded(s, step, lambda a: self.seen_as_recorded(a, remaining))


class SourceRecordsAgain(Barriers):
    """A source records again when it is asked again (E1)."""

    def may_record(self, s: State, p: Expr) -> Expr:
        """Always."""
        return TRUE


class SinkForgets(Barriers):
    """A sink forgets its record with the next message that it accepts (E1)."""

    @action("Accept", "E4")
    def accept(self, s: State, c: Expr, k: Expr, t: Expr) -> Step:
        """As ever, but that a target without outputs is white after it."""
        step, by = super().accept(s, c, k, t), TARGET(c)
        sink = every(lambda d: ~equal(SOURCE(d), by))
        return Step(step.guard, step.after.but(red=lambda q: s.red(q) & ~(equal(q, by) & sink)), step.does)


class ForgetToRecord(Barriers):
    """Only sources record (E13)."""

    def obeys(self, holds: Expr) -> Expr:
        """Never."""
        return FALSE


class LogAlways(Barriers):
    """Everything accepted is recorded as in flight (E6)."""

    def in_flight(self, holds: Expr) -> Expr:
        """Always."""
        return TRUE


COMMON_MUTANTS = (SourceRecordsAgain, SinkForgets, ForgetToRecord, LogAlways)
"""The seeded bugs of what the protocols have in common, to be mixed into any of them."""
