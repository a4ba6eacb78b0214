"""A plan that is to check all claims cannot be stripped of its checks: it says what is missing, and is no pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.toml_tables import Table
from pyharness.gate.judge.claim_coverage import claim_rows, expected_evidence
from pyharness.gate.judge.judgement import judge_plan
from pyharness.gate.judge.kill_matrix import kill_matrix
from pyharness.gate.judge.plan_minimums import below_minimums, measured_minimums
from pyharness.gate.judge.plan_report import Evidence, ModelReport
from pyharness.gate.plans.minimums import COUNTS, read_minimums
from pyharness.models.verdicts import Verdict
from tests.gate.gate.gate_reports import PLAN, run
from tests.shipped_plans import shipped_plan
from tests.table_rows import tables

QUICK = shipped_plan("quick")
ASKED = {
    "examples": 1,
    "mutants": 1,
    "replays": 2,
    "refused": 1,
    "transitions": 5,
    "reorderings": {"algorithm": 1},
}
TEXT = PLAN.replace(
    "budget_seconds = 100\n",
    "budget_seconds = 100\nclaims = true\n[minimums]\nexamples = 1\nmutants = 1\nreplays = 2\nrefused = 1\n"
    "transitions = 5\nreorderings = { algorithm = 1 }\n",
).replace('silent = ["Internal"]\n', 'silent = ["Internal"]\nsimulate = { traces = 1 }\n', 1)
REPLAYED = {"kind": "simulation", "index": 0, "implementation": "correct", "agreed": True, "steps": 5}
FOLLOWED = REPLAYED | {"kind": "counterexample"}
SHOWN = {
    "replays": [REPLAYED],
    "conformances": [{"states": 3, "transitions": 5, "mismatches": 0}],
    "reorderings": [{"kind": "simulation", "index": 0, "accepted": True, "swaps": 1}],
}
EXAMPLE = tables(examples=[{"example": "kuper", "verdict": "pass"}])["examples"]


def below(tmp_path, text=TEXT, examples=EXAMPLE, complete=True, **shown):
    """What a run of TEXT is below, in which the algorithm has shown so much."""
    mutants = {name: shown.pop(name) for name in ("mutants_late_turn",) if name in shown}
    report = run(tmp_path, text, algorithm=SHOWN | shown, **mutants).report
    plan = replace(report.plan, complete=complete)
    return below_minimums(plan, report.models, report.matrix, examples)


def test_a_run_that_shows_enough_is_below_nothing(tmp_path):
    assert below(tmp_path) == ()


@pytest.mark.parametrize(
    ("stripped", "missing"),
    [
        ({"conformances": []}, "0 transitions in which"),
        ({"conformances": [{"transitions": 9, "mismatches": 1}]}, "0 transitions in which"),
        ({"conformances": [{"transitions": 9, "error": "x"}]}, "0 transitions in which"),
        ({"replays": []}, "1 traces replayed"),
        ({"replays": [REPLAYED | {"agreed": False}]}, "1 traces replayed"),
        ({"mutants_late_turn": {"replays": [FOLLOWED]}}, "0 traces of mutants that the correct"),
        ({"reorderings": []}, "0 traces of algorithm are reordered"),
        ({"reorderings": [SHOWN["reorderings"][0] | {"swaps": 0}]}, "0 traces of algorithm are reordered"),
        ({"examples": []}, "0 worked examples"),
        ({"examples": tables(examples=[{"example": "a", "verdict": "violation"}])["examples"]}, "0 worked"),
        ({"text": TEXT.replace("mutants = 1", "mutants = 2")}, "1 mutants caught, the plan's minimum is 2"),
        (
            {"text": TEXT[: TEXT.index("[minimums]")] + TEXT[TEXT.index("[[model]]") :]},
            "states no [minimums]",
        ),
    ],
)
def test_what_is_stripped_is_said(tmp_path, stripped, missing):
    (reason,) = below(tmp_path, **stripped)
    assert missing in reason


def test_a_selection_of_models_has_no_minimums(tmp_path):
    assert below(tmp_path, complete=False, replays=[]) == ()


def test_what_was_measured_is_the_most_that_can_be_asked_for(tmp_path):
    report = run(tmp_path, TEXT, algorithm=SHOWN).report
    found = measured_minimums(report.models, report.matrix, EXAMPLE)
    assert found.counts == {
        "examples": 1,
        "mutants": 1,
        "replays": 2,
        "refused": 1,
        "transitions": 5,
    }
    assert found.reorderings == {"algorithm": 1}


REFUSED = REPLAYED | {"agreed": False}


@pytest.mark.parametrize(
    ("shown", "mutants", "key", "count"),
    [
        ({"replays": [REFUSED, FOLLOWED]}, None, "refused", 1),
        ({}, [FOLLOWED, FOLLOWED | {"implementation": "LateTurn", "agreed": False}], "refused", 0),
        ({"conformances": [{"states": 3, "transitions": 5, "mismatches": 1}]}, None, "transitions", 0),
        ({"conformances": [{"transitions": 5, "mismatches": 0, "error": "cut off"}]}, None, "transitions", 0),
    ],
)
def test_what_shows_something_else_does_not_count(tmp_path, shown, mutants, key, count):
    """A refused trace of the algorithm is a disagreement, and so is one that its own mutant does not follow."""
    late_turn = {} if mutants is None else {"mutants_late_turn": {"replays": mutants}}
    report = run(tmp_path, TEXT, algorithm=SHOWN | shown, **late_turn).report
    assert measured_minimums(report.models, report.matrix, EXAMPLE).counts[key] == count


def test_the_quick_plan_stripped_of_its_checks_is_incomplete_and_says_what_is_missing():
    """Though every model that is left passes, as this pretends."""
    left = tuple(replace(model, conform=False, simulate=None) for model in QUICK.models if not model.mutant)
    plan = replace(QUICK, models=left, examples=())
    reports = [ModelReport(model, Verdict.PASS, (), Evidence((), ())) for model in left]
    matrix = kill_matrix(plan, [])
    claims = claim_rows(plan.claims, plan, expected_evidence(plan))
    verdict, reasons = judge_plan(plan, matrix, claims, (), below_minimums(plan, reports, matrix, ()))
    assert verdict is Verdict.INCOMPLETE
    assert verdict.exit_code == 3
    said = "\n".join(reasons)
    assert all(f"0 {words}, the plan's minimum is " in said for words in COUNTS.values())
    assert "0 traces of chandy-lamport-traces are reordered by a swap" in said
    assert "claim E9 is not checked: in every trace: no rows of the stage reorder" in said
    assert "LateTurn is not caught by its properties" in said


@pytest.mark.parametrize(
    "name", ["AlignedBarriers.BarrierSeparates", "CyclicBarriers.OnlyLogs", "Collection.CTypeOK"]
)
def test_a_property_that_only_mutants_have_is_no_check(name):
    spec, _, prop = name.partition(".")
    left = tuple(
        m
        if m.mutant or m.spec != spec
        else replace(m, invariants=tuple(other for other in m.invariants if other != prop))
        for m in QUICK.models
    )
    matrix = kill_matrix(replace(QUICK, models=left), [])
    assert matrix.unheld_properties == (name,)
    assert kill_matrix(QUICK, []).unheld_properties == ()
    verdict, reasons = judge_plan(replace(QUICK, models=left), matrix, ())
    assert any(reason.startswith(f"{name} catches mutants, and no model") for reason in reasons)
    assert verdict is not Verdict.PASS


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mutant": 3}, "mutant: no such key"),
        ({"mutants": 0}, "a number from 1 on"),
        ({"mutants": None}, "mutants: is missing"),
        ({"reorderings": {}}, "reorderings.algorithm: is missing"),
        ({"reorderings": {"algorithm": -1}}, "reorderings.algorithm: must be a number from 0 on"),
        ({"reorderings": {"algorithm": 1, "other": 2}}, "reorderings.other: no such key"),
    ],
)
def test_wrong_minimums_are_named(tmp_path, change, message):
    models = run(tmp_path, TEXT).report.plan.models
    table = {key: value for key, value in (ASKED | change).items() if value is not None}
    with pytest.raises(SpecError, match=message):
        read_minimums(Table(table, "plan.toml"), models)
