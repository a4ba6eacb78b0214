"""Expressions are written so that SANY reads them as the same."""

from __future__ import annotations

import pytest

from pyharness.modules.expression_text import expression_text, on_one_line
from pyharness.modules.library import Library
from pyharness.toolchain.spec_files import SPECS
from tests.long import some

pytestmark = pytest.mark.tlc

MODULES = Library(SPECS, SPECS / "mutants", SPECS / "inductive")


def rewritten(module, write):
    """A module with each definition's right-hand side written anew, from what was read of it."""
    lines = module.text.split("\n")
    found, at = [], 0
    for definition in sorted(module.definitions.values(), key=lambda d: d.line):
        found += [*lines[at : definition.line - 1], f"{definition.head} ==", write(definition.body)]
        at = definition.last
    return "\n".join([*found, *lines[at:]])


@pytest.mark.parametrize(
    "write", some([lambda body: "  " + on_one_line(body), lambda body: "  " + expression_text(body, 2)], 1)
)
def test_every_definition_of_the_specs_reads_the_same_when_it_is_written_anew(tmp_path, write):
    for name in MODULES.names():
        (tmp_path / f"{name}.tla").write_text(rewritten(MODULES.module(name), write), encoding="utf-8")
    again = Library(tmp_path)
    counted = 0
    for name in MODULES.names():
        for definition in MODULES.module(name).definitions.values():
            assert again.module(name).definitions[definition.name].text == definition.text
            counted += 1
    assert counted > 700
