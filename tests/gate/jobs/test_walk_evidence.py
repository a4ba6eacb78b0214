"""What TLC must have visited for a walk to be accepted: each piece of it is missed, without running TLC."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.topology import Topology
from pyharness.gate.jobs import reordering_rows
from pyharness.gate.jobs.reordering_rows import Walk, accept_rows, render_walks, walk_traces
from pyharness.machines.protocols import Items
from pyharness.machines.systems import build_system
from pyharness.models.model import Model
from pyharness.models.table_rows import ReorderingRow
from pyharness.tla.tlc import Outcome, Result, Trace, TraceStep
from pyharness.tla.tlc.itf import to_itf
from pyharness.tla.values import Fn

RING = Topology.of(2, [(1, 2), (2, 1)], [1])
MODEL = Model("m", "ChandyLamport", (RING,))
TOOLS = SimpleNamespace(java=None, jar=None, jvm_options=(), specs=())
SUCCESS = Result(Outcome.SUCCESS, 0, finished=True, distinct=7)


def computation(length):
    """An item goes round, for so many states."""
    system = build_system("Computation", RING, Items(1, "initiator"))
    state = next(system.initial())
    steps = [TraceStep(None, Fn(system.variables(state).items()))]
    while len(steps) < length:
        action = next(iter(system.actions(state)))
        state = action.after
        steps.append(TraceStep(action.name, Fn(system.variables(state).items())))
    return Trace(tuple(steps))


TRACES = [computation(3), computation(4)]


def walked(monkeypatch, visited, result=SUCCESS, traces=TRACES):
    """Walk with a TLC that comes to this result and visits these pairs of a walk and a step."""
    read = []

    def states(_, *, expected):
        read.append(expected)
        return [{"walk": walk, "step": step} for walk, step in visited]

    monkeypatch.setattr(reordering_rows, "run_texts", lambda *_, **__: result)
    monkeypatch.setattr(reordering_rows, "read_states", states)
    found = walk_traces(traces, Items(1, "initiator"), "event", TOOLS)
    assert read == [result.distinct], "the dump must have as many states as TLC counts"
    return found


ALL = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (2, 4)]


def test_a_walk_is_accepted_if_all_its_own_states_are_visited(monkeypatch):
    assert walked(monkeypatch, ALL) == [Walk(3, 3), Walk(4, 4)]
    assert [walk.accepted for walk in walked(monkeypatch, ALL[:-1])] == [True, False]
    assert [walk.accepted for walk in walked(monkeypatch, ALL[3:])] == [False, True]
    assert [walk.accepted for walk in walked(monkeypatch, [])] == [False, False]


@pytest.mark.parametrize(
    "visited",
    [
        pytest.param([(1, 1), (1, 3), *ALL[3:]], id="a gap"),
        pytest.param([(1, 2), (1, 3), *ALL[3:]], id="no beginning"),
        pytest.param([*ALL, (1, 4)], id="one too many"),
        pytest.param([*ALL, (2, 0)], id="one before the first"),
    ],
)
def test_states_that_are_no_walk_are_no_evidence(monkeypatch, visited):
    with pytest.raises(IncompleteError, match="visited the states"):
        walked(monkeypatch, visited)


@pytest.mark.parametrize(
    "change",
    [
        {"exit_status": 137},
        {"finished": False},
        {"outcome": Outcome.INCOMPLETE},
        {"outcome": Outcome.OUT_OF_MEMORY},
        {"outcome": Outcome.DEADLOCK},
    ],
    ids=str,
)
def test_without_a_success_of_tlc_no_walk_is_told_of(monkeypatch, change):
    with pytest.raises(IncompleteError):
        walked(monkeypatch, ALL, replace(SUCCESS, **change))


def test_each_trace_is_rendered_with_all_its_states():
    tla, _ = render_walks(TRACES, Items(1, "initiator"), "event")
    assert "<<1, 2, 3>>,\n  <<1, 2, 3, 4>>" in tla
    for variable in ("topo", "state", "chan"):
        step = TRACES[0].steps[1]
        other = replace(step, state=step.state.updated(Fn([(variable, "other")])))
        changed = Trace((TRACES[0].steps[0], other, TRACES[0].steps[2]))
        more, _ = render_walks([*TRACES, changed], Items(1, "initiator"), "event")
        assert "<<1, 5, 3>>" in more, variable


@pytest.mark.parametrize("name", ["more", "chan"])
def test_a_trace_of_other_variables_is_refused(name):
    step = TRACES[0].steps[0]
    state = (
        {**step.state, "more": 1} if name == "more" else {k: v for k, v in step.state.items() if k != name}
    )
    with pytest.raises(SpecError, match="not a state of Computation"):
        render_walks([Trace((replace(step, state=Fn(state.items())),))], Items(1, "initiator"), "event")


# -- rows ----------------------------------------------------------------------------------------------------


def rows():
    """Four rows of reorderings, of which the second has nothing to walk along."""
    row = ReorderingRow("j", "m", "simulation", 0, RING.id, complete=True, agreed=True)
    written = [replace(row, index=index, itf=to_itf(computation(2 + index))) for index in range(4)]
    written[1] = replace(written[1], complete=False, agreed=None, itf=None)
    return written


def test_each_row_has_the_walk_of_its_own_trace(monkeypatch):
    def walk(traces, *_, **__):
        assert [len(trace) for trace in traces] == [2, 4, 5]
        return [Walk(2, 2), Walk(4, 4), Walk(3, 5)]

    monkeypatch.setattr(reordering_rows, "walk_traces", walk)
    found = accept_rows(MODEL, rows(), TOOLS)
    assert [row.accepted for row in found] == [True, None, True, False]
    assert [row.reason for row in found] == [None, None, None, str(Walk(3, 5))]


def test_what_was_not_walked_to_the_end_of_the_run_is_neither_accepted_nor_refused(monkeypatch):
    def walk(*_, **__):
        raise IncompleteError("TLC did not finish")

    monkeypatch.setattr(reordering_rows, "walk_traces", walk)
    found = accept_rows(MODEL, rows(), TOOLS)
    assert [row.accepted for row in found] == [None] * 4
    assert ["TLC did not finish" in (row.reason or "") for row in found] == [True, False, True, True]


def test_a_walk_too_few_is_no_answer(monkeypatch):
    monkeypatch.setattr(reordering_rows, "walk_traces", lambda *_, **__: [Walk(2, 2)])
    with pytest.raises(ValueError, match="shorter"):
        accept_rows(MODEL, rows(), TOOLS)
