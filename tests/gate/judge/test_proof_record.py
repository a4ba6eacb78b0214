"""A claim is called proved where that was seen: of these formulas and specs, by all solvers, on this machine."""

from __future__ import annotations

import pytest

from pyharness.gate.judge import proof_record
from pyharness.gate.judge.claim_coverage import claim_rows, expected_evidence
from pyharness.gate.judge.proof_record import proved_here, remember_proved
from pyharness.prove.expectations import obligations_of
from tests.shipped_plans import shipped_plan


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "pyharness" / "proved"


def told(claim, proved):
    plan = shipped_plan("quick")
    rows = claim_rows(plan.claims, plan, expected_evidence(plan), proved)
    return next(row.proved for row in rows if row.claim.id == claim)


def test_a_run_that_saw_no_proof_says_so():
    assert proved_here() == frozenset()
    assert told("E19", proved_here()).endswith("; proved here: none")


def test_what_was_proved_is_remembered_and_added_to():
    plan = shipped_plan("quick")
    claim = next(each for each in plan.claims if each.id == "E19")
    needed = sorted({name for given in claim.proved for name in obligations_of(given)})
    remember_proved(needed[:1])
    assert told("E19", proved_here()).endswith("; proved here: 1")
    remember_proved(needed[1:])
    assert "proved here" not in told("E19", proved_here())


@pytest.mark.parametrize("harm", ["formulas", "seal", "text", "shape"])
def test_another_text_has_no_record(own_cache, monkeypatch, harm):
    remember_proved(["WhiteRed/Init"])
    (file,) = own_cache.glob("*.json")
    given = file.read_text(encoding="utf-8")
    if harm == "formulas":
        monkeypatch.setattr(proof_record, "_digest", lambda: "0" * 64)
    elif harm == "seal":
        file.write_text(f"{'0' * 64}\n{given.partition(chr(10))[2]}", encoding="utf-8")
    elif harm == "text":
        file.write_text(given.replace("WhiteRed/Init", "WhiteRed/Next"), encoding="utf-8")
    else:
        file.write_bytes(b"\xff\xfe")
    assert proved_here() == frozenset()
