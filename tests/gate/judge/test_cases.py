"""The cases of a run: green only with the whole evidence, each red one about the right thing, at the right place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.gate.judge.claim_coverage import CheckingModel, ClaimRow, PartRow
from pyharness.gate.judge.result_cases import ENTIRE_MODEL, Status, cases
from pyharness.gate.plans.claims import Claim, Part
from pyharness.models.verdicts import Verdict
from tests.gate.gate.gate_reports import PLAN, RUN, SABOTAGES, run, violation


def of(ran):
    return {(case.suite, case.name): case for case in cases(ran.report, ran.seconds)}


def test_a_green_run_is_green_everywhere(tmp_path):
    ran = run(tmp_path, examples=[{"example": "kuper", "verdict": "pass", "message": ""}])
    assert ran.report.verdict is Verdict.PASS
    found = of(ran)
    assert set(found) == {
        ("algorithm", "NoRedInWhite"),
        ("algorithm", "SSSReachable"),
        ("algorithm", ENTIRE_MODEL),
        ("no-state-that-occurred", "not SSSOccurs"),
        ("no-state-that-occurred", ENTIRE_MODEL),
        ("mutants of ChandyLamport", "LateTurn"),
        ("worked examples", "kuper"),
        ("plan", "evidence"),
        ("plan", "budget"),
    }
    assert {case.status for case in found.values()} == {Status.PASSED}
    assert found["algorithm", ENTIRE_MODEL].figures["distinct"] == 362
    assert found["no-state-that-occurred", "not SSSOccurs"].figures == {"topology": "n2-6-i1", "states": 5}
    assert found["mutants of ChandyLamport", "LateTurn"].figures["caught by"] == "NoRedInWhite, SSSReachable"


@pytest.mark.parametrize("sabotage", SABOTAGES)
def test_a_broken_run_has_a_red_case_about_it(tmp_path, sabotage):
    changes, code, status, name = SABOTAGES[sabotage]
    ran = run(tmp_path, **changes)
    assert ran.report.verdict.exit_code == code
    red = [case for case in cases(ran.report, ran.seconds) if case.red and not case.consequence]
    assert [(case.name, case.status.value) for case in red if case.name == name] == [(name, status)]
    assert all(case.reasons for case in red)


def test_a_violation_is_one_failure_with_its_line_and_its_shortest_trace(tmp_path):
    found = of(run(tmp_path, algorithm=violation("NoRedInWhite")))
    case = found["algorithm", "NoRedInWhite"]
    assert case.status is Status.FAILURE
    assert case.place.file == "specs/ChandyLamport.tla"
    assert line(case.place).startswith("NoRedInWhite ==")
    assert case.trace.length == 5
    assert case.reasons == (
        "NoRedInWhite: Invariant NoRedInWhite is violated.",
        "5 states show it, on n2-6-i1",
    )


def test_what_a_violation_leaves_undecided_is_neither_passed_nor_a_second_failure(tmp_path):
    rows = violation("NoRedInWhite") | {"witnesses": [{"witness": "w", "formula": "f", "reached": True}]}
    found = of(run(tmp_path, algorithm=rows))
    assert found["algorithm", "SSSReachable"].status is Status.SKIPPED
    assert found["algorithm", ENTIRE_MODEL].status is Status.SKIPPED
    assert "not decided" in found["algorithm", "SSSReachable"].reasons[0]


def test_incomplete_is_an_error_of_every_property_and_never_skipped(tmp_path):
    found = of(run(tmp_path, algorithm={"runs": [RUN | {"outcome": "INCOMPLETE"}]}))
    own = [case for (suite, _), case in found.items() if suite == "algorithm"]
    assert [case.status for case in own] == [Status.ERROR] * 3
    assert [case.name for case in own if not case.consequence] == [ENTIRE_MODEL]


def test_a_nonconformance_is_of_the_model_and_its_properties_hold(tmp_path):
    conform = {"mismatches": 2, "first": "by Send", "transitions": 9, "states": 362, "actions": ["Send"]}
    plan = PLAN.replace('silent = ["Internal"]', "conform = true\nsilent = ['Internal']")
    plan = plan.replace("depth = 16 }", "depth = 16, transitions = 9 }")
    found = of(run(tmp_path, plan, algorithm={"conformances": [conform]}))
    assert found["algorithm", ENTIRE_MODEL].status is Status.FAILURE
    assert found["algorithm", ENTIRE_MODEL].figures["transitions"] == 9
    assert found["algorithm", "SSSReachable"].status is Status.PASSED


@pytest.mark.parametrize(
    ("sabotage", "suite", "name", "text"),
    [
        ("a wrong pin", "algorithm", ENTIRE_MODEL, 'name = "algorithm"'),
        ("not caught by its property", "mutants of ChandyLamport", "LateTurn", "LateTurnTurnsRed"),
        ("caught by more", "mutants of ChandyLamport", "LateTurn", "LateTurn = ["),
        ("not violated, though it should be", "no-state-that-occurred", "not SSSOccurs", "SSSOccurs =="),
        ("a parse error", "algorithm", ENTIRE_MODEL, "(* The algorithm's decisions."),
    ],
)
def test_a_red_case_points_at_the_line_to_look_at(tmp_path, sabotage, suite, name, text):
    case = of(run(tmp_path, **SABOTAGES[sabotage][0]))[suite, name]
    assert text in line(case.place)


def test_of_other_properties_it_is_not_held_that_tlc_stopped_where_nothing_was_violated(tmp_path):
    plan = PLAN.replace('["SSSOccurs"]\nexpect', '["SSSOccurs", "WhiteThenRed"]\nexpect')
    for sabotage, words in (("not violated, though it should be", "that there is not"), (None, "TLC stops")):
        ran = run(tmp_path, plan, **(SABOTAGES[sabotage][0] if sabotage else {}))
        assert words in of(ran)["no-state-that-occurred", "WhiteThenRed"].reasons[0]


def line(place):
    return (ROOT / place.file).read_text(encoding="utf-8").splitlines()[place.line - 1]


def test_a_selection_of_models_does_not_claim_to_be_the_plan(tmp_path):
    found = of(run(tmp_path, complete=False))
    assert found["plan", "evidence"].status is Status.SKIPPED


@pytest.mark.parametrize(
    ("sabotage", "models", "unchecked", "status"),
    [
        ({}, ("algorithm",), (), Status.PASSED),
        ({}, ("algorithm",), ("ChandyLamport.OneMarker",), Status.ERROR),
        ({"algorithm": violation("NoRedInWhite")}, ("algorithm",), (), Status.FAILURE),
        ({"algorithm": {"runs": []}}, ("algorithm",), (), Status.ERROR),
        ({"algorithm": {"runs": []}}, ("no-state-that-occurred",), (), Status.PASSED),
    ],
)
def test_a_claim_is_no_better_than_its_models(tmp_path, sabotage, models, unchecked, status):
    ran = run(tmp_path, **sabotage)
    checking = tuple(CheckingModel(name, (), (), 1) for name in models)
    row = ClaimRow(Claim("E4", "no red in white"), (PartRow(Part("so"), checking, (), unchecked),))
    report = replace(ran.report, claims=(row,))
    assert next(case for case in cases(report, 1.0) if case.suite == "claims").status is status


def test_no_verdict_but_a_pass_is_without_a_red_case(tmp_path):
    ran = run(tmp_path)
    for verdict in Verdict:
        found = cases(replace(ran.report, verdict=verdict), ran.seconds)
        assert any(case.red for case in found) == (verdict is not Verdict.PASS)
