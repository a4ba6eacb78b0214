"""The page of the sources: each row's claims and definitions exist, and belong together; every claim is on it."""

from __future__ import annotations

import re

import pytest

from pyharness.base.toolchain.spec_files import ROOT, SPECS
from pyharness.gate.plans.claims import read_claims

PAGE = ROOT / "docs" / "reference" / "sources.md"
CLAIMS = {claim.id for claim in read_claims(SPECS / "claims.toml")}
DEFINED = re.compile(r"\[`(\w+)\.(\w+)`\]\(\.\./\.\./specs/(\w+)\.tla\)")
LINK = re.compile(r"\]\((\.\./[^)#]+)\)")


def rows(text):
    """The rows of the tables that have claims: where, in short, claims, definitions, to see."""
    parts = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return [cells for cells in parts if len(cells) == 5 and cells[0] != "where" and "---" not in cells[0]]


def wrong(text):
    """Say what is wrong with each row."""
    found = []
    for where, _, claims, definitions, seen in rows(text):
        found += [f"{where}: there is no claim {each}" for each in claims.split(", ") if each not in CLAIMS]
        pairs = DEFINED.findall(definitions)
        found += [f"{where}: no definition"] * (not pairs)
        for module, name, file in pairs:
            path = SPECS / f"{file}.tla"
            body = path.read_text(encoding="utf-8") if path.exists() else ""
            if module != file or not re.search(rf"^{name}\b[^=\n]*==", body, re.MULTILINE):
                found.append(f"{where}: {file}.tla does not define {name}")
        files = [*LINK.findall(definitions), *LINK.findall(seen)]
        found += [f"{where}: there is no {file}" for file in files if not (PAGE.parent / file).exists()]
    return found


def test_each_row_leads_to_claims_definitions_and_traces_that_exist():
    text = PAGE.read_text(encoding="utf-8")
    assert wrong(text) == []
    assert len(rows(text)) >= 50


def test_every_claim_is_found_from_a_source():
    named = {each for cells in rows(PAGE.read_text(encoding="utf-8")) for each in cells[2].split(", ")}
    assert CLAIMS - named == set()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("| E4 |", "| E99 |", "there is no claim E99"),
        ("WhiteRed.MayTake`", "WhiteRed.MayGive`", "WhiteRed.tla does not define MayGive"),
        ("[`WhiteRed.MayTake`]", "[`Colours.MayTake`]", "does not define MayTake"),
        ("/NoGuard.txt", "/NoGuards.txt", "there is no ../../traces/NoGuards.txt"),
    ],
)
def test_a_row_that_leads_elsewhere_is_found(old, new, said):
    text = PAGE.read_text(encoding="utf-8")
    assert old in text
    assert any(said in each for each in wrong(text.replace(old, new, 1)))
