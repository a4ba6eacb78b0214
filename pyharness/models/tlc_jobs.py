"""Jobs of TLC: a model checked on its topologies, or simulated, as rows."""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.base.errors import HarnessError, IncompleteError
from pyharness.models.graph_check import check_with_graph, writes_graph
from pyharness.models.mutant_check import kill_rows
from pyharness.models.table_rows import ActionRow, WitnessRow
from pyharness.models.tlc_runs import (
    RunCounts,
    asked_properties,
    counts_of_coverage,
    counts_of_registers,
    first_places,
    run_model,
    run_row,
    steps_to_count,
    topology_row,
    trace_row,
    violated_property,
)
from pyharness.models.tlc_verdict import meaning
from pyharness.models.verdicts import Verdict
from pyharness.models.witness import probes_of
from pyharness.tla.tlc import Simulation, read_simulation
from pyharness.tla.values import StateReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.base.topology import Topology
    from pyharness.models.counted_steps import CountedSteps
    from pyharness.models.job import Job
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.models.table_rows import TableRow
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Result, Trace


def tlc_rows(
    job: Job,
    library: Library,
    tools: Tools,
    work: Path,
) -> Iterator[TableRow]:
    """Yield the rows of a ``check`` or a ``simulate`` job, which runs in the directory ``work``."""
    if job.kind == "simulate":
        return _simulated(job, library, tools, work)
    if job.model.mutant is not None:
        return kill_rows(job, library, tools, work)
    if writes_graph(job.model, library):
        checked = check_with_graph(job, library, tools, work, work / "graph.dot")
        if checked is not None:
            return iter(checked.rows)
        return checked_rows(job, library, tools, work, None)
    return checked_rows(job, library, tools, work, steps_to_count(job.model, library))


def checked_rows(
    job: Job,
    library: Library,
    tools: Tools,
    work: Path,
    counted: CountedSteps | None,
) -> Iterator[TableRow]:
    """Check the topologies, ``per_run`` at a time; after a violation, the rest again without the one that has it.

    The same runs look for what must be reached so that the check is not vacuous. What is ``counted`` counts by
    registers, until a run is no pass, or its registers do not add up: from there on TLC's coverage counts, beginning
    with the same topologies. With ``None`` it does from the beginning, as after a run with the graph that was no pass.
    """
    model = job.model
    until = time.monotonic() + model.budget.seconds
    waiting = model.batches
    probes = probes_of(model, library)
    reached: dict[str, tuple[str, int]] = {}
    attempt = 0
    while waiting:
        remaining = waiting.pop(0)
        result = run_model(
            model,
            library,
            tools,
            work,
            until - time.monotonic(),
            topologies=remaining,
            probes=probes,
            counted=counted,
        )
        if counted is None:
            counts = counts_of_coverage(result, model, library, remaining)
        elif found := counts_of_registers(result, model, library, counted, remaining):
            counts = found
        elif meaning(result).verdict is Verdict.INCOMPLETE:
            counts = RunCounts()
        else:
            counted, until = None, time.monotonic() + model.budget.seconds
            waiting.insert(0, remaining)
            continue
        asked = asked_properties(work, model)  # before another run is in this directory
        for (name, place), length in first_places(result, list(probes)).items():
            reached.setdefault(name, (place, length))
        bad = _topology_of(result, remaining)
        violated = violated_property(
            model, library, tools, work, result, () if bad is None else (bad,), until
        )
        yield run_row(job, attempt, result, violated, len(remaining), counts.evaluated, asked)
        for trace in [result.trace] if result.trace is not None and result.outcome.is_violation else []:
            yield trace_row(job, "counterexample", attempt, trace, model, violated)
        for name, count in counts.steps.items():
            yield ActionRow(job.id, attempt, name, count)
        attempt += 1
        if bad is None:
            for topology in remaining:
                yield topology_row(job, topology, counts.states.get(topology.id), result.outcome.value, None)
            if meaning(result).verdict is not Verdict.PASS:
                break
            continue
        yield topology_row(job, bad, None, result.outcome.value, violated)
        rest = tuple(topology for topology in remaining if topology != bad)
        waiting[:0] = [rest] if rest else []
    for name, formula in probes.items():
        first = reached.get(name) or (None, None)
        yield WitnessRow(job.id, model.name, name, formula, *first)


def _topology_of(result: Result, topologies: tuple[Topology, ...]) -> Topology | None:
    """Find the topology a counterexample is about."""
    if not result.outcome.is_violation or result.trace is None or not result.trace.steps:
        return None
    topo = result.trace.steps[0].state.get("topo")
    return next((topology for topology in topologies if topology.id == topo), None)


def _simulated(job: Job, library: Library, tools: Tools, work: Path) -> Iterator[TableRow]:
    model = job.model
    if model.simulate is None:
        return
    result = run_model(
        model,
        library,
        tools,
        work,
        model.budget.seconds,
        topologies=model.topologies,
        simulation=Simulation(model.simulate.traces, model.simulate.depth, work / "behaviour"),
    )
    yield run_row(job, 0, result, result.violated, len(model.topologies))
    reader = StateReader()
    for index, file in enumerate(sorted(work.glob("behaviour_*"))):
        try:
            trace = read_simulation(file, reader)
        except HarnessError:
            continue  # cut off: it is missing from the count, which the verdict compares with what was asked for
        yield trace_row(job, "simulation", index, trace, model, None)


def shortest_counterexample(model: Model, library: Library, tools: Tools) -> Trace:
    """Run TLC on a model until the first property that is to catch it does, and return the counterexample.

    Breadth-first search makes it the shortest, but for a property of whole behaviours.

    Raises IncompleteError when the run does not come to one.
    """
    name = model.caught_by[0]
    alone = replace(
        model,
        invariants=tuple(n for n in model.invariants if n == name),
        properties=tuple(n for n in model.properties if n == name),
    )
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        result = run_model(
            alone, library, tools, Path(directory), model.budget.seconds, topologies=model.topologies
        )
    if meaning(result).verdict is not Verdict.VIOLATION or result.trace is None:
        raise IncompleteError(f"no counterexample: {result.outcome.value}", where=model.name)
    return result.trace
