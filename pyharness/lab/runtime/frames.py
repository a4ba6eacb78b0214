"""What goes over a connection: frames, each a length of four bytes and so many bytes of JSON, checked as they come.

================================  =======================================================================
``["m", number, value]``          a message, numbered on its channel from 1; a value is a whole number
``["k", initiator, number]``      a marker of a snapshot
``["b", id]``                     a barrier of a checkpoint
``["c", number]``                 back to the sender: so many messages of the channel were taken
``["h", token, source, target]``  the first frame of a connection: which channel it is, and the secret of
                                  this run
================================  =======================================================================
"""

from __future__ import annotations

import json
from typing import Any, Final, TypeAlias

from pyharness.base.errors import PeerError

Frame: TypeAlias = "list[Any]"

LONGEST: Final = 4096
"""The most bytes of a frame."""

LONGEST_HELLO: Final = 256
"""The most bytes of a connection's first frame, which anybody may send."""

_HEAD: Final = 4
_LARGEST: Final = 2**53
_NUMBERS: Final = {"m": 2, "k": 2, "b": 1, "c": 1}


def encode(frame: Frame) -> bytes:
    """Return the bytes of a frame."""
    body = json.dumps(frame, separators=(",", ":")).encode()
    return len(body).to_bytes(_HEAD, "big") + body


class FrameReader:
    """Cuts what comes over a connection into frames of at most ``longest`` bytes; keeps what is not whole yet."""

    def __init__(self, longest: int) -> None:
        self.longest = longest
        self._rest = bytearray()

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        self._rest += data

    def next(self) -> Frame | None:
        """Return the next frame, None if it is not whole. Raises PeerError for what is none, or is too long."""
        if len(self._rest) < _HEAD:
            return None
        length = int.from_bytes(self._rest[:_HEAD], "big")
        if not 0 < length <= self.longest:
            raise PeerError(f"a frame of {length} bytes", hint=f"it has 1 to {self.longest}")
        if len(self._rest) < _HEAD + length:
            return None
        body = bytes(self._rest[_HEAD : _HEAD + length])
        del self._rest[: _HEAD + length]
        return _decode(body)


def _decode(body: bytes) -> Frame:
    try:
        frame = json.loads(body)
    except (ValueError, RecursionError):
        raise PeerError("a frame that is no JSON") from None
    if isinstance(frame, list) and frame and _well_formed(frame):
        return frame
    raise PeerError("a frame of no kind that there is")


def _well_formed(frame: Frame) -> bool:
    kind, rest = frame[0], frame[1:]
    if kind == "h":
        token = rest[0] if len(rest) == 3 else None
        return isinstance(token, str) and token.isascii() and all(map(_is_number, rest[1:]))
    numbers = _NUMBERS.get(kind) if isinstance(kind, str) else None
    return len(rest) == numbers and all(map(_is_number, rest))


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST
