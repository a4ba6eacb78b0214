"""The actions of a next-state relation have the names that TLC gives to its steps, however the relation is written."""

from __future__ import annotations

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain import find_java, find_tla2tools
from pyharness.tla.modules.formula_facts import next_actions
from pyharness.tla.modules.library import Library
from pyharness.tla.tlc.run import TlcRun, run_tlc

SHAPES = r"""---- MODULE Shapes ----
EXTENDS Naturals
VARIABLES x, msgs
vars == <<x, msgs>>
Init == x = 0 /\ msgs = {1}
Receive(m) == x < 3 /\ x' = x + m /\ UNCHANGED msgs
Ask(y) == \/ x = 3 /\ y = 3 /\ x' = 4 /\ UNCHANGED msgs
          \/ FALSE /\ UNCHANGED vars
low == x = 4 /\ x' = 5 /\ UNCHANGED msgs
Sub == \/ x = 5 /\ x' = 6 /\ UNCHANGED msgs
       \/ low
Two == /\ x = 6
       /\ \/ x' = 7
          \/ x' = 8
       /\ UNCHANGED msgs
Done == x >= 7 /\ UNCHANGED vars
Lets(n) == LET k == LET one == 1 IN n + one IN \/ x = 7 /\ x' = k /\ UNCHANGED msgs
                                               \/ Two
BNext == (\E S \in SUBSET {1, 2}, t \in {1} : Lets(8) \/ (/\ S = {t}
                                                         /\ Done))
Next == \/ \E m \in msgs : Receive(m)
        \/ Ask(x)
        \/ Sub \/ Two
        \/ UNCHANGED vars
        \/ \E x0 \in {0} : \/ BNext
                           \/ Done
Spec == Init /\ [][Next]_vars
====
"""
NAMES = ("Next", "Ask", "Sub", "low", "Two", "Lets", "BNext", "Done")


@pytest.fixture
def shapes(tmp_path):
    (tmp_path / "Shapes.tla").write_text(SHAPES, encoding="utf-8")
    (tmp_path / "Shapes.cfg").write_text("SPECIFICATION Spec\n", encoding="utf-8")
    return tmp_path


def test_each_shape_has_its_names(shapes):
    assert next_actions(Library(shapes), "Shapes") == NAMES


@pytest.mark.tlc
def test_they_are_those_of_tlc(shapes):
    java, jar = find_java(), find_tla2tools()
    result = run_tlc(TlcRun(java.executable, jar.path, shapes, "Shapes", coverage=True))
    assert {name for name in result.coverage.actions if name != "Init"} == set(NAMES)
    assert all(count.total for count in result.coverage.actions.values())


def module(directory, text):
    (directory / "One.tla").write_text(f"---- MODULE One ----\nVARIABLE x\n{text}\n====\n", encoding="utf-8")
    return Library(directory)


def test_a_relation_with_a_letter_has_the_other_names_with_it(tmp_path):
    with pytest.raises(SpecError, match="One has no definition Next"):
        module(tmp_path, "HNext == x' = 1").relation("One")
    assert module(tmp_path, "HInit == x = 0\nhvars == x\nHNext == x' = 1").relation("One") == "HNext"
