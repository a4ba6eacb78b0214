"""The action for repositories of others: its steps are run here as GitHub runs them, with its variables."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from pyharness.base.toolchain.spec_files import ROOT
from tests.long import some

TEXT = (ROOT / "action.yml").read_text(encoding="utf-8")
SPECS = ROOT / "tests" / "models" / "specs"
SCRIPTS = [
    textwrap.dedent(block)
    for block in re.findall(r"^      run: \|\n((?:        .*\n|\n)+)", TEXT, re.MULTILINE)
]


def inputs():
    return dict(
        re.findall(
            r"^  (\w+):\n    description: .*\n    (?:default: \"(.*)\"|required: true)", TEXT, re.MULTILINE
        )
    )


@pytest.fixture
def job(tmp_path):
    """A runner with the package installed, whose step can be run with what a workflow gives."""
    (tmp_path / "temp").mkdir()
    (tmp_path / "action" / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / "action" / ".venv" / "bin" / "pyharness").symlink_to(
        Path(sys.executable).with_name("pyharness")
    )
    for path in SPECS.iterdir():
        shutil.copyfile(path, tmp_path / path.name)

    def run(**given):
        variables = dict(re.findall(r"^        (\w+): \$\{\{ inputs\.(\w+) \}\}$", TEXT, re.MULTILINE))
        values = inputs() | given
        runner = {
            "RUNNER_TEMP": str(tmp_path / "temp"),
            "GITHUB_ACTION_PATH": str(tmp_path / "action"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        }
        environment = os.environ | runner | {name: values[key] for name, key in variables.items()}
        found = {name: value for name, value in environment.items() if name != "GITHUB_ACTIONS"}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", SCRIPTS[0]]
        done = subprocess.run(command, cwd=tmp_path, env=found, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, (tmp_path / "summary.md").read_text(encoding="utf-8")

    return run


def test_all_it_uses_is_pinned_and_an_input_is_never_part_of_a_script():
    assert len(SCRIPTS) == 1
    assert all("${{" not in script for script in SCRIPTS)
    for uses in re.findall(r"uses: (.*)", TEXT):
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", uses)
    assert set(inputs()) == {"spec", "config", "libraries", "strict", "seconds"}


@pytest.mark.tlc
def test_a_violation_stands_at_the_line_of_its_property(job):
    status, message, summary = job(spec="Translated.tla")
    lines = (SPECS / "Translated.tla").read_text(encoding="utf-8").splitlines()
    number = next(at for at, line in enumerate(lines, start=1) if line.startswith("Counted"))
    assert status == 1
    assert f"::error file=Translated.tla,line={number},title=check Translated.tla%3A Counted::" in message
    assert "::error" not in summary


@pytest.mark.tlc
@pytest.mark.parametrize(("strict", "expected"), some([("true", 3), ("false", 0)], 1))
def test_a_gap_is_a_warning_and_with_strict_no_pass(job, tmp_path, strict, expected):
    (tmp_path / "Counter.cfg").write_text(
        "SPECIFICATION Spec\nCONSTANT Most = 2\nINVARIANT Bounded\nCHECK_DEADLOCK FALSE\n", encoding="utf-8"
    )
    status, message, _ = job(spec="Counter.tla", strict=strict)
    assert status == expected
    assert "::warning file=Counter.tla,line=" in message
    assert "this action is never taken" in message


@pytest.mark.parametrize("strict", ["yes", "True"])
def test_another_word_than_true_or_false_is_not_taken_for_false(job, tmp_path, strict):
    (tmp_path / "summary.md").touch()
    status, message, _ = job(spec="Mutex.tla", strict=strict)
    assert (status, "strict is true or false" in message) == (2, True)
