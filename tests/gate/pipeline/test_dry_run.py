"""What would run, and why, without running it: only jobs whose names are no longer those of kept results."""

from __future__ import annotations

import json
import shutil

import pytest
from click.testing import CliRunner

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli import cli
from pyharness.gate.jobs.job_names import leave_names
from pyharness.gate.jobs.job_store import leave_rows
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.gate.pipeline import job_tasks
from pyharness.gate.pipeline.dry_run import dry_run
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.models.table_rows import ExplorationRow

pytestmark = pytest.mark.tlc

PLAN = """format = "pyharness-plan/1"
[[model]]
name = "typed"
spec = "ChandyLamport"
topologies = ["n2-6-i1"]
invariants = ["TypeOK"]
explore = true

[[model]]
name = "coloured"
spec = "ChandyLamport"
topologies = ["n2-6-i1"]
invariants = ["RecordedIsSSS"]

[[model]]
name = "white-red"
spec = "WhiteRed"
topologies = ["n2-6-i1"]
invariants = ["TypeOK"]
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Return specs, a plan, and results: of each of its jobs some row, and what it is named by."""
    place = tmp_path_factory.mktemp("dry")
    specs, out = place / "specs", place / "out"
    shutil.copytree(SPECS, specs)
    path = place / "dry.toml"
    path.write_text(PLAN, encoding="utf-8")
    plan, tools = read_plan(path, specs), find_tools(specs)
    (out / "jobs").mkdir(parents=True)
    jobs = plan_jobs(plan, tools)
    for job in jobs:
        leave_rows(out / "jobs" / f"{job.id}.json", [ExplorationRow(job.id, job.name, "g", 1, 1, 0.1)])
    leave_names(out, jobs, plan.library)
    return specs, path, out


def waiting(kept, module="", old="", new="", **options):
    """Return what would run after an edit, and of how many jobs the results are kept."""
    specs, path, out = kept
    edited, text = specs / f"{module}.tla", ""
    if module:
        text = edited.read_text(encoding="utf-8")
        assert text.count(old) == 1
        edited.write_text(text.replace(old, new), encoding="utf-8")
    try:
        found = dry_run(read_plan(path, specs), find_tools(specs), out, **options)
    finally:
        if module:
            edited.write_text(text, encoding="utf-8")
    return {(job.model, job.kind): job.why for job in found.jobs}, found.kept


def test_nothing_runs_where_nothing_changed_or_a_comment(kept):
    assert waiting(kept) == ({}, 4)
    assert waiting(kept, "ChandyLamport", "TypeOK ==\n", "(* What the variables are. *)\nTypeOK ==\n\n") == (
        {},
        4,
    )


def test_after_an_edit_of_a_property_its_check_runs(kept):
    jobs, count = waiting(
        kept, "ChandyLamport", "Complete => recChan = whiteInRed", "Complete => whiteInRed = recChan"
    )
    assert jobs == {("coloured", "check"): ("changed definition ChandyLamport!RecordedIsSSS",)}
    assert count == 3


def test_after_an_edit_of_an_action_what_can_reach_it_runs(kept):
    jobs, _ = waiting(kept, "ChandyLamport", "MayRecord(p) == p", "MayRecord(p) == TRUE /\\ p")
    assert jobs.keys() == {("typed", "check"), ("coloured", "check")}


def test_a_fresh_run_runs_all(kept):
    jobs, count = waiting(kept, fresh=True)
    assert (len(jobs), count) == (4, 0)
    assert set(jobs.values()) == {("all run afresh",)}


def test_what_left_nothing_runs_though_its_name_is_the_same(kept, tmp_path):
    specs, path, out = kept
    copy = tmp_path / "out"
    shutil.copytree(out, copy)
    one = min((copy / "jobs").iterdir())
    one.write_text("{", encoding="utf-8")
    found = dry_run(read_plan(path, specs), find_tools(specs), copy)
    assert (len(found.jobs), found.kept) == (1, 3)
    assert "another version" in found.jobs[0].why[0] or "cannot be read" in found.jobs[0].why[0]


def test_the_document_lists_the_jobs_and_no_job_is_run(kept, tmp_path, monkeypatch):
    specs, path, _ = kept
    monkeypatch.setattr(job_tasks, "job_rows", None)
    arguments = ["check", str(path), "--dry-run", "--json", "--specs", str(specs), "--out", str(tmp_path)]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert {(job["model"], job["kind"]): job["why"] for job in told["jobs"]} == {
        ("typed", "check"): ["new"],
        ("typed", "explore"): ["new"],
        ("coloured", "check"): ["new"],
        ("white-red", "check"): ["new"],
    }
    assert (told["kept"], list(tmp_path.iterdir())) == (0, [])
