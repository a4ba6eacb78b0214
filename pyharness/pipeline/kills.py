"""Check a mutant: which properties catch it, on which topologies, and by how short a trace."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pyharness.pipeline.runs import run_model, run_row, topology_row, trace_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pyharness.pipeline.jobs import Job, Tools
    from pyharness.pipeline.modules import Library
    from pyharness.pipeline.rows import Row
    from pyharness.tlc import Progress, Result, Violation
    from pyharness.topology import Topology

__all__ = ["kill_rows"]


def kill_rows(
    job: Job,
    library: Library,
    tools: Tools,
    work: Path,
    on_progress: Callable[[Progress], None] | None = None,
) -> Iterator[Row]:
    """Run TLC on a mutant and give the rows of ``runs``, ``traces``, ``kills`` and ``topologies``.

    One run goes on after each violation, and finds the shortest trace of each property on each topology. Properties
    of whole behaviours, which a model with ``fair`` has, are checked in a run each: TLC stops at their first
    violation.
    """
    model = job.model
    until = time.monotonic() + model.budget.seconds
    caught: dict[str, str] = {}
    index = 0
    for attempt, properties in enumerate([(name,) for name in model.properties] if model.fair else [None]):
        result = run_model(
            model,
            library,
            tools,
            work,
            until - time.monotonic(),
            topologies=model.topologies,
            properties=properties,
            firsts=properties is None,
            progress=on_progress,
        )
        found = [(_name(violation, properties), violation) for violation in result.violations]
        names = ", ".join(dict.fromkeys(name or "?" for name, _ in found)) or None
        yield "runs", run_row(job, attempt, result, names, len(model.topologies)) | _all_kept(result)
        for name, violation in found:
            if violation.trace is None:
                continue
            row = trace_row(job, "counterexample", index, violation.trace, model, name)
            index += 1
            yield "traces", row
            yield "kills", _kill(job, name, row, model.topologies)
            caught.setdefault(row["topology"], name or "?")
    for topology in model.topologies:
        by = caught.get(topology.id)
        yield "topologies", topology_row(job, topology, None, "caught" if by else "not caught", by)


def _name(violation: Violation, properties: tuple[str, ...] | None) -> str | None:
    if properties is not None:
        return properties[0]
    return violation.name.removeprefix("First") if violation.name else None


def _all_kept(result: Result) -> dict[str, Any]:
    """Say so when not every violation has a name and a trace: then something may have been overlooked."""
    whole = result.violation_count == len(result.violations) and all(v.trace for v in result.violations)
    return (
        {}
        if whole
        else {"missing": f"only {len(result.violations)} of {result.violation_count} traces are whole"}
    )


def _kill(
    job: Job, name: str | None, trace: dict[str, Any], topologies: tuple[Topology, ...]
) -> dict[str, Any]:
    on = next((topology for topology in topologies if topology.id == trace["topology"]), None)
    return {
        "job": job.id,
        "model": job.model.name,
        "spec": job.model.spec,
        "mutant": job.model.mutant,
        "property": name,
        "topology": trace["topology"],
        "processes": on.processes if on else None,
        "channels": len(on.channels) if on else None,
        "length": trace["length"],
    }
