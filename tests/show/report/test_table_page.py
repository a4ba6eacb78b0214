"""The page of a behaviour of any module: a table of variables and steps, and how it ends."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pyharness.show.report.trace.table_page import to_table_page
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn, ModelValue, function
from tests.show.report.hostile import NAMES, hostile_trace

R1, R2 = ModelValue("r1"), ModelValue("r2")
PLACE = "line 12, col 3 to line 14, col 9 of module Commit"
META = {"title": "Commit.tla: Agreed", "module": "Commit", "configuration": "MC.cfg", "violated": "Agreed"}


def state(one, other, msgs, n=0):
    return Fn(
        [("rm", function({R1: one, R2: other})), ("sent", function({R1: msgs, R2: 0})), ("n", n)],
    )


TRACE = Trace(
    (
        TraceStep(None, state("works", "works", 0)),
        TraceStep("Prepare", state("ready", "works", 1), PLACE, "r1"),
        TraceStep("Count", state("ready", "works", 1, n=7)),
    )
)


def row(page, name):
    """Return the cells of a variable in the table: the text, with a star before what changed."""
    found = re.search(rf'<th scope="row"><bdi>{re.escape(name)}</bdi></th>(.*)</tr>', page)
    cells = re.findall(r'<td class="(\w+)">(.*?)</td>', found[1])
    return ["*"[: kind == "changed"] + re.sub(r"<[^>]*>|changed: ", "", text) for kind, text in cells]


def test_what_a_step_changes_is_marked_and_its_action_stands_above_it():
    page = to_table_page(TRACE, META)
    assert row(page, "rm[r1]") == ["&#34;works&#34;", "*&#34;ready&#34;", "&#34;ready&#34;"]
    assert row(page, "n") == ["0", "0", "*7"]
    head = re.search(r'<th scope="col" id="step=2">(.*)</th>', page)[1]
    assert "<bdi>Prepare(r1)</bdi> <small><bdi>Commit.tla:12</bdi></small>" in head
    assert '<th scope="col" id="step=3" class="broken">' in page
    assert 'is violated at <a href="#step=3">step 3</a>' in page
    assert "<dt>configuration</dt><dd><bdi>MC.cfg</bdi></dd>" in page


def test_the_step_that_violates_is_the_one_that_the_trace_names():
    assert 'is violated at <a href="#step=2">step 2</a>' in to_table_page(TRACE, META | {"violated_at": 1})
    assert 'is violated at <a href="#step=3">' in to_table_page(TRACE, META | {"violated_at": 99})


def test_a_loop_has_its_way_back_as_a_column():
    page = to_table_page(replace(TRACE, lasso=1), META)
    assert row(page, "n") == ["0", "0", "*7", "*0"]
    assert '<td colspan="1"></td><th scope="colgroup" colspan="3" class="loop">' in page
    assert 'back to <a href="#step=2">step 2</a></th>' in page
    assert 'it goes back to <a href="#step=2">step 2</a>, and so on forever' in page
    assert "is violated by all of this behaviour" in page
    assert "broken" not in page.partition("</style>")[2]


@pytest.mark.parametrize("lasso", [None, 0])
def test_names_that_are_not_kind_are_text(lasso):
    meta = dict.fromkeys(("title", "module", "configuration", "violated", "formula", "reason"), NAMES[0])
    page = to_table_page(replace(hostile_trace(), lasso=lasso), meta | {"notes": list(NAMES)})
    body = page.partition("</style>")[2]
    assert "<script" not in body
    assert "<img" not in body
    assert "\u202e" not in body
    assert "script-src &#39;none&#39;" in page
