"""One process, or several: they find the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.errors import HarnessError
from pyharness.hold.conformance import plain_comparison
from pyharness.hold.conformance.comparison import (
    compare,
    conformance_rows,
)
from pyharness.models.job import Job
from pyharness.models.machine_tools import find_tools
from tests.hold.conformance.places import LIBRARY
from tests.hold.conformance.tiny_model import MODEL, SUBJECT

pytestmark = pytest.mark.usefixtures("shared_tlc")


def timeless(found):
    return replace(found, seconds=0.0, tlc_seconds=0.0)


@pytest.mark.tlc
@pytest.mark.parametrize("mutant", [None, "LateTurn"])
@pytest.mark.parametrize("part", [3000, 700])
def test_several_processes_find_the_same_as_one(dumped, tmp_path, monkeypatch, mutant, part):
    """The dump is cut at any byte, even within a line; nothing is read twice or left out."""
    dump = tmp_path / "graph.dot"
    dump.write_text(dumped[0], encoding="utf-8")
    subject = replace(SUBJECT, mutant=mutant)
    one = timeless(compare(MODEL, subject, dump, dumped[1]))
    monkeypatch.setattr(plain_comparison, "_PART", part)
    monkeypatch.setattr(plain_comparison, "ProcessPoolExecutor", Inline)
    assert timeless(compare(MODEL, subject, dump, dumped[1], processes=30)) == one


@pytest.mark.tlc
@pytest.mark.parametrize("at", [0.1, 0.9])
@pytest.mark.parametrize("line", ["nonsense", "}", "strict digraph Other {", '7 [label="x"];', "7 -> 8"])
def test_what_is_wrong_in_any_part_is_told_as_it_is_of_the_whole(dumped, tmp_path, monkeypatch, line, at):
    lines = dumped[0].splitlines()
    lines.insert(round(at * len(lines)), line)
    dump = tmp_path / "graph.dot"
    dump.write_text("\n".join([*lines, ""]), encoding="utf-8")
    with pytest.raises(HarnessError) as whole:
        compare(MODEL, SUBJECT, dump, dumped[1])
    monkeypatch.setattr(plain_comparison, "_PART", 1000)
    monkeypatch.setattr(plain_comparison, "ProcessPoolExecutor", Inline)
    with pytest.raises(type(whole.value)) as parts:
        compare(MODEL, SUBJECT, dump, dumped[1], processes=30)
    assert str(parts.value) == str(whole.value)


class Inline:
    """A pool that does the work itself."""

    def __init__(self, count, mp_context):
        assert count > 2

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    map = staticmethod(map)


@pytest.mark.tlc
def test_a_model_that_cannot_be_compared_has_its_error_in_its_row():
    bad = replace(MODEL, name="bad", spec="WhiteRedHistory")
    (row,) = conformance_rows(Job("1", "conform", bad), LIBRARY, find_tools())
    assert "WhiteRedHistory cannot be compared" in row.error
    (row,) = conformance_rows(Job("2", "conform", MODEL), LIBRARY, find_tools())
    assert row.error is None
    assert row.mismatches == 0 < row.transitions
