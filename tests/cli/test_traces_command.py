"""``pyharness plan traces``: what is exported is the same whether TLC runs for it or a run of the plan has left it."""

from __future__ import annotations

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli import traces_command
from pyharness.gate.jobs.job_execution import run_job
from pyharness.gate.jobs.job_store import leave_rows
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools
from tests.command import run

pytestmark = pytest.mark.tlc

PLAN = """format = "pyharness-plan/1"
[[model]]
name = "late"
spec = "ChandyLamport"
mutant = "LateTurn"
topologies = [{ family = "ring", processes = 2 }]
items = 1
invariants = ["NoRedInWhite", "SnapshotConserves"]
expect = "violation"
caught_by = ["SnapshotConserves", "NoRedInWhite"]
"""


@pytest.fixture
def export(tmp_path, monkeypatch):
    """Return a function that exports the plan's one trace, with what is left in ``build``, and returns its text."""
    monkeypatch.setattr(traces_command, "example_names", lambda _specs: ())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.toml").write_text(PLAN)

    def exported(name):
        words = ["plan", "traces", str(tmp_path / "one.toml"), "--out", str(tmp_path / name)]
        found = run(*words)
        assert found.exit_code == 0, found.output
        return (tmp_path / name / "LateTurn.itf.json").read_text()

    return exported


@pytest.fixture
def left(tmp_path):
    """The file of a job that the plan's run has left."""
    plan, tools = read_plan(tmp_path / "one.toml", SPECS), find_tools(SPECS)
    (job,) = (job for job in plan_jobs(plan, tools) if job.kind == "check")
    file = tmp_path / "build" / "one" / "jobs" / f"{job.id}.json"
    file.parent.mkdir(parents=True)
    leave_rows(file, run_job(job, plan.library, tools))
    return file


@pytest.fixture
def runs(monkeypatch):
    """The models for whose counterexamples TLC ran."""
    made = []

    def noted(job, *more):
        made.append(job.name)
        return run_job(job, *more)

    monkeypatch.setattr(traces_command, "run_job", noted)
    return made


def test_what_a_run_left_is_what_tlc_finds(export, left, runs):
    taken = export("taken")
    assert not runs
    left.unlink()
    assert export("found") == taken
    assert runs == ["late"]


@pytest.mark.parametrize("change", ["damaged", "of another content"])
def test_what_does_not_fit_is_found_anew(export, left, runs, tmp_path, change):
    if change == "damaged":
        left.write_text(left.read_text().replace("NoRedInWhite", "SnapshotConserves"))
    else:
        (tmp_path / "one.toml").write_text(PLAN.replace("items = 1", "items = 2"))
    export("anew")
    assert runs == ["late"]


@pytest.mark.parametrize(
    "other", ["notes.toml", "src/main.py", ".git/config", "guide.md", "package.json", "a.html"]
)
def test_a_directory_of_other_things_is_not_replaced(tmp_path, monkeypatch, other):
    """`--out .` would have taken away all that is there."""
    (tmp_path / other).parent.mkdir(exist_ok=True)
    (tmp_path / other).write_text("mine", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = run("plan", "traces", "--out", ".")
    assert found.exit_code == 2
    assert "this is not a trace, and its directory would be replaced" in found.stderr
    assert (tmp_path / other).read_text(encoding="utf-8") == "mine"
