"""One task of Flink: its real barrier handler and real in-flight logs, and around it, played by us, what it needs.

Real in-flight logs: Flink's ``ChannelStatePersister`` per channel, over real network buffers. That class is private to
its package, so it is reached by reflection. Its output is read by a ``ChannelStateWriter`` of ours, which only
collects.

Flink's are the handler with all its states, the logs of the channels, the barriers with their options, and the
events' wire format. Ours are

- the network: a sender that sent an aligned barrier sends nothing more until the handler resumes its channel;
  waiting elements come in the order in which they were given; those that are not blocked are handled at once;
- a channel's queue: records that a barrier may overtake were received, and are handled after it whether its sender
  is blocked or not;
- the timer: it is fired by an event, and no time passes otherwise;
- the task and the coordinator, which only note what the handler asks of them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.hold.flink.real_handlers import Wire, channel_infos, make_handler
from pyharness.machines.protocols.checkpoints.operator import OF_MODE, Barrier, Cancel, EndOfInput
from pyharness.machines.protocols.checkpoints.operator_drive import (
    Effect,
    GoOn,
    Overtaking,
    Queued,
    Reaction,
    Timeout,
    reaction,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.hold.flink.event_sequences import Event
    from pyharness.hold.flink.flink_classes import FlinkClasses
    from pyharness.machines.protocols.applications.application import Value


class _Reflected(NamedTuple):
    """The constructor and the methods of the persister."""

    create: Any
    start: Any
    stop: Any
    persist: Any
    check: Any


@cache
def _reflected(flink: FlinkClasses) -> _Reflected:
    jpype = flink.jpype
    kind = flink.Persister.class_
    buffer = jpype.JClass("org.apache.flink.runtime.io.network.buffer.Buffer").class_
    long = jpype.JClass("java.lang.Long").TYPE
    create = kind.getDeclaredConstructor(flink.Writer.class_, flink.Channel.class_)
    found = _Reflected(
        create,
        kind.getDeclaredMethod("startPersisting", long, jpype.JClass("java.util.List").class_),
        kind.getDeclaredMethod("stopPersisting", long),
        kind.getDeclaredMethod("maybePersist", buffer),
        kind.getDeclaredMethod("checkForBarrier", buffer),
    )
    for each in found:
        each.setAccessible(True)
    return found


@cache
def _record_buffer(flink: FlinkClasses, number: int) -> Any:
    """Return a network buffer with a number in it; it is never recycled."""
    memory = flink.Memory.allocateUnpooledSegment(4)
    memory.putInt(0, number)
    buffer = flink.Buffer(memory, flink.Recycler.INSTANCE)
    buffer.setSize(4)
    return buffer


class Channels:
    """The records that one task's input channels hand over as in flight, checkpoint by checkpoint.

    Records are known to Flink by their number in the order in which they came. ``grown`` are the checkpoints whose logs
    grew since it was emptied.
    """

    def __init__(self, flink: FlinkClasses, infos: list[Any]) -> None:
        self._flink = flink
        self._reflected = _reflected(flink)
        self._records: list[Value] = []
        self._logs: dict[tuple[int, int], list[Value]] = {}
        self.grown: set[int] = set()
        writer = flink.jpype.JProxy(flink.Writer, inst=_LogWriter(self._records, self._logs, self.grown))
        self._persisters = [self._reflected.create.newInstance(writer, info) for info in infos]

    def log(self, checkpoint: int) -> tuple[tuple[Value, ...], ...]:
        """Return the records logged for a checkpoint, one tuple per channel."""
        return tuple(
            tuple(self._logs.get((checkpoint, channel), ())) for channel in range(len(self._persisters))
        )

    def record(self, channel: int, record: Value) -> Any:
        """Take a record that a channel received; return its buffer."""
        buffer = _record_buffer(self._flink, len(self._records))
        self._records.append(record)
        self._reflected.persist.invoke(self._persisters[channel], buffer)
        return buffer

    def barrier(self, channel: int, buffer: Any) -> None:
        """Note a barrier that a channel received."""
        self._reflected.check.invoke(self._persisters[channel], buffer)

    def started(self, checkpoint: int, queued: Iterable[list[Any]]) -> None:
        """Begin to log, with the buffers that wait in each channel's queue."""
        for persister, buffers in zip(self._persisters, queued, strict=True):
            waiting = self._flink.List()
            for buffer in buffers:
                waiting.add(buffer)
            self._reflected.start.invoke(persister, checkpoint, waiting)

    def stopped(self, checkpoint: int) -> None:
        """Let all channels stop logging for a checkpoint."""
        for persister in self._persisters:
            self._reflected.stop.invoke(persister, checkpoint)


