"""``ChandyLamport``: a marker precedes every red message, and a process turns red at its first marker."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.prove.logic import (
    ABOVE,
    BOOL,
    CHANNEL,
    FALSE,
    MESSAGE,
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
    touches,
    touches_two,
)
from pyharness.prove.modules.coloured_proof import variables
from pyharness.prove.modules.recording_proof import Recording
from pyharness.prove.proof_module import action, conjunct, follows, refinement
from pyharness.prove.steps import Does, Moves, State, Step

if TYPE_CHECKING:
    from typing import Any

    from pyharness.prove.steps import Of


INITIATOR = Symbol("initiator", (PROCESS,), BOOL)
"""The processes that may start a snapshot."""


class Emission(NamedTuple):
    """Whether a marker goes out on a channel, and whether ahead of the action's message or behind it."""

    marker: Expr
    ahead: Expr


class ChandyLamport(Recording):
    """The algorithm, with the colours as ghosts."""

    name = "ChandyLamport"
    variables = variables(
        "state chan sent msg isRed isMarker red recState recChan closed whiteInRed redInWhite"
    )

    def initial(self, s: State) -> Expr:
        """Nothing was sent and nothing recorded."""
        return self.nothing_yet(s) & every(lambda c: ~s.closed(c))

    # -- the algorithm's decisions -----------------------------------------------------------------------------

    def may_initiate(self, p: Expr) -> Expr:
        """State that p may record spontaneously: an initiator may (E16). TLA+: MayInitiate."""
        return INITIATOR(p)

    def may_record(self, s: State, p: Expr) -> Expr:
        """State that p may still record: once (E1). TLA+: MayRecord."""
        return ~s.red(p)

    def companions(self, accepts_marker: Expr) -> Expr:
        """State that messages accepted together with a marker are recorded: they are. Part of TLA+: Take."""
        return TRUE

    def turns_red(self, s: State, p: Expr, accepts_marker: Expr) -> Expr:
        """State that white p turns red: in the action that accepts its first marker (E13). TLA+: TurnsRed."""
        return accepts_marker

    def sends_markers(self, turning: Expr, accepts_marker: Expr) -> Expr:
        """State that p puts a marker on each output: as it turns red (E11). part of TLA+: Emission."""
        return turning

    def emission(self, s: State, c: Expr, sends_markers: Expr, action: Expr, body: Expr) -> Emission:
        """State what goes out: the marker behind what is white, ahead of what is red (E12). TLA+: Emission."""
        return Emission(marker=sends_markers, ahead=action)

    def state_recorded(self, action: Expr, before: Expr, after: Expr) -> Expr:
        """Return the state recorded: what white actions, and they alone, have made (E6, E17). part of TLA+: Act."""
        return ite(action, before, after)

    def recorded(self, p: Expr, turning: Expr, accepts_marker: Expr) -> Expr:
        """State that p records in this action: as it turns red (E1). Part of TLA+: Act."""
        return turning

    def recording(self, s: State, c: Expr, k: Expr, action: Expr) -> Expr:
        """State that a message accepted from c is a part of the channel's state (E6). TLA+: Recording."""
        return action & ~s.closed(c)

    def closes(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that accepting what is at k closes the recording of c (E6). Part of TLA+: Take."""
        return s.isMarker(c, k)

    def locally_complete(self, s: State, p: Expr) -> Expr:
        """State that p has recorded and each of its inputs is closed (E15). TLA+: LocallyComplete."""
        return s.red(p) & every(lambda c: implies(equal(TARGET(c), p), s.closed(c)))

    def may_act(self, s: State, x: Moves, accepts_marker: Expr) -> Expr:
        """State that an action may be taken now: the snapshot stops none (E22). Part of TLA+: Act."""
        return TRUE

    # -- steps -------------------------------------------------------------------------------------------------

    def act(
        self,
        s: State,
        x: Moves,
        mark: Of,
        *,
        red: Expr,
        accepts_marker: Expr = FALSE,
        turning: Expr | None = None,
    ) -> Step:
        """Let a process act, red or white, and perhaps turn red; ``mark`` has the markers' positions. TLA+: Act, Take.

        ``x`` may also take markers.
        """
        p, rules = x.by, self.application
        turning = ~s.red(p) & self.turns_red(s, p, accepts_marker) if turning is None else turning
        emitted = self.sends_markers(turning, accepts_marker)
        records = self.recorded(p, turning, accepts_marker)

        def marker(c: Expr) -> Expr:
            out = self.emission(s, c, emitted, red, x.gives(c))
            return equal(SOURCE(c), p) & out.marker

        def marks(c: Expr, k: Expr) -> Expr:
            return marker(c) & equal(k, mark(c))

        def ahead(c: Expr) -> Expr:
            return self.emission(s, c, emitted, red, x.gives(c)).ahead

        order = every(
            lambda c: implies(
                marker(c) & x.gives(c), ite(ahead(c), ABOVE(x.new(c), mark(c)), ABOVE(mark(c), x.new(c)))
            )
        )
        fresh = conj(
            every(lambda c: implies(x.gives(c), rules.fresh(s, c, x.new(c)))),
            every(lambda c: implies(marker(c), rules.fresh(s, c, mark(c)))),
        )
        ends = every(lambda c: implies(x.gives(c), equal(SOURCE(c), p) & rules.room(s, c)))

        def message(c: Expr, k: Expr) -> Expr:
            return x.accepted(c, k) & ~s.isMarker(c, k)

        after = s.but(
            state=lambda q: ite(equal(q, p), x.after, s.state(q)),
            chan=lambda c, k: disj(conj(s.chan(c, k), ~x.accepted(c, k)), x.put(c, k), marks(c, k)),
            sent=lambda c, k: disj(s.sent(c, k), x.put(c, k), marks(c, k)),
            msg=lambda c, k: ite(x.put(c, k), x.body(c), s.msg(c, k)),
            isMarker=lambda c, k: ite(marks(c, k), TRUE, ite(x.put(c, k), FALSE, s.isMarker(c, k))),
            isRed=lambda c, k: ite(
                x.put(c, k), rules.tint(red, s.red(p) | turning, s.red(TARGET(c))), s.isRed(c, k)
            ),
            red=lambda q: s.red(q) | (equal(q, p) & records),
            recState=lambda q: ite(
                equal(q, p) & records, self.state_recorded(red, x.before, x.after), s.recState(q)
            ),
            recChan=lambda c, k: (
                s.recChan(c, k)
                | conj(message(c, k), self.recording(s, c, k, red), self.companions(accepts_marker))
            ),
            whiteInRed=lambda c, k: s.whiteInRed(c, k) | conj(message(c, k), red, ~s.isRed(c, k)),
            redInWhite=lambda c, k: s.redInWhite(c, k) | conj(message(c, k), ~red, s.isRed(c, k)),
            closed=lambda c: s.closed(c) | (x.takes(c) & self.closes(s, c, x.at(c))),
        )
        seen = replace(x, takes=lambda c: x.takes(c) & ~s.isMarker(c, x.at(c)))
        guard = conj(fresh, order, ends, self.may_act(s, x, accepts_marker))
        return Step(guard, after, Does(seen, red, lambda q: equal(q, p) & turning))

    @action("Send", "E2")
    def send(self, s: State, c: Expr, k: Expr, m: Expr, t: Expr, mark: Of) -> Step:
        """The source of c sends message m."""
        x = sends(s, c, k, m, t)
        return self.act(s, x, mark, red=s.red(x.by))

    @action("Accept", "E4", "E6")
    def accept(self, s: State, c: Expr, k: Expr, t: Expr, mark: Of) -> Step:
        """The target of c accepts the message at k."""
        x = accepts(s, c, k, t)
        step = self.act(s, x, mark, red=s.red(x.by))
        return step.when(self.application.positions(s, c, k) & ~s.isMarker(c, k))

    @action("Internal")
    def internal(self, s: State, p: Expr, t: Expr, mark: Of) -> Step:
        """Process p changes its state."""
        return self.act(s, changes(s, p, t), mark, red=s.red(p))

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
        mark: Of,
        acts_red: Expr,
    ) -> Step:
        """Process p accepts from several inputs, markers too, and sends; if it turns red, in either colour."""
        x = exchanges(s, p, t, takes, at, gives, new, body)
        accepts_marker = some(lambda c: takes(c) & s.isMarker(c, at(c)))
        messages = some(lambda c: takes(c) & ~s.isMarker(c, at(c)))
        turning = ~s.red(p) & self.turns_red(s, p, accepts_marker)
        step = self.act(s, x, mark, red=acts_red, accepts_marker=accepts_marker)
        return step.when(
            every(lambda c: implies(takes(c), equal(TARGET(c), p) & self.application.first(s, c, at(c)))),
            touches_two(takes, gives),
            disj(messages, some(lambda c: gives(c)), equal(t, x.before)),
            implies(~turning, iff(acts_red, s.red(p))),
        )

    @action("Initiate", "E16")
    def initiate(self, s: State, p: Expr, mark: Of) -> Step:
        """An initiator records spontaneously."""
        x = changes(s, p, s.state(p))
        return self.act(s, x, mark, red=TRUE, turning=TRUE).when(self.may_record(s, p), self.may_initiate(p))

    @action("AcceptMarker", "E13")
    def accept_marker(self, s: State, c: Expr, k: Expr, mark: Of) -> Step:
        """The target of c accepts the marker at k."""
        p = TARGET(c)
        x = accepts(s, c, k, s.state(p))
        step = self.act(s, x, mark, red=s.red(p), accepts_marker=TRUE)
        return step.when(self.application.positions(s, c, k) & s.isMarker(c, k))

    # -- the invariant -----------------------------------------------------------------------------------------

    @conjunct("OneMarker", "E11")
    def one_marker(self, s: State) -> Expr:
        """One marker was sent on a channel whose source is red, and none on another."""
        return conj(
            every(lambda c, k: implies(self.marker_sent(s, c, k), s.red(SOURCE(c)))),
            every(lambda c: implies(s.red(SOURCE(c)), some(lambda k: self.marker_sent(s, c, k)))),
            every(
                lambda c, j, k: implies(self.marker_sent(s, c, j) & self.marker_sent(s, c, k), equal(j, k))
            ),
        )

    @conjunct("ClosedByMarker", "E6")
    def closed_by_marker(self, s: State) -> Expr:
        """A channel is closed if and only if its marker was accepted."""
        return conj(
            every(lambda c: implies(s.closed(c), s.red(SOURCE(c)))),
            every(lambda c, k: implies(self.marker_sent(s, c, k), iff(s.closed(c), ~s.chan(c, k)))),
        )

    @conjunct("ClosedIsFinal", "E15")
    def closed_is_final(self, s: State) -> Expr:
        """The target of a closed channel is red, and nothing white is in the channel."""
        return conj(
            every(lambda c: implies(s.closed(c), s.red(TARGET(c)))),
            every(lambda c, k: implies(s.closed(c), ~self.white_in(s, c, k))),
        )

    @conjunct("MarkerSeparates", "E12")
    def marker_separates(self, s: State) -> Expr:
        """In each channel the marker is behind what is white, and ahead of what is red."""
        return conj(
            every(lambda c, j, k: implies(self.marker_in(s, c, j) & self.white_in(s, c, k), ABOVE(j, k))),
            every(lambda c, j, k: implies(self.marker_in(s, c, j) & self.red_in(s, c, k), ABOVE(k, j))),
        )

    @conjunct("RecordedSoFar", "E6")
    def recorded_so_far(self, s: State) -> Expr:
        """The record of a channel is the white messages accepted in red actions."""
        return every(lambda c, k: iff(s.recChan(c, k), s.whiteInRed(c, k)))

    def marker_sent(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that a marker was sent at k of c."""
        return s.sent(c, k) & s.isMarker(c, k)

    def marker_in(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that a marker is at k of c."""
        return s.chan(c, k) & s.isMarker(c, k)

    # -- what is shown -----------------------------------------------------------------------------------------

    @follows("RecordedIsSSS", "E6")
    def recorded_is_sss(self, s: State) -> Expr:
        """When all are done, what was recorded of the channels is SSS."""
        complete = every(lambda p: self.locally_complete(s, p))
        return implies(complete, every(lambda c, k: iff(s.recChan(c, k), s.whiteInRed(c, k))))

    @follows("LocallyFinal", "E15")
    def locally_final(self, s: State) -> Expr:
        """When a process reports that it is done, the recordings of its inputs are final."""
        return every(
            lambda c, k: implies(
                self.locally_complete(s, TARGET(c)),
                conj(
                    iff(s.recChan(c, k), s.whiteInRed(c, k)),
                    ~self.white_in(s, c, k),
                    s.red(SOURCE(c)),
                ),
            )
        )

    @follows("HoldsNobodyUp", "E22")
    def holds_nobody_up(self, s: State) -> Expr:
        """Each step of the computation is possible, or a marker in front of what it accepts can be accepted."""
        p, takes, gives = _BY, _TAKES, _GIVES
        of_computation = conj(
            touches_two(takes, gives),
            every(lambda c: implies(takes(c), equal(TARGET(c), p) & next_message(s, c, _AT(c)))),
            every(lambda c: implies(gives(c), equal(SOURCE(c), p))),
        )
        at_once = self.exchange(s, p, _AFTER, takes, _AT, gives, _BEHIND, _BODY, _BEHIND, s.red(p)).guard
        marker = some(lambda c, j: takes(c) & self.accept_marker(s, c, j, _BEHIND).guard)
        exchanges_go_on = implies(of_computation & self.room_behind(s), at_once | marker)
        return conj(goes_on(self, s, self.room_behind(s), _BEHIND), exchanges_go_on)

    def room_behind(self, s: State) -> Expr:
        """State that on each channel a position is given that is behind everything that was sent on it."""
        return every(lambda c: self.application.fresh(s, c, _BEHIND(c)))

    @refinement("SSSReachable", "E7")
    def sss_reachable(self, s: State, step: Step | None) -> Expr:
        """Seen through what is recorded and still white, white actions are a computation, and the rest is nothing."""
        return self.reaches_recorded(s, step, self.recorded_with_what_is_white)


_BEHIND: Final = Symbol("behind", (CHANNEL,), POSITION)
_TAKES, _GIVES = Symbol("takes", (CHANNEL,), BOOL), Symbol("gives", (CHANNEL,), BOOL)
_AT, _BODY = Symbol("at", (CHANNEL,), POSITION), Symbol("body", (CHANNEL,), MESSAGE)
_BY, _AFTER = Symbol("p", (), PROCESS)(), Symbol("t", (), STATE)()


def next_message(s: State, c: Expr, k: Expr) -> Expr:
    """State that the message at k is the next one of c for the computation, which sees no markers. TLA+: Visible."""
    first = every(lambda j: implies(s.chan(c, j) & ~s.isMarker(c, j), equal(j, k) | ABOVE(j, k)))
    return conj(s.chan(c, k), ~s.isMarker(c, k), first)


def goes_on(module: Any, s: State, positions: Expr, *given: Of) -> Expr:
    """State that the actions of a module hold up no step of the computation that touches one channel or none (E22).

    ``positions`` are the facts about positions; ``given`` are the arguments that its actions have beside the
    computation's. TLA+: HeldUp is empty.
    """

    def accepted(c: Expr, k: Expr) -> Expr:
        at_once: Expr = module.accept(s, c, k, _AFTER, *given).guard
        return at_once | some(lambda j: module.accept_marker(s, c, j, _BEHIND).guard)

    return implies(
        positions,
        conj(
            every(lambda c: module.send(s, c, _BEHIND(c), Symbol("m", (), MESSAGE)(), _AFTER, *given).guard),
            every(lambda c, k: implies(next_message(s, c, k), accepted(c, k))),
            every(lambda q: equal(_AFTER, s.state(q)) | module.internal(s, q, _AFTER, *given).guard),
        ),
    )


class LateTurn(ChandyLamport):
    """A process turns red in the first action after the one that accepted a marker (E4, E13)."""

    def turns_red(self, s: State, p: Expr, accepts_marker: Expr) -> Expr:
        """Only if an earlier action accepted one."""
        return self.closed_one(s, p)

    def closed_one(self, s: State, p: Expr) -> Expr:
        """State that an input of p is closed."""
        return some(lambda c: equal(TARGET(c), p) & s.closed(c))


class RecordPastMarker(ChandyLamport):
    """Recording goes on past the marker (E6)."""

    def recording(self, s: State, c: Expr, k: Expr, action: Expr) -> Expr:
        """Forever, once red."""
        return action


class RecordAgain(ChandyLamport):
    """A process records again at each further marker (E1)."""

    def recorded(self, p: Expr, turning: Expr, accepts_marker: Expr) -> Expr:
        """Whenever a marker comes."""
        return turning | accepts_marker


class MarkerPerMarker(ChandyLamport):
    """A process puts out markers for each marker that it accepts (E11)."""

    def sends_markers(self, turning: Expr, accepts_marker: Expr) -> Expr:
        """Whenever a marker comes."""
        return turning | accepts_marker


class MarkerAfterMessage(ChandyLamport):
    """The marker is sent after the next message (E4, E12)."""

    def emission(self, s: State, c: Expr, sends_markers: Expr, action: Expr, body: Expr) -> Emission:
        """Put off the marker until a message has gone."""
        none_yet = every(lambda k: ~self.marker_sent(s, c, k))
        return Emission(marker=conj(~sends_markers, s.red(SOURCE(c)), none_yet, body), ahead=FALSE)


class FinishEarly(ChandyLamport):
    """A process reports that it is done after its first marker (E15)."""

    def locally_complete(self, s: State, p: Expr) -> Expr:
        """As soon as one input is closed."""
        return s.red(p) & implies(
            some(lambda c: equal(TARGET(c), p)), some(lambda c: equal(TARGET(c), p) & s.closed(c))
        )


class RecordBeforeSending(ChandyLamport):
    """An action that turns red records the state before it, and sends its messages ahead of the markers (E17)."""

    def state_recorded(self, action: Expr, before: Expr, after: Expr) -> Expr:
        """Return the state before, for an action of any colour."""
        return before


class FewerInitiators(ChandyLamport):
    """One of the initiators does not initiate (E14)."""

    def may_initiate(self, p: Expr) -> Expr:
        """All but the first."""
        return INITIATOR(p) & ~equal(p, Symbol("first", (), PROCESS)())


class ForgetCompanions(ChandyLamport):
    """In an action that accepts a marker, the messages that it also accepts are not recorded (E6, E17)."""

    def companions(self, accepts_marker: Expr) -> Expr:
        """Only where no marker is accepted."""
        return ~accepts_marker


class InitiateAgain(ChandyLamport):
    """An initiator whose part is complete may initiate again (E1, E11)."""

    def may_record(self, s: State, p: Expr) -> Expr:
        """Once more when its part is complete."""
        return ~s.red(p) | self.locally_complete(s, p)


class HoldsStill(ChandyLamport):
    """A process that has recorded sends nothing before its part of the snapshot is complete (E22)."""

    def may_act(self, s: State, x: Moves, accepts_marker: Expr) -> Expr:
        """Send nothing while recording."""
        return implies(s.red(x.by) & some(lambda c: x.gives(c)), self.locally_complete(s, x.by))


class IdlesWhileRecording(ChandyLamport):
    """A process that has recorded takes no internal action before its part is complete (E22)."""

    def may_act(self, s: State, x: Moves, accepts_marker: Expr) -> Expr:
        """Do nothing by itself while recording."""
        return implies(s.red(x.by) & ~touches(x), self.locally_complete(s, x.by))


class MarkerWaits(ChandyLamport):
    """A process takes a marker only when its other inputs are empty (E22)."""

    def may_act(self, s: State, x: Moves, accepts_marker: Expr) -> Expr:
        """Take a marker from the only input that holds anything."""

        def holds(c: Expr) -> Expr:
            return equal(TARGET(c), x.by) & some(lambda k: s.chan(c, k))

        return implies(accepts_marker, every(lambda c, d: implies(holds(c) & holds(d), equal(c, d))))


class CrashesOnceRed(ChandyLamport):
    """A process that is no initiator does nothing any more as it has recorded (E15, E18)."""

    def may_act(self, s: State, x: Moves, accepts_marker: Expr) -> Expr:
        """Stop once red."""
        return implies(s.red(x.by), INITIATOR(x.by))


MUTANTS = (
    HoldsStill,
    IdlesWhileRecording,
    MarkerWaits,
    CrashesOnceRed,
    ForgetCompanions,
    InitiateAgain,
    LateTurn,
    RecordPastMarker,
    RecordAgain,
    MarkerPerMarker,
    MarkerAfterMessage,
    FinishEarly,
    RecordBeforeSending,
    FewerInitiators,
)
"""The seeded bugs of this module, each a class that overrides the rule of that name."""
