"""What is read of a run of TLC: where something was first, what is counted, how far a walk came."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.errors import IncompleteError
from pyharness.base.topology import Topology
from pyharness.gate.jobs.reordering_rows import _walk
from pyharness.models import tlc_jobs
from pyharness.models.check_rows import action_rows, witness_rows
from pyharness.models.job import Job
from pyharness.models.spec_check import CheckedSpec, Premise, TakenAction
from pyharness.models.table_rows import ActionRow, RunRow, TopologyRow, TraceRow, WitnessRow, rows_of
from pyharness.models.tlc_runs import first_places, violating_states
from pyharness.models.verdicts import Verdict
from pyharness.tla.tlc import Outcome, Result, Trace, TraceStep
from pyharness.tla.tlc.result import Violation
from pyharness.tla.values import Fn
from tests.shipped_plans import shipped_plan
from tests.tla.tlc.samples import path


def test_the_length_of_a_trace_counts_the_state_that_a_step_leaves():
    """TLC tells the level of the state before the step to a violation: 0 before an initial one."""
    told = '<<"first", 2, "n2-6-i1", 0>>\nState 3: ...\n<<"first", 1, "n3-0aa-i1", 4>>\n <<"first", 1, "x", 9>>\n'
    result = Result(Outcome.SUCCESS, 0, output=told)
    assert first_places(result, ("TypeOK", "NoRedInWhite")) == {
        ("NoRedInWhite", "n2-6-i1"): 1,
        ("TypeOK", "n3-0aa-i1"): 5,
    }


@pytest.mark.parametrize("visited", [{2}, {1, 3}, {1, 2, 3, 4}, {0, 1, 2}])
def test_a_walk_has_no_gap(visited):
    with pytest.raises(IncompleteError):
        _walk(visited, 3)


def test_a_walk_is_accepted_when_it_came_to_its_end():
    assert _walk({1, 2, 3}, 3).accepted
    assert not _walk({1, 2}, 3).accepted
    assert not _walk(set(), 3).accepted


def test_violating_states_are_not_counted_in_an_output_that_may_be_cut_off():
    graphs = (Topology.of(2, [(1, 2), (2, 1)], [1]), Topology.of(2, [(1, 2)], [1]))
    output = "<<2>>\n<<3>>\n<<3>>\n"
    first, second = (graph.id for graph in graphs)
    assert violating_states(output, graphs) == {(1, first): 1, (1, second): 2}
    assert violating_states(output, graphs, room=len(output) + 1) is not None
    assert violating_states(output, graphs, room=len(output)) is None


def test_a_behaviour_that_was_cut_off_is_not_counted(tmp_path, monkeypatch):
    plan = shipped_plan("quick")
    model = next(model for model in plan.models if model.simulate)
    whole = path("modern", "simulate_num_file.FILE.sim_0_0").read_text(encoding="utf-8")

    def simulated(*_, **__):
        for number, text in enumerate((whole[:-5], whole, whole[:-5])):
            (tmp_path / f"behaviour_{number}").write_text(text, encoding="utf-8")
        return Result(Outcome.SUCCESS, 0, finished=True)

    monkeypatch.setattr(tlc_jobs, "run_texts", simulated)
    rows = tlc_jobs.tlc_rows(Job("id", "simulate", model), plan.library, None, tmp_path)
    assert [row.index for row in rows_of(TraceRow, rows)] == [1]


@pytest.mark.parametrize("expect", ["pass", "violation"])
def test_what_is_violated_on_one_graph_is_told_of_no_other(tmp_path, monkeypatch, expect):
    """Of a model that is to be violated each graph is checked alone, so that each has a verdict of its own."""
    plan = shipped_plan("quick")
    graphs = tuple(Topology.of(2, channels, [1]) for channels in ([(1, 2)], [(2, 1)], [(1, 2), (2, 1)]))
    model = next(model for model in plan.models if model.expect == "pass")
    model, bad = replace(model, topologies=graphs, expect=expect), graphs[1].id
    trace = Trace((TraceStep(None, Fn([("topo", bad)])),))
    found = Violation(Outcome.INVARIANT, "TypeOK", None, "violated", trace)

    violated = Result(Outcome.INVARIANT, 12, finished=True, violations=(found,), violation_count=1)
    checked = CheckedSpec(Verdict.VIOLATION, "line 3, col 1 to line 4, col 2 of module M", "TypeOK", violated)
    sound = CheckedSpec(Verdict.PASS, "", None, Result(Outcome.SUCCESS, 0, finished=True))
    runs = []

    def check(plain, *_, **__):
        runs.append([name for name in plain.sought if "states on" in name])
        reached = tuple((Premise(name, 0, "", "", step=False), True) for name in plain.sought)
        return replace(checked if any(bad in name for name in runs[-1]) else sound, premises=reached)

    monkeypatch.setattr(tlc_jobs, "check_plain", check)
    rows = list(tlc_jobs.checked_rows(Job("id", "check", model), plan.library, None, tmp_path))
    told = {row.topology: row.violated for row in rows_of(TopologyRow, rows)}
    assert not any("line 3" in row.reason for row in rows_of(RunRow, rows))  # an edit may move it
    assert told == dict.fromkeys((graph.id for graph in graphs), None) | {bad: "TypeOK"}
    assert [row.topology for row in rows_of(TraceRow, rows)] == [bad]
    assert list(map(len, runs)) == ([3] if expect == "pass" else [1, 1, 1])
    outcomes = [row.outcome for row in rows_of(TopologyRow, rows)]
    assert outcomes == [
        outcome if expect == "violation" or at == 1 else "not decided"
        for at, outcome in enumerate(("success", "invariant violated", "success"))
    ]


def test_rows_are_of_what_was_counted_and_sought():
    """Counts of a part of the states show what was taken; the premises of what theorems assume are no witnesses."""
    result = Result(Outcome.SUCCESS, 0, finished=True)
    taken = (TakenAction("Send", "M.tla:1", 2), TakenAction("Send", "M.tla:9", 3))
    premises = [(Premise(of, 1, "", "", step=False), found) for of, found in PREMISES.items()]
    checked = CheckedSpec(
        Verdict.PASS, "", None, result, actions=taken, partial=True, premises=tuple(premises)
    )
    assert list(action_rows("j", 0, checked)) == [ActionRow("j", 0, "Send", 5)]
    assert [row.witness for row in witness_rows("j", "m", checked)] == ["Law.1"]


PREMISES = {"Law": True, "Undecided": None, "AssumedLaw": False}


def test_a_graph_without_a_state_has_no_verdict(tmp_path, monkeypatch):
    plan = shipped_plan("quick")
    model = next(m for m in plan.models if m.expect == "pass" and not m.mutant and len(m.topologies) > 1)
    seen, empty = model.topologies[:2]

    def check(plain, *_, **__):
        reached = [(Premise(name, 0, "", "", step=False), empty.id not in name) for name in plain.sought]
        return CheckedSpec(Verdict.PASS, "", None, Result(Outcome.SUCCESS, 0), premises=tuple(reached))

    monkeypatch.setattr(tlc_jobs, "check_plain", check)
    job = Job("id", "check", replace(model, topologies=(seen, empty)))
    rows = list(tlc_jobs.checked_rows(job, plan.library, None, tmp_path))
    assert [row.topology for row in rows_of(TopologyRow, rows)] == [seen.id]
    assert not any("states on" in row.witness for row in rows_of(WitnessRow, rows))
