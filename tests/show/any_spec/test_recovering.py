"""Checkpoints during recovery: the spec without graphs that the plans have."""

from __future__ import annotations

import json

from click.testing import CliRunner

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli
from pyharness.gate.plans.plan import read_plan

PLACE = SPECS / "recovering"


def check(*args):
    return CliRunner().invoke(cli, ["check", *map(str, args), "--json"])


def test_each_bug_is_in_the_plan_with_what_catches_it():
    specs = read_plan(SPECS / "plans" / "quick.toml", SPECS).specs
    caught = {each.config.name: each.caught_by for each in specs if each.expect == "violation"}
    assert set(caught) == {path.name for path in PLACE.glob("*.cfg")} - {"RecoveringBarriers.cfg"}
    assert all(caught.values())
    assert [each.name for each in specs if each.expect == "pass"] == ["recovering-barriers"]


def test_without_the_lock_a_record_is_lost_and_with_it_none_is():
    wrong = check(PLACE / "RecoveringBugs.tla", "--config", PLACE / "BeginInBetween.cfg")
    assert wrong.exit_code == 1, wrong.output
    found = json.loads(wrong.stdout)
    steps = [each["action"] for each in found["counterexample"]["steps"]]
    assert found["violated"] == "RefinesAtOnce"
    assert steps == [None, "SendBarrier", "TakeOut", "AcceptBarrier"]
    right = check(PLACE / "RecoveringBarriers.tla", "--constant", "Restored=1")
    assert right.exit_code == 0, right.output
