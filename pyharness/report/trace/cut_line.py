"""The line of a snapshot through a picture: where it runs between two lanes, and where a message crosses it.

Beside the recording of a neighbour, which a marker brought there, the line keeps to the side of what came before, so
that it does not lie on the marker's own arrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.report.trace.layout import Point

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.report.trace.events import Cut
    from pyharness.report.trace.layout import Layout, Route

_Curve = tuple[Point, Point, Point, Point]
"""A cubic curve: its start, two points that it bends to, its end."""

_SAMPLES = 24
_NEAR = 2.2
"""Recordings that are not further from each other, in steps, may be a marker's way apart."""


def recorded_places(cut: Cut, scale: Layout) -> dict[int, Point]:
    """Return where each lane that is shown records, by the lane's index."""
    return {
        lane: scale.at(time, lane)
        for lane, time in cut.at.items()
        if lane < scale.lanes and scale.shows(time)
    }


def stretch(upper: Point, lower: Point, pitch: float) -> _Curve:
    """Return the curve from the recording on one lane down to that on the next."""
    tall = lower.y - upper.y
    if abs(lower.x - upper.x) > _NEAR * pitch or lower.x == upper.x:
        return upper, Point(upper.x, upper.y + tall / 2), Point(lower.x, lower.y - tall / 2), lower
    if upper.x < lower.x:
        return upper, Point(upper.x - 4, upper.y + tall * 0.8), Point(upper.x + 6, lower.y - 10), lower
    return upper, Point(lower.x + 6, upper.y + 10), Point(lower.x - 4, lower.y - tall * 0.8), lower


def cut_points(places: Mapping[int, Point], pitch: float) -> list[Point]:
    """Return points on the line, from the first lane to below the last, without those between other lanes."""
    found = []
    for lane, point in sorted(places.items()):
        if lane - 1 not in places:
            found += [Point(point.x, point.y - 12), Point(point.x, point.y - 6)]
        if lane + 1 in places:
            curve = stretch(point, places[lane + 1], pitch)
            found += [_at(curve, i / _SAMPLES) for i in range(_SAMPLES + 1)]
        else:
            found += [Point(point.x, point.y + 6 * i) for i in range(5)]
    return found


def crossing(route: Route, places: Mapping[int, Point], scale: Layout) -> float:
    """Return the part of an arrow's way after which it crosses the line, or a half if it does not."""
    line = [
        _at(stretch(point, places[lane + 1], scale.pitch), i / _SAMPLES)
        for lane, point in places.items()
        if lane + 1 in places
        for i in range(_SAMPLES + 1)
    ]
    for i in range(1, 40):
        point = route.at(i / 40)
        near = min(line, key=lambda other: abs(other.y - point.y), default=None)
        if near is not None and abs(near.y - point.y) < scale.gap / 2 and point.x >= near.x:
            return min(max(i / 40, 0.2), 0.8)
    return 0.5


def _at(curve: _Curve, part: float) -> Point:
    a, b, c, d = curve
    rest = 1 - part
    weights = (rest**3, 3 * rest**2 * part, 3 * rest * part**2, part**3)
    return Point(
        sum(w * p.x for w, p in zip(weights, (a, b, c, d), strict=True)),
        sum(w * p.y for w, p in zip(weights, (a, b, c, d), strict=True)),
    )
