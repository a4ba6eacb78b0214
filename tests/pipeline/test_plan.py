"""Plans: every way to get one wrong is named, with its line and field."""

from __future__ import annotations

import pytest

from pyharness.errors import SpecError
from pyharness.pipeline.places import SPECS, find_plan
from pyharness.pipeline.plan import read_plan

GOOD = """format = "pyharness-plan/1"

[[model]]
name = "tiny"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
items = 1
invariants = ["TypeOK"]
properties = ["RefinesWhiteRed"]
"""


def read(tmp_path, text):
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return read_plan(path, SPECS)


def test_a_good_plan(tmp_path):
    plan = read(tmp_path, GOOD)
    assert [model.name for model in plan.models] == ["tiny"]
    assert len(plan.models[0].topologies) == 1


@pytest.mark.parametrize("name", ["quick", "full"])
def test_the_plans_of_the_project_can_be_read(name):
    plan = read_plan(find_plan(name), SPECS)
    assert all(model.pins for model in plan.models if model.expect == "pass")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('format = "pyharness-plan/1"', 'format = "other"', 1, "format"),
        ("items = 1", "itms = 1", 7, "no such key"),
        ("items = 1", 'items = "one"', 7, "items: must be a number"),
        ("items = 1", "budget = { second = 1 }", 7, "no such key 'second'"),
        ("items = 1", "pins = { distinct = 1 }", 7, "must have distinct, generated"),
        ("items = 1", "constants = { MaxSend = 1 }", 7, "declares no constant MaxSend"),
        ("items = 1", 'mutant = "Nothing"', 7, "no mutant Nothing"),
        ("items = 1", 'mutant = "NoGuard"', 7, "a mutant of WhiteRed, which ChandyLamport does not extend"),
        ("items = 1", 'mutant = "LateTurn"', 3, "expect"),
        ("items = 1", 'stop = "Ovre"', 7, "does not define Ovre"),
        ("items = 1", 'expect = "violation"', 3, "caught_by"),
        ("items = 1", 'granularity = "step"', 7, "event or action"),
        ('spec = "ChandyLamport"', 'spec = "Chandy"', 5, "no module Chandy"),
        ('["TypeOK"]', '["TypOK"]', 8, "does not define TypOK"),
        ('["RefinesWhiteRed"]', '["RefinesRedWhite"]', 9, "does not define RefinesRedWhite"),
        ('invariants = ["TypeOK"]\nproperties = ["RefinesWhiteRed"]\n', "", 4, "checks nothing"),
        ("[{ processes = 2 }]", "[]", 6, "topologies"),
        ("[{ processes = 2 }]", "[{ processes = 3, channels_max = 1 }]", 6, "topologies"),
        ("[{ processes = 2 }]", "[{ proceses = 2 }]", 6, "topologies"),
        ('name = "tiny"', 'name = "../tiny"', 4, "lower-case words"),
    ],
)
def test_a_wrong_plan_is_named(tmp_path, old, new, line, message):
    assert old in GOOD
    with pytest.raises(SpecError, match=message) as caught:
        read(tmp_path, GOOD.replace(old, new))
    assert caught.value.where == f"plan.toml:{line}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "format"),
        ('format = "pyharness-plan/1"\n', "checks nothing"),
        ("format = ", "not TOML"),
        (GOOD + GOOD.split("\n", 2)[2], "another model is called"),
    ],
)
def test_a_broken_file_is_named(tmp_path, text, message):
    with pytest.raises(SpecError, match=message):
        read(tmp_path, text)


def test_no_such_plan():
    with pytest.raises(SpecError, match="no plan"):
        find_plan("nothing")
