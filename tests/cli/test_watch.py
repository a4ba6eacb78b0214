"""``check --watch``: a change runs it again, also one that comes while it runs, and an interrupt ends it."""

from __future__ import annotations

from click.testing import CliRunner

import pyharness.cli.check_command
from pyharness.cli import cli
from pyharness.cli.check_command import PACKAGE, rerun_on_change, snapshot


def test_every_change_of_a_watched_file_is_seen(tmp_path):
    spec = tmp_path / "specs" / "A.tla"
    spec.parent.mkdir()
    spec.write_text("one", encoding="utf-8")
    (tmp_path / "specs" / "notes.txt").write_text("not watched", encoding="utf-8")
    before = snapshot([tmp_path])
    assert set(before) == {spec}
    assert snapshot([spec, tmp_path / "gone"]) == before
    spec.write_text("longer", encoding="utf-8")
    assert snapshot([tmp_path]) != before


def test_it_runs_again_after_a_change_also_one_during_the_run(tmp_path):
    plan, seen = tmp_path / "plan.toml", []
    plan.write_text("", encoding="utf-8")

    def run(arguments):
        seen.append((list(arguments), plan.read_text(encoding="utf-8")))
        if len(seen) == 3:
            raise KeyboardInterrupt
        plan.write_text("x" * len(seen), encoding="utf-8")
        return len(seen)

    assert rerun_on_change(["check", "plan.toml"], [plan], run, poll=0.01) == 2
    assert seen == [(["check", "plan.toml"], "x" * n) for n in range(3)]


def test_the_command_watches_specs_plan_and_code(tmp_path, monkeypatch):
    given = {}
    monkeypatch.setattr(
        pyharness.cli.check_command,
        "rerun_on_change",
        lambda _words, roots: given.update(roots=set(roots)) or 3,
    )
    plan = tmp_path / "tiny.toml"
    plan.write_text("", encoding="utf-8")
    assert CliRunner().invoke(cli, ["check", str(plan), "--watch"]).exit_code == 3
    assert given["roots"] >= {plan, PACKAGE}
    assert {path.name for path in given["roots"]} >= {"specs", "mutants"}
