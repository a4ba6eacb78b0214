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
WITHOUT = {"AtLeastOnceBarriers"}
"""Its law is one of dataflows only, whose states are too many to begin in all of them."""


def conjuncts(name):
    text = (SPECS / "inductive" / f"Inductive{name}.tla").read_text(encoding="utf-8")
    body = re.search(r"^Inductive ==\n((?:  /\\ \w+\n)+)", text, re.MULTILINE)
    return re.findall(r"/\\ (\w+)", body[1])


def test_every_proved_module_has_its_invariant_in_tla():
    assert set(INDUCTIVE) | WITHOUT == set(MODULES)


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


def test_mutants_break_them():
    plan = shipped_plan("inductive-mutants")
    mutants = {m.mutant for m in plan.models if m.mutant}
    assert {"LateTurn", "NoBlocking", "ResumeEarly"} <= mutants
