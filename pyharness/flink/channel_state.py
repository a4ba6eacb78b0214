"""Real in-flight logs: Flink's ``ChannelStatePersister`` per channel, over real network buffers.

That class is private to its package, so it is reached by reflection. What it hands over is read by a
``ChannelStateWriter`` of ours, which only collects.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.flink.flink_classes import FlinkClasses
    from pyharness.protocols.applications.application import Value


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
    """What the input channels of one task hand over as in flight, checkpoint by checkpoint.

    Records are known to Flink by their number in the order in which they came. ``grown`` are the checkpoints whose logs
    grew since it was emptied.
    """

    def __init__(self, flink: FlinkClasses, infos: list[Any]) -> None:
        self._flink = flink
        self._reflected = _reflected(flink)
        self._records: list[Value] = []
        self._logs: dict[tuple[int, int], list[Value]] = {}
        self.grown: set[int] = set()
        writer = flink.jpype.JProxy(flink.Writer, inst=_Writer(self._records, self._logs, self.grown))
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
        """End to log."""
        for persister in self._persisters:
            self._reflected.stop.invoke(persister, checkpoint)


class _Writer:
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
