"""The graph of a model as a picture: in the box of each state the values of its variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.report.state_graphs.state_picture import MOST_STATES, Node, StateGraph, graph_of
from pyharness.report.trace.counterexample_table import cells_of, value_text
from pyharness.run.spec_check import limits_of
from pyharness.tlc import Step, Trace
from pyharness.toolchain.clean_text import clean, clip

if TYPE_CHECKING:
    from pyharness.any_spec.spec_graph import SpecGraph
    from pyharness.plain_models.plain_model import PlainModel
    from pyharness.tla import Fn

_MOST_LINES: Final = 12
_WIDEST: Final = 36


def notes_of(model: PlainModel, graph: SpecGraph) -> tuple[str, ...]:
    """Return what a reader of a graph must know of it besides."""
    beyond = (
        f"{name} does not hold in a state beyond the constraint, which is not shown" for name in graph.beyond
    )
    return (*limits_of(model), *beyond)


def end_text(model: PlainModel) -> str:
    """Return what is said of a state from which no step leads on: beyond a constraint there may be some."""
    names = (*model.config.constraints, *model.config.action_constraints)
    return f"no step leads on within {', '.join(names)}" if names else "nothing can happen any more"


def step_text(name: str, arguments: str) -> str:
    """Return the action of a step as the spec calls it, with its arguments if TLC tells them."""
    name = name or "a step"
    return clean(f"{name}({arguments})" if arguments else name)


def state_lines(state: Fn) -> tuple[str, ...]:
    """Return a line for each variable of a state."""
    return tuple(f"{name} = {value_text(value)}" for name, value in state.items())


def picture_of(model: PlainModel, graph: SpecGraph) -> StateGraph:
    """Return the graph to be drawn, or written; the boxes have lines if one can look at so many of them."""
    shown = _shown(graph) if len(graph.states) <= MOST_STATES else None

    def node(state: int, number: int, row: int) -> Node:
        return Node(
            number,
            row,
            (),
            not graph.steps[state],
            "\n".join(state_lines(graph.states[state])),
            shown[state] if shown else (),
            tuple(name for name, failing in graph.fails.items() if state in failing),
        )

    found = graph_of(
        graph.initial,
        lambda state: [(step_text(step.name, step.detail), step.after) for step in graph.steps[state]],
        node,
        len(graph.states),
    )
    signs = []
    if not all(graph.steps):
        signs.append(f"A heavy border: {end_text(model)}.")
    if any(graph.fails.values()):
        signs.append("Red: an invariant does not hold.")
    return StateGraph((), *(found or ((), ())), " ".join(signs), notes_of(model, graph))


def _shown(graph: SpecGraph) -> list[tuple[str, ...]]:
    """Return for each state the lines of its box: one for each variable, or for each argument of a small function."""
    rows = cells_of(Trace(tuple(Step(None, state) for state in graph.states)))
    shown = []
    for number in range(len(graph.states)):
        lines = [clip(f"{name} = {cells[number].text}", _WIDEST) for name, cells in rows.items()]
        shown.append((*lines[:_MOST_LINES], *(["…"] if len(lines) > _MOST_LINES else [])))
    return shown
