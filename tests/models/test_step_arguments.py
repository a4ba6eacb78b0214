"""The actions of a counterexample have the arguments that they were called with, where TLC does not tell them."""

from __future__ import annotations

import pytest

from pyharness.models import step_arguments
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds, check_plain
from pyharness.tla.plain_models.plain_model import read_model
from tests.long import LONG

BOUNDS = Bounds(120, 512)

pytestmark = pytest.mark.tlc

LOCK = r"""EXTENDS Naturals, TLC
CONSTANT Proc
VARIABLES pc, turn
vars == <<pc, turn>>
Init == pc = [p \in Proc |-> "idle"] /\ turn \in Proc
Try(p) == pc[p] = "idle" /\ pc' = [pc EXCEPT ![p] = "try"] /\ UNCHANGED turn
Enter(p) == pc[p] = "try" /\ pc' = [pc EXCEPT ![p] = "cs"] /\ UNCHANGED turn
Leave(p, q) == pc[p] = "cs" /\ pc' = [pc EXCEPT ![p] = "idle"] /\ turn' = q
Step(p) == Try(p) \/ Enter(p) \/ \E q \in Proc : Leave(p, q)
Next == \E p \in Proc : Step(p)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Safe == \A p, q \in Proc : pc[p] = "cs" /\ pc[q] = "cs" => p = q
Rests == <>[](\A p \in Proc : pc[p] = "idle")
Symm == Permutations(Proc)
Near == turn \in Proc
Seen == <<pc, turn>>
other == {1}"""
MORE = (
    "CONSTANT Proc = {p1, p2}\nSPECIFICATION Spec\nINVARIANT Safe\nSYMMETRY Symm\nCONSTRAINT Near\nVIEW Seen"
)


def reported(place, text, config, **others):
    """The actions of the counterexample, with their arguments."""
    for name, lines in {"Own": text, **others}.items():
        (place / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{lines}\n====\n", encoding="utf-8")
    (place / "Own.cfg").write_text(config, encoding="utf-8")
    checked = check_plain(read_model(place / "Own.tla"), find_tools(), BOUNDS)
    return [(step.action, step.arguments) for step in checked.result.trace.steps[1:]]


@LONG
@pytest.mark.parametrize("names", ["p1, p2", "1, 2", '"a", "b"'])
def test_each_step_says_what_its_action_was_called_with(tmp_path, names):
    one, other = names.split(", ")
    found = reported(tmp_path, LOCK, f"CONSTANT Proc = {{{names}}}\nSPECIFICATION Spec\nINVARIANT Safe")
    assert found == [("Try", one), ("Enter", one), ("Try", other), ("Enter", other)]


def test_a_constraint_a_symmetry_and_a_view_change_nothing(tmp_path):
    found = reported(tmp_path, LOCK, MORE)
    assert found == [("Try", "p1"), ("Enter", "p1"), ("Try", "p2"), ("Enter", "p2")]


def test_a_behaviour_that_does_not_end_is_told_up_to_where_it_goes_back(tmp_path):
    found = reported(tmp_path, LOCK, "CONSTANT Proc = {1}\nSPECIFICATION Spec\nPROPERTY Rests")
    assert found == [("Try", "1"), ("Enter", "1")]


def test_a_model_value_with_the_name_of_a_definition_leaves_all_as_it_is(tmp_path):
    found = reported(tmp_path, LOCK, "CONSTANT Proc = {one, other}\nSPECIFICATION Spec\nINVARIANT Safe")
    assert [action for action, _ in found] == ["Try", "Enter", "Try", "Enter"]
    assert all(arguments is None for _, arguments in found)


def test_what_tlc_does_not_walk_again_is_not_told(tmp_path, monkeypatch):
    walked = step_arguments._walk

    def elsewhere(*given):
        root, config = walked(*given)
        return root.replace("PyharnessAt < 5", "PyharnessAt < 3"), config

    monkeypatch.setattr(step_arguments, "_walk", elsewhere)
    found = reported(tmp_path, LOCK, MORE)
    assert [action for action, _ in found] == ["Try", "Enter", "Try", "Enter"]
    assert all(arguments is None for _, arguments in found)
