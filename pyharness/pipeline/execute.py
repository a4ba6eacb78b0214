"""Run one job: plain functions, without Spark. A domain outcome (a violation, a timeout) is a row, never an error."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyharness.errors import HarnessError, IncompleteError
from pyharness.pipeline.examples import check_example
from pyharness.pipeline.verdict import Verdict
from pyharness.replay import build_system, explore
from pyharness.tla import StateReader
from pyharness.tlc import Outcome, Simulation, TlcRun, read_simulation, run_tlc
from pyharness.tlc.itf import to_itf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyharness.pipeline.jobs import Job, Tools
    from pyharness.pipeline.modules import Library
    from pyharness.pipeline.plan import Model
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
        return list(_checked(job, library, tools, work, on_progress))


def shortest_counterexample(model: Model, library: Library, tools: Tools) -> Trace:
    """Run TLC on all topologies of a model and give the counterexample, which breadth-first search makes shortest.

    Raises IncompleteError when the run does not come to one.
    """
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        result = _run(
            model, library, tools, Path(directory), model.budget.seconds, topologies=model.topologies
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
    """Check all topologies in one run; after a violation, check the others again without the one that has it."""
    model, remaining = job.model, job.model.topologies
    until = time.monotonic() + model.budget.seconds
    attempt = 0
    while remaining:
        result = _run(
            model, library, tools, work, until - time.monotonic(), topologies=remaining, progress=on_progress
        )
        bad = _topology_of(result, remaining)
        violated = _violated(model, library, tools, work, result, bad, until)
        yield "runs", _run_row(job, attempt, result, violated, len(remaining))
        for trace in [result.trace] if result.trace is not None and result.outcome.is_violation else []:
            yield "traces", _trace_row(job, "counterexample", attempt, trace, model, violated)
        if result.coverage is not None:
            for name, count in result.coverage.actions.items():
                yield "actions", {"job": job.id, "run": attempt, "action": name, "total": count.total}
        if bad is None:
            counts = _topology_counts(result, library, model, remaining)
            for topology in remaining:
                yield (
                    "topologies",
                    _topology_row(job, topology, counts.get(topology.id), result.outcome.value, None),
                )
            return
        yield "topologies", _topology_row(job, bad, None, result.outcome.value, violated)
        remaining = tuple(topology for topology in remaining if topology != bad)
        attempt += 1


def _run(
    model: Model,
    library: Library,
    tools: Tools,
    work: Path,
    seconds: float,
    *,
    topologies: tuple[Topology, ...],
    properties: tuple[str, ...] | None = None,
    progress: Callable[[Progress], None] | None = None,
    simulation: Simulation | None = None,
) -> Result:
    rendered = model.render(library, topologies, properties)
    (work / f"{rendered.module}.tla").write_text(rendered.tla, encoding="utf-8")
    (work / f"{rendered.module}.cfg").write_text(rendered.cfg, encoding="utf-8")
    run = TlcRun(
        java=tools.java,
        jar=tools.jar,
        directory=work,
        module=rendered.module,
        libraries=tools.specs,
        heap_mib=model.budget.heap_mb,
        timeout=max(seconds, 0.1),
        coverage=simulation is None,
        simulation=simulation,
        seed=model.simulate.seed if simulation and model.simulate else None,
        quick_jvm=len(topologies) < 5 or model.expect != "pass" or simulation is not None,
    )
    return run_tlc(run, on_progress=progress)


def _topology_of(result: Result, topologies: tuple[Topology, ...]) -> Topology | None:
    """Find the topology a counterexample is about."""
    if not result.outcome.is_violation or result.trace is None or not result.trace.steps:
        return None
    topo = result.trace.steps[0].state.get("topo")
    return next((topology for topology in topologies if topology.id == topo), None)


def _violated(
    model: Model,
    library: Library,
    tools: Tools,
    work: Path,
    result: Result,
    bad: Topology | None,
    until: float,
) -> str | None:
    """Name the violated property; where TLC gives only a place that several share, ask it again one by one."""
    if not result.violations:
        return None
    first = result.violations[0]
    if first.name is not None:
        return first.name
    if first.outcome is Outcome.TEMPORAL and len(model.properties) == 1:
        return model.properties[0]
    if first.location:
        words = first.location.replace(",", "").split()
        named = library.property_at(model.mutant or model.spec, model.properties, int(words[1]), words[-1])
        if named:
            return named
    if bad is None or len(model.properties) == 1:
        return None
    for candidate in model.properties:
        alone = _run(
            model, library, tools, work, until - time.monotonic(), topologies=(bad,), properties=(candidate,)
        )
        if alone.violations and alone.violations[0].name is None:
            return candidate
    return None


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
    result = _run(
        model,
        library,
        tools,
        work,
        model.budget.seconds,
        topologies=model.topologies,
        simulation=Simulation(model.simulate.traces, model.simulate.depth, work / "behaviour"),
    )
    yield "runs", _run_row(job, 0, result, result.violated, len(model.topologies))
    reader = StateReader()
    for index, file in enumerate(sorted(work.glob("behaviour_*"))):
        try:
            trace = read_simulation(file, reader)
        except HarnessError:
            continue  # cut off: it is missing from the count, which the verdict compares with what was asked for
        yield "traces", _trace_row(job, "simulation", index, trace, model, None)


def _explored(job: Job) -> Row:
    model, topology = job.model, job.topology
    if topology is None:
        raise ValueError("an exploration is of one topology")
    began = time.monotonic()
    system = build_system(model.spec, topology, model.application, model.granularity)
    found = explore(system, stop_when_over=bool(model.stop))
    return "explorations", {
        "job": job.id,
        "model": model.name,
        "topology": topology.id,
        "distinct": found.distinct,
        "transitions": found.transitions,
        "seconds": time.monotonic() - began,
    }


# -- rows ------------------------------------------------------------------------------------------------------


def _run_row(job: Job, attempt: int, result: Result, violated: str | None, topologies: int) -> dict[str, Any]:
    return {
        "job": job.id,
        "model": job.model.name,
        "kind": job.kind,
        "run": attempt,
        "outcome": result.outcome.name,
        "detail": result.error_text[:2000],
        "missing": "; ".join(result.missing),
        "violated": violated,
        "topologies": topologies,
        "exit_status": result.exit_status,
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "seconds": result.seconds,
        "tlc": result.tlc_version,
    }


def _trace_row(
    job: Job, kind: str, index: int, trace: Trace, model: Model, violated: str | None
) -> dict[str, Any]:
    meta = {
        "title": f"{model.name}: {violated or kind}",
        "spec": model.spec,
        "mutant": model.mutant,
        "granularity": model.granularity,
        "violated": violated,
    }
    topo = trace.steps[0].state.get("topo")
    return {
        "job": job.id,
        "model": model.name,
        "kind": kind,
        "index": index,
        "topology": topo if isinstance(topo, str) else "",
        "length": len(trace),
        "itf": json.dumps(json.loads(to_itf(trace, meta)), separators=(",", ":"), ensure_ascii=False),
    }


def _topology_row(
    job: Job, topology: Topology, distinct: int | None, outcome: str, violated: str | None
) -> dict[str, Any]:
    return {
        "job": job.id,
        "model": job.model.name,
        "topology": topology.id,
        "distinct": distinct,
        "outcome": outcome,
        "violated": violated,
    }
