"""The verdict on one run of TLC: a pass needs all of the evidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.cli.library import model_checks
from pyharness.models import spec_check
from pyharness.models.machine_tools import Tools
from pyharness.models.verdicts import Verdict
from pyharness.tla.modules.formula_facts import next_actions
from pyharness.tla.tlc import ActionCount, Coverage, Outcome, Result, Violation
from tests.shipped_plans import shipped_plan

PLAN = shipped_plan("quick")
MODEL = next(model for model in PLAN.models if model.name == "chandy-lamport")
TAKEN = {name: ActionCount(1, 1, "M", 1, "") for name in next_actions(PLAN.library, MODEL.spec)}
EVALUATED = dict.fromkeys((*MODEL.invariants, "AssumedUnderlyingLaw"), "")
WHOLE = Result(
    Outcome.SUCCESS,
    0,
    finished=True,
    distinct=9,
    depth=9,
    coverage=Coverage(TAKEN, {}, EVALUATED),
)
TOOLS = Tools(Path(), Path(), "", ())


def verdict(monkeypatch, result, model=MODEL, workers=1):
    """Check a model of which each run of TLC has this result."""
    monkeypatch.setattr(spec_check, "run_root", lambda *_, **__: result)
    monkeypatch.setattr(spec_check, "premises_of_model", lambda _: ())
    monkeypatch.setattr(spec_check._Check, "_lacks_behaviours", lambda _: "")
    return model_checks._OnGraphs(PLAN.library, TOOLS, workers, False, {}, None).check(model).evidence


def test_a_run_with_all_the_evidence_passes(monkeypatch):
    found = verdict(monkeypatch, WHOLE)
    assert (found.verdict, found.reason, found.violated) == (Verdict.PASS, "", None)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"exit_status": 1}, Verdict.INCOMPLETE),
        ({"exit_status": None}, Verdict.INCOMPLETE),
        ({"outcome": Outcome.INCOMPLETE}, Verdict.INCOMPLETE),
        ({"outcome": Outcome.OUT_OF_MEMORY}, Verdict.INCOMPLETE),
        ({"outcome": Outcome.STACK_OVERFLOW}, Verdict.INCOMPLETE),
        ({"outcome": Outcome.TOOL_ERROR}, Verdict.ERROR),
        ({"outcome": Outcome.PARSE_ERROR}, Verdict.SPEC_ERROR),
        ({"outcome": Outcome.EVALUATION_ERROR}, Verdict.SPEC_ERROR),
        ({"outcome": Outcome.ASSUMPTION}, Verdict.SPEC_ERROR),
        ({"outcome": Outcome.INVARIANT, "violations": (Violation(Outcome.INVARIANT, "TypeOK", None, "", None),)},
         Verdict.VIOLATION),
        ({"coverage": None}, Verdict.INCOMPLETE),
        ({"coverage": Coverage(TAKEN, {}, {})}, Verdict.INCOMPLETE),
        ({"coverage": Coverage({**TAKEN, "Send": ActionCount(0, 0, "M", 1, "")}, {}, EVALUATED)}, Verdict.INCOMPLETE),
    ],
)  # fmt: skip
def test_what_is_missing_or_wrong_is_no_pass(monkeypatch, changes, expected):
    assert verdict(monkeypatch, replace(WHOLE, **changes)).verdict is expected


def test_a_shape_that_this_tlc_evaluates_wrongly_is_no_pass(monkeypatch):
    monkeypatch.setattr(spec_check, "defects_of", lambda _, name, build: [f"{name} by {build}"])
    found = verdict(monkeypatch, replace(WHOLE, tlc_version="2.15"))
    assert (found.verdict, found.reason) == (Verdict.INCOMPLETE, "Model_chandy_lamport_n2_6_i1 by 2.15")


@pytest.mark.parametrize(("name", "workers", "passes"), [
    ("white-red-terminates", 1, True), ("white-red-terminates", 2, False), ("white-red", 2, True),
])  # fmt: skip
def test_whole_behaviours_are_not_judged_by_several_workers(monkeypatch, name, workers, passes):
    """TLC may miss a violation of theirs there, whether it prints how many it had or not."""
    model = next(each for each in PLAN.models if each.name == name)
    taken = {each: ActionCount(1, 1, "M", 1, "") for each in next_actions(PLAN.library, model.spec)}
    coverage = Coverage(taken, {}, {**EVALUATED, **dict.fromkeys(model.invariants, "")})
    found = verdict(monkeypatch, replace(WHOLE, coverage=coverage), model, workers)
    assert (found.verdict is Verdict.PASS) == passes
    assert passes or "tlaplus 971" in found.reason


def test_a_false_assert_is_told_on_one_line_with_what_it_says(monkeypatch):
    text = 'The first argument of Assert evaluated to FALSE; the second argument was:\n"mine"'
    broken = Violation(Outcome.ASSERTION, None, None, text, None)
    found = verdict(monkeypatch, replace(WHOLE, outcome=Outcome.ASSERTION, violations=(broken,)))
    assert found.verdict is Verdict.VIOLATION
    assert found.reason.endswith('the second argument was: "mine"')


def test_a_full_stack_is_told_by_what_fills_it_and_not_by_the_stack(monkeypatch):
    errors = ("TLC threw an unexpected exception.\njava.lang.StackOverflowError\n\tat tlc2.tool",)
    found = verdict(monkeypatch, replace(WHOLE, outcome=Outcome.STACK_OVERFLOW, errors=errors))
    assert found.reason.startswith("Java's stack is full: does every RECURSIVE operator")
    assert "tlc2" not in found.reason


def test_a_property_that_tlc_was_not_told_to_check_is_no_pass(monkeypatch):
    given = spec_check.parse_config

    def shorter(text, where):
        return replace(given(text, where), properties=MODEL.properties[1:])

    monkeypatch.setattr(spec_check, "parse_config", shorter)
    found = verdict(monkeypatch, WHOLE)
    assert found.verdict is Verdict.INCOMPLETE
    assert found.reason == f"TLC was not asked to check {MODEL.properties[0]}"


@pytest.mark.parametrize(("depth", "expected"), [(9, Verdict.PASS), (10, Verdict.INCOMPLETE)])
def test_a_bound_that_was_met_is_no_pass(monkeypatch, depth, expected):
    found = verdict(monkeypatch, replace(WHOLE, depth=depth), replace(MODEL, depth=10))
    assert found.verdict is expected
