"""A small state graph to look at: every state of an implementation, with the colours of its processes.

The states of a spec that has no processes are shown by the values of its variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from igraph import Graph

from pyharness.base.errors import SpecError
from pyharness.machines.protocols import RED
from pyharness.tla.values import to_tla

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from pyharness.machines.systems import GlobalState, System

State = TypeVar("State", bound="Hashable")

MOST_STATES: Final = 80
"""A graph of more states is refused: it would not be readable."""


@dataclass(frozen=True, slots=True)
class StateBox:
    """A state: its number from 1 in breadth-first order, its row from 0, and whether each process is red.

    ``over`` means that it is not followed, ``text`` has the spec's variables, a line for each. The other text in its
    box is ``lines``; ``fails`` are the invariants that do not hold in it.
    """

    number: int
    row: int
    red: tuple[bool, ...]
    over: bool
    text: str
    lines: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrow:
    """All actions that lead from one state to another, both by number; ``back`` if they close a cycle."""

    source: int
    target: int
    actions: tuple[str, ...]
    back: bool


@dataclass(frozen=True, slots=True)
class StateGraph:
    """A state graph: ``processes`` are their names, ``legend`` explains the signs, ``notes`` are for the reader.

    A state's row is the number of arrows on the longest way to it that does not go back.
    """

    processes: tuple[str, ...]
    nodes: tuple[StateBox, ...]
    arrows: tuple[Arrow, ...]
    legend: str = ""
    notes: tuple[str, ...] = ()


def state_graph(system: System) -> StateGraph:
    """Explore ``system`` as far as its snapshot goes, and return its states and actions.

    Raises SpecError when there are more than :data:`MOST_STATES` states.
    """
    processes = range(1, system.topology.processes + 1)

    def steps(state: GlobalState) -> list[tuple[str, GlobalState]]:
        actions = system.actions(state) if not system.over(state) else ()
        return [(f"{action.name} {action.detail}".strip(), action.after) for action in actions]

    def node(state: GlobalState, number: int, row: int) -> StateBox:
        red = tuple(system.colour(state, process) == RED for process in processes)
        return StateBox(number, row, red, system.over(state), state_text(system, state))

    names = tuple(map(system.topology.process_name, processes))
    legend = f"Circles: {', '.join(names)}; filled is red. A heavy border: the snapshot is over."
    found = graph_of(system.initial(), steps, node)
    if found is None:
        raise SpecError(
            f"the graph has more than {MOST_STATES} states, which is too many to look at",
            hint="take fewer items or a smaller graph; `pyharness hold python` compares large ones",
        )
    return StateGraph(names, *found, legend)


def graph_of(
    initial: Iterable[State],
    steps: Callable[[State], Iterable[tuple[str, State]]],
    node: Callable[[State, int, int], StateBox],
) -> tuple[tuple[StateBox, ...], tuple[Arrow, ...]] | None:
    """Explore from the ``initial`` states, and return all states and arrows; ``None`` for too many states.

    ``steps`` yields what an action is called, and the state after it; ``node`` makes what is drawn of a state, of its
    number and its row.
    """
    depth = dict.fromkeys(initial, 0)
    found: dict[tuple[State, State], dict[str, None]] = {}
    level = list(depth)
    while level:
        following = []
        for state in level:
            for name, after in steps(state):
                if after not in depth:
                    depth[after] = depth[state] + 1
                    following.append(after)
                found.setdefault((state, after), {})[name] = None
        if len(depth) > MOST_STATES:
            return None
        level = following
    number = {state: n for n, state in enumerate(depth, start=1)}
    ends = [(number[source], number[target]) for source, target in found]
    back = _back(ends, {number[state]: at for state, at in depth.items()})
    rows = _rows(len(number), [pair for pair in ends if pair not in back])
    arrows = (
        Arrow(*pair, tuple(names), pair in back) for pair, names in zip(ends, found.values(), strict=True)
    )
    return tuple(node(state, number[state], rows[number[state]]) for state in depth), tuple(arrows)


def state_text(system: System, state: GlobalState) -> str:
    """Write a state as the spec's variables, a line for each."""
    return "\n".join(f"{name} = {to_tla(value)}" for name, value in system.variables(state).items())


def _back(ends: Sequence[tuple[int, int]], depth: Mapping[int, int]) -> set[tuple[int, int]]:
    """Choose the arrows that lead back: those of a cycle which do not lead deeper."""
    graph = Graph([(source - 1, target - 1) for source, target in ends], directed=True)
    part = graph.connected_components(mode="strong").membership
    return {(a, b) for a, b in ends if part[a - 1] == part[b - 1] and depth[a] >= depth[b]}


def _rows(states: int, ends: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return each state the length of the longest way to it; ``ends`` has no cycle."""
    rows = dict.fromkeys(range(1, states + 1), 0)
    graph = Graph(states, [(source - 1, target - 1) for source, target in ends], directed=True)
    for source in graph.topological_sorting():
        for target in graph.successors(source):
            rows[target + 1] = max(rows[target + 1], rows[source + 1] + 1)
    return rows
