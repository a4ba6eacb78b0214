"""A keyed word count with checkpoints by barriers: sources that can be replayed, operators, sinks that count and write.

A word is a number from 1 to 64; which one is a source's n-th follows from the seed, the source and n, so that a source
that goes back to an offset emits the same again. A word goes to one of several outputs by its number. A sink writes a
line for each record; what it has written behind a snapshot is cut off when that is restored.

A channel has room for ``window`` records; barriers need none. An operator takes a record only when it can pass it on.
"""

from __future__ import annotations

import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import DriverError, PeerError
from pyharness.lab.runtime.vertex import Compared, Vertex
from pyharness.machines.protocols import OPERATOR_MUTANTS, Barrier, Operator

if TYPE_CHECKING:
    from pyharness.lab.runtime.frames import Frame
    from pyharness.lab.runtime.vertex import Start
    from pyharness.machines.protocols import Handled

BARRIER_MODES: Final = {
    "AlignedBarriers": "aligned",
    "UnalignedBarriers": "unaligned",
    "AtLeastOnceBarriers": "at-least-once",
}
"""The operator's mode by the protocol's name."""

WORDS: Final = 64

MOST_OFFSET: Final = 10**7
"""The number of records of a source, which emits no more then: a snapshot holds no larger offset."""


def word_of(seed: int, source: int, number: int) -> int:
    """Return a source's n-th word, n from 1."""
    return 1 + zlib.crc32(f"{seed}.{source}.{number}".encode()) % WORDS


