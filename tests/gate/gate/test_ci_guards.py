"""A file or a variable that stands in for a configuration is named, and so are tests that did not run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CI = Path(__file__).parents[3] / ".ci"


def run(place, script, **environment):
    (place / ".ci").mkdir(exist_ok=True)
    for name in (script, "least-tests"):
        shutil.copy(CI / name, place / ".ci" / name)
    command = [sys.executable] if script == "enough-tests" else ["bash"]
    clean = {"PATH": os.environ["PATH"], **environment}
    done = subprocess.run(
        [*command, f".ci/{script}"], cwd=place, env=clean, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_a_clone_as_it_is_has_none(tmp_path):
    (tmp_path / "Makefile").touch()
    assert run(tmp_path, "no-stand-ins") == (0, "")


@pytest.mark.parametrize(
    "name",
    [
        "GNUmakefile",
        "makefile",
        "pytest.ini",
        "mypy.ini",
        "conftest.py",
        "ruff.toml",
        "tests/.ruff.toml",
        "tests/pytest.ini",
        "pyharness/pyproject.toml",
        "tests/setup.cfg",
    ],
)
def test_a_file_that_stands_in_is_named(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    status, output = run(tmp_path, "no-stand-ins")
    assert status == 1
    assert name in output


@pytest.mark.parametrize("name", ["MAKEFLAGS", "PYTHONPATH", "PYTEST_ADDOPTS"])
def test_a_variable_that_stands_in_is_named(tmp_path, name):
    assert run(tmp_path, "no-stand-ins", **{name: "-n"}) == (
        1,
        f"stands in for a configuration: the variable {name}\n",
    )


@pytest.mark.parametrize(
    ("counts", "status"),
    [
        ('tests="100000" errors="0" failures="0" skipped="0"', 0),
        ('tests="0" errors="0" failures="0" skipped="0"', 1),
        ('tests="100000" errors="0" failures="0" skipped="100000"', 1),
    ],
)
def test_tests_that_did_not_run_are_missed(tmp_path, counts, status):
    (tmp_path / "build").mkdir()
    text = f'<testsuites><testsuite name="pytest" {counts}/></testsuites>'
    (tmp_path / "build" / "tests.xml").write_text(text, encoding="utf-8")
    assert run(tmp_path, "enough-tests")[0] == status


def test_results_that_are_not_there_are_no_pass(tmp_path):
    assert run(tmp_path, "enough-tests")[0] == 1
