"""A check that writes the graph finds the same as one that does not, and the two jobs of a model share it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.library.model_checks import _OnGraphs
from pyharness.gate.jobs.job_execution import run_job
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.gate.judge.judgement import judge
from pyharness.gate.judge.plan_report import evidence_of
from pyharness.gate.pipeline.job_tasks import JointJob, joined, joint_rows, parted
from pyharness.gate.plans.plan import read_plan
from pyharness.hold.conformance import comparison
from pyharness.hold.conformance.comparison import conformance_rows
from pyharness.hold.conformance.dumped_graph import DumpedGraph
from pyharness.hold.conformance.graph_run import write_graph
from pyharness.models import model as model_module
from pyharness.models import spec_check, tlc_jobs
from pyharness.models.machine_tools import find_tools
from pyharness.models.render import render_model
from pyharness.models.table_rows import (
    ActionRow,
    ConformanceRow,
    RunRow,
    rows_of,
)
from pyharness.models.verdicts import Verdict
from pyharness.tla.modules.formula_facts import next_actions
from pyharness.tla.tlc import Outcome

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


def test_jobs_that_are_joined_leave_what_each_leaves_alone(plan, jobs, monkeypatch):
    tools = find_tools()
    (joint,) = joined(jobs.values(), plan.library)
    assert isinstance(joint, JointJob)
    runs, run_root = [], spec_check.run_root
    monkeypatch.setattr(spec_check, "run_root", lambda *a, **b: runs.append(b["dump"]) or run_root(*a, **b))
    monkeypatch.setattr(comparison, "write_graph", lambda *_: pytest.fail("the graph was written twice"))
    together = parted(joint, joint_rows(joint, plan.library, tools))
    assert [dump and dump.name for dump in runs] == ["graph.dot"]
    monkeypatch.undo()
    taken = {row.action for _, rows in together for row in rows_of(ActionRow, rows) if row.total}
    with tempfile.TemporaryDirectory() as directory:
        dump = Path(directory) / "graph.dot"
        result = write_graph(plan.models[0], plan.library, tools, dump)
        assert taken == set(DumpedGraph(dump, distinct=result.distinct).actions)
    assert [job.kind for job, _ in together] == ["check", "conform"]
    assert judged(plan, [row for _, rows in together for row in rows]) == (Verdict.PASS, ())
    alone = [
        run_job(jobs["check"], plan.library, tools),
        conformance_rows(jobs["conform"], plan.library, tools),
    ]
    assert [alike(rows) for _, rows in together] == [alike(rows) for rows in alone]


def test_a_model_that_is_violated_is_compared_all_the_same(plan, jobs):
    """TLC stops at the violation, so that the comparison needs a graph of its own."""
    wrong = replace(plan.models[0], invariants=("TypeOK", "Complete"))
    check, conform = (replace(jobs[kind], model=wrong) for kind in ("check", "conform"))
    rows = joint_rows(JointJob((check, conform)), plan.library, find_tools())
    run = rows_of(RunRow, rows)[0]
    assert (run.outcome, run.violated) == (Outcome.INVARIANT, "Complete")
    (compared,) = rows_of(ConformanceRow, rows)
    assert (compared.states, compared.mismatches, compared.error) == (43, 0, None)


def test_counts_that_do_not_add_up_leave_no_graph(plan, jobs, tmp_path, monkeypatch):
    """Then TLC's coverage counts, in another run."""
    monkeypatch.setattr(spec_check, "_counts", lambda *_: spec_check._Evidence(partial=True))
    dump = tmp_path / "graph.dot"
    rows = list(tlc_jobs.checked_rows(jobs["check"], plan.library, find_tools(), tmp_path, dump))
    assert [row.verdict for row in rows_of(RunRow, rows)] == [Verdict.PASS]
    assert not dump.exists()


def test_a_property_that_tlc_is_not_told_to_check_is_told(plan, jobs, monkeypatch):
    """TLC ends as it does otherwise, for there is no violation to find."""

    def without_properties(**given):
        rendered = render_model(**given)
        lines = rendered.cfg.splitlines(keepends=True)
        return replace(rendered, cfg="".join(line for line in lines if not line.startswith("PROPERTY")))

    monkeypatch.setattr(model_module, "render_model", without_properties)
    model = replace(plan.models[0], conform=False)
    rows = run_job(replace(jobs["check"], model=model), plan.library, find_tools())
    assert model.properties
    expected = f"TLC was not asked to check {', '.join(model.properties)}"
    assert judged(replace(plan, models=(model,)), rows) == (Verdict.INCOMPLETE, (expected,))
    alone = _OnGraphs(plan.library, find_tools(), 1, False, {}, None).check(model)
    assert (alone.verdict, alone.reason) == ("incomplete", expected)


def test_a_graph_that_is_cut_off_is_no_pass(plan, jobs, monkeypatch):
    run_root = spec_check.run_root

    def cut(*given, dump, **options):
        result = run_root(*given, dump=dump, **options)
        if dump:
            dump.write_bytes(dump.read_bytes()[: dump.stat().st_size // 2])
        return result

    monkeypatch.setattr(spec_check, "run_root", cut)
    rows = joint_rows(JointJob((jobs["check"], jobs["conform"])), plan.library, find_tools())
    verdict, reasons = judged(plan, rows)
    assert verdict is Verdict.INCOMPLETE
    assert any("the graph is cut off" in reason for reason in reasons)
