"""What is told while a run goes on, where no terminal shows it, and before the shipped plan runs."""

from __future__ import annotations

import time

import pytest
from click.testing import CliRunner

from pyharness.cli import cli, progress
from pyharness.errors import ToolError
from pyharness.toolchain.spec_files import ROOT


def test_elsewhere_than_on_a_terminal_there_is_a_line_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_SELDOM", 0.05)
    with progress.progress("starting") as notes:
        time.sleep(0.12)
        (notes / "ring.check").write_text("2,860 \x1b[31mstates", encoding="utf-8")
        time.sleep(0.12)
    out, said = capsys.readouterr()
    assert out == ""
    assert "pyharness: 0 s  starting\n" in said
    assert "ring.check: 2,860" in said
    assert "\x1b" not in said


def test_a_short_run_says_nothing(capsys):
    with progress.progress():
        pass
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("place", "told"), [(None, True), (ROOT, False)], ids=["an empty directory", "the clone"]
)
def test_the_shipped_plan_is_named_where_there_is_none(place, told, tmp_path, monkeypatch):
    def stop(_):
        raise ToolError("it would start now")

    monkeypatch.chdir(place or tmp_path)
    monkeypatch.setattr("pyharness.cli.plan_run.locked", stop)
    words = ["check", "--only", "chandy-lamport", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(cli, words)
    assert "it would start now" in result.stderr
    said = "no plan quick is in ./specs: this is the shipped one, 1 models"
    assert (said in result.stderr) == told
