"""A trace as a log for ShiViz, which draws it as a space-time diagram with search and comparison.

ShiViz takes from a file's first line the regular expression that reads its entries, from the second how executions
are delimited (here: not), and from the rest one entry for each event of a process, with a vector clock. It draws the
messages from the clocks alone: an event's own clock grows by one, the others are the largest that it has heard of.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from pyharness.show.report.trace.captions import completed
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.events import consequences, one_line, signs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.show.report.trace.events import Diagram, Event
    from pyharness.tla.tlc import Trace

EXPRESSION: Final = r"(?<host>\S+) (?<clock>{[^}]*}) (?<step>\d+) (?<colour>\S+) (?<event>.*)"
"""The regular expression in the first line; ``step`` and ``colour`` are fields that can be searched."""

_NOT_IN_NAMES: Final = re.compile(r"[^\w.-]+")

_Clock = dict[int, int]


def to_shiviz(trace: Trace, meta: Mapping[str, Any] | None = None) -> str:
    """Write a trace as a log for ShiViz.

    The initial state is an event of every process, so that each has a line and what is in a channel at first was sent.
    """
    diagram = diagram_of(trace, completed(meta or {}))
    hosts = _hosts(diagram)
    stamps: dict[tuple[int, int], _Clock] = {}
    latest: dict[int, _Clock] = {lane: {} for lane in range(len(hosts))}
    lines = [EXPRESSION, ""]
    for event in diagram.events:
        text = one_line("; ".join([event.text, *_said(diagram, event)])) or "a step"
        lanes = event.lanes or tuple(latest)
        for lane in lanes:
            stamps[event.index, lane] = latest[lane] = _tick(diagram, event, lane, latest[lane], stamps)
            clock = json.dumps({hosts[at]: time for at, time in latest[lane].items()}, separators=(",", ":"))
            lines.append(f"{hosts[lane]} {clock} {event.number} {_colour(event, lane)} {text}")
    return "\n".join(lines) + "\n"


def _hosts(diagram: Diagram) -> list[str]:
    """Name the lanes so that ShiViz can read it: without spaces and brackets, each name once."""
    hosts: list[str] = []
    for lane in diagram.lanes:
        name = _NOT_IN_NAMES.sub("_", one_line(lane.name, 40)) or "_"
        hosts.append(name if name not in hosts else f"{name}_{len(hosts)}")
    return hosts or ["system"]


def _tick(
    diagram: Diagram, event: Event, lane: int, before: _Clock, stamps: Mapping[tuple[int, int], _Clock]
) -> _Clock:
    """Return the clock of an event at a lane: what came in is heard of, and the own time grows by one."""
    clock = dict(before)
    for message in diagram.messages:
        if message.accepted == event.index and message.target == lane and message.sent < event.index:
            for at, time in stamps.get((message.sent, message.source), {}).items():
                clock[at] = max(clock.get(at, 0), time)
    clock[lane] = clock.get(lane, 0) + 1
    return dict(sorted(clock.items()))


def _colour(event: Event, lane: int) -> str:
    names = {"○": "white", "●": "red", "○→●": "white-to-red", "●→○": "red-to-white"}
    return names.get(signs(event, lane), "-")


def _said(diagram: Diagram, event: Event) -> Iterator[str]:
    yield from consequences(diagram, event)
    if event.index == diagram.violated_at:
        yield f"{diagram.violated} is violated"
