"""The barrier handler of one dataflow operator: what it does with the barriers of Flink's checkpoints.

An operator reads several inputs; among the records come barriers, each with its checkpoint's id. By its mode

- *aligned* blocks an input from its barrier until the others brought theirs, then records the operator's state.
  P. Carbone et al., "Lightweight Asynchronous Snapshots for Distributed Dataflows", arXiv:1506.08603, Algorithm 1;
- *cyclic* does so with the regular inputs and logs what comes on the back edges until their barrier. Algorithm 2;
- *unaligned* records at the first barrier and logs what comes until the others. Flink's FLIP-76;
- *at-least-once* counts the barriers and blocks nothing. Flink's ``CheckpointBarrierTracker``;
- *timeout* is aligned until it takes too long, and then logs the inputs whose barrier has not come. Flink's
  ``aligned-checkpoint-timeout``.

That a newer barrier aborts an older checkpoint, that an old barrier is ignored and that a cancellation aborts
once is the behaviour of Flink's ``SingleCheckpointBarrierHandler``; that a finished input needs no barrier is
FLIP-147's. Where barriers are counted, several checkpoints are pending, and it is that of ``CheckpointBarrierTracker``:
none is begun that is older than a pending one, and a cancellation of such a one is ignored; a cancellation aborts those
that are older, too, each; an end completes the newest that lacked nothing else, and drops those that are older.
``pyharness flink`` holds Flink's own handlers against this one, and its list of differences says where they differ.

The handler neither computes nor sends: it says what is to be processed, recorded, sent, acknowledged.

Theory of operation
===================

The driver reads the inputs in whatever order they bring something, each of them FIFO, and hands the first element of an
input to :meth:`Operator.handle`. ``None`` says that the input is blocked or finished: the element stays first in its
queue, and the driver goes on with the other inputs and tries again after the next element that was taken. Else the
element is removed, the state of the :class:`Handled` replaces the old one, and its parts take effect in *this* order,
before anything else is handled: the record is processed; the cancellations of ``aborted`` go out; for each of
``triggered`` the operator's state is recorded as it is now and the barrier goes out; the parts in ``completed`` are
acknowledged, with their logs; if ``ended``, the end goes out. All on every output, in one atomic step: a record that is
sent between the recording and the barrier is lost after a restore, or counted twice.

*Overtaking.* A barrier may be taken from behind records that wait, with :meth:`Operator.overtake`, where it does not
return ``None``. The driver then removes the barrier, keeps the records, and hands each of them to ``handle`` later.

*Timeouts.* There is no clock here: the driver has one, and calls :meth:`Operator.time_out` when it rings. ``None`` says
that there is nothing to switch, and is no error, for the last barrier may have been quicker than the clock.

*Ids* are integers that ascend at each source, from ``first`` on. An id that ended is never taken up again; what comes
late for it is taken and ignored (a ``Handled`` in which nothing happens, which is not ``None``: the element is gone).

*Ends.* After its end an input brings nothing; it counts as arrived for the pending checkpoints and all later ones.

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

from typing import TYPE_CHECKING, ClassVar

from pyharness.errors import DriverError, PeerError, SpecError
from pyharness.protocols.checkpoints.operator_values import (
    END,
    Barrier,
    Cancel,
    EndOfInput,
    Handled,
    OperatorState,
    Pending,
)
from pyharness.protocols.common.process import Coloured, Marker, Message
from pyharness.protocols.common.transition_table import Refusal, Row, TransitionTable

if TYPE_CHECKING:
    from pyharness.protocols.applications.application import Value

__all__ = [
    "END",
    "MODES",
    "Barrier",
    "Cancel",
    "EndOfInput",
    "Handled",
    "Operator",
    "OperatorState",
    "Pending",
]

MODES = ("aligned", "cyclic", "unaligned", "at-least-once", "timeout")
"""The ways to handle barriers."""

_TRIGGERED = "on each output: cancellations of what it aborts, and the barrier when the state is recorded"
_ABORTED = "the cancellation on each output, once for an id"
_ENDED = "on each output: barriers that it completes; and the end, with the last input's"
_OPEN = "the input has not ended and is not blocked"


class Operator:
    """The handler of an operator with ``inputs`` inputs. Mutants override one of its decisions.

    ``back`` are the inputs that are back edges of a cycle; only the cyclic mode reads it. The checkpoints' ids are
    ``first`` or greater.
    """

    transitions: ClassVar[TransitionTable] = TransitionTable(
        phases={
            "idle": "no checkpoint is pending",
            "aligning": "one is pending, and the operator's state is not recorded",
            "recording": "the operator's state is recorded for a pending one, and barriers have not come",
        },
        rows=(
            Row("idle", "handle record", ("idle",), "what the record makes", "the input has not ended"),
            Row(
                "idle",
                "handle barrier",
                ("idle", "aligning", "recording"),
                _TRIGGERED,
                "the input has not ended",
            ),
            Row("idle", "handle cancel", ("idle",), _ABORTED, "the input has not ended"),
            Row("idle", "handle end", ("idle",), _ENDED, "the input has not ended"),
            Row("idle", "overtake", ("idle", "recording"), _TRIGGERED, "the mode is unaligned"),
            Row("aligning", "handle record", ("aligning",), "what the record makes", _OPEN),
            Row("aligning", "handle barrier", ("idle", "aligning", "recording"), _TRIGGERED, _OPEN),
            Row("aligning", "handle cancel", ("idle", "aligning"), _ABORTED, _OPEN),
            Row("aligning", "handle end", ("idle", "aligning", "recording"), _ENDED, _OPEN),
            Row("aligning", "time_out", ("recording",), _TRIGGERED, "the mode is timeout"),
            Row("recording", "handle record", ("recording",), "what the record makes", _OPEN),
            Row("recording", "handle barrier", ("idle", "aligning", "recording"), _TRIGGERED, _OPEN),
            Row("recording", "handle cancel", ("idle", "recording"), _ABORTED, _OPEN),
            Row("recording", "handle end", ("idle", "recording"), _ENDED, _OPEN),
            Row(
                "recording",
                "overtake",
                ("idle", "recording"),
                _TRIGGERED,
                "the mode is unaligned; or timeout, and the barrier is of the checkpoint that was switched",
            ),
        ),
        refusals=(
            Refusal("handle", "an input that there is not", DriverError),
            Refusal("handle", "a checkpoint's id that is no integer, or less than the first", PeerError),
            Refusal(
                "handle",
                "a marker, a message or a barrier without an id: things of other protocols",
                PeerError,
            ),
            Refusal("overtake", "any of these, and what is no barrier", PeerError),
        ),
    )

    def phase(self, state: OperatorState) -> str:
        """Tell whether it is idle, aligning or recording."""
        if not state.pending:
            return "idle"
        return "recording" if any(pending.taken for pending in state.pending) else "aligning"

    def __init__(
        self, inputs: int, mode: str = "aligned", back: frozenset[int] = frozenset(), *, first: int = 0
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

    def initial(self) -> OperatorState:
        """Begin with no checkpoint and every input open."""
        return OperatorState(self.first - 1, (), frozenset())

    def blocked(self, state: OperatorState) -> frozenset[int]:
        """Return the inputs from which nothing may be taken now (a finished one may be among them)."""
        return frozenset(
            source for source in self.inputs for pending in state.pending if self.blocks(pending, source)
        )

    # -- the decisions -------------------------------------------------------------------------------------

    def exclusive(self) -> bool:
        """Tell whether there is one checkpoint at a time: not where barriers are counted. TLA+: Exclusive."""
        return self.mode != "at-least-once"

    def records_at_once(self) -> bool:
        """Tell whether the first barrier has the state recorded: if unaligned (FLIP-76). TLA+: RecordsAtOnce."""
        return self.mode == "unaligned"

    def counts_finished(self) -> bool:
        """Tell whether a finished input counts as arrived: always (FLIP-147). TLA+: Began, AfterEnd."""
        return True

    def past(self, pending: Pending, source: int) -> bool:
        """Tell whether what comes from an input is behind the barrier, if it arrived. TLA+: Blocks, Logs."""
        return source in pending.arrived

    def blocks(self, pending: Pending, source: int) -> bool:
        """Tell whether an input waits for the others: from its barrier on, where barriers align. TLA+: Blocks.

        In a timeout this is so after the switch too; in a cycle until the state is recorded, and a back edge never.
        """
        if self.mode == "cyclic":
            return source in self.regular and not pending.taken and self.past(pending, source)
        return self.mode in {"aligned", "timeout"} and self.past(pending, source)

    def ready(self, pending: Pending) -> bool:
        """Tell whether all inputs that the recording waits for arrived: all but back edges. TLA+: Arrived."""
        return pending.arrived >= self.regular

    def whole(self, pending: Pending) -> bool:
        """Tell whether nothing more comes into a recorded checkpoint: if all inputs arrived. TLA+: Arrived."""
        return pending.arrived >= self.inputs

    def logs(self, pending: Pending, source: int) -> bool:
        """Tell whether a record from an input is in flight: recorded, and ahead of the barrier. TLA+: Logs."""
        return pending.taken and not self.past(pending, source)

    def is_old(self, state: OperatorState, number: int) -> bool:
        """Tell whether a barrier comes too late, to be ignored: if its checkpoint ended. TLA+: HasEnded."""
        return self._ended(state, number)

    def supersedes(self, state: OperatorState, number: int) -> bool:
        """Tell whether a barrier aborts what is pending: if that is older, one at a time. TLA+: Counted."""
        return self.exclusive() and any(pending.id < number for pending in state.pending)

    def cancels(self, state: OperatorState, number: int) -> bool:
        """Tell whether a cancellation aborts: once per id, unless its checkpoint ended. TLA+: HasEnded."""
        return not self._ended(state, number)

    def outlasts(self, pending: Pending, number: int) -> bool:
        """Tell whether a pending checkpoint goes on when one is aborted: if it is newer. TLA+: Aborted."""
        return pending.id > number

    def aborts_older(self, state: OperatorState, number: int) -> tuple[int, ...]:
        """Return what a cancellation aborts beside its own: what is older, if counted. TLA+: AfterCancel."""
        return () if self.exclusive() else tuple(each.id for each in state.pending if each.id < number)

    def ends_in_order(self, pending: tuple[Pending, ...]) -> tuple[Pending, ...]:
        """Return in which order an end counts for what is pending: the newest first. TLA+: EndFor."""
        return pending[::-1]

    # -- actions -------------------------------------------------------------------------------------------

    def handle(self, state: OperatorState, source: int, element: Value) -> Handled | None:
        """Take an element from an input; what is no barrier, cancellation or end is a record. TLA+: AfterBarrier.

        ``None`` when that input is blocked or finished. Raises DriverError for an input that there is not, PeerError
        for an id that is none, and for a marker, message or barrier of another protocol.
        """
        self._check(source, element)
        if not self._open(state, source):
            return None
        if isinstance(element, Barrier):
            return self._barrier(state, source, element.id, ())
        if isinstance(element, Cancel):
            return self._cancel(state, element.id)
        if isinstance(element, EndOfInput):
            return self._end(state, source)
        logged = tuple(self._log(pending, source, (element,)) for pending in state.pending)
        return Handled(state._replace(pending=logged), processed=True)

    def time_out(self, state: OperatorState) -> Handled | None:
        """Record now, for the alignment takes too long; what arrived stays blocked. TLA+: TimeOut.

        ``None`` in any mode but timeout, and when nothing is being aligned.
        """
        waiting = tuple(pending.id for pending in state.pending if not pending.taken)
        if self.mode != "timeout" or not waiting:
            return None
        taken = tuple(pending._replace(taken=True) for pending in state.pending)
        return Handled(state._replace(pending=taken), triggered=waiting)

    def overtake(
        self, state: OperatorState, source: int, barrier: Barrier, overtaken: tuple[Value, ...]
    ) -> Handled | None:
        """Take a barrier from behind queued records, which are in flight. TLA+: AfterBarrier.

        They are processed later, by :meth:`handle`, and not logged again. ``None`` when that input is blocked or
        finished, and where barriers do not overtake: they do in mode unaligned, and in mode timeout those of the
        checkpoint that was switched. Raises as :meth:`handle` does.

        >>> operator = Operator(2, "unaligned")
        >>> handled = operator.overtake(operator.initial(), 0, Barrier(1), ("a", "b"))
        >>> handled.triggered, handled.state.pending[0].log
        ((1,), (('a', 'b'), ()))
        """
        if not isinstance(barrier, Barrier):
            raise PeerError(
                f"{barrier!r} is no barrier", where=f"input {source}", hint="only barriers overtake"
            )
        self._check(source, barrier)
        if not self._open(state, source):
            return None
        switched = any(pending.id == barrier.id and pending.taken for pending in state.pending)
        if self.mode == "unaligned" or (self.mode == "timeout" and switched):
            return self._barrier(state, source, barrier.id, overtaken)
        return None

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
        elif isinstance(element, Marker | Message | Coloured):
            raise PeerError(
                f"{element!r} is of another protocol",
                where=f"input {source}",
                hint="hand the operator the record itself, or a `Barrier` with its checkpoint's id",
            )

    def _open(self, state: OperatorState, source: int) -> bool:
        return source not in state.finished and source not in self.blocked(state)

    def _ended(self, state: OperatorState, number: int) -> bool:
        """Tell whether a checkpoint ended here, or gave way to a newer one that is pending."""
        ids = [pending.id for pending in state.pending]
        return number not in ids and number <= max((state.last, *ids))

    def _log(self, pending: Pending, source: int, records: tuple[Value, ...]) -> Pending:
        if not self.logs(pending, source):
            return pending
        log = pending.log
        return pending._replace(log=(*log[:source], log[source] + records, *log[source + 1 :]))

    def _begin(self, state: OperatorState, number: int) -> Pending:
        arrived: frozenset[int] = state.finished if self.counts_finished() else frozenset()
        return Pending(number, arrived, self.records_at_once(), ((),) * len(self.inputs))

    def _barrier(
        self, state: OperatorState, source: int, number: int, overtaken: tuple[Value, ...]
    ) -> Handled:
        if self.is_old(state, number):
            return Handled(state)
        aborted: tuple[int, ...] = ()
        if self.supersedes(state, number):
            aborted = tuple(pending.id for pending in state.pending if pending.id < number)
            state = self._abort(state, aborted[-1])
        found = next((pending for pending in state.pending if pending.id == number), None)
        pending = self._log(found or self._begin(state, number), source, overtaken)
        handled = self._arrive(state, pending, source, recorded=found is not None and found.taken)
        return handled._replace(aborted=aborted)

    def _arrive(self, state: OperatorState, pending: Pending, source: int, *, recorded: bool) -> Handled:
        """An input arrives for a checkpoint (whose state was ``recorded`` before): record, and complete it."""
        pending = pending._replace(arrived=pending.arrived | {source})
        if self.ready(pending):
            pending = pending._replace(taken=True)
        triggered = (pending.id,) if pending.taken and not recorded else ()
        others = [other for other in state.pending if other.id != pending.id]
        if pending.taken and self.whole(pending):
            newer = tuple(other for other in others if other.id > pending.id)
            ended = state._replace(last=max(state.last, pending.id), pending=newer)
            return Handled(ended, triggered=triggered, completed=(pending,))
        going_on = sorted([*others, pending], key=lambda each: each.id)
        return Handled(state._replace(pending=tuple(going_on)), triggered=triggered)

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
        handled = Handled(state._replace(finished=finished))
        triggered: tuple[int, ...] = ()
        for pending in self.ends_in_order(state.pending) if self.counts_finished() else ():
            if not handled.completed:
                handled = self._arrive(handled.state, pending, source, recorded=pending.taken)
                triggered += handled.triggered
        return handled._replace(triggered=triggered, ended=ended)
