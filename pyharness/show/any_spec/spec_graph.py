"""The graph of all states and steps of a model, from TLC; the states in which a formula is not true; and its picture.

TLC writes its graph, and is stopped where there are more states than are wanted. The invariants are evaluated in each
state on the way, and end nothing: where one is violated the graph goes on.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.base.errors import HarnessError, IncompleteError, SpecError, ToolError
from pyharness.base.toolchain.clean_text import clean, clip
from pyharness.models.doubts import limits_of
from pyharness.models.text_run import run_root
from pyharness.models.tlc_verdict import meaning
from pyharness.models.verdicts import Verdict
from pyharness.show.report.state_graphs.state_picture import StateBox, StateGraph, graph_of
from pyharness.show.report.trace.counterexample_table import cells_of, value_text
from pyharness.tla.modules.source_excerpt import spec_error
from pyharness.tla.plain_models.counted_relation import named_relation
from pyharness.tla.plain_models.plain_model import OWN
from pyharness.tla.tlc import EndedBy, Outcome, Trace, TraceStep
from pyharness.tla.tlc.dump import Edge, read_graph
from pyharness.tla.values import Fn, StateReader, Value, parse_value, to_tla

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyharness.models.machine_tools import Tools
    from pyharness.models.spec_check import Bounds
    from pyharness.tla.plain_models.counted_relation import NamedRelation
    from pyharness.tla.plain_models.plain_model import PlainModel
    from pyharness.tla.tlc import Progress, Result


_Printed = tuple[int, tuple[Value, ...]]
"""A formula by its number, and the values of the variables in a state in which it is not true."""

MOST_GRAPH_STATES: Final = 50_000
"""A graph of more states is not kept."""

_MOST_CALLED: Final = 10_000
"""In a graph of more steps TLC is not asked for the arguments of actions."""

_MOST_BYTES: Final = 512 * 1024 * 1024
"""The most bytes that TLC may write of a graph."""

_MOST_PRINTED: Final = 64 * 1024 * 1024
"""The most bytes of TLC's output that are kept."""

_BOUNDED: Final = f"{OWN}Bounded"
_FORMULA: Final = f"{OWN}Formula"
_FAILS: Final = re.compile(rf'<< ?"{OWN}Fails",')
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_MOST_LINES: Final = 5_000
"""The most lines of one state in TLC's output."""


class GraphStep(NamedTuple):
    """A step that can be taken: the action's ``name``, its arguments if TLC prints them, the state ``after`` it."""

    name: str
    detail: str
    after: int


@dataclass(frozen=True)
class SpecGraph:
    """The graph of a model: ``states`` by number from 0, in the order in which TLC found them.

    ``steps`` has for each state what can be taken there, each once; ``fails`` for each invariant the states in which
    it does not hold. ``beyond`` are invariants that do not hold in a state that a constraint keeps out of the graph.
    """

    states: tuple[Fn, ...]
    initial: tuple[int, ...]
    steps: tuple[tuple[GraphStep, ...], ...]
    fails: Mapping[str, frozenset[int]]
    beyond: tuple[str, ...] = ()

    @property
    def arrows(self) -> int:
        """The number of steps."""
        return sum(map(len, self.steps))


