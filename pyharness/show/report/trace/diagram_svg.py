"""A trace as a picture: the space-time diagram as SVG, complete in itself, the same text for the same trace.

Nothing is shown by colour alone: white is hollow and thin, red is filled and thick, a protocol's own element is
dashed, the cut is dash-dotted and named, a channel's recorded state is in a box.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from markupsafe import Markup

from pyharness.base.toolchain.clean_text import clean, clip
from pyharness.show.report.trace.captions import completed
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.events import RED, WHITE
from pyharness.show.report.trace.layout import (
    Labels,
    Layout,
    Point,
    endless_text,
    flag_text,
    flag_width,
    layout,
    text_width,
)
from pyharness.show.report.trace.svg_parts import (
    RADIUS,
    Arrows,
    cut_points,
    number,
    points,
    recorded_places,
    stretch,
    tag,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.show.report.trace.events import Diagram, DrawnCut, DrawnEvent
    from pyharness.tla.tlc import Trace


_SHAFT = (
    '<line class="shaft" x1="0" y1="0" x2="22" y2="0"/>'
    '<polyline class="head" points="20,-4.5 29,0 20,4.5 20,-4.5"/>'
)


class Sign(NamedTuple):
    """A sign: its markup, which is 30 wide around a base line at 0, and its meaning."""

    markup: str
    means: str


def legend(diagram: Diagram, top: float, width: float) -> tuple[list[str], float]:
    """Draw the legend from ``top`` down, in rows not wider than ``width``; return it and the y of its end."""
    parts, x, y = [], 14.0, top + 14
    for sign in _signs(diagram):
        size = 54 + text_width(sign.means)
        if x > 14 and x + size > width - 8:
            x, y = 14.0, y + 22
        parts.append(
            f'<g class="key" transform="translate({x:.0f} {y:.0f})">{sign.markup}'
            f'<text class="aside" x="36" y="4">{sign.means}</text></g>'
        )
        x += size
    return parts, y + 20


def legend_list(diagram: Diagram) -> Markup:
    """Return the legend as items of a list, each with its sign as a picture of its own."""
    return Markup("\n").join(
        Markup(
            '<li><svg class="std" width="34" height="20" viewBox="-2 -10 34 20" aria-hidden="true">{}</svg> {}</li>'
        ).format(Markup(sign.markup), sign.means)  # noqa: S704 - ours
        for sign in _signs(diagram)
    )


def _signs(diagram: Diagram) -> Iterator[Sign]:
    colours = {colour for event in diagram.events for colour in (*event.before, *event.after)}
    if WHITE in colours:
        yield Sign('<circle class="dot" cx="15" cy="0" r="6.5"/>', "white action")
    if RED in colours:
        yield Sign('<circle class="dot is-red" cx="15" cy="0" r="6.5"/>', "red action")
    if any(event.records for event in diagram.events):
        yield Sign(
            '<polygon class="record" points="5.5,0 15,-9.5 24.5,0 15,9.5"/>'
            '<polygon class="half" points="15,-9.5 24.5,0 15,9.5"/>',
            "records its state, turns red",
        )
    kinds = {(m.kind, m.colour) for m in diagram.messages}
    if {("message", WHITE), ("message", None)} & kinds:
        meaning = "white message" if WHITE in colours else "message"
        yield Sign(f'<g class="message is-white">{_SHAFT}</g>', meaning)
    if ("message", RED) in kinds:
        yield Sign(f'<g class="message is-red">{_SHAFT}</g>', "red message")
    for kind in sorted(
        {kind for kind, _ in kinds} & {"marker", "barrier", "cancel", "end", "report", "trigger"}
    ):
        yield Sign(f'<g class="message control {kind}">{_SHAFT}</g>', kind)
    if any(m.end is None for m in diagram.messages):
        yield Sign(
            '<g class="message"><line class="shaft" x1="0" y1="0" x2="22" y2="0"/>'
            '<circle class="open" cx="24" cy="0" r="4"/></g>',
            "in transit",
        )
    if any(m.restored or not m.sent for m in diagram.messages):
        yield Sign(
            '<g class="message"><line class="shaft" x1="8" y1="0" x2="22" y2="0"/>'
            '<polyline class="head" points="20,-4.5 29,0 20,4.5 20,-4.5"/>'
            '<circle class="open" cx="6" cy="0" r="4"/></g>',
            "put back, or there from the start",
        )
    if any(m.lost is not None for m in diagram.messages):
        yield Sign('<path class="lost" d="M10,-5 l10,10 m0,-10 l-10,10"/>', "lost")
    if diagram.cuts:
        yield Sign('<line class="cut" x1="0" y1="0" x2="30" y2="0"/>', "snapshot line")
    if any(kept.message is not None for kept in diagram.kept):
        yield Sign(
            '<rect class="pill" x="4" y="-7" width="22" height="14" rx="4"/>', "recorded as a channel's state"
        )


CSS: Final = (Path(__file__).parent / "templates" / "diagram.css").read_text(encoding="utf-8")
"""The style of the picture."""

_NOTES = 56


def to_svg(trace: Trace, meta: Mapping[str, Any] | None = None) -> str:
    """Draw a trace; ``meta`` is its document's. Gives a document that needs nothing else."""
    return draw(diagram_of(trace, completed(meta or {})), f"<style>{CSS}</style>") + "\n"


