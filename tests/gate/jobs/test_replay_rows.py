"""Rows of replays: one for each implementation that a trace is held against, and none agrees by default."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.topology import Topology
from pyharness.gate.jobs.replay_rows import replay_row, without_history
from pyharness.machines.systems import build_system
from pyharness.models.model import Model
from pyharness.models.table_rows import CORRECT, TraceRow
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.tlc.itf import from_itf, to_itf
from pyharness.tla.values import Fn

RING = Topology.of(2, [(1, 2), (2, 1)], [1])
MODEL = Model("m", "ChandyLamport", (RING,))
MUTANT = replace(MODEL, mutant="LateTurn")
RED_IN_WHITE = ("Initiate", "Send", "AcceptMarker", "Accept")
"""Where the bug LateTurn shows: the marker has come, and the process turns red one action later."""


def trace_row(model, names, mutant=None, index=3):
    """What an implementation does, by the names of its actions, as a row of traces."""
    system = model.system(RING, mutant)
    state = next(system.initial())
    steps = [TraceStep(None, Fn(system.variables(state).items()))]
    for name in names:
        state = next(action.after for action in system.actions(state) if action.name == name)
        steps.append(TraceStep(name, Fn(system.variables(state).items())))
    itf = to_itf(Trace(tuple(steps)))
    return TraceRow("j", model.name, "counterexample", index, RING.id, len(steps), None, itf)


def test_a_mutants_trace_is_replayed_on_both_and_only_the_mutant_follows():
    correct, mutant = replay_row(MUTANT, trace_row(MUTANT, RED_IN_WHITE, "LateTurn"))
    assert (correct.implementation, correct.agreed, correct.steps, correct.length) == (CORRECT, False, 3, 5)
    assert correct.diverged_at == 4
    assert "cannot take AcceptMarker" in correct.divergence
    assert (mutant.implementation, mutant.agreed, mutant.steps, mutant.length) == ("LateTurn", True, 5, 5)
    assert (mutant.divergence, mutant.diverged_at) == (None, None)
    assert "NoRedInWhite" in mutant.violated
    assert not correct.violated
    assert {(row.kind, row.index, row.model) for row in (correct, mutant)} == {("counterexample", 3, "m")}


def test_a_trace_of_a_mutant_without_a_twin_is_replayed_on_the_correct_implementation():
    model = replace(MODEL, mutant="RecordPastMarker")
    (row,) = replay_row(model, trace_row(MUTANT, RED_IN_WHITE, "LateTurn"))
    assert (row.implementation, row.agreed, row.diverged_at) == (CORRECT, False, 4)


def test_the_specs_own_trace_is_replayed_on_the_correct_implementation():
    (row,) = replay_row(MODEL, trace_row(MODEL, ("Initiate", "AcceptMarker")))
    assert (row.implementation, row.agreed, row.steps, row.violated) == (CORRECT, True, 3, ())


@pytest.mark.parametrize(
    "change",
    [{"itf": to_itf(Trace((TraceStep(None, Fn([("x", 1)])),)))}, {"topology": "n9"}],
    ids=["itf", "graph"],
)
def test_what_cannot_be_replayed_at_all_is_not_agreed(change):
    rows = replay_row(MUTANT, replace(trace_row(MUTANT, RED_IN_WHITE, "LateTurn"), **change))
    assert [row.implementation for row in rows] == [CORRECT, "LateTurn"]
    assert all((row.agreed, row.steps) == (False, 0) and row.divergence for row in rows)


def test_a_spec_that_python_does_not_have_is_not_replayed():
    assert replay_row(replace(MODEL, spec="Commuting"), trace_row(MODEL, ())) == []


def test_without_its_history_every_step_and_every_other_variable_is_left():
    system = build_system("WhiteRed", RING, MODEL.system(RING).application)
    plain, _ = from_itf(trace_row(replace(MODEL, spec="WhiteRed"), ("Send", "Accept", "TurnRed")).itf)
    told = tuple(
        replace(
            step,
            action=step.action and f"H{step.action}",
            state=step.state.updated(Fn([("history", (number,))])),
        )
        for number, step in enumerate(plain.steps)
    )
    assert without_history(replace(plain, steps=told), system) == plain
    row = replace(trace_row(MODEL, ()), itf=to_itf(replace(plain, steps=told)), length=4)
    (found,) = replay_row(replace(MODEL, spec="WhiteRedHistory"), row)
    assert (found.agreed, found.steps, found.length, found.divergence) == (True, 4, 4, None)
