"""A survey: what is said of a graph, what is kept, and that a simulation is never taken for a check."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from pyharness.base.topology import Topology, generate
from pyharness.cli import cli
from pyharness.gate.plans.requested_model import requested_model
from pyharness.lab.survey.graph_record import GraphRecord, Reach, leave_record, left_record
from pyharness.lab.survey.sampled_survey import Survey, Walks, sample_of, survey_graph
from pyharness.lab.survey.survey_result import groups_of, survey_verdict
from pyharness.models.bounds import Budget
from pyharness.models.machine_tools import find_tools
from pyharness.show.report.survey_page import survey_lines, survey_page, survey_plot
from tests.shipped_plans import shipped_plan


@pytest.fixture(scope="module")
def plan():
    return shipped_plan("quick")


@pytest.fixture(scope="module")
def tools():
    return find_tools()


def on(plan, topology, spec="ChandyLamport", **how):
    graph = Topology.from_id(topology) if isinstance(topology, str) else topology
    return requested_model(spec, plan, topologies=(graph,), items=1, **how)


def test_a_small_graph_is_seen_whole(plan, tools):
    record = survey_graph(on(plan, "n2-6-i1"), plan.library, tools, Walks(5, 10))
    assert record.reach is Reach.ALL_STATES
    assert record.states == record.seen
    assert record.states > 10
    assert record.behaviours == 0
    assert record.seconds > 0.2
    assert record.why == ""


def test_a_graph_beyond_the_budget_is_simulated_and_says_so(plan, tools):
    dense = Topology.from_id("n5-0fbefbe-i1")  # all twenty channels
    model = replace(on(plan, dense, properties=["NoRedInWhite"]), budget=Budget(seconds=600, cpu_seconds=1))
    record = survey_graph(model, plan.library, tools, Walks(3, 20))
    assert (record.reach, record.behaviours, record.states) == (Reach.SIMULATED, 3, None)
    assert record.why.startswith("the time was up")
    assert 0.5 < record.seconds < 10
    assert survey_verdict([record]) == 0
    (line,) = survey_lines(groups_of([record], {5: [20]}, 2))
    assert "0 in all states, 1 by simulation only" in line


def test_a_violation_is_one(plan, tools):
    record = survey_graph(on(plan, "n2-6-i1", mutant="LateTurn"), plan.library, tools, Walks(3, 20))
    assert record.reach is Reach.VIOLATED
    assert survey_verdict([record]) == 1


def test_a_run_that_failed_for_another_reason_is_not_simulated_away(plan, tools, tmp_path):
    killed = tmp_path / "java"
    killed.write_text("#!/bin/sh\nkill -KILL $$\n", encoding="utf-8")
    killed.chmod(0o755)
    record = survey_graph(on(plan, "n2-6-i1"), plan.library, replace(tools, java=killed), Walks(3, 20))
    assert (record.reach, record.behaviours) == (Reach.UNDECIDED, 0)
    assert survey_verdict([record]) == 3
    assert survey_verdict([]) == 3


def test_what_is_kept_is_not_made_again(plan, tools, tmp_path):
    models = [on(plan, graph, properties=["NoRedInWhite"]) for graph in ("n2-6-i1", "n3-028-i1")]
    survey = Survey(plan.library, tools, Walks(3, 20), tmp_path)
    said = []
    first = survey.records(models, 2, said.append)
    assert [record.topology for record in first] == ["n2-6-i1", "n3-028-i1"]
    assert len(said) == 2
    kept = sorted(tmp_path.iterdir())
    kept[0].write_text(kept[0].read_text(encoding="utf-8")[:-9], encoding="utf-8")  # cut off
    said.clear()
    assert [(r.topology, r.states) for r in survey.records(models, 1, said.append)] == [
        (r.topology, r.states) for r in first
    ]
    assert len(said) == 1


RECORD = GraphRecord("n2-6-i1", 2, 2, 1, Reach.ALL_STATES, 1.5, 20, 20, 7)


def test_a_record_is_read_as_it_was_written(tmp_path):
    leave_record(tmp_path / "a.json", RECORD)
    assert left_record(tmp_path / "a.json") == RECORD


@pytest.mark.parametrize("change", [{"reach": "passed"}, {"more": 1}])
def test_a_record_that_is_none_is_not_taken(tmp_path, change):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(RECORD.to_document() | change), encoding="utf-8")
    assert left_record(path) is None


def test_equal_seeds_draw_equal_samples():
    graphs = list(generate(4, initiators=0))
    assert sample_of(graphs, 10, 7) == sample_of(graphs, 10, 7)
    assert sample_of(graphs, 10, 7) != sample_of(graphs, 10, 8)
    assert sample_of(graphs, 1000, 7) == graphs


def test_the_page_has_every_count_and_projects_only_what_was_fitted():
    records = [
        replace(RECORD, processes=4, channels=channels, seconds=0.5 * 1.5**channels)
        for channels in range(4, 11)
    ]
    records += [replace(RECORD, processes=4, channels=12, reach=Reach.SIMULATED, states=None, seconds=60.0)]
    groups = groups_of([RECORD, *records], {2: [2], 4: [*range(4, 13)] * 3}, 60)
    page = survey_page("ChandyLamport", "pyharness survey ChandyLamport", 60, groups, "plot.svg")
    assert "4 processes, 1 item: 8 of 27 graphs: 7 in all states, 1 by simulation only" in page
    assert groups[0].projection is None
    assert page.count("| 4 | 1 | 27 |") == 1
    assert "![" in page


def test_the_plot_has_a_mark_for_each_graph():
    pytest.importorskip("vl_convert")
    assert survey_plot(groups_of([RECORD], {2: [2]}, 60)).startswith("<svg")


def test_the_command_says_what_was_checked(tmp_path):
    page = tmp_path / "page.md"
    arguments = ["survey", "WhiteRed", "--processes", "2", "--out", str(tmp_path / "out"), "--jobs", "1"]
    ran = CliRunner().invoke(cli, [*arguments, "--property", "SnapshotConserves", "--page", str(page)])
    assert ran.exit_code == 0, ran.output
    assert ran.stdout == "2 processes, 1 item: 1 of 1 graphs: 1 in all states, 0 by simulation only\n"
    assert "checked in all its states" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["WhiteReed"], "WhiteRed"), (["WhiteRed", "--property", "Conserves"], "SnapshotConserves")],
)
def test_what_does_not_exist_is_named(arguments, says):
    ran = CliRunner().invoke(cli, ["survey", *arguments])
    assert ran.exit_code == 2
    assert says in ran.stderr
