"""The table of claims in specs/README.md: what it says of properties and plans is so."""

from __future__ import annotations

import re

import pytest

from pyharness.pipeline.modules import Library
from pyharness.pipeline.places import SPECS, find_plan
from pyharness.pipeline.plan import read_plan

LIBRARY = Library(SPECS, SPECS / "mutants")
TABLE = (SPECS / "README.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TABLE.splitlines()
    if line.startswith("| E")
]
NAMED = sorted({name for row in ROWS for name in re.findall(r"`([A-Z]\w+)`", row[2])})
SPECIFICATIONS = ("WhiteRed", "WhiteRedHistory", "ChandyLamport", "StopTheWorld", "Collection")
CHECKED = {
    name
    for model in read_plan(find_plan("quick"), SPECS).models
    for name in (*model.invariants, *model.properties)
}


def test_the_table_is_there():
    assert len(ROWS) >= 14


@pytest.mark.parametrize("name", [name for name in NAMED if name not in {"Fairness", "WhiteRed"}])
def test_a_property_of_the_table_is_defined_stated_and_checked(name):
    homes = [module for module in SPECIFICATIONS if name in LIBRARY.module(module).definitions]
    assert homes
    for module in homes:
        assert re.search(rf"^THEOREM .*\b{name}\b", LIBRARY.module(module).text, re.MULTILINE), module
    assert name in CHECKED


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_claim_stands_beside_its_conjunct(row):
    assert any(f"\\* {row[0]}" in text or f", {row[0]}" in text or f"({row[0]}" in text for text in texts())


def texts():
    return [module.text for name in SPECIFICATIONS for module in LIBRARY.closure(name)]


def test_every_property_that_is_checked_is_a_theorem():
    for model in read_plan(find_plan("quick"), SPECS).models:
        text = LIBRARY.module(model.spec).text
        for name in (*model.invariants, *model.properties):
            assert re.search(rf"^THEOREM .*\b{name}\b", text, re.MULTILINE), f"{model.spec}: {name}"
