"""A trace as a picture: the space-time diagram as SVG, complete in itself, the same text for the same trace.

Nothing is told by colour alone: white is hollow and thin, red is filled and thick, what belongs to the protocol is
dashed, the cut is dash-dotted and named, what a channel's state holds is in a box.
"""

from __future__ import annotations

from itertools import pairwise
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.explain.state_values import clean, clip
from pyharness.report.trace.captions import completed
from pyharness.report.trace.diagram import diagram_of
from pyharness.report.trace.events import RED, WHITE
from pyharness.report.trace.layout import LETTER, Labels, Layout, Point, Route, between, in_transit, layout
from pyharness.report.trace.legend import legend
from pyharness.report.trace.svg_elements import arrow_head, number, points, tag

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.report.trace.events import Cut, Diagram, Event, Message
    from pyharness.tlc import Trace

__all__ = ["CSS", "draw", "to_svg"]

CSS: Final = (Path(__file__).parent / "templates" / "diagram.css").read_text(encoding="utf-8")
"""The style of the picture."""

_RADIUS = 6.5
_NOTES = 56


def to_svg(trace: Trace, meta: Mapping[str, Any] | None = None) -> str:
    """Draw a trace; ``meta`` is what its document says of it. Gives a document that needs nothing else."""
    return draw(diagram_of(trace, completed(meta or {})), f"<style>{CSS}</style>") + "\n"


def draw(diagram: Diagram, style: str = "") -> str:
    """Draw a diagram as an ``svg`` element; ``style`` goes first in it, for a picture that stands alone.

    Events have the class ``event`` and ``data-step``, messages ``message``, ``data-sent`` and ``data-end``: indices
    from 0. The ``rect`` of class ``now`` and ``veil`` are for pages to move.
    """
    scale = layout(diagram)
    key, height = legend(diagram, scale.bottom + (40 if _goes_on(diagram) else 14), scale.width)
    parts = [*_Picture(diagram, scale).parts(), *key]
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
    said = f"Space-time diagram of {processes} processes and {len(diagram.events)} steps."
    if diagram.violated:
        where = "" if diagram.violated_at is None else f" at step {diagram.violated_at + 1}"
        said += f" {diagram.violated} is violated{where}."
    return said