class GraphReader:
    """Has TLC explore a model, within ``bounds``, and reads what it finds."""

    def __init__(self, model: PlainModel, tools: Tools, bounds: Bounds) -> None:
        self._model, self._tools, self._bounds = model, tools, bounds

    def graph(
        self, most: int = MOST_GRAPH_STATES, progress: Callable[[Progress], None] | None = None
    ) -> SpecGraph:
        """Return the complete graph; ``progress`` gets TLC's.

        Raises SpecError for a module that cannot be read or evaluated, and for one of more than ``most`` states;
        IncompleteError where TLC did not finish, ToolError where it cannot be run.
        """
        self._require_behaviours()
        with tempfile.TemporaryDirectory(prefix="pyharness-graph-") as directory:
            work = Path(directory)
            result = self._run(
                work, self._model.config.invariants, most, dump=work / "graph.dot", progress=progress
            )
            self._require_complete(result, most)
            graph = _read(work / "graph.dot", self._model.name)
            printed = list(_printed(work / "printed", self._model.name))
        return self._with_fails(self._with_arguments(graph), printed)

    def where_not(self, formula: str, graph: SpecGraph) -> frozenset[int]:
        """Return the states of a graph in which a ``formula``, the name of a definition, is not true.

        Raises SpecError where TLC cannot evaluate it in each state, IncompleteError where it did not finish.
        """
        with tempfile.TemporaryDirectory(prefix="pyharness-graph-") as directory:
            work = Path(directory)
            result = self._run(work, [formula], len(graph.states))
            if result.outcome is Outcome.EVALUATION_ERROR or result.outcome.is_spec_error:
                raise SpecError(
                    f"TLC cannot evaluate {formula} in every state",
                    where=self._model.name,
                    hint=spec_error(result.complaint, self._model.library).message.partition("\n")[0],
                )
            self._require_complete(result, len(graph.states))
            return frozenset(
                number
                for _, number in self._placed(graph, _printed(work / "printed", self._model.name))
                if number is not None
            )

    # -- how ---------------------------------------------------------------------------------------------------

    def _run(
        self,
        work: Path,
        formulas: Sequence[str],
        most: int,
        *,
        dump: Path | None = None,
        progress: Callable[[Progress], None] | None = None,
        relation: NamedRelation | None = None,
    ) -> Result:
        model = self._model
        state = f"<<{', '.join(model.variables)}>>"
        lines = [*relation.begun[:1], *relation.lines, *relation.begun[1:]] if relation else []
        lines += [f"{_BOUNDED} == {OWN}UpTo({most}, {model.variables[0]})"]
        lines += [
            f"{_FORMULA}{n} == {OWN}Fails({n}, {formula}, {state})" for n, formula in enumerate(formulas)
        ]
        invariants = (_BOUNDED, *(f"{_FORMULA}{n}" for n in range(len(formulas))))
        config = replace(relation.config if relation else model.config, invariants=invariants, properties=())
        return run_root(
            model,
            self._tools,
            work,
            (model.root(*lines), config.text()),
            output=work / "printed",
            on_progress=progress,
            heap_mib=self._bounds.heap_mib,
            timeout=self._bounds.seconds,
            dump=dump,
        )

    def _with_arguments(self, graph: SpecGraph) -> SpecGraph:
        """Return a graph with its actions' arguments, which TLC keeps in one more variable; or as it is, if it cannot."""
        relation, config = named_relation(self._model), self._model.config
        if relation is None or not relation.called or config.symmetry or config.view:
            return graph
        if graph.arrows > _MOST_CALLED or any(step.detail for steps in graph.steps for step in steps):
            return graph
        with tempfile.TemporaryDirectory(prefix="pyharness-graph-") as directory:
            work = Path(directory)
            try:
                self._run(work, (), _MOST_CALLED, dump=work / "graph.dot", relation=relation)
                wider = _read(work / "graph.dot", self._model.name)
            except HarnessError:
                return graph
        number = {state: n for n, state in enumerate(graph.states)}
        own = [number.get(Fn(each for each in s.items() if each[0] != relation.call)) for s in wider.states]
        found: list[dict[GraphStep, None]] = [{} for _ in graph.states]
        for source, steps in zip(own, wider.steps, strict=True):
            for step in steps:
                called, after = wider.states[step.after][relation.call], own[step.after]
                if source is None or after is None or not isinstance(called, tuple):
                    return graph
                name, detail = relation.actions[int(str(called[0])) - 1], ", ".join(map(to_tla, called[1:]))
                found[source][GraphStep(name, detail, after)] = None
        same = all(
            {s.after for s in new} == {s.after for s in old}
            for new, old in zip(found, graph.steps, strict=True)
        )
        return replace(graph, steps=tuple(map(tuple, found))) if same else graph

    def _require_behaviours(self) -> None:
        if not self._model.config.behaviours or not self._model.variables:
            raise SpecError(
                "no behaviours are defined",
                where=self._model.config.where or self._model.name,
                hint="a graph needs SPECIFICATION, or INIT and NEXT",
            )

    def _require_complete(self, result: Result, most: int) -> None:
        """Require that a run saw all states. Raises SpecError, IncompleteError and ToolError."""
        model, found = self._model, meaning(result)
        if result.distinct is not None and result.distinct > most:
            raise SpecError(
                f"the graph has more than {most:,} states",
                where=model.name,
                hint=f"smaller constants make fewer; the explorer takes up to {MOST_GRAPH_STATES:,} states",
            )
        if found.verdict is Verdict.PASS and not result.distinct:
            raise IncompleteError("there is no initial state, so nothing can be shown", where=model.name)
        if found.verdict is Verdict.PASS:
            return
        if found.verdict is Verdict.SPEC_ERROR or result.outcome is Outcome.ASSUMPTION:
            raise spec_error(result.complaint, model.library, spec=model.module)
        if found.verdict is Verdict.ERROR:
            raise ToolError(found.detail or found.cause, where=model.name)
        late = result.ended_by is EndedBy.TIMEOUT
        why = f"TLC was not through after {self._bounds.seconds:g} s" if late else found.detail or found.cause
        raise IncompleteError(
            f"{why}: not all states were seen, so none are shown",
            where=model.name,
            hint="give more --seconds, or smaller constants"
            if late
            else f"pyharness check {model.path.name} reports more",
        )

    def _placed(self, graph: SpecGraph, printed: Iterable[_Printed]) -> Iterator[tuple[int, int | None]]:
        """Yield the formula and the state of each of TLC's lines, ``None`` for one that a constraint keeps out.

        Raises ToolError for a state that is not in the graph, and should be.
        """
        config = self._model.config
        constrained = bool(config.constraints or config.action_constraints)
        number: dict[Fn, int] = {}
        for which, values in printed:
            number = number or {state: n for n, state in enumerate(graph.states)}
            found = number.get(Fn(zip(self._model.variables, values, strict=True)))
            if found is None and not constrained:
                raise ToolError(
                    "TLC evaluated a state that is not in its graph",
                    where=self._model.name,
                    hint="please report it, with the spec",
                )
            yield which, found

    def _with_fails(self, graph: SpecGraph, printed: Sequence[_Printed]) -> SpecGraph:
        invariants = self._model.config.invariants
        fails: dict[str, set[int]] = {name: set() for name in invariants}
        beyond: dict[str, None] = {}
        for which, state in self._placed(graph, printed):
            if state is None:
                beyond[invariants[which]] = None
            else:
                fails[invariants[which]].add(state)
        return replace(
            graph, fails={name: frozenset(found) for name, found in fails.items()}, beyond=tuple(beyond)
        )


