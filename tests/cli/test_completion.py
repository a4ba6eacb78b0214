"""A shell completes commands, options, and the names of what is ours; nothing is parsed or run for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.cli import COMMANDS, VARIABLE, cli


def variables(*words):
    """What a shell sets to ask what may be the last word."""
    return {
        "COMP_WORDS": " ".join(["pyharness", *words]),
        "COMP_CWORD": str(len(words)),
        VARIABLE: "bash_complete",
    }


def values(lines):
    return [line.partition(",")[2] for line in lines.splitlines() if line]


def completed(*words):
    """What is offered for the last word."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        found = CliRunner().invoke(cli, env=variables(*words), complete_var=VARIABLE, prog_name="pyharness")
    assert (found.exit_code, found.stderr) == (0, "")
    return values(found.stdout)


def completed_by_the_program(*words, cwd=ROOT):
    """What the program itself offers in a directory."""
    asked = [sys.executable, "-m", "pyharness"]
    environment = os.environ | variables(*words)
    found = subprocess.run(asked, env=environment, capture_output=True, text=True, check=True, cwd=cwd)
    assert found.stderr == ""
    return values(found.stdout)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ch"], ["check"]),
        (["no-such"], []),
        (["check", "--prop"], ["--property"]),
        (["check", "Stop"], ["StopTheWorld"]),
        (["check", "qu"], ["quick"]),
        (["check", "ChandyLamport:LateT"], ["ChandyLamport:LateTurn"]),
        (["explore", "ChandyLamport", "--mutant", "LateT"], ["LateTurn"]),
        (["states", "ChandyLamport", "--topology", "two"], ["two-way-ring:"]),
        (["conform", "ChandyLamport", "--topology", "ring:"], ["ring:2", "ring:3", "ring:4", "ring:5"]),
        (["conform", "ChandyLamport", "--topology", "kup"], ["kuper"]),
        (["example", "kuper-"], ["kuper-negative"]),
        (["systems", "flink"], ["flink-log"]),
        (["weaken", "fu"], ["full"]),
        (["weaken", "Chandy"], []),
        (["model", "quick", "kup"], []),
        (["model", "quick", "stop-the-world-f"], ["stop-the-world-four-channels"]),
        (["check", "--only", "mutants-chandy-lamport-late-t"], ["mutants-chandy-lamport-late-turn"]),
        (["gate", "inductive", "--only", "chandy-lamport-chain"], []),
    ],
    ids=" ".join,
)
def test_what_begins_so_is_offered(words, offered):
    assert completed(*words) == offered


def test_all_commands_are_offered_and_only_specs_of_those_modules():
    assert set(completed("")) == set(completed_by_the_program("")) == set(COMMANDS)
    offered = completed("explore", "")
    assert {"ChandyLamport", "WhiteRed", "Snapshots"} <= set(offered)
    assert not {"Digraph", "Sums", "Items"} & set(offered)


def test_a_bug_of_another_spec_is_not_offered():
    assert "StopTheWorld:LateTurn" not in completed("check", "StopTheWorld:")
    assert completed("check", "NoSpec:") == []


def test_specs_of_the_working_directory_are_offered(tmp_path):
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "Mine.tla").write_text("---- MODULE Mine ----\nVARIABLE x\nSpec == x = 1\n====\n")
    assert completed_by_the_program("explore", "Min", cwd=tmp_path) == ["Mine"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_one_that_the_shell_reads(shell, tmp_path):
    result = CliRunner().invoke(cli, ["completion", shell])
    assert result.exit_code == 0, result.output
    assert VARIABLE in result.output
    assert "pyharness" in result.output
    found = shutil.which(shell)
    if found is not None:
        script = tmp_path / "script"
        script.write_text(result.output)
        subprocess.run([found, "-n", str(script)], check=True)
    assert CliRunner().invoke(cli, ["completion", "tcsh"]).exit_code == 2
