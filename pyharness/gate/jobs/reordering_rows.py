"""Reordered traces as rows: white before red by the implementation, accepted by TLC as behaviours of a computation.

Whether TLC accepts sequences of states as behaviours of ``specs/Computation.tla``: many in one run. The model holds the
sequences as a constant, and the number of the one that it walks, so that each is a chain of states of its own. How
far TLC got along each is counted from the states that it visited, which it dumps.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import HarnessError, IncompleteError, SpecError
from pyharness.base.topology import Topology
from pyharness.gate.jobs.replay_rows import without_history
from pyharness.machines.protocols import Dataflow, Items, Tasks
from pyharness.machines.replay.reorder import follow, reorder_path, stuck_pairs
from pyharness.machines.systems import implementation_of
from pyharness.models.render import Rendered
from pyharness.models.schedule_model import OPERATORS, TEMPLATES, application_fields, graph_record
from pyharness.models.table_rows import ReorderingRow
from pyharness.models.text_run import run_texts
from pyharness.models.tlc_verdict import require_success
from pyharness.tla.tlc import read_states
from pyharness.tla.tlc.itf import from_itf, itf_document, itf_line
from pyharness.tla.values import Fn, set_of, to_tla

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.machines.protocols import Application
    from pyharness.machines.replay.reorder import Reordering
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.models.table_rows import TraceRow
    from pyharness.tla.tlc import Trace


_MODULE: Final = "Walks"
"""The name of the rendered module."""

TIMEOUT: Final = 120.0
"""Seconds that TLC gets for all sequences; it takes about two for a hundred."""


@dataclass(frozen=True, slots=True)
class Walk:
    """How far TLC went along a sequence: it visited the first ``steps`` of its ``length`` states."""

    steps: int
    length: int

    @property
    def accepted(self) -> bool:
        """Whether TLC reached the end of the sequence."""
        return self.steps == self.length

    def __str__(self) -> str:
        if self.accepted:
            return f"TLC accepts it as a behaviour of Computation, {self.length} states"
        return f"TLC refuses it as a behaviour of Computation, at state {self.steps + 1} of {self.length}"


def walk_traces(
    traces: Sequence[Trace],
    application: Application,
    granularity: str,
    tools: Tools,
    *,
    timeout: float = TIMEOUT,
) -> list[Walk]:
    """Have TLC walk traces of ``specs/Computation.tla``, all in one run, and return how far it got in each.

    ``application`` is what all of them compute; ``timeout`` is in seconds.

    Raises SpecError for a trace without states or of other variables, and for traces of several topologies where
    the application begins in one given way; IncompleteError when the run does not finish or its evidence is not
    complete, ToolError when TLC fails, and SpecError when it cannot read the states.
    """
    if not traces:
        return []
    module, config = render_walks(traces, application, granularity)
    with tempfile.TemporaryDirectory(prefix="pyharness-walks-") as scratch:
        directory = Path(scratch)
        dump = directory / "states.dump"
        rendered = Rendered(_MODULE, module, config)
        result = run_texts(rendered, tools, directory, timeout=timeout, dump=dump, dump_graph=False)
        require_success(result, "the walks along traces", "give it more time, or fewer traces")
        visited: dict[Any, set[Any]] = defaultdict(set)
        for state in read_states(dump, expected=result.distinct):
            visited[state["walk"]].add(state["step"])
    return [_walk(visited[number], len(trace)) for number, trace in enumerate(traces, start=1)]


def _walk(steps: set[Any], length: int) -> Walk:
    if steps != set(range(1, len(steps) + 1)) or len(steps) > length:
        raise IncompleteError(f"TLC visited the states {sorted(steps)} of a trace of {length}")
    return Walk(len(steps), length)


# -- the model -----------------------------------------------------------------------------------------------


def render_walks(traces: Sequence[Trace], application: Application, granularity: str) -> tuple[str, str]:
    """Write the module and the configuration with which TLC walks ``traces``; errors as in :func:`walk_traces`."""
    numbers: dict[str, int] = {}
    walks = [[numbers.setdefault(_global(s.state), len(numbers) + 1) for s in t.steps] for t in traces]
    if not all(walks):
        raise SpecError("a trace has no states", hint="was it cut off?")
    ids = sorted({str(trace.steps[0].state["topo"]) for trace in traces})
    graphs = [Topology.from_id(name) for name in ids]
    name, constants, beginning = _application(application, graphs)
    fields: dict[str, Any] = {
        "module": _MODULE,
        "application": name,
        "constants": [
            ("Graphs", to_tla(Fn((graph.id, graph_record(graph)) for graph in graphs))),
            ("Granularity", to_tla(granularity)),
            *constants.items(),
        ],
        "beginning": beginning,
        "operators": OPERATORS,
        "states": list(numbers),
        "walks": walks,
    }
    return (
        TEMPLATES.get_template("walks.tla.jinja").render(fields),
        TEMPLATES.get_template("walks.cfg.jinja").render(fields),
    )


def _application(
    application: Application, graphs: Sequence[Topology]
) -> tuple[str, dict[str, str], str | None]:
    """Return an application's module, its constants as TLA+, and how it begins if its module does not state that."""
    if isinstance(application, Tasks):
        _, constants, beginning = _application(application.placement, graphs)
        if beginning is not None:
            raise SpecError("tasks begin where a placement puts them: initiator, spread or any")
        own = {"Need": application.need, "Losses": application.losses, "Duplicates": application.duplicates}
        return "Tasks", constants | {name: to_tla(value) for name, value in own.items()}, None
    if isinstance(application, Dataflow):
        return "Dataflow", {"Records": to_tla(application.records)}, None
    if isinstance(application, Items) and isinstance(application.placement, str):
        items = to_tla(set_of(application.items))  # type: ignore[arg-type]
        return "Items", {"Item": items, "Placement": to_tla(application.placement)}, None
    if len(graphs) > 1:
        raise SpecError(f"these traces are of {len(graphs)} topologies, and they begin in one given way")
    fields = application_fields(application, graphs[0])  # type: ignore[arg-type]
    if fields["application"] == "Items":
        return "Items", {"Item": fields["items"], "Placement": to_tla("given")}, fields["beginning"]
    return "Automata", {"Beginning": fields["beginning"], "Table": fields["table"]}, None


