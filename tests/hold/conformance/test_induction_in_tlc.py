"""Counterexamples to induction are taken by TLC; and one that is none is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.spec_files import SPECS, module_directories
from pyharness.models.machine_tools import find_tools
from pyharness.prove import induction_in_tlc
from pyharness.prove.induction_in_tlc import as_tla, in_tlc
from pyharness.prove.logic import Structure
from pyharness.prove.refutation import refute
from pyharness.tla.modules.library import Library

pytest.importorskip("cvc5")

LIBRARY = Library(*module_directories(SPECS))


@pytest.fixture(scope="module")
def late_turn():
    return refute("ChandyLamport", "LateTurn", ["cvc5"])


def changed(one, name, value):
    values = {key: (value if key[0].name == name else old) for key, old in one.structure.values.items()}
    return replace(one, structure=Structure(one.structure.universe, values))


def ask(*found):
    return [(v.mutant, v.ok, v.why or v.outside) for v in in_tlc(found, LIBRARY, find_tools(SPECS))]


def test_tlc_takes_the_step_and_breaks_the_invariant_there(late_turn):
    forgets = refute("ChandyLamport", "ForgetInput", ["cvc5"])
    assert forgets.obligation.step is None
    assert ask(late_turn, forgets) == [("LateTurn", True, ""), ("ForgetInput", True, "")]


def test_a_state_outside_the_invariant_is_no_counterexample(late_turn):
    ((_, ok, why),) = ask(changed(late_turn, "red", 0))
    assert not ok
    assert "does not satisfy" in why


def test_a_step_that_breaks_nothing_is_no_counterexample(late_turn):
    other = replace(late_turn.obligation, name="NoRedInWhite/AcceptMarker")
    assert ask(replace(late_turn, obligation=other)) == [
        ("LateTurn", False, "TLC takes the step, but breaks nothing")
    ]


def test_a_step_to_another_state_is_no_counterexample(late_turn):
    action, before, step = late_turn.obligation.step
    elsewhere = replace(step, after=before)
    other = replace(late_turn.obligation, step=(action, before, elsewhere))
    assert ask(replace(late_turn, obligation=other)) == [("LateTurn", False, "TLC does not take the step")]


def test_what_the_rule_as_it_is_breaks_too_is_no_counterexample(late_turn, monkeypatch):
    rules = induction_in_tlc._rules

    def everywhere(found, library):
        return [
            {**rule, "cases": [*rule["cases"], ('"as it is, LateTurn"', "LateTurnTurnsRed")]}
            for rule in rules(found, library)
        ]

    monkeypatch.setattr(induction_in_tlc, "_rules", everywhere)
    assert ask(late_turn) == [("LateTurn", False, "TLC breaks it with the rule as it is, too")]


def test_what_is_about_positions_is_outside(late_turn):
    other = replace(late_turn, obligation=replace(late_turn.obligation, positions=True))
    with pytest.raises(SpecError, match="positions that stand for sequences"):
        as_tla(other)
    ((_, ok, why),) = ask(other)
    assert not ok
    assert "positions" in why


def test_a_run_that_does_not_end_is_no_verdict(late_turn):
    with pytest.raises(IncompleteError):
        in_tlc([late_turn], LIBRARY, find_tools(SPECS), seconds=0.1)
