"""A model as it is explored: TLC's own graph of it, walked by hand from its beginning or from a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.clean_text import clean, clip
from pyharness.show.any_spec.spec_graph import end_text, notes_of, picture_of, state_lines, step_text
from pyharness.show.explorer.explored_subject import (
    Chart,
    Endless,
    ExploredSubject,
    StateGoal,
    TableColumn,
    TableRow,
    Truth,
)
from pyharness.show.explorer.protocol_subject import along, in_seconds, require_step
from pyharness.show.explorer.session import MOST_BEGINNINGS, Session
from pyharness.show.report.formats.export_formats import TABLES
from pyharness.show.report.state_graphs.state_picture import MOST_STATES
from pyharness.show.report.trace.counterexample_table import cells_of, heads_of
from pyharness.tla.modules import expressions as ast
from pyharness.tla.modules.definition_text import definition_text
from pyharness.tla.modules.module import STATE
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.tlc.outcome import NO_DEADLOCK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyharness.show.any_spec.spec_graph import GraphReader, GraphStep, SpecGraph
    from pyharness.show.explorer.history_tree import Moment
    from pyharness.show.report.state_graphs.state_picture import StateGraph
    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.library import Library
    from pyharness.tla.plain_models.plain_model import PlainModel
    from pyharness.tla.values import Fn


_RELATIONS: Final = frozenset(
    ["/\\", "\\/", "\\land", "\\lor", "=>", "<=>", "\\equiv", "=", "#", "/=", "\\neq", "<", ">", "<=", "=<", ">=",
     "\\leq", "\\geq", "\\in", "\\notin", "\\subseteq", "\\subset", "\\supseteq", "\\supset"]
)  # fmt: skip
"""The infix operators whose result is a truth."""

_DEEPEST: Final = 20
"""The number of names that are followed one after the other."""


def state_predicates(model: PlainModel) -> tuple[str, ...]:
    """Return the names of the state predicates that a module sees, without those that are checked."""
    library, module = model.library, model.module
    known = {*model.checked, *model.config.constraints, model.config.init}
    return tuple(
        name
        for name, definition in library.visible(module).items()
        if name not in known
        and not definition.parameters
        and definition.level == STATE
        and _is_truth(library, module, definition.body, _DEEPEST)
    )


def _is_truth(library: Library, module: str, formula: Expression, depth: int) -> bool:
    """Return whether a formula is a truth by how it is written; false if that is not plain."""

    def of(part: Expression) -> bool:
        return _is_truth(library, module, part, depth - 1)

    match formula:
        case ast.Junction():
            return True
        case ast.Infix(operator):
            return operator in _RELATIONS
        case ast.Prefix(operator):
            return operator in ("~", "\\lnot", "\\neg", "ENABLED")
        case ast.Quantification(kind):
            return kind in ("\\A", "\\E")
        case ast.Literal(text):
            return text in ("TRUE", "FALSE")
        case ast.If(_, then, otherwise):
            return of(then) and of(otherwise)
        case ast.CaseOf(arms):
            return all(of(value) for _, value in arms)
        case ast.Let(_, body):
            return of(body)
        case ast.Name(name) | ast.Call(name):
            return depth > 0 and library.defines(module, name) and of(library.definition(module, name).body)
    return False


_STILL: Final = "no step"
_MOST_COLUMNS: Final = 40
_WIDEST_CELL: Final = 60
_WIDEST_CHOICE: Final = 120


class SpecSubject(ExploredSubject):
    """The ``graph`` of a ``model``; a state is its number. ``reader`` has TLC evaluate the predicates of goals."""

    def __init__(self, model: PlainModel, graph: SpecGraph, reader: GraphReader) -> None:
        self._model, self._graph, self._reader = model, graph, reader
        self.name, self.title = model.name, model.heading
        self.meta: dict[str, Any] = {"module": model.module, "configuration": model.config.where}
        config = model.config
        constrained = bool(config.constraints or config.action_constraints)
        self._deadlock = config.check_deadlock and not constrained
        self.properties = (*config.invariants, *([NO_DEADLOCK] if self._deadlock else []))
        unjudged = ["deadlock"] if config.check_deadlock and constrained else []
        self.unjudged = (*config.properties, *unjudged)
        self.ends = end_text(model)
        self.notes = notes_of(model, graph)
        self.most_searched = len(graph.states)
        self._not: dict[str, frozenset[int]] = dict(graph.fails)

    # -- what there is -----------------------------------------------------------------------------------------------

    def initial(self) -> Iterator[int]:
        """Yield the initial states."""
        return iter(self._graph.initial)

    def actions(self, state: int) -> Sequence[GraphStep]:
        """Return the steps from a state, in TLC's order."""
        return self._graph.steps[state]

    def variables(self, state: int) -> Fn:
        """Return the values of the variables in a state."""
        return self._graph.states[state]

    def in_words(self, name: str, detail: str) -> str:
        """Write an action as the spec calls it."""
        return step_text(name, detail)

    def choice(self, state: int, action: Any) -> str:
        """Write an action with its changes, which distinguish those of one name."""
        rows = cells_of(self._trace([state, action.after]))
        changed = [f"{name} = {cells[1].text}" for name, cells in rows.items() if cells[1].changed]
        changes = clip(", ".join(changed), _WIDEST_CHOICE) or "nothing changes"
        return f"{step_text(action.name, action.detail)} → {changes}"

    def definition(self, name: str) -> str:
        """Return the text in the module of an action or a property."""
        return definition_text(name, self._model.module, self._model.library.directories)

    def goals(self) -> Iterator[StateGoal]:
        """Yield the predicates of states that the module defines; TLC evaluates one when it is first asked for."""
        yield StateGoal(_STILL, self.ends, lambda state: not self._graph.steps[state])
        for name in state_predicates(self._model):
            yield StateGoal(name, f"{name} holds", self._holds(name))

    def _holds(self, name: str) -> Callable[[int], bool]:
        def holds(state: int) -> bool:
            if name not in self._not:
                self._not[name] = self._reader.where_not(name, self._graph)
            return state not in self._not[name]

        return holds

    # -- what holds --------------------------------------------------------------------------------------------------

    def violations(self, before: int | None, after: int) -> tuple[str, ...]:
        """Name the invariants that do not hold in a state, and whether it is a deadlock."""
        del before
        failing = [name for name, states in self._graph.fails.items() if after in states]
        deadlock = self._deadlock and not self._graph.steps[after]
        return (*failing, *([NO_DEADLOCK] if deadlock else []))

    def truths(self, here: Moment, goes_on: Endless | None) -> list[Truth]:
        """Judge the invariants at a moment, and whether it is a deadlock."""
        del goes_on
        past = here.past()
        found = []
        for name in self.properties:
            failed_at = next((moment.steps + 1 for moment in past if name in moment.fails), None)
            found.append(Truth(name, "state", name not in here.fails, self._claim(name), failed_at))
        return found

    def _claim(self, name: str) -> str:
        if name == NO_DEADLOCK:
            return "In every state something can happen."
        return self._model.text_of(name)

    # -- how it is shown ---------------------------------------------------------------------------------------------

    @property
    def formats(self) -> Mapping[str, Callable[[Trace, Mapping[str, Any]], str]]:
        """The formats that need no processes."""
        return TABLES

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the configuration, and how large the graph is."""
        if self._model.config.where:
            yield "configuration", self._model.config.where
        for constant in self._model.config.constants:
            yield "constant", clip(constant.text, _WIDEST_CELL)
        yield "states", f"{len(self._graph.states):,}"
        yield "steps", f"{self._graph.arrows:,}"
        if len(self._graph.initial) > MOST_BEGINNINGS:
            yield (
                "initial states",
                f"{len(self._graph.initial):,}, the first {MOST_BEGINNINGS} to choose from",
            )

    def picture(self, trace: Trace, meta: Mapping[str, Any], line: Sequence[Moment], here: Moment) -> Chart:
        """Return a table of the variables in the steps around the one that is ``here``."""
        del meta
        first = max(0, min(here.steps - _MOST_COLUMNS * 3 // 4, len(line) - _MOST_COLUMNS))
        shown = range(first, min(first + _MOST_COLUMNS, len(line)))
        heads = heads_of(trace)
        columns = tuple(
            TableColumn(line[number].number, number + 1, heads[number][1], line[number] is here)
            for number in shown
        )
        rows = cells_of(Trace(tuple(trace.steps[number] for number in shown)))
        return Chart(
            columns=columns,
            rows=tuple(
                TableRow(name, tuple((clip(cell.text, _WIDEST_CELL), cell.changed) for cell in cells))
                for name, cells in rows.items()
            ),
        )

    def rows(self, before: int | None, after: int) -> list[dict[str, Any]]:
        """Return a row for each variable, or for each argument of one that is a small function."""
        cells = cells_of(self._trace([after] if before is None else [before, after]))
        return [
            {
                "name": name,
                "text": row[-1].text,
                "words": None,
                "changed": row[-1].changed,
                "was": {"text": row[0].text, "words": None} if row[-1].changed else None,
            }
            for name, row in cells.items()
        ]

    def graph(self) -> StateGraph | str:
        """Return the graph of all states, or the reason that it is too large to be drawn."""
        states = len(self._graph.states)
        if states > MOST_STATES:
            return f"there are {states:,} states, and at most {MOST_STATES} are drawn"
        return picture_of(self._model, self._graph)

    def state_text(self, state: int) -> str:
        """Write a state as a line for each variable."""
        return "\n".join(state_lines(self._graph.states[state]))

    def _trace(self, states: Sequence[int]) -> Trace:
        return Trace(tuple(TraceStep(None, self._graph.states[state]) for state in states))


def open_along(
    subject: SpecSubject, graph: SpecGraph, trace: Trace, step: int | None = None, *, where: str
) -> Session:
    """Begin a session on a ``graph`` with a trace, at its ``step`` (from 1; the last if none is given).

    Where the graph has no such step, the session has the steps before it, and a note. The action of a step is the one of
    the trace's name, or any that leads to the same state if the graph has none of that name.

    Raises SpecError for a trace of other variables or another beginning, and for a step that it does not have.
    """
    require_step(step, trace, where)
    own, its = set(graph.states[0]), set(trace.steps[0].state)
    if own != its:
        raise SpecError(
            f"the trace has the variables {_listed(its)}, and {subject.name} has {_listed(own)}", where=where
        )
    path, names = _followed(graph, trace)
    if not path:
        raise SpecError(
            "it begins in a state that is not an initial one",
            where=where,
            hint=f"is it a trace of {subject.title}, with the same constants?",
        )
    session = Session(subject, in_time=in_seconds)
    if path[0] not in session.beginnings:
        session.beginnings = [*session.beginnings, path[0]]
    along(session, path, names, step, len(trace))
    if len(path) < len(trace):
        parts = f"{subject.name} parts from the trace at step {len(path) + 1}"
        session.message = f"{parts}; what comes before is opened, at step {session.here.steps + 1}."
    elif trace.lasso is not None:
        session.message += f" From its last step the trace goes back to step {trace.lasso + 1}, forever."
    elif trace.stuttering:
        session.message += " In its last state the trace stays forever."
    return session


def _followed(graph: SpecGraph, trace: Trace) -> tuple[list[int], list[str | None]]:
    """Return the numbers of a trace's states, as far as the graph has its steps, and by which actions."""
    first = next((n for n in graph.initial if graph.states[n] == trace.steps[0].state), None)
    if first is None:
        return [], []
    path, names = [first], [trace.steps[0].action]
    for step in trace.steps[1:]:
        fitting = [each for each in graph.steps[path[-1]] if graph.states[each.after] == step.state]
        if not fitting:
            break
        path.append(fitting[0].after)
        names.append(step.action if any(each.name == step.action for each in fitting) else None)
    return path, names


def _listed(names: set[Any]) -> str:
    return clean(clip(", ".join(sorted(map(str, names))), 200))
