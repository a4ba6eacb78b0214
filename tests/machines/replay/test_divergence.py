"""Where trace and implementation part: which step, its action, and the two states as a difference."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pyharness
from pyharness.base.toolchain.spec_files import ROOT
from pyharness.gate.judge.refused_traces import refused_trace
from pyharness.models.table_rows import TraceRow
from pyharness.show.report.trace.trace_page import to_html
from pyharness.tla.tlc.itf import from_itf, itf_document, itf_line
from pyharness.tla.values import Fn


def changed():
    """A counterexample's trace whose third state has another channel than the implementation comes to."""
    read = pyharness.read_trace(ROOT / "traces" / "LateTurn.itf.json")
    trace = read.behaviour
    state = trace.steps[1].state
    wrong = state.updated({"chan": Fn([((1, 2), ()), ((2, 1), ())])})
    steps = (trace.steps[0], replace(trace.steps[1], state=wrong), *trace.steps[2:])
    return replace(read, behaviour=replace(trace, steps=steps))


def test_the_difference_names_the_channel_and_both_values():
    divergence = changed().replay("ChandyLamport").divergence
    assert (divergence.step, divergence.action) == (2, "Initiate")
    assert divergence.differences == (("chan[C12]", "<<>>", '<<[control |-> "marker"]>>'),)


def held_against(steps):
    read = pyharness.read_trace(ROOT / "traces" / "LateTurn.itf.json")
    return str(
        replace(read, behaviour=replace(read.behaviour, steps=steps)).replay("ChandyLamport").divergence
    )


def test_a_name_that_is_no_actions_is_told_from_a_state_that_is_wrong():
    first, second, *_ = pyharness.read_trace(ROOT / "traces" / "LateTurn.itf.json").behaviour.steps
    told = held_against((first, replace(second, action="initiate")))
    assert told.startswith("step 2: the implementation cannot take initiate\n  enabled: Initiate(P1), ")
    assert told.endswith("\n  the state is right, the action is not: it is that of Initiate(P1)")


def test_a_step_in_which_nothing_happened_is_told_to_have_no_action():
    first, second, *_ = pyharness.read_trace(ROOT / "traces" / "LateTurn.itf.json").behaviour.steps
    assert held_against((first, replace(first, action=None), second)) == "None"
    told = held_against((first, replace(first, action="Idle"), second))
    assert told.endswith("nothing changed in this step: if nothing was done, leave out its action, Idle")


def test_a_trace_that_begins_elsewhere_is_told_so():
    """Nothing is taken before the first state, and nothing is enabled there."""
    _, *later = pyharness.read_trace(ROOT / "traces" / "LateTurn.itf.json").behaviour.steps
    told = held_against(tuple(later))
    assert told.startswith("step 1: the implementation does not begin in this state\n")
    assert "enabled" not in told


def test_the_page_marks_the_step_and_shows_the_difference():
    trace = changed()
    divergence = trace.replay("ChandyLamport").divergence
    simulated = itf_line(itf_document(trace.behaviour, {"title": "simulated", "spec": "ChandyLamport"}))
    replayed = SimpleNamespace(divergence=str(divergence), diverged_at=divergence.step)
    row = TraceRow("j", "m", "simulation", 0, "t", len(trace.behaviour.steps), None, simulated)
    itf = refused_trace(row, replayed).itf
    assert json.loads(itf)["#meta"]["violated_at"] == 1
    page = to_html(*from_itf(itf))
    assert "✗ <bdi>Conformance</bdi>" in page
    assert '<a href="#step=2">step 2</a>' in page
    assert "step 2: the implementation cannot take Initiate" in page
    assert "chan[C12]: the trace has" in page
