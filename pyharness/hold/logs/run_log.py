"""The logs of a run: one file of JSON lines for each process, and one order of all events.

The first line of a file is its header, each other one an event; ``docs/reference/logs.md`` is the format. Nothing but
the order of lines in a file, and the number of a message on its channel, shows which event came first.
"""

from __future__ import annotations

import errno
import heapq
import json
import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.clean_text import one_line
from pyharness.hold.logs.log_events import (
    FORMAT,
    IN,
    KINDS,
    OUT,
    SAME,
    Channel,
    LogEvent,
    RefusedError,
    channel_of,
    clock_of,
    happen,
    name_of,
    numbered,
    pair_of,
    parts_of,
    shown,
)
from pyharness.hold.logs.rules import Rules, possible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from random import Random


_MOST_LINE: Final = 1024 * 1024
"""The most bytes of a line."""

_MOST_PROCESSES: Final = 256
"""The most files of a directory, for all are open at once."""

_TURN: Final = 64
"""The number of events of a process that are taken before the turn of the one whose file was read least."""


@dataclass
class _LogFile:
    """The file of one process: the content of its header, and where its reader is."""

    path: Path
    process: str
    header: dict[str, Any]
    stream: Any
    size: int
    read: int = 0
    line: int = 1
    ended: bool = False
    waiting: LogEvent | None = None
    restored: LogEvent | None = None
    events: Iterator[LogEvent] = field(default_factory=lambda: iter(()))


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


_DECODE: Final = json.JSONDecoder(parse_constant=_no_constant).raw_decode

_NAMES: Final = frozenset({int, str})


def _not_json(raw: bytes, error: ValueError) -> str:
    """Return why a line is not JSON; its place is reported beside this."""
    if not raw.strip():
        return "an empty line"
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg}, at character {error.colno}"
    return f"not JSON: {one_line(str(error), 120)}"


def _no_event(content: dict[str, Any], where: str) -> SpecError:
    """Return the error of a line that is not an event."""
    kind = content.get("e")
    if "format" in content:
        hint = "each incarnation has a directory of its own, and each process one file there"
        return SpecError("a second header", where=where, hint=hint)
    if kind is None:
        return SpecError("an event has no e, which names what happened", where=where)
    if not isinstance(kind, str):
        return SpecError(f"no event is {one_line(repr(kind), 60)}", where=where)
    return SpecError.unknown("event", one_line(kind, 60), KINDS, where=where)


