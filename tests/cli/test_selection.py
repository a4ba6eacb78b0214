"""Some of a plan's models: a list of them, and patterns."""

from __future__ import annotations

from tests.command import run


def test_a_list_runs_nothing():
    result = run("check", "quick", "--list", "--only", "stop-the-world*", "--only", "white-red")
    assert result.exit_code == 0, result.output
    names = [line.split()[0] for line in result.stdout.splitlines()]
    assert {"stop-the-world", "white-red"} <= set(names)
    assert all(name.startswith("stop-the-world") or name == "white-red" for name in names)


def test_a_pattern_that_matches_nothing_names_the_nearest():
    result = run("check", "quick", "--list", "--only", "white-rid")
    assert result.exit_code == 2
    assert "white-red" in result.stderr
