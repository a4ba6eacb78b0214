"""The layout of a space-time diagram: time runs to the right, a lane per process. Units are pixels."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from math import hypot
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.base.toolchain.clean_text import clean, clip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyharness.show.report.trace.events import Diagram, DrawnMessage


_BY_WIDTH: Final = {
    0.28: "ijl'|",
    0.33: "I,. :;",
    0.41: '()[]{}ftr!/\\-"',
    0.53: "sczxk?_",
    0.84: "<>=+~^#≤≥−→←⇒",
    0.80: "wDGHNOQU%&",
    0.98: "mWM@—…✗⚠",
}
_WIDTHS: Final = {letter: width for width, letters in _BY_WIDTH.items() for letter in letters}
_OTHER: Final = 0.65


def text_width(text: str, *, size: float = 11, bold: bool = False) -> float:
    """Return the width of a text in pixels, rather more than less; ``size`` is that of its font."""
    letters = sum(_WIDTHS.get(letter, _OTHER) for letter in text)
    return letters * size * (1.12 if bold else 1.0)


MOST_STEPS = 600
"""How many steps are drawn at most: the last ones where something is violated, else the first."""

MOST_LANES = 24
"""How many lanes are drawn at most."""

_TOP, _BOTTOM = 74, 50


class Point(NamedTuple):
    """A place in the picture."""

    x: float
    y: float


def between(a: Point, b: Point, part: float) -> Point:
    """Return the point on the way from ``a`` to ``b``; ``part`` is 0 at ``a`` and 1 at ``b``."""
    return Point(a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part)


class Note(NamedTuple):
    """Another effect of an event, written under the lanes: its middle, and its row, 0 is the highest."""

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

    ``labelled`` is whether there is room for words at each event. ``notices`` name the parts left out.
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
    least: float = 0.0

    @property
    def width(self) -> float:
        """The width of the picture: that of its steps, or the ``least`` that the texts above and below need."""
        return max(self.x(self.last) + self.right, self.least)

    @property
    def top(self) -> float:
        """The y at which the columns begin, under the numbers of the steps."""
        return _TOP - 42

    @property
    def bottom(self) -> float:
        """The y at which the columns end, under the last lane."""
        rows = max((note.row + 1 for note in self.notes), default=0)
        return self.y(self.lanes - 1) + _BOTTOM + 15 * rows

    def x(self, time: float) -> float:
        """Return the place of a time: the index of an event, or something between."""
        return self.left + (time - self.first + 0.5) * self.pitch

    def y(self, lane: float) -> float:
        """Return the place of a lane by its index."""
        return _TOP + 18 + lane * self.gap

    def at(self, time: float, lane: float) -> Point:
        """Return the point of a time on a lane."""
        return Point(self.x(time), self.y(lane))

    def shows(self, time: float | None) -> bool:
        """Return whether an event with this index is shown."""
        return time is not None and self.first <= time <= self.last

    def draws(self, message: DrawnMessage) -> bool:
        """Return whether some part of a message is visible."""
        ends_before = message.end is not None and message.end < self.first
        return (
            not ends_before and message.sent <= self.last and max(message.source, message.target) < self.lanes
        )

    def on_the_way(self, message: DrawnMessage, part: float, time: float) -> Point:
        """Return the point that is ``part`` of the way between a message's lanes, at a time."""
        return Point(self.x(time), self.y(message.source + (message.target - message.source) * part))

    def ends(self, message: DrawnMessage, place: int = 0) -> tuple[Point, Point]:
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

    def route(self, message: DrawnMessage, dots: Iterable[Point], place: int = 0) -> Route:
        """Return the path of a message; it makes a bend around ``dots`` that are not an end of it."""
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
    words = (clip(word, 16) for event in diagram.events for word in clean(event.words).split())
    pitch = max(68, 4 + max(map(text_width, words), default=0)) if shown <= 40 else 56 if shown <= 120 else 30
    gap = 96 if lanes <= 4 else 82 if lanes <= 8 else 66
    names = [
        text_width(clip(clean(lane.name), 18), size=13, bold=True) for lane in diagram.lanes[:MOST_LANES]
    ]
    left = 26 + max(names, default=20.0)
    labels = [
        text_width(clip(clean(m.label), 30 if m.raw else 16)) for m in diagram.messages if m.end is None
    ]
    right = pitch * 0.75 + 20 + max(labels) if labels else 48
    labelled = shown <= 120
    scale = Layout(first, last, min(lanes, MOST_LANES), left, pitch, gap, right, labelled, tuple(notices))
    notes = tuple(_notes(diagram, scale)) if labelled else ()
    return replace(scale, notes=notes, least=max(_least(diagram, scale, notes)))


