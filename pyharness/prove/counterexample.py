"""A small structure as a reader sees it: a graph, a state, the step, and the state after it; as text, and as SVG."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from pyharness.prove.logic import BOOL, CHANNEL, ID, POSITION, PROCESS, Expr, Structure, compiled
from pyharness.prove.logic.finite_universe import Element
from pyharness.prove.logic.formula import Quantified
from pyharness.prove.modules.application_proof import SOURCE, TARGET
from pyharness.prove.modules.snapshots_proof import Snapshots
from pyharness.prove.obligations import parts
from pyharness.prove.structure_values import ids_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyharness.prove.obligations import Obligation
    from pyharness.prove.proof_module import Action, System
    from pyharness.prove.steps import State


@dataclass(frozen=True, slots=True)
class Scene:
    """A state: for each process what is said of it and whether it is red; for each channel its elements, first first.

    An element is ``white``, ``red`` or ``marker``. ``notes`` has what is true beyond that, in the names of TLA+.
    """

    red: tuple[bool, ...]
    states: tuple[str, ...]
    channels: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A counterexample, or a witness: ``ends`` has the source and target of each channel, from 1.

    ``step`` names the action with its parameters; without one there is a state only.
    """

    title: str
    ends: tuple[tuple[int, int], ...]
    before: Scene
    step: str = ""
    after: Scene | None = None


def picture(obligation: Obligation, structure: Structure, title: str) -> Picture:
    """Return what a structure shows of an obligation of a module; where there are ids, through one that shows it."""
    system = obligation.system
    if system is None:
        raise ValueError(f"{obligation.name} is of no module")
    channels = [Element(CHANNEL, c) for c in structure.universe[CHANNEL]]
    ends = tuple((structure.value(SOURCE(c)) + 1, structure.value(TARGET(c)) + 1) for c in channels)
    through = _shown(obligation, structure)

    def scene(s: State) -> Scene:
        if isinstance(system, Snapshots):
            return _scene_of_ids(system, s, structure, ends, through)
        return _scene(system, s, structure, ends)

    if obligation.step is None:
        return Picture(title, ends, scene(system.state()))
    action, state, step = obligation.step
    return Picture(title, ends, scene(state), _called(action, structure, ends), scene(step.after))


def _shown(obligation: Obligation, structure: Structure) -> int:
    """Return the number of an id of which the goal does not hold; 0 if there is none, or the goal is of no id."""
    for part in parts(obligation.goal) if obligation.goal is not None else ():
        if isinstance(part, Quantified) and part.all and part.variables[0].of == ID:
            first, *others = part.variables
            holds = compiled(Quantified(True, tuple(others), part.body) if others else part.body)
            for n in structure.universe[ID]:
                if not holds(structure, {first.number: n}):
                    return n
    return 0


def _scene_of_ids(
    system: Snapshots, s: State, structure: Structure, ends: tuple[tuple[int, int], ...], through: int
) -> Scene:
    """Return a state as it is seen through one id; the notes tell of the others."""
    names = [f"P{p}.{k}" for p, k in ids_named(structure, {p: p + 1 for p in structure.universe[PROCESS]})]
    views = [
        _scene(system.single, system.view(s, Element(ID, n)), structure, ends) for n in range(len(names))
    ]
    shown = views[through]
    notes = [f"seen through {names[through]}", *shown.notes]
    for n, view in enumerate(views):
        red = [f"P{p} red" for p, is_red in enumerate(view.red, start=1) if is_red]
        markers = [
            f"its marker in {_channel(c, ends)}" for c, queue in enumerate(view.channels) if "marker" in queue
        ]
        if n != through and (red or markers or view.notes):
            notes.append(f"{names[n]}: {', '.join([*red, *markers, *view.notes])}")
    return Scene(shown.red, shown.states, shown.channels, tuple(notes))


def _scene(system: System, s: State, structure: Structure, ends: tuple[tuple[int, int], ...]) -> Scene:
    holds, value, universe = structure.holds, structure.value, structure.universe
    names = {symbol.name for symbol in system.variables}
    processes = [Element(PROCESS, p) for p in universe[PROCESS]]
    channels = [Element(CHANNEL, c) for c in universe[CHANNEL]]
    positions = [Element(POSITION, k) for k in universe[POSITION]]

    def element(c: Expr, k: Expr) -> str:
        if "isMarker" in names and holds(s.isMarker(c, k)):
            return "marker"
        return "red" if "isRed" in names and holds(s.isRed(c, k)) else "white"

    red = tuple("red" in names and holds(s.red(p)) for p in processes)
    states = tuple(
        f"in s{value(s.state(p)) + 1}" + (f", recorded s{value(s.recState(p)) + 1}" if r else "")
        for p, r in zip(processes, red, strict=True)
    )
    queues = tuple(tuple(element(c, k) for k in positions if holds(s.chan(c, k))) for c in channels)
    return Scene(red, states, queues, tuple(_notes(system, s, structure, ends)))