def _global(state: Fn) -> str:
    if set(state) != {"topo", "state", "chan"}:
        raise SpecError(f"not a state of Computation: its variables are {', '.join(map(str, state))}")
    return f"<<{', '.join(to_tla(state[name]) for name in ('topo', 'state', 'chan'))}>>"


def reorder_row(model: Model, row: TraceRow) -> ReorderingRow:
    """Reorder the trace in a row of ``traces``, and return its row of ``reorderings``.

    ``complete`` is whether the trace's snapshot is complete, and null where the implementation does not follow the
    trace. Without a complete snapshot there is nothing to reorder, and ``agreed`` is null. Else ``agreed`` is whether
    all laws of E9 and E10 hold, and ``reason`` why not. ``actions`` are those of the computation, ``stuck`` counts
    their adjacent pairs, of any colours, that do not swap. ``itf`` is the reordered trace, and ``accepted`` null:
    see :func:`accept_rows`.
    """
    result = ReorderingRow(row.job, row.model, row.kind, row.index, row.topology)
    try:
        system = model.system(Topology.from_id(row.topology))
        trace, _ = from_itf(row.itf)
        if implementation_of(model.spec) != model.spec:
            trace = without_history(trace, system)
        path = follow(trace, system)
        result = replace(result, complete=system.complete(path[-1]))
        if not result.complete:
            return result
        found = reorder_path(path, system)
    except HarnessError as error:
        return replace(result, agreed=False, reason=str(error))
    return replace(
        result,
        agreed=True,
        actions=len(found.actions),
        whites=found.whites,
        swaps=len(found.swaps),
        stuck=len(stuck_pairs(found)),
        occurred=found.occurred,
        itf=itf_line(itf_document_of(found, model.setting)),
    )


def accept_rows(model: Model, rows: Sequence[ReorderingRow], tools: Tools) -> list[ReorderingRow]:
    """Have TLC walk the reordered traces among a model's rows of ``reorderings``, in one run; return all rows anew.

    ``accepted`` becomes true, or false with the place where TLC stopped in ``reason``. It stays null in a row
    without a reordered trace, and in all when the run does not finish, with the reason.
    """
    written = [(index, row.topology, row.itf) for index, row in enumerate(rows) if row.itf is not None]
    result = list(rows)
    if not written:
        return result
    try:
        application = model.system(Topology.from_id(written[0][1])).application
        traces = [from_itf(itf)[0] for _, _, itf in written]
        walks = walk_traces(traces, application, model.granularity, tools, timeout=model.budget.seconds)
    except HarnessError as error:
        for index, _, _ in written:
            result[index] = replace(result[index], reason=str(error))
        return result
    for (index, _, _), walk in zip(written, walks, strict=True):
        row = result[index]
        result[index] = replace(
            row, accepted=walk.accepted, reason=row.reason if walk.accepted else str(walk)
        )
    return result


def itf_document_of(reordering: Reordering, setting: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the reordered trace as an ITF document; its meta gives the index of the state that is SSS.

    ``setting`` describes the application, as the original trace does (see ``Model.setting``).
    """
    system = reordering.computation
    meta = {"title": "White before red", "spec": system.protocol, "granularity": system.granularity}
    return itf_document(reordering.trace, {**meta, **(setting or {}), "sss": reordering.whites})
