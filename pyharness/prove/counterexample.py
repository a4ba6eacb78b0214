"""A small structure as a reader sees it: a graph, a state, the step, and the state after it, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
