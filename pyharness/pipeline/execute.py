"""Run one job: plain functions, without Spark. A domain outcome (a violation, a timeout) is a row, never an error."""

from __future__ import annotations

import itertools
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyharness.errors import HarnessError, IncompleteError
from pyharness.pipeline.examples import check_example
from pyharness.pipeline.kills import kill_rows
from pyharness.pipeline.runs import first_places, run_model, run_row, topology_row, trace_row
from pyharness.pipeline.verdict import Verdict
from pyharness.pipeline.violated import violated_property
from pyharness.pipeline.witness import probes_of
from pyharness.replay import explore
from pyharness.tla import StateReader
from pyharness.tlc import Outcome, Simulation, read_simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyharness.pipeline.jobs import Job, Tools
    from pyharness.pipeline.model import Model
    from pyharness.pipeline.modules import Library
    from pyharness.pipeline.rows import Row
    from pyharness.tlc import Progress, Result, Trace
    from pyharness.topology import Topology

__all__ = ["example_row", "run_job", "shortest_counterexample"]


def run_job(
    job: Job, library: Library, tools: Tools, on_progress: Callable[[Progress], None] | None = None
) -> list[Row]:
    """Run a job in a private directory that is gone afterwards, and give the rows it yields.

    Raises ToolError only when the machine is at fault (Java missing, no space), so that it is worth a retry.
    """
    if job.kind == "explore":
        return [_explored(job)]
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        work = Path(directory)
        if job.kind == "simulate":
            return list(_simulated(job, library, tools, work))
        if job.model.mutant is not None:
            return list(kill_rows(job, library, tools, work, on_progress))
        return list(_checked(job, library, tools, work, on_progress))


def shortest_counterexample(model: Model, library: Library, tools: Tools) -> Trace:
    """Run TLC on a model until the first property that is to catch it does, and give the counterexample.

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
    if not result.outcome.is_violation or result.trace is None:
        raise IncompleteError(f"no counterexample: {result.outcome.value}", where=model.name)
    return result.trace


def example_row(name: str, tools: Tools) -> dict[str, Any]:
    """Check a worked example on the implementation and with TLC, and give its row of ``examples``."""
    try:
        result = check_example(name, tools.java, tools.jar)
    except IncompleteError as error:
        return {"example": name, "verdict": Verdict.INCOMPLETE.text, "message": str(error)}
    verdict = Verdict.PASS if result.agreed else Verdict.NONCONFORMANCE
    return {"example": name, "verdict": verdict.text, "message": result.message}


# -- model checking --------------------------------------------------------------------------------------------


def _checked(
    job: Job, library: Library, tools: Tools, work: Path, on_progress: Callable[[Progress], None] | None
) -> Iterator[Row]:
    """Check the topologies, ``per_run`` at a time; after a violation, the rest again without the one that has it.

    The same runs look for what must be reached so that the check is not vacuous.
    """
    model = job.model
    until = time.monotonic() + model.budget.seconds
    waiting = model.batches
    probes = probes_of(model, library)
    reached: dict[str, tuple[str, int]] = {}
    for attempt in itertools.count():
        if not waiting:
            break
        remaining = waiting.pop(0)
        result = run_model(
            model,
            library,
            tools,
            work,
            until - time.monotonic(),
            topologies=remaining,
            probes=probes,
            progress=on_progress,
        )
        for (name, place), length in first_places(result, list(probes)).items():
            reached.setdefault(name, (place, length))
        bad = _topology_of(result, remaining)
        violated = violated_property(
            model, library, tools, work, result, () if bad is None else (bad,), until
        )
        yield "runs", run_row(job, attempt, result, violated, len(remaining))
        for trace in [result.trace] if result.trace is not None and result.outcome.is_violation else []:
            yield "traces", trace_row(job, "counterexample", attempt, trace, model, violated)
        if result.coverage is not None:
            for name, count in result.coverage.actions.items():
                yield "actions", {"job": job.id, "run": attempt, "action": name, "total": count.total}
        if bad is None:
            counts = _topology_counts(result, library, model, remaining)
            for topology in remaining:
                yield (
                    "topologies",
                    topology_row(job, topology, counts.get(topology.id), result.outcome.value, None),
                )
            if result.outcome is not Outcome.SUCCESS:
                break
            continue
        yield "topologies", topology_row(job, bad, None, result.outcome.value, violated)
        rest = tuple(topology for topology in remaining if topology != bad)
        waiting[:0] = [rest] if rest else []
    for name, formula in probes.items():
        found = dict(zip(("topology", "length"), reached.get(name, (None, None)), strict=True))
        yield (
            "witnesses",
            {"job": job.id, "model": model.name, "witness": name, "formula": formula, **found},
        )


def _topology_of(result: Result, topologies: tuple[Topology, ...]) -> Topology | None:
    """Find the topology a counterexample is about."""
    if not result.outcome.is_violation or result.trace is None or not result.trace.steps:
        return None
    topo = result.trace.steps[0].state.get("topo")
    return next((topology for topology in topologies if topology.id == topo), None)


def _topology_counts(
    result: Result, library: Library, model: Model, topologies: tuple[Topology, ...]
) -> dict[str, int]:
    """Read the distinct states of each topology from the coverage of the model's Tally."""
    if result.coverage is None:
        return {}
    rendered = model.render(library, topologies)
    counts = {}
    for number, line in enumerate(rendered.tla.splitlines(), start=1):
        for topology in topologies:
            if f'topo = "{topology.id}" -> ' in line:
                first, last = line.index("Len(topo)") + 1, len(line)
                place = f"line {number}, col {first} to line {number}, col {last} of module {rendered.module}"
                count = result.coverage.count("Tally", place, part=True)
                if count is not None:
                    counts[topology.id] = count
    return counts


# -- simulation and exploration --------------------------------------------------------------------------------


def _simulated(job: Job, library: Library, tools: Tools, work: Path) -> Iterator[Row]:
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
    yield "runs", run_row(job, 0, result, result.violated, len(model.topologies))
    reader = StateReader()
    for index, file in enumerate(sorted(work.glob("behaviour_*"))):
        try:
            trace = read_simulation(file, reader)
        except HarnessError:
            continue  # cut off: it is missing from the count, which the verdict compares with what was asked for
        yield "traces", trace_row(job, "simulation", index, trace, model, None)


def _explored(job: Job) -> Row:
    model, topology = job.model, job.topology
    if topology is None:
        raise ValueError("an exploration is of one topology")
    began = time.monotonic()
    found = explore(model.system(topology), stop_when_over=bool(model.stop))
    return "explorations", {
        "job": job.id,
        "model": model.name,
        "topology": topology.id,
        "distinct": found.distinct,
        "transitions": found.transitions,
        "seconds": time.monotonic() - began,
    }
