"""Sequences of events for one operator: all of a length, random ones, and as text.

>>> events = parse_sequence("0:a, 0:barrier 1, timeout, 1:barrier 1 overtakes b c, 0:cancel 2, 1:end")
>>> sequence_text(events)
'0:a, 0:barrier 1, timeout, 1:barrier 1 overtakes b c, 0:cancel 2, 1:end'
>>> sequence_text(parse_sequence("0:barrier 1 queued behind a, 1:barrier 1 unaligned, 0:go on"))
'0:barrier 1 queued behind a, 1:barrier 1 unaligned, 0:go on'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.machines.protocols.checkpoints.operator import (
    ALIGNMENTS,
    END,
    OF_MODE,
    Barrier,
    Cancel,
    EndOfInput,
)
from pyharness.machines.protocols.checkpoints.operator_drive import (
    GO_ON,
    TIMEOUT,
    GoOn,
    Overtaking,
    Queued,
    Timeout,
    element_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from pyharness.machines.protocols.applications.application import Value

    Event = tuple[int, Value]

_WEIGHTS = {"record": 4, "end": 1, "timeout": 4, "go on": 2}
_USUAL_WEIGHT = 2


class _Channel(NamedTuple):
    """The past of one input: its last barrier and cancellation, whether it ended, and whether it is slow."""

    barrier: int = 0
    cancelled: int = 0
    ended: bool = False
    slow: bool = False

    def after(self, element: Value) -> _Channel:
        if isinstance(element, Queued | GoOn):
            self = self._replace(slow=isinstance(element, Queued))  # noqa: PLW0642
        if isinstance(element, Overtaking | Queued):
            element = element.barrier
        if isinstance(element, Barrier):
            return self._replace(barrier=max(element.id, self.barrier))
        if isinstance(element, Cancel):
            return self._replace(cancelled=max(element.id, self.cancelled))
        return self._replace(ended=True) if isinstance(element, EndOfInput) else self


def at_bound(pending: int) -> Iterator[tuple[Event, ...]]:
    """Yield sequences in which input 0 has brought about ``pending`` barriers, and input 1 its first element.

    That is a barrier or cancellation of one of the first checkpoints, of the last, or of a new one; or its end.
    """
    for count in range(max(1, pending - 1), pending + 3):
        waiting = tuple((0, Barrier(number)) for number in range(1, count + 1))
        for number in (1, 2, 3, count, count + 1):
            yield (*waiting, (1, Barrier(number)))
            yield (*waiting, (1, Cancel(number)))
        yield (*waiting, (1, END))
        yield (*waiting, (0, END), (1, Barrier(1)))


@dataclass(frozen=True, slots=True)
class Grammar:
    """Which sequences there are, for an operator with ``inputs`` inputs and checkpoints 1 to ``ids``.

    On each input come records, barriers and cancellations, and at last its end. As one sender sends them, ids rise:
    each barrier once, a cancellation not before an earlier barrier, no barrier of a cancelled checkpoint, though ids
    may be left out; ``any_order`` lifts all of this. Where barriers overtake (``unaligned``, ``timeout``), each may
    also overtake one record. In mode ``timeout`` the alignment may time out at any event, not twice in a row.

    With ``own_alignment`` barriers may also carry their own alignment, where not all are aligned or counted;
    and in mode ``timeout`` they may be queued after one record, for a while.
    """

    mode: str
    inputs: int
    ids: int
    any_order: bool = False
    own_alignment: bool = False

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
        possible: list[Event] = []
        for source, channel in enumerate(channels):
            possible += self._of(source, channel, name)
        if possible and self.mode == "timeout" and not (events and events[-1][1] == TIMEOUT):
            possible.append((0, TIMEOUT))
        return possible

    @cache  # noqa: B019 - grammars are few, and frozen
    def _of(self, source: int, channel: _Channel, name: str) -> tuple[Event, ...]:
        """Return what may come on an input."""
        possible: list[Event] = [(source, GO_ON)] if channel.slow else []
        if channel.ended:
            return tuple(possible)
        possible.append((source, name))
        for number in range(1, self.ids + 1):
            if self.any_order or number > max(channel.barrier, channel.cancelled):
                ways = _barriers(self.mode, number, name, own_alignment=self.own_alignment)
                possible += [(source, each) for each in ways]
            if self.any_order or (number > channel.cancelled and number >= channel.barrier):
                possible.append((source, Cancel(number)))
        return (*possible, (source, END))


@cache
def _barriers(mode: str, number: int, name: str, *, own_alignment: bool) -> tuple[Value, ...]:
    """Return in which ways the barrier of a checkpoint may come."""
    overtakes = mode in OF_MODE
    own = ALIGNMENTS if mode == "timeout" else ("aligned",)
    ways: list[Value] = []
    for alignment in (None, *(own if own_alignment and overtakes else ())):
        if alignment is None or alignment != OF_MODE[mode]:
            barrier = Barrier(number, alignment=alignment)
            ways += [barrier, Overtaking(barrier, (name,))] if overtakes else [barrier]
    if own_alignment and mode == "timeout":
        ways.append(Queued(Barrier(number), (name,)))
    return tuple(ways)


@cache
def _weight(event: Event) -> int:
    element = event[1]
    if isinstance(element, EndOfInput | Timeout | GoOn):
        return _WEIGHTS[element.control]
    return _WEIGHTS["record"] if isinstance(element, str) else _USUAL_WEIGHT


def record_name(number: int) -> str:
    """Return the name of a record: ``a`` to ``z`` by its place in the sequence, and then ``r27``, ``r28``, ..."""
    return chr(ord("a") + number) if number < 26 else f"r{number + 1}"


def event_text(event: Event) -> str:
    """Return an event as text, such as ``0:barrier 1 overtakes a``."""
    source, element = event
    return element.control if isinstance(element, Timeout) else f"{source}:{element_text(element)}"


def sequence_text(events: tuple[Event, ...]) -> str:
    """Return events as text, with commas between them; the inverse of :func:`parse_sequence`."""
    return ", ".join(map(event_text, events))


_EVENT = re.compile(
    r"(?P<source>\d{1,9}):(?:"
    r"(?P<control>cancel|barrier) (?P<id>\d{1,18})(?: (?P<alignment>aligned|unaligned|timeoutable))?"
    r"(?: (?P<how>overtakes|queued behind)(?P<records>(?: \w+)*))?"
    r"|(?P<go>go on)|(?P<other>(?!(?:barrier|cancel|timeout)$)\w+))"
)


def parse_sequence(text: str) -> tuple[Event, ...]:
    """Read events from text, with commas between them.

    They are ``INPUT:RECORD``, ``INPUT:barrier ID [ALIGNMENT] [overtakes RECORD...]`` (or ``queued behind RECORD...``),
    ``INPUT:cancel ID``, ``INPUT:go on``, ``INPUT:end`` and ``timeout``.

    Raises SpecError for anything else.
    """
    return tuple(_parse_event(part.strip(), number) for number, part in enumerate(text.split(","), 1))


def _parse_event(text: str, number: int) -> Event:
    if text == "timeout":
        return 0, TIMEOUT
    found = _EVENT.fullmatch(text)
    if not found or (found["control"] == "cancel" and (found["how"] or found["alignment"])):
        hint = "such as 0:a, 0:barrier 1, 0:barrier 1 overtakes a, 0:cancel 1, 0:end, timeout"
        raise SpecError(f"no event: {text[:80]!r}", where=f"event {number}", hint=hint)
    source = int(found["source"])
    if found["control"] == "cancel":
        return source, Cancel(int(found["id"]))
    if found["control"]:
        barrier = Barrier(int(found["id"]), alignment=found["alignment"])
        kind = {"overtakes": Overtaking, "queued behind": Queued}.get(found["how"])
        return source, kind(barrier, tuple(found["records"].split())) if kind else barrier
    if found["go"]:
        return source, GO_ON
    return source, END if found["other"] == "end" else found["other"]
