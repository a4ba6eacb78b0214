"""The events of a log, the values in them, the channels that they happen on, and the refusal of one that is wrong."""

from __future__ import annotations

import re
from collections import deque
from enum import Enum
from typing import Any, Final, NamedTuple

from pyharness.base.errors import ConformanceError, SpecError
from pyharness.base.toolchain.clean_text import one_line


class _Unknown(Enum):
    """A member of an enumeration: a copy of it is itself."""

    UNKNOWN = "unknown"


UNKNOWN: Final = _Unknown.UNKNOWN
"""The value of a field that a log does not give, such as a process's state. ``null`` is given."""


def same(a: Any, b: Any) -> bool:
    """Return whether two values are equal in JSON, where ``true`` is not a number; 1 and 1.0 are one number."""
    return a == b and _of_one_kind(a, b)


def _of_one_kind(a: Any, b: Any) -> bool:
    """Return whether values that are equal in Python are equal in JSON."""
    if isinstance(a, list):
        return all(map(_of_one_kind, a, b))
    if isinstance(a, dict):
        return all(_of_one_kind(value, b[name]) for name, value in a.items())
    return isinstance(a, bool) == isinstance(b, bool)


def shown(value: Any) -> str:
    """Write a value so that it can be shown in a line."""
    try:
        return one_line("nothing" if value is UNKNOWN else repr(value), 80)
    except ValueError:  # Python does not write integers of thousands of digits
        return "a number of many digits"


FORMAT: Final = "pyharness-log/1"


_MOST_SHOWN: Final = 1000
"""The number of characters of a refusal that are shown: names, and numbers of messages, may be long."""

_MOST_NAME: Final = 1000

IN: Final = "in"
OUT: Final = "out"
KINDS: Final[dict[str, tuple[str | None, bool]]] = {
    "send": (OUT, False),
    "receive": (IN, False),
    "internal": (None, False),
    "record": (None, True),
    "marker": (IN, True),
    "marker-out": (OUT, True),
    "barrier": (IN, True),
    "barrier-out": (OUT, True),
    "done": (None, True),
    "pause": (None, True),
    "resume": (None, True),
    "restore": (None, False),
    "end": (None, False),
}
"""The end of a channel that an event is at, and whether it has a snapshot's id."""

SAME: Final = {"barrier": "marker", "barrier-out": "marker-out"}
"""The events of a dataflow by the ones that they stand for: a barrier is a marker."""


class RefusedError(ConformanceError):
    """A log breaks the rules: the error is about its first line that is wrong, given those before it.

    ``rule`` is the rule's name, ``snapshot`` its id if it is about one, and ``protocol`` means that the rule is the
    protocol's, so that its spec must refuse the snapshot, too.
    """

    def __init__(
        self, message: str, *, where: str, rule: str, snapshot: str | None = None, protocol: bool = False
    ) -> None:
        super().__init__(one_line(message, _MOST_SHOWN), where=where, hint=f"the rule: {rule}")
        self.rule, self.snapshot, self.protocol = rule, snapshot, protocol

    def __reduce__(self) -> tuple[object, ...]:
        return (_refused, (self.message, self.where, self.rule, self.snapshot, self.protocol))


def _refused(message: str, where: str, rule: str, snapshot: str | None, protocol: bool) -> RefusedError:
    return RefusedError(message, where=where, rule=rule, snapshot=snapshot, protocol=protocol)


class Channel:
    """A channel and its past: messages ``sent`` and ``got`` so far, and the markers that are in it.

    ``markers`` has, of each in the channel, its snapshot's id and the number of messages sent before it; ``marked`` the
    ids of all that were ever put there. ``kept`` has what messages from ``first`` on carry, as far as it may be asked.
    """

    __slots__ = ("first", "got", "kept", "marked", "markers", "name", "sent", "source", "target")

    def __init__(self, source: str, target: str) -> None:
        self.source, self.target = source, target
        self.name = f"{source}->{target}"
        self.sent = self.got = 0
        self.markers: deque[tuple[str, int]] = deque()
        self.marked: set[str] = set()
        self.kept: deque[Any] = deque()
        self.first = 1

    def carried(self, number: int) -> Any:
        """Return a message's content, or UNKNOWN if that is not given, or not kept any more."""
        at = number - self.first
        return self.kept[at] if 0 <= at < len(self.kept) else UNKNOWN


