"""Rows of reorderings, and TLC's walks along them: every trace of a plan, and what must be refused."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology
from pyharness.gate.jobs.job_execution import run_job
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.gate.jobs.reordering_rows import Walk, accept_rows, render_walks, reorder_row, walk_traces
from pyharness.machines.protocols import Items
from pyharness.models.bounds import Budget
from pyharness.models.machine_tools import find_tools
from pyharness.models.model import Model
from pyharness.models.table_rows import ReorderingRow, TraceRow, from_plain, rows_of, to_plain
from pyharness.tla.tlc import Step, Trace
from pyharness.tla.tlc.itf import from_itf, to_itf
from pyharness.tla.values import Fn
from tests.shipped_plans import shipped_plan

FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])
RING = Topology.of(2, [(1, 2), (2, 1)], [1])
MODEL = Model("m", "ChandyLamport", (RING, FOUR))
QUICK = shipped_plan("quick")
FEW = 20
"""Traces of a model that are looked at here; `pyharness check` simulates, reorders and walks along all of them."""

SIMULATED = ["chandy-lamport-full-actions", "collection-terminated", "unaligned-barriers"]
"""One of each application; the gate does the same with every model that is simulated, and all of its traces."""


def behaviour(model, topology, seed, length=400):
    """A random behaviour of the implementation, until it is over, as a row of traces."""
    system, draw = model.system(topology), random.Random(seed)
    state = next(system.initial())
    steps = [Step(None, Fn(system.variables(state).items()))]
    while not system.over(state) and len(steps) < length:
        actions = list(system.actions(state))
        name = draw.choice(sorted({action.name for action in actions}))
        action = draw.choice([action for action in actions if action.name == name])
        state = action.after
        steps.append(Step(action.name, Fn(system.variables(state).items())))
    itf = to_itf(Trace(tuple(steps)))
    return TraceRow("j", model.name, "simulation", seed, topology.id, len(steps), None, itf)


def rows(model=MODEL, seeds=range(12)):
    return [reorder_row(model, behaviour(model, model.topologies[seed % 2], seed)) for seed in seeds]


def altered(row, change):
    trace, _ = from_itf(row.itf)
    return replace(row, itf=to_itf(change(trace)))


# -- rows ----------------------------------------------------------------------------------------------------


def test_a_row_says_what_was_found():
    found = rows()
    assert all(row.complete and row.agreed and row.reason is None for row in found)
    assert sum(row.swaps for row in found) > 0
    assert sum(row.stuck for row in found) > 0
    assert all(row.accepted is None for row in found)
    trace, meta = from_itf(found[0].itf)
    assert len(trace) == found[0].actions + 1
    assert meta["sss"] == found[0].whites


def test_a_snapshot_that_is_not_complete_is_no_failure_and_no_success():
    row = reorder_row(MODEL, behaviour(MODEL, FOUR, 1, length=3))
    assert (row.complete, row.agreed, row.itf) == (False, None, None)


def test_a_trace_that_the_implementation_does_not_follow_is_no_incomplete_snapshot():
    whole = behaviour(MODEL, FOUR, 1)
    cut = altered(whole, lambda trace: Trace((*trace.steps[:2], *trace.steps[3:])))
    row = reorder_row(MODEL, cut)
    assert (row.complete, row.agreed, row.itf) == (None, False, None)
    assert "the implementation cannot take" in row.reason
    assert reorder_row(MODEL, replace(whole, itf="{}")).agreed is False
    assert reorder_row(replace(MODEL, spec="Commuting"), whole).agreed is False


def test_a_mutants_trace_is_refused():
    mutant = replace(MODEL, mutant="LateTurn")
    system = mutant.system(FOUR, "LateTurn")
    state, steps = next(system.initial()), []
    for name in (None, "Initiate", "Send", "AcceptMarker", "Accept"):
        if name:
            state = next(action.after for action in system.actions(state) if action.name == name)
        steps.append(Step(name, Fn(system.variables(state).items())))
    row = replace(behaviour(MODEL, FOUR, 1), itf=to_itf(Trace(tuple(steps))))
    assert reorder_row(mutant, row).agreed is False


# -- the rendered model --------------------------------------------------------------------------------------


def test_traces_that_begin_in_one_given_way_are_of_one_topology():
    traces = [from_itf(row.itf)[0] for row in rows(seeds=range(2))]
    with pytest.raises(SpecError, match="of 2 topologies"):
        render_walks(traces, Items(2, {1: [1], 2: [2]}), "event")


def test_what_is_no_trace_of_the_computation_is_not_rendered():
    with pytest.raises(SpecError, match="not a state of Computation"):
        render_walks([from_itf(behaviour(MODEL, RING, 1).itf)[0]], Items(2), "event")
    with pytest.raises(SpecError, match="no states"):
        render_walks([Trace(())], Items(2), "event")
    assert walk_traces([], Items(2), "event", None) == []


def test_a_walk_says_where_it_stopped():
    assert str(Walk(3, 5)).endswith("at state 4 of 5")
    assert Walk(5, 5).accepted
    assert not Walk(0, 1).accepted


# -- TLC -----------------------------------------------------------------------------------------------------


@pytest.mark.tlc
@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_traces_of_the_plan_are_reordered_and_accepted(name):
    tools = find_tools()
    (model,) = (model for model in QUICK.models if model.name == name)
    few = replace(model, simulate=replace(model.simulate, traces=FEW))
    (job,) = (job for job in plan_jobs(replace(QUICK, models=(few,)), tools) if job.kind == "simulate")
    traces = rows_of(TraceRow, run_job(job, QUICK.library, tools))
    found = accept_rows(job.model, [reorder_row(job.model, row) for row in traces], tools)
    assert len(found) == FEW
    complete = [row for row in found if row.complete]
    assert len(complete) >= len(found) // 2
    for row in complete:
        assert (row.agreed, row.accepted, row.reason) == (True, True, None)
    assert all(row.agreed is None for row in found if not row.complete)
    assert sum(row.stuck for row in complete) > 0
    if job.model.spec in {"ChandyLamport", "WhiteRed"}:
        assert sum(row.swaps for row in complete) > 0


@pytest.mark.tlc
def test_one_run_accepts_all_and_refuses_each_where_it_goes_wrong():
    def without(at):
        return lambda trace: Trace(trace.steps[:at] + trace.steps[at + 1 :])

    def ending(trace):
        first, last = trace.steps[0], trace.steps[-1]
        return Trace(
            (*trace.steps[:-1], replace(last, state=last.state.updated({"state": first.state["chan"]})))
        )

    def moved(trace):
        first = trace.steps[0]
        held = first.state["state"]
        return Trace((replace(first, state=first.state.updated({"state": held[::-1]})), *trace.steps[1:]))

    long = [row for row in rows(seeds=range(30)) if row.actions > 4][:4]
    good, dropped, ended, begun = long
    broken = [
        good,
        altered(dropped, without(2)),
        altered(ended, ending),
        altered(begun, moved),
        replace(good, itf=None, complete=False),
    ]
    found = accept_rows(MODEL, broken, find_tools())
    assert [row.accepted for row in found] == [True, False, False, False, None]
    lengths = [len(from_itf(row.itf)[0]) for row in broken[:4]]
    assert [row.reason for row in found[:4]] == [
        None,
        str(Walk(2, lengths[1])),
        str(Walk(lengths[2] - 1, lengths[2])),
        str(Walk(0, lengths[3])),
    ]


@pytest.mark.tlc
def test_a_walk_of_which_not_even_the_beginning_is_allowed():
    (row,) = rows(seeds=[1])
    trace, _ = from_itf(row.itf)
    assert [walk.steps for walk in walk_traces([trace], Items(2, "initiator"), "event", find_tools())] == [0]


@pytest.mark.tlc
def test_full_actions_are_not_accepted_as_events():
    model = replace(MODEL, granularity="action")
    tools = find_tools()
    found = [row for row in rows(model, range(20)) if "Exchange" in row.itf]
    assert len(found) > 3
    assert all(row.accepted for row in accept_rows(model, found, tools))
    assert not any(row.accepted for row in accept_rows(MODEL, found, tools))


@pytest.mark.tlc
def test_a_run_that_does_not_finish_accepts_nothing_and_refuses_nothing(tmp_path):
    tools = find_tools()
    (row,) = rows(seeds=[1])
    trace, _ = from_itf(row.itf)
    with pytest.raises(IncompleteError):
        walk_traces([trace], Items(2), "event", tools, timeout=0.05)
    with pytest.raises(SpecError):
        walk_traces([trace], Items(2), "event", replace(tools, specs=(tmp_path,)))
    hasty = replace(MODEL, budget=Budget(seconds=0))
    (found,) = accept_rows(hasty, [row], tools)
    assert found.accepted is None
    assert found.agreed is True
    assert found.reason


@pytest.mark.tlc
def test_the_computation_of_another_spec_refuses(tmp_path):
    """Were `Computation' wrong about channels, TLC would say so of the very traces that it accepts now."""
    tools = find_tools()
    traces = [from_itf(row.itf)[0] for row in rows()]
    walks = walk_traces(traces, Items(2), "event", tools)
    assert all(walk.accepted for walk in walks)
    for module in SPECS.glob("*.tla"):
        text = module.read_text(encoding="utf-8").replace("Append(@, m)", "Append(Append(@, m), m)")
        (tmp_path / module.name).write_text(text, encoding="utf-8")
    broken = walk_traces(traces, Items(2), "event", replace(tools, specs=(tmp_path,)))
    sends = [any(step.action == "Send" for step in trace.steps) for trace in traces]
    assert [walk.accepted for walk in broken] == [not any_sent for any_sent in sends]
    assert any(sends)


def test_the_rows_are_plain_values_and_back():
    (row,) = rows(seeds=[1])
    assert from_plain(ReorderingRow, json.loads(json.dumps(to_plain(row)))) == row
