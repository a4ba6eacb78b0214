"""A vertex of a running system, without I/O: its inputs, its outputs and their times, and the lines of its log.

Its driver hands in frames and commands, calls :meth:`Vertex.turn` while that does something, and then writes what has
gathered, in this order: ``lines`` to the log, ``frames`` to the channels, ``answers`` to the parent. So a log has
all that anybody else can have heard of, wherever the process is killed.

A frame is a line of JSON on a channel:

========================  ==================================================
``["m", number, value]``  a message, numbered on its channel from 1
``["k", p, number]``      a marker of a snapshot, the number-th of process p
``["b", id]``             a barrier of a checkpoint
``["c", number]``         back to the sender: the number of messages that were taken
========================  ==================================================
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter, deque
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from pyharness.base.errors import PeerError, ProtocolError
from pyharness.base.topology import parse_topology
from pyharness.hold.logs.log_events import FORMAT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.machines.protocols import Channel


Frame: TypeAlias = "list[Any]"


class Compared:
    """Answers as ``machine`` does, and counts in ``effects`` the answers that ``right`` would not have given.

    Both are asked about the same state, which is handed in.
    """

    def __init__(self, machine: Any, right: Any) -> None:
        self._machine, self._right = machine, right
        self.effects = 0

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._machine, name)
        if not callable(asked):
            return asked

        def answer(*arguments: Any) -> Any:
            came = asked(*arguments)
            try:
                differs = came != getattr(self._right, name)(*arguments)
            except ProtocolError:
                differs = True
            self.effects += differs
            return came

        return answer


@dataclass(frozen=True)
class Start:
    """With what a vertex begins: all of it is JSON.

    ``topology`` is in the notation of one line, ``protocol`` one of those that logs know, ``bug`` a seeded one or
    ``""``; ``window`` bounds the messages on the way.
    """

    process: int
    topology: str
    protocol: str
    seed: int
    window: int
    bug: str = ""


class Vertex(ABC):
    """The common part of vertices of all protocols. ``total`` is the state in the log."""

    machine: Any

    def __init__(self, start: Start) -> None:
        self.start, self.process = start, start.process
        self.topology = parse_topology(start.topology)
        self.inputs = self.topology.inputs(self.process)
        self.outputs = self.topology.outputs(self.process)
        self.random = Random(f"{start.seed}.{start.process}")  # noqa: S311 - a workload
        self.waiting: list[deque[Any]] = [deque() for _ in self.inputs]
        self.sent = [0] * len(self.outputs)
        self.came, self.got = [0] * len(self.inputs), [0] * len(self.inputs)
        self.draining = False
        self.lines: list[str] = []
        self.frames: list[list[Frame]] = [[] for _ in self.outputs]
        self.answers: list[dict[str, Any]] = []
        self._names = {c: f"[{c[0]},{c[1]}]" for c in (*self.inputs, *self.outputs)}

    @property
    @abstractmethod
    def total(self) -> int:
        """The state in the log: with all messages, it adds up to the total of the run."""

    @property
    def effects(self) -> int:
        """How often a seeded bug made a difference."""
        return self.machine.effects if isinstance(self.machine, Compared) else 0

    @abstractmethod
    def turn(self) -> bool:
        """Take one element, or send one message; return whether there was anything to do."""

    @abstractmethod
    def element(self, frame: Frame) -> Any:
        """Return the control message of a frame that is not a message. Raises PeerError if the machine takes none such."""

    @abstractmethod
    def holds(self) -> Mapping[str, int]:
        """Return how much more than in the beginning its state has, of all that a snapshot conserves."""

    @abstractmethod
    def worth(self, value: int) -> dict[str, int]:
        """Return how much of what a snapshot conserves there is in a message."""

    @abstractmethod
    def obey(self, command: dict[str, Any]) -> dict[str, Any]:
        """Do what the parent asks of this protocol, and return the answer."""

    # -- what comes ----------------------------------------------------------------------------------------

    def receive(self, index: int, frame: Frame) -> None:
        """Put what came on an input behind what waits there. Raises PeerError for what cannot come next."""
        if frame[0] != "m":
            self.waiting[index].append(self.element(frame))
            return
        self.came[index] += 1
        if frame[1] != self.came[index]:
            raise PeerError(
                f"message {frame[1]} comes, and {self.came[index]} is next", where=self.at(self.inputs[index])
            )
        self.waiting[index].append(("m", frame[2]))

    def command(self, command: dict[str, Any]) -> None:
        """Do what the parent asks, and answer."""
        answer: dict[str, Any]
        match command["t"]:
            case "poll":
                answer = {"sent": sum(self.sent), "got": sum(self.got)}
            case "drain":
                self.draining = True
                answer = {}
            case "end":
                self.note('{"e":"end"}')
                answer = {"effects": self.effects, "sent": sum(self.sent), "held": self.holds()}
            case _:
                answer = self.obey(command)
        self.answers.append({"t": "answer", **answer})

    # -- the log ------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Write the log's header."""
        header = {
            "format": FORMAT,
            "process": self.process,
            "protocol": self.start.protocol,
            "channels": [list(channel) for channel in self.topology.channels],
            "state": self.total,
            **self.header(),
        }
        self.note(json.dumps(header))

    def header(self) -> dict[str, Any]:
        """Return the further fields of the log's header."""
        return {}

    def note(self, line: str) -> None:
        """Add a line to the log."""
        self.lines.append(f"{line}\n")

    def put(self, index: int, value: int) -> None:
        """Send a message on an output, which the machine has agreed to."""
        self.sent[index] += 1
        self.frames[index].append(["m", self.sent[index], value])
        name = self._names[self.outputs[index]]
        self.note(f'{{"e":"send","c":{name},"m":{self.sent[index]},"d":{value},"s":{self.total}}}')

    def has_taken(self, index: int, value: int) -> None:
        """Note that the machine has taken a message from an input."""
        self.got[index] += 1
        name = self._names[self.inputs[index]]
        self.note(f'{{"e":"receive","c":{name},"m":{self.got[index]},"d":{value},"s":{self.total}}}')

    def note_control(self, kind: str, channel: Channel, snapshot: str) -> None:
        """Log that a marker or a barrier was taken from a channel, or put there."""
        self.note(f'{{"e":"{kind}","c":{self._names[channel]},"id":"{snapshot}"}}')

    def note_of(self, kind: str, snapshot: str, total: int | None = None) -> None:
        """Log that it records, with the state, or pauses or resumes, for a snapshot."""
        state = "" if total is None else f',"s":{total}'
        self.note(f'{{"e":"{kind}","id":"{snapshot}"{state}}}')

    def done(self, snapshot: str, total: int, held: Mapping[str, int], chans: list[list[int]]) -> None:
        """Log that its part of a snapshot is complete, and send the part to the parent.

        ``held`` counts what the state has more than in the beginning, of all that a snapshot conserves; the messages
        in ``chans``, by input, are counted beside it.
        """
        recorded = json.dumps([[list(c), values] for c, values in zip(self.inputs, chans, strict=True)])
        self.note(f'{{"e":"done","id":"{snapshot}","s":{total},"chans":{recorded}}}')
        counted, messages = Counter(held), [value for values in chans for value in values]
        for value in messages:
            counted.update(self.worth(value))
        self.answers.append({"t": "part", "id": snapshot, "in_flight": len(messages), "held": counted})

    def at(self, channel: Channel | None = None) -> str:
        """Name the place of an error."""
        place = f"process {self.process}"
        return f"{place}, channel {channel[0]}->{channel[1]}" if channel else place
