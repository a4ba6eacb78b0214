"""A check whose run writes the graph says what a check with coverage does, and the two jobs of a model share it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.library.model_checks import _OnGraphs
from pyharness.gate.jobs.job_execution import run_job
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.gate.judge.judgement import judge
from pyharness.gate.judge.plan_report import evidence_of
from pyharness.gate.pipeline.job_tasks import JointJob, joined, joint_rows, parted
from pyharness.gate.plans.plan import read_plan
from pyharness.hold.conformance.comparison import conformance_rows
from pyharness.models import graph_check, tlc_jobs
from pyharness.models import model as model_module
from pyharness.models.graph_check import check_with_graph
from pyharness.models.machine_tools import find_tools
from pyharness.models.render import render_model
from pyharness.models.table_rows import (
    ActionRow,
    ConformanceRow,
    RunRow,
    TopologyRow,
    WitnessRow,
    rows_of,
)
from pyharness.models.verdicts import Verdict
from pyharness.tla.modules.formula_facts import next_actions
from pyharness.tla.tlc import Outcome
from tests.long import some

pytestmark = pytest.mark.tlc

TEXT = """format = "pyharness-plan/1"
[[model]]
name = "tiny"
spec = "ChandyLamport"
topologies = ["n2-6-i1", "n1-1-i1"]
items = 1
invariants = ["TypeOK", "NoRedInWhite", "RecordedIsSSS"]
properties = ["TurnsRedOnce", "RefinesWhiteRed"]
silent = ["Internal", "Exchange"]
conform = true
pins = { distinct = 43, depth = 11, transitions = 48 }
"""


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TEXT, encoding="utf-8")
    return read_plan(path, SPECS)


@pytest.fixture
def jobs(plan):
    return {job.kind: job for job in plan_jobs(plan, find_tools())}


def judged(plan, rows):
    return judge(plan.models[0], evidence_of(next_actions(plan.library, plan.models[0].spec), (), rows))


def alike(rows):
    """Return rows without what is a matter of time."""
    kept = [replace(row, seconds=None) if isinstance(row, RunRow) else row for row in rows]
    return [
        replace(row, seconds=None, tlc_seconds=None) if isinstance(row, ConformanceRow) else row
        for row in kept
    ]


def test_a_check_with_the_graph_finds_what_one_without_does(plan, jobs, monkeypatch):
    tools, check = find_tools(), jobs["check"]
    with_graph = run_job(check, plan.library, tools)
    monkeypatch.setattr(tlc_jobs, "writes_graph", lambda *_: False)
    without = run_job(check, plan.library, tools)
    compared = conformance_rows(jobs["conform"], plan.library, tools)
    assert judged(plan, [*with_graph, *compared]) == (Verdict.PASS, ())
    assert judged(plan, [*without, *compared]) == (Verdict.PASS, ())
    assert by_name(with_graph) == by_name(without)
    (one,), (other,) = (rows_of(RunRow, rows) for rows in (with_graph, without))
    model = plan.models[0]
    assert set(one.evaluated) == {*model.invariants, *model.properties}
    assert replace(one, seconds=None) == replace(other, seconds=None)
    fired, counted = (
        {row.action: row.total for row in rows_of(ActionRow, rows)} for rows in (with_graph, without)
    )
    assert {name for name, total in fired.items() if total} == {name for name in counted if counted[name]}
    assert sum(fired.values()) == rows_of(ConformanceRow, compared)[0].transitions
    assert sum(row.distinct for row in rows_of(TopologyRow, with_graph)) == one.distinct


def by_name(rows):
    """What must be reached, and the results of the topologies."""
    reached = {row.witness: (row.formula, row.reached) for row in rows_of(WitnessRow, rows)}
    return reached, [(row.topology, row.outcome, row.violated) for row in rows_of(TopologyRow, rows)]


def test_jobs_that_are_joined_leave_what_each_leaves_alone(plan, jobs):
    tools = find_tools()
    (joint,) = joined(jobs.values(), plan.library)
    assert isinstance(joint, JointJob)
    together = parted(joint, joint_rows(joint, plan.library, tools))
    assert [job.kind for job, _ in together] == ["check", "conform"]
    alone = [
        run_job(jobs["check"], plan.library, tools),
        conformance_rows(jobs["conform"], plan.library, tools),
    ]
    assert [alike(rows) for _, rows in together] == [alike(rows) for rows in alone]


def test_a_violation_is_that_of_a_run_without_the_graph(plan, jobs, tmp_path, monkeypatch):
    """It is looked for twice, once with the graph and once as in any module."""
    runs = []
    for module, name in ((graph_check, "run_model"), (tlc_jobs, "check_plain")):
        run = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *given, run=run, **options: runs.append(run) or run(*given, **options)
        )
    wrong = replace(plan.models[0], invariants=("TypeOK", "Complete"))
    check, conform = (replace(jobs[kind], model=wrong) for kind in ("check", "conform"))
    rows = joint_rows(JointJob((check, conform)), plan.library, find_tools())
    assert [run.__name__ for run in runs] == ["run_model", "check_plain"]
    run = rows_of(RunRow, rows)[0]
    assert (run.outcome, run.violated) == (Outcome.INVARIANT, "Complete")
    (compared,) = rows_of(ConformanceRow, rows)
    assert (compared.states, compared.mismatches, compared.error) == (43, 0, None), "compared all the same"
    assert check_with_graph(check, plan.library, find_tools(), tmp_path, tmp_path / "graph.dot") is None


def test_an_invariant_that_is_not_evaluated_is_told(plan, jobs, monkeypatch):
    run_model = graph_check.run_model

    def forgetful(*given, **options):
        result = run_model(*given, **options)
        return replace(result, output=result.output.replace('"evaluated NoRedInWhite"', ""))

    monkeypatch.setattr(graph_check, "run_model", forgetful)
    rows = joint_rows(JointJob((jobs["check"], jobs["conform"])), plan.library, find_tools())
    assert judged(plan, rows) == (Verdict.INCOMPLETE, ("TLC did not evaluate NoRedInWhite",))


@pytest.mark.parametrize("with_graph", some([True, False], 1))
def test_a_property_that_tlc_is_not_told_to_check_is_told(plan, jobs, monkeypatch, with_graph):
    """TLC ends as it does otherwise, for there is no violation to find."""

    def without_properties(**given):
        rendered = render_model(**given)
        lines = rendered.cfg.splitlines(keepends=True)
        return replace(rendered, cfg="".join(line for line in lines if not line.startswith("PROPERTY")))

    monkeypatch.setattr(model_module, "render_model", without_properties)
    monkeypatch.setattr(tlc_jobs, "writes_graph", lambda *_: with_graph)
    tools, model = find_tools(), plan.models[0]
    rows = run_job(jobs["check"], plan.library, tools)
    compared = conformance_rows(jobs["conform"], plan.library, tools)
    assert model.properties
    expected = f"TLC was not told to check {', '.join(model.properties)}"
    assert judged(plan, [*rows, *compared]) == (Verdict.INCOMPLETE, (expected,))
    alone = _OnGraphs(plan.library, tools, 1, False, {}, None).check(replace(model, conform=False))
    assert (alone.verdict, alone.reason) == ("incomplete", expected)


def test_a_graph_that_is_cut_off_is_no_pass(plan, jobs, monkeypatch):
    run_model = graph_check.run_model

    def cut(*given, dump, **options):
        result = run_model(*given, dump=dump, **options)
        dump.write_bytes(dump.read_bytes()[: dump.stat().st_size // 2])
        return result

    monkeypatch.setattr(graph_check, "run_model", cut)
    rows = joint_rows(JointJob((jobs["check"], jobs["conform"])), plan.library, find_tools())
    verdict, reasons = judged(plan, rows)
    assert verdict is Verdict.INCOMPLETE
    assert any("states per topology sum to" in reason for reason in reasons)
    assert any("the graph is cut off" in reason for reason in reasons)
