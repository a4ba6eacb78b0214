"""A counterexample to induction as SVG: the state before and the state after, in the colours of the trace page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.proof.counterexample import Picture, Scene

__all__ = ["svg"]

_PANEL: Final = 330.0
_TALL: Final = 250.0
_TOP: Final = 84.0
_RADIUS: Final = 19.0
_LINE: Final = 15.0

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
    width, height = max(640.0, _PANEL * len(scenes)), _TOP + _TALL + _LINE * (notes + 2)
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
        yield from _channel(places[source - 1], places[target - 1], queue, twin, centre)
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


def _channel(
    source: Point, target: Point, queue: tuple[str, ...], twin: int, centre: Point
) -> Iterator[Markup]:
    """Draw a channel as a bent arrow, its elements spread on it."""
    control = _control(source, target, twin, centre)
    begin, end = _clip(source, control), _clip(target, control)
    angle = math.atan2(end[1] - control[1], end[0] - control[0])
    tip = [end, *(_polar(end, angle + math.pi + turn, 9.0) for turn in (0.38, -0.38))]
    yield Markup(
        '<path class="arrow" d="M{:.1f},{:.1f} Q{:.1f},{:.1f} {:.1f},{:.1f}"/><polygon class="tip" points="{}"/>'
    ).format(*begin, *control, *end, " ".join(f"{x:.1f},{y:.1f}" for x, y in tip))
    for number, element in enumerate(queue):
        along = 1 - (number + 1) / (len(queue) + 1)
        x, y = _bent(begin, control, end, along)
        if element == "marker":
            yield Markup('<rect class="marker" x="{:.1f}" y="{:.1f}" width="5" height="18"/>').format(
                x - 2.5, y - 9
            )
        else:
            yield Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="6"/>').format(element, x, y)


def _control(source: Point, target: Point, twin: int, centre: Point) -> Point:
    if source == target:
        return source[0] + 70 + 30 * twin, source[1] - 90 - 20 * twin
    middle = ((source[0] + target[0]) / 2, (source[1] + target[1]) / 2)
    across = (target[1] - source[1], source[0] - target[0])
    length = math.hypot(*across) or 1.0
    bend = 34.0 + 44.0 * twin
    return middle[0] + across[0] / length * bend, middle[1] + across[1] / length * bend


def _clip(point: Point, towards: Point) -> Point:
    return _polar(point, math.atan2(towards[1] - point[1], towards[0] - point[0]), _RADIUS + 2)


def _polar(point: Point, angle: float, length: float) -> Point:
    return point[0] + length * math.cos(angle), point[1] + length * math.sin(angle)


def _bent(a: Point, b: Point, c: Point, t: float) -> Point:
    """Return the point at ``t`` of the quadratic curve from a to c that b bends."""
    one, two, three = (1 - t) ** 2, 2 * t * (1 - t), t**2
    return one * a[0] + two * b[0] + three * c[0], one * a[1] + two * b[1] + three * c[1]
