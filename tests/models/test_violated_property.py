"""Which property a run violated, where TLC gives neither its name nor a place of its own."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from pyharness.models import tlc_runs as naming
from pyharness.models.tlc_runs import violated_property
from pyharness.tla.tlc import Outcome, Result, Trace
from pyharness.tla.tlc.result import Violation
from pyharness.tla.tlc.trace import TraceStep
from pyharness.tla.values import Fn
from tests.shipped_plans import shipped_plan

PLAN = shipped_plan("quick")
MODEL = replace(
    next(model for model in PLAN.models if model.name == "chandy-lamport"),
    invariants=(),
    properties=("TurnsRedOnce", "RefinesWhiteRed", "SSSReachable"),
    depth=None,
)
TRACE = Trace((TraceStep(None, Fn([("topo", "n2-6-i1")])),) * 3)


def found(outcome, name=None):
    return Result(outcome, 13, violations=(Violation(outcome, name, None, "violated", TRACE),))


@pytest.fixture
def asked(monkeypatch):
    """Answer the runs by their property; what is asked is kept with the depth."""
    answers, runs = {}, []

    def run_model(model, *_, properties, **__):
        runs.append((*properties, model.depth))
        return answers.get(*properties, Result(Outcome.SUCCESS, 0, finished=True))

    monkeypatch.setattr(naming, "run_model", run_model)
    return answers, runs


def named(result, tmp_path, model=MODEL):
    graphs = model.topologies[:1]
    return violated_property(model, PLAN.library, None, tmp_path, result, graphs, time.monotonic() + 60)


@pytest.mark.parametrize(("outcome", "depth"), [(Outcome.TEMPORAL, None), (Outcome.ACTION_PROPERTY, 3)])
def test_it_is_the_one_that_is_violated_alone(asked, tmp_path, outcome, depth):
    answers, runs = asked
    answers["RefinesWhiteRed"] = answers["SSSReachable"] = found(outcome)
    assert named(found(outcome), tmp_path) == "RefinesWhiteRed"
    assert runs == [("TurnsRedOnce", depth), ("RefinesWhiteRed", depth)]


def test_a_false_assert_is_of_no_property(asked, tmp_path):
    """It is false in a run with the first property alone, too, and that property was said to be violated."""
    answers, runs = asked
    answers["TurnsRedOnce"] = found(Outcome.ASSERTION)
    assert named(found(Outcome.ASSERTION), tmp_path) is None
    assert named(found(Outcome.ASSERTION), tmp_path, replace(MODEL, properties=("TurnsRedOnce",))) is None
    assert runs == []


def test_none_is_named_that_is_not_violated_alone(asked, tmp_path):
    answers, runs = asked
    answers["TurnsRedOnce"] = found(Outcome.DEADLOCK, "Other")
    assert named(found(Outcome.TEMPORAL), tmp_path) is None
    assert [run[0] for run in runs] == list(MODEL.properties)


def test_of_one_property_alone_nothing_is_asked(asked, tmp_path):
    _, runs = asked
    alone = replace(MODEL, properties=("SSSReachable",))
    assert named(found(Outcome.TEMPORAL), tmp_path, alone) == "SSSReachable"
    assert named(found(Outcome.INVARIANT), tmp_path, alone) is None
    assert named(Result(Outcome.SUCCESS, 0), tmp_path) is None
    assert runs == []
