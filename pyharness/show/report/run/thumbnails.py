"""Topologies as small pictures: circles and arrows, the initiators filled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

if TYPE_CHECKING:
    from pyharness.base.topology import Topology

WIDTH: Final = 48
HEIGHT: Final = 40
_RADIUS: Final = 4.0
_HEAD: Final = 4.0
_BEND: Final = 3.8
_MARGIN: Final = 5.5
_HIGH_MARGIN: Final = 7.5

_Point = tuple[float, float]


def described(topology: Topology) -> str:
    """Say what a picture shows: ``n2-6-i1: P1 to P2, P2 to P1; P1 initiates``."""
    name = topology.process_name
    channels = ", ".join(f"{name(source)} to {name(target)}" for source, target in topology.channels)
    initiators = " and ".join(map(name, topology.initiators))
    verb = "initiates" if len(topology.initiators) == 1 else "initiate"
    return f"{topology.id}: {channels or 'no channels'}" + (f"; {initiators} {verb}" if initiators else "")


def symbol(topology: Topology) -> Markup:
    """Draw a topology as an SVG ``symbol`` whose id is ``t-`` and the topology's, to be shown by ``use``."""
    places = _places(topology)
    lines = [
        _arrow(places[source - 1], places[target - 1], bent=(target, source) in topology.channels)
        for source, target in topology.channels
        if source != target
    ]
    loops = [
        _loop(places[source - 1], _middle(places)) for source, target in topology.channels if source == target
    ]
    dots = [
        Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}"/>').format(
            "initiator" if process in topology.initiators else "process", x, y, _RADIUS
        )
        for process, (x, y) in enumerate(places, start=1)
    ]
    head = Markup('<symbol id="t-{}" viewBox="0 0 {} {}">').format(topology.id, WIDTH, HEIGHT)
    return head + Markup("").join([*loops, *lines, *dots]) + Markup("</symbol>")


def _places(topology: Topology) -> list[_Point]:
    """Lay out a graph without cycles from left to right, any other on an ellipse, process 1 at its left or top."""
    ranks = _ranks(topology)
    if ranks is not None and topology.channels:
        columns = [[p for p, rank in enumerate(ranks) if rank == column] for column in range(max(ranks) + 1)]
        gap = (WIDTH - 2 * _MARGIN) / max(len(columns) - 1, 1)
        found: dict[int, _Point] = {}
        for number, column in enumerate(columns):
            for row, process in enumerate(column, start=1):
                found[process] = (_MARGIN + number * gap, HEIGHT * row / (len(column) + 1))
        return [found[process] for process in range(topology.processes)]
    n = topology.processes
    begin = {2: math.pi, 4: -3 * math.pi / 4}.get(n, -math.pi / 2)
    angles = [begin + 2 * math.pi * number / n for number in range(n)]
    round_ = [(math.cos(angle), math.sin(angle)) for angle in angles]
    across, down = zip(*round_, strict=True)
    return [(_spread(x, across, WIDTH, _MARGIN), _spread(y, down, HEIGHT, _HIGH_MARGIN)) for x, y in round_]


def _spread(value: float, values: tuple[float, ...], size: float, margin: float) -> float:
    """Scale one of ``values`` so that together they fill ``size``, but for the margins."""
    least, most = min(values), max(values)
    if most - least < 0.01:
        return size / 2
    return margin + (value - least) / (most - least) * (size - 2 * margin)


def _ranks(topology: Topology) -> list[int] | None:
    """Return each process the length of the longest way to it, or nothing if there is a cycle."""
    ranks = [0] * topology.processes
    for _ in range(topology.processes + 1):
        before = list(ranks)
        for source, target in topology.channels:
            ranks[target - 1] = max(ranks[target - 1], ranks[source - 1] + 1)
        if ranks == before:
            return ranks
    return None


def _middle(places: list[_Point]) -> _Point:
    return sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places)


def _arrow(begin: _Point, end: _Point, *, bent: bool) -> Markup:
    (x1, y1), (x2, y2) = begin, end
    length = math.hypot(x2 - x1, y2 - y1)
    across = (-(y2 - y1) / length, (x2 - x1) / length)
    bend = _BEND if bent else 0.0
    control = ((x1 + x2) / 2 + across[0] * 2 * bend, (y1 + y2) / 2 + across[1] * 2 * bend)
    start = _towards(begin, control, _RADIUS + 0.4)
    tip = _towards(end, control, _RADIUS + 0.6)
    neck = _towards(tip, control, _HEAD)
    side = (-(neck[1] - tip[1]) * 0.4, (neck[0] - tip[0]) * 0.4)
    path = Markup('<path class="channel" d="M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}"/>').format(
        *start, *control, *neck
    )
    head = Markup('<path class="tip" d="M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z"/>').format(
        *tip, neck[0] + side[0], neck[1] + side[1], neck[0] - side[0], neck[1] - side[1]
    )
    return path + head


def _towards(point: _Point, other: _Point, distance: float) -> _Point:
    length = math.hypot(other[0] - point[0], other[1] - point[1]) or 1
    return (
        point[0] + (other[0] - point[0]) * distance / length,
        point[1] + (other[1] - point[1]) * distance / length,
    )


def _loop(place: _Point, middle: _Point) -> Markup:
    x, y = _towards(place, middle, -_RADIUS)
    return Markup('<circle class="channel" cx="{:.1f}" cy="{:.1f}" r="3.2"/>').format(x, y)
