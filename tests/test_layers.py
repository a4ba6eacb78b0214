"""The structure of the package: imports go one way, modules stay small, what is exported exists."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import pyharness

ROOT = Path(pyharness.__file__).parent
LAYERS = [
    "errors",
    "topology",
    "toolchain",
    "protocols",
    "tla",
    "tlc",
    "replay",
    "proof",
    "pipeline",
    "report",
    "library",
    "cli",
]
MODULES = sorted(path.relative_to(ROOT.parent) for path in ROOT.rglob("*.py"))


def layer(dotted):
    parts = dotted.split(".")
    return LAYERS.index(parts[1]) if len(parts) > 1 and parts[1] in LAYERS else -1


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_imports_point_up_only(path):
    own = layer(".".join(path.with_suffix("").parts))
    if own < 0:
        return
    for node in ast.walk(ast.parse((ROOT.parent / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("pyharness"):
            assert layer(node.module) <= own, f"{path}:{node.lineno} imports {node.module}"


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_a_module_can_be_read_in_one_sitting(path):
    assert len((ROOT.parent / path).read_text(encoding="utf-8").splitlines()) <= 400


@pytest.mark.parametrize("name", LAYERS)
def test_what_is_exported_exists_and_says_what_it_is(name):
    module = import_module(f"pyharness.{name}")
    assert module.__doc__
    for public in getattr(module, "__all__", ()):
        assert getattr(module, public) is not None
