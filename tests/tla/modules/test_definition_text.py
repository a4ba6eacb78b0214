"""The text of a definition, found by its layout, is the one that SANY reads."""

from __future__ import annotations

import pytest

from pyharness.base.toolchain.spec_files import SPECS, module_directories
from pyharness.machines.systems import PROTOCOLS
from pyharness.tla.modules.definition_text import definition_text
from pyharness.tla.modules.library import Library

LIBRARY = Library(*module_directories(SPECS))


def test_it_has_the_comment_above_it_and_ends_with_its_last_line():
    found = definition_text("HoldsNobodyUp", "ChandyLamport", module_directories(SPECS)).splitlines()
    assert found[0].startswith("(*")
    assert any(line.startswith("HoldsNobodyUp ==") for line in found)
    assert found[-1].strip()


@pytest.mark.parametrize("spec", PROTOCOLS)
def test_each_definition_of_a_protocol_is_found_with_all_of_its_lines(spec):
    module = LIBRARY.module(spec)
    lines = module.text.splitlines()
    for name, definition in module.definitions.items():
        text = definition_text(name, spec, module_directories(SPECS))
        assert text.endswith("\n".join(lines[definition.line - 1 : definition.last])), name


def test_a_name_that_no_module_defines_has_no_text():
    assert definition_text("NoSuchName", "ChandyLamport", module_directories(SPECS)) == ""
    assert definition_text("OneMarker", "NoSuchModule", module_directories(SPECS)) == ""


def test_a_module_that_extends_itself_is_read_once(tmp_path):
    (tmp_path / "A.tla").write_text("---- MODULE A ----\nEXTENDS A, B\n====\n", encoding="utf-8")
    assert definition_text("X", "A", (tmp_path,)) == ""
