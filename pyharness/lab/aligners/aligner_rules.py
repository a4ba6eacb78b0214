"""The rules by which stream processors align the barriers of an operator's inputs, read from their sources.

Each class does what the named file does with records, barriers and ends, and nothing else of that system: whether a
sequence can come at all is its coordinator's affair, and the table says what happens if it does. The steps are those of
:class:`pyharness.hold.flink.operator_comparison.Handler`: ``("processed", input, record)``, ``("triggered", id)``,
``("completed", id)``, with the records in flight if there are any; an exception is an error that the code raises there.
"""

from __future__ import annotations

from collections import Counter, deque
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pyharness.machines.protocols.checkpoints.operator import Barrier, EndOfInput, Operator
from pyharness.machines.protocols.checkpoints.operator_drive import OperatorDriver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyharness.hold.flink.operator_comparison import Handler
    from pyharness.machines.protocols.applications.application import Value

Facts: TypeAlias = "Iterable[tuple[Any, ...]]"


class StopsError(Exception):
    """The system's own code stops with an error here."""


class Spec:
    """The spec's operator, which is Flink's handler but for the listed differences."""

    mode = "aligned"

    def __init__(self, inputs: int) -> None:
        self.driver = OperatorDriver(Operator(inputs, self.mode))
        self.number = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Spec:
        other = copy(self)
        other.driver = self.driver.copy()
        return other

    def take(self, source: int, element: Value) -> Facts:
        """Let the operator take it."""
        self.number += 1
        moment = self.driver.take(self.number, (source, element))
        for effect in moment.effects:
            match effect.kind:
                case "processed":
                    yield ("processed", effect.input, effect.record)
                case "triggered" | "aborted":
                    yield (effect.kind, effect.id)
                case "completed" if effect.id is not None:
                    yield ("completed", effect.id, moment.in_flight[effect.id])


class Unaligned(Spec):
    """Records at the first barrier, and logs what is in flight."""

    mode = "unaligned"


class AtLeastOnce(Spec):
    """Counts barriers, and blocks nothing."""

    mode = "at-least-once"


class Blocking:
    """Leaves what is behind a barrier in the input's queue until as many barriers came as there are inputs.

    Their numbers are not compared: barriers are never left out, and a new one begins when all have brought the last.
    """

    def __init__(self, inputs: int) -> None:
        self.inputs = range(inputs)
        self.queues: list[deque[Value]] = [deque() for _ in self.inputs]
        self.ended: set[int] = set()
        self.arrived: dict[int, int] = {}

    def take(self, source: int, element: Value) -> Facts:
        """Take what comes on an input, and whatever may go on after that."""
        self.queues[source].append(element)
        while (ready := next(filter(self.ready, self.inputs), None)) is not None:
            yield from self.handle(ready, self.queues[ready].popleft())

    def ready(self, source: int) -> bool:
        """Tell whether something waits on an input that is read now."""
        return bool(self.queues[source]) and source not in self.arrived

    def handle(self, source: int, element: Value) -> Facts:
        """Do what is to be done with the first element of an input."""
        if isinstance(element, EndOfInput):
            self.ended.add(source)
            yield from self.end(source)
        elif isinstance(element, Barrier):
            self.barrier(source, element.id)
            yield from self.aligned(element.id)
        else:
            yield ("processed", source, element)

    def barrier(self, source: int, number: int) -> None:
        """A barrier came."""
        self.arrived[source] = number

    def end(self, source: int) -> Facts:
        """An input has ended, which is noted and no more."""
        return ()

    def awaited(self) -> int:
        """How many barriers make a checkpoint."""
        return len(self.inputs)

    def aligned(self, number: int) -> Facts:
        """Record and go on with all inputs, if enough barriers came."""
        if len(self.arrived) == self.awaited():
            self.arrived.clear()
            yield from (("triggered", number), ("completed", number))


class RisingWave(Blocking):
    """A join: from the barrier of one input on only the other is read, and its next barrier is the checkpoint's."""

    def barrier(self, source: int, number: int) -> None:
        """It cannot be completed once the other input has ended."""
        if self.ended - {source}:
            raise StopsError("a barrier is received while the other input has ended")
        super().barrier(source, number)

    def end(self, source: int) -> Facts:
        """Nor while the other input's barrier waits."""
        if self.arrived:
            raise StopsError("an input is closed while the barrier of the other waits")
        return ()


class Jet(Blocking):
    """Queues that are done are no longer counted; the barriers of one snapshot must be equal."""

    def barrier(self, source: int, number: int) -> None:
        """Another one is no barrier of this snapshot: an assertion."""
        if any(other != number for other in self.arrived.values()):
            raise StopsError("the barriers of two snapshots at once")
        super().barrier(source, number)

    def end(self, source: int) -> Facts:
        """What was awaited of it is awaited no more."""
        waiting = set(self.arrived.values())
        self.arrived.pop(source, None)
        if self.arrived:
            yield from self.aligned(*waiting)

    def awaited(self) -> int:
        """One of each queue that is not done."""
        return len(self.inputs) - len(self.ended)


