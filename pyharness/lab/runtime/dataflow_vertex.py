"""A keyed word count with checkpoints by barriers: sources that emit words, operators, sinks that count them.

A word is a number from 1 to 64, and goes to one of several outputs by its number.

A channel has room for ``window`` records; barriers need none. An operator takes a record only when it can pass it on.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import DriverError, PeerError
from pyharness.lab.runtime.vertex import Compared, Vertex
from pyharness.machines.protocols import OPERATOR_MUTANTS, Barrier, Operator

if TYPE_CHECKING:
    from pyharness.lab.runtime.vertex import Frame, Start
    from pyharness.machines.protocols import Handled

BARRIER_MODES: Final = {
    "AlignedBarriers": "aligned",
    "UnalignedBarriers": "unaligned",
    "AtLeastOnceBarriers": "at-least-once",
}
"""The operator's mode by the protocol's name."""

_WORDS: Final = 64


class DataflowVertex(Vertex):
    """A source if it has no inputs, a sink if it has no outputs, else an operator that passes records on.

    A record is a word. ``counts`` has the words that a sink has taken, and below zero those that a source has emitted.
    The state in the log is the sum of the words taken, less those sent: with what is on the way it is always
    nothing.
    """

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        mode = BARRIER_MODES[start.protocol]
        right = Operator(len(self.inputs), mode, first=1)
        self.machine = right
        if start.bug:
            self.machine = Compared(OPERATOR_MUTANTS[start.bug](len(self.inputs), mode, first=1), right)
        self.state = right.initial()
        self.overtakes = mode == "unaligned"
        self._total = 0
        self.counts = Counter[str]()
        self.credited = [0] * len(self.outputs)
        self._credits = [0] * len(self.inputs)
        self._recorded: dict[int, tuple[int, dict[str, int]]] = {}

    @property
    def total(self) -> int:
        """The sum of the words taken, less those sent."""
        return self._total

    def header(self) -> dict[str, Any]:
        """Return what is conserved."""
        return {"sum": 0}

    def worth(self, value: int) -> dict[str, int]:
        """Return the word, once."""
        return {str(value): 1}

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

    def holds(self) -> dict[str, int]:
        """Return the words that a sink has counted, or below zero those that a source has emitted."""
        return self.counts

    # -- turns ---------------------------------------------------------------------------------------------

    def turn(self) -> bool:
        """Emit a record, or take an element that one of the inputs has and the operator takes."""
        if not self.inputs:
            return not self.draining and self._emit()
        if self.overtakes and any(map(self._overtake, range(len(self.inputs)))):
            return True
        full = [index for index, queue in enumerate(self.waiting) if queue]
        self.random.shuffle(full)
        return any(self._take(index) for index in full)

    def _emit(self) -> bool:
        word = self.random.randint(1, _WORDS)
        if not self._room(word):
            return False
        self.counts[str(word)] -= 1
        self._pass_on(word)
        return True

    def _output(self, word: int) -> int:
        return word % len(self.outputs)

    def _room(self, word: int) -> bool:
        index = self._output(word)
        return self.sent[index] - self.credited[index] < self.start.window

    def _pass_on(self, word: int) -> None:
        self._total -= word
        self.put(self._output(word), word)

    def _take(self, index: int) -> bool:
        element = self.waiting[index][0]
        if isinstance(element, Barrier):
            handled = self.machine.handle(self.state, index, element)
            if handled is not None:
                self.waiting[index].popleft()
                self.note_control("barrier", self.inputs[index], str(element.id))
                self._follow(handled)
            return handled is not None
        record = element[1]
        if self.outputs and not self._room(record):
            return False
        handled = self.machine.handle(self.state, index, record)
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
        handled = self.machine.overtake(self.state, index, queue[place], records)
        if handled is None:
            return False
        self.note_control("barrier", self.inputs[index], str(queue[place].id))
        del queue[place]
        self._follow(handled)
        return True

    def _follow(self, handled: Handled, index: int = -1, record: Any = None) -> None:
        """Carry out the operator's effects, in their order."""
        self.state = handled.state
        if handled.processed:
            self._total += record
            self.has_taken(index, record)
            if self.outputs:
                self._pass_on(record)
            else:
                self.counts[str(record)] += 1
        if handled.aborted:
            raise DriverError(
                f"checkpoint {handled.aborted[0]} is aborted, and there is one at a time", where=self.at()
            )
        for checkpoint in handled.triggered:
            self._record(checkpoint)
        for pending in handled.completed:
            self._done(pending.id, [list(log) for log in pending.log])

    # -- checkpoints ---------------------------------------------------------------------------------------

    def _record(self, checkpoint: int) -> None:
        name = str(checkpoint)
        self._recorded[checkpoint] = (self._total, dict(self.counts))
        self.note_of("record", name, self._total)
        for index, channel in enumerate(self.outputs):
            self.frames[index].append(["b", checkpoint])
            self.note_control("barrier-out", channel, name)

    def _done(self, checkpoint: int, chans: list[list[Any]]) -> None:
        if checkpoint not in self._recorded:
            raise DriverError(
                f"checkpoint {checkpoint} is complete, and nothing was recorded", where=self.at()
            )
        total, counts = self._recorded.pop(checkpoint)
        self.done(str(checkpoint), total, counts, chans)
