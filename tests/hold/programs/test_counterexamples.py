"""The counterexamples that programs are asked: no longer than TLC's, none of the spec's, followed by a bug."""

from __future__ import annotations

import pytest

import pyharness
from pyharness.base.toolchain.spec_files import ROOT
from pyharness.hold.programs import HELD, Difference
from pyharness.hold.programs.counterexamples import Refusals, counterexample, hold_counterexamples
from pyharness.machines.protocols import Items
from pyharness.machines.replay import replay
from pyharness.machines.systems import build_system

RING = tuple(pyharness.topologies("ring:2"))
AS_TLC = ("LateTurn", "RecordAgain")
"""Bugs whose committed counterexample is on this graph, with two items."""


@pytest.mark.parametrize("mutant", AS_TLC)
def test_a_counterexample_is_as_long_as_tlc_s(mutant):
    trace = pyharness.read_trace(ROOT / "traces" / f"{mutant}.itf.json")
    assert trace.topology == RING[0]
    _, way = counterexample("ChandyLamport", mutant, RING)
    assert len(way) <= len(trace) - 1
    assert not replay(trace.behaviour, build_system("ChandyLamport", RING[0], Items(2, "spread"))).agreed


def test_a_right_program_follows_none(programs, in_process):
    found = hold_counterexamples(HELD["ChandyLamport"], programs(["--stateful"]), RING)
    assert isinstance(found, Refusals)
    assert set(AS_TLC) <= set(found.refused)
    assert "ForgetCompanions" in found.without


@pytest.mark.parametrize("mutant", AS_TLC)
def test_a_program_with_the_bug_is_caught_on_the_way(mutant, programs, in_process):
    found = hold_counterexamples(HELD["ChandyLamport"], programs(["--mutant", mutant]), RING)
    assert isinstance(found, Difference)
    assert found.found.startswith("the counterexample of ")
