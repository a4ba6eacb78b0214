"""The form of the specs, and what the pre-commit hooks call."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli
from pyharness.models.spec_form import form_problems, mended

GOOD = """---- MODULE Good ----
(*****************)
(* A box.        *)
(*****************)
EXTENDS Naturals

(* A comment that is no box. *)
A == 1
====
"""


def problems(text):
    return list(form_problems("Good", text))


def test_the_specs_keep_to_their_form():
    result = CliRunner().invoke(cli, ["plan", "specs"])
    assert result.exit_code == 0, result.output
    for path in SPECS.rglob("*.tla"):
        text = path.read_text(encoding="utf-8")
        assert mended(text) == text


@pytest.mark.parametrize(
    ("old", "new", "line", "problem", "mends"),
    [
        ("MODULE Good", "MODULE Bad", 1, "the first line", False),
        ("---- MODULE", "-- MODULE", 1, "the first line", False),
        ("A == 1", "A == 1 ", 8, "blanks", True),
        ("A == 1", "A ==\t1", 8, "a tab", False),
        ("A == 1", "A == 1 \\* \N{EM DASH}", 8, "not ASCII", False),
        ("A == 1", f"A == {'1' * 120}", 8, "125 characters", False),
        ("(* A box.        *)", "(* A box.    *)", 3, "15 characters in a box of 19", True),
        ("*)\nEXT", "***)\nEXT", 4, "21 characters in a box of 19", True),
        ("====\n", "====", 9, "the last line", True),
        ("====\n", "====\n\n", 11, "the last line", True),
        ("====\n", "", 9, "the last line", False),
        ("====\n", "====\nresults\n", 10, "no blank line", False),
        ("====\n", "====\n\nresults", 11, "the last line", True),
        ("====\n", "====\n\nresults\n\n", 13, "the last line", True),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_mended_if_it_can_be(old, new, line, problem, mends):
    assert problems(GOOD) == []
    text = GOOD.replace(old, new, 1)
    assert any(number == line and problem in said for number, said in problems(text)), problems(text)
    assert (not problems(mended(text))) == mends


def test_results_may_stand_after_the_last_bar():
    assert problems(GOOD + "\n| model | states |\n") == []


def test_the_command_mends_and_says_what_is_left(tmp_path):
    path = tmp_path / "Good.tla"
    path.write_text(GOOD.replace("A == 1", "A == 1 "), encoding="utf-8")
    assert CliRunner().invoke(cli, ["plan", "specs", str(path)]).exit_code == 2
    assert CliRunner().invoke(cli, ["plan", "specs", "--fix", str(path)]).exit_code == 0
    assert path.read_text(encoding="utf-8") == GOOD
    path.write_text(GOOD.replace("A == 1", "A ==\t1"), encoding="utf-8")
    result = CliRunner().invoke(cli, ["plan", "specs", "--fix", str(path)])
    assert result.exit_code == 2
    assert f"{path}:8: a tab" in result.stderr
    assert CliRunner().invoke(cli, ["plan", "specs", str(tmp_path / "None.tla")]).exit_code == 2


@pytest.mark.parametrize("plan", ["quick", "full"])
def test_the_plans_are_pinned(plan):
    result = CliRunner().invoke(cli, ["plan", "pins", plan, "--check"])
    assert result.exit_code == 0, result.output


def test_a_model_without_pins_is_named(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'format = "pyharness-plan/1"\n[[model]]\nname = "bare"\nspec = "ChandyLamport"\n'
        'topologies = [{ processes = 2 }]\ninvariants = ["NoRedInWhite"]\n',
        encoding="utf-8",
    )
    result = CliRunner().invoke(cli, ["plan", "pins", str(plan), "--check"])
    assert result.exit_code == 3
    assert f"{plan}:3: bare has no pins" in result.stderr


def test_a_table_of_claims_that_is_old_is_refused(tmp_path):
    for path in SPECS.iterdir():
        (tmp_path / path.name).symlink_to(path)
    readme = tmp_path / "README.md"
    readme.unlink()
    readme.write_text((SPECS / "README.md").read_text(encoding="utf-8"), encoding="utf-8")
    own = ["--specs", str(tmp_path)]
    assert CliRunner().invoke(cli, ["plan", "claims", "--check"]).exit_code == 0
    old = re.sub(r"\| E4 \|.*", "| E4 | old |", readme.read_text(encoding="utf-8"))
    readme.write_text(old, encoding="utf-8")
    result = CliRunner().invoke(cli, ["plan", "claims", "--check", *own])
    assert result.exit_code == 3
    assert "run `pyharness plan claims --update`" in result.stderr
    assert readme.read_text(encoding="utf-8") == old
