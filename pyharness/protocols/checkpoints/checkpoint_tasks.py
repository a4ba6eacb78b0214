"""A stream processor that takes checkpoints and recovers (``specs/Checkpoints.tla``): its tasks and their coordinator.

A :class:`Task` does with barriers what its :class:`~pyharness.protocols.Operator` says (in TLA+ that is the
module ``BarrierHandler``); the :class:`CheckpointCoordinator` triggers checkpoints and decides which are complete. Both
are pure: a state and an event give a new state and what goes out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.protocols.applications.dataflow import FoldState
from pyharness.protocols.checkpoints.operator import (
    END,
    Barrier,
    Cancel,
    Handled,
    Operator,
    OperatorState,
    Pending,
)
from pyharness.protocols.common.process import WHITE, Message, Process

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.protocols.applications.application import Application, Channel, Value
    from pyharness.topology import Topology

__all__ = [
    "Acknowledgement",
    "CheckpointCoordinator",
    "CheckpointElement",
    "CoordinatorState",
    "SinkState",
    "Task",
    "TaskState",
    "TaskStep",
]

Bag = tuple[tuple[int, ...], ...]
"""How often each record was there: by source, and then by number from 1."""

CheckpointElement = Any
"""What a channel carries: a :class:`Message`, a barrier, a cancellation or the end."""


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
    was recorded for it, of checkpoints not acknowledged; ``ended`` tells whether it is at its end, ``aborts`` how often
    it aborted each id (from 1), and ``sink`` is there if it is one.
    """

    app: Value
    handler: OperatorState
    copies: tuple[tuple[int, Value], ...]
    ended: bool
    aborts: tuple[int, ...]
    sink: SinkState | None

    @property
    def recorded(self) -> None:
        """There is no one snapshot."""
        return


class Acknowledgement(NamedTuple):
    """What a task tells the coordinator of checkpoint ``id``: its state, and for each input the records in flight."""

    id: int
    process: int
    state: Value
    log: tuple[tuple[Value, ...], ...]


class TaskStep(NamedTuple):
    """The result of an event: the state, what goes out on every output, acknowledgements, and ids aborted."""

    state: TaskState
    out: tuple[CheckpointElement, ...] = ()
    acknowledged: tuple[Acknowledgement, ...] = ()
    aborted: tuple[int, ...] = ()


class CoordinatorState(NamedTuple):
    """The coordinator's state.

    ``triggered`` is the highest id, ``acks`` has by id the acknowledgements of what may be restored, by process;
    ``declines`` and ``crashes`` count those.
    """

    triggered: int
    acks: tuple[tuple[Acknowledgement, ...], ...]
    completed: frozenset[int]
    aborted: frozenset[int]
    declines: int
    crashes: int


