"""Nothing tells people to install this package by its name: on PyPI one is another project's, and one is nobody's."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from pyharness.base.toolchain.extras import EXTRAS

ROOT = Path(__file__).parents[2]
BY_NAME = re.compile(
    r"(?:install|add|uv|pipx)\b[^\n`;.]*?[\s'\"](?:tla-)?pyharness(?:\[\w+\])?(?![\w./*-]|\s+(?:from|with|in|by))"
)
PLACES = ("pyharness", "docs", "README.md", "CONTRIBUTING.md", "SECURITY.md", "Makefile", ".github", ".ci")


def texts():
    for place in PLACES:
        path = ROOT / place
        for each in [path] if path.is_file() else sorted(path.rglob("*")):
            if each.suffix in {".py", ".md", ".yml", ".toml", ".jinja", ".in", ""} and each.is_file():
                yield each.relative_to(ROOT), each.read_text(encoding="utf-8", errors="replace")


def test_no_text_says_to_install_it_by_its_name():
    wrong = [f"{name}: {found[0]}" for name, text in texts() for found in BY_NAME.finditer(text)]
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    ["pip install pyharness", "pip install 'pyharness[explore]'", "python -m pip install -U pyharness\n",
     "pipx run pyharness", "pip install 'tla-pyharness[spark]'",
     'or pip install "pyharness[prove]"'],
)  # fmt: skip
def test_such_a_text_is_seen(text):
    assert BY_NAME.search(text)


def extras():
    given = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    return {name: {re.match(r"[\w-]+", line)[0] for line in lines} for name, lines in given.items()}


def test_the_packages_that_are_named_are_those_of_the_extras():
    assert extras() == {name: set(packages) for name, packages in EXTRAS.items()}
