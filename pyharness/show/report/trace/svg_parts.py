"""The parts of a picture of a trace: elements of SVG, the line of a snapshot, and messages with their labels.

The line of a snapshot through a picture: where it runs between two lanes, and where a message crosses it. Beside the
recording of a neighbour, which a marker brought there, the line keeps to the side of what came before, so that it does
not lie on the marker's own arrow.
"""

from __future__ import annotations

from html import escape
from math import hypot
from typing import TYPE_CHECKING

from pyharness.base.toolchain.clean_text import clean, clip
from pyharness.show.report.trace.events import RED
from pyharness.show.report.trace.layout import Point, Route, between, in_transit, text_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.show.report.trace.events import Diagram, DrawnCut, DrawnMessage
    from pyharness.show.report.trace.layout import Labels, Layout


def tag(name: str, inner: str = "", *, raw: object = False, **attributes: object) -> str:
    """Write an element; ``inner`` is text, or with ``raw`` markup. ``class_`` is the attribute ``class``."""
    written = "".join(
        f' {key.rstrip("_")}="{number(value) if isinstance(value, float) else escape(clean(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    body = inner if raw or name == "svg" else escape(clean(inner), quote=False)
    return f"<{name}{written}>{body}</{name}>" if body else f"<{name}{written}/>"


def number(value: float) -> str:
    """Return a coordinate as text."""
    return f"{value:.1f}".removesuffix(".0")


def points(*corners: Point) -> str:
    """Write the corners of a shape."""
    return " ".join(f"{number(point.x)},{number(point.y)}" for point in corners)


def arrow_head(start: Point, tip: Point) -> str:
    """Draw the head of an arrow that comes from ``start``, as a triangle that ends in ``tip``."""
    length = hypot(tip.x - start.x, tip.y - start.y) or 1.0
    ux, uy = (tip.x - start.x) / length, (tip.y - start.y) / length
    left = Point(tip.x - 9 * ux + 4.5 * uy, tip.y - 9 * uy - 4.5 * ux)
    right = Point(tip.x - 9 * ux - 4.5 * uy, tip.y - 9 * uy + 4.5 * ux)
    return tag("polyline", class_="head", points=points(left, tip, right, left))


_Curve = tuple[Point, Point, Point, Point]
"""A cubic curve: its start, two points that it bends to, its end."""

_SAMPLES = 24
_NEAR = 2.2
"""Recordings that are not further from each other, in steps, may be a marker's way apart."""


def recorded_places(cut: DrawnCut, scale: Layout) -> dict[int, Point]:
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


RADIUS = 6.5
"""The radius of the dot of an event."""

_PARTS = (0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78)
_AROUND = (0, -13, 13, -22, 22)


class Arrows:
    """The messages that a picture shows. ``dots`` has the places of each event's dots, which an arrow goes around.

    Arrows come first, then all labels, so that no arrow lies on a label.
    """

    def __init__(
        self, diagram: Diagram, scale: Layout, labels: Labels, dots: Mapping[int, list[Point]]
    ) -> None:
        self._d, self._s, self._labels, self._dots = diagram, scale, labels, dots
        self._shown = [m for m in diagram.messages if scale.draws(m)]
        places = in_transit(diagram.messages)
        self._routes = {m.id: scale.route(m, self._passed(m), places.get(m.id, 0)) for m in self._shown}
        self._held = {kept.message: kept for kept in diagram.kept if kept.message in self._routes}
        for m in self._shown:
            route = self._routes[m.id]
            labels.line(_sampled(route), m.id)
            if self._arrives(m):
                labels.block(between(route.end, route.bend, 14 / _length(route)), 14, 14)

    def bands(self) -> Iterator[str]:
        """Draw the mark of a message that was recorded as a part of a channel's state, after its arrow."""
        for held in self._held:
            yield tag("path", class_="band", d=self._routes[held].path)

    def arrows(self) -> Iterator[str]:
        """Draw the arrows."""
        for m in self._shown:
            yield self._arrow(m)

    def captions(self) -> Iterator[str]:
        """Write the labels, and the boxes with what a channel's recorded state holds."""
        for m in self._shown:
            if m.end is None and self._s.labelled and m.id not in self._held:
                yield self._caption(m, self._at_end(m))
        for m in self._shown:
            if m.crossing == "red in white":
                yield self._caption(m, self._warning(m))
        yield from self._kept()
        for m in self._shown:
            ordinary = m.end is not None and m.crossing != "red in white"
            if ordinary and self._s.labelled and m.id not in self._held:
                yield self._caption(m, self._label(m))

    def _passed(self, m: DrawnMessage) -> list[Point]:
        """Return the dots of the events between a message's ends; neighbours have none between them."""
        if abs(m.source - m.target) < 2:
            return []
        last = self._s.last + 1 if m.end is None else m.end
        return [dot for index in range(m.sent + 1, last) for dot in self._dots.get(index, ())]

    def _arrives(self, m: DrawnMessage) -> bool:
        return m.accepted is not None and m.accepted <= self._s.last

    def _arrow(self, m: DrawnMessage) -> str:
        route = self._routes[m.id]
        end = route.end
        arrives = self._arrives(m)
        tip = between(end, route.bend, (RADIUS + 2) / _length(route)) if arrives else end
        broken = " broken" if m.crossing == "red in white" else ""
        inner = [tag("title", clean(_alt(m, self._d))), tag("path", class_="shaft", d=route.to(tip).path)]
        if m.restored or m.sent == 0:
            inner.append(tag("circle", class_="open", cx=route.start.x, cy=route.start.y, r=4))
        if arrives:
            inner.append(arrow_head(route.bend, tip))
        elif m.lost is not None and m.lost <= self._s.last:
            x, y = number(end.x - 5), number(end.y - 5)
            inner.append(tag("path", class_="lost", d=f"M{x},{y} l10,10 m0,-10 l-10,10"))
        else:
            inner.append(tag("circle", class_="open", cx=end.x, cy=end.y, r=4))
        return tag(
            "g",
            "".join(inner),
            raw=True,
            class_=f"message {_kind(m)}{broken}",
            **{"data-sent": m.sent, "data-end": m.end, "data-lanes": f"{m.source} {m.target}"},
        )

    def _caption(self, m: DrawnMessage, inner: str) -> str:
        title = tag("title", clean(m.raw)) if m.raw else ""
        lanes = {"data-lanes": f"{m.source} {m.target}"}
        return tag("g", title + inner, raw=True, class_=f"caption {_kind(m)}", **lanes)

    def _at_end(self, m: DrawnMessage) -> str:
        text, end = _clipped(m), self._routes[m.id].end
        size = text_width(text)
        right = end.x + 9 + size / 2
        spots = [Point(right, end.y + dy) for dy in (0, 14, -14, 28, -28, 42)]
        at = self._labels.place(spots, size, 13, m.id)
        return tag("text", text, class_="label haloed", x=at.x, y=at.y)

    def _warning(self, m: DrawnMessage) -> str:
        route, text = self._routes[m.id], f"⚠ {_clipped(m)}: red in white"
        near = [route.at(part) for part in _PARTS]
        spots = [Point(p.x, p.y + dy) for dy in _AROUND for p in near]
        at = self._labels.place(self._inside(spots, text), text_width(text, bold=True), 15, m.id)
        return tag("text", text, class_="warning haloed", x=at.x, y=at.y)

    def _label(self, m: DrawnMessage) -> str:
        route, text = self._routes[m.id], _clipped(m)
        near = [route.at(part) for part in _PARTS]
        size = text_width(text)
        spots = near + [Point(p.x + dx, p.y) for dx in (size / 2 + 8, -size / 2 - 8) for p in near]
        at = self._labels.place(self._inside(spots, text), size, 13, m.id)
        return tag("text", text, class_="label haloed", x=at.x, y=at.y)

    def _inside(self, spots: list[Point], text: str) -> list[Point]:
        """Keep the spots at which a text is within the picture; all of them if it is so nowhere."""
        half = text_width(text, bold=True) / 2
        return [spot for spot in spots if half + 4 <= spot.x <= self._s.width - half - 4] or spots

    def _kept(self) -> Iterator[str]:
        """Draw the recorded part of a channel's state, near where its message crosses the cut."""
        cuts = {cut.name: cut for cut in self._d.cuts}
        for held, kept in self._held.items():
            if kept.cut not in cuts or held is None:
                continue
            route = self._routes[held]
            text = f"{clip(kept.channel, 12)} holds {_clipped(self._d.messages[held])}"
            size = text_width(text, bold=True) + 12
            crossed = route.at(crossing(route, recorded_places(cuts[kept.cut], self._s), self._s))
            at = self._labels.place(self._inside(_around(route, crossed, size), text), size + 4, 21, held)
            yield tag("rect", class_="pill", x=at.x - size / 2, y=at.y - 9, width=size, height=18, rx=4)
            yield tag("text", text, class_="pill-text", x=at.x, y=at.y + 0.5)


def _clipped(m: DrawnMessage) -> str:
    """Return a message's label, cut where it is long: a label in words has room for them."""
    return clip(clean(m.label), 30 if m.raw else 16)


def _around(route: Route, middle: Point, size: float) -> list[Point]:
    """Return where a box of some width may be put: on a route or beside it, the nearest to a point first."""
    shifts = [(dx, dy) for dx in (0.0, size / 2 + 6, -size / 2 - 6) for dy in (0, 17, -17, 30, -30)]
    on = [route.at(part / 20) for part in range(3, 18)]
    spots = [Point(point.x + dx, point.y + dy) for point in on for dx, dy in shifts]
    return sorted(spots, key=lambda spot: hypot(spot.x - middle.x, (spot.y - middle.y) * 1.5))


def _kind(m: DrawnMessage) -> str:
    return f"control {m.kind}" if m.is_control else "is-red" if m.colour == RED else "is-white"


def _length(route: Route) -> float:
    return hypot(route.end.x - route.bend.x, route.end.y - route.bend.y) or 1.0


def _sampled(route: Route) -> list[Point]:
    steps = max(2, int(hypot(route.end.x - route.start.x, route.end.y - route.start.y) / 6))
    return [route.at(i / steps) for i in range(steps + 1)]


def _alt(m: DrawnMessage, diagram: Diagram) -> str:
    """Describe a message as its arrow shows it."""
    colour = f"{m.colour} " if m.colour else ""
    names = [clip(diagram.lanes[lane].name, 40) for lane in (m.source, m.target)]
    kind = "" if m.raw else f"{m.kind} "
    label = m.label if m.is_control else f"{colour}{kind}{m.label}{f', {m.raw},' if m.raw else ''}"
    text = f"{label} from {names[0]} to {names[1]}, sent at {m.sent + 1}"
    if m.restored:
        text = f"{label} from {names[0]} to {names[1]}, put back at {m.sent + 1}"
    if m.accepted is not None:
        text += f", accepted at {m.accepted + 1}"
    elif m.lost is not None:
        text += f", lost at {m.lost + 1}"
    else:
        text += ", in transit at the end"
    if m.overtakes:
        text += ", from behind others"
    return text + (f": {m.crossing}" if m.crossing else "")
