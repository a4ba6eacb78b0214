"""Where things stand in a space-time diagram: time runs to the right, a lane per process. Units are pixels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import hypot
from typing import TYPE_CHECKING, NamedTuple

from pyharness.explain.state_values import clean, clip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyharness.report.trace.events import Cut, Diagram, Message

__all__ = [
    "LETTER",
    "MOST_LANES",
    "MOST_STEPS",
    "Labels",
    "Layout",
    "Point",
    "Route",
    "between",
    "in_transit",
    "layout",
]

MOST_STEPS = 600
"""How many steps are drawn at most: the last ones where something is violated, else the first."""

MOST_LANES = 24
"""How many lanes are drawn at most."""

LETTER = 6.3
"""The width of a letter, about."""

_TOP, _BOTTOM = 74, 50


class Point(NamedTuple):
    """A place in the picture."""

    x: float
    y: float


def between(a: Point, b: Point, part: float) -> Point:
    """Return the point on the way from ``a`` to ``b``; ``part`` is 0 at ``a`` and 1 at ``b``."""
    return Point(a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part)


class Note(NamedTuple):
    """What else an event did, written under the lanes: its middle, and its row, 0 is the highest."""

    step: int
    text: str
    x: float
    row: int


class Route(NamedTuple):
    """The way of an arrow: from ``start`` to ``end``, by ``bend``, which is half-way if it is straight."""

    start: Point
    bend: Point
    end: Point

    def at(self, part: float) -> Point:
        """Return the point that is ``part`` of the way."""
        return between(between(self.start, self.bend, part), between(self.bend, self.end, part), part)

    @property
    def path(self) -> str:
        """The way as SVG writes it."""
        (x1, y1), (x, y), (x2, y2) = self
        return f"M{x1:.1f},{y1:.1f} Q{x:.1f},{y:.1f} {x2:.1f},{y2:.1f}"

    def to(self, end: Point) -> Route:
        """Return the same way, to an end that lies a little before."""
        return Route(self.start, self.bend, end)


@dataclass(frozen=True, slots=True)
class Layout:
    """The scales of a picture. It shows the events ``first`` to ``last`` and the first ``lanes`` lanes.

    ``labelled`` says whether there is room for words at each event. ``notices`` say what is left out.
    """

    first: int
    last: int
    lanes: int
    left: float
    pitch: float
    gap: float
    right: float
    labelled: bool
    notices: tuple[str, ...]
    notes: tuple[Note, ...] = ()

    @property
    def width(self) -> float:
        """The width of the picture."""
        return self.x(self.last) + self.right

    @property
    def top(self) -> float:
        """Where the columns begin, under the numbers of the steps."""
        return _TOP - 42

    @property
    def bottom(self) -> float:
        """Where the columns end, under the last lane."""
        rows = max((note.row + 1 for note in self.notes), default=0)
        return self.y(self.lanes - 1) + _BOTTOM + 15 * rows

    def x(self, time: float) -> float:
        """Return the place of a time: the index of an event, or something between."""
        return self.left + (time - self.first + 0.5) * self.pitch

    def y(self, lane: float) -> float:
        """Return the place of a lane by its index."""
        return _TOP + 18 + lane * self.gap

    def at(self, time: float, lane: float) -> Point:
        """Return a point."""
        return Point(self.x(time), self.y(lane))

    def shows(self, time: float | None) -> bool:
        """Whether an event with this index is shown."""
        return time is not None and self.first <= time <= self.last

    def draws(self, message: Message) -> bool:
        """Whether something of a message is to be seen."""
        ends_before = message.end is not None and message.end < self.first
        return (
            not ends_before and message.sent <= self.last and max(message.source, message.target) < self.lanes
        )

    def on_the_way(self, message: Message, part: float, time: float) -> Point:
        """Return the point that is ``part`` of the way between a message's lanes, at a time."""
        return Point(self.x(time), self.y(message.source + (message.target - message.source) * part))

    def ends(self, message: Message, place: int = 0) -> tuple[Point, Point]:
        """Return the ends of a message's arrow: those in the open are between the lanes.

        ``place`` is the message's place among those that are in transit on its channel at the end, first is 0.
        """
        shown = message.sent >= self.first and not message.restored and message.sent > 0
        time = max(message.sent, self.first - 0.5) + (0.0 if message.sent >= self.first else 0.1)
        start = self.at(message.sent, message.source) if shown else self.on_the_way(message, 0.3, time + 0.25)
        if message.accepted is not None and message.accepted <= self.last:
            return start, self.at(message.accepted, message.target)
        if message.lost is not None and message.lost <= self.last:
            return start, self.on_the_way(message, 0.62, message.lost - 0.12)
        return start, self.on_the_way(message, max(0.2, 0.66 - 0.16 * place), self.last + 0.72)

    def route(self, message: Message, dots: Iterable[Point], place: int = 0) -> Route:
        """Return the way of a message; it makes a bend around ``dots`` that are no end of it."""
        start, end = self.ends(message, place)
        middle = between(start, end, 0.5)
        length = hypot(end.x - start.x, end.y - start.y) or 1.0
        across = Point((end.y - start.y) / length, (start.x - end.x) / length)
        near = [
            (dot.x - start.x) * across.x + (dot.y - start.y) * across.y
            for dot in dots
            if start.x + 10 < dot.x < end.x - 10
            and min(start.y, end.y) + 10 < dot.y < max(start.y, end.y) - 10
        ]
        close = [distance for distance in near if abs(distance) < 15]
        if not close:
            return Route(start, middle, end)
        away = -46 if close[0] >= 0 else 46
        return Route(start, Point(middle.x + away * across.x, middle.y + away * across.y), end)

    def crossing(self, route: Route, cut: Cut) -> float:
        """Return the part of an arrow's way after which it crosses a cut, or a half if it does not."""
        for i in range(1, 40):
            point = route.at(i / 40)
            x = self._cut_x(cut, (point.y - self.y(0)) / self.gap)
            if x is not None and point.x >= x:
                return min(max(i / 40, 0.2), 0.8)
        return 0.5

    def _cut_x(self, cut: Cut, lane: float) -> float | None:
        low = int(lane)
        ends = cut.at.get(low), cut.at.get(low + 1)
        if ends[0] is None or ends[1] is None:
            return None
        return self.x(ends[0] + (ends[1] - ends[0]) * (lane - low))


