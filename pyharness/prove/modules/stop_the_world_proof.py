"""``StopTheWorld``: a snapshot while nothing moves. All record in one instant, or all pause until all is drained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.prove.logic import (
    FALSE,
    PROCESS,
    TRUE,
    Expr,
    Symbol,
    conj,
    disj,
    equal,
    every,
    iff,
    implies,
    ite,
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
from pyharness.prove.modules.coloured_proof import variables
from pyharness.prove.modules.recording_proof import Recording
from pyharness.prove.proof_module import action, conjunct, refinement
from pyharness.prove.steps import Does, Moves, State, Step

if TYPE_CHECKING:
    from pyharness.prove.steps import Of


class StopTheWorld(Recording):
    """A controller that sees everything gives the commands."""

    name = "StopTheWorld"
    variables = variables("state chan sent msg isRed red recState recChan paused whiteInRed redInWhite")

    def initial(self, s: State) -> Expr:
        """Nothing was sent, nothing recorded, and no process is paused."""
        return self.nothing_yet(s) & every(lambda p: ~s.paused(p))

    # -- the controller's decisions ----------------------------------------------------------------------------

    def drained(self, s: State) -> Expr:
        """State that all channels are empty. TLA+: Drained."""
        return every(lambda c, k: ~s.chan(c, k))

    def may_record(self, s: State, p: Expr) -> Expr:
        """State that p may record: once, when all are paused and the channels are empty. TLA+: MayRecord."""
        return conj(s.paused(p), ~s.red(p), every(lambda q: s.paused(q)), self.drained(s))

    def may_resume(self, s: State) -> Expr:
        """State that processes may resume: when all have recorded. TLA+: MayResume."""
        return every(lambda p: s.red(p))

    def as_found(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that what is at k of c is recorded in the one instant: all that is there. Part of TLA+: RecordAsFound."""
        return s.chan(c, k)

    def everyone(self, p: Expr) -> Expr:
        """State that p records in the one instant: all do. Part of TLA+: RecordAsFound."""
        return TRUE

    def kept_by(self, s: State, p: Expr) -> Expr:
        """State that p's record is kept as it resumes. Part of TLA+: GoOn."""
        return TRUE

    # -- steps -------------------------------------------------------------------------------------------------

    def act(self, s: State, x: Moves) -> Step:
        """Let a process act in its colour."""
        rules, red = self.application, s.red(x.by)
        ends = every(
            lambda c: implies(
                x.gives(c),
                conj(equal(SOURCE(c), x.by), rules.room(s, c), rules.fresh(s, c, x.new(c))),
            )
        )
        after = s.but(
            state=lambda q: ite(equal(q, x.by), x.after, s.state(q)),
            chan=lambda c, k: disj(conj(s.chan(c, k), ~x.accepted(c, k)), x.put(c, k)),
            sent=lambda c, k: s.sent(c, k) | x.put(c, k),
            msg=lambda c, k: ite(x.put(c, k), x.body(c), s.msg(c, k)),
            isRed=lambda c, k: ite(x.put(c, k), rules.tint(red, red, s.red(TARGET(c))), s.isRed(c, k)),
            whiteInRed=lambda c, k: s.whiteInRed(c, k) | conj(x.accepted(c, k), red, ~s.isRed(c, k)),
            redInWhite=lambda c, k: s.redInWhite(c, k) | conj(x.accepted(c, k), ~red, s.isRed(c, k)),
        )
        return Step(ends, after, Does(x, red))

    @action("Send", "E2")
    def send(self, s: State, c: Expr, k: Expr, m: Expr, t: Expr) -> Step:
        """The source of c, which is not paused, sends message m."""
        return self.act(s, sends(s, c, k, m, t)).when(~s.paused(SOURCE(c)))

    @action("Accept", "E4")
    def accept(self, s: State, c: Expr, k: Expr, t: Expr) -> Step:
        """The target of c accepts the message at k, paused or not."""
        return self.act(s, accepts(s, c, k, t)).when(self.application.positions(s, c, k))

    @action("Internal")
    def internal(self, s: State, p: Expr, t: Expr) -> Step:
        """Process p, which is not paused, changes its state."""
        return self.act(s, changes(s, p, t)).when(~s.paused(p))

    @action("Exchange", "E17")
    def exchange(self, s: State, p: Expr, t: Expr, takes: Of, at: Of, gives: Of, new: Of, body: Of) -> Step:
        """Process p accepts from several inputs and sends on several outputs; if it is paused, it does not send."""
        return self.act(s, exchanges(s, p, t, takes, at, gives, new, body)).when(
            every(lambda c: implies(takes(c), equal(TARGET(c), p) & self.application.first(s, c, at(c)))),
            every(lambda c: implies(gives(c), ~s.paused(p))),
            touches_two(takes, gives),
        )

    @action("RecordAll", "E1", "E6")
    def record_all(self, s: State) -> Step:
        """All processes record in one instant, and the channels as found."""
        after = s.but(
            red=self.everyone,
            recState=s.state,
            recChan=lambda c, k: self.as_found(s, c, k),
        )
        free = every(lambda p: conj(~s.red(p), ~s.paused(p)))
        return Step(free, after, Does(turns=self.everyone))

    @action("Pause")
    def pause(self, s: State, p: Expr) -> Step:
        """Process p pauses."""
        after = s.but(paused=lambda q: s.paused(q) | equal(q, p))
        return Step(~s.paused(p) & every(lambda q: ~s.red(q)), after)

    @action("Record", "E1")
    def record(self, s: State, p: Expr) -> Step:
        """Process p records its state."""
        after = s.but(
            red=lambda q: s.red(q) | equal(q, p),
            recState=lambda q: ite(equal(q, p), s.state(p), s.recState(q)),
        )
        return Step(self.may_record(s, p), after, Does(turns=lambda q: equal(q, p)))

    @action("Resume")
    def resume(self, s: State, p: Expr) -> Step:
        """Process p goes on."""
        after = s.but(
            paused=lambda q: conj(s.paused(q), ~equal(q, p)),
            red=lambda q: s.red(q) & disj(~equal(q, p), self.kept_by(s, p)),
        )
        return Step(conj(s.paused(p), s.red(p), self.may_resume(s)), after)

    # -- the invariant -----------------------------------------------------------------------------------------

    @conjunct("StillWhileRecording", "E13")
    def still_while_recording(self, s: State) -> Expr:
        """While some have recorded and some have not, all are paused and the channels are empty."""
        return conj(
            every(lambda p, q, r: implies(s.red(p) & ~s.red(q), s.paused(r))),
            every(lambda p, q, c, k: implies(s.red(p) & ~s.red(q), ~s.chan(c, k))),
        )

    @conjunct("NothingRecordedBefore", "E6")
    def nothing_recorded_before(self, s: State) -> Expr:
        """Before all have recorded, no channel has a state."""
        return every(lambda p, c, k: implies(~s.red(p), conj(~s.recChan(c, k), ~s.whiteInRed(c, k))))

    @conjunct("RecordedIsSSS", "E6")
    def recorded_is_sss(self, s: State) -> Expr:
        """When all have recorded, what was recorded of a channel has been accepted, or is what is white in it."""
        complete = every(lambda p: s.red(p))
        return implies(
            complete,
            every(lambda c, k: iff(s.recChan(c, k), s.whiteInRed(c, k) | self.white_in(s, c, k))),
        )

    # -- what is shown -----------------------------------------------------------------------------------------

    @refinement("SSSReachable", "E7")
    def sss_reachable(self, s: State, step: Step | None) -> Expr:
        """The recorded state, once all have recorded with the channels as found, is reachable."""
        return self.reaches_recorded(s, step, self._seen)

    def _seen(self, s: State) -> State:
        complete = every(lambda p: s.red(p))
        return s.but(
            state=lambda p: ite(s.red(p), s.recState(p), s.state(p)),
            chan=lambda c, k: ite(complete, s.recChan(c, k), self.white_in(s, c, k)),
        )


class RecordAtAnyTime(StopTheWorld):
    """A paused process records although others still run and channels have not drained (E1, E6)."""

    def may_record(self, s: State, p: Expr) -> Expr:
        """Whenever it is paused, and again."""
        return s.paused(p)


class ResumeEarly(StopTheWorld):
    """A process resumes although others have not recorded yet (E4)."""

    def may_resume(self, s: State) -> Expr:
        """Always."""
        return TRUE


class MissOne(StopTheWorld):
    """The recording in one instant misses a process, and its inputs (E3, E6)."""

    def everyone(self, p: Expr) -> Expr:
        """All but one."""
        return ~equal(p, Symbol("missed", (), PROCESS)())

    def as_found(self, s: State, c: Expr, k: Expr) -> Expr:
        """The messages on their way to processes that record."""
        return s.chan(c, k) & self.everyone(TARGET(c))


class ForgetRecord(StopTheWorld):
    """A process that resumes forgets what it recorded (E1)."""

    def kept_by(self, s: State, p: Expr) -> Expr:
        """It is not."""
        return FALSE


MUTANTS = (RecordAtAnyTime, ResumeEarly, MissOne, ForgetRecord)
"""The seeded bugs of this module, each a class that overrides the rule of that name."""
