"""The ids of jobs name the code that runs them: an edit there runs all again, one of a comment or elsewhere nothing."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pyharness
from pyharness.base.toolchain import code_digest as digests
from pyharness.gate.jobs.jobs import CODE

PACKAGE = Path(pyharness.__file__).parent


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    copy = tmp_path_factory.mktemp("tree") / "pyharness"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.fixture
def digest(copy, monkeypatch):
    """Return a function that digests the code of jobs after an edit of a file."""
    monkeypatch.setattr(digests, "_ROOT", copy)

    def after(file, edit=lambda text: text):
        path = copy / file
        before = path.read_text(encoding="utf-8") if path.exists() else None
        path.write_text(edit(before or ""), encoding="utf-8")
        try:
            return digests.code_digest.__wrapped__(*CODE)
        finally:
            path.unlink() if before is None else path.write_text(before, encoding="utf-8")

    return after


MODULE = "machines/replay/replay.py"


@pytest.mark.parametrize(
    "file",
    [
        MODULE,
        "hold/conformance/comparison.py",
        "gate/pipeline/job_tasks.py",
        "models/render.py",
        "models/templates/model.tla.jinja",
        "tla/own.toml",
    ],
)
def test_an_edit_of_what_jobs_run_counts(digest, file):
    assert digest(file, lambda text: f"{text}\nx = 1\n") != digest(MODULE)


@pytest.mark.parametrize(
    ("file", "edit"),
    [
        (MODULE, lambda text: f"# a comment\n\n{text}"),
        (MODULE, lambda text: text.replace('"""', '"""Another word. ', 1)),
        ("show/report/trace/trace_page.py", lambda text: f"{text}\nx = 1\n"),
        ("cli/check_command.py", lambda text: f"{text}\nx = 1\n"),
        ("gate/judge/judgement.py", lambda text: f"{text}\nx = 1\n"),
    ],
)
def test_an_edit_of_a_comment_or_of_what_no_job_runs_does_not_count(digest, file, edit):
    assert digest(file, edit) == digest(MODULE)


SETS = """
def holds(kind):
    return kind in {"check", "conform", "simulate", "replay"} and kind not in ("a", "b")
"""


def test_the_order_of_a_set_does_not_count_and_its_members_do():
    """A set of constants has another order in each process."""
    ask = "import sys; from pyharness.base.toolchain.code_digest import _of_code as of; print(of(sys.argv[1].encode()).hex())"

    def digest(text, seed):
        command = [sys.executable, "-c", ask, text]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(PACKAGE.parent)}
        return subprocess.run(command, env=environment, check=True, capture_output=True).stdout

    assert len({digest(SETS, seed) for seed in ("1", "2", "3")}) == 1
    assert digest(SETS, "1") != digest(SETS.replace("replay", "reorder"), "1")


def imported(path):
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module


def test_the_code_of_jobs_imports_no_other_code_of_ours():
    """Of what stands beside, ``gate/judge`` alone reads the rows, which is not a part of a job."""
    own = tuple(f"pyharness.{place.replace('/', '.')}" for place in CODE)
    for place in ("base", "tla", "machines", "models", "hold"):
        for path in (PACKAGE / place).rglob("*.py"):
            for name in imported(path):
                if name.startswith("pyharness."):
                    assert name.startswith(own) or "TYPE_CHECKING" in path.read_text(), (path, name)
