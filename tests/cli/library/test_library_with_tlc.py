"""``pyharness.check`` with the real TLC: verdicts are those of the evidence."""

from __future__ import annotations

import pytest

import pyharness
from pyharness.base.toolchain.spec_files import ROOT
from tests.long import LONG

pytestmark = pytest.mark.tlc

TINY = {"topology": "n2-6-i1", "items": 1}


def test_a_mutant_is_caught_and_its_trace_is_the_committed_one():
    found = pyharness.check("ChandyLamport", mutant="LateTurn", properties=["NoRedInWhite"])
    assert (found.verdict, found.violated) == ("violation", "NoRedInWhite")
    assert found.trace.title == "LateTurn, a mutant of ChandyLamport: NoRedInWhite is violated"
    committed = pyharness.read_trace(ROOT / "traces" / "LateTurn.itf.json")
    assert found.trace.to_text() == committed.to_text()
    assert found.trace.replay().violated_at["NoRedInWhite"] == len(found.trace)


def test_the_algorithm_passes():
    found = pyharness.check("ChandyLamport", **TINY)
    assert (found.verdict, found.reason, found.trace) == ("no violation", "", None)
    assert "NoRedInWhite" in found.properties
    row = pyharness.to_pandas([found, found]).iloc[1]
    assert (row["verdict"], row["states"]) == ("no violation", found.states)


@LONG  # `check FOO.tla` and kept counterexamples have such behaviours
def test_a_lasso_has_its_property_too():
    found = pyharness.check(
        "ChandyLamport", mutant="UnfairChannel", properties=["EventuallyComplete"], **TINY
    )
    assert (found.verdict, found.violated) == ("violation", "EventuallyComplete")
    behaviour = found.trace.behaviour
    assert behaviour.stuttering or behaviour.lasso is not None


@LONG  # docs/reference/library.md shows both, and tests/docs runs it
def test_what_was_not_seen_whole_is_no_pass():
    late = pyharness.check("ChandyLamport", topology="n2-6-i1", items=9, seconds=1)
    assert (late.verdict, late.trace) == ("incomplete", None)
    assert "the time was up" in late.reason
    bounded = pyharness.check("ChandyLamport", mutant="LateTurn", properties=["OneMarker"], **TINY)
    assert bounded.verdict == "incomplete"
    assert "nothing beyond was looked at" in bounded.reason


def test_a_graph_that_the_spec_is_not_about_is_no_pass():
    found = pyharness.check("UnalignedBarriers", topology="n2-6-i1")
    assert found.verdict == "incomplete"
    assert "BarrierSeparates: no premise is ever reached" in found.reason
    assert {"Send", "Accept"} <= {each.name for each in found.evidence.never_taken}
