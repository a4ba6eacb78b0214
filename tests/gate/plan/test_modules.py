"""What the reader of modules finds in the project's own specs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pyharness
from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS, shipped_mutants
from pyharness.machines.protocols.snapshot_mutants import NETWORK_MUTANTS
from pyharness.machines.systems import MUTANTS, PROTOCOLS, find_mutant, has_twin, protocols_of
from pyharness.models.model import Model
from pyharness.models.witness import antecedents, witnesses
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.formula_facts import next_actions
from pyharness.tla.modules.library import Library

LIBRARY = Library(SPECS, SPECS / "mutants")


def test_actions_are_those_of_next():
    assert set(next_actions(LIBRARY, "ChandyLamport")) == {
        "Accept",
        "Send",
        "Internal",
        "Exchange",
        "Initiate",
        "AcceptMarker",
    }
    history = {"HAccept", "HSend", "HInternal", "HExchange", "HTurnInExchange", "HTurnRed"}
    assert set(next_actions(LIBRARY, "WhiteRedHistory")) == history
    assert set(next_actions(LIBRARY, "StopTheWorld")) >= {"RecordAll", "Pause", "Record", "Resume"}


def test_the_step_of_a_refinement_that_says_how_it_begins_is_found():
    kind, action = LIBRARY.formula("ColouredCheckpoints", "RefinesWhiteRed")
    assert kind == "step"
    begins, steps = action.split(" /\\ ", 1)
    assert begins == '(TLCGet("level") = 1 => (\\A n \\in Id : WR(n)!Init))'
    assert steps.startswith("(\\A n \\in Id")
    assert steps.endswith("UNCHANGED WR(n)!vars)")


def test_constants_come_from_everything_extended():
    assert LIBRARY.constants("WhiteRedHistory") >= {"MaxSends", "Graphs", "Granularity", "Sendable"}
    assert "MaxSends" not in LIBRARY.constants("WhiteRed")


def test_a_place_in_an_instanced_module_means_the_refinement():
    properties = ("TurnsRedOnce", "RefinesWhiteRed", "SSSReachable")
    assert LIBRARY.property_at("ChandyLamport", properties, 76, "Computation") == "SSSReachable"
    assert LIBRARY.property_at("ChandyLamport", properties, 150, "WhiteRed") == "RefinesWhiteRed"
    line = LIBRARY.definition("ChandyLamport", "TurnsRedOnce").line + 1
    assert LIBRARY.property_at("ChandyLamport", properties, line, "ChandyLamport") == "TurnsRedOnce"
    assert LIBRARY.property_at("WhiteRed", ("SSSReachable", "RefinesComputation"), 76, "Computation") is None


@pytest.mark.parametrize("mutant", sorted(MUTANTS))
def test_a_mutant_overrides_operators_of_its_spec_and_says_which(mutant):
    module = LIBRARY.module(mutant)
    protocols = protocols_of(mutant)
    if len(protocols) == 1:
        base = "BarrierHandler" if "handler" in find_mutant(protocols[0], mutant) else protocols[0]
    else:
        base = "Application" if mutant in NETWORK_MUTANTS else LIBRARY.closure(mutant)[1].name
        assert base in {"Application", "Colours", "Barriers"} or base in protocols
    if base == "Application" and "Colours" in module.sees:
        base = "Colours"
    assert LIBRARY.closure(mutant)[1].name == base
    assert {m.name for m in LIBRARY.closure(mutant)} == {mutant, *(m.name for m in LIBRARY.closure(base))}
    overridden = [name.removeprefix(mutant) for name in module.definitions if name.startswith(mutant)]
    assert overridden
    assert all(LIBRARY.defines(base, operator) for operator in overridden)
    for operator in overridden:
        assert re.search(rf"Overrides .*\b{operator}\b", module.text), operator


def test_every_mutant_in_python_is_one_in_tla():
    assert {path.stem for path in (SPECS / "mutants").glob("*.tla")} == shipped_mutants()
    assert shipped_mutants() > MUTANTS


def test_each_protocol_has_mutants_in_python():
    """A page, a program and a reader of the docs can switch a bug on in each of them."""
    without = {name for name, spec in PROTOCOLS.items() if not spec.mutants}
    assert without == {"Computation", "FreeRecording"}


@pytest.mark.parametrize("protocol", ["ChandyLamport", "Snapshots"])
def test_a_mutant_without_a_twin_says_so_and_names_those_with_one(protocol):
    assert not has_twin(protocol, "RecordPastMarker")
    with pytest.raises(
        SpecError, match="RecordPastMarker is in TLA\\+ only: it has no twin in Python"
    ) as caught:
        find_mutant(protocol, "RecordPastMarker")
    assert {*PROTOCOLS[protocol].mutants, "NonFifoChannel"} <= set(re.findall(r"\w+", caught.value.hint))


def test_a_module_that_is_no_text_is_named_with_its_line(tmp_path):
    (tmp_path / "Odd.tla").write_bytes(b"---- MODULE Odd ----\n\nA == \xff\n====\n")
    with pytest.raises(SpecError, match="this is not UTF-8") as caught:
        Library(tmp_path).module("Odd")
    assert caught.value.where == "Odd.tla:3"


def test_no_such_module():
    with pytest.raises(SpecError, match="no module Nothing"):
        LIBRARY.module("Nothing")


HALVES = """Next == FALSE
---- MODULE Halves ----
EXTENDS Naturals
VARIABLE x
(* Commented out:
Next == A
*)
A == x = 0
B == x = 1
Both ==
  /\\ x = 0 => x < 2   (* one
     half *)

