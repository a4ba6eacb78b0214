"""SECURITY.md names tests that are there, each file of attacks, and is linked to."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`([\w/]+/test_\w+\.py)(?:::(\w+))?`", PAGE)


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_each_test_that_is_named_is_there(file, test):
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert not test or test in names


def test_each_line_of_the_table_names_one():
    lines = [line for line in PAGE.splitlines() if re.match(r"\| [RTLW] \|", line)]
    assert len(lines) > 15
    assert all("test_" in line for line in lines)


def test_each_file_of_attacks_is_named():
    files = {f"security/{path.name}" for path in Path(__file__).parent.glob("test_*.py")}
    assert files - {file for file, _ in NAMED} == {"security/test_security_page.py"}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_page_is_found(page):
    assert "(SECURITY.md)" in (ROOT / page).read_text(encoding="utf-8")
