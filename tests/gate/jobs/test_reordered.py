"""Rows of reorderings, and TLC's walks along them: every trace of a plan, and what must be refused."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.topology import Topology
from pyharness.gate.jobs.reordering_rows import Walk, accept_rows, reorder_row, walk_traces
from pyharness.machines.protocols import Items
from pyharness.models.bounds import Budget
from pyharness.models.machine_tools import find_tools
from pyharness.models.model import Model
from pyharness.models.table_rows import TraceRow
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.tlc.itf import from_itf, to_itf
from pyharness.tla.values import Fn

FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])
RING = Topology.of(2, [(1, 2), (2, 1)], [1])
MODEL = Model("m", "ChandyLamport", (RING, FOUR))


def behaviour(model, topology, seed, length=400):
    """A random behaviour of the implementation, until it is over, as a row of traces."""
    system, draw = model.system(topology), random.Random(seed)
    state = next(system.initial())
    steps = [TraceStep(None, Fn(system.variables(state).items()))]
    while not system.over(state) and len(steps) < length:
        actions = list(system.actions(state))
        name = draw.choice(sorted({action.name for action in actions}))
        action = draw.choice([action for action in actions if action.name == name])
        state = action.after
        steps.append(TraceStep(action.name, Fn(system.variables(state).items())))
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
        steps.append(TraceStep(name, Fn(system.variables(state).items())))
    row = replace(behaviour(MODEL, FOUR, 1), itf=to_itf(Trace(tuple(steps))))
    assert reorder_row(mutant, row).agreed is False


# -- the rendered model --------------------------------------------------------------------------------------


def test_a_walk_says_where_it_stopped():
    assert str(Walk(3, 5)).endswith("at state 4 of 5")
    assert Walk(5, 5).accepted
    assert not Walk(0, 1).accepted


# -- TLC -----------------------------------------------------------------------------------------------------


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
