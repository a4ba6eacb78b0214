"""What is proved is what was agreed on: the lists, the names, the seeded bugs."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli import prove_command
from pyharness.gate.plans.proof_lists import expected, needs
from pyharness.prove.obligations import assumed_together, invariant, needed
from pyharness.prove.proof_catalogue import MODULES, UNSEEN, mutants_of, system
from pyharness.prove.proving import SUBJECTS, missing, subject
from tests.shipped_plans import shipped_plan


@pytest.mark.parametrize("name", SUBJECTS)
def test_everything_expected_is_there_and_nothing_else(name):
    found = subject(name)
    assert missing([name], found) == []
    assert missing([name], found[1:]) == [f"{found[0].module}/{found[0].name}: is not there"]
    again = missing([name], [*found, found[0]])
    assert again == [f"{found[0].module}/{found[0].name}: is there 2 times"]


@pytest.mark.parametrize("name", SUBJECTS)
def test_what_is_proved_is_proved_from_what_is_seen_to_hold_together(name):
    found = subject(name)
    assert list(assumed_together(found)) == []
    without = [o for o in found if o.goal is not None]
    assert {o.goal for o in assumed_together(without)} == {None}


def test_there_are_at_least_as_many_as_promised():
    assert len(expected()) == len(set(expected())) >= 450
    assert {line.partition("/")[0] for line in expected()} == set(SUBJECTS)


@pytest.mark.parametrize("name", MODULES)
def test_each_action_is_seen_to_be_possible(name):
    possible = {f"{name}/Possible/{action.name}" for action in system(name).actions()}
    assert possible <= set(expected())


@pytest.mark.parametrize("name", MODULES)
def test_each_conjunct_and_assumption_is_needed_or_marked(name):
    module = system(name)
    assert {what for of, what in needs() if of == name} == set(invariant(module, module.state()))


@pytest.mark.parametrize("name", MODULES)
def test_actions_have_the_names_they_have_in_tla(name):
    texts = [(SPECS / f"{name}.tla").read_text(encoding="utf-8")]
    texts += [(SPECS / "Barriers.tla").read_text(encoding="utf-8")] if name.endswith("Barriers") else []
    nexts = re.search(r"^Next ==\n((?:  .*\n)+)", texts[0], re.MULTILINE)
    called = set(re.findall(r"(\w+)(?:\(\w+\))?\s*$", nexts[1], re.MULTILINE))
    assert {action.name for action in system(name).actions()} == called


def _pairs(plan):
    return {(model.spec, model.mutant) for model in shipped_plan(plan).models if model.mutant}


def test_the_seeded_bugs_that_are_written_or_listed_are_those_of_tla():
    known = {(name, mutant) for name in MODULES for mutant in mutants_of(name)}
    assert len(known) > 40
    assert {name for name, _ in known} == set(MODULES)
    named = {path.stem for path in (SPECS / "mutants").glob("*.tla")}
    assert {mutant for _, mutant in known | set(UNSEEN)} <= named


def test_what_a_proof_cannot_see_comes_with_a_reason():
    assert all(reason for reason in UNSEEN.values())
    assert max(Counter(UNSEEN.values()).values()) < len(UNSEEN)


def test_what_does_not_exist_is_said_to_be_so():
    with pytest.raises(SpecError, match="nothing is proved of 'Collection'"):
        subject("Collection")
    with pytest.raises(SpecError, match="no proof of 'Collection'"):
        system("Collection")
    with pytest.raises(SpecError, match="WhiteRed has no mutant 'LateTurn' here"):
        system("WhiteRed", "LateTurn")
    with pytest.raises(SpecError, match="no obligation 'Nonsense'"):
        needed(system("WhiteRed"), "ColourDiscipline", "Nonsense")


def test_a_line_that_would_be_gone_from_a_list_is_taken_out_only_by_name():
    old = ["WhiteRed/TypeOK/Init", "WhiteRed/TypeOK/Send"]
    prove_command._require_kept(old, [*old, "WhiteRed/TypeOK/Accept"], ())
    with pytest.raises(IncompleteError, match="1 lines would be gone: WhiteRed/TypeOK/Send"):
        prove_command._require_kept(old, old[:1], ("WhiteRed/*/Init",))
    prove_command._require_kept(old, old[:1], ("WhiteRed/*/Send",))