class DataflowVertex(Vertex):
    """A source if it has no inputs, a sink if it has no outputs, else an operator that passes records on.

    A record is ``(source, number, word)``. ``offset`` counts what a source has emitted, ``counts`` the words that a
    sink has taken, ``size`` the bytes that it has written, and ``checksum`` their CRC-32. The state that the log tells
    is the sum of the words taken, less those sent: with what is on the way it is always nothing.
    """

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        mode = BARRIER_MODES[start.protocol]
        right = Operator(len(self.inputs), mode, first=1)
        self.operator: Any = right
        if start.bug:
            self.operator = Compared(OPERATOR_MUTANTS[start.bug](len(self.inputs), mode, first=1), right)
        self.state = right.initial()
        self.overtakes = mode == "unaligned"
        began = start.part["state"] if start.part else {}
        self._total: int = began.get("total", 0)
        self.offset: int = began.get("offset", 0)
        self.size: int = began.get("bytes", 0)
        self.checksum: int = began.get("crc", 0)
        self.counts = Counter({int(word): count for word, count in began.get("counts", {}).items()})
        self.credited = [0] * len(self.outputs)
        self._credits = [0] * len(self.inputs)
        self._recorded: dict[int, tuple[int, dict[str, Any]]] = {}

    @property
    def total(self) -> int:
        """The sum of the words taken, less those sent."""
        return self._total

    @property
    def effects(self) -> int:
        """How often the operator's bug made a difference."""
        return self.operator.effects if isinstance(self.operator, Compared) else 0

    def header(self) -> dict[str, Any]:
        """Return what is conserved."""
        return {"sum": 0}

    def told(self, value: Any) -> int:
        """The word."""
        word: int = value[2]
        return word

    def value(self, said: Any) -> Any:
        """Return a record. Raises PeerError for what is none."""
        if not isinstance(said, list):
            raise PeerError(f"{said!r} is no record", where=self.at())
        return tuple(said)

    def element(self, frame: Frame) -> Any:
        """Take barriers."""
        if frame[0] != "b":
            raise PeerError(f"a frame {frame[0]!r}", where=self.at())
        return Barrier(frame[1])

    def credit(self, index: int, frame: Frame) -> None:
        """Note how many records the target of an output has taken. Raises PeerError for what cannot be."""
        if frame[0] != "c" or not self.credited[index] <= frame[1] <= self.sent[index]:
            raise PeerError(f"{frame!r} comes back", where=self.at(self.outputs[index]))
        self.credited[index] = frame[1]

    def new_credits(self) -> list[tuple[int, int]]:
        """Return the inputs from which records were taken since this was asked, each with how many were in all."""
        new = [(index, got) for index, got in enumerate(self.got) if got > self._credits[index]]
        self._credits = list(self.got)
        return new

    def obey(self, command: dict[str, Any]) -> dict[str, Any]:
        """Begin a checkpoint, if it is a source."""
        if self.inputs:
            return {"begun": False}
        self._record(command["id"])
        self._done(command["id"], [])
        return {"begun": True}

    def ended(self) -> dict[str, Any]:
        """Return how far a source has come, or what a sink has counted."""
        return {"state": self._snapshot()}

    # -- turns ---------------------------------------------------------------------------------------------

    def turn(self) -> bool:
        """Emit a record, or take an element that one of the inputs has and the operator takes."""
        if not self.inputs:
            return not self.draining and self.offset < MOST_OFFSET and self._emit()
        if self.overtakes and any(map(self._overtake, range(len(self.inputs)))):
            return True
        full = [index for index, queue in enumerate(self.waiting) if queue]
        self.random.shuffle(full)
        return any(self._take(index) for index in full)

    def _emit(self) -> bool:
        record = (self.process, self.offset + 1, word_of(self.start.seed, self.process, self.offset + 1))
        if not self._room(record):
            return False
        self.offset += 1
        self._pass_on(record)
        return True

    def _output(self, record: tuple[int, int, int]) -> int:
        return record[2] % len(self.outputs)

    def _room(self, record: tuple[int, int, int]) -> bool:
        index = self._output(record)
        return self.sent[index] - self.credited[index] < self.start.window

    def _pass_on(self, record: tuple[int, int, int]) -> None:
        self._total -= record[2]
        self.put(self._output(record), record)

    def _take(self, index: int) -> bool:
        element = self.waiting[index][0]
        if isinstance(element, Barrier):
            handled = self.operator.handle(self.state, index, element)
            if handled is not None:
                self.waiting[index].popleft()
                self.say_control("barrier", self.inputs[index], str(element.id))
                self._follow(handled)
            return handled is not None
        record = element[1]
        if self.outputs and not self._room(record):
            return False
        handled = self.operator.handle(self.state, index, record)
        if handled is None:
            return False
        self.waiting[index].popleft()
        self._follow(handled, index, record)
        return True

    def _overtake(self, index: int) -> bool:
        queue = self.waiting[index]
        place = next((at for at, element in enumerate(queue) if isinstance(element, Barrier)), 0)
        if not place:
            return False
        records = tuple(element[1] for _, element in zip(range(place), queue, strict=False))
        handled = self.operator.overtake(self.state, index, queue[place], records)
        if handled is None:
            return False
        self.say_control("barrier", self.inputs[index], str(queue[place].id))
        del queue[place]
        self._follow(handled)
        return True

    def _follow(self, handled: Handled, index: int = -1, record: Any = None) -> None:
        """Do what the operator says, in its order."""
        self.state = handled.state
        if handled.processed:
            self._total += record[2]
            self.has_taken(index, record)
            if self.outputs:
                self._pass_on(record)
            else:
                self._count(record)
        if handled.aborted:
            raise DriverError(
                f"checkpoint {handled.aborted[0]} is aborted, and there is one at a time", where=self.at()
            )
        for checkpoint in handled.triggered:
            self._record(checkpoint)
        for pending in handled.completed:
            self._done(pending.id, [list(log) for log in pending.log])

    def _count(self, record: tuple[int, int, int]) -> None:
        self.counts[record[2]] += 1
        line = f"[{record[0]},{record[1]},{record[2]},{self.counts[record[2]]}]\n"
        self.size += len(line)
        self.checksum = zlib.crc32(line.encode(), self.checksum)
        self.written.append(line)

    # -- checkpoints ---------------------------------------------------------------------------------------

    def _snapshot(self) -> dict[str, Any]:
        state: dict[str, Any] = {"total": self._total}
        if not self.inputs:
            state["offset"] = self.offset
        if not self.outputs:
            state |= {
                "counts": {str(word): self.counts[word] for word in sorted(self.counts)},
                "bytes": self.size,
                "crc": self.checksum,
            }
        return state

    def _record(self, checkpoint: int) -> None:
        name = str(checkpoint)
        self._recorded[checkpoint] = (self._total, self._snapshot())
        self.say_of("record", name, self._total)
        for index, channel in enumerate(self.outputs):
            self.frames[index].append(["b", checkpoint])
            self.say_control("barrier-out", channel, name)

    def _done(self, checkpoint: int, chans: list[list[Any]]) -> None:
        if checkpoint not in self._recorded:
            raise DriverError(
                f"checkpoint {checkpoint} is complete, and nothing was recorded", where=self.at()
            )
        total, state = self._recorded.pop(checkpoint)
        self.done(str(checkpoint), total, {"state": state, "owed": 0}, chans)
