"""Jobs with the real TLC, without Spark, and what their rows are judged to be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.jobs.job_execution import run_job
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.gate.jobs.replay_rows import replay_row
from pyharness.gate.judge.judgement import judge
from pyharness.gate.judge.plan_report import evidence_for
from pyharness.gate.plans.plan import read_plan
from pyharness.models.bounds import Budget
from pyharness.models.machine_tools import find_tools
from pyharness.models.table_rows import TraceRow, rows_of
from pyharness.models.verdicts import Verdict
from tests.long import LONG

pytestmark = pytest.mark.tlc

HEAD = 'format = "pyharness-plan/1"\n[[model]]\n'
TINY = """name = "tiny"
spec = "ChandyLamport"
topologies = [{ processes = 2 }, { family = "ring", processes = 3 }]
items = 1
invariants = ["TypeOK", "NoRedInWhite"]
properties = ["SSSReachable"]
silent = ["Internal", "Exchange"]
"""


def read(tmp_path, text, specs=SPECS):
    path = tmp_path / "plan.toml"
    path.write_text(HEAD + text, encoding="utf-8")
    return read_plan(path, specs)


def verdict_of(plan, specs=SPECS):
    model, tools = plan.models[0], find_tools(specs)
    rows = [row for job in plan_jobs(plan, tools) for row in run_job(job, plan.library, tools)]
    rows += [replayed for row in rows_of(TraceRow, rows) for replayed in replay_row(model, row)]
    evidence = evidence_for(model, plan.library, rows)
    return *judge(model, evidence), evidence


@LONG  # quick is one of a module without graphs, beside plans
def test_a_run_over_its_budget_is_incomplete(tmp_path):
    text = TINY.replace("items = 1", "items = 3")
    text = (
        text.replace("{ processes = 2 }", "{ processes = 3 }") + "budget = { seconds = 1, heap_mb = 512 }\n"
    )
    verdict, reasons, _ = verdict_of(read(tmp_path, text))
    assert verdict is Verdict.INCOMPLETE
    assert any("the time was up after 1 s" in reason for reason in reasons)


@LONG  # tests/tla/tlc has such a run, and what is judged of its outcome is no question of a run
def test_a_heap_too_small_is_incomplete(tmp_path):
    plan = read(tmp_path, TINY.replace("items = 1", "items = 3"))
    plan = replace(plan, models=(replace(plan.models[0], budget=Budget(60, 12)),))
    verdict, reasons, _ = verdict_of(plan)
    assert verdict in {Verdict.INCOMPLETE, Verdict.ERROR}
    assert reasons