\\* and the other
  /\\ x = 5 => x < 7
Next ==
\t\\/ A
\t\\/ B
====
Both == TRUE
"""


@pytest.fixture
def halves(tmp_path):
    (tmp_path / "Halves.tla").write_text(HALVES, encoding="utf-8")
    return Library(tmp_path)


def test_a_definition_is_read_to_its_end(halves):
    found = halves.definition("Halves", "Both")
    assert [on_one_line(each) for each in antecedents(found.body)] == ["x = 0", "x = 5"]
    assert "half" not in found.text


WORLD = """EXTENDS Naturals
CONSTANTS Process, At(_), Red(_), Done(_)
VARIABLE x
A == x = 1
B == x = 2
Finished == x = 3
C == INSTANCE Other
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = 1 ~> x = 2", ["x = 1"]),
        ("[](x = 1 => <>(x = 2))", ["x = 1"]),
        ("[]( /\\ x = 1 => x < 5\n      /\\ x = 2 => x < 7)", ["x = 1", "x = 2"]),
        (r"\A p \in Process : (Red(p) ~> Done(p))", [r"\E p \in Process : Red(p)"]),
        (r"\A p \in Process : (Red(p) => (At(p) => x = 3))", [r"\E p \in Process : Red(p)", "At(p)"]),
        ("((x = 1) => (x = 2))", ["x = 1"]),
        ("(x = 1) => (x = 2)", ["x = 1"]),
        ("<>Finished", []),
        ("[]<>A => <>B", []),
        ("C!Spec", []),
    ],
)
def test_a_premise_is_looked_for_wherever_it_stands(tmp_path, text, found):
    """In brackets, under "always", and before what it leads to: a property whose premise never holds says nothing."""
    tla = f"---- MODULE One ----\n{WORLD}P ==\n  {text}\n====\n"
    (tmp_path / "One.tla").write_text(tla, encoding="utf-8")
    (tmp_path / "Other.tla").write_text("---- MODULE Other ----\nSpec == TRUE\n====\n", encoding="utf-8")
    model = Model(name="m", spec="One", topologies=(), properties=("P",))
    formulas = list(witnesses(model, Library(tmp_path)).values())
    assert len(formulas) == len(found)
    assert all(part in formula for part, formula in zip(found, formulas, strict=True))
    assert not any("<>" in formula or "~>" in formula for formula in formulas)


def test_what_leads_to_something_is_about_behaviours(tmp_path):
    tla = "---- MODULE One ----\nVARIABLE x\nP == x = 1 ~> x = 2\n====\n"
    (tmp_path / "One.tla").write_text(tla, encoding="utf-8")
    with pytest.raises(SpecError, match="whole behaviours"):
        Library(tmp_path).formula("One", "P")


def test_the_actions_are_those_that_tla_reads(halves):
    assert next_actions(halves, "Halves") == ("A", "B")
    assert halves.prefix("Halves") == ""


def test_a_relation_that_names_no_action_is_one(tmp_path):
    text = "---- MODULE One ----\nVARIABLE x\nNext == x' = x\n====\n"
    (tmp_path / "One.tla").write_text(text, encoding="utf-8")
    assert next_actions(Library(tmp_path), "One") == ("Next",)


def test_what_python_says_is_so_named_in_tla_is():
    modules = [LIBRARY.module(path.stem) for path in SPECS.glob("*.tla")]
    defined = {name for module in modules for name in (*module.definitions, *module.instances)}
    texts = [path.read_text(encoding="utf-8") for path in Path(pyharness.__file__).parent.rglob("*.py")]
    said = {
        name
        for text in texts
        for names in re.findall(r"TLA\+: ([A-Z]\w*(?:, [A-Z]\w*)*)", text)
        for name in names.split(", ")
    }
    assert len(said) > 60
    assert said <= defined
