"""Which jobs of a plan run, and what is left when they cannot: with a stand-in for Spark that runs them here."""

from __future__ import annotations

import errno
import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from pyharness.base.errors import ToolError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.jobs import written_files
from pyharness.gate.jobs.job_store import leave_rows, left_rows
from pyharness.gate.jobs.jobs import module_jobs, plan_jobs
from pyharness.gate.jobs.written_files import WrittenFiles
from pyharness.gate.pipeline import job_runs, job_tasks
from pyharness.gate.pipeline.job_runs import JobRuns
from pyharness.gate.pipeline.job_tasks import JointJob
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools, require_unchanged
from pyharness.models.table_rows import CORRECT, ConformanceRow
from pyharness.tla.modules.library import Library
from tests.shipped_plans import shipped_plan
from tests.spark_here import SparkHere

TEXT = """format = "pyharness-plan/1"
[[model]]
name = "tiny"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
invariants = ["TypeOK"]
conform = true
silent = ["Internal", "Exchange"]
pins = { distinct = 362, depth = 16 }
"""


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TEXT, encoding="utf-8")
    return read_plan(path, SPECS)


def compared(job):
    """The row of a comparison, without one."""
    return ConformanceRow(job.id, job.model.name, CORRECT, states=362, transitions=501)


@pytest.fixture(autouse=True)
def comparisons_are_made_up(monkeypatch):
    monkeypatch.setattr(job_tasks, "job_rows", lambda job, *_: [compared(job)])


@pytest.fixture
def comparison(plan):
    return [job for job in plan_jobs(plan, find_tools()) if job.kind == "conform"]


def runs(plan, spark, out, **options):
    return JobRuns(spark, plan.library, options.pop("tools", None) or find_tools(), out, **options)


def test_what_an_earlier_run_left_starts_no_spark(plan, comparison, tmp_path):
    spark = SparkHere()
    first, second, fresh = (runs(plan, spark, tmp_path, fresh=n == 2) for n in range(3))
    rows = first.run(comparison)
    assert [row.states for row in rows] == [362]
    assert (spark.started, first.jobs, first.reused) == (1, 1, 0)
    assert second.run(comparison) == rows
    assert (spark.started, second.jobs, second.reused) == (1, 1, 1)
    fresh.run(comparison)
    assert (spark.started, fresh.reused) == (2, 0)


def test_the_job_that_takes_longest_begins_first(tmp_path, monkeypatch):
    """One that begins last keeps a core busy alone. In a plan the modules without graphs come after the models."""
    quick = shipped_plan("quick")
    (module,) = (each for each in quick.modules if each.name == "recovering-barriers")
    short = min((each for each in quick.models if each.pins), key=lambda each: each.pins.distinct)
    checks = (job for job in plan_jobs(replace(quick, models=(short,)), find_tools()) if job.kind == "check")
    jobs = [*checks, *module_jobs([module], quick.library, find_tools())]
    begun = []
    monkeypatch.setattr(job_tasks, "job_rows", lambda job, *_: begun.append(job.name) or [])
    runs(quick, SparkHere(), tmp_path).run(jobs)
    assert [job.name for job in jobs] == begun[::-1] == [short.name, module.name]


def test_when_joined_jobs_fail_each_of_them_has_failed(plan, comparison, tmp_path, monkeypatch):
    (job,) = comparison
    two = JointJob((replace(job, id="one"), replace(job, id="two")))

    def work(job, *_):
        if job == two:
            raise RuntimeError("MemoryError: no more")
        return [compared(job)]

    monkeypatch.setattr(job_tasks, "job_rows", work)
    monkeypatch.setattr(job_runs, "joined", lambda *_: [two, job])
    found = runs(plan, SparkHere(), tmp_path)
    assert len(found.run([*two.jobs, job])) == 1
    assert set(found.failures) == {"one", "two"}


def test_what_did_not_come_to_its_end_runs_again(plan, comparison, tmp_path):
    """Its rows are there, for a look at them; taken over, they would keep the plan from ever being decided."""
    (job,) = comparison
    spark = SparkHere()
    (tmp_path / "jobs").mkdir()
    cut = replace(compared(job), error="killed")
    leave_rows(tmp_path / "jobs" / f"{job.id}.json", [cut])
    again = runs(plan, spark, tmp_path)
    (row,) = again.run(comparison)
    assert (row.error, row.states) == (None, 362)
    assert (spark.started, again.reused) == (1, 0)


def test_a_full_disk_is_said_and_leaves_nothing(plan, comparison, tmp_path, monkeypatch):
    def full(_path, _rows):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(job_runs, "leave_rows", full)
    with pytest.raises(ToolError, match=r"no job finished: .*No space left on device"):
        runs(plan, SparkHere(), tmp_path).run(comparison)
    assert not any((tmp_path / "jobs").iterdir())


def test_what_was_made_while_java_was_replaced_is_not_kept(plan, comparison, tmp_path):
    before = replace(find_tools(), java_version="17.0.0-before")
    with pytest.raises(ToolError, match=r"Java changed during the run: it was 17\.0\.0-before, and is"):
        runs(plan, SparkHere(), tmp_path, tools=before).run(comparison)
    assert not any((tmp_path / "jobs").iterdir())
    for other, match in (
        ({"java": tmp_path / "gone"}, "gone, or does not start"),
        ({"jar_sha256": "0" * 64}, "jar changed"),
        ({"jar": tmp_path / "gone.jar"}, "jar changed"),
    ):
        with pytest.raises(ToolError, match=match):
            require_unchanged(replace(find_tools(), **other))
    require_unchanged(find_tools())


