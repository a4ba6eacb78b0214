"""TLC looks at what is about states in the initial ones only, if it is asked for it as a property."""

from __future__ import annotations

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.plans.plan import read_plan
from pyharness.tla.modules.formula_facts import is_about_states
from pyharness.tla.modules.library import Library
from tests.shipped_plans import shipped_plan

OTHER = r"""---- MODULE Other ----
EXTENDS Naturals
VARIABLE y
Spec == y = 0 /\ [][y' = y + 1]_y
Low == y < 3
====
"""
LEVELS = r"""---- MODULE Levels ----
EXTENDS Naturals
CONSTANT Graphs
VARIABLES x, topo
vars == <<x, topo>>
Init == x = 0
Next == x' = x + 1
O == INSTANCE Other WITH y <- x
Small == x < 3
Cased == CASE x = 0 -> TRUE [] x = 1 -> TRUE
           [] OTHER -> x' = <<"[]", "<>">>
Through == x = 0 => O!Low
Always == [][x' > x]_vars
Guarded == IF x = 0 THEN []Small ELSE TRUE
Ends == x = 0 ~> x = 2
Named == Always
Refines == O!Spec
Fair == WF_vars(x' = x + 1)
Both == x = 0 /\ Named
====
"""


@pytest.fixture
def levels(tmp_path):
    (tmp_path / "Other.tla").write_text(OTHER, encoding="utf-8")
    (tmp_path / "Levels.tla").write_text(LEVELS, encoding="utf-8")
    return Library(tmp_path)


@pytest.mark.parametrize("name", ["Small", "Cased", "Through"])
def test_these_are_about_states(levels, name):
    assert is_about_states(levels, "Levels", name)


@pytest.mark.parametrize("name", ["Always", "Guarded", "Ends", "Named", "Refines", "Fair", "Both"])
def test_these_are_about_steps_or_behaviours(levels, name):
    assert not is_about_states(levels, "Levels", name)


@pytest.mark.parametrize("name", ["quick", "full"])
def test_the_lists_of_the_plans_are_as_they_should_be(name):
    plan = shipped_plan(name)
    for model in plan.models:
        assert all(is_about_states(plan.library, model.spec, each) for each in model.invariants), model.name
        assert not any(is_about_states(plan.library, model.spec, each) for each in model.properties), (
            model.name
        )


@pytest.mark.parametrize("kind", ["model", "matrix"])
def test_what_is_about_states_is_no_property_of_a_plan(tmp_path, kind):
    text = f"""format = "pyharness-plan/1"
[[{kind}]]
name = "tiny"
spec = "ChandyLamport"
topologies = ["ring:2"]
invariants = ["TypeOK"]
properties = ["RefinesWhiteRed", "SnapshotConserves"]
"""
    text += 'mutants = { LateTurn = ["SnapshotConserves"] }\n' if kind == "matrix" else ""
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SpecError, match=r"plan.toml:7: properties: SnapshotConserves is about states"):
        read_plan(tmp_path / "plan.toml", SPECS)
