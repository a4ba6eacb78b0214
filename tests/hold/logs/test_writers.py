"""The writers that the documentation shows: short, and what they write is a log."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pyharness.hold.logs.validation import validate

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "logs.md"


def shown(language):
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return text


@pytest.mark.parametrize("language", ["python", "js"])
def test_a_writer_has_at_most_thirty_lines(language):
    assert len([line for line in shown(language).splitlines() if line.strip()]) <= 30


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_what_the_writers_write_is_one_run(tmp_path):
    """The one in Python writes of A, the one in JavaScript of B; together they are a snapshot that is cut off."""
    for name, language, program in (
        ("log.py", "python", sys.executable),
        ("log.js", "js", shutil.which("node")),
    ):
        (tmp_path / name).write_text(shown(language), encoding="utf-8")
        subprocess.run([program, name], cwd=tmp_path, check=True)
    came = validate(tmp_path)
    assert came.refused is None
    assert (came.events, came.processes, came.incomplete) == (8, 2, ["A.1"])


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_what_a_writer_forgets_is_found(tmp_path):
    (tmp_path / "log.py").write_text(shown("python"), encoding="utf-8")
    forgetful = shown("js").replace('log.write({ e: "record", id: "A.1", s: 13 });\n', "")
    (tmp_path / "log.js").write_text(forgetful, encoding="utf-8")
    subprocess.run([sys.executable, "log.py"], cwd=tmp_path, check=True)
    subprocess.run([shutil.which("node"), "log.js"], cwd=tmp_path, check=True)
    came = validate(tmp_path)
    assert came.refused is not None
    assert came.refused.where == f"{tmp_path}/b.jsonl:4"
    assert came.accepted == ["record of A.1"]