class LogEvent(NamedTuple):
    """An event: the process, its file and line, what happened, where, the message's number, the snapshot's id.

    ``content`` is the line's document, for fields that only some events have.
    """

    process: str
    line: int
    kind: str
    channel: Channel | None
    number: int | None
    id: str | None
    content: dict[str, Any]


def channel_of(event: LogEvent) -> Channel:
    """Return the channel of an event that is on one."""
    if event.channel is None:
        raise TypeError(f"{event.kind} is on no channel")
    return event.channel


def id_of(event: LogEvent) -> str:
    """Return the id of the snapshot that an event is about."""
    if event.id is None:
        raise TypeError(f"{event.kind} is of no snapshot")
    return event.id


def numbered(event: LogEvent, channel: Channel) -> LogEvent:
    """Return an event on a channel with the number that its message must have; a marker has none."""
    if event.kind not in {"send", "receive"}:
        return event
    return event._replace(number=(channel.sent if event.kind == "send" else channel.got) + 1)


def happen(event: LogEvent, channel: Channel) -> None:
    """Update a channel for an event that happened on it."""
    kind = event.kind
    if kind == "send":
        channel.sent += 1
        channel.kept.append(event.content.get("d", UNKNOWN))
    elif kind == "receive":
        channel.got += 1
    elif kind == "marker-out" and event.id is not None:
        channel.marked.add(event.id)
        channel.markers.append((event.id, channel.sent))
    elif kind == "marker":
        for entry in channel.markers:
            if entry[0] == event.id:
                channel.markers.remove(entry)
                break


def clock_of(value: Any, where: str) -> dict[str, int]:
    """Return a vector clock. Raises SpecError for a value that is not one."""
    if not isinstance(value, dict):
        raise SpecError("vc is a vector clock: an object of processes and numbers", where=where)
    for entry in value.values():
        if type(entry) is not int or entry < 0:
            shown = one_line(repr(entry), 60)
            raise SpecError(f"an entry of a clock is a number of events, not {shown}", where=where)
    return value


def parts_of(event: LogEvent, where: str) -> list[tuple[tuple[str, str], list[Any]]]:
    """Return an event's channels, ``chans``: each with its messages. Raises SpecError if the field is not like that."""
    chans = event.content.get("chans", [])
    if not isinstance(chans, list):
        raise SpecError(_CHANS, where=where)
    for part in chans:
        if not (isinstance(part, list) and len(part) == 2 and isinstance(part[1], list)):
            raise SpecError(_CHANS, where=where)
    parts = [(pair_of(name, where), messages) for name, messages in chans]
    if len({name for name, _ in parts}) < len(parts):
        raise SpecError("chans has a channel twice", where=where)
    return parts


_CHANS: Final = "chans is a list of pairs, of a channel and the list of its messages"


def pair_of(value: Any, where: str) -> tuple[str, str]:
    """Return the source and the target of a channel as a log names it. Raises SpecError for another value."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise SpecError(f"a channel is a pair of processes, not {one_line(repr(value), 60)}", where=where)
    return name_of(value[0], "process", where), name_of(value[1], "process", where)


def name_of(value: Any, what: str, where: str) -> str:
    """Return a name, of a process or a snapshot, as text.

    Raises SpecError for a value that is neither text nor an integer, and for one that is too long or controls a terminal:
    names appear wherever a log is mentioned.
    """
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        shown = "not there" if value is None else f"a name or an integer, not {one_line(repr(value), 60)}"
        raise SpecError(f"{what} is {shown}", where=where)
    name = str(value)
    if len(name) > _MOST_NAME:
        raise SpecError(f"{what} is a name of more than {_MOST_NAME:,} characters", where=where)
    if _CONTROL.search(name):
        raise SpecError(f"{what} has control characters: {one_line(repr(name), 60)}", where=where)
    return name


_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