def draw(diagram: Diagram, style: str = "", *, key: bool = True) -> str:
    """Draw a diagram as an ``svg`` element; ``style`` goes first in it, for a picture that stands alone.

    Without ``key`` it has no legend: a page has :func:`pyharness.show.report.trace.diagram_svg.legend_list` beside it.

    Events have the class ``event`` and ``data-step``, messages ``message``, ``data-sent`` and ``data-end``: indices
    from 0. The ``rect`` of class ``now`` and ``veil`` are for pages to move.
    """
    scale = layout(diagram)
    signs, height = legend(diagram, scale.bottom + (40 if _goes_on(diagram) else 14), scale.width)
    if not key:
        signs, height = [], scale.bottom + (40 if _goes_on(diagram) else 6)
    parts = [*_Picture(diagram, scale).parts(), *signs]
    height += 16 * len(scale.notices)
    parts += [
        tag("text", clean(text), class_="aside notice", x=12, y=height - 6 - 16 * i)
        for i, text in enumerate(reversed(scale.notices))
    ]
    return tag(
        "svg",
        style
        + tag("title", clean(diagram.title))
        + tag("desc", clean(_description(diagram)))
        + tag("rect", class_="paper", width="100%", height="100%")
        + "\n".join(["", *parts, ""]),
        raw=True,
        xmlns="http://www.w3.org/2000/svg",
        class_="std",
        viewBox=f"0 0 {number(scale.width)} {number(height)}",
        width=scale.width,
        height=height,
        role="img",
        **{"data-first": scale.first, "data-left": scale.left, "data-pitch": scale.pitch},
    )


def _goes_on(diagram: Diagram) -> bool:
    return diagram.lasso is not None or diagram.stuttering


def _description(diagram: Diagram) -> str:
    processes = sum(lane.is_process for lane in diagram.lanes)
    of = f"{processes} processes and " if processes else ""
    text = f"Space-time diagram of {of}{len(diagram.events)} steps."
    if diagram.violated:
        where = "" if diagram.violated_at is None else f" at step {diagram.violated_at + 1}"
        text += f" {diagram.violated} is violated{where}."
    return text


