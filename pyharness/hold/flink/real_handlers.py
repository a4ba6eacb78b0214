"""Flink's barrier handlers, made as a task makes them, and their input."""

from __future__ import annotations

import weakref
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pyharness.base.errors import SpecError
from pyharness.machines.protocols.checkpoints.operator import OF_MODE

if TYPE_CHECKING:
    from pyharness.hold.flink.flink_classes import FlinkClasses
    from pyharness.machines.protocols.checkpoints.operator import Barrier

FLINK_MODES = ("aligned", "unaligned", "timeout", "at-least-once")
"""The modes of an operator that Flink has a handler for: all but the cyclic one, which it never had."""

HANDLER_NAMES = {
    "aligned": "SingleCheckpointBarrierHandler.aligned",
    "unaligned": "SingleCheckpointBarrierHandler.alternating",
    "timeout": "SingleCheckpointBarrierHandler.alternating",
    "at-least-once": "CheckpointBarrierTracker",
}
"""The factory that a job runs in each mode."""

_TIMEOUT = 1000
"""Milliseconds after which an alignment may time out; no time passes but by the event."""


class HandlerTask(Protocol):
    """A handler's requests to the task that it is in; channels and checkpoints are numbers."""

    def trigger(self, checkpoint: int, alignment: str) -> None:
        """Record the operator's state, and send the barrier, aligned so."""

    def abort(self, checkpoint: int) -> None:
        """Send the cancellation."""

    def resume(self, channel: int) -> None:
        """Let the sender of a channel go on."""

    def start(self, checkpoint: int) -> None:
        """Begin to log what is in flight."""

    def stop(self, checkpoint: int) -> None:
        """Stop logging for a checkpoint."""

    def prioritise(self, channel: int, checkpoint: int) -> None:
        """Let an announced barrier overtake what is queued before it."""

    def set_timer(self, timer: Any) -> None:
        """Keep the callback for an alignment that takes too long; ``None`` removes it."""


def make_handler(
    flink: FlinkClasses, task: HandlerTask, channels: int, mode: str, *, after_ends: bool = True
) -> Any:
    """Make the handler of a mode of :data:`FLINK_MODES`, with ``channels`` input channels.

    Checkpoints go on after inputs have finished, which is Flink's default.
    """
    proxy = flink.jpype.JProxy
    own = proxy(flink.Task, inst=_Task(task))
    if mode == "at-least-once":
        return flink.Tracker(channels, own, flink.Clock(), after_ends)
    coordinator = proxy(flink.Coordinator, inst=_Coordinator())
    timer = proxy(flink.Timer, inst=_Timer(flink, task))
    gate = _array_of_inputs(flink)([proxy(flink.Input, inst=_Gate(flink, task, channels))])
    if mode == "aligned":
        return flink.Single.aligned("task", own, flink.Clock(), channels, timer, after_ends, gate)
    if mode not in HANDLER_NAMES:
        raise SpecError(f"no handler for mode {mode!r}", hint=f"there are {', '.join(FLINK_MODES)}")
    return flink.Single.alternating(
        "task", own, coordinator, flink.Clock(), channels, timer, after_ends, gate
    )


@cache
def _array_of_inputs(flink: FlinkClasses) -> Any:
    return flink.jpype.JArray(flink.Input)


@cache
def channel_infos(flink: FlinkClasses, channels: int) -> Any:
    """Return the list of the channels of one gate, which never changes."""
    infos = flink.List()
    for channel in range(channels):
        infos.add(flink.Channel(0, channel))
    return infos


class Wire(NamedTuple):
    """The events for the handlers in one mode, in Flink's own classes. A barrier has its own alignment or the mode's."""

    flink: FlinkClasses
    mode: str

    def alignment(self, barrier: Barrier) -> str:
        """Return how a barrier is aligned."""
        return barrier.alignment or OF_MODE.get(self.mode, self.mode)

    def blocks(self, barrier: Barrier) -> bool:
        """Return whether its sender waits after it."""
        return self.alignment(barrier) in {"aligned", "timeoutable"}

    def announced(self, barrier: Barrier) -> bool:
        """Return whether a channel that receives it announces it."""
        return self.alignment(barrier) == "timeoutable"

    def overtakes(self, barrier: Barrier) -> bool:
        """Return whether it comes ahead of queued elements by itself."""
        return self.alignment(barrier) == "unaligned"

    def barrier(self, barrier: Barrier) -> tuple[Any, Any]:
        """Return Flink's barrier, and the buffer that it comes in."""
        return _barrier(self.flink, self.alignment(barrier), barrier.id)

    def cancellation(self, number: int) -> Any:
        """Return a cancellation."""
        return _cancellation(self.flink, number)


