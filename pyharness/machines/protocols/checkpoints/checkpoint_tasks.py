"""A stream processor that takes checkpoints and recovers (``specs/Checkpoints.tla``): its tasks and their coordinator.

A :class:`Task` handles barriers as its :class:`~pyharness.machines.protocols.Operator` decides (in TLA+ that is the
module ``BarrierHandler``); the :class:`CheckpointCoordinator` triggers checkpoints and decides which are complete. Both
are pure: a state and an event give a new state and what goes out.

Theory of operation
===================

A task is one vertex of a running dataflow. Its driver keeps a :class:`TaskState`, reads the inputs FIFO, and calls

- :meth:`~Task.pass_on` for a record that :meth:`~Process.sendable` yields, and puts the record on that channel;
- :meth:`~Task.accept_record`, :meth:`~Task.accept_barrier` or :meth:`~Task.accept_control` for the first element of an
  input, by its kind, and :meth:`~Task.announce` for a barrier that is after records. :meth:`~Process.send` and
  :meth:`~Process.accept`, which know nothing of checkpoints, are refused;
- :meth:`~Task.inject` or :meth:`~Task.decline` of a source that hears of a checkpoint from the coordinator, in the
  order of the ids, and :meth:`~Task.end_source` of one that has emitted all;
- :meth:`~Task.time_out` when the alignment takes too long, :meth:`~Task.acknowledge` when what was recorded for a
  checkpoint is durable, :meth:`~Task.commit` when one is complete, and :meth:`~Task.restore` after a crash;
- :meth:`~Task.stage_at_end` of a task at its end, when checkpoints become complete in which it is as it is then.

``None`` means: not now. An input is blocked or finished, or the last record is still to be passed on; the element stays
first in its channel, and the driver goes on with another input, or passes on first. A checkpoint's state must not be
taken between the record that came in and the record that goes out.

A :class:`TaskStep` is one atomic step. Its elements in ``out`` go on *every* output in that order, ahead of those of a
later step; ``acknowledged`` and ``aborted`` go to the coordinator. Where what is recorded is uploaded first, the
acknowledgement comes with :meth:`~Task.acknowledge`, and the task goes on meanwhile.

To restore, the driver drops the contents of the channels, puts ``replayed`` logs there first, and begins with the states
of :meth:`~Task.restore` alone; the records of a log are not logged again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pyharness.base.errors import DriverError, PeerError
from pyharness.machines.protocols.applications.dataflow import FoldState
from pyharness.machines.protocols.checkpoints.checkpoint_coordinator import Acknowledgement
from pyharness.machines.protocols.checkpoints.operator import (
    END,
    Barrier,
    Cancel,
    EndOfInput,
    Handled,
    Operator,
    OperatorState,
    Pending,
)
from pyharness.machines.protocols.common.process import WHITE, Message, Process

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols.applications.application import Application, Channel, Value


Bag = tuple[tuple[int, ...], ...]
"""The number of times each record came: by source, and then by number from 1."""


def put(bag: Bag, record: Any) -> Bag:
    """Return a bag with one more record in it."""
    row = bag[record[0] - 1]
    row = (*row[: record[1] - 1], row[record[1] - 1] + 1, *row[record[1] :])
    return (*bag[: record[0] - 1], row, *bag[record[0] :])


def nothing_in(bag: Bag) -> Bag:
    """Return an empty bag for the records of ``bag``. TLA+: Nothing."""
    return tuple((0,) * len(row) for row in bag)


def together(some: Bag, more: Bag) -> Bag:
    """Return two bags as one. TLA+: Together."""
    return tuple(
        tuple(a + b for a, b in zip(old, new, strict=True)) for old, new in zip(some, more, strict=True)
    )


CheckpointElement = Any
"""An element of a channel: a :class:`Message`, a barrier, a cancellation or the end."""


class SinkState(NamedTuple):
    """The outputs of a sink.

    ``output`` is the plain one. Of the one with two-phase commit, ``open`` has the records since the last barrier,
    ``staged`` pairs of an id and the records up to its barrier, by ascending id, and ``committed`` what is out.
    """

    output: Bag
    open: Bag
    staged: tuple[tuple[int, Bag], ...]
    committed: Bag


class TaskState(NamedTuple):
    """A task's state.

    ``app`` is the application's, ``handler`` the barrier handler's; ``copies`` has pairs of an id and the state that
    was recorded for it, of checkpoints whose barriers it waits for, ``uploads`` what will be acknowledged, by ascending
    id, of those that are not durable yet; ``ended`` is whether it is at its end, ``aborts`` how often
    it aborted each id (from 1), and ``sink`` is there if it is one.
    """

    app: Value
    handler: OperatorState
    copies: tuple[tuple[int, Value], ...]
    uploads: tuple[Acknowledgement, ...]
    ended: bool
    aborts: tuple[int, ...]
    sink: SinkState | None

    @property
    def recorded(self) -> None:
        """None: a run has several checkpoints, not one snapshot."""
        return


class TaskStep(NamedTuple):
    """The result of an event: the state, what goes out on every output, acknowledgements, and ids aborted."""

    state: TaskState
    out: tuple[CheckpointElement, ...] = ()
    acknowledged: tuple[Acknowledgement, ...] = ()
    aborted: tuple[int, ...] = ()


class Task(Process[TaskState]):
    """One task of a dataflow, which takes at most ``checkpoints``; ``mode`` is that of its barrier ``handler``.

    With ``uploads`` what it records is durable some time later.
    Mutants override one of its decisions, or have another handler.
    """

    def __init__(
        self,
        identity: int,
        topology: Topology,
        application: Application,
        *,
        mode: str = "aligned",
        checkpoints: int = 1,
        handler: type[Operator] = Operator,
        after_ends: bool = True,
        most_pending: int = 50,
        uploads: bool = False,
    ) -> None:
        super().__init__(identity, topology, application)
        back = frozenset(i for i, (source, target) in enumerate(self.inputs) if target <= source)
        self.handler = handler(
            len(self.inputs),
            mode,
            back if mode == "cyclic" else frozenset(),
            first=1,
            after_ends=after_ends,
            most_pending=most_pending,
        )
        self.checkpoints, self.uploads = checkpoints, uploads

    def initial(self, app: Value) -> TaskState:
        """Begin with nothing pending, and nothing put out."""
        nothing = FoldState(*app).folded  # type: ignore[misc]
        sink = SinkState(nothing, nothing, (), nothing) if not self.outputs else None
        return TaskState(app, self.handler.initial(), (), (), False, (0,) * self.checkpoints, sink)

    def colour(self, state: TaskState) -> str:
        """White always: tasks have no colours."""
        return WHITE

    def after(self, state: TaskState, app: Value, taken: Sequence[tuple[Channel, Message]]) -> TaskState:
        """Return the state with ``app`` as the application's."""
        return state._replace(app=app)

    # -- the decisions -------------------------------------------------------------------------------------

    def state_taken(self, state: TaskState) -> Value:
        """Return the state that is recorded now (A1, A2). TLA+: Copy."""
        return state.app

    def replayed(self, log: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the records in flight that are restored of a log (A5, A10). TLA+: RestoredLog."""
        return log

    def may_commit(self, number: int, completed: frozenset[int]) -> bool:
        """Return whether what was staged for a checkpoint may be committed (A3). TLA+: MayCommit."""
        return number in completed

    def committable(self, staged: Sequence[int], number: int) -> Sequence[int]:
        """Return for which ids a sink commits what it ``staged`` when a checkpoint is complete: up to it (A3).

        TLA+: Committable.
        """
        return [each for each in staged if each <= number]

    def staged_at_end(self, numbers: Sequence[int]) -> int:
        """Return for which of the checkpoints that it is in as it is a sink at its end stages the rest: the first (A3).

        0 if there is none. TLA+: StagedAtEnd.
        """
        return min(numbers, default=0)

    def staged_with(self, sink: SinkState, uploads: Sequence[Acknowledgement], number: int) -> SinkState:
        """Return the outputs with what was put out since the barrier before staged for a checkpoint (A3).

        Records staged for it already stay. ``uploads`` are the parts that are not durable. TLA+: StagedWith.
        """
        known = {number: sink.open, **dict(sink.staged)}
        return sink._replace(staged=tuple(sorted(known.items())), open=nothing_in(sink.open))

    def committed(self, sink: SinkState, number: int) -> SinkState:
        """Return the outputs with what was staged up to a checkpoint committed (A3). TLA+: Together."""
        committed = sink.committed
        up_to = self.committable([staged for staged, _ in sink.staged], number)
        for staged, bag in sink.staged:
            if staged in up_to:
                committed = together(committed, bag)
        return sink._replace(
            committed=committed, staged=tuple(pair for pair in sink.staged if pair[0] > number)
        )

    def puts_out(self, state: TaskState) -> bool:
        """Return whether a sink puts out the records that it accepts (A3). TLA+: PutsOut."""
        return True

    def acknowledges_at_once(self) -> bool:
        """Return whether it acknowledges what it records as soon as it has recorded it. TLA+: AcknowledgesAtOnce."""
        return not self.uploads

    def hears(self, state: TaskState, number: int, *, over: bool) -> bool:
        """Return whether a source hears of a checkpoint: not if it has dealt with it, or it is ``over``. TLA+: Hears."""
        return state.handler.last < number and not over and not state.ended

    # -- actions -------------------------------------------------------------------------------------------

    def idle(self, state: TaskState) -> bool:
        """Return whether nothing is left to be sent. TLA+: Idle."""
        return not any(
            tuple(self.application.sendable(self.identity, channel, state.app)) for channel in self.outputs
        )

    def pass_on(self, state: TaskState, channel: Channel, msg: Value) -> TaskState:
        """Send ``msg``. TLA+: Send. Raises DriverError as :meth:`Process.send` does."""
        self.require_sendable(state, channel, msg)
        return state._replace(app=self.application.after_send(self.identity, channel, state.app, msg))

    def accept_record(self, state: TaskState, channel: Channel, message: Message) -> TaskState | None:
        """Accept a record, unless its input is blocked or the last one is still to be passed on. TLA+: Accept."""
        index, msg = self.admit(channel, message), message.msg
        if not self.application.acceptable(self.identity, channel, state.app, msg):
            return None
        handled = self.handler.handle(state.handler, index, msg)
        if handled is None or not handled.processed:
            return None
        sink = state.sink
        if sink is not None:
            output = put(sink.output, msg) if self.puts_out(state) else sink.output
            sink = sink._replace(output=output, open=put(sink.open, msg))
        app = self.application.after_accept(self.identity, channel, state.app, msg)
        return state._replace(app=app, handler=handled.state, sink=sink)

    def accept_barrier(
        self, state: TaskState, channel: Channel, barrier: Barrier, overtaken: tuple[Value, ...] = ()
    ) -> TaskStep | None:
        """Take a barrier ahead of some records. TLA+: AcceptBarrier."""
        index = self.input_index(channel)
        if not isinstance(barrier, Barrier):
            raise PeerError(
                f"{barrier!r} is not a barrier of a checkpoint",
                where=self._place(channel),
                hint="hand it a `Barrier` with the checkpoint's id",
            )
        if not self.idle(state):
            return None
        if overtaken:
            handled = self.handler.overtake(state.handler, index, barrier, overtaken)
        else:
            handled = self.handler.handle(state.handler, index, barrier)
        return None if handled is None else self._settle(state, handled)

    def announce(self, state: TaskState, channel: Channel, barrier: Barrier) -> TaskStep | None:
        """Hear of a barrier that is queued after records (A6, A7). TLA+: Announce."""
        handled = self.handler.announce(state.handler, self.input_index(channel), barrier)
        return None if handled is None or not self.idle(state) else self._settle(state, handled)

    def accept_control(
        self, state: TaskState, channel: Channel, element: CheckpointElement
    ) -> TaskStep | None:
        """Take a cancellation, or an end. TLA+: AcceptCancel, AcceptEnd."""
        index = self.input_index(channel)
        if not isinstance(element, Cancel | EndOfInput):
            raise PeerError(
                f"{element!r} is neither a cancellation nor an end",
                where=self._place(channel),
                hint="records go to `accept_record`, barriers to `accept_barrier`",
            )
        handled = self.handler.handle(state.handler, index, element)
        return None if handled is None or not self.idle(state) else self._settle(state, handled)

    def time_out(self, state: TaskState) -> TaskStep | None:
        """Stop aligning (A6). TLA+: TimeOut."""
        handled = self.handler.time_out(state.handler)
        return None if handled is None or not self.idle(state) else self._settle(state, handled)

    def inject(self, state: TaskState, number: int, *, savepoint: bool = False) -> TaskStep:
        """Record, as a source, and send a barrier, of a ``savepoint`` an aligned one. TLA+: Inject.

        Raises DriverError for a task that is not a source or at its end, and an id that is not the next.
        """
        self._require_next(state, number)
        done = Pending(number, frozenset(), taken=True, log=())
        handler = state.handler._replace(last=number)
        alignment = self.handler.forced_alignment() if savepoint else None
        return self._settle(
            state, Handled(handler, triggered=(number,), completed=(done,), alignment=alignment)
        )

    def decline(self, state: TaskState, number: int) -> TaskStep:
        """Abort, as a source, and send a cancellation (A7). TLA+: Decline. Raises as :meth:`inject` does."""
        self._require_next(state, number)
        return self._settle(state, Handled(state.handler._replace(last=number), aborted=(number,)))

    def end_source(self, state: TaskState) -> TaskStep | None:
        """End, as a source that has emitted all its records (A9). TLA+: EndSource. Raises DriverError for another task."""
        self._require_source()
        if state.ended or not self.idle(state):
            return None
        return self._settle(state, Handled(state.handler, ended=True))

    def acknowledge(self, state: TaskState, number: int) -> TaskStep:
        """Acknowledge what was recorded for a checkpoint and is durable now (A3, A8). TLA+: Acknowledge.

        Raises DriverError for a checkpoint that it has not recorded, or has acknowledged.
        """
        done = tuple(each for each in state.uploads if each.id == number)
        if not done:
            raise DriverError(
                f"nothing is recorded for checkpoint {number!r}",
                where=self._place(),
                hint=f"what is not durable is of {[each.id for each in state.uploads]}",
            )
        left = tuple(each for each in state.uploads if each.id != number)
        return TaskStep(state._replace(uploads=left), acknowledged=done)

    def stage_at_end(self, state: TaskState, numbers: Sequence[int]) -> TaskState:
        """Stage, as a sink at its end, what it has put out since the last barrier (A3). TLA+: Account.

        ``numbers`` are the checkpoints that are complete now and in which it is as it is at its end. Raises DriverError
        for a task that has not ended.
        """
        if not state.ended:
            raise DriverError(
                "the task has not ended", where=self._place(), hint="its next barrier does this"
            )
        sink, number = state.sink, self.staged_at_end(numbers)
        if sink is None or not number or sink.open == nothing_in(sink.open):
            return state
        return state._replace(sink=self.staged_with(sink, state.uploads, number))

    def commit(self, state: TaskState, completed: frozenset[int]) -> TaskState | None:
        """Commit what was staged for complete checkpoints (A3). TLA+: Commit."""
        sink = state.sink
        if sink is None:
            return None
        ready = [number for number, _ in sink.staged if self.may_commit(number, completed)]
        return state._replace(sink=self.committed(sink, max(ready))) if ready else None

    def restore(self, state: TaskState, app: Value, safe: int) -> TaskState:
        """Begin again from ``app``; records staged up to checkpoint ``safe`` are committed (A2). TLA+: Crash."""
        fresh = self.initial(app)
        sink = state.sink
        if sink is not None:
            sink = self.committed(sink, safe)._replace(open=nothing_in(sink.open), staged=())
        return fresh._replace(aborts=state.aborts, sink=sink)

    # -- what is refused -----------------------------------------------------------------------------------

    def send(self, state: TaskState, channel: Channel, msg: Value) -> NoReturn:
        """Refuse: a task passes on what it has accepted, with :meth:`pass_on`. Raises DriverError."""
        raise DriverError("a task does not send by itself", where=self._place(), hint="use `pass_on`")

    def accept(self, state: TaskState, channel: Channel, message: Message) -> NoReturn:
        """Refuse: a record goes by the barrier handler, with :meth:`accept_record`. Raises DriverError."""
        raise DriverError(
            "a task asks its barrier handler first", where=self._place(), hint="use `accept_record`"
        )

    def _require_source(self) -> None:
        if self.inputs:
            raise DriverError(
                "only a source does this", where=self._place(), hint="this task hears of it over its inputs"
            )

    def _require_next(self, state: TaskState, number: int) -> None:
        self._require_source()
        if not isinstance(number, int) or not state.handler.last < number <= self.checkpoints:
            raise DriverError(
                f"checkpoint {number!r} after {state.handler.last}",
                where=self._place(),
                hint=f"ids ascend, up to {self.checkpoints}",
            )
        if state.ended:
            raise DriverError("the source has ended", where=self._place(), hint="nothing comes after the end")

    # -- helpers -------------------------------------------------------------------------------------------

    def _settle(self, state: TaskState, handled: Handled) -> TaskStep:
        """Apply the barrier handler's result. TLA+: Settle."""
        copies = dict(state.copies)
        taken = self.state_taken(state)
        acknowledged = tuple(
            Acknowledgement(pending.id, self.identity, copies.get(pending.id, taken), pending.log)
            for pending in handled.completed
        )
        kept = tuple((p.id, copies.get(p.id, taken)) for p in handled.state.pending if p.taken)
        aborts = tuple(count + handled.aborted.count(n) for n, count in enumerate(state.aborts, start=1))
        sink = state.sink
        if sink is not None and handled.triggered:
            sink = self.staged_with(sink, state.uploads, handled.triggered[0])
        uploads = state.uploads
        if self.uploads:
            uploads = tuple(sorted([*uploads, *acknowledged], key=lambda each: each.id))
        if not self.acknowledges_at_once():
            acknowledged = ()
        after = TaskState(state.app, handled.state, kept, uploads, state.ended or handled.ended, aborts, sink)
        barriers = (Barrier(number, alignment=handled.alignment) for number in handled.triggered)
        out = (*map(Cancel, handled.aborted), *barriers, *((END,) * handled.ended))
        return TaskStep(after, out, acknowledged, handled.aborted)
