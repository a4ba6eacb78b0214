"""A vertex as a process of its own: a socket for each of its channels, a log, and pipes to the parent.

Its standard input has the parent's commands, its standard output the answers, each a line of JSON. It ends when its
input does, so none is left behind when the parent is gone. :func:`main` is what the parent starts.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import traceback
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from pyharness.base.errors import HarnessError, PeerError
from pyharness.lab.runtime.bank_vertices import BankVertex
from pyharness.lab.runtime.dataflow_vertex import BARRIER_MODES, DataflowVertex
from pyharness.lab.runtime.vertex import Start, Vertex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyharness.lab.runtime.vertex import Frame

RUNNING: Final[dict[str, type[Vertex]]] = {
    "ChandyLamport": BankVertex,
    **dict.fromkeys(BARRIER_MODES, DataflowVertex),
}
"""The vertex by the protocol's name."""

_BATCH: Final = 16
_FLAGS: Final = os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_CREAT | os.O_EXCL


def vertex_of(start: Start) -> Vertex:
    """Return the vertex of a protocol, at its beginning."""
    return RUNNING[start.protocol](start)


class _Link(asyncio.Protocol):
    """A channel at one of its ends; ``take`` gets its frames."""

    def __init__(self, take: Callable[[Frame], None]) -> None:
        self._take, self._rest = take, b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None  # the parent sees for itself that a process is gone

    def write(self, frames: Iterable[Frame]) -> None:
        """Send frames, unless the other end is gone."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(json.dumps(each).encode() + b"\n" for each in frames))


class _Process:
    """The pipes and sockets of a vertex, as in the parent's first command."""

    def __init__(self, command: dict[str, Any], answer: Callable[[dict[str, Any]], None]) -> None:
        self.vertex = vertex_of(Start(**command["start"]))
        self.delay, self.answer = command["delay"] / 1000, answer
        self.log = os.open(command["log"], _FLAGS, 0o666)
        self.sources: list[_Link] = []
        self.targets: list[_Link] = []
        self.begun = self.scheduled = False

    async def open(self, command: dict[str, Any]) -> None:
        """Take over the sockets of the channels, inputs and then outputs, which the parent has made."""
        for name, links, take in (
            ("inputs", self.sources, self._take),
            ("outputs", self.targets, self._credit),
        ):
            for index, number in enumerate(command[name]):
                links.append(_Link(partial(take, index)))
                await asyncio.get_running_loop().create_unix_connection(
                    partial(links.__getitem__, index), sock=socket.socket(fileno=number)
                )
        self.answer({"t": "answer"})

    def obey(self, command: dict[str, Any]) -> None:
        """Carry out the parent's commands after the first one."""
        if command["t"] == "begin":
            self.begun = True
            self.vertex.begin()
            self.answer({"t": "answer"})
        else:
            self.vertex.command(command)
        self._flush()
        self._wake()

    def _take(self, index: int, frame: Frame) -> None:
        """Hold what has come; nothing is done with it before the beginning."""
        self.vertex.receive(index, frame)
        self._wake()

    def _credit(self, index: int, frame: Frame) -> None:
        if not isinstance(self.vertex, DataflowVertex):
            raise PeerError(f"a frame {frame[0]!r} comes back", where=self.vertex.at())
        self.vertex.credit(index, frame)
        self._wake()

    def _wake(self) -> None:
        """Have some turns taken: soon, or after the delay."""
        if self.scheduled or not self.begun:
            return
        self.scheduled = True
        delay = self.vertex.random.random() * 2 * self.delay
        asyncio.get_running_loop().call_later(delay, self._turns)

    def _turns(self) -> None:
        self.scheduled = False
        more = True
        for _ in range(self.vertex.random.randint(1, _BATCH)):
            more = more and self.vertex.turn()
        self._flush()
        if more:
            self._wake()

    def _flush(self) -> None:
        """Write what the vertex has gathered: first the log, then to others."""
        vertex = self.vertex
        if vertex.lines:
            _write(self.log, vertex.lines)
        for link, frames in zip(self.targets, vertex.frames, strict=True):
            if frames:
                link.write(frames)
                frames.clear()
        if isinstance(vertex, DataflowVertex):
            for index, number in vertex.new_credits():
                self.sources[index].write([["c", number]])
        for answer in vertex.answers:
            self.answer(answer)
        vertex.answers.clear()


def _write(number: int, lines: list[str]) -> None:
    data = "".join(lines).encode()
    lines.clear()
    while data:
        data = data[os.write(number, data) :]


class _Control(asyncio.Protocol):
    """The pipe from the parent."""

    def __init__(self, answer: Callable[[dict[str, Any]], None]) -> None:
        self.answer, self.process = answer, None
        self._rest = b""

    process: _Process | None

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            command = json.loads(line)
            if self.process is None:
                self.process = _Process(command, self.answer)
                self.opening = asyncio.ensure_future(self.process.open(command))
            else:  # not from here: of a pipe's protocol, asyncio swallows what a full disk raises
                asyncio.get_running_loop().call_soon(self.process.obey, command)

    def connection_lost(self, exc: Exception | None) -> None:
        os._exit(
            1
        )  # the parent is gone, perhaps before the loop runs for good, so that stopping it would do nothing


def main() -> None:
    """Be a vertex, until standard input ends."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what prints, prints elsewhere

    def failed(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Return the parent, and end at once: an action that was not logged may not be heard of."""
        answer(_described(context.get("exception"), context["message"]))
        os._exit(1)

    def answer(document: dict[str, Any]) -> None:
        transport.write(json.dumps(document, separators=(",", ":")).encode() + b"\n")

    loop.set_exception_handler(failed)
    transport, _ = loop.run_until_complete(loop.connect_write_pipe(asyncio.Protocol, output))
    loop.run_until_complete(loop.connect_read_pipe(lambda: _Control(answer), sys.stdin))
    loop.run_forever()


def _described(error: BaseException | None, message: str) -> dict[str, Any]:
    """Return an error as it is sent to the parent."""
    if isinstance(error, HarnessError):
        described = {"message": error.message, "where": error.where, "hint": error.hint}
        return {"t": "error", "kind": type(error).__name__, **described}
    if isinstance(error, OSError):
        return {"t": "error", "kind": "OSError", "message": error.strerror, "where": error.filename}
    trace = "".join(traceback.format_exception(error)) if error is not None else message
    return {"t": "error", "kind": "bug", "message": trace}


if __name__ == "__main__":
    main()
