"""Read the messages that TLC prints with ``-tool``, line by line.

A message is a frame::

    @!@!@STARTMSG 2190:0 @!@!@
    Finished computing initial states: 1 distinct state generated at …
    @!@!@ENDMSG 2190 @!@!@

Frames nest, and an inner one may start in the middle of a line. The output of ``Print`` and the parser stands
outside all frames.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

INFO, ERROR, BUG, WARNING, STATE = range(5)
"""The classes of TLC's messages."""

MAX_OUTSIDE: Final = 1_000_000
"""The number of characters outside all frames that are kept."""

_SIGN: Final = "@!@!@"
_MARKER: Final = re.compile(r"@!@!@(?:STARTMSG (-?\d{1,18})(?::(\d{1,18}))?|ENDMSG (-?\d{1,18})) @!@!@\n?")


@dataclass(frozen=True, slots=True)
class TlcMessage:
    """One message of TLC.

    ``code`` is the message's number; ``kind`` is its class, such as :data:`ERROR`; ``text`` is the text in the frame,
    without the frames inside it; ``within`` is the code of the frame around it, if there was one.
    ``complete`` is false for a frame without its end, and for one whose text was longer than the reader keeps.
    """

    code: int
    kind: int
    text: str
    within: int | None = None
    complete: bool = True


@dataclass(slots=True)
class _Frame:
    code: int
    kind: int
    parts: list[str] = field(default_factory=list)
    room: int = 0
    complete: bool = True

    def write(self, text: str) -> None:
        if len(text) > self.room:
            self.complete = False
            text = text[: self.room]
        if text:
            self.parts.append(text)
            self.room -= len(text)

    def message(self, within: int | None) -> TlcMessage:
        return TlcMessage(self.code, self.kind, "".join(self.parts).strip("\n"), within, self.complete)


class MessageReader:
    """Turns lines into messages, with bounded memory.

    At most ``max_frame`` characters of one frame are kept, and the first ``max_outside`` characters of the text
    outside frames (:attr:`outside`; the parser's complaints come first). After :meth:`close`, :attr:`intact`
    is true if the output is well formed to its last line: each frame has its end and nothing was cut.
    """

    def __init__(self, max_frame: int = 32_000_000, max_outside: int = MAX_OUTSIDE) -> None:
        self.intact = True
        self._max_frame = max_frame
        self._outside = _Frame(0, INFO, room=max_outside)
        self._open: list[_Frame] = []
        self._mid_line = False

    @property
    def outside(self) -> str:
        """The text that stood outside all frames."""
        return "".join(self._outside.parts)

    def feed(self, line: str) -> list[TlcMessage]:
        """Take the next line, its line break included, and return the messages that ended in it, in order."""
        self._mid_line = not line.endswith("\n")
        if _SIGN not in line:
            self._current().write(line)
            return []
        ended: list[TlcMessage] = []
        at = 0
        for marker in _MARKER.finditer(line):
            self._write(line[at : marker.start()])
            at = marker.end()
            if marker[3] is None:
                self._open.append(_Frame(int(marker[1]), int(marker[2] or INFO), room=self._max_frame))
            else:
                ended += self._end(int(marker[3]))
        self._write(line[at:])
        return ended

    def close(self) -> list[TlcMessage]:
        """End the input, and return the frames that lack their end as messages that are not ``complete``."""
        if self._open or self._mid_line:
            self.intact = False
        left = []
        while self._open:
            left.append(self._pop(complete=False))
        return left

    def read(self, lines: Iterable[str]) -> Iterator[TlcMessage]:
        """Yield the messages of all of the input ``lines``, then those that were cut off."""
        for line in lines:
            yield from self.feed(line)
        yield from self.close()

    def _current(self) -> _Frame:
        return self._open[-1] if self._open else self._outside

    def _write(self, text: str) -> None:
        if _SIGN in text:
            self.intact = False
        if text:
            self._current().write(text)

    def _end(self, code: int) -> list[TlcMessage]:
        """Close the innermost frame of this code; frames inside it that are still open were cut off."""
        if all(frame.code != code for frame in self._open):
            self.intact = False
            return []
        ended = []
        while self._open[-1].code != code:
            self.intact = False
            ended.append(self._pop(complete=False))
        ended.append(self._pop(complete=True))
        return ended

    def _pop(self, *, complete: bool) -> TlcMessage:
        frame = self._open.pop()
        frame.complete = frame.complete and complete
        return frame.message(self._open[-1].code if self._open else None)