class _Picture:
    """One picture on its way: each method yields elements, those in the background first."""

    def __init__(self, diagram: Diagram, scale: Layout) -> None:
        self._d, self._s = diagram, scale
        self._labels = Labels()
        self._shown = diagram.events[scale.first : scale.last + 1]
        self._dots = {
            event.index: [scale.at(event.index, lane) for lane in event.lanes] for event in self._shown
        }
        self._take_places()
        self._arrows = Arrows(diagram, scale, self._labels, self._dots)

    def _take_places(self) -> None:
        """Keep labels from numbers, dots, words, lanes and snapshot lines."""
        s = self._s
        for event in self._shown:
            self._labels.block(Point(s.x(event.index), s.top + 10), 18, 14)  # its number
            words = _lines(clean(event.words))
            wide = max(map(text_width, words)) + 4 if s.labelled else 20
            for i, lane in enumerate(event.lanes):
                point = s.at(event.index, lane)
                self._labels.block(point, 24, 24)
                if s.labelled and i == 0:
                    self._labels.block(
                        Point(point.x, point.y + 12 + 6 * len(words)), wide, 6 + 13 * len(words)
                    )
        for lane in range(s.lanes):
            self._labels.block(Point(s.width / 2, s.y(lane)), s.width, 10)
            self._labels.block(Point(s.left / 2 - 2, s.y(lane)), s.left - 4, 16)
        for cut in self._d.cuts:
            self._labels.line(cut_points(recorded_places(cut, s), s.pitch))
        if self._d.violated is not None:
            self._labels.block(Point(s.width / 2, 13), s.width, 26)

    def parts(self) -> Iterator[str]:
        yield from self._flag()
        yield from self._columns()
        yield from self._lanes()
        yield from self._arrows.bands()
        for cut in self._d.cuts:
            yield from self._cut(cut)
        yield from self._arrows.arrows()
        for event in self._shown:
            if event.lanes and event.lanes[0] < self._s.lanes:
                yield from self._event(event)
        yield from self._arrows.captions()
        for note in self._s.notes:
            y = self._s.y(self._s.lanes - 1) + _NOTES + 15 * note.row
            yield tag("text", note.text, class_="note haloed", x=note.x, y=y)
        yield from self._loop()
        yield from self._pointers()
        yield self._names()

    # -- the background ------------------------------------------------------------------------------------------

    def _columns(self) -> Iterator[str]:
        s = self._s
        every = 1 if s.labelled else 5
        for event in self._shown:
            x = s.x(event.index)
            if event.number % every == 0 or event.index in (s.first, s.last):
                yield tag("line", class_="grid", x1=x, x2=x, y1=s.top + 20, y2=s.bottom)
                yield tag("text", str(event.number), class_="axis", x=x, y=s.top + 14)

    def _flag(self) -> Iterator[str]:
        d, s = self._d, self._s
        if d.violated is None:
            return
        if d.violated_at is None:
            yield tag("text", flag_text(d), class_="flag-text", x=12, y=18)
            return
        x, text, size = s.x(d.violated_at), flag_text(d), flag_width(d)
        left = max(4.0, min(x - size / 2, s.width - size - 4))
        yield tag("rect", class_="flag", x=left, y=4, width=size, height=22, rx=5)
        yield tag("rect", class_="flag", x=x - s.pitch / 2, y=24, width=s.pitch, height=s.bottom - 24, rx=5)
        yield tag("text", text, class_="flag-text", x=left + 8, y=19)

    def _lanes(self) -> Iterator[str]:
        s = self._s
        end = s.x(s.last) + s.pitch * 0.45
        for i, lane in enumerate(self._d.lanes[: s.lanes]):
            y = s.y(i)
            turns = [time for cut in self._d.cuts for at, time in cut.at.items() if at == i and time % 1]
            changes = [(s.x(s.first) - s.pitch * 0.45, WHITE if turns else self._colour_at(i, s.first))]
            changes += [(s.x(time), RED) for time in turns]
            for event in () if turns else self._shown:
                for where, after in zip(event.lanes, event.after, strict=False):
                    if where == i and after != changes[-1][1]:
                        changes.append((s.x(event.index), after))
            kind = "lane" if lane.is_process else "lane outside"
            for (x1, colour), (x2, _) in pairwise([*changes, (end, None)]):
                yield tag(
                    "line", class_=f"{kind} is-red" if colour == RED else kind, x1=x1, x2=x2, y1=y, y2=y
                )
            name = clip(clean(lane.name), 18)
            for index in range(s.first + 20, s.last, 20):
                x = s.x(index) - s.pitch / 2
                yield tag("text", name, class_="again haloed", x=x, y=y - 8)

    def _names(self) -> str:
        """Write the names of the lanes on a ground of their own: a page that is scrolled keeps them in view."""
        s = self._s
        low = s.y(s.lanes - 1) + 22
        inner = [
            tag("rect", class_="paper", x=0, y=s.top, width=s.left - 4, height=low - s.top),
            tag("text", "step", class_="aside step", x=s.left - 10, y=s.top + 14),
        ]
        for i, lane in enumerate(self._d.lanes[: s.lanes]):
            name = clip(clean(lane.name), 18)
            inner.append(tag("text", name, class_="name", x=s.left - 10, y=s.y(i), **{"data-lane": i}))
        return tag("g", "".join(inner), raw=True, class_="names")

    def _colour_at(self, lane: int, index: int) -> str | None:
        """Return the colour of a lane before the event with this index."""
        for event in self._d.events[index:]:
            if lane in event.lanes:
                return event.before[event.lanes.index(lane)] if event.before else None
        for event in reversed(self._d.events[:index]):
            if lane in event.lanes:
                return event.after[event.lanes.index(lane)] if event.after else None
        return None

    def _cut(self, cut: DrawnCut) -> Iterator[str]:
        s = self._s
        places = recorded_places(cut, s)
        if not places:
            return
        path = []
        for lane, point in sorted(places.items()):
            above, below = lane - 1 in places, lane + 1 in places
            if not above:
                path.append(f"M{points(Point(point.x, point.y - 24))} L{points(point)}")
            if below:
                path.append(f"C{points(*stretch(point, places[lane + 1], s.pitch)[1:])}")
            else:
                path.append(f"L{points(Point(point.x, point.y + 24))}")
        yield tag("path", class_=f"cut cut-{cut.number % 4}", d=" ".join(path))
        top = places[min(places)]
        wide = text_width(cut.name, bold=True)
        beside = wide / 2 + 8
        over = (Point(top.x, top.y - 31), Point(top.x, top.y - 43))
        sides = (Point(top.x + beside, top.y - 19), Point(top.x - beside, top.y - 19))
        at = self._labels.place((*over, *sides), wide, 12)
        yield tag("text", cut.name, class_="cut-name haloed", x=at.x, y=at.y + 4)

    # -- events --------------------------------------------------------------------------------------------------

    def _event(self, event: DrawnEvent) -> Iterator[str]:
        s = self._s
        inner = [tag("title", clean(f"{event.number}. {event.text}"))]
        x = s.x(event.index)
        lanes = [lane for lane in event.lanes if lane < s.lanes]
        if event.crash or len(lanes) > 1:
            inner.append(tag("line", class_="crash", x1=x, x2=x, y1=s.y(lanes[0]), y2=s.y(lanes[-1])))
        height = s.bottom - s.top
        inner.append(tag("rect", class_="column", x=x - s.pitch / 2, y=s.top, width=s.pitch, height=height))
        for i, lane in enumerate(lanes):
            inner += self._dot(event, lane, i)
        if s.labelled:
            for i, word in enumerate(_lines(clean(event.words))):
                y = s.y(lanes[0]) + 22 + 12 * i
                inner.append(tag("text", word, class_="what haloed", x=x, y=y))
        flagged = " flagged" if event.index == self._d.violated_at else ""
        lanes_of = " ".join(map(str, event.lanes))
        yield tag(
            "g",
            "".join(inner),
            raw=True,
            class_=f"event{flagged}",
            **{"data-step": event.index, "data-lanes": lanes_of},
        )

    def _dot(self, event: DrawnEvent, lane: int, i: int) -> Iterator[str]:
        point, r = self._s.at(event.index, lane), RADIUS
        if not self._d.lanes[lane].is_process:
            yield tag("rect", class_="dot outside", x=point.x - 5, y=point.y - 5, width=10, height=10)
            return
        before, after = event.before[i], event.after[i]
        if lane in event.records:
            r += 3
            corners = [Point(point.x + dx, point.y + dy) for dx, dy in ((-r, 0), (0, -r), (r, 0), (0, r))]
            red = " is-red" if before == RED else ""
            yield tag("polygon", class_=f"record{red}", points=points(*corners))
            if before != RED and after == RED:
                yield tag("polygon", class_="half", points=points(*corners[1:]))
            return
        if event.crash:
            x, y = number(point.x - 7), number(point.y - 7)
            yield tag("circle", class_="gap", cx=point.x, cy=point.y, r=10)
            yield tag("path", class_="lost", d=f"M{x},{y} l14,14 m0,-14 l-14,14")
            return
        red = " is-red" if RED in (before, after) and before == after else ""
        yield tag("circle", class_=f"dot{red}", cx=point.x, cy=point.y, r=r)
        if before != after:
            x, y = number(point.x), number(point.y - r)
            sweep = 1 if after == RED else 0
            yield tag("path", class_="half", d=f"M{x},{y} A{r},{r} 0 0 {sweep} {x},{number(point.y + r)} Z")

    def _pointers(self) -> Iterator[str]:
        """Draw the marks that a page moves to the selected step: a frame around it, a veil over the later ones."""
        s = self._s
        height = s.bottom - s.top
        yield tag("rect", class_="veil", x=s.x(s.last), y=s.top, width=0, height=height)
        yield tag("rect", class_="now", x=s.left, y=s.top, width=s.pitch, height=height, rx=6)

    def _loop(self) -> Iterator[str]:
        d, s = self._d, self._s
        if not _goes_on(d):
            return
        y, x2 = s.bottom + 16, s.x(s.last)
        if d.lasso is None:
            yield tag("path", class_="loop", d=f"M{number(x2)},{number(s.bottom)} v16 h34 v-16")
            yield tag("path", class_="loop-head", d=f"M{number(x2 + 34)},{number(s.bottom - 9)} l-5,9 h10 z")
            text = endless_text(d)
            x = max(12.0, x2 - 8 - text_width(text))
            yield tag("text", text, class_="aside", x=x, y=y + (4 if x > 12 else 18))
            return
        x1 = s.x(max(d.lasso, s.first))
        yield tag("path", class_="loop", d=f"M{number(x2)},{number(s.bottom)} v16 H{number(x1)} v-16")
        yield tag("path", class_="loop-head", d=f"M{number(x1)},{number(s.bottom - 9)} l-5,9 h10 z")
        text = endless_text(d)
        x = max(12.0, (x1 + x2 - text_width(text)) / 2)
        yield tag("text", text, class_="aside haloed", x=x, y=y + 16)


def _lines(words: str) -> list[str]:
    """Break the words of an action into at most two lines."""
    if len(words) <= 9 or " " not in words:
        return [clip(words, 11)]
    head, _, tail = words.partition(" ")
    return [clip(head, 11), clip(tail, 13)]
