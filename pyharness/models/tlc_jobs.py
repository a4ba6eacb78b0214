"""Jobs of TLC: a model checked on its topologies, or simulated, as rows."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyharness.base.errors import HarnessError, SpecError
from pyharness.models.check_rows import action_rows, checked_row, unread_row, witness_rows
from pyharness.models.mutant_check import kill_rows
from pyharness.models.plain_form import plain_form
from pyharness.models.spec_check import Bounds, check_plain
from pyharness.models.table_rows import TopologyRow
from pyharness.models.text_run import budget_of, run_texts
from pyharness.models.tlc_runs import is_small, run_row, trace_row
from pyharness.models.verdicts import Verdict
from pyharness.models.witness import witnesses_beside
from pyharness.tla.modules.formula_facts import next_actions
from pyharness.tla.tlc import Simulation, read_simulation
from pyharness.tla.tlc.spec_problems import without_places
from pyharness.tla.values import StateReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from pyharness.base.topology import Topology
    from pyharness.models.job import Job
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.models.spec_check import CheckedSpec
    from pyharness.models.table_rows import TableRow, WitnessRow
    from pyharness.tla.modules.library import Library
    from pyharness.tla.plain_models.plain_model import PlainModel
    from pyharness.tla.tlc import Progress


def tlc_rows(
    job: Job,
    library: Library,
    tools: Tools,
    work: Path,
) -> Iterable[TableRow]:
    """Return the rows of a ``check`` or a ``simulate`` job, which runs in the directory ``work``."""
    if job.kind == "simulate":
        return _simulated(job, library, tools, work)
    if job.model.mutant is not None:
        return kill_rows([job], library, tools, work)[job.id]
    return checked_rows(job, library, tools, work)


def writes_graph(model: Model, library: Library) -> bool:
    """Return whether the check of a model may write its state graph, for a comparison.

    It may if the graph is to be compared, the model is to pass, on all its topologies at once, and none of its
    properties is temporal, for which TLC would write states again.
    """
    if not model.conform or model.expect != "pass" or model.mutant or model.fair or len(model.batches) != 1:
        return False
    try:
        for name in model.properties:
            library.formula(model.spec, name)
    except SpecError:
        return False
    return True


def check_model(
    model: Model,
    library: Library,
    tools: Tools,
    work: Path,
    bounds: Bounds,
    progress: Callable[[Progress], None] | None = None,
    *,
    sought: Mapping[str, str] | None = None,
    **asked: Any,
) -> tuple[PlainModel, CheckedSpec]:
    """Check a model on all its topologies at once, as the plain module that it is, in the directory ``work``.

    ``sought`` are formulas to be reached, by name, beside each premise: then the caller asks for each. ``asked`` are the
    further arguments of :func:`~pyharness.models.spec_check.check_plain`, and so is what is raised.
    """
    plain = plain_form(model, library, work, watched=model.conform)
    if sought is not None:
        plain = replace(plain, sought=sought, unreached=frozenset(plain.checked))
    checked = check_plain(plain, tools, bounds, progress, **asked)
    lacking = [name for name in (*model.invariants, *model.properties) if name not in plain.checked]
    if checked.verdict is Verdict.PASS and lacking:
        reason = f"TLC was not asked to check {', '.join(lacking)}"
        checked = replace(checked, verdict=Verdict.INCOMPLETE, reason=reason)
    return plain, replace(checked, reason=checked.reason.replace(f"{work}/", ""))


def checked_rows(
    job: Job, library: Library, tools: Tools, work: Path, dump: Path | None = None
) -> Iterator[TableRow]:
    """Check a model as a plain module, one of its batches of topologies at a time, in the directory ``work``.

    ``dump`` is that of :func:`~pyharness.models.spec_check.check_plain`, for a model that :func:`writes_graph`.

    The check ends at a batch that is not a pass, unless it has an expected violation; later batches have no rows then.
    """
    model, budget = job.model, job.model.budget
    passes = model.expect == "pass"
    until = time.monotonic() + budget.seconds
    reached: dict[str, WitnessRow] = {}
    for attempt, graphs in enumerate(model.batches):
        one = replace(model, topologies=graphs)
        begun = {f"states on {each.id}": f'topo = "{each.id}"' for each in graphs}  # that none is empty
        left, small = max(until - time.monotonic(), 0.1), is_small(model, len(graphs))
        bounds = Bounds(left, budget.heap_mb, cpu_seconds=budget.cpu_seconds, small=small)
        try:
            actions = next_actions(library, model.spec)
            sought = witnesses_beside(model, library) | begun
            _, checked = check_model(
                one, library, tools, work, bounds, sought=sought, expressions=not passes, dump=dump
            )
        except SpecError as error:
            yield unread_row(job.id, model.name, error, attempt)
            return
        violation = checked.verdict is Verdict.VIOLATION
        if violation:
            checked = replace(checked, reason=without_places(checked.reason))
        yield checked_row(job.id, model.name, attempt, checked, len(graphs))
        if violation and checked.result.trace is not None:
            yield trace_row(job, "counterexample", attempt, checked.result.trace, model, checked.violated)
        yield from (row for row in action_rows(job.id, attempt, checked) if row.action in actions)
        found = {row.witness: row for row in witness_rows(job.id, model.name, checked)}
        for name in found.keys() - begun.keys():
            reached[name] = max(found[name], reached.get(name, found[name]), key=lambda row: row.reached)
        bad = _topology_of(checked, graphs)
        for topology, name in zip(graphs, begun, strict=True):
            if checked.verdict is not Verdict.PASS or (name in found and found[name].reached):
                outcome = checked.result.outcome.value if bad in (None, topology) else "not decided"
                violated = checked.violated if bad == topology else None
                yield TopologyRow(job.id, model.name, topology.id, outcome, violated)
        if checked.verdict is not Verdict.PASS and (passes or not violation):
            break
    yield from (reached[name] for name in sorted(reached) if passes)


def _topology_of(checked: CheckedSpec, topologies: tuple[Topology, ...]) -> Topology | None:
    """Return the topology that a counterexample is about; ``None`` if there is no counterexample."""
    trace = checked.result.trace
    if checked.verdict is not Verdict.VIOLATION or trace is None:
        return None
    return next((each for each in topologies if each.id == trace.steps[0].state.get("topo")), None)


def _simulated(job: Job, library: Library, tools: Tools, work: Path) -> Iterator[TableRow]:
    model = job.model
    if model.simulate is None:
        return
    drawn = model.simulate
    simulation = Simulation(drawn.traces, drawn.depth, work / "behaviour")
    result = run_texts(
        model.render(library), tools, work, **budget_of(model), simulation=simulation, seed=drawn.seed
    )
    yield run_row(job, 0, result, result.violated, len(model.topologies))
    reader = StateReader()
    for index, file in enumerate(sorted(work.glob("behaviour_*"))):
        try:
            trace = read_simulation(file, reader)
        except HarnessError:
            continue  # cut off: it is missing from the count, which the verdict compares with what was asked for
        yield trace_row(job, "simulation", index, trace, model, None)