class RunLog:
    """The logs of a run: a file of each process in one directory.

    ``processes`` are their names, in the order of their files' names; ``channels`` by source and target;
    ``protocol`` is what the headers name, or ``""``; ``total`` is the sum that the run conserves, or None; ``clocked``
    means that there are no channels, and vector clocks instead; ``clocks`` whether an event read so far has one;
    ``rules`` are those of the protocol, once they are known: an event that they refuse waits for nothing.
    ``notes`` has what the reader did that a user should know, such as a torn line left out.

    Raises SpecError for a directory that is not a log, and IncompleteError for one without a log, or for a channel of whose
    end there is no log.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.notes: list[str] = []
        self.clocks = False
        self.rules: Rules | None = None
        self.channels: dict[tuple[str, str], Channel] = {}
        self._files: dict[str, _LogFile] = {}
        self._named: dict[tuple[Any, Any], Channel] = {}
        try:
            names = sorted(name for name in os.listdir(directory) if name.endswith(".jsonl"))  # noqa: PTH208
        except FileNotFoundError:
            raise IncompleteError("there is no such directory", where=str(directory)) from None
        except OSError as error:
            raise SpecError(
                f"cannot be read: {error.strerror}",
                where=str(directory),
                hint="name the directory that has a log of each process, *.jsonl",
            ) from None
        if not names:
            raise IncompleteError("there is no log, *.jsonl", where=str(directory))
        if len(names) > _MOST_PROCESSES:
            raise SpecError(f"more than {_MOST_PROCESSES} logs", where=str(directory))
        try:
            for name in names:
                self._open(directory / name)
            declared = [file.header.get("channels") for file in self._files.values()]
            self._derived = "derive" in declared
            self.clocked = "none" in declared
            self.protocol: str = self._agreed("protocol", str) or ""
            self._incarnation: int | None = self._agreed("incarnation", int)
            self.total: float | None = self._agreed("sum", (int, float))
            for file in self._files.values():
                self._declare(file)
            if self._derived:
                self._derive()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.stream.close()

    @property
    def processes(self) -> list[str]:
        """The names of the processes."""
        return list(self._files)

    def header(self, process: str) -> dict[str, Any]:
        """Return the content of a process's header."""
        return self._files[process].header

    @property
    def beginning(self) -> str:
        """The place of the line that has the beginning of the run: the last that restores, or a header with a sum."""
        files = self._files.values()
        restored = [file.restored for file in files if file.restored is not None]
        return (
            self.at(restored[-1])
            if restored
            else next((f"{file.path}:1" for file in files if "sum" in file.header), str(self.directory))
        )

    def at(self, event: LogEvent) -> str:
        """Return the place of an event, file and line, or where it was before it was converted."""
        before = event.content.get("at")
        return (
            one_line(before, 300)
            if isinstance(before, str)
            else f"{self._files[event.process].path}:{event.line}"
        )

    def merged(self, shuffled: Random | None = None) -> Iterator[LogEvent]:
        """Yield all events, each after what it needs: a message's sending, a marker's. Channels are as before it.

        The order is the same each time; with ``shuffled`` it is another that is as good.

        Raises RefusedError if no event can be next although there are some, SpecError for a line that is not an event.
        """
        for file in self._files.values():
            file.events = self._events(file)
            self._restore(file)
        self._require_one_snapshot()
        for file in self._files.values():
            if file.restored is not None:
                yield file.restored
        ready = [(0.0, process) for process in self._files]
        waiting: dict[tuple[str, str], str] = {}
        while ready:
            if shuffled is None:
                _, process = heapq.heappop(ready)
            else:
                _, process = ready.pop(shuffled.randrange(len(ready)))
            file = self._files[process]
            for _ in range(_TURN if shuffled is None else shuffled.randrange(1, 9)):
                event = file.waiting or next(file.events, None)
                file.waiting = None
                if event is None:
                    file.ended = True
                    break
                channel = event.channel
                if channel is not None and event.number is None:
                    event = numbered(event, channel)
                if channel is not None and not possible(event, channel, self.rules):
                    file.waiting = event
                    waiting[channel.source, channel.target] = process
                    break
                yield event
                if channel is not None:
                    happen(event, channel)
                    woken = waiting.pop((process, channel.target), "") if channel.source == process else ""
                    if woken:
                        heapq.heappush(ready, (self._progress(woken), woken))
            else:
                heapq.heappush(ready, (self._progress(process), process))
        self._require_end()

    def _progress(self, process: str) -> float:
        file = self._files[process]
        return file.read / (file.size or 1)

    def _require_end(self) -> None:
        """Require that no event waits. Raises RefusedError."""
        stuck = [file.waiting for file in self._files.values() if file.waiting is not None]
        if not stuck:
            return
        blamed = [e for e in stuck if self._files[channel_of(e).source].ended]
        circle = [] if blamed else [stuck[0]]
        while circle and (next_one := self._files[channel_of(circle[-1]).source].waiting) is not None:
            if next_one in circle:
                circle = circle[circle.index(next_one) :]
                break
            circle.append(next_one)
        event, *others = blamed[:1] or circle
        what = f"message {event.number}" if event.kind == "receive" else f"the marker of snapshot {event.id}"
        why = "was sent after this, by the logs" if circle else "is in no log as sent"
        if others:
            why += f": it and {', '.join(map(self.at, others))} wait for each other"
        raise RefusedError(
            f"{what} comes on {channel_of(event).name}, and {why}",
            where=self.at(event),
            rule="what is received was sent before",
            snapshot=event.id,
        )

    def _restore(self, file: _LogFile) -> None:
        """Put the messages that a process begins with into its channels, as if they had been sent first."""
        first = next(file.events, None)
        if first is None or first.kind != "restore":
            file.waiting = first
            return
        if "id" in first.content:
            first = first._replace(id=name_of(first.content["id"], "id", f"{file.path}:{first.line}"))
        file.restored = first
        number = first.content.get("inc")
        if type(number) not in {int, type(None)}:
            raise SpecError("inc is the number of an incarnation", where=f"{file.path}:{first.line}")
        if number is not None and self._incarnation not in {None, number}:
            raise SpecError(
                f"inc is {shown(number)}, and the logs beside this one are of incarnation {shown(self._incarnation)}",
                where=f"{file.path}:{first.line}",
            )
        self._incarnation = number if self._incarnation is None else self._incarnation
        for name, messages in parts_of(first, f"{file.path}:{first.line}"):
            channel = self._channel(name, file, first.line, IN)
            channel.sent = len(messages)
            channel.kept.extend(messages)

    def _require_one_snapshot(self) -> None:
        """Require that all processes that have begun are restored from one snapshot, or none is."""
        files, rule = self._files.values(), "all processes are restored from one snapshot"
        restored = [file.restored for file in files if file.restored is not None]
        named = next((event for event in restored if event.id is not None), None)
        for event in restored:
            if named is not None and event.id not in {None, named.id}:
                why = f"is restored from snapshot {event.id}, and {named.process} from {named.id}"
                raise RefusedError(f"{event.process} {why}", where=self.at(event), rule=rule)
        for file in files:
            if restored and file.waiting is not None:
                why = f"{file.process} is not restored, and {restored[0].process} is"
                raise RefusedError(why, where=self.at(file.waiting), rule=rule)

    def _open(self, path: Path) -> None:
        try:
            number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        except OSError as error:
            reason = "this is a link" if error.errno == errno.ELOOP else error.strerror
            raise SpecError(f"cannot be read: {reason}", where=str(path)) from None
        about = os.fstat(number)
        if not stat.S_ISREG(about.st_mode):
            os.close(number)
            raise SpecError("no regular file", where=str(path))
        stream = os.fdopen(number, "rb")
        file = _LogFile(path, "", {}, stream, about.st_size)
        try:
            self._read_header(file)
        except BaseException:
            stream.close()
            raise
        self._files[file.process] = file

    def _read_header(self, file: _LogFile) -> None:
        where = f"{file.path}:1"
        header = self._line(file, 1)
        if header is None or header.get("format") != FORMAT:
            raise SpecError(
                f"no log: its first line has no format {FORMAT!r}",
                where=where,
                hint="see docs/reference/logs.md",
            )
        file.header, file.process = header, name_of(header.get("process"), "process", where)
        if not isinstance(header.get("initiator", True), bool):
            raise SpecError("initiator is true or false", where=where)
        if file.process in self._files:
            raise SpecError(
                f"process {file.process} has two logs, {self._files[file.process].path.name} too",
                where=str(file.path),
                hint="a directory has one run, or one incarnation of it",
            )

    def _declare(self, file: _LogFile) -> None:
        where, declared = f"{file.path}:1", file.header.get("channels")
        if self.clocked and declared != "none":
            raise SpecError("other headers have no channels, and this one has", where=where)
        if declared in ("derive", "none"):
            return
        if not isinstance(declared, list):
            raise SpecError('no channels: a list of pairs, "derive", or "none"', where=where)
        for pair in declared:
            ends = pair_of(pair, where)
            for end in ends:
                if end not in self._files:
                    raise IncompleteError(f"there is no log of process {end}", where=where)
            self.channels.setdefault(ends, Channel(*ends))

    def _derive(self) -> None:
        """Read all events once, for the channels that they name, and go back to the first."""
        for file in self._files.values():
            for _ in self._events(file):
                pass
            file.stream.seek(0)
            file.read = len(file.stream.readline(_MOST_LINE + 1))
            file.line = 1
        self.notes.clear()
        self._derived = False

    def _agreed(self, name: str, kind: type | tuple[type, ...]) -> Any:
        """Return the values under a name in all headers that have it. Raises SpecError if they differ."""
        agreed: Any = None
        for file in self._files.values():
            value = file.header.get(name)
            if value is None:
                continue
            if not isinstance(value, kind) or isinstance(value, bool):
                raise SpecError(f"{name} cannot be {one_line(repr(value), 60)}", where=f"{file.path}:1")
            if agreed is not None and value != agreed:
                raise SpecError(
                    f"the headers do not agree: {name} is {value!r} and {agreed!r}", where=f"{file.path}:1"
                )
            agreed = value
        return agreed

    def _line(self, file: _LogFile, number: int) -> dict[str, Any] | None:
        """Return the next line's document; None at the end, or for a last line that is torn."""
        raw = file.stream.readline(_MOST_LINE + 1)
        file.read += len(raw)
        if not raw:
            return None
        where = f"{file.path}:{number}"
        if len(raw) > _MOST_LINE:
            raise SpecError(f"a line of more than {_MOST_LINE} bytes", where=where)
        try:
            text = raw.decode().strip(" \t\r\n").removeprefix("\ufeff" if number == 1 else "")
            content, end = _DECODE(text)
            if end < len(text):
                raise ValueError("more than one value")  # noqa: TRY301 - raised with the others below
        except RecursionError:
            raise SpecError("not JSON: nested too deep", where=where) from None
        except ValueError as error:
            if not raw.endswith(b"\n"):
                self.notes.append(f"{where}: the last line is torn, and left out")
                return None
            raise SpecError(_not_json(raw, error), where=where) from None
        if not isinstance(content, dict):
            raise SpecError("a line is an object", where=where)
        return content

    def _events(self, file: _LogFile) -> Iterator[LogEvent]:
        process, ended = file.process, False
        while (content := self._line(file, file.line + 1)) is not None:
            file.line += 1
            kind: Any = content.get("e")
            wants = KINDS.get(kind) if isinstance(kind, str) else None
            if wants is None:
                raise _no_event(content, f"{file.path}:{file.line}")
            if ended or (kind == "restore" and file.line > 2):
                late = "an event after the end" if ended else "a restore that is not the first event"
                raise SpecError(late, where=f"{file.path}:{file.line}")
            ended = kind == "end"
            end = None if self.clocked else wants[0]
            channel = self._channel(content.get("c"), file, file.line, end) if end else None
            number = content.get("m") if wants[0] and not wants[1] else None
            if "m" in content and end and not wants[1] and (type(number) is not int or number < 1):
                raise SpecError(
                    "m is the number of a message on its channel, from 1", where=f"{file.path}:{file.line}"
                )
            if "vc" in content:
                clock_of(content["vc"], f"{file.path}:{file.line}")
                self.clocks = True
            snapshot = name_of(content.get("id"), "id", f"{file.path}:{file.line}") if wants[1] else None
            yield LogEvent(process, file.line, SAME.get(kind, kind), channel, number, snapshot, content)

    def _channel(self, pair: Any, file: _LogFile, line: int, end: str) -> Channel:
        simple = type(pair) is list and len(pair) == 2 and type(pair[0]) in _NAMES and type(pair[1]) in _NAMES
        channel = self._named.get((pair[0], pair[1])) if simple else None
        if channel is None:
            where = f"{file.path}:{line}"
            ends = pair_of(pair, where)
            channel = self.channels.get(ends)
            if channel is None:
                if not self._derived:
                    raise SpecError(f"no header has a channel {ends[0]}->{ends[1]}", where=where)
                for process in ends:
                    if process not in self._files:
                        raise IncompleteError(f"there is no log of process {process}", where=where)
                channel = self.channels[ends] = Channel(*ends)
            self._named[pair[0], pair[1]] = channel
        if (channel.source if end == OUT else channel.target) != file.process:
            role = "source" if end == OUT else "target"
            raise SpecError(
                f"{file.process} is not the {role} of {channel.name}", where=f"{file.path}:{line}"
            )
        return channel
