"""Look at one graph: all of its states within a budget, or else a number of random behaviours."""

from __future__ import annotations

import resource
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pyharness.plan.bounds import SimulationBudget
from pyharness.run.single_model import check_model
from pyharness.run.tlc_runs import run_model
from pyharness.run.tlc_verdict import meaning
from pyharness.run.verdicts import Verdict
from pyharness.survey.graph_record import GraphRecord, Reach
from pyharness.tlc import EndedBy, Outcome, Simulation

if TYPE_CHECKING:
    from pyharness.modules.library import Library
    from pyharness.plan.model import Model
    from pyharness.run.machine_tools import Tools
    from pyharness.tlc import Result


class Walks(NamedTuple):
    """The behaviours that stand in for a state space: how many, of how many steps at most, from which seed."""

    behaviours: int = 200
    steps: int = 200
    seed: int = 1


def survey_graph(model: Model, library: Library, tools: Tools, walks: Walks) -> GraphRecord:
    """Look at the one graph of ``model``, within the model's budget, in this process's children and one at a time.

    Raises ToolError when the machine is at fault, SpecError for a model that is none.
    """
    before = _children_seconds()
    checked = check_model(model, library, tools)
    searched = _children_seconds() - before
    result = checked.result
    (topology,) = model.topologies
    record = GraphRecord(
        topology=topology.id,
        processes=topology.processes,
        channels=len(topology.channels),
        items=model.items,
        reach=Reach.UNDECIDED,
        seen=result.distinct,
        seconds=round(searched, 2),
        why=checked.reason,
    )
    if checked.verdict is Verdict.PASS:
        return replace(record, reach=Reach.ALL_STATES, states=result.distinct, depth=result.depth, why="")
    if checked.verdict is Verdict.VIOLATION:
        return replace(record, reach=Reach.VIOLATED, why=checked.violated or checked.reason)
    if not _too_large(result):
        return record
    return _walked(record, model, library, tools, walks)


def _walked(record: GraphRecord, model: Model, library: Library, tools: Tools, walks: Walks) -> GraphRecord:
    """Simulate what was too large; the record says what the simulation came to."""
    simulated = replace(
        model,
        simulate=SimulationBudget(walks.behaviours, walks.steps, walks.seed),
        budget=replace(model.budget, cpu_seconds=None),
    )
    before = _children_seconds()
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        result = run_model(
            simulated,
            library,
            tools,
            Path(directory),
            model.budget.seconds,
            topologies=model.topologies,
            simulation=Simulation(walks.behaviours, walks.steps),
        )
    record = replace(record, walk_seconds=round(_children_seconds() - before, 2))
    found = meaning(result)
    if found.verdict is Verdict.PASS:
        return replace(record, reach=Reach.SIMULATED, behaviours=walks.behaviours)
    if found.verdict is Verdict.VIOLATION:
        return replace(record, reach=Reach.VIOLATED, why=found.cause)
    return replace(record, why=f"{record.why}; simulation: {found.reason}")


def _too_large(result: Result) -> bool:
    """Whether the search was cut off for want of time or memory, and not for another reason."""
    return result.ended_by is EndedBy.TIMEOUT or result.outcome is Outcome.OUT_OF_MEMORY


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