def _read(dump: Path, where: str) -> SpecGraph:
    """Read the graph that TLC wrote; a state or a step that it wrote twice counts once."""
    size = dump.stat().st_size if dump.is_file() else 0
    if size > _MOST_BYTES:
        raise SpecError(
            f"the graph has {size // 2**20:,} MiB of text, and {_MOST_BYTES // 2**20} are read",
            where=where,
            hint="smaller constants make fewer states",
        )
    number: dict[int, int] = {}
    states: list[Fn] = []
    initial: list[int] = []
    edges: list[Edge] = []
    for item in read_graph(dump, StateReader()):
        if isinstance(item, Edge):
            edges.append(item)
        elif item.id not in number:
            number[item.id] = len(states)
            states.append(item.state)
            if item.initial:
                initial.append(number[item.id])
    steps: dict[int, dict[GraphStep, None]] = defaultdict(dict)
    for edge in edges:
        if edge.source not in number or edge.target not in number:
            raise IncompleteError(
                "a step leads to a state that TLC did not write", where=where, hint="run it again"
            )
        step = GraphStep(edge.action or "", edge.arguments or "", number[edge.target])
        steps[number[edge.source]][step] = None
    return SpecGraph(tuple(states), tuple(initial), tuple(tuple(steps[n]) for n in range(len(states))), {})


