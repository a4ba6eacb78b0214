"""What a run prints of the claims: what checks each, in how many states, and what proves the check."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pyharness.cli.run_summary import closing_line, print_summary, to_document
from pyharness.gate.judge.claim_coverage import claim_rows
from pyharness.gate.judge.plan_minimums import found_evidence
from pyharness.gate.plans.claims import Claim, Part
from tests.gate.gate.gate_reports import run, violation

E4 = Part("with markers", ("ChandyLamport.NoRedInWhite",), needs=("cycle",), mutants=("LateTurn",))
CLAIMS = (
    Claim("E4", "no red message in a white action", (E4,)),
    Claim("E10", "the equivalent computation", (Part("in every trace", harness="reorder"),)),
    Claim("E99", "what nobody checks", (Part("at all", ("ChandyLamport.Nothing",)),)),
)
SORTED = {"kind": "simulation", "index": 0, "complete": True, "agreed": True, "accepted": True, "swaps": 2}


@pytest.fixture
def told(tmp_path, capsys):
    """Return the lines that are printed of each claim, by its id, and the JSON document."""

    def tell(**rows):
        report = run(tmp_path, **rows).report
        report = replace(report, claims=claim_rows(CLAIMS, report.plan, found_evidence(report.models)))
        print_summary(report, 1.0)
        lines = {
            line.split()[1]: line for line in capsys.readouterr().out.splitlines() if line.startswith("│ E")
        }
        return lines, json.loads(to_document(report, 1.0))["claims"]

    return tell


def test_a_claim_has_its_models_states_and_mutants(told):
    lines, document = told()
    parts, models, states, mutants, _, result = (cell.strip() for cell in lines["E4"].split("│")[3:9])
    assert (parts, models, states, mutants, result) == ("1/1", "1", "362", "1", "checked")
    assert "reorder" in lines["E10"]
    assert document[0]["models"] == ["algorithm"]
    assert document[0]["states"] == 362
    assert document[0]["mutants"] == ["LateTurn"]
    (part,) = document[0]["parts"]
    assert part["models"][0]["name"] == "algorithm"
    assert "cycle" in part["models"][0]["features"]
    assert (part["states"], part["mutants"], part["lacking"]) == (362, ["LateTurn"], [])


def test_a_claim_whose_model_did_not_pass_is_not_checked(told):
    lines, document = told(algorithm=violation("NoRedInWhite"))
    assert "not checked: with markers" in " ".join(lines["E4"].split())
    assert document[0]["unchecked"] == ["with markers: ChandyLamport.NoRedInWhite: none of its models passes"]


def test_a_claim_of_the_harness_needs_rows_that_show_something(told):
    lacking = ["in every trace: no rows of the stage reorder"]
    assert told()[1][1]["unchecked"] == lacking
    assert told(algorithm={"reorderings": [SORTED | {"swaps": 0}]})[1][1]["unchecked"] == lacking
    assert told(algorithm={"reorderings": [SORTED]})[1][1]["unchecked"] == []


def test_a_run_of_some_models_lists_the_claims_that_they_check_alone(told):
    lines, document = told(complete=False)
    assert set(lines) == {"E4"}
    assert lines["E4"].split("│")[8].strip() == "checked"
    assert len(document) == len(CLAIMS)


def test_the_closing_line_leaves_out_only_what_a_plan_is_not_asked_for(tmp_path):
    report = run(tmp_path).report
    assert not report.plan.claims
    line = closing_line(report, 1.0)
    assert "1 of 1 mutants caught" in line
    assert "claims" not in line
    assert "worked examples" not in line
    asked = replace(report, plan=replace(report.plan, claims=CLAIMS))
    line = closing_line(asked, 1.0)
    assert "0 of 0 claims checked" in line
    assert "0 of 0 worked examples" in line
    assert "0 traces reordered" in line
