"""The pictures of the pages are those that the proof draws."""

from __future__ import annotations

import re

import pytest

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.prove.counterexample import picture, svg
from pyharness.prove.proof_catalogue import MODULES
from pyharness.prove.refutation import refute

pytest.importorskip("cvc5")

DOCS = ROOT / "docs"
PAGE = (DOCS / "explanation" / "for-every-graph.md").read_text(encoding="utf-8")

SHOWN = {
    "WhiteRed": "NoGuard",
    "ChandyLamport": "LateTurn",
    "StopTheWorld": "ResumeEarly",
    "AlignedBarriers": "NoBlocking",
    "UnalignedBarriers": "OvertakenLost",
    "TimeoutBarriers": "UnblockAtTimeout",
    "CyclicBarriers": "NoBlockingInCycles",
    "AtLeastOnceBarriers": "ForgetToRecord",
    "Snapshots": "RecordsForOne",
}
"""The seeded bug that the page shows for each module."""


def test_each_invariant_has_a_picture():
    assert set(SHOWN) == set(MODULES)
    parts = re.split(r"^\*\*`(\w+)`\*\* ", PAGE, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    for name, mutant in SHOWN.items():
        assert f"![{mutant}](../images/induction-{mutant.lower()}.svg)" in sections[name]


@pytest.mark.parametrize(("name", "mutant"), SHOWN.items())
def test_a_picture_is_what_the_proof_draws(name, mutant):
    """`pyharness prove MODULE --mutants --out DIR` writes it as DIR/MODULE/MUTANT.svg."""
    found = refute(name, mutant, ["cvc5"])
    drawn = svg(
        picture(found.obligation, found.structure, f"{name} with {mutant}: {found.obligation.name} fails")
    )
    assert (DOCS / "images" / f"induction-{mutant.lower()}.svg").read_text(encoding="utf-8") == drawn
