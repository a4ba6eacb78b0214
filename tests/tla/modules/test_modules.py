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


@pytest.mark.parametrize("protocol", ["ChandyLamport", "Snapshots"])
def test_a_mutant_without_a_twin_says_so_and_names_those_with_one(protocol):
    assert not has_twin(protocol, "RecordPastMarker")
    with pytest.raises(
        SpecError, match="RecordPastMarker is in TLA\\+ only: it has no twin in Python"
    ) as caught:
        find_mutant(protocol, "RecordPastMarker")
    assert {*PROTOCOLS[protocol].mutants, "NonFifoChannel"} <= set(re.findall(r"\w+", caught.value.hint))


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


def test_the_actions_are_those_that_tla_reads(halves):
    assert next_actions(halves, "Halves") == ("A", "B")
    assert halves.prefix("Halves") == ""


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