@cache
def _cancellation(flink: FlinkClasses, number: int) -> Any:
    return flink.Cancellation(number)


@cache
def _barrier(flink: FlinkClasses, alignment: str, number: int) -> tuple[Any, Any]:
    kind, place = flink.CheckpointType.CHECKPOINT, flink.Location.getDefault()
    options = {
        "aligned": lambda: flink.Options.alignedNoTimeout(kind, place),
        "unaligned": lambda: flink.Options.unaligned(kind, place),
        "timeoutable": lambda: flink.Options.alignedWithTimeout(kind, place, _TIMEOUT),
        "at-least-once": lambda: flink.Options.notExactlyOnce(kind, place),
    }[alignment]()
    barrier = flink.Barrier(number, 0, options)
    return barrier, flink.Events.toBuffer(barrier, alignment == "unaligned")


class _Called:
    """The object that a handler calls: it does not keep its task alive.

    The task holds its handler, and that, inside Java, these: a circle through both machines, which neither would
    collect.
    """

    def __init__(self, task: HandlerTask) -> None:
        self._weak = weakref.ref(task)

    @property
    def _task(self) -> HandlerTask:
        task = self._weak()
        if task is None:
            raise RuntimeError("a handler calls a task that is gone")
        return task


class _Task(_Called):
    """Implements CheckpointableTask, as far as a handler calls it."""

    def triggerCheckpointOnBarrier(self, meta: Any, options: Any, metrics: Any) -> None:  # noqa: N802
        timeoutable = "timeoutable" if options.isTimeoutable() else "aligned"
        alignment = "unaligned" if options.isUnalignedCheckpoint() else timeoutable
        self._task.trigger(int(meta.getCheckpointId()), alignment)

    def abortCheckpointOnBarrier(self, checkpoint: int, cause: Any) -> None:  # noqa: N802
        self._task.abort(int(checkpoint))


class _Coordinator:
    """Implements SubtaskCheckpointCoordinator: the call to begin writing adds nothing to the logs."""

    def initInputsCheckpoint(self, checkpoint: int, options: Any) -> None:  # noqa: N802
        pass


class _Timer(_Called):
    """Implements DelayableTimer; it fires by an event alone."""

    def __init__(self, flink: FlinkClasses, task: HandlerTask) -> None:
        super().__init__(task)
        self._flink = flink

    def registerTask(self, callback: Any, delay: Any) -> Any:  # noqa: N802
        self._task.set_timer(callback)
        return self._flink.jpype.JProxy(self._flink.Cancellable, inst=self)

    def cancel(self) -> None:
        self._task.set_timer(None)


class _Gate(_Called):
    """Implements CheckpointableInput: one gate with all channels of the task."""

    def __init__(self, flink: FlinkClasses, task: HandlerTask, channels: int) -> None:
        super().__init__(task)
        self._channels = channels
        self._infos = channel_infos(flink, channels)

    def blockConsumption(self, info: Any) -> None:  # noqa: N802
        """Do nothing: over a network, it is the sender that waits."""

    def resumeConsumption(self, info: Any) -> None:  # noqa: N802
        self._task.resume(int(info.getInputChannelIdx()))

    def getChannelInfos(self) -> Any:  # noqa: N802
        return self._infos

    def getNumberOfInputChannels(self) -> int:  # noqa: N802
        return self._channels

    def getInputGateIndex(self) -> int:  # noqa: N802
        return 0

    def checkpointStarted(self, barrier: Any) -> None:  # noqa: N802
        self._task.start(int(barrier.getId()))

    def checkpointStopped(self, checkpoint: int) -> None:  # noqa: N802
        self._task.stop(int(checkpoint))

    def convertToPriorityEvent(self, channel: int, sequence: int) -> None:  # noqa: N802
        self._task.prioritise(int(channel), int(sequence))
