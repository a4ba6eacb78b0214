"""A test that checks nothing is no pass: an empty list of cases, a class that is no test, what fails in a thread."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.conftest import code_elsewhere

ROOT = Path(__file__).resolve().parents[1]

EMPTY = {
    "test_of_no_case": """
import pytest

@pytest.mark.parametrize("path", [])
def test_it(path):
    assert path
""",
    "test_of_no_class": """
class TestIt:
    def __init__(self):
        pass

    def test_it(self):
        assert False
""",
    "test_that_returns": """
def test_it():
    return 1 == 2
""",
    "test_in_a_thread": """
import threading

def test_it():
    def check():
        assert False
    thread = threading.Thread(target=check)
    thread.start()
    thread.join()
""",
    "test_that_is_one": """
def test_it():
    assert True
""",
}


def pytest_of(directory, **environment):
    """What pytest says of the tests in a directory, as this repository configures it."""
    words = ["-m", "pytest", "-q", "--continue-on-collection-errors", "-c", str(ROOT / "pyproject.toml")]
    given = [*words, "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(directory), str(directory)]
    done = subprocess.run(
        [sys.executable, *given],
        cwd=directory,
        env={**os.environ, "PYTEST_ADDOPTS": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_test_that_checks_nothing_does_not_pass(tmp_path):
    for name, text in EMPTY.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    code, said = pytest_of(tmp_path)
    assert code == 1, said
    wrong = [name for name in EMPTY if f"FAILED {name}.py" in said or f"ERROR {name}.py" in said]
    assert wrong == [name for name in EMPTY if name != "test_that_is_one"], said
    assert "1 passed" in said


def test_without_the_asserts_of_helpers_nothing_is_tested(tmp_path):
    (tmp_path / "test_it.py").write_text(EMPTY["test_that_is_one"], encoding="utf-8")
    code, said = pytest_of(tmp_path, PYTHONOPTIMIZE="1")
    assert code != 0
    assert "assertions not in test modules" in said


def test_the_code_of_another_clone_is_not_tested_in_the_place_of_this_one(tmp_path, monkeypatch):
    other = tmp_path / "pyharness" / "__init__.py"
    other.parent.mkdir()
    other.touch()
    assert code_elsewhere(tmp_path) == str(other)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert code_elsewhere() is None


def test_the_tests_that_run_are_not_fewer_than_there_are():
    """What pytest is configured to do beside this would leave some out: a mark or a name in `addopts`, other paths."""
    own = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"][
        "ini_options"
    ]
    assert set(own) == {
        *("pythonpath", "testpaths", "addopts", "xfail_strict"),
        *("empty_parameter_set_mark", "filterwarnings", "markers"),
    }
    assert own["addopts"] == "-ra --strict-markers --strict-config"
    assert own["testpaths"] == ["tests"]
    assert own["xfail_strict"] is True
    assert all(warning.startswith("error::") for warning in own["filterwarnings"])
    instead = ("pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pytest.toml", ".pytest.toml")
    assert not [name for name in instead if (ROOT / name).exists()]
    for path in (ROOT / "tests").rglob("conftest.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"collect_ignore|pytest_ignore_collect|pytest_deselected|items\[|items\.remove", text
        ), path
