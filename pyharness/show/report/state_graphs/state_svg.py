"""A small state graph as an SVG picture, laid out in rows (Sugiyama's method, by igraph)."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from igraph import Graph
from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.show.report.state_graphs.state_picture import Arrow, StateBox, StateGraph

_ACROSS: Final = 132.0
_DOWN: Final = 112.0
_LINE: Final = 12.0
_EDGE: Final = 70.0
_TOP: Final = 74.0
_TALL: Final = 44.0
_APART: Final = 17

CSS: Final = Markup("""
.states { background: #fbfaf8; font-family: system-ui, sans-serif; color: #1c2024; }
.states .title { font-size: 17px; font-weight: 600; fill: #1c2024; } .states .note { font-size: 12.5px; fill: #5a626b; }
.states .state { fill: #fff; stroke: #5a626b; } .states .over { stroke-width: 3; stroke: #1c2024; }
.states .number { font-size: 12px; fill: #1c2024; text-anchor: middle; }
.states .white { fill: #fff; stroke: #1c2024; stroke-width: 1.4; }
.states .red { fill: #c22f25; stroke: #8c1d16; stroke-width: 1.4; }
.states .arrow { fill: none; stroke: #7d858e; stroke-width: 1.2; } .states .back { stroke-dasharray: 5 3; }
.states .fails { stroke: #c22f25; stroke-width: 2.4; }
.states .value { font: 11px ui-monospace, monospace; fill: #1c2024; text-anchor: middle; }
.states .bad { fill: #a3241b; }
.states .tip { fill: #7d858e; }
.states .action { font-size: 10.5px; fill: #1c2024; text-anchor: middle; paint-order: stroke; stroke: #fbfaf8;
  stroke-width: 4px; stroke-linejoin: round; }
@media (prefers-color-scheme: dark) {
  .states { background: #13161a; }
  .states .title, .states .number, .states .action, .states .value { fill: #e4e7ea; } .states .note { fill: #a3abb4; }
  .states .state { fill: #1a1e23; stroke: #8b949e; } .states .over { stroke: #e4e7ea; }
  .states .action { stroke: #13161a; } .states .fails { stroke: #ff8f85; } .states .bad { fill: #ff8f85; }
  .states .white { fill: #f4f5f6; stroke: #f4f5f6; } .states .red { fill: #e2483c; stroke: #ff8f85; }
}
""")
"""The style of the picture."""

_Point = tuple[float, float]
_Box = tuple[float, float, float, float]


class _Grid(NamedTuple):
    """How large the box of each state is, and how far their middles are from each other."""

    wide: float
    tall: float
    across: float
    down: float
    top: float


def states_svg(graph: StateGraph, title: str, *, style: bool = True) -> str:
    """Draw the graph as SVG text: a box for each state, with a circle for each process, filled if it is red.

    A box with lines instead is as large as they are. A box with a heavy border is not followed further. Pointing at a
    state shows its variables. An arrow that leads back is dashed. A state's group has its number as ``data-state``.
    Without ``style``, the page around has to have :data:`CSS`.
    """
    size = _size(graph)
    places, ways = _layout(graph, size)
    edge = max(_EDGE, size.wide / 2 + 24, size.tall / 2 + 24)
    right = max(x for way in [*ways.values(), list(places.values())] for x, _ in way) + edge
    bottom = max(y for _, y in places.values()) + edge
    notes = _notes(graph)
    width = max(right, 640.0, 0.0 if graph.processes else 48 + 6.6 * max(map(len, notes)))
    parts = [
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:.0f} {h:.0f}" width="{w:.0f}" height="{h:.0f}" '
            'role="img" aria-label="{title}" class="states">{style}'
            '<text class="title" x="24" y="32">{title}</text>'
            "{notes}"
        ).format(
            w=width,
            h=bottom,
            title=title,
            style=Markup("<style>{}</style>").format(CSS) if style else "",
            notes=Markup("").join(
                Markup('<text class="note" x="24" y="{}">{}</text>').format(52 + _APART * number, note)
                for number, note in enumerate(notes)
            ),
        )
    ]
    parts += [_arrow(arrow, ways[arrow.source, arrow.target], size) for arrow in graph.arrows]
    taken = [_box(place, size.wide, size.tall) for place in places.values()]
    parts += [_labels(arrow, ways[arrow.source, arrow.target], taken) for arrow in graph.arrows]
    parts += [_state(node, places[node.number], size) for node in graph.nodes]
    return str(Markup("\n").join([*parts, Markup("</svg>\n")]))


def _notes(graph: StateGraph) -> list[str]:
    numbers = f"{len(graph.nodes)} states, {len(graph.arrows)} arrows."
    return [f"{numbers} {graph.legend}".strip(), *(f"{note[:1].upper()}{note[1:]}." for note in graph.notes)]


def _size(graph: StateGraph) -> _Grid:
    top = _TOP + _APART * len(graph.notes)
    lines = [line for node in graph.nodes for line in _lines(node)]
    if not lines:
        return _Grid(_wide(len(graph.processes)), _TALL, _ACROSS, _DOWN, top)
    wide = max(40.0, 6.9 * max(map(len, lines)) + 16)
    tall = 26 + 14 * max(len(_lines(node)) for node in graph.nodes)
    return _Grid(wide, tall, wide + 64, tall + 72, top)


def _lines(node: StateBox) -> tuple[str, ...]:
    return (*node.lines, *(f"✗ {name}" for name in node.fails))


def _layout(graph: StateGraph, size: _Grid) -> tuple[dict[int, _Point], dict[tuple[int, int], list[_Point]]]:
    """Place the states in their rows, and return the way of each arrow, from its source to its target."""
    down = [(arrow.source, arrow.target) for arrow in graph.arrows if not arrow.back]
    drawn = Graph(len(graph.nodes), [(a - 1, b - 1) for a, b in down], directed=True)
    layout = drawn.layout_sugiyama(
        layers=[node.row for node in graph.nodes], hgap=size.across, vgap=size.down, maxiter=400
    )
    left = min(x for x, _ in layout.coords) - max(_EDGE, size.wide / 2 + 24)

    def placed(point: Sequence[float]) -> _Point:
        return point[0] - left, point[1] + size.top + size.tall / 2

    places = {node.number: placed(layout.coords[node.number - 1]) for node in graph.nodes}
    routed = {
        (source, target): [places[source], *map(placed, bends), places[target]]
        for (source, target), bends in zip(down, layout.edge_routing, strict=True)
    }
    back = [arrow for arrow in graph.arrows if arrow.back]
    return places, routed | {
        (a.source, a.target): _back(places[a.source], places[a.target], size) for a in back
    }


def _back(begin: _Point, end: _Point, size: _Grid) -> list[_Point]:
    """Lead an arrow back, to the right of the states that it passes."""
    if begin == end:
        return [begin, (begin[0] + _beside(size), begin[1] + size.tall / 2 + 12), end]
    right = max(begin[0], end[0]) + 0.62 * size.across
    return [begin, (right, begin[1] - size.down / 3), (right, end[1] + size.down / 3), end]


def _beside(size: _Grid) -> float:
    return 44.0 if size.wide < 88 else size.wide / 2 + 24


def _clipped(way: Sequence[_Point], size: _Grid) -> list[_Point]:
    """Let a way begin and end at the borders of its boxes."""
    first, last = _border(way[0], way[1], size, 0), _border(way[-1], way[-2], size, 4)
    return [first, *way[1:-1], last]


def _border(centre: _Point, towards: _Point, size: _Grid, gap: float) -> _Point:
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    scale = min(
        (size.wide / 2 + gap) / abs(dx) if dx else math.inf,
        (size.tall / 2 + gap) / abs(dy) if dy else math.inf,
        1.0,
    )
    return centre[0] + dx * scale, centre[1] + dy * scale


def _wide(processes: int) -> float:
    return max(40.0, 18.0 * processes + 10)


def _arrow(arrow: Arrow, way: Sequence[_Point], size: _Grid) -> Markup:
    points = _clipped(way, size)
    (x1, y1), (x2, y2) = points[-2], points[-1]
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    back = " back" if arrow.back else ""
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in [*points[:-1], (x2 - 5 * ux, y2 - 5 * uy)])
    tip = f"{x2:.1f},{y2:.1f} {x2 - 8 * ux - 3.4 * uy:.1f},{y2 - 8 * uy + 3.4 * ux:.1f} "
    tip += f"{x2 - 8 * ux + 3.4 * uy:.1f},{y2 - 8 * uy - 3.4 * ux:.1f}"
    return Markup('<polyline class="arrow{}" points="{}"/><polygon class="tip" points="{}"/>').format(
        back, line, tip
    )


def _labels(arrow: Arrow, way: Sequence[_Point], taken: list[_Box]) -> Markup:
    """Write the actions on an arrow's way, at a free place if there is one; ``taken`` has the occupied ones."""
    lines = (
        arrow.actions
        if len(arrow.actions) <= 3
        else (*arrow.actions[:2], f"and {len(arrow.actions) - 2} more")
    )
    wide, tall = 5.7 * max(map(len, lines)), _LINE * len(lines)
    boxes = [_box(_along(way, part), wide, tall) for part in (0.5, 0.58, 0.42, 0.66, 0.34, 0.74, 0.26)]
    box = min(boxes, key=lambda box: sum(_overlap(box, other) for other in taken))
    taken.append(box)
    return Markup("").join(
        Markup('<text class="action" x="{:.1f}" y="{:.1f}">{}</text>').format(
            (box[0] + box[2]) / 2, box[1] + _LINE * number + 9.5, action
        )
        for number, action in enumerate(lines)
    )


def _along(way: Sequence[_Point], part: float) -> _Point:
    """Return the point of a path where ``part`` of it is passed."""
    pieces = [(a, b, math.dist(a, b)) for a, b in pairwise(way)]
    left = part * sum(length for _, _, length in pieces)
    for (x1, y1), (x2, y2), length in pieces:
        if left <= length:
            share = left / (length or 1.0)
            return x1 + (x2 - x1) * share, y1 + (y2 - y1) * share
        left -= length
    return way[-1]


def _box(centre: _Point, wide: float, tall: float) -> _Box:
    return centre[0] - wide / 2, centre[1] - tall / 2, centre[0] + wide / 2, centre[1] + tall / 2


def _overlap(one: _Box, other: _Box) -> float:
    """Return the area that two boxes share."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across * down if across > 0 and down > 0 else 0.0


def _state(node: StateBox, place: _Point, size: _Grid) -> Markup:
    x, y = place
    circles = Markup("").join(
        Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="5.5"/>').format(
            "red" if red else "white", x + (number - (len(node.red) - 1) / 2) * 17, y + 9
        )
        for number, red in enumerate(node.red)
    )
    top = y - size.tall / 2
    values = Markup("").join(
        Markup('<text class="value{}" x="{:.1f}" y="{:.1f}">{}</text>').format(
            " bad" if number >= len(node.lines) else "", x, top + 34 + 14 * number, line
        )
        for number, line in enumerate(_lines(node))
    )
    return Markup(
        '<g data-state="{number}"><title>{text}</title>'
        '<rect class="state{over}" x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{tall}" rx="9"/>'
        '<text class="number" x="{x:.1f}" y="{low:.1f}">{number}</text>{circles}{values}</g>'
    ).format(
        text=f"state {node.number}\n{node.text}",
        over=(" over" if node.over else "") + (" fails" if node.fails else ""),
        left=x - size.wide / 2,
        top=top,
        wide=size.wide,
        tall=size.tall,
        x=x,
        low=top + 17,
        number=node.number,
        circles=circles,
        values=values,
    )
