"""Connections between vertices, over loopback: whoever connects says first which channel it is, or is dropped.

Until its first frame is accepted a connection is a stranger's: it may send so many bytes and take so many seconds, and
there may be so many of them. Whatever it does, it is only dropped. Afterwards it is a channel of the system: what
breaks it breaks the run.
"""

from __future__ import annotations

import asyncio
import hmac
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import PeerError
from pyharness.lab.runtime.frames import LONGEST, LONGEST_HELLO, FrameReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.lab.runtime.frames import Frame
    from pyharness.machines.protocols import Channel

HOST: Final = "127.0.0.1"
"""The one address that is listened at, and connected to."""

HELLO_SECONDS: Final = 5.0
"""How long a connection may take for its first frame."""

MOST_STRANGERS: Final = 32
"""How many connections may be open that have not said who they are; of more, the oldest is dropped."""


class Link(asyncio.Protocol):
    """A channel's connection, at either end; ``take`` gets its frames, ``fail`` the error that ends it."""

    def __init__(self, take: Callable[[Frame], None], fail: Callable[[PeerError], None]) -> None:
        self.take, self.fail = take, fail
        self.reader = FrameReader(LONGEST)
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        if isinstance(transport, asyncio.Transport):
            self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Take all frames that are whole."""
        self.reader.feed(data)
        try:
            while (frame := self.reader.next()) is not None:
                self.take(frame)
        except PeerError as error:
            self.close()
            self.fail(error)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the transport: the parent sees for itself that a process is gone."""
        self.transport = None

    def write(self, data: bytes) -> None:
        """Send bytes, unless the other end is gone."""
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(data)

    def close(self) -> None:
        """Close the connection at once."""
        if self.transport is not None:
            self.transport.abort()
            self.transport = None


class Door:
    """Where the inputs of a vertex come in: ``links`` has the connection of each that has.

    ``take`` gets a frame with its input's index; ``attached`` is called when all inputs have come. ``dropped`` counts
    the connections that were none of ours.
    """

    def __init__(
        self,
        token: str,
        inputs: tuple[Channel, ...],
        take: Callable[[int, Frame], None],
        attached: Callable[[], None],
        fail: Callable[[PeerError], None],
    ) -> None:
        self.token, self.inputs = token, inputs
        self.take, self.attached, self.fail = take, attached, fail
        self.links: dict[int, _Incoming] = {}
        self.strangers: dict[_Incoming, None] = {}
        self.dropped = 0

    def link(self) -> _Incoming:
        """Return what takes the next connection."""
        return _Incoming(self)

    def admit(self, incoming: _Incoming, frame: Frame) -> None:
        """Make a connection the channel that its first frame names. Raises PeerError if it is none that may come."""
        known = frame[0] == "h" and hmac.compare_digest(frame[1].encode(), self.token.encode())
        channel = (frame[2], frame[3]) if known else None
        index = self.inputs.index(channel) if channel in self.inputs else None
        if index is None or index in self.links:
            raise PeerError("a connection that is none of this run")
        self.strangers.pop(incoming, None)
        self.links[index] = incoming
        incoming.belongs_to(index)
        if len(self.links) == len(self.inputs):
            self.attached()

    def drop(self, incoming: _Incoming) -> None:
        """Close a stranger's connection."""
        if incoming in self.strangers:
            del self.strangers[incoming]
            self.dropped += 1
        incoming.close()


class _Incoming(Link):
    """A connection that has come in, a stranger's until it has said which channel it is."""

    def __init__(self, door: Door) -> None:
        super().__init__(self._hello, self._refused)
        self.door = door
        self.reader.longest = LONGEST_HELLO
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.door.strangers[self] = None
        if len(self.door.strangers) > MOST_STRANGERS:
            self.door.drop(next(iter(self.door.strangers)))
        self._timer = asyncio.get_running_loop().call_later(HELLO_SECONDS, self.door.drop, self)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.door.drop(self)

    def belongs_to(self, index: int) -> None:
        """Be the channel of an input from now on."""
        if self._timer is not None:
            self._timer.cancel()
        self.reader.longest = LONGEST
        self.take = lambda frame: self.door.take(index, frame)
        self.fail = self.door.fail

    def _hello(self, frame: Frame) -> None:
        self.door.admit(self, frame)

    def _refused(self, _: PeerError) -> None:
        self.door.drop(self)
