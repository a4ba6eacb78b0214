"""The list of the properties: read, written, and held against the texts and the kills of today."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.judge.pinned import not_as_pinned
from pyharness.gate.judge.pinned_lists import (
    Figures,
    Listing,
    changed_kills,
    changed_texts,
    listing_text,
    never_strengthened,
    never_weakened,
    pinned_figures,
    read_weakenings,
)
from pyharness.gate.plans.plan import read_plan
from pyharness.models.checked_texts import CheckedTexts
from tests.shipped_plans import shipped_plan

FULL = Listing(
    {"M.P": Figures("00ff", 3, 2, 1), "M.Q": Figures("ff00")},
    {"mutants-late": {"P": [3, 5]}},
    {"mutants-late": {"P": [40]}},
    {"theorems of M": "0f"},
    {"M.P": "00ff"},
)


def listing(tmp_path, text):
    path = tmp_path / "weakenings.toml"
    path.write_text(text, encoding="utf-8")
    return read_weakenings(path)


def test_the_list_is_read_as_it_was_written(tmp_path):
    assert listing(tmp_path, listing_text(FULL)) == FULL
    own = (SPECS / "weakenings.toml").read_text(encoding="utf-8")
    assert listing_text(listing(tmp_path, own)) == own


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("weakenings/1", "weakenings/9", "format: must be"),
        ("[stated]", "[said]", "said: no such key"),
        ("weakenings = 3", "weakenings = '3'", "property.M.P.weakenings: must be a number"),
        ("P = [3, 5]", "P = 3", "kills: must be lists of numbers"),
        ("[kills]", "[kills", "not TOML"),
        ('"0f"', "15", "stated: must be digests"),
        ('"M.P" = "00ff"', '"M.P" = 1', "premises: must be digests"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path, old, new, message):
    text = listing_text(FULL)
    assert old in text
    with pytest.raises(SpecError, match=message):
        listing(tmp_path, text.replace(old, new, 1))


def test_a_changed_text_is_named():
    read = Listing({"M.P": Figures("00", 1, 1, 0), "M.Gone": Figures("00", 1, 1, 0)})
    assert changed_texts({"M.P": "00"}, Listing({"M.P": Figures("00", 1, 1, 0)})) == []
    assert changed_texts({"M.P": "ff", "M.New": "00"}, read) == [
        "the text of M.P has changed",
        "the text of M.New is not pinned",
        "M.Gone is listed, but no property",
    ]


def test_a_pinned_text_that_changed_loses_its_figures():
    measured, other = Figures("00", 3, 2, 1), Figures("ff")
    read = Listing({"M.P": measured, "M.Q": Figures("00", 9, 9, 0)})
    assert pinned_figures({"M.P": "00", "M.Q": "ff"}, read) == {"M.P": measured, "M.Q": other}
    pinned = Listing({"M.P": measured, "M.Q": other})
    assert never_weakened({"M.P": "00", "M.Q": "ff"}, pinned) == ["M.Q was never weakened"]


def test_a_kill_of_another_length_is_named():
    read = Listing({}, {"late": {"P": [3, 5], "Q": [4]}, "early": {"P": [2]}}, {"late": {"P": [7, 8]}})
    assert changed_kills({"late": {"P": [3, 5], "Q": [4]}}, {"late": {"P": [7, 8]}}, read) == []
    assert changed_kills({"late": {"P": [3, 6]}}, {}, read) == [
        "late: P catches it by traces of 3, 6 states, pinned are traces of 3, 5 states",
        "late: Q catches it by none, pinned are traces of 4 states",
    ]
    assert changed_kills({"late": {"P": [3, 5], "Q": [4]}}, {"late": {"P": [7]}}, read) == [
        "late: 7 states violate P, pinned are 7, 8"
    ]


def test_a_property_that_has_changed_was_never_strengthened():
    assert never_strengthened({"M.P": "00ff"}, FULL) == []
    for digests in ({"M.P": "0b"}, {"M.Q": "00ff"}):
        (told,) = never_strengthened(digests, FULL)
        assert "was never strengthened" in told


def test_the_gate_asks_whether_premises_were_dropped(tmp_path):
    own = read_weakenings(SPECS / "weakenings.toml")
    other = replace(own, premises={**own.premises, "Checkpoints.AbortUnblocks": "0"})
    (tmp_path / "weakenings.toml").write_text(listing_text(other), encoding="utf-8")
    told = not_as_pinned(replace(shipped_plan("quick"), strength=tmp_path / "weakenings.toml"), [])
    assert any("Checkpoints.AbortUnblocks was never strengthened" in line for line in told)


RING = """format = "pyharness-plan/1"

[[model]]
name = "ring"
spec = "ChandyLamport"
topologies = ["ring:2"]
items = 1
fair = true
invariants = ["TypeOK", "RecordedIsSSS", "SnapshotConserves"]
properties = ["EventuallyAllRed", "SSSReachable"]
"""


def test_a_digest_is_of_the_text_and_of_what_it_opens(tmp_path):
    specs = tmp_path / "specs"
    shutil.copytree(SPECS, specs)
    (specs / "plans" / "ring.toml").write_text(RING, encoding="utf-8")

    def read():
        plan = read_plan(specs / "plans" / "ring.toml", specs)
        return CheckedTexts(plan.models, plan.library)

    before = read()

    def after(*changes, module="ChandyLamport"):
        path = specs / f"{module}.tla"
        text = changed = path.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in changed
            changed = changed.replace(old, new, 1)
        path.write_text(changed, encoding="utf-8")
        maker = read()
        path.write_text(text, encoding="utf-8")
        return {key for key in maker.texts() if maker.digest(key) != before.digest(key)}

    same, other = ("AllRed == /\\ Red", "AllRed ==  /\\  Red"), ("AllRed == /\\ Red =", "AllRed == /\\ Red #")
    recorded = ("recChan = whiteInRed ", "whiteInRed = recChan ")
    shorter = ("chan  <- [c \\in DOMAIN chan |-> recChan[c] \\o", "chan  <- [c \\in DOMAIN chan |->")
    assert after(same, recorded) == {"ChandyLamport.RecordedIsSSS"}
    assert after(other, shorter) == {"ChandyLamport.EventuallyAllRed", "ChandyLamport.SSSReachable"}
    assert after(("channels) = 1", "channels) <= 1"), module="Items") == {"Items.ItemsConserved"}
