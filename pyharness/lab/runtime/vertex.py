"""A vertex of a running system, without I/O: what has come, what goes out and when, what its log says of it.

Whoever drives it hands in frames and commands, calls :meth:`Vertex.turn` while that does something, and then writes
what has gathered, in this order: ``lines`` to the log, ``written`` to the output file, ``frames`` to the channels,
``answers`` to the parent. So a log tells of all that anybody else can have heard of, wherever the process is killed.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import asdict, dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import PeerError, ProtocolError
from pyharness.base.topology import parse_topology
from pyharness.hold.logs.log_events import FORMAT

if TYPE_CHECKING:
    from pyharness.lab.runtime.frames import Frame
    from pyharness.machines.protocols import Channel


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


MOST_WAITING: Final = 100_000
"""The most frames that wait on an input: more come only from a peer that does not keep to what was agreed."""


@dataclass(frozen=True)
class Start:
    """With what a vertex begins: all of it is JSON.

    ``topology`` is in the notation of one line, ``protocol`` one of those that logs know, ``bug`` a seeded one or
    ``""``; ``window`` bounds the messages on the way. ``part`` is its part of the snapshot that is restored, and ``sent``
    how many messages begin in each of its outputs, ``snapshot`` the id of that snapshot.
    """

    process: int
    topology: str
    protocol: str
    seed: int
    window: int
    incarnation: int = 1
    bug: str = ""
    part: dict[str, Any] | None = None
    sent: list[int] = field(default_factory=list)
    snapshot: str = ""

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


class Vertex(ABC):
    """What vertices of all protocols have in common. ``total`` is the state that the log tells."""

    def __init__(self, start: Start) -> None:
        self.start, self.process = start, start.process
        self.topology = parse_topology(start.topology)
        self.inputs = self.topology.inputs(self.process)
        self.outputs = self.topology.outputs(self.process)
        self.random = Random(f"{start.seed}.{start.incarnation}.{start.process}")  # noqa: S311 - a workload
        self.waiting: list[deque[Any]] = [deque() for _ in self.inputs]
        self.sent = list(start.sent) or [0] * len(self.outputs)
        self.came, self.got = [0] * len(self.inputs), [0] * len(self.inputs)
        for channel, values in start.part["chans"] if start.part is not None else ():
            index = self.inputs.index(tuple(channel))  # ahead of all that comes
            self.waiting[index].extend(("m", self.value(value)) for value in values)
            self.came[index] = len(values)
        self.draining = False
        self.lines: list[str] = []
        self.written: list[str] = []
        self.frames: list[list[Frame]] = [[] for _ in self.outputs]
        self.answers: list[dict[str, Any]] = []
        self._names = {c: f"[{c[0]},{c[1]}]" for c in (*self.inputs, *self.outputs)}

    @property
    @abstractmethod
    def total(self) -> int:
        """The state that the log tells: with all messages, it adds up to what there is."""

    @property
    def effects(self) -> int:
        """How often a seeded bug made a difference."""
        return 0

    @abstractmethod
    def turn(self) -> bool:
        """Take one element, or send one message; return whether there was anything to do."""

    @abstractmethod
    def element(self, frame: Frame) -> Any:
        """Return what the machine takes for a frame that is no message. Raises PeerError if it takes none such."""

    @abstractmethod
    def obey(self, command: dict[str, Any]) -> dict[str, Any]:
        """Do what the parent asks of this protocol, and return the answer."""

    @abstractmethod
    def told(self, value: Any) -> int:
        """Return what the log says that a message carries."""

    # -- what comes ----------------------------------------------------------------------------------------

    def receive(self, index: int, frame: Frame) -> None:
        """Put what came on an input behind what waits there. Raises PeerError for what cannot come next."""
        if len(self.waiting[index]) >= MOST_WAITING:
            raise PeerError(f"more than {MOST_WAITING} frames wait", where=self.at(self.inputs[index]))
        if frame[0] != "m":
            self.waiting[index].append(self.element(frame))
            return
        self.came[index] += 1
        if frame[1] != self.came[index]:
            raise PeerError(
                f"message {frame[1]} comes, and {self.came[index]} is next", where=self.at(self.inputs[index])
            )
        self.waiting[index].append(("m", self.value(frame[2])))

    def value(self, said: Any) -> Any:
        """Return a message's value, which may not change."""
        return tuple(said) if isinstance(said, list) else said

    def command(self, command: dict[str, Any]) -> None:
        """Do what the parent asks, and answer."""
        answer: dict[str, Any]
        match command["t"]:
            case "poll":
                answer = {"sent": self.sent, "got": self.got}
            case "drain":
                self.draining = True
                answer = {}
            case "end":
                self.say('{"e":"end"}')
                answer = {"effects": self.effects, "sent": sum(self.sent), **self.ended()}
            case _:
                answer = self.obey(command)
        self.answers.append({"t": "answer", **answer})

    def ended(self) -> dict[str, Any]:
        """Return what the parent is to know in the end."""
        return {}

    # -- what is said --------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Write the log's header, and what was restored."""
        part = self.start.part
        header = {
            "format": FORMAT,
            "process": self.process,
            "protocol": self.start.protocol,
            "channels": [list(channel) for channel in self.topology.channels],
            "state": self.total,
            "incarnation": self.start.incarnation,
            **self.header(),
        }
        self.say(json.dumps(header))
        if part is not None:
            chans = [[c, [self.told(self.value(v)) for v in values]] for c, values in part["chans"]]
            restored = {"inc": self.start.incarnation, "id": self.start.snapshot, "s": self.total}
            self.say(json.dumps({"e": "restore", **restored, "chans": chans}))

    def header(self) -> dict[str, Any]:
        """Return what else the log's header says."""
        return {}

    def say(self, line: str) -> None:
        """Add a line to the log."""
        self.lines.append(f"{line}\n")

    def put(self, index: int, value: Any) -> None:
        """Send a message on an output, which the machine has agreed to."""
        self.sent[index] += 1
        self.frames[index].append(["m", self.sent[index], value])
        name, told = self._names[self.outputs[index]], self.told(value)
        self.say(f'{{"e":"send","c":{name},"m":{self.sent[index]},"d":{told},"s":{self.total}}}')

    def has_taken(self, index: int, value: Any) -> None:
        """Note that the machine has taken a message from an input."""
        self.got[index] += 1
        name, told = self._names[self.inputs[index]], self.told(value)
        self.say(f'{{"e":"receive","c":{name},"m":{self.got[index]},"d":{told},"s":{self.total}}}')

    def say_control(self, kind: str, channel: Channel, snapshot: str) -> None:
        """Log that a marker or a barrier was taken from a channel, or put there."""
        self.say(f'{{"e":"{kind}","c":{self._names[channel]},"id":"{snapshot}"}}')

    def say_of(self, kind: str, snapshot: str, total: int | None = None) -> None:
        """Log that it records, with the state, or pauses or resumes, for a snapshot."""
        state = "" if total is None else f',"s":{total}'
        self.say(f'{{"e":"{kind}","id":"{snapshot}"{state}}}')

    def done(self, snapshot: str, total: int, part: dict[str, Any], chans: list[list[Any]]) -> None:
        """Log that its part of a snapshot is complete, and hand it to the parent; ``chans`` are by input."""
        named = [[list(channel), values] for channel, values in zip(self.inputs, chans, strict=True)]
        said = json.dumps([[channel, [self.told(v) for v in values]] for channel, values in named])
        self.say(f'{{"e":"done","id":"{snapshot}","s":{total},"chans":{said}}}')
        self.answers.append(
            {"t": "part", "id": snapshot, "part": {"process": self.process, **part, "chans": named}}
        )

    def at(self, channel: Channel | None = None) -> str:
        """Name the place of an error."""
        place = f"process {self.process}"
        return f"{place}, channel {channel[0]}->{channel[1]}" if channel else place
