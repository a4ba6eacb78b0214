"""The inductive invariants in TLA+ have the conjuncts that are proved, under the same names; the plan checks them."""

from __future__ import annotations

import re

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.prove.proof_catalogue import MODULES, system
from tests.shipped_plans import shipped_plan

INDUCTIVE = sorted(
    path.stem.removeprefix("Inductive") for path in (SPECS / "inductive").glob("Inductive*.tla")
)


def conjuncts(name):
    text = (SPECS / "inductive" / f"Inductive{name}.tla").read_text(encoding="utf-8")
    body = re.search(r"^Inductive ==\n((?:  /\\ \w+\n)+)", text, re.MULTILINE)
    return re.findall(r"/\\ (\w+)", body[1])


def test_every_proved_module_has_its_invariant_in_tla():
    assert set(INDUCTIVE) == set(MODULES)


@pytest.mark.parametrize("name", INDUCTIVE)
def test_the_step_is_the_step_of_the_spec(name):
    """A copy of ``Next`` would go stale when the spec gets another action."""
    text = (SPECS / "inductive" / f"Inductive{name}.tla").read_text(encoding="utf-8")
    assert re.findall(r"^INext ==(.*(?:\n  .*)*)", text, re.MULTILINE) == [" Next"]


def test_the_plan_lets_actions_exchange_where_the_spec_has_it():
    for model in shipped_plan("inductive").models:
        spec = model.spec.removeprefix("Inductive")
        exchanges = "Exchange(p)" in (SPECS / f"{spec}.tla").read_text(encoding="utf-8")
        assert model.granularity == ("action" if exchanges else "event"), model.name


@pytest.mark.parametrize("name", INDUCTIVE)
def test_conjuncts_have_one_name(name):
    proved = {said.name for said, _ in system(name).declared("conjunct") if not said.positions}
    assert conjuncts(name)[0] == "TypeOK"
    assert set(conjuncts(name)) - {"TypeOK"} == proved


@pytest.mark.parametrize("name", INDUCTIVE)
def test_the_plan_begins_in_every_state_and_checks_each_conjunct(name):
    plan = shipped_plan("inductive")
    (model,) = [m for m in plan.models if m.spec == f"Inductive{name}" and m.mutant is None]
    assert set(model.invariants) == set(conjuncts(name))
    assert model.depth == 1
    assert model.pins is not None
    assert model.pins.distinct > 500
    assert plan.library.prefix(model.spec) == "I"


def test_each_module_has_a_seeded_bug_that_breaks_its_invariant():
    broken = {m.spec.removeprefix("Inductive") for m in shipped_plan("inductive").models if m.mutant}
    assert broken == set(MODULES)