class _LogWriter:
    """Implements ChannelStateWriter: it collects, and holds nothing of Java's, so that no circle is left to collect."""

    def __init__(
        self, records: list[Value], logs: dict[tuple[int, int], list[Value]], grown: set[int]
    ) -> None:
        self._records = records
        self._logs = logs
        self._grown = grown

    def addInputData(self, checkpoint: int, info: Any, sequence: int, buffers: Any) -> None:  # noqa: N802
        """Collect what a persister hands over."""
        self._grown.add(int(checkpoint))
        log = self._logs.setdefault((int(checkpoint), int(info.getInputChannelIdx())), [])
        while buffers.hasNext():
            log.append(self._records[int(buffers.next().getMemorySegment().getInt(0))])
        buffers.close()


class Driven(NamedTuple):
    """A handler's effects: a moment for each event, up to one in which it threw the exception ``failure``."""

    moments: tuple[Reaction, ...]
    failure: str = ""


class _WaitingElement(NamedTuple):
    """An element that waits: at its sender, or received and in the channel's queue, a record with its buffer."""

    source: int
    element: Value
    received: bool = False
    buffer: Any = None


class FlinkTask:
    """A task with a number of input channels, in one of Flink's modes. It takes events as ``drive`` does."""

    def __init__(self, flink: FlinkClasses, inputs: int, mode: str, *, after_ends: bool = True) -> None:
        self.flink = flink
        self.mode = mode
        self.blocked: set[int] = set()
        self.slow: set[int] = set()
        self.waiting: list[_WaitingElement] = []
        self.urgent: list[_WaitingElement] = []
        self.timer: Any = None
        self.open = inputs
        self.effects: list[Effect] = []
        self.promised: list[tuple[int, Any]] = []
        self.infos = list(channel_infos(flink, inputs))
        self.logged = Channels(flink, self.infos) if mode in {"unaligned", "timeout"} else None
        self.handler = make_handler(flink, self, inputs, mode, after_ends=after_ends)
        self.wire = Wire(flink, mode)

    def drive(self, events: Sequence[Event]) -> Driven:
        """Take events until the handler throws; return what it did."""
        moments: list[Reaction] = []
        for event in events:
            try:
                moments.append(self.take(event))
            except self.flink.jpype.JException as error:
                name = str(error.getClass().getSimpleName())
                return Driven(tuple(moments), f"{name}: {error.getMessage()}")
        return Driven(tuple(moments))

    def take(self, event: Event) -> Reaction:
        """Take one event; elements that are not blocked then are handled, the earliest first."""
        source, element = event
        self.effects = []
        if self.logged:
            self.logged.grown.clear()
        if isinstance(element, Timeout):
            timer, self.timer = self.timer, None
            if timer is not None:
                timer.call()
        elif isinstance(element, Overtaking | Queued):
            self._receive_queued(source, element)
        elif isinstance(element, GoOn):
            self.slow.discard(source)
        else:
            self.waiting.append(_WaitingElement(source, element))
        self._notice_completed()
        while (found := self._next()) is not None:
            self._handle(found)
            self._notice_completed()
            if self.open == 0 and isinstance(found.element, EndOfInput):
                self.effects.append(Effect("ended"))
        return self._moment(event)

    def _next(self) -> _WaitingElement | None:
        if self.urgent:
            return self.urgent.pop(0)
        for index, each in enumerate(self.waiting):
            if each.source in self.slow:
                continue
            if each.received or each.source not in self.blocked:
                return self.waiting.pop(index)
        return None

    def _notice_completed(self) -> None:
        """Take note of the checkpoints that have all their barriers by now."""
        for number, future in [each for each in self.promised if each[1].isDone()]:
            self.promised.remove((number, future))
            if not future.isCompletedExceptionally():
                self.effects.append(Effect("completed", id=number))

    def _moment(self, event: Event) -> Reaction:
        completed = [e.id for e in self.effects if e.kind == "completed" and e.id is not None]
        return reaction(
            event,
            self.effects,
            blocked=self.blocked,
            in_flight={number: self._log(number) for number in completed},
            pending={number: self._log_so_far(number) for number in self._logging()},
        )

    def _logging(self) -> set[int]:
        """Return the checkpoints that are pending, and any that is not and yet was logged for at this event.

        One that ended at this event is over, and so is an older one, which Flink drops without a word.
        """
        ended = [e.id for e in self.effects if e.kind in {"completed", "aborted"} and e.id is not None]
        over = max(ended, default=0)
        grown = {number for number in self.logged.grown if number > over} if self.logged else set()
        return grown.union(number for number, _ in self.promised)

    def _log(self, checkpoint: int) -> tuple[tuple[Value, ...], ...]:
        return self.logged.log(checkpoint) if self.logged else ((),) * len(self.infos)

    def _log_so_far(self, checkpoint: int) -> tuple[tuple[Value, ...], ...]:
        """Return a log without the records that wait in a slow input's queue, which are logged ahead of time."""
        waiting = [
            [w.element for w in self.waiting if w.source == s and w.buffer is not None]
            for s in range(len(self.infos))
        ]
        return tuple(
            log[: -len(queue)] if queue and source in self.slow and list(log[-len(queue) :]) == queue else log
            for source, (log, queue) in enumerate(zip(self._log(checkpoint), waiting, strict=True))
        )

    # -- what comes ----------------------------------------------------------------------------------------

    def _receive_queued(self, source: int, element: Overtaking | Queued) -> None:
        """Receive records and, after them, a barrier; or keep all of it at a sender that is blocked.

        A sender is, too, from its barrier on, while that waits in the queue.
        """
        here = source not in self.blocked and not any(each.source == source for each in self.waiting)
        for record in element.records:
            buffer = self.logged.record(source, record) if self.logged and here else None
            self.waiting.append(_WaitingElement(source, record, here, buffer))
        barrier = _WaitingElement(source, element.barrier, here)
        if here and self.wire.overtakes(element.barrier):
            self._received(source, element.barrier)
            self.urgent.append(barrier)
            return
        self.waiting.append(barrier)
        if here:
            if isinstance(element, Queued) and self.wire.announced(element.barrier):
                self.slow.add(source)
            self._received(source, element.barrier)

    def _received(self, source: int, element: Barrier) -> None:
        """A channel receives a barrier: its log ends there, and it is announced if it can time out."""
        barrier, buffer = self.wire.barrier(element)
        if self.logged:
            self.logged.barrier(source, buffer)
        if self.wire.announced(element):
            self.handler.processBarrierAnnouncement(barrier, element.id, self.infos[source])

    def _handle(self, found: _WaitingElement) -> None:
        """Hand an element to the handler; a record it does not see."""
        source, element, received, _ = found
        info = self.infos[source]
        if isinstance(element, Barrier):
            if not received:
                self.waiting.insert(0, _WaitingElement(source, element, received=True))
                self._received(source, element)
                return
            if self.wire.blocks(element):
                self.blocked.add(source)
            self.handler.processBarrier(self.wire.barrier(element)[0], info, False)
        elif isinstance(element, Cancel):
            self.handler.processCancellationBarrier(self.wire.cancellation(element.id), info)
        elif isinstance(element, EndOfInput):
            self.open -= 1
            self.effects.append(Effect("finished", input=source))
            self.handler.processEndOfPartition(info)
        else:
            if self.logged and not received:
                self.logged.record(source, element)
            self.effects.append(Effect("processed", input=source, record=element))

    # -- what the handler asks -----------------------------------------------------------------------------

    def trigger(self, checkpoint: int, alignment: str) -> None:
        """Note that the operator's state is recorded; whether all barriers came is asked after the event."""
        own = None if alignment == OF_MODE.get(self.mode, alignment) else alignment
        self.effects.append(Effect("triggered", id=checkpoint, alignment=own))
        self.promised.append((checkpoint, self.handler.getAllBarriersReceivedFuture(checkpoint)))

    def abort(self, checkpoint: int) -> None:
        """Note that a cancellation is sent."""
        self.effects.append(Effect("aborted", id=checkpoint))

    def resume(self, channel: int) -> None:
        """Let the sender of a channel go on."""
        self.blocked.discard(channel)

    def start(self, checkpoint: int) -> None:
        """Begin to log, with the records that each channel's queue has ahead of its barrier."""
        if self.logged:
            queues: list[list[Any]] = [[] for _ in self.infos]
            for each in self.waiting:
                if each.buffer is not None:
                    queues[each.source].append(each.buffer)
            self.logged.started(checkpoint, queues)

    def stop(self, checkpoint: int) -> None:
        """Let all channels stop logging for a checkpoint."""
        if self.logged:
            self.logged.stopped(checkpoint)

    def prioritise(self, channel: int, checkpoint: int) -> None:
        """Let a queued barrier overtake what is queued before it."""
        for each in self.waiting:
            of_it = isinstance(each.element, Barrier) and each.element.id == checkpoint
            if each.source == channel and each.received and of_it:
                self.slow.discard(channel)
                self.waiting.remove(each)
                self.urgent.append(each)
                return

    def set_timer(self, timer: Any) -> None:
        """Keep the handler's timer, to be fired by an event."""
        self.timer = timer