class Task(Process[TaskState]):
    """One task of a dataflow, which takes so many ``checkpoints`` at most; ``mode`` is that of its barrier ``handler``.

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
    ) -> None:
        super().__init__(identity, topology, application)
        back = frozenset(i for i, (source, target) in enumerate(self.inputs) if target <= source)
        self.handler = handler(len(self.inputs), mode, back if mode == "cyclic" else frozenset())
        self.checkpoints = checkpoints

    def initial(self, app: Value) -> TaskState:
        """Begin with nothing pending, and nothing put out."""
        nothing = FoldState(*app).folded  # type: ignore[misc]
        sink = SinkState(nothing, nothing, (), nothing) if not self.outputs else None
        return TaskState(app, self.handler.initial(), (), False, (0,) * self.checkpoints, sink)

    def colour(self, state: TaskState) -> str:
        """There are no colours."""
        return WHITE

    def after(self, state: TaskState, app: Value, taken: Sequence[tuple[Channel, Message]]) -> TaskState:
        """Go on."""
        return state._replace(app=app)

    # -- the decisions -------------------------------------------------------------------------------------

    def state_taken(self, state: TaskState) -> Value:
        """Return the state that is recorded now (A1, A2). TLA+: StateTaken."""
        return state.app

    def replayed(self, log: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the records in flight that are restored of a log (A5, A10). TLA+: Replayed."""
        return log

    def may_commit(self, number: int, completed: frozenset[int]) -> bool:
        """Tell whether what was staged for a checkpoint may be committed (A3). TLA+: MayCommit."""
        return number in completed

    # -- actions -------------------------------------------------------------------------------------------

    def idle(self, state: TaskState) -> bool:
        """Tell whether nothing is left to be sent. TLA+: Idle."""
        return not any(
            tuple(self.application.sendable(self.identity, channel, state.app)) for channel in self.outputs
        )

    def pass_on(self, state: TaskState, channel: Channel, msg: Value) -> TaskState:
        """Send ``msg``. TLA+: Send."""
        return state._replace(app=self.application.after_send(self.identity, channel, state.app, msg))

    def accept_record(self, state: TaskState, channel: Channel, message: Message) -> TaskState | None:
        """Accept a record, unless its input is blocked or the last one is still to be passed on. TLA+: Accept."""
        msg = message.msg
        if not self.application.acceptable(self.identity, channel, state.app, msg):
            return None
        handled = self.handler.handle(state.handler, self.inputs.index(channel), msg)
        if handled is None:
            return None
        sink = state.sink
        if sink is not None:
            sink = sink._replace(output=_put(sink.output, msg), open=_put(sink.open, msg))
        app = self.application.after_accept(self.identity, channel, state.app, msg)
        return state._replace(app=app, handler=handled.state, sink=sink)

    def accept_barrier(
        self, state: TaskState, channel: Channel, barrier: Barrier, overtaken: tuple[Value, ...] = ()
    ) -> TaskStep | None:
        """Take a barrier from behind some records. TLA+: AcceptBarrier."""
        index = self.inputs.index(channel)
        if not self.idle(state):
            return None
        if overtaken:
            handled = self.handler.overtake(state.handler, index, barrier, overtaken)
        else:
            handled = self.handler.handle(state.handler, index, barrier)
        return None if handled is None else self._settle(state, handled)

    def accept_control(
        self, state: TaskState, channel: Channel, element: CheckpointElement
    ) -> TaskStep | None:
        """Take a cancellation, or an end. TLA+: AcceptCancel, AcceptEnd."""
        handled = self.handler.handle(state.handler, self.inputs.index(channel), element)
        return None if handled is None or not self.idle(state) else self._settle(state, handled)

    def time_out(self, state: TaskState) -> TaskStep | None:
        """Stop aligning (A6). TLA+: TimeOut."""
        handled = self.handler.time_out(state.handler)
        return None if handled is None or not self.idle(state) else self._settle(state, handled)

    def inject(self, state: TaskState, number: int) -> TaskStep:
        """Record, as a source, and send a barrier. TLA+: Inject."""
        done = Pending(number, frozenset(), taken=True, log=())
        handler = state.handler._replace(last=number)
        return self._settle(state, Handled(handler, triggered=(number,), completed=(done,)))

    def decline(self, state: TaskState, number: int) -> TaskStep:
        """Abort, as a source, and send a cancellation (A7). TLA+: Decline."""
        return self._settle(state, Handled(state.handler._replace(last=number), aborted=(number,)))

    def end_source(self, state: TaskState) -> TaskStep | None:
        """End, as a source that has emitted all its records (A9). TLA+: EndSource."""
        if state.ended or not self.idle(state):
            return None
        return self._settle(state, Handled(state.handler, ended=True))

    def commit(self, state: TaskState, completed: frozenset[int]) -> TaskState | None:
        """Commit what was staged for complete checkpoints (A3). TLA+: Commit."""
        sink = state.sink
        if sink is None:
            return None
        ready = [number for number, _ in sink.staged if self.may_commit(number, completed)]
        return state._replace(sink=_committed(sink, max(ready))) if ready else None

    def restore(self, state: TaskState, app: Value, safe: int) -> TaskState:
        """Begin again from ``app``; what was staged up to checkpoint ``safe`` is committed (A2). TLA+: Crash."""
        fresh = self.initial(app)
        sink = state.sink
        if sink is not None:
            sink = _committed(sink, safe)._replace(open=_nothing(sink.open), staged=())
        return fresh._replace(aborts=state.aborts, sink=sink)

    # -- helpers -------------------------------------------------------------------------------------------

    def _settle(self, state: TaskState, handled: Handled) -> TaskStep:
        """Do what the barrier handler says. TLA+: Settle."""
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
            staged = sorted([*sink.staged, (handled.triggered[0], sink.open)])
            sink = sink._replace(staged=tuple(staged), open=_nothing(sink.open))
        after = TaskState(state.app, handled.state, kept, state.ended or handled.ended, aborts, sink)
        out = (*map(Cancel, handled.aborted), *map(Barrier, handled.triggered), *((END,) * handled.ended))
        return TaskStep(after, out, acknowledged, handled.aborted)


