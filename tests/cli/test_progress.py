"""What is told while a run goes on, where no terminal shows it, and before the shipped plan runs."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from pyharness.base.errors import ToolError
from pyharness.base.toolchain.spec_files import ROOT
from pyharness.cli import progress
from pyharness.cli.main import cli


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


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_hears_each_time_and_a_pipe_now_and_then(monkeypatch, capsys, terminal):
    now = iter([0.0, 1.0, 30.0, 59.0, 60.0])
    monkeypatch.setattr(progress, "_SELDOM", 30.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    say = progress.Saying()
    for text in ("a", "b\x1b[31m", "c", "d"):
        say(text)
    said = capsys.readouterr().err.splitlines()
    assert said == (
        ["a", "b\\u001b[31m", "c", "d"]
        if terminal
        else ["pyharness: 30 s  b\\u001b[31m", "pyharness: 60 s  d"]
    )