class _Picture:
    """One picture on its way: each method yields elements, those behind first."""

    def __init__(self, diagram: Diagram, scale: Layout) -> None:
        self._d, self._s = diagram, scale
        self._labels = Labels()
        self._places = in_transit(diagram.messages)
        self._shown = diagram.events[scale.first : scale.last + 1]
        self._dots = {
            event.index: [scale.at(event.index, lane) for lane in event.lanes] for event in self._shown
        }
        self._routes = {
            m.id: scale.route(m, self._passed(m), self._places.get(m.id, 0))
            for m in diagram.messages
            if scale.draws(m)
        }
        self._held = {kept.message: kept for kept in diagram.kept if kept.message in self._routes}

    def parts(self) -> Iterator[str]:
        for event in self._shown:
            for lane in event.lanes:
                point = self._s.at(event.index, lane)
                if self._s.labelled:
                    self._labels.block(Point(point.x, point.y + 12), 50, 46)
        for lane in range(self._s.lanes):
            self._labels.block(Point(self._s.width / 2, self._s.y(lane)), self._s.width, 10)
        yield from self._flag()
        yield from self._columns()
        yield from self._lanes()
        yield from self._bands()
        for cut in self._d.cuts:
            yield from self._cut(cut)
        for message in self._d.messages:
            if self._s.draws(message):
                yield from self._message(message)
        for event in self._shown:
            if event.lanes and event.lanes[0] < self._s.lanes:
                yield from self._event(event)
        yield from self._kept()
        for note in self._s.notes:
            y = self._s.y(self._s.lanes - 1) + _NOTES + 15 * note.row
            yield tag("text", note.text, class_="note haloed", x=note.x, y=y)
        yield from self._loop()
        yield from self._pointers()

    def _passed(self, m: Message) -> list[Point]:
        """Return the dots of the events between a message's ends; neighbours have none between them."""
        if abs(m.source - m.target) < 2:
            return []
        last = self._s.last + 1 if m.end is None else m.end
        return [dot for index in range(m.sent + 1, last) for dot in self._dots.get(index, ())]

    # -- what is behind ------------------------------------------------------------------------------------------

    def _columns(self) -> Iterator[str]:
        s = self._s
        every = 1 if s.labelled else 5
        yield tag("text", "step", class_="aside step", x=s.left - 10, y=s.top + 14)
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
            yield tag("text", f"✗ {clip(clean(d.violated), 60)} is violated", class_="flag-text", x=12, y=18)
            return
        x, text = s.x(d.violated_at), f"✗ {clip(clean(d.violated), 60)} is violated here"
        size = LETTER * 1.18 * len(text) + 16
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
            yield tag("text", name, class_="name", x=s.left - 10, y=y, **{"data-lane": i})
            for index in range(s.first + 20, s.last, 20):
                x = s.x(index) - s.pitch / 2
                yield tag("text", name, class_="again haloed", x=x, y=y - 8)

    def _colour_at(self, lane: int, index: int) -> str | None:
        """Return the colour of a lane before the event with this index."""
        for event in self._d.events[index:]:
            if lane in event.lanes:
                return event.before[event.lanes.index(lane)] if event.before else None
        for event in reversed(self._d.events[:index]):
            if lane in event.lanes:
                return event.after[event.lanes.index(lane)] if event.after else None
        return None

    def _cut(self, cut: Cut) -> Iterator[str]:
        s = self._s
        places = {lane: s.at(time, lane) for lane, time in cut.at.items() if lane < s.lanes and s.shows(time)}
        if not places:
            return
        path = []
        for lane, point in sorted(places.items()):
            above, below = lane - 1 in places, lane + 1 in places
            if not above:
                path.append(f"M{points(Point(point.x, point.y - 24))} L{points(point)}")
            if below:
                to = places[lane + 1]
                bend = (to.y - point.y) / 2
                ends = Point(point.x, point.y + bend), Point(to.x, to.y - bend), to
                path.append(f"C{points(*ends)}")
            else:
                path.append(f"L{points(Point(point.x, point.y + 24))}")
        yield tag("path", class_="cut", d=" ".join(path))
        top = places[min(places)]
        at = self._labels.place(
            [Point(top.x, top.y - 31), Point(top.x, top.y - 43)], LETTER * len(cut.name), 12
        )
        yield tag("text", cut.name, class_="cut-name haloed", x=at.x, y=at.y + 4)

    # -- messages ------------------------------------------------------------------------------------------------

    def _message(self, m: Message) -> Iterator[str]:
        route = self._routes[m.id]
        end, length = route.end, hypot(route.end.x - route.bend.x, route.end.y - route.bend.y) or 1.0
        arrives = m.accepted is not None and m.accepted <= self._s.last
        tip = between(end, route.bend, (_RADIUS + 2) / length) if arrives else end
        kind = f"control {m.kind}" if m.is_control else "is-red" if m.colour == RED else "is-white"
        broken = m.crossing == "red in white"
        inner = [tag("title", clean(_told(m, self._d))), tag("path", class_="shaft", d=route.to(tip).path)]
        if m.restored or m.sent == 0:
            inner.append(tag("circle", class_="open", cx=route.start.x, cy=route.start.y, r=4))
        if arrives:
            inner.append(arrow_head(route.bend, tip))
        elif m.lost is not None and m.lost <= self._s.last:
            x, y = number(end.x - 5), number(end.y - 5)
            inner.append(tag("path", class_="lost", d=f"M{x},{y} l10,10 m0,-10 l-10,10"))
        else:
            inner.append(tag("circle", class_="open", cx=end.x, cy=end.y, r=4))
        inner += self._label(m, route, broken=broken)
        yield tag(
            "g",
            "".join(inner),
            raw=True,
            class_=f"message {kind}{' broken' if broken else ''}",
            **{"data-sent": m.sent, "data-end": m.end, "data-lanes": f"{m.source} {m.target}"},
        )

    def _label(self, m: Message, route: Route, *, broken: bool) -> Iterator[str]:
        if broken:
            text = f"⚠ {clip(clean(m.label), 14)}: red in white"
            spots = [route.at(part) for part in (0.5, 0.4, 0.6, 0.3, 0.7)]
            near = [Point(p.x, p.y + dy) for dy in (0, -13, 13) for p in spots]
            at = self._labels.place(near, LETTER * len(text), 14)
            yield tag("text", text, class_="warning haloed", x=at.x, y=at.y)
        elif self._s.labelled and m.id not in self._held:
            text = clip(clean(m.label), 16)
            if m.end is None:
                at = Point(route.end.x + 9 + LETTER * len(text) / 2, route.end.y)
                self._labels.block(at, LETTER * len(text), 12)
            else:
                parts = (0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78)
                at = self._labels.place(map(route.at, parts), LETTER * len(text), 12)
            yield tag("text", text, class_="label haloed", x=at.x, y=at.y)

    def _bands(self) -> Iterator[str]:
        for held in self._held:
            yield tag("path", class_="band", d=self._routes[held].path)

    def _kept(self) -> Iterator[str]:
        """Draw what was recorded of a channel, where its message crosses the cut."""
        cuts = {cut.name: cut for cut in self._d.cuts}
        for held, kept in self._held.items():
            if kept.cut not in cuts:
                continue
            route = self._routes[held]
            text = clip(f"{kept.channel} holds {clean(self._d.messages[held].label)}", 26)
            size = LETTER * 1.08 * len(text) + 12
            crossed = self._s.crossing(route, cuts[kept.cut])
            parts = [crossed, *(part / 20 for part in range(4, 17, 2))]
            spots = [Point(p.x, p.y + dy) for dy in (0, 16, -16) for p in map(route.at, parts)]
            at = self._labels.place(spots, size, 18)
            yield tag("rect", class_="pill", x=at.x - size / 2, y=at.y - 9, width=size, height=18, rx=4)
            yield tag("text", text, class_="pill-text", x=at.x, y=at.y + 0.5)

    # -- events --------------------------------------------------------------------------------------------------

    def _event(self, event: Event) -> Iterator[str]:
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

    def _dot(self, event: Event, lane: int, i: int) -> Iterator[str]:
        point, r = self._s.at(event.index, lane), _RADIUS
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
        """Draw what a page moves to the step that is looked at: a frame around it, a veil over what follows."""
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
            text = "and nothing happens any more, for ever"
            x = max(12.0, x2 - 8 - LETTER * 0.95 * len(text))
            yield tag("text", text, class_="aside", x=x, y=y + (4 if x > 12 else 18))
            return
        x1 = s.x(max(d.lasso, s.first))
        yield tag("path", class_="loop", d=f"M{number(x2)},{number(s.bottom)} v16 H{number(x1)} v-16")
        yield tag("path", class_="loop-head", d=f"M{number(x1)},{number(s.bottom - 9)} l-5,9 h10 z")
        text = f"back to {d.lasso + 1}, and so on for ever"
        yield tag("text", text, class_="aside haloed", x=(x1 + x2) / 2 - LETTER * len(text) / 2, y=y + 16)


def _lines(words: str) -> list[str]:
    """Break the words of an action into at most two lines."""
    if len(words) <= 9 or " " not in words:
        return [clip(words, 11)]
    head, _, tail = words.partition(" ")
    return [clip(head, 11), clip(tail, 13)]


def _told(m: Message, diagram: Diagram) -> str:
    """Tell of a message what its arrow shows."""
    colour = f"{m.colour} " if m.colour else ""
    names = [clip(diagram.lanes[lane].name, 40) for lane in (m.source, m.target)]
    label = m.label if m.is_control else f"{colour}{m.kind} {m.label}"
    said = f"{label} from {names[0]} to {names[1]}, sent at {m.sent + 1}"
    if m.restored:
        said = f"{label} from {names[0]} to {names[1]}, put back at {m.sent + 1}"
    if m.accepted is not None:
        said += f", accepted at {m.accepted + 1}"
    elif m.lost is not None:
        said += f", lost at {m.lost + 1}"
    else:
        said += ", in transit at the end"
    if m.overtakes:
        said += ", from behind others"
    return said + (f": {m.crossing}" if m.crossing else "")
