"""The form of the specs, and what the pre-commit hooks call."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli

FOOT = re.compile(r"={4,}")
BAR = re.compile(r"\(\*{3,}\)")


def badly_formed(path):
    """The places of a module that are not in the form of all: ASCII, lines of 120, boxes as wide as their first line."""
    text = path.read_text(encoding="utf-8")
    lines, width = text.splitlines(), 0
    if not re.fullmatch(rf"-{{4,}} MODULE {path.stem} -{{4,}}", lines[0]) or not any(
        map(FOOT.fullmatch, lines)
    ):
        yield f"{path}: head or foot"
    for number, line in enumerate(lines, 1):
        width = (width or (len(line) if BAR.fullmatch(line) else 0)) if line.startswith("(*") else 0
        if (
            not line.isascii()
            or "\t" in line
            or line != line.rstrip()
            or len(line) > 120
            or width not in {0, len(line)}
        ):
            yield f"{path}:{number}"


def test_the_specs_keep_to_their_form(tmp_path):
    assert [each for path in SPECS.rglob("*.tla") for each in badly_formed(path)] == []
    odd = "---- MODULE Odd ----\n(****)\n(* a box *)\nA == 1 \nB ==\t2\n====\n"
    (tmp_path / "Odd.tla").write_text(odd, encoding="utf-8")
    assert [each.rpartition(":")[2] for each in badly_formed(tmp_path / "Odd.tla")] == ["3", "4", "5"]


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
