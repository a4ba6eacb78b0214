"""The barrier handler of one dataflow operator: its reaction to the barriers of Flink's checkpoints.

It is all here: the elements that it takes, its state and its answers; the decisions in which the modes differ, each in
one method, which a mutant may override; its transition table; and the handler, which acts by the decisions.

An operator reads several inputs; among the records come barriers, each with its checkpoint's id. By its mode

- *aligned* blocks an input from its barrier until the others brought theirs, then records the operator's state.
  P. Carbone et al., "Lightweight Asynchronous Snapshots for Distributed Dataflows", arXiv:1506.08603, Algorithm 1;
- *cyclic* does so with the regular inputs and logs what comes on the back edges until their barrier. Algorithm 2;
- *unaligned* records at the first barrier and logs what comes until the others. Flink's FLIP-76;
- *at-least-once* counts the barriers and blocks nothing. Flink's ``CheckpointBarrierTracker``;
- *timeout* is aligned until it takes too long, and then logs the inputs whose barrier has not come. Flink's
  ``aligned-checkpoint-timeout``. A barrier carries whether its sender switched; then the receiver does, too.

That a newer barrier aborts an older checkpoint, that an old barrier is ignored and that a cancellation aborts
once is the behaviour of Flink's ``SingleCheckpointBarrierHandler``; that a finished input needs no barrier is
FLIP-147's. Where barriers are counted, several checkpoints are pending, and it is that of ``CheckpointBarrierTracker``:
none is begun that is older than a pending one, and a cancellation of such a one is ignored; a cancellation aborts those
that are older, too, each; an end completes the newest that lacked nothing else, and drops those that are older.
``pyharness hold flink`` compares Flink's own handlers with this one, and its list of differences has where they differ.

The handler neither computes nor sends: it decides what is to be processed, recorded, sent, acknowledged.

Theory of operation
===================

The driver reads the inputs in any order, each of them FIFO, and hands the first element of an
input to :meth:`Operator.handle`. ``None`` means that the input is blocked or finished: the element stays first in its
queue, and the driver goes on with the other inputs and tries again after the next element that was taken. Else the
element is removed, the state of the :class:`Handled` replaces the old one, and its parts take effect in *this* order,
before anything else is handled: the record is processed; the cancellations of ``aborted`` go out; for each of
``triggered`` the operator's state is recorded as it is now and the barrier goes out; the parts in ``completed`` are
acknowledged, with their logs; if ``ended``, the end goes out. All on every output, in one atomic step: a record that is
sent between the recording and the barrier is lost after a restore, or counted twice.

*Overtaking.* A barrier may be taken ahead of records that wait, with :meth:`Operator.overtake`, where it does not
return ``None``. The driver then removes the barrier, keeps the records, and hands each of them to ``handle`` later.
Barriers overtake if they are unaligned, and those of a checkpoint that was switched; the driver asks again after a
timeout, and after a barrier that was.

*Announcements.* In mode timeout, the driver calls :meth:`Operator.announce` for a barrier that it sees after records:
the operator hears of the checkpoint before these are processed, aborts an older one, and its clock runs.

*Timeouts.* There is no clock here: the driver has one, starts it when a checkpoint becomes pending, and calls
:meth:`Operator.time_out` when it rings. ``None`` means that there is nothing to switch, and is not an error, for the last
barrier may have been quicker than the clock.

*Ids* are integers that ascend at each source, from ``first`` on. An id that ended is never taken up again; an element that is
late for it is taken and ignored (a ``Handled`` in which nothing happens, which is not ``None``: the element is gone).

*Ends.* After its end an input brings nothing; it counts as arrived for the pending checkpoints and all later ones. With
``after_ends`` false, which is Flink's ``execution.checkpointing.checkpoints-after-tasks-finish`` switched off, an end
aborts what is pending.

>>> operator = Operator(2)
>>> state = operator.initial()
>>> state = operator.handle(state, 0, Barrier(1)).state
>>> operator.blocked(state), operator.handle(state, 0, "after the barrier")
(frozenset({0}), None)
>>> operator.handle(state, 1, "before the barrier").processed
True
>>> handled = operator.handle(state, 1, Barrier(1))
>>> handled.triggered, [checkpoint.id for checkpoint in handled.completed], operator.blocked(handled.state)
((1,), [1], frozenset())
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyharness.base.errors import DriverError, PeerError, SpecError
from pyharness.machines.protocols.common.process import Coloured, Marker, Message

if TYPE_CHECKING:
    from pyharness.machines.protocols.applications.application import Value


ALIGNMENTS = ("aligned", "timeoutable", "unaligned")
"""The alignments that a barrier may carry: that it is aligned, that it is until it takes too long, or that it is not."""


class Barrier(NamedTuple):
    """The separator between the records before a checkpoint and those after it.

    ``alignment`` is one of :data:`ALIGNMENTS`, or ``None`` for that of the mode: in mode timeout a task that switched
    sends ``unaligned`` ones, and a savepoint's are ``aligned`` where checkpoints are not.
    """

    id: int
    control: str = "barrier"
    alignment: str | None = None


class Cancel(NamedTuple):
    """Word from upstream that a checkpoint was aborted."""

    id: int
    control: str = "cancel"


class EndOfInput(NamedTuple):
    """The last element of an input."""

    control: str = "end"


END = EndOfInput()


class Pending(NamedTuple):
    """A checkpoint that the operator has begun and not ended.

    ``arrived`` are the inputs (from 0) that brought its barrier or are finished; ``taken`` is whether the
    operator's state was recorded, so that records from the others are in flight; ``log`` has, for each input,
    the records logged as in flight.

    ``held`` are the inputs whose sender waits, for the barrier that came was not unaligned; ``ahead`` has for each
    input how many records, first in its queue, such a barrier overtook: they come all the same. ``forced`` means that
    it is a savepoint's among checkpoints that are not aligned, or may switch.
    """

    id: int
    arrived: frozenset[int]
    taken: bool
    log: tuple[tuple[Value, ...], ...]
    held: frozenset[int] = frozenset()
    ahead: tuple[int, ...] = ()
    forced: bool = False


class OperatorState(NamedTuple):
    """The handler's state.

    ``last`` is the highest id that it ended: triggered and complete, aborted, or cancelled; at first the number below
    the first id.
    ``pending`` are the checkpoints begun, by ascending id, all above ``last``; at most one but in at-least-once.
    ``finished`` are the inputs at their end.
    """

    last: int
    pending: tuple[Pending, ...]
    finished: frozenset[int]


class Handled(NamedTuple):
    """The result of an element, in the order in which its parts take effect.

    ``processed``: it is a record, to be processed now. ``aborted``: ids for which the cancellation is sent on
    every output. ``triggered``: ids for which the operator's state is recorded and the barrier sent on every
    output, with the ``alignment`` that it carries of its own, if any. ``completed``: checkpoints whose part here is
    complete, with their logs, to be acknowledged. ``ended``: by this element all inputs are finished, and the end is sent
    on every output.
    """

    state: OperatorState
    processed: bool = False
    triggered: tuple[int, ...] = ()
    completed: tuple[Pending, ...] = ()
    aborted: tuple[int, ...] = ()
    ended: bool = False
    alignment: str | None = None


UNALIGNED = "unaligned"

OF_MODE = {"unaligned": "unaligned", "timeout": "timeoutable"}
"""The alignment of a barrier that carries none of its own; in the other modes it is aligned, or counted."""

MODES = ("aligned", "cyclic", "unaligned", "at-least-once", "timeout")
"""The ways to handle barriers."""


class OperatorDecisions:
    """The parts of an operator, and its decisions."""

    def __init__(
        self,
        inputs: int,
        mode: str = "aligned",
        back: frozenset[int] = frozenset(),
        *,
        first: int = 0,
        after_ends: bool = True,
        most_pending: int = 50,
    ) -> None:
        if inputs < 0:
            raise SpecError(f"{inputs} inputs", where="operator", hint="give a number from 0")
        if mode not in MODES:
            raise SpecError(f"unknown mode {mode!r}", where="operator", hint=f"use {', '.join(MODES)}")
        self.mode = mode
        self.inputs = frozenset(range(inputs))
        if not self.inputs >= frozenset(back):
            raise SpecError(
                f"back edges {sorted(back)} among {inputs} inputs",
                where="operator",
                hint="inputs are numbered from 0",
            )
        self.back = frozenset(back) if mode == "cyclic" else frozenset()
        self.regular = self.inputs - self.back
        self.first = first
        self.after_ends = after_ends
        self.most_pending = most_pending

    def initial(self) -> OperatorState:
        """Begin with no checkpoint and every input open."""
        return OperatorState(self.first - 1, (), frozenset())

    def blocked(self, state: OperatorState) -> frozenset[int]:
        """Return the inputs whose sender waits, so that nothing more may be taken from them now."""
        if not state.pending:
            return frozenset()
        return frozenset(
            source for source in self.inputs for pending in state.pending if self.blocks(pending, source)
        )

    # -- the decisions -------------------------------------------------------------------------------------

    def exclusive(self) -> bool:
        """Return whether there is one checkpoint at a time: not where barriers are counted. TLA+: Exclusive."""
        return self.mode != "at-least-once"

    def alignment(self, barrier: Barrier) -> str:
        """Return a barrier's alignment: its own, or the mode's. TLA+: AlignmentOf."""
        return barrier.alignment or OF_MODE.get(self.mode, "aligned")

    def records_at_once(self, barrier: Barrier) -> bool:
        """Return whether a barrier has the state recorded: if unaligned (FLIP-76). TLA+: RecordsAtOnce."""
        return self.alignment(barrier) == "unaligned"

    def forced_alignment(self) -> str | None:
        """Return the alignment that a savepoint's barrier carries: aligned, where its mode's are not. TLA+: OfSavepoint."""
        return "aligned" if self.mode in OF_MODE else None

    def switched_alignment(self) -> str | None:
        """Return the alignment that the barrier of an operator that switched carries. TLA+: Switched."""
        return UNALIGNED

    def holds(self, barrier: Barrier, source: int) -> bool:
        """Return whether an input waits after its barrier for the others': unless it is unaligned. TLA+: Holds.

        A back edge never does, and none where barriers are counted.
        """
        if self.mode == "at-least-once" or source in self.back:
            return False
        return self.alignment(barrier) != UNALIGNED

    def announces(self, barrier: Barrier) -> bool:
        """Return whether a barrier is heard of while it is queued: if it may time out. TLA+: Announces."""
        return self.alignment(barrier) == "timeoutable"

    def counts_finished(self) -> bool:
        """Return whether a finished input counts as arrived: always (FLIP-147). TLA+: Began, AfterEnd."""
        return True

    def past(self, pending: Pending, source: int) -> bool:
        """Return whether an element from an input comes after the barrier, if it arrived. TLA+: Blocks, Logs."""
        return source in pending.arrived

    def blocks(self, pending: Pending, source: int) -> bool:
        """Return whether an input waits for the others: from a barrier that holds it. TLA+: Blocks.

        In a timeout this is so after the switch too; in a cycle until the state is recorded.
        """
        waits = source in pending.held and self.past(pending, source)
        return waits and not (self.mode == "cyclic" and pending.taken)

    def released(self, pending: Pending, source: int) -> Pending:
        """Return what becomes of a pending checkpoint when an input ends: its sender waits no more. TLA+: AfterEnd."""
        return pending._replace(held=pending.held - {source})

    def lets_overtaken(self, pending: Pending, source: int) -> bool:
        """Return whether a record comes from an input that waits: one that its barrier overtook. TLA+: OpenToRecords."""
        return bool(pending.ahead[source])

    def ready(self, pending: Pending) -> bool:
        """Return whether all inputs that the recording waits for arrived: all but back edges. TLA+: Arrived."""
        return pending.arrived >= self.regular

    def all_arrived(self, pending: Pending) -> bool:
        """Return whether nothing more comes into a recorded checkpoint: if all inputs arrived. TLA+: Arrived."""
        return pending.arrived >= self.inputs

    def logs(self, pending: Pending, source: int) -> bool:
        """Return whether a record from an input is in flight: recorded, and ahead of the barrier. TLA+: Logs."""
        return pending.taken and not self.past(pending, source)

    def is_old(self, state: OperatorState, number: int) -> bool:
        """Return whether a barrier comes too late, to be ignored: if its checkpoint ended. TLA+: HasEnded."""
        return self._ended(state, number)

    def supersedes(self, state: OperatorState, number: int) -> bool:
        """Return whether a barrier aborts what is pending: if that is older, one at a time. TLA+: Counted."""
        return self.exclusive() and any(pending.id < number for pending in state.pending)

    def cancels(self, state: OperatorState, number: int) -> bool:
        """Return whether a cancellation aborts: once per id, unless its checkpoint ended. TLA+: HasEnded."""
        return not self._ended(state, number)

    def outlasts(self, pending: Pending, number: int) -> bool:
        """Return whether a pending checkpoint goes on when one is aborted: if it is newer. TLA+: Aborted."""
        return pending.id > number

    def aborts_older(self, state: OperatorState, number: int) -> tuple[int, ...]:
        """Return the checkpoints that a cancellation aborts beside its own: older ones, if counted. TLA+: AfterCancel."""
        return () if self.exclusive() else tuple(each.id for each in state.pending if each.id < number)

    def ends_in_order(self, pending: tuple[Pending, ...]) -> tuple[Pending, ...]:
        """Return in which order an end counts for pending checkpoints: the newest first. TLA+: EndFor."""
        return pending[::-1]

    def switches(self, pending: Pending) -> bool:
        """Return whether a checkpoint may go over to unaligned: not recorded, not forced. TLA+: TimeOut."""
        return self.mode == "timeout" and not pending.taken and not pending.forced

    # -- helpers -------------------------------------------------------------------------------------------

    def _ended(self, state: OperatorState, number: int) -> bool:
        """Return whether a checkpoint ended here, or gave way to a newer one that is pending."""
        ids = [pending.id for pending in state.pending]
        return number not in ids and number <= max((state.last, *ids))


class Operator(OperatorDecisions):
    """The handler of an operator with ``inputs`` inputs. Mutants override one of its decisions.

    ``back`` are the inputs that are back edges of a cycle; only the cyclic mode reads it. The checkpoints' ids are
    ``first`` or greater. ``after_ends`` is whether checkpoints go on after an input's end. Where barriers are
    counted, at most ``most_pending`` checkpoints are pending: one more drops the oldest, without a word.
    """

    # -- actions -------------------------------------------------------------------------------------------

    def handle(self, state: OperatorState, source: int, element: Value) -> Handled | None:
        """Take an element from an input; one that is not a barrier, cancellation or end is a record. TLA+: AfterBarrier.

        ``None`` when that input is blocked or finished. Raises DriverError for an input that there is not, PeerError
        for an id that is not valid, and for a marker, message or barrier of another protocol.
        """
        self._check(source, element)
        if not isinstance(element, Barrier | Cancel | EndOfInput):
            return self._record(state, source, element)
        if not self._open(state, source):
            return None
        if isinstance(element, Barrier):
            return self._barrier(state, source, element, ())
        if isinstance(element, Cancel):
            return self._cancel(state, element.id)
        return self._end(state, source)

    def time_out(self, state: OperatorState) -> Handled | None:
        """Record now, for the alignment takes too long; inputs that arrived stay blocked. TLA+: TimeOut.

        The barriers go out as unaligned ones. So it is too when the only barriers are announced ones: they overtake
        next. ``None`` in any mode but timeout, and when nothing is being aligned, or a savepoint is.
        """
        late = tuple(pending.id for pending in state.pending if self.switches(pending))
        if not late:
            return None
        taken = tuple(
            pending._replace(taken=True) if pending.id in late else pending for pending in state.pending
        )
        return Handled(state._replace(pending=taken), triggered=late, alignment=self.switched_alignment())

    def announce(self, state: OperatorState, source: int, barrier: Barrier) -> Handled | None:
        """Hear of a barrier that is queued after records: an older checkpoint is aborted, and its own is begun.

        TLA+: Announce. ``None`` for one that is not announced, or comes too late, or of a checkpoint that is begun
        already, and when the input is blocked or finished. Raises as :meth:`handle` does.

        >>> operator = Operator(2, "timeout")
        >>> state = operator.handle(operator.initial(), 0, Barrier(1)).state
        >>> heard = operator.announce(state, 1, Barrier(2))
        >>> heard.aborted, operator.blocked(heard.state), operator.time_out(heard.state).triggered
        ((1,), frozenset(), (2,))
        """
        self._check(source, barrier)
        begun = any(pending.id == barrier.id for pending in state.pending)
        if not self.announces(barrier) or not self._open(state, source) or begun:
            return None
        if self.is_old(state, barrier.id):
            return None
        return self.announced(state, source, barrier)

    def announced(self, state: OperatorState, source: int, barrier: Barrier) -> Handled:
        """Begin the checkpoint of an announced barrier. TLA+: AfterAnnouncement."""
        state, aborted = self._superseded(state, barrier.id)
        return Handled(self._with(state, self._begin(state, barrier)), aborted=aborted)

    def overtake(
        self, state: OperatorState, source: int, barrier: Barrier, overtaken: tuple[Value, ...]
    ) -> Handled | None:
        """Take a barrier ahead of queued records, which are in flight. TLA+: AfterBarrier.

        They are processed later, by :meth:`handle`, and not logged again; if the barrier is not unaligned, its input
        is blocked after them. ``None`` when that input is blocked or finished, and where barriers do not overtake:
        unaligned ones do, and in mode timeout those of the checkpoint that was switched. Raises as :meth:`handle` does.

        >>> operator = Operator(2, "unaligned")
        >>> handled = operator.overtake(operator.initial(), 0, Barrier(1), ("a", "b"))
        >>> handled.triggered, handled.state.pending[0].log
        ((1,), (('a', 'b'), ()))
        """
        if not isinstance(barrier, Barrier):
            raise PeerError(
                f"{barrier!r} is not a barrier", where=f"input {source}", hint="only barriers overtake"
            )
        self._check(source, barrier)
        if not self._open(state, source):
            return None
        if self.may_overtake(state, barrier):
            return self._barrier(state, source, barrier, overtaken)
        return None

    def may_overtake(self, state: OperatorState, barrier: Barrier) -> bool:
        """Return whether a barrier may be taken ahead of records. TLA+: MayOvertake."""
        switched = any(pending.id == barrier.id and pending.taken for pending in state.pending)
        return self.alignment(barrier) == UNALIGNED or (self.announces(barrier) and switched)

    # -- helpers -------------------------------------------------------------------------------------------

    def _check(self, source: int, element: Value) -> None:
        if type(source) is not int or source not in self.inputs:
            hint = f"inputs are 0 to {len(self.inputs) - 1}" if self.inputs else "this operator has none"
            raise DriverError(f"no input {source!r}", where="operator", hint=hint)
        if isinstance(element, Barrier | Cancel):
            if type(element.id) is not int or element.id < self.first:
                raise PeerError(
                    f"checkpoint {element.id!r}",
                    where=f"input {source}",
                    hint=f"ids are numbers from {self.first}",
                )
            if isinstance(element, Barrier) and element.alignment not in self._alignments():
                raise PeerError(
                    f"a barrier that is {element.alignment!r}",
                    where=f"input {source}",
                    hint=f"mode {self.mode} takes {', '.join(filter(None, self._alignments()))}",
                )
        elif isinstance(element, Marker | Message | Coloured):
            raise PeerError(
                f"{element!r} is of another protocol",
                where=f"input {source}",
                hint="hand the operator the record itself, or a `Barrier` with its checkpoint's id",
            )

    def _alignments(self) -> tuple[str | None, ...]:
        """Return the alignments that a barrier may carry of its own."""
        if self.mode in {"cyclic", "at-least-once"}:
            return (None,)
        return (
            None,
            *(ALIGNMENTS if self.mode == "timeout" else {"aligned", OF_MODE.get(self.mode, "aligned")}),
        )

    def _open(self, state: OperatorState, source: int) -> bool:
        return source not in state.finished and source not in self.blocked(state)

    def _log(self, pending: Pending, source: int, records: tuple[Value, ...]) -> Pending:
        if not self.logs(pending, source):
            return pending
        log = pending.log
        return pending._replace(log=(*log[:source], log[source] + records, *log[source + 1 :]))

    def _begin(self, state: OperatorState, barrier: Barrier) -> Pending:
        arrived: frozenset[int] = state.finished if self.counts_finished() else frozenset()
        return Pending(
            barrier.id,
            arrived,
            taken=False,
            log=((),) * len(self.inputs),
            ahead=(0,) * len(self.inputs),
            forced=self.alignment(barrier) == "aligned" and self.mode in OF_MODE,
        )

    def _record(self, state: OperatorState, source: int, record: Value) -> Handled | None:
        waits = (pending for pending in state.pending if self.blocks(pending, source))
        if source in state.finished or not all(self.lets_overtaken(pending, source) for pending in waits):
            return None
        pending = tuple(self._passed(self._log(each, source, (record,)), source) for each in state.pending)
        return Handled(state._replace(pending=pending), processed=True)

    def _passed(self, pending: Pending, source: int) -> Pending:
        """One record less is ahead of the barrier that overtook it."""
        ahead = pending.ahead
        if not ahead[source]:
            return pending
        return pending._replace(ahead=(*ahead[:source], ahead[source] - 1, *ahead[source + 1 :]))

    def _superseded(self, state: OperatorState, number: int) -> tuple[OperatorState, tuple[int, ...]]:
        """Abort what a barrier supersedes; return the ids as well."""
        if not self.supersedes(state, number):
            return state, ()
        aborted = tuple(pending.id for pending in state.pending if pending.id < number)
        return self._abort(state, aborted[-1]), aborted

    def _barrier(
        self, state: OperatorState, source: int, barrier: Barrier, overtaken: tuple[Value, ...]
    ) -> Handled:
        if self.is_old(state, barrier.id):
            return Handled(state)
        state, aborted = self._superseded(state, barrier.id)
        found = next((pending for pending in state.pending if pending.id == barrier.id), None)
        pending = found or self._begin(state, barrier)
        if self.records_at_once(barrier):
            pending = pending._replace(taken=True)
        pending = self._log(pending, source, overtaken)
        if self.holds(barrier, source):
            ahead = (*pending.ahead[:source], len(overtaken), *pending.ahead[source + 1 :])
            pending = pending._replace(held=pending.held | {source}, ahead=ahead)
        own = None if self.alignment(barrier) == OF_MODE.get(self.mode) else barrier.alignment
        recorded = found is not None and found.taken
        handled = self._arrive(state, pending, source, recorded=recorded, own=own)
        return handled._replace(aborted=aborted)

    def _arrive(
        self, state: OperatorState, pending: Pending, source: int, *, recorded: bool, own: str | None
    ) -> Handled:
        """An input arrives for a checkpoint (whose state was ``recorded`` before): record, and complete it.

        The barrier that goes out has its ``own`` alignment, that of the incoming one, if the checkpoint is not switched.
        """
        pending = pending._replace(arrived=pending.arrived | {source})
        switched = pending.taken and not recorded
        if self.ready(pending):
            pending = pending._replace(taken=True)
        triggered = (pending.id,) if pending.taken and not recorded else ()
        if switched:
            own = None if self.mode == UNALIGNED else self.switched_alignment()
        alignment = own if triggered else None
        if pending.taken and self.all_arrived(pending):
            newer = tuple(other for other in state.pending if other.id > pending.id)
            ended = state._replace(last=max(state.last, pending.id), pending=newer)
            return Handled(ended, triggered=triggered, completed=(pending,), alignment=alignment)
        return Handled(self._with(state, pending), triggered=triggered, alignment=alignment)

    def _with(self, state: OperatorState, pending: Pending) -> OperatorState:
        """Return a state with a pending checkpoint in it; where barriers are counted, one too many drops the oldest."""
        others = [other for other in state.pending if other.id != pending.id]
        going_on = sorted([*others, pending], key=lambda each: each.id)
        return state._replace(pending=tuple(going_on[-self.most_pending :]))

    def _abort(self, state: OperatorState, number: int) -> OperatorState:
        left = tuple(pending for pending in state.pending if self.outlasts(pending, number))
        return state._replace(last=max(state.last, number), pending=left)

    def _cancel(self, state: OperatorState, number: int) -> Handled:
        aborted = self.aborts_older(state, number) + ((number,) if self.cancels(state, number) else ())
        return Handled(self._abort(state, number), aborted=aborted) if aborted else Handled(state)

    def _end(self, state: OperatorState, source: int) -> Handled:
        """An input ends, and counts as arrived; in a cycle the end of the regular inputs is the operator's."""
        finished = state.finished | {source}
        ended = finished >= self.regular and not state.finished >= self.regular
        state = state._replace(finished=finished)
        if not self.after_ends:
            aborted = tuple(pending.id for pending in state.pending)
            state = self._abort(state, aborted[-1]) if aborted else state
            return Handled(state, aborted=aborted, ended=ended)
        handled = Handled(state)
        triggered: tuple[int, ...] = ()
        for pending in self.ends_in_order(state.pending) if self.counts_finished() else ():
            if not handled.completed:
                released = self.released(pending, source)
                own = self.forced_alignment() if pending.forced else None
                handled = self._arrive(handled.state, released, source, recorded=pending.taken, own=own)
                triggered += handled.triggered
        return handled._replace(triggered=triggered, ended=ended)