def _notes(
    system: System, s: State, structure: Structure, ends: tuple[tuple[int, int], ...]
) -> Iterator[str]:
    """Yield what holds beyond states, colours and contents."""
    shown = {"state", "chan", "sent", "msg", "isRed", "isMarker", "red", "recState"}
    universe = structure.universe
    for symbol in system.variables:
        if symbol.name in shown or symbol.sort != BOOL:
            continue
        variable: Callable[..., Expr] = getattr(s, symbol.name)
        places = [
            place
            for place in universe.places(symbol)
            if structure.holds(
                variable(*(Element(a, n) for a, n in zip(symbol.arguments, place, strict=True)))
            )
        ]
        if places:
            said = ", ".join(_place(symbol.arguments[0].name, place, ends) for place in places)
            yield f"{symbol.name}: {said}"


def _place(sort: str, place: tuple[int, ...], ends: tuple[tuple[int, int], ...]) -> str:
    first = _channel(place[0], ends) if sort == CHANNEL.name else f"P{place[0] + 1}"
    return first if len(place) == 1 else f"{first} at {place[1] + 1}"


def _channel(c: int, ends: tuple[tuple[int, int], ...]) -> str:
    source, target = ends[c]
    twins = [n for n, pair in enumerate(ends) if pair == ends[c]]
    return f"P{source}→P{target}" + ("'" * twins.index(c))


def _called(action: Action, structure: Structure, ends: tuple[tuple[int, int], ...]) -> str:
    """Return the action with those of its parameters that are a process or a channel, or a set of such."""
    said = []
    for symbol in action.parameters:
        if symbol.sort in (PROCESS, CHANNEL):
            number = structure.value(symbol())
            said.append(_channel(number, ends) if symbol.sort == CHANNEL else f"P{number + 1}")
        elif symbol.sort == BOOL and symbol.arguments and symbol.name != "mark":
            sort = symbol.arguments[0]
            chosen = [n for n in structure.universe[sort] if structure.holds(symbol(Element(sort, n)))]
            named = ", ".join(_place(sort.name, (n,), ends) for n in chosen)
            said.append(f"{symbol.name} {{{named}}}")
    return f"{action.name}({', '.join(said)})"


def text(shown: Picture) -> str:
    """Return a picture as lines of text."""
    lines = [shown.title, *(f"  {line}" for line in _lines("before", shown.before, shown.ends))]
    if shown.after is not None:
        lines.append(f"  step    {shown.step}")
        lines += [f"  {line}" for line in _lines("after", shown.after, shown.ends)]
    return "\n".join(lines)


_SIGNS = {"white": "o", "red": "#", "marker": "|"}


def _lines(head: str, scene: Scene, ends: tuple[tuple[int, int], ...]) -> Iterator[str]:
    processes = ", ".join(
        f"P{number} {'red' if red else 'white'} {state}"
        for number, (red, state) in enumerate(zip(scene.red, scene.states, strict=True), start=1)
    )
    queues = "; ".join(
        f"{_channel(c, ends)} <{' '.join(_SIGNS[e] for e in queue)}>"
        for c, queue in enumerate(scene.channels)
    )
    yield f"{head:7} {processes}"
    yield f"{'':7} {queues}    (o white, # red, | marker; first first)"
    if scene.notes:
        yield f"{'':7} {'; '.join(scene.notes)}"


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
    places = [_circle_place(number, len(scene.red), centre) for number in range(len(scene.red))]
    seen: dict[tuple[int, int], int] = {}
    for (source, target), queue in zip(ends, scene.channels, strict=True):
        twin = seen[source, target] = seen.get((source, target), -1) + 1
        yield from _drawn_channel(places[source - 1], places[target - 1], queue, twin)
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


def _circle_place(number: int, count: int, centre: Point) -> Point:
    """Put the processes on a circle, the first on the left."""
    angle = math.pi + 2 * math.pi * number / count
    reach = 0.0 if count == 1 else 88.0
    return centre[0] + reach * math.cos(angle), centre[1] + reach * math.sin(angle) * 0.9


def _drawn_channel(source: Point, target: Point, queue: tuple[str, ...], twin: int) -> Iterator[Markup]:
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