def _printed(printed: Path, where: str) -> Iterator[_Printed]:
    """Yield TLC's lines on formulas that are not true; all other output is the spec's own."""
    if printed.stat().st_size >= _MOST_PRINTED:
        raise IncompleteError(
            f"TLC prints more than {_MOST_PRINTED // 2**20} MiB, of which the rest is lost",
            where=where,
            hint="smaller constants make fewer states",
        )
    lines: list[str] = []
    with printed.open(encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            if not lines and not _FAILS.match(line):
                continue
            lines.append(line)
            if (found := _read_value("".join(lines))) is not None:
                yield found
                lines = []
            elif len(lines) > _MOST_LINES:
                break
    if lines:
        raise ToolError(f"TLC printed a state that cannot be read: {clip(lines[0].strip(), 80)}", where=where)


def _read_value(text: str) -> _Printed | None:
    """Read a value that was printed in one or several lines; ``None`` if it is not complete yet."""
    signs = _STRING.sub("", text)
    if signs.count("<<") > signs.count(">>"):
        return None
    try:
        value = parse_value(text)
    except SpecError:
        return None
    if not isinstance(value, tuple) or len(value) != 3:
        return None
    _, number, values = value
    return (number, values) if isinstance(number, int) and isinstance(values, tuple) else None


_MOST_DRAWN: Final = 12
_WIDEST: Final = 36


def notes_of(model: PlainModel, graph: SpecGraph) -> tuple[str, ...]:
    """Return further notes for the reader of a graph."""
    beyond = (
        f"{name} does not hold in a state beyond the constraint, which is not shown" for name in graph.beyond
    )
    return (*limits_of(model), *beyond)


def end_text(model: PlainModel) -> str:
    """Return the note on a state from which no step leads on: beyond a constraint there may be some."""
    names = (*model.config.constraints, *model.config.action_constraints)
    return f"no step leads on within {', '.join(names)}" if names else "nothing can happen any more"


def step_text(name: str, arguments: str) -> str:
    """Return the action of a step as the spec calls it, with its arguments if TLC prints them."""
    name = name or "a step"
    return clean(f"{name}({arguments})" if arguments else name)


def state_lines(state: Fn) -> tuple[str, ...]:
    """Return a line for each variable of a state."""
    return tuple(f"{name} = {value_text(value)}" for name, value in state.items())


def picture_of(model: PlainModel, graph: SpecGraph) -> StateGraph:
    """Return the graph to be drawn, which has few states."""
    shown = _shown(graph)

    def node(state: int, number: int, row: int) -> StateBox:
        return StateBox(
            number,
            row,
            (),
            not graph.steps[state],
            "\n".join(state_lines(graph.states[state])),
            shown[state],
            tuple(name for name, failing in graph.fails.items() if state in failing),
        )

    found = graph_of(
        graph.initial,
        lambda state: [(step_text(step.name, step.detail), step.after) for step in graph.steps[state]],
        node,
    )
    signs = []
    if not all(graph.steps):
        signs.append(f"A heavy border: {end_text(model)}.")
    if any(graph.fails.values()):
        signs.append("Red: an invariant does not hold.")
    return StateGraph((), *(found or ((), ())), " ".join(signs), notes_of(model, graph))


def _shown(graph: SpecGraph) -> list[tuple[str, ...]]:
    """Return for each state the lines of its box: one for each variable, or for each argument of a small function."""
    rows = cells_of(Trace(tuple(TraceStep(None, state) for state in graph.states)))
    shown = []
    for number in range(len(graph.states)):
        lines = [clip(f"{name} = {cells[number].text}", _WIDEST) for name, cells in rows.items()]
        shown.append((*lines[:_MOST_DRAWN], *(["…"] if len(lines) > _MOST_DRAWN else [])))
    return shown
