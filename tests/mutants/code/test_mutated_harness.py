"""Mutants of code with its tests as judges: what is tested is killed, and what is not survives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CODE = """
def asked(a):
    return a < 1


def never_run(a):
    return a < 1


class Kept:
    @property
    def run_for_nothing(self):
        return [] == []
"""
TESTS = """
from code_of_a_user import Kept, asked


def test_both_sides():
    assert Kept().run_for_nothing in (True, False)
    assert asked(0) and not asked(1)
"""


def tried(directory, tests):
    (directory / "code_of_a_user.py").write_text(CODE, encoding="utf-8")
    (directory / "test_it.py").write_text(tests, encoding="utf-8")
    command = [sys.executable, "-m", "tests.mutated_harness", "code_of_a_user.py", "test_it.py"]
    places = os.pathsep.join([str(directory), str(Path(__file__).parents[3])])
    environment = {**os.environ, "PYTHONPATH": places}
    ended = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stdout


def test_what_no_test_asks_for_survives(tmp_path):
    status, said = tried(tmp_path, TESTS)
    found = dict(
        line.split(" of code_of_a_user.py ")[::-1] for line in said.splitlines() if " code_of_a" in line
    )
    assert status == 0
    assert {change: verdict.split(":")[0] for change, verdict in found.items()} == {
        "asked: a < 1 -> a <= 1": "killed",
        "asked: a < 1 -> a >= 1": "killed",
        "asked: 1 -> 2": "killed",
        "asked: 1 -> 0": "killed",
        "never_run: a < 1 -> a <= 1": "survives, not run",
        "never_run: a < 1 -> a >= 1": "survives, not run",
        "never_run: 1 -> 2": "survives, not run",
        "never_run: 1 -> 0": "survives, not run",
        "Kept.run_for_nothing: [] == [] -> [] != []": "survives",
    }
    assert "4 of 9 mutants, of 9 that there are: killed" in said


def test_nothing_is_tried_on_tests_that_fail_as_it_is(tmp_path):
    status, said = tried(tmp_path, TESTS.replace("not asked(1)", "asked(1)"))
    assert status == 1
    assert "killed" not in said
