"""Check a mutant: which properties catch it, on which topologies, and by how short a trace."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pyharness.run.table_rows import KillRow
from pyharness.run.tlc_runs import (
    first_places,
    run_model,
    run_row,
    topology_row,
    trace_row,
    violating_states,
)
from pyharness.run.tlc_verdict import meaning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pyharness.modules.library import Library
    from pyharness.run.jobs import Job
    from pyharness.run.machine_tools import Tools
    from pyharness.run.table_rows import TableRow, TopologyRow, TraceRow
    from pyharness.tlc import Progress


def kill_rows(
    job: Job,
    library: Library,
    tools: Tools,
    work: Path,
    on_progress: Callable[[Progress], None] | None = None,
) -> Iterator[TableRow]:
    """Run TLC on a mutant and return the rows of ``runs``, ``traces``, ``kills`` and ``topologies``.

    One run goes on after each violation. ``kills`` has every property that is violated; ``traces`` may lack some, for
    TLC reports one violation of a state and no more. Properties
    of whole behaviours, which a model with ``fair`` has, are checked in a run each: TLC stops at their first
    violation.
    """
    model = job.model
    until = time.monotonic() + model.budget.seconds
    caught: dict[str, str] = {}
    index = 0
    whole = True
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
        whole = whole and meaning(result).whole
        traces: dict[str, TraceRow] = {}
        for violation in result.violations:
            if violation.trace is not None:
                name = properties[0] if properties else (violation.name or "").removeprefix("First")
                traces[name] = row = trace_row(job, "counterexample", index, violation.trace, model, name)
                index += 1
                yield row
        counts: Mapping[tuple[str, str], int] = {}
        if properties is None:
            names = (*model.invariants, *model.properties)
            places = first_places(result, names)
            numbered = violating_states(result.output, model.topologies) or {}
            counts = {(names[number - 1], place): count for (number, place), count in numbered.items()}
        else:
            places = {(name, row.topology): row.length for name, row in traces.items()}
        named = ", ".join(sorted({name for name, _ in places})) or None
        yield run_row(job, attempt, result, named, len(model.topologies))
        for (name, place), length in places.items():
            yield kill_row(job, name, place, length, counts.get((name, place)))
            caught.setdefault(place, name)
    yield from topology_rows(job, caught, whole=whole)


def topology_rows(job: Job, caught: Mapping[str, str], *, whole: bool) -> Iterator[TopologyRow]:
    """Yield the rows of what a mutant came to on its topologies; ``caught`` has a property by topology."""
    for topology in job.model.topologies:
        by = caught.get(topology.id)
        came_to = "caught" if by else "not caught" if whole else "not decided"
        yield topology_row(job, topology, None, came_to, by)


def kill_row(job: Job, name: str, topology: str, length: int, states: int | None) -> KillRow:
    """Return the row of ``kills`` of a property that caught a job's mutant on a topology, in so many ``states``."""
    on = next((graph for graph in job.model.topologies if graph.id == topology), None)
    return KillRow(
        job=job.id,
        model=job.model.name,
        spec=job.model.spec,
        mutant=str(job.model.mutant),
        property=name,
        topology=topology,
        processes=on.processes if on else None,
        channels=len(on.channels) if on else None,
        length=length,
        states=states,
    )
