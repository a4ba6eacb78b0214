"""A run that would be the same again is not made again; any file that it depends on makes it another run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.cli import kept_verdict
from pyharness.cli.kept_verdict import KeptVerdict
from pyharness.gate.plans.plan_modules import ModuleModel
from pyharness.models.verdicts import Verdict
from tests.gate.gate.gate_reports import PLAN, run


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A directory of specs with a plan, beside a package; the shipped specs stay what they are."""
    for path in ("specs/plans", "package"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "specs" / "Own.tla").write_text("---- MODULE Own ----\n====\n", encoding="utf-8")
    (tmp_path / "package" / "code.py").write_text("one = 1\n", encoding="utf-8")
    (tmp_path / "specs" / "plans" / "plan.toml").write_text(PLAN, encoding="utf-8")
    monkeypatch.setattr(kept_verdict, "_PACKAGE", tmp_path / "package")
    return tmp_path


@pytest.fixture
def ran(place):
    return run(place / "specs" / "plans")


def verdict(place, *, cover=False):
    return KeptVerdict(str(place / "specs/plans/plan.toml"), place / "specs", place / "out", cover=cover)


def test_a_pass_is_found_again_with_the_time_of_its_run(place, ran):
    assert ran.exit_code == 0
    assert verdict(place).find() is None
    verdict(place).keep(ran, "PASS: all\nof it")
    found = verdict(place).find()
    assert found.startswith("PASS: all\nof it\nNothing has changed since this run of 20")
    assert verdict(place, cover=True).find() is None


@pytest.mark.parametrize(
    "file", ["specs/Own.tla", "specs/plans/plan.toml", "package/code.py", "specs/New.tla"]
)
def test_with_another_file_it_is_another_run(place, ran, file):
    verdict(place).keep(ran, "PASS")
    with (place / file).open("a", encoding="utf-8") as opened:
        opened.write("\n")
    assert verdict(place).find() is None


def test_other_packages_or_tools_make_it_another_run(place, ran, monkeypatch):
    verdict(place).keep(ran, "PASS")
    with monkeypatch.context() as patch:
        patch.setattr(kept_verdict, "distributions", list)
        assert verdict(place).find() is None
    tools = kept_verdict.find_tools
    monkeypatch.setattr(kept_verdict, "find_tools", lambda specs: replace(tools(specs), jar_sha256="another"))
    assert verdict(place).find() is None


def test_what_is_no_pass_is_not_kept(place):
    ran = run(place / "specs" / "plans")
    ran = replace(ran, report=replace(ran.report, verdict=Verdict.INCOMPLETE))
    verdict(place).keep(ran, "INCOMPLETE")
    assert verdict(place).find() is None


def test_a_run_that_reads_other_files_is_not_kept(place, ran):
    elsewhere = ModuleModel("mutex", Path("/elsewhere/Mutex.tla"))
    plan = ran.report.plan
    for other in (replace(plan, modules=(elsewhere,)), replace(plan, logs=("log",))):
        verdict(place).keep(replace(ran, report=replace(ran.report, plan=other)), "PASS")
        assert verdict(place).find() is None
    (place / "specs" / "linked").symlink_to(place / "package")
    verdict(place).keep(ran, "PASS")
    assert verdict(place).find() is None


def test_an_edit_during_the_run_is_not_covered_by_its_verdict(place, ran):
    asked = verdict(place)
    (place / "specs" / "Own.tla").write_text("---- MODULE Own ----\nA == 1\n====\n", encoding="utf-8")
    asked.keep(ran, "PASS")
    assert asked.find() is None
    assert verdict(place).find() is None


def test_a_verdict_without_this_user_s_seal_is_not_believed(place, ran):
    verdict(place).keep(ran, "PASS")
    (path,) = (place / "out" / "verdicts").iterdir()
    path.write_text(path.read_text(encoding="utf-8").replace("PASS", "PASS: more"), encoding="utf-8")
    assert verdict(place).find() is None