class CheckpointCoordinator:
    """Who triggers checkpoints and counts acknowledgements. Mutants override one of its decisions.

    ``processes`` is their number; at most ``checkpoints`` are triggered, one at a time unless they may ``overlap``.
    """

    def __init__(self, processes: int, sinks: Iterable[int], checkpoints: int, *, overlap: bool) -> None:
        self.processes = frozenset(range(1, processes + 1))
        self.sinks = frozenset(sinks)
        self.checkpoints = checkpoints
        self.overlap = overlap

    def initial(self) -> CoordinatorState:
        """Begin with nothing triggered."""
        return CoordinatorState(0, ((),) * self.checkpoints, frozenset(), frozenset(), 0, 0)

    def acknowledged(self, processes: frozenset[int]) -> bool:
        """Tell whether a checkpoint is complete that these have acknowledged: all (A8). TLA+: Acknowledged."""
        return self.processes <= processes

    def restored_from(self, state: CoordinatorState, process: int) -> int:
        """Return the checkpoint to restore, 0 for the beginning: the newest complete one (A2). TLA+: RestoredFrom."""
        return max(state.completed, default=0)

    def remembered(self, state: CoordinatorState) -> frozenset[int]:
        """Return the complete checkpoints that it still knows after a crash (A8). TLA+: Remembered."""
        return state.completed

    def trigger(self, state: CoordinatorState) -> CoordinatorState | None:
        """Trigger the next checkpoint. TLA+: Trigger."""
        settled = state.triggered == 0 or state.triggered in state.completed | state.aborted
        if state.triggered == self.checkpoints or not (self.overlap or settled):
            return None
        return state._replace(triggered=state.triggered + 1)

    def account(
        self,
        state: CoordinatorState,
        acknowledged: Sequence[Acknowledgement],
        aborted: Iterable[int],
        final: Sequence[Acknowledgement],
    ) -> CoordinatorState:
        """Count acknowledgements and aborts; ``final`` has the states of the tasks at their end. TLA+: Account."""
        acks = list(state.acks)
        for ack in acknowledged:
            others = [known for known in acks[ack.id - 1] if known.process != ack.process]
            acks[ack.id - 1] = tuple(sorted([*others, ack], key=lambda known: known.process))
        off = state.aborted | (frozenset(aborted) - state.completed)
        over = frozenset(ack.process for ack in final)
        new = {
            n
            for n in range(1, state.triggered + 1)
            if n not in off and self.acknowledged(frozenset(a.process for a in acks[n - 1]) | over)
        }
        whole = state.completed | new
        newest = max(whole, default=0)
        gone = off | (frozenset(range(1, newest + 1)) - whole)
        for n in range(1, self.checkpoints + 1):
            if n in gone or n < newest:
                acks[n - 1] = ()
            elif n in whole - state.completed:
                there = {ack.process for ack in acks[n - 1]}
                filled = [*acks[n - 1], *(ack._replace(id=n) for ack in final if ack.process not in there)]
                acks[n - 1] = tuple(sorted(filled, key=lambda known: known.process))
        return state._replace(acks=tuple(acks), completed=frozenset(whole), aborted=gone)

    def crash(self, state: CoordinatorState) -> CoordinatorState:
        """Forget what is not complete (A2). TLA+: Crash."""
        newest = max(state.completed, default=0)
        return state._replace(
            crashes=state.crashes + 1,
            completed=self.remembered(state),
            aborted=state.aborted | (frozenset(range(1, state.triggered + 1)) - state.completed),
            acks=tuple(ack if n == newest else () for n, ack in enumerate(state.acks, start=1)),
        )


def _put(bag: Bag, record: Any) -> Bag:
    row = bag[record[0] - 1]
    row = (*row[: record[1] - 1], row[record[1] - 1] + 1, *row[record[1] :])
    return (*bag[: record[0] - 1], row, *bag[record[0] :])


def _nothing(bag: Bag) -> Bag:
    return tuple((0,) * len(row) for row in bag)


def _committed(sink: SinkState, number: int) -> SinkState:
    committed = sink.committed
    for staged, bag in sink.staged:
        if staged <= number:
            committed = tuple(
                tuple(a + b for a, b in zip(old, new, strict=True))
                for old, new in zip(committed, bag, strict=True)
            )
    return sink._replace(committed=committed, staged=tuple(pair for pair in sink.staged if pair[0] > number))