def layout(diagram: Diagram) -> Layout:
    """Choose the scales for a diagram: all of it in view where that can be, else a row that is scrolled."""
    steps, lanes = len(diagram.events), len(diagram.lanes)
    notices = []
    first, last = 0, steps - 1
    if steps > MOST_STEPS:
        first = steps - MOST_STEPS if diagram.violated_at is not None or diagram.lasso is not None else 0
        last = first + MOST_STEPS - 1
        notices.append(f"Steps {first + 1} to {last + 1} of {steps} are drawn.")
    if lanes > MOST_LANES:
        notices.append(f"{MOST_LANES} of {lanes} lanes are drawn, and no messages to or from the others.")
    shown = last - first + 1
    pitch = 68 if shown <= 40 else 56 if shown <= 120 else 30
    gap = 96 if lanes <= 4 else 82 if lanes <= 8 else 66
    names = [len(lane.name) for lane in diagram.lanes[:MOST_LANES]]
    left = 26 + LETTER * 1.3 * min(max(names, default=2), 18)
    labels = [len(message.label) for message in diagram.messages if message.end is None]
    right = pitch * 0.75 + 16 + LETTER * min(max(labels), 16) if labels else 48
    scale = Layout(first, last, min(lanes, MOST_LANES), left, pitch, gap, right, shown <= 120, tuple(notices))
    return replace(scale, notes=tuple(_notes(diagram, scale))) if scale.labelled else scale


def _notes(diagram: Diagram, scale: Layout) -> Iterator[Note]:
    """Put each note under its event, in the first row where it has room."""
    taken: list[float] = []
    for event in diagram.events[scale.first : scale.last + 1]:
        for said in event.notes:
            text = clip(clean(said), 40)
            size = LETTER * 1.05 * len(text)
            x = max(min(scale.x(event.index), scale.width - size / 2 - 6), size / 2 + 6)
            row = next((i for i, right in enumerate(taken) if right < x - size / 2 - 8), len(taken))
            taken[row : row + 1] = [x + size / 2]
            yield Note(event.index, text, x, row)


@dataclass
class Labels:
    """Finds room for labels: each is put where it covers no other, if there is such a place."""

    boxes: list[tuple[float, float, float, float]] = field(default_factory=list)

    def block(self, centre: Point, width: float, height: float) -> None:
        """Keep a place free of labels."""
        self.boxes.append(_box(centre, width, height))

    def place(self, candidates: Iterable[Point], width: float, height: float) -> Point:
        """Take the first candidate with room, or else the one that covers least."""
        best, least = Point(0, 0), float("inf")
        for centre in candidates:
            covered = sum(_overlap(_box(centre, width, height), box) for box in self.boxes)
            if covered < least:
                best, least = centre, covered
            if not covered:
                break
        self.block(best, width, height)
        return best


def _box(centre: Point, width: float, height: float) -> tuple[float, float, float, float]:
    return centre.x - width / 2, centre.y - height / 2, centre.x + width / 2, centre.y + height / 2


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> float:
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def in_transit(messages: Iterable[Message]) -> Mapping[int, int]:
    """Return each message that is in transit at the end its place in its channel, first is 0."""
    places: dict[int, int] = {}
    count: dict[tuple[int, int], int] = {}
    for message in messages:
        if message.end is None:
            key = message.source, message.target
            places[message.id] = count[key] = count.get(key, -1) + 1
    return places
