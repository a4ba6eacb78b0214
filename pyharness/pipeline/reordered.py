"""Reordered traces as rows, and their acceptance by TLC: each must be a behaviour of ``specs/Computation.tla``.

All traces go to TLC in one run. What it accepts is counted from the states that it visited, which it dumps: a trace
is accepted if its last state is among them, and refused at the first that is not.
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import HarnessError, IncompleteError, SpecError, ToolError
from pyharness.pipeline.replays import without_history
from pyharness.pipeline.schedule_model import OPERATORS, TEMPLATES, application_fields, graph_record
from pyharness.protocols import Items
from pyharness.replay import build_system, implementation_of
from pyharness.replay.reorder import follow, reorder_path, stuck_pairs
from pyharness.tla import Fn, set_of, to_tla
from pyharness.tlc import Outcome, TlcRun, read_states, run_tlc
from pyharness.tlc.itf import from_itf, to_itf
from pyharness.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.pipeline.jobs import Tools
    from pyharness.pipeline.model import Model
    from pyharness.protocols import Automata
    from pyharness.replay.reorder import Reordering
    from pyharness.tlc import Result, Trace

__all__ = ["Walk", "accept_rows", "itf_of", "reorder_row", "walk_traces"]

MODULE: Final = "Walks"
"""The name of the rendered module."""

TIMEOUT: Final = 120.0
"""Seconds that TLC gets for all traces; it takes about three for four hundred."""


@dataclass(frozen=True, slots=True)
class Walk:
    """How far TLC went along a trace: it visited ``steps`` of its ``length`` states."""

    steps: int
    length: int

    @property
    def accepted(self) -> bool:
        """Whether it came to the end."""
        return self.steps == self.length

    def __str__(self) -> str:
        if self.accepted:
            return f"TLC accepts it as a behaviour of Computation, {self.length} states"
        return f"TLC refuses it as a behaviour of Computation at state {self.steps + 1} of {self.length}"


def reorder_row(model: Model, row: Mapping[str, Any]) -> dict[str, Any]:
    """Reorder the trace in a row of ``traces``, and give its row of ``reorderings``.

    ``complete`` tells whether the trace's snapshot is, and is null where the implementation does not follow it. Of
    one that is not complete there is nothing to reorder, and ``agreed`` is null. Else ``agreed`` tells whether all
    laws of E9 and E10 hold, and ``reason`` why not. ``actions`` are those of the computation, ``stuck`` counts
    their adjacent pairs, of any colours, that do not swap. ``itf`` is the reordered trace, and ``accepted`` null:
    see :func:`accept_rows`.
    """
    result: dict[str, Any] = {key: row[key] for key in ("job", "model", "kind", "index", "topology")}
    result |= dict.fromkeys(
        ("complete", "agreed", "actions", "whites", "swaps", "stuck", "occurred", "reason")
    )
    result |= {"itf": None, "accepted": None}
    try:
        protocol = implementation_of(model.spec) or model.spec
        topology = Topology.from_id(row["topology"])
        system = build_system(protocol, topology, model.application, model.granularity)
        trace, _ = from_itf(row["itf"])
        path = follow(trace if protocol == model.spec else without_history(trace, system), system)
        result["complete"] = system.complete(path[-1])
        if not result["complete"]:
            return result
        found = reorder_path(path, system)
    except HarnessError as error:
        return result | {"agreed": False, "reason": str(error)}
    return result | {
        "agreed": True,
        "actions": len(found.actions),
        "whites": found.whites,
        "swaps": len(found.swaps),
        "stuck": len(stuck_pairs(found)),
        "occurred": found.occurred,
        "itf": json.dumps(json.loads(itf_of(found)), separators=(",", ":"), ensure_ascii=False),
    }


def accept_rows(model: Model, rows: Sequence[Mapping[str, Any]], tools: Tools) -> list[dict[str, Any]]:
    """Have TLC walk the reordered traces among a model's rows of ``reorderings``, and give all rows anew.

    ``accepted`` is true or false, and ``reason`` says where TLC stopped. It stays null of a row without a trace,
    and of all when the run does not finish, with the reason in theirs.
    """
    walked = [row for row in rows if row["itf"] is not None]
    try:
        walks: Sequence[Walk | None] = walk_traces(
            [from_itf(row["itf"])[0] for row in walked], model.application, model.granularity, tools
        )
        failure = None
    except HarnessError as error:
        walks, failure = [None] * len(walked), str(error)
    found = {id(row): walk for row, walk in zip(walked, walks, strict=True)}
    return [_accepted(row, found[id(row)], failure) if id(row) in found else dict(row) for row in rows]


def _accepted(row: Mapping[str, Any], walk: Walk | None, failure: str | None) -> dict[str, Any]:
    if walk is None:
        return {**row, "accepted": None, "reason": failure}
    return {**row, "accepted": walk.accepted, "reason": row["reason"] if walk.accepted else str(walk)}


def itf_of(reordering: Reordering) -> str:
    """Write the reordered trace as ITF, with what a reader or a replay needs to know."""
    system = reordering.computation
    meta = {"title": "White before red", "spec": system.protocol, "granularity": system.granularity}
    return to_itf(reordering.trace, {**meta, "sss": reordering.whites})


# -- TLC -----------------------------------------------------------------------------------------------------


def walk_traces(
    traces: Sequence[Trace],
    application: Items | Automata,
    granularity: str,
    tools: Tools,
    *,
    timeout: float = TIMEOUT,
) -> list[Walk]:
    """Have TLC walk traces of ``specs/Computation.tla``, all in one run, and tell how far it came in each.

    ``application`` is what all of them compute: one whose beginning does not depend on the topology is for traces
    of one topology.

    Raises SpecError for a trace without states, of other variables, or of several topologies where there can be but
    one; IncompleteError when the run does not finish or its evidence is not whole, and ToolError when TLC fails.
    """
    if not traces:
        return []
    module, config = render_walks(traces, application, granularity)
    with tempfile.TemporaryDirectory(prefix="pyharness-walks-") as scratch:
        directory = Path(scratch)
        (directory / f"{MODULE}.tla").write_text(module, encoding="utf-8")
        (directory / f"{MODULE}.cfg").write_text(config, encoding="utf-8")
        dump = directory / "states.dump"
        run = TlcRun(
            java=tools.java,
            jar=tools.jar,
            directory=directory,
            module=MODULE,
            libraries=tools.specs,
            timeout=timeout,
            dump=dump,
            dump_graph=False,
        )
        result = run_tlc(run)
        _require_finished(result)
        visited: dict[Any, set[Any]] = defaultdict(set)
        for state in read_states(dump, expected=result.distinct):
            visited[state["walk"]].add(state["step"])
    return [_walk(visited[number], len(trace)) for number, trace in enumerate(traces, start=1)]


def _walk(steps: set[Any], length: int) -> Walk:
    if steps != set(range(1, len(steps) + 1)) or len(steps) > length:
        raise IncompleteError(f"TLC visited the states {sorted(steps)} of a trace of {length}")
    return Walk(len(steps), length)


def _require_finished(result: Result) -> None:
    if result.outcome.is_spec_error or result.outcome.is_tool_failure:
        raise ToolError(result.error_text, where="the reordered traces")
    if result.outcome is not Outcome.SUCCESS or not result.finished or result.exit_status != 0:
        raise IncompleteError(
            result.error_text or "TLC did not finish",
            where="the reordered traces",
            hint="give it more time, or fewer traces",
        )


def render_walks(traces: Sequence[Trace], application: Items | Automata, granularity: str) -> tuple[str, str]:
    """Write the module and the configuration with which TLC walks ``traces``; see :func:`walk_traces`."""
    numbers: dict[str, int] = {}
    walks = [[numbers.setdefault(_global(s.state), len(numbers) + 1) for s in t.steps] for t in traces]
    if not all(walks):
        raise SpecError("a trace has no states", hint="was it cut off?")
    ids = sorted({str(trace.steps[0].state["topo"]) for trace in traces})
    graphs = [Topology.from_id(name) for name in ids]
    fields: dict[str, Any] = {
        "module": MODULE,
        "granularity": granularity,
        "graphs": to_tla(Fn((graph.id, graph_record(graph)) for graph in graphs)),
        "operators": OPERATORS,
        "states": list(numbers),
        "walks": walks,
        **_application(application, graphs),
    }
    return (
        TEMPLATES.get_template("walks.tla.jinja").render(fields),
        TEMPLATES.get_template("walks.cfg.jinja").render(fields),
    )


def _application(application: Items | Automata, graphs: Sequence[Topology]) -> dict[str, Any]:
    if isinstance(application, Items) and isinstance(application.placement, str):
        items = to_tla(set_of(application.items))  # type: ignore[arg-type]
        return {"application": "Items", "placement": application.placement, "items": items}
    if len(graphs) > 1:
        raise SpecError(f"these traces are of {len(graphs)} topologies, and their application is of one")
    return {"placement": None, **application_fields(application, graphs[0])}


def _global(state: Fn) -> str:
    if set(state) != {"topo", "state", "chan"}:
        raise SpecError(f"not a state of Computation: it has {', '.join(map(str, state))}")
    return f"<<{', '.join(to_tla(state[name]) for name in ('topo', 'state', 'chan'))}>>"
