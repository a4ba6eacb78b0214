"""Sequences of events for one operator: all of a length, random ones, and as text.

>>> events = parse_sequence("0:a, 0:barrier 1, timeout, 1:barrier 1 overtakes b c, 0:cancel 2, 1:end")
>>> sequence_text(events)
'0:a, 0:barrier 1, timeout, 1:barrier 1 overtakes b c, 0:cancel 2, 1:end'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pyharness.errors import SpecError
from pyharness.protocols.checkpoints.operator import END, Barrier, Cancel, EndOfInput
from pyharness.protocols.checkpoints.operator_drive import TIMEOUT, Overtaking, Timeout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from pyharness.protocols.applications.application import Value

    Event = tuple[int, Value]

__all__ = ["Grammar", "event_text", "parse_sequence", "sequence_text"]

_WEIGHTS = {"record": 4, "end": 1, "timeout": 4}
_USUAL_WEIGHT = 2


class _Channel(NamedTuple):
    """What came on one input so far: its last barrier and cancellation, and whether it ended."""

    barrier: int = 0
    cancelled: int = 0
    ended: bool = False

    def after(self, element: Value) -> _Channel:
        if isinstance(element, Overtaking):
            element = element.barrier
        if isinstance(element, Barrier):
            return self._replace(barrier=max(element.id, self.barrier))
        if isinstance(element, Cancel):
            return self._replace(cancelled=max(element.id, self.cancelled))
        return self._replace(ended=True) if isinstance(element, EndOfInput) else self


@dataclass(frozen=True, slots=True)
class Grammar:
    """Which sequences there are, for an operator with ``inputs`` inputs and checkpoints 1 to ``ids``.

    On each input come records, barriers and cancellations, and at last its end. As one sender sends them, ids rise:
    each barrier once, a cancellation not before an earlier barrier, no barrier of a cancelled checkpoint, though ids
    may be left out; ``any_order`` lifts all of this. Where barriers overtake (``unaligned``, ``timeout``), each may
    also come from behind one record. In mode ``timeout`` the alignment may time out at any event, not twice in a row.
    """

    mode: str
    inputs: int
    ids: int
    any_order: bool = False

    def every(self, length: int) -> Iterator[tuple[Event, ...]]:
        """Yield every sequence of a length, and those that end earlier as no event is left.

        All shorter ones are the beginning of one of these.
        """
        yield from self._extend((), (_Channel(),) * self.inputs, length)

    def random(self, random: Random, length: int) -> tuple[Event, ...]:
        """Return a random sequence of a length, or shorter when no event is left."""
        events: tuple[Event, ...] = ()
        channels = (_Channel(),) * self.inputs
        while len(events) < length and (possible := self._possible(events, channels)):
            weights = [_weight(event) for event in possible]
            event = random.choices(possible, weights)[0]
            events, channels = self._after(events, channels, event)
        return events

    def _extend(
        self, events: tuple[Event, ...], channels: tuple[_Channel, ...], length: int
    ) -> Iterator[tuple[Event, ...]]:
        possible = self._possible(events, channels) if len(events) < length else []
        if not possible:
            yield events
        for event in possible:
            yield from self._extend(*self._after(events, channels, event), length)

    def _after(
        self, events: tuple[Event, ...], channels: tuple[_Channel, ...], event: Event
    ) -> tuple[tuple[Event, ...], tuple[_Channel, ...]]:
        source, element = event
        after = tuple(c.after(element) if i == source else c for i, c in enumerate(channels))
        return (*events, event), channels if isinstance(element, Timeout) else after

    def _possible(self, events: tuple[Event, ...], channels: tuple[_Channel, ...]) -> list[Event]:
        name = record_name(len(events))
        overtakes = self.mode in {"unaligned", "timeout"}
        possible: list[Event] = []
        for source, channel in enumerate(channels):
            if channel.ended:
                continue
            possible.append((source, name))
            for number in range(1, self.ids + 1):
                if self.any_order or number > max(channel.barrier, channel.cancelled):
                    possible.append((source, Barrier(number)))
                    if overtakes:
                        possible.append((source, Overtaking(Barrier(number), (name,))))
                if self.any_order or (number > channel.cancelled and number >= channel.barrier):
                    possible.append((source, Cancel(number)))
            possible.append((source, END))
        if possible and self.mode == "timeout" and not (events and events[-1][1] == TIMEOUT):
            possible.append((0, TIMEOUT))
        return possible


def _weight(event: Event) -> int:
    element = event[1]
    if isinstance(element, EndOfInput | Timeout):
        return _WEIGHTS[element.control]
    return _WEIGHTS["record"] if isinstance(element, str) else _USUAL_WEIGHT


def record_name(number: int) -> str:
    """Return the name of a record: ``a`` to ``z`` by its place in the sequence, and then ``r27``, ``r28``, ..."""
    return chr(ord("a") + number) if number < 26 else f"r{number + 1}"


def event_text(event: Event) -> str:
    """Return an event as text, such as ``0:barrier 1 overtakes a``."""
    source, element = event
    if isinstance(element, Timeout):
        return element.control
    if isinstance(element, Overtaking):
        return (
            f"{source}:barrier {element.barrier.id} overtakes {' '.join(map(str, element.records))}".rstrip()
        )
    if isinstance(element, Barrier | Cancel):
        return f"{source}:{element.control} {element.id}"
    return f"{source}:{element.control if isinstance(element, EndOfInput) else element}"


def sequence_text(events: tuple[Event, ...]) -> str:
    """Return events as text, with commas between them; the inverse of :func:`parse_sequence`."""
    return ", ".join(map(event_text, events))


_EVENT = re.compile(
    r"(?P<source>\d+):(?:"
    r"(?P<control>barrier|cancel) (?P<id>\d+)(?P<overtakes> overtakes(?P<records>(?: \w+)*))?"
    r"|(?P<other>(?!(?:barrier|cancel|timeout)$)\w+))"
)


def parse_sequence(text: str) -> tuple[Event, ...]:
    """Read events from text: ``INPUT:RECORD``, ``INPUT:barrier ID [overtakes RECORD...]``, ``INPUT:cancel ID``,
    ``INPUT:end`` and ``timeout``, with commas between them.

    Raises SpecError for anything else.
    """  # noqa: D205
    return tuple(_parse_event(part.strip(), number) for number, part in enumerate(text.split(","), 1))


def _parse_event(text: str, number: int) -> Event:
    if text == "timeout":
        return 0, TIMEOUT
    found = _EVENT.fullmatch(text)
    if not found or (found["overtakes"] and found["control"] == "cancel"):
        hint = "such as 0:a, 0:barrier 1, 0:barrier 1 overtakes a, 0:cancel 1, 0:end, timeout"
        raise SpecError(f"no event: {text!r}", where=f"event {number}", hint=hint)
    source = int(found["source"])
    if found["control"] == "cancel":
        return source, Cancel(int(found["id"]))
    if found["control"]:
        barrier = Barrier(int(found["id"]))
        return source, Overtaking(barrier, tuple(found["records"].split())) if found["overtakes"] else barrier
    return source, END if found["other"] == "end" else found["other"]
