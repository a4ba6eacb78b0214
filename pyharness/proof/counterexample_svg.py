"""A counterexample to induction as SVG: the state before and the state after, in the colours of the trace page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.proof.counterexample import Picture, Scene

_PANEL: Final = 330.0
_TALL: Final = 250.0
_TOP: Final = 84.0
_RADIUS: Final = 19.0
_LINE: Final = 15.0
_LETTER: Final = 10.0
"""Of a title, at most."""

_STYLE: Final = Markup("""
svg { background: #fbfaf8; font-family: system-ui, sans-serif; }
.title { font-size: 17px; font-weight: 600; fill: #1c2024; } .note { font-size: 12.5px; fill: #5a626b; }
.head { font-size: 13px; font-weight: 600; fill: #1c2024; }
.white { fill: #fff; stroke: #1c2024; stroke-width: 1.4; } .red { fill: #c22f25; stroke: #8c1d16; stroke-width: 1.4; }
.marker { fill: #1c2024; } .name { font-size: 12px; text-anchor: middle; fill: #1c2024; } .onred { fill: #fff; }
.arrow { fill: none; stroke: #7d858e; stroke-width: 1.3; } .tip { fill: #7d858e; }
@media (prefers-color-scheme: dark) {
  svg { background: #13161a; } .title, .head { fill: #e4e7ea; } .note { fill: #a3abb4; }
  .white { fill: #f4f5f6; stroke: #f4f5f6; } .red { fill: #e2483c; stroke: #ff8f85; } .marker { fill: #e4e7ea; }
}
""")

Point = tuple[float, float]


def svg(shown: Picture) -> str:
    """Draw a picture as SVG text: circles are processes, filled if red; what is in a channel is drawn on its arrow."""
    scenes = [("before", shown.before)] + ([(f"after {shown.step}", shown.after)] if shown.after else [])
    notes = max(len(scene.notes) for _, scene in scenes)
    width = max(640.0, _PANEL * len(scenes), 48 + _LETTER * len(shown.title))
    height = _TOP + _TALL + _LINE * (notes + 2)
    parts = [
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:.0f} {h:.0f}" width="{w:.0f}" height="{h:.0f}" '
            'role="img" aria-label="{title}"><style>{style}</style><text class="title" x="24" y="32">{title}</text>'
            '<text class="note" x="24" y="52">A bar is a marker. What comes first is nearest to the arrow\'s head.'
            "</text>"
        ).format(w=width, h=height, title=shown.title, style=_STYLE)
    ]
    for number, (head, scene) in enumerate(scenes):
        parts += _panel(head, scene, shown.ends, number * _PANEL)
    return str(Markup("\n").join([*parts, Markup("</svg>\n")]))


def _panel(head: str, scene: Scene, ends: tuple[tuple[int, int], ...], left: float) -> Iterator[Markup]:
    centre = (left + _PANEL / 2, _TOP + _TALL / 2)
    yield Markup('<text class="head" x="{:.0f}" y="{:.0f}">{}</text>').format(left + 24, _TOP - 6, head)
    places = [_place(number, len(scene.red), centre) for number in range(len(scene.red))]
    seen: dict[tuple[int, int], int] = {}
    for (source, target), queue in zip(ends, scene.channels, strict=True):
        twin = seen[source, target] = seen.get((source, target), -1) + 1
        yield from _channel(places[source - 1], places[target - 1], queue, twin)
    for number, (place, red) in enumerate(zip(places, scene.red, strict=True), start=1):
        yield Markup(
            '<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}"/><text class="name{}" x="{:.1f}" y="{:.1f}">P{}</text>'
        ).format(
            "red" if red else "white",
            *place,
            _RADIUS,
            " onred" if red else "",
            place[0],
            place[1] + 4,
            number,
        )
    said = [f"P{n} {state}" for n, state in enumerate(scene.states, start=1)]
    for row, note in enumerate([", ".join(said), *scene.notes]):
        y = _TOP + _TALL + _LINE * (row + 1)
        yield Markup('<text class="note" x="{:.0f}" y="{:.0f}">{}</text>').format(left + 24, y, note)


def _place(number: int, count: int, centre: Point) -> Point:
    """Put the processes on a circle, the first on the left."""
    angle = math.pi + 2 * math.pi * number / count
    reach = 0.0 if count == 1 else 88.0
    return centre[0] + reach * math.cos(angle), centre[1] + reach * math.sin(angle) * 0.9


def _channel(source: Point, target: Point, queue: tuple[str, ...], twin: int) -> Iterator[Markup]:
    """Draw a channel as a bent arrow, its elements spread on it."""
    out, back = _controls(source, target, twin)
    begin, end = _clip(source, out), _clip(target, back)
    angle = math.atan2(end[1] - back[1], end[0] - back[0])
    tip = [end, *(_polar(end, angle + math.pi + turn, 9.0) for turn in (0.38, -0.38))]
    yield Markup(
        '<path class="arrow" d="M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}"/>'
        '<polygon class="tip" points="{}"/>'
    ).format(*begin, *out, *back, *end, " ".join(f"{x:.1f},{y:.1f}" for x, y in tip))
    for number, element in enumerate(queue):
        x, y = _bent((begin, out, back, end), 1 - (number + 1) / (len(queue) + 1))
        if element == "marker":
            yield Markup('<rect class="marker" x="{:.1f}" y="{:.1f}" width="5" height="18"/>').format(
                x - 2.5, y - 9
            )
        else:
            yield Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="6"/>').format(element, x, y)


def _controls(source: Point, target: Point, twin: int) -> tuple[Point, Point]:
    """Return the two points that bend a channel; a second channel between the same processes is bent more."""
    if source == target:
        reach, turn = 105.0 + 20 * (twin // 2), (-math.pi / 2 if twin % 2 == 0 else math.pi / 2)
        return _polar(source, turn + 0.55, reach), _polar(source, turn - 0.55, reach)
    across = (target[1] - source[1], source[0] - target[0])
    length = math.hypot(*across) or 1.0
    bend = (36.0 + 44.0 * twin) / length
    out, back = (
        (source[n] + (target[n] - source[n]) * part + across[n] * bend for n in (0, 1)) for part in (0.3, 0.7)
    )
    (x1, y1), (x2, y2) = out, back
    return (x1, y1), (x2, y2)


def _clip(point: Point, towards: Point) -> Point:
    return _polar(point, math.atan2(towards[1] - point[1], towards[0] - point[0]), _RADIUS + 2)


def _polar(point: Point, angle: float, length: float) -> Point:
    return point[0] + length * math.cos(angle), point[1] + length * math.sin(angle)


def _bent(points: tuple[Point, Point, Point, Point], t: float) -> Point:
    """Return the point at ``t`` of a cubic curve."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
    x, y = (sum(w * point[n] for w, point in zip(weights, points, strict=True)) for n in (0, 1))
    return x, y