def edited_meanwhile(monkeypatch, edit):
    """Let a task edit a file before it does what it does."""

    def work(job, *_):
        edit()
        return [compared(job)]

    monkeypatch.setattr(job_tasks, "job_rows", work)


@pytest.mark.parametrize("edited", ["WhiteRed.tla", "New.tla", "examples/kuper.toml"])
def test_what_was_made_while_a_spec_was_edited_is_not_kept(tmp_path, monkeypatch, edited):
    """TLC reads the file later than the job's id was made of its text."""
    specs, plan, jobs, _ = own_specs(tmp_path)
    edited_meanwhile(monkeypatch, lambda: (specs / edited).write_text("x", encoding="utf-8"))
    with pytest.raises(ToolError, match=rf"{Path(edited).name} was written during the run"):
        JobRuns(SparkHere(), plan.library, find_tools(specs), tmp_path).run(jobs)
    assert not any((tmp_path / "jobs").iterdir())


def test_code_that_was_edited_has_been_written(monkeypatch, tmp_path):
    """A task's process imports a module later than the job's id was made of it."""
    code = tmp_path / "module.py"
    code.touch()
    monkeypatch.setattr(written_files, "code_files", lambda *_: [code])
    files = WrittenFiles(Library(SPECS), find_tools())
    assert files.written() is None
    code.write_text("x = 1", encoding="utf-8")
    assert files.written() == code


def own_specs(tmp_path):
    """A copy of the specs, a plan on them, its comparisons, and a module that they name."""
    specs, path = tmp_path / "specs", tmp_path / "tiny.toml"
    shutil.copytree(SPECS, specs)
    path.write_text(TEXT, encoding="utf-8")
    plan = read_plan(path, specs)
    jobs = [job for job in plan_jobs(plan, find_tools(specs)) if job.kind == "conform"]
    return specs, plan, jobs, specs / "WhiteRed.tla"


@pytest.mark.parametrize("how", ["written", "renamed"])
def test_what_was_made_while_a_spec_was_another_one_for_a_time_is_not_kept(tmp_path, monkeypatch, how):
    """A branch is checked out, and then the first one again: TLC has read the other one's text."""
    specs, plan, jobs, module = own_specs(tmp_path)
    kept = []

    def there_and_back():
        text = module.read_text(encoding="utf-8")
        if how == "written":
            module.write_text(f"{text}\n", encoding="utf-8")
            module.write_text(text, encoding="utf-8")
        else:
            aside = module.rename(tmp_path / "aside")
            module.write_text(f"{text}\n", encoding="utf-8")
            aside.replace(module)

    edited_meanwhile(monkeypatch, there_and_back)
    monkeypatch.setattr(job_runs, "leave_rows", lambda path, _: kept.append(path))
    with pytest.raises(ToolError, match=r"WhiteRed.tla was written during the run"):
        JobRuns(SparkHere(), plan.library, find_tools(specs), tmp_path).run(jobs)
    assert kept == [], "a run that is killed has left nothing of it either"


def test_a_spec_that_is_edited_before_the_first_task_is_seen_before_it(tmp_path, monkeypatch):
    """On a cluster tasks have what was sent when the run began, which is later than the ids were made."""
    specs, plan, jobs, module = own_specs(tmp_path)
    started = []

    @contextmanager
    def sent(*_):
        module.write_text(module.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        yield SimpleNamespace()

    monkeypatch.setattr(job_runs, "tools_for_tasks", sent)
    monkeypatch.setattr(job_tasks, "job_rows", lambda *_: started.append(1))
    with pytest.raises(ToolError, match=r"WhiteRed.tla was written during the run"):
        JobRuns(SparkHere(), plan.library, find_tools(specs), tmp_path).run(jobs)
    assert started == []


def test_a_job_that_fails_is_named_and_the_others_are_kept(plan, comparison, tmp_path, monkeypatch):
    (job,) = comparison
    other = replace(job, id="another")

    def work(job, *_):
        if job.id == "another":
            raise RuntimeError("MemoryError: no more")
        return [compared(job)]

    monkeypatch.setattr(job_tasks, "job_rows", work)
    found = runs(plan, SparkHere(), tmp_path)
    assert len(found.run([job, other])) == 1
    assert set(found.failures) == {"another"}
    assert "conform job did not finish: MemoryError: no more" in found.failures["another"]
    assert left_rows(tmp_path / "jobs" / f"{job.id}.json").finished


def test_the_seconds_that_are_left_follow_from_the_cost_of_the_jobs(monkeypatch):
    now = iter([0.0, 10.0, 16.0])
    monkeypatch.setattr(job_runs.time, "monotonic", lambda: next(now))
    monkeypatch.setattr(job_runs, "_seconds", lambda job: job.cost)
    jobs = [SimpleNamespace(name=name, cost=cost) for name, cost in (("long", 5), ("short", 3))]
    ends = job_runs._Ends(jobs, "Spark", 3)
    assert ends.words == "2 jobs on Spark, 2 at a time"
    assert ends.after(jobs[0]).endswith(
        "1 of 2 jobs on Spark have ended, the last one long; about 6 s are left"
    )
    assert ends.after(jobs[1]).endswith(
        "2 of 2 jobs on Spark have ended, the last one short; about 0 s are left"
    )
