"""A small state graph to look at: every state of an implementation, with the colours of its processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from igraph import Graph

from pyharness.errors import SpecError
from pyharness.protocols import RED
from pyharness.tla import to_tla

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.systems import GlobalState, System

__all__ = ["MOST_STATES", "Arrow", "Node", "StateGraph", "state_graph", "state_text", "states_dot"]

MOST_STATES: Final = 80
"""A graph of more states is refused: nobody can read it."""


@dataclass(frozen=True, slots=True)
class Node:
    """A state: its number from 1 in breadth-first order, its row from 0, and whether each process is red.

    ``over`` says that it is not followed, ``text`` has the spec's variables, a line for each.
    """

    number: int
    row: int
    red: tuple[bool, ...]
    over: bool
    text: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """All actions that lead from one state to another, both by number; ``back`` if they close a cycle."""

    source: int
    target: int
    actions: tuple[str, ...]
    back: bool


@dataclass(frozen=True, slots=True)
class StateGraph:
    """A state graph: ``processes`` are their names.

    A state's row is the number of arrows on the longest way to it that does not go back.
    """

    processes: tuple[str, ...]
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]


def state_graph(system: System) -> StateGraph:
    """Explore ``system`` as far as its snapshot goes, and return its states and actions.

    Raises SpecError when there are more than :data:`MOST_STATES` states.
    """
    depth = dict.fromkeys(system.initial(), 0)
    found: dict[tuple[GlobalState, GlobalState], dict[str, None]] = {}
    level = list(depth)
    while level:
        following = []
        for state in level:
            for action in system.actions(state) if not system.over(state) else ():
                if action.after not in depth:
                    depth[action.after] = depth[state] + 1
                    following.append(action.after)
                found.setdefault((state, action.after), {})[f"{action.name} {action.detail}".strip()] = None
        if len(depth) > MOST_STATES:
            raise SpecError(
                f"the graph has more than {MOST_STATES} states, which is too many to look at",
                hint="take fewer items or a smaller graph; `pyharness conform` compares large ones",
            )
        level = following
    number = {state: n for n, state in enumerate(depth, start=1)}
    ends = [(number[source], number[target]) for source, target in found]
    back = _back(ends, {number[state]: at for state, at in depth.items()})
    rows = _rows(len(number), [pair for pair in ends if pair not in back])
    processes = range(1, system.topology.processes + 1)
    nodes = [
        Node(
            number[state],
            rows[number[state]],
            tuple(system.colour(state, process) == RED for process in processes),
            system.over(state),
            state_text(system, state),
        )
        for state in depth
    ]
    arrows = [
        Arrow(*pair, tuple(names), pair in back) for pair, names in zip(ends, found.values(), strict=True)
    ]
    return StateGraph(tuple(map(system.topology.process_name, processes)), tuple(nodes), tuple(arrows))


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


def states_dot(graph: StateGraph, title: str) -> str:
    """Write the graph for GraphViz, which lays it out by itself; a filled circle is a red process."""
    lines = [
        f"digraph {_quoted(title)} {{",
        "  node [shape=box, style=rounded, fontname=Helvetica]; edge [fontname=Helvetica, fontsize=10];",
    ]
    for node in graph.nodes:
        circles = " ".join("●" if red else "○" for red in node.red)
        border = ", peripheries=2" if node.over else ""
        label = _quoted(f"{node.number}\n{circles}")
        lines.append(f"  {node.number} [label={label}, tooltip={_quoted(node.text)}{border}];")
    for arrow in graph.arrows:
        label = _quoted("\n".join(arrow.actions))
        style = ", constraint=false, style=dashed" if arrow.back else ""
        lines.append(f"  {arrow.source} -> {arrow.target} [label={label}{style}];")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
