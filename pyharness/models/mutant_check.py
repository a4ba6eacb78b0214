"""Check mutants, alone or several of one setting in one run: which properties catch each, where, and how soon."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.models.mutant_group import graph_of, render_mutants
from pyharness.models.table_rows import KillRow, TopologyRow, rows_of
from pyharness.models.text_run import budget_of, run_texts
from pyharness.models.tlc_runs import (
    first_places,
    run_model,
    run_row,
    trace_row,
    violating_states,
)
from pyharness.models.tlc_verdict import meaning
from pyharness.tla.values import Fn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pyharness.models.job import Job
    from pyharness.models.machine_tools import Tools
    from pyharness.models.mutant_group import MutantGraph
    from pyharness.models.table_rows import TableRow, TraceRow
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Result, Trace
    from pyharness.tla.tlc.result import Violation


def kill_rows(
    job: Job,
    library: Library,
    tools: Tools,
    work: Path,
) -> Iterator[TableRow]:
    """Run TLC on a mutant and yield the rows of ``runs``, ``traces``, ``kills`` and ``topologies``.

    One run goes on after each violation. ``kills`` has every property that is violated; ``traces`` may lack some, for
    TLC reports at most one violation in a state. The temporal properties of a model with ``fair`` are checked in a run
    each, as TLC stops at their first violation; those that are not expected to catch the mutant share a run, unless one
    of them is violated.
    """
    model = job.model
    until = time.monotonic() + model.budget.seconds
    caught: dict[str, str] = {}
    index = 0
    complete = True
    runs: list[tuple[str, ...] | None] = [None]
    if model.fair:
        silent = tuple(name for name in model.properties if name not in model.caught_by)
        runs = [*((name,) for name in model.properties if name not in silent), *([silent] if silent else [])]
    for attempt, properties in enumerate(runs):
        result = run_model(
            model,
            library,
            tools,
            work,
            until - time.monotonic(),
            topologies=model.topologies,
            properties=properties,
            firsts=properties is None,
        )
        if properties and len(properties) > 1 and result.violations:
            runs += [(name,) for name in properties]
            continue
        complete = complete and meaning(result).complete
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
    yield from topology_rows(job, caught, complete=complete)


def topology_rows(job: Job, caught: Mapping[str, str], *, complete: bool) -> Iterator[TopologyRow]:
    """Yield a mutant's result on each topology, by the properties that ``caught`` it, and whether runs were ``complete``."""
    for topology in job.model.topologies:
        by = caught.get(topology.id)
        result = "caught" if by else "not caught" if complete else "not decided"
        yield TopologyRow(job.id, job.model.name, topology.id, result, by)


def kill_row(job: Job, name: str, topology: str, length: int, states: int | None) -> KillRow:
    """Return the row of ``kills`` of a property that caught a job's mutant on a topology.

    ``length`` is that of the shortest trace, ``states`` the number of states that violate the property, if counted.
    """
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


_COUNTED: Final = re.compile(r'<<"counted", (\d{1,18}), (\d{1,18}), (\d{1,18})>>')


class _Size(NamedTuple):
    """The distinct states of a graph, and its depth in states."""

    distinct: int
    depth: int


class _SharedRun(NamedTuple):
    """A run of several ``mutants``: violations, sizes by graph, numbers of violating states by property and graph."""

    result: Result
    traced: Sequence[Violation]
    sizes: Mapping[str, _Size]
    violating: Mapping[tuple[int, str], int]
    mutants: int


def grouped_kill_rows(
    jobs: Sequence[Job],
    library: Library,
    tools: Tools,
    work: Path,
) -> dict[str, list[TableRow]]:
    """Run TLC once on the mutants of ``jobs``, and return the rows of each by the id of its job.

    The number of states generated for a single mutant is not known then, and ``seconds`` is an equal share. A job that
    this run does not decide is missing, and must run alone: all jobs if the run did not end by itself, has a violation
    without its trace, or did not count its states; otherwise the jobs of mutants that no property caught.
    """
    models = [job.model for job in jobs]
    rendered = render_mutants(models, library)
    settings = budget_of(models[0]) | {"timeout": sum(model.budget.seconds for model in models)}
    result = run_texts(rendered, tools, work, **settings, go_on=True)
    traced = [found for found in result.violations if found.trace is not None]
    graphs = [graph_of(model, topology) for model in models for topology in model.topologies]
    sizes, violating = _sizes(result, graphs), violating_states(result.output, graphs)
    if (
        violating is None
        or not meaning(result).complete
        or len(traced) != result.violation_count
        or sum(size.distinct for size in sizes.values()) != result.distinct
    ):
        return {}
    shared_run = _SharedRun(result, traced, sizes, violating, len(jobs))
    own = {job.id: dict(job.model.mutant_overrides(library)) for job in jobs}
    shared = {f"Of{name}": name for names in own.values() for name in names}
    called = {job: {of: names.get(name, name) for of, name in shared.items()} for job, names in own.items()}
    rows = {job.id: _own_rows(job, shared_run, called[job.id]) for job in jobs}
    return {job: own for job, own in rows.items() if rows_of(KillRow, own)}


def _sizes(result: Result, graphs: Sequence[MutantGraph]) -> dict[str, _Size]:
    """Return the size of each graph, by its id, as the run printed it last."""
    found = (_COUNTED.fullmatch(line) for line in result.output.splitlines())
    return {graphs[int(m[1])].id: _Size(int(m[2]), int(m[3])) for m in found if m}


def _own_rows(job: Job, run: _SharedRun, called: Mapping[str, str]) -> list[TableRow]:
    model, result = job.model, run.result
    plain = {graph_of(model, topology).id: topology.id for topology in model.topologies}
    own = [
        replace(found, trace=_renamed(found.trace, plain, called))
        for found in run.traced
        if found.trace and found.trace.steps[0].state["topo"] in plain
    ]
    rows: list[TableRow] = []
    for index, found in enumerate(own):
        name = (found.name or "").removeprefix("First")
        if found.trace is not None:
            rows.append(trace_row(job, "counterexample", index, found.trace, model, name))
    names = (*model.invariants, *model.properties)
    counts = {(names[number - 1], place): count for (number, place), count in run.violating.items()}
    places = {key: length for key, length in first_places(result, names).items() if key[1] in plain}
    named = ", ".join(sorted({name for name, _ in places})) or None
    alone = replace(
        result,
        outcome=own[0].outcome if own else result.outcome,
        violations=tuple(own),
        violation_count=len(own),
        distinct=sum(run.sizes[graph].distinct for graph in plain),
        generated=None,
        depth=max(run.sizes[graph].depth for graph in plain),
        seconds=None if result.seconds is None else result.seconds / run.mutants,
    )
    rows.append(run_row(job, 0, alone, named, len(model.topologies)))
    caught: dict[str, str] = {}
    for (name, place), length in places.items():
        rows.append(kill_row(job, name, plain[place], length, counts.get((name, place))))
        caught.setdefault(plain[place], name)
    return [*rows, *topology_rows(job, caught, complete=True)]


def _renamed(trace: Trace | None, plain: Mapping[str, str], called: Mapping[str, str]) -> Trace | None:
    """Return a trace on a mutant's graph as one on the plain graph; ``called`` maps actions to the mutant's own names.

    In a shared run, an action that any mutant of the group overrides has ``Of`` before its name.
    """
    if trace is None:
        return None
    return replace(
        trace,
        steps=tuple(
            replace(
                step,
                action=called.get(step.action or "", step.action),
                state=Fn({**step.state, "topo": plain[str(step.state["topo"])]}.items()),
            )
            for step in trace.steps
        ),
    )