class JetAtLeastOnce(Jet):
    """The same with ``waitForAllBarriers`` false: a queue that has brought its barrier is read on."""

    def ready(self, source: int) -> bool:
        """Tell whether something waits."""
        return bool(self.queues[source])


class EKuiper:
    """Buffers rows behind a barrier, and lets barriers past them; a newer barrier begins anew, and the buffer stays."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.current = 0
        self.blocked: set[int] = set()
        self.buffer: list[tuple[int, Value]] = []

    def take(self, source: int, element: Value) -> Facts:
        """Take a row or a barrier."""
        if not isinstance(element, Barrier):
            if source in self.blocked:
                self.buffer.append((source, element))
            else:
                yield ("processed", source, element)
            return
        if element.id < self.current or (element.id == self.current and not self.blocked):
            return
        if element.id > self.current:
            self.blocked.clear()
            self.current = element.id
        self.blocked.add(source)
        if len(self.blocked) == self.inputs:
            yield from (("triggered", element.id), ("completed", element.id))
            yield from (("processed", *row) for row in self.buffer)
            self.blocked.clear()
            self.buffer.clear()


class EKuiperTracker:
    """Counts the barriers of each checkpoint, and forgets the older ones when one is whole."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.pending: Counter[int] = Counter()

    def take(self, source: int, element: Value) -> Facts:
        """Take a row or a barrier."""
        if not isinstance(element, Barrier):
            yield ("processed", source, element)
            return
        self.pending[element.id] += 1
        if self.pending[element.id] == self.inputs:
            yield from (("triggered", element.id), ("completed", element.id))
            self.pending = Counter({n: count for n, count in self.pending.items() if n > element.id})


class LaminarDB:
    """Buffers events behind a barrier and takes barriers at once, whatever checkpoint the others were of."""

    def __init__(self, inputs: int) -> None:
        self.buffers: list[list[Value]] = [[] for _ in range(inputs)]
        self.received: set[int] = set()

    def take(self, source: int, element: Value) -> Facts:
        """Take an event or a barrier."""
        if isinstance(element, Barrier):
            self.received.add(source)
            if len(self.received) == len(self.buffers):
                yield from (("triggered", element.id), ("completed", element.id))
                self.received.clear()
                yield from self._drained()
        elif source in self.received:
            self.buffers[source].append(element)
        else:
            yield ("processed", source, element)

    def _drained(self) -> Iterator[tuple[Any, ...]]:
        for source, events in enumerate(self.buffers):
            yield from (("processed", source, event) for event in events)
            events.clear()


@dataclass(frozen=True)
class Rule:
    """A system's rule: its ``name``, the ``file`` that was read with its ``version``, and what does the same.

    ``exact`` is whether it promises that a checkpoint has each record once, not only that none is lost; ``overtakes``
    whether barriers may overtake records. ``ends`` and ``cancels`` are whether it knows of inputs that end and of
    checkpoints that are cancelled.
    """

    name: str
    file: str
    version: str
    handler: Callable[[int], Handler]
    exact: bool = True
    overtakes: bool = False
    ends: bool = True
    cancels: bool = False


_JET = "hazelcast/hazelcast, jet/impl/execution/ConcurrentInboundEdgeStream.java"
_EKUIPER = "lf-edge/ekuiper, internal/topo/checkpoint/barrier_handler.go"
_FLINK = "the spec; held against Flink's handlers by `pyharness hold flink`"

RULES = (
    Rule("Flink, aligned", _FLINK, "2.3.0", Spec, cancels=True),
    Rule("Flink, unaligned", _FLINK, "2.3.0", Unaligned, overtakes=True, cancels=True),
    Rule("Flink, at-least-once", _FLINK, "2.3.0", AtLeastOnce, exact=False, cancels=True),
    Rule(
        "RisingWave",
        "risingwavelabs/risingwave, src/stream/src/executor/barrier_align.rs",
        "006dc62",
        RisingWave,
    ),
    Rule("Arroyo", "ArroyoSystems/arroyo, crates/arroyo-operator/src/operator.rs", "3967ddb", Blocking),
    Rule("Hazelcast Jet, exactly-once", _JET, "03185c4", Jet),
    Rule("Hazelcast Jet, at-least-once", _JET, "03185c4", JetAtLeastOnce, exact=False),
    Rule("eKuiper, QoS 2", _EKUIPER, "0637499", EKuiper, ends=False),
    Rule("eKuiper, QoS 1", _EKUIPER, "0637499", EKuiperTracker, exact=False, ends=False),
    Rule(
        "LaminarDB",
        "laminardb/laminardb, crates/laminar-core/src/checkpoint/alignment.rs",
        "e44377f",
        LaminarDB,
        ends=False,
    ),
)
"""The rules, in the order of the table."""
