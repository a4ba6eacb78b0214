"""Where trace and implementation part: which step, its action, and the two states as a difference."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pyharness
from pyharness.judge.refused_traces import refused_trace
from pyharness.report.trace.trace_page import to_html
from pyharness.run.table_rows import TraceRow
from pyharness.tla import Fn
from pyharness.tlc.itf import from_itf, itf_document, itf_line
from pyharness.toolchain.spec_files import ROOT


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