def flag_text(diagram: Diagram) -> str:
    """Return the text above the picture: the violated property, and that it is violated here if by one step."""
    here = "" if diagram.violated_at is None else " here"
    return f"✗ {clip(clean(diagram.violated or ''), 60)} is violated{here}"


def flag_width(diagram: Diagram) -> float:
    """Return the width of the flag around that."""
    return text_width(flag_text(diagram), size=12, bold=True) + 16


def endless_text(diagram: Diagram) -> str:
    """Return the text below the picture on how the behaviour goes on forever; "" for one that ends."""
    if diagram.lasso is not None:
        return f"back to {diagram.lasso + 1}, and so on forever"
    return "and nothing happens any more, forever" if diagram.stuttering else ""


def _least(diagram: Diagram, scale: Layout, notes: Iterable[Note]) -> Iterator[float]:
    yield 0.0
    if diagram.violated is not None:
        yield flag_width(diagram) + 16
    if scale.notices:
        yield max(map(text_width, scale.notices)) + 24
    yield text_width(endless_text(diagram)) + 24
    for note in notes:
        yield note.x + text_width(note.text, bold=True) / 2 + 8


def _notes(diagram: Diagram, scale: Layout) -> Iterator[Note]:
    """Put each note under its event, in the first row where it has room; the picture is as wide as they need."""
    taken: list[float] = []
    for event in diagram.events[scale.first : scale.last + 1]:
        for note in event.notes:
            text = clip(clean(note), 40)
            size = text_width(text, bold=True)
            x = max(scale.x(event.index), size / 2 + 6)
            row = next((i for i, right in enumerate(taken) if right < x - size / 2 - 8), len(taken))
            taken[row : row + 1] = [x + size / 2]
            yield Note(event.index, text, x, row)


def in_transit(messages: Iterable[DrawnMessage]) -> Mapping[int, int]:
    """Return each message that is in transit at the end its place in its channel, first is 0."""
    places: dict[int, int] = {}
    count: dict[tuple[int, int], int] = {}
    for message in messages:
        if message.end is None:
            key = message.source, message.target
            places[message.id] = count[key] = count.get(key, -1) + 1
    return places


_BUCKET = 64.0
_ON_LINE = 0.35
"""The cost of covering a pixel of a line, where one of a label costs 1."""


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float
    cost: float
    owner: int | None


class Labels:
    """The areas already taken. A label that belongs to a line may lie on that line: both have the same ``owner``."""

    def __init__(self) -> None:
        self._buckets: dict[int, list[_Box]] = defaultdict(list)

    def block(self, centre: Point, width: float, height: float) -> None:
        """Keep a place free of labels."""
        self._add(_box(centre, width, height, 1.0, None))

    def line(self, points: Iterable[Point], owner: int | None = None) -> None:
        """Note where a line is, by points on it that are not far from each other."""
        for point in points:
            self._add(_box(point, 7, 7, _ON_LINE, owner))

    def place(
        self, candidates: Iterable[Point], width: float, height: float, owner: int | None = None
    ) -> Point:
        """Take the first candidate with room, or else the one that covers least."""
        best, least = Point(0, 0), float("inf")
        for centre in candidates:
            box = _box(centre, width, height, 1.0, owner)
            covered = self._covered(box)
            if covered < least:
                best, least = centre, covered
            if not covered:
                break
        self.block(best, width, height)
        return best

    def _add(self, box: _Box) -> None:
        for bucket in range(int(box.left // _BUCKET), int(box.right // _BUCKET) + 1):
            self._buckets[bucket].append(box)

    def _covered(self, box: _Box) -> float:
        near = {
            other
            for bucket in range(int(box.left // _BUCKET), int(box.right // _BUCKET) + 1)
            for other in self._buckets.get(bucket, ())
        }
        return sum(
            _overlap(box, other) * other.cost
            for other in near
            if other.owner is None or other.owner != box.owner
        )


def _box(centre: Point, width: float, height: float, cost: float, owner: int | None) -> _Box:
    x, y = centre
    return _Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2, cost, owner)


def _overlap(a: _Box, b: _Box) -> float:
    across = min(a.right, b.right) - max(a.left, b.left)
    down = min(a.bottom, b.bottom) - max(a.top, b.top)
    return across * down if across > 0 and down > 0 else 0.0
