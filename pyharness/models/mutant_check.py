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
    is_small,
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
    from pyharness.models.table_rows import TableRow
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Result, Trace
    from pyharness.tla.tlc.result import Violation


def kill_rows(
    jobs: Sequence[Job],
    library: Library,
    tools: Tools,
    work: Path,
) -> dict[str, list[TableRow]]:
    """Run TLC on mutants of one setting, and return their rows of ``runs``, ``traces``, ``kills`` and ``topologies``.

    The result is by the id of the job. One run goes on after each violation. ``kills`` has every property that is
    violated; ``traces`` may lack some, for TLC reports at most one violation in a state. Of several mutants the number
    of states generated for one is not known, and ``seconds`` is an equal share.

    A job that a run of several mutants does not decide is missing, and must run alone: all jobs if the run did not end
    by itself, has a violation without its trace, or did not count its states; otherwise the jobs of mutants that no
    property caught.
    """
    models = [job.model for job in jobs]
    if models[0].fair:
        return {job.id: _fair_rows(job, library, tools, work) for job in jobs}
    settings = budget_of(models[0]) | {"timeout": sum(model.budget.seconds for model in models)}
    quick = len(models) > 1 or is_small(models[0])
    result = run_texts(render_mutants(models, library), tools, work, **settings, go_on=True, quick_jvm=quick)
    graphs = [graph_of(model, topology) for model in models for topology in model.topologies]
    violating = violating_states(result.output, graphs)
    run = _Run(result, _sizes(result, graphs), violating, len(jobs))
    if len(jobs) > 1 and not run.decides:
        return {}
    own = {job.id: dict(job.model.mutant_overrides(library)) for job in jobs}
    shared = {f"Of{name}": name for names in own.values() for name in names}
    called = {job: {of: names.get(name, name) for of, name in shared.items()} for job, names in own.items()}
    rows = {job.id: _own_rows(job, run, called[job.id]) for job in jobs}
    return {job: own for job, own in rows.items() if len(jobs) == 1 or rows_of(KillRow, own)}


def _fair_rows(job: Job, library: Library, tools: Tools, work: Path) -> list[TableRow]:
    """Return the rows of a mutant's temporal properties, each of which has a run, as TLC stops at its first violation.

    Those that are not expected to catch the mutant share a run, unless one of them is violated.
    """
    model = job.model
    until = time.monotonic() + model.budget.seconds
    silent = tuple(name for name in model.properties if name not in model.caught_by)
    runs = [*((name,) for name in model.properties if name not in silent), *([silent] if silent else [])]
    rows: list[TableRow] = []
    caught: dict[str, str] = {}
    complete = True
    for attempt, properties in enumerate(runs):
        rendered = replace(model, invariants=(), properties=properties).render(library)
        settings = budget_of(model) | {"timeout": max(until - time.monotonic(), 0.1)}
        result = run_texts(rendered, tools, work, **settings, quick_jvm=is_small(model))
        if len(properties) > 1 and result.violations:
            runs += [(name,) for name in properties]
            continue
        complete = complete and meaning(result).complete
        trace = result.trace if result.violations else None
        named = properties[0] if trace else None
        if trace:
            shown = trace_row(job, "counterexample", len(rows_of(KillRow, rows)), trace, model, named)
            caught.setdefault(shown.topology, properties[0])
            rows += [shown, kill_row(job, properties[0], shown.topology, shown.length, None)]
        rows.append(run_row(job, attempt, result, named, len(model.topologies)))
    return [*rows, *topology_rows(job, caught, complete=complete)]


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


class _Run(NamedTuple):
    """A run of ``mutants``: sizes by graph, numbers of violating states by property and graph, if those are known."""

    result: Result
    sizes: Mapping[str, _Size]
    violating: Mapping[tuple[int, str], int] | None
    mutants: int

    @property
    def traced(self) -> list[Violation]:
        """The violations that have a trace."""
        return [found for found in self.result.violations if found.trace is not None]

    @property
    def decides(self) -> bool:
        """Whether the run ended by itself, with a trace of each violation, and has counted its states by graph."""
        return (
            self.violating is not None
            and meaning(self.result).complete
            and len(self.traced) == self.result.violation_count
            and sum(size.distinct for size in self.sizes.values()) == self.result.distinct
        )


def _sizes(result: Result, graphs: Sequence[MutantGraph]) -> dict[str, _Size]:
    """Return the size of each graph, by its id, as the run printed it last."""
    found = (_COUNTED.fullmatch(line) for line in result.output.splitlines())
    return {graphs[int(m[1])].id: _Size(int(m[2]), int(m[3])) for m in found if m}


def _own_rows(job: Job, run: _Run, called: Mapping[str, str]) -> list[TableRow]:
    model = job.model
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
    counts = {(names[number - 1], place): count for (number, place), count in (run.violating or {}).items()}
    places = {key: length for key, length in first_places(run.result, names).items() if key[1] in plain}
    named = ", ".join(sorted({name for name, _ in places})) or None
    alone = run.result
    if run.mutants > 1:
        alone = replace(
            alone,
            outcome=own[0].outcome if own else alone.outcome,
            violations=tuple(own),
            violation_count=len(own),
            distinct=sum(run.sizes[graph].distinct for graph in plain),
            generated=None,
            depth=max(run.sizes[graph].depth for graph in plain),
            seconds=None if alone.seconds is None else alone.seconds / run.mutants,
        )
    rows.append(run_row(job, 0, alone, named, len(model.topologies)))
    caught: dict[str, str] = {}
    for (name, place), length in places.items():
        rows.append(kill_row(job, name, plain[place], length, counts.get((name, place))))
        caught.setdefault(plain[place], name)
    return [*rows, *topology_rows(job, caught, complete=meaning(alone).complete)]


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
