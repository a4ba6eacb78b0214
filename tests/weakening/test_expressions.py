"""Expressions are read as SANY reads them, and written so that they read as the same."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from pyharness.modules.library import Library
from pyharness.toolchain.spec_files import SPECS
from pyharness.weakening.definitions import definitions_of, expression_of
from pyharness.weakening.expression_reader import read_expression
from pyharness.weakening.expression_text import expression_text, on_one_line
from tests.sany import sany

MODULES = Library(SPECS, SPECS / "mutants", SPECS / "inductive")
ROOTS = ("Checkpoints", "Collection", "WhiteRedHistory")
"""Modules with every form of expression that the specs have."""


@pytest.mark.parametrize("name", MODULES.names())
def test_every_definition_of_the_specs_is_read_and_written(name):
    for definition in definitions_of(MODULES.module(name)).values():
        read = expression_of(definition)
        for text in (expression_text(read), " " * 9 + expression_text(read, 9), on_one_line(read)):
            assert on_one_line(read_expression(text)) == on_one_line(read), definition.name
        assert read_expression(expression_text(read)) == read, definition.name


def rewritten(module):
    """A module with each definition's right-hand side written anew, from what was read of it."""
    lines = module.text.split("\n====", 1)[0].split("\n")
    definitions = definitions_of(module)
    found, at = [], 0
    for name, definition in sorted(definitions.items(), key=lambda pair: module.definitions[pair[0]]):
        first = module.definitions[name] - 1
        last = max(n for n in range(first, first + 1 + definition.text.count("\n")))
        head = "\n".join(lines[first : last + 1])
        head = head[: head.index("==") + 2]
        found += [*lines[at:first], head + "\n    " + expression_text(expression_of(definition), 4)]
        at = last + 1
    return "\n".join([*found, *lines[at:], "=" * 78, ""])


def without_places(element):
    """The XML of an element without the places of its parts."""
    for part in element.iter():
        for place in part.findall("location"):
            part.remove(place)
    return ET.tostring(element, encoding="unicode")


@pytest.mark.slow
@pytest.mark.tlc
@pytest.mark.parametrize("root", ROOTS)
def test_what_is_written_is_to_sany_what_was_read(tmp_path, session_directory, root):
    for module in MODULES.closure(root, instances=True):
        (tmp_path / f"{module.name}.tla").write_text(rewritten(module), encoding="utf-8")
    original = sany(SPECS / f"{root}.tla", session_directory / "sany")
    own = sany(tmp_path / f"{root}.tla", session_directory / "sany")
    assert without_places(own) == without_places(original)
