"""A log written by hand from a published run: accepted, and with one unit lost refused at its line."""

from __future__ import annotations

import copy

import pytest

from pyharness.hold.logs.log_events import FORMAT
from pyharness.hold.logs.validation import validate
from pyharness.models.machine_tools import find_tools
from tests.hold.logs.simulated_logs import write_log

TOKEN = {
    1: [
        {
            "format": FORMAT,
            "process": "p",
            "protocol": "ChandyLamport",
            "channels": "derive",
            "state": 1,
            "sum": 1,
        },
        {"e": "send", "c": ["p", "q"], "d": 1, "s": 0},
        {"e": "record", "id": "p.1", "s": 0},
        {"e": "marker-out", "c": ["p", "q"], "id": "p.1"},
        {"e": "receive", "c": ["q", "p"], "d": 1, "s": 1},
        {"e": "marker", "c": ["q", "p"], "id": "p.1"},
        {"e": "done", "id": "p.1", "chans": [[["q", "p"], [1]]]},
        {"e": "marker", "c": ["q", "p"], "id": "q.1"},
        {"e": "record", "id": "q.1", "s": 1},
        {"e": "marker-out", "c": ["p", "q"], "id": "q.1"},
        {"e": "done", "id": "q.1", "chans": [[["q", "p"], []]]},
        {"e": "send", "c": ["p", "q"], "d": 1, "s": 0},
    ],
    2: [
        {"format": FORMAT, "process": "q", "channels": "derive", "state": 0},
        {"e": "receive", "c": ["p", "q"], "d": 1, "s": 1},
        {"e": "send", "c": ["q", "p"], "d": 1, "s": 0},
        {"e": "marker", "c": ["p", "q"], "id": "p.1"},
        {"e": "record", "id": "p.1", "s": 0},
        {"e": "marker-out", "c": ["q", "p"], "id": "p.1"},
        {"e": "done", "id": "p.1", "chans": [[["p", "q"], []]]},
        {"e": "record", "id": "q.1", "s": 0},
        {"e": "marker-out", "c": ["q", "p"], "id": "q.1"},
        {"e": "marker", "c": ["p", "q"], "id": "q.1"},
        {"e": "done", "id": "q.1", "chans": [[["p", "q"], []]]},
        {"e": "receive", "c": ["p", "q"], "d": 1, "s": 1},
    ],
}
"""K. M. Chandy and L. Lamport, TOCS 3(1), 1985, Example 2.1: one token, recorded in the channel; then q's own."""


@pytest.mark.tlc
def test_a_published_run_is_accepted(tmp_path):
    came = validate(write_log(tmp_path / "log", TOKEN), tools=find_tools())
    assert (came.verdict, sorted(came.complete)) == ("pass", ["p.1", "q.1"]), came.refused
    assert sorted(came.walked) == ["p.1", "q.1"]


def changed(lines, process, line, **fields):
    lines = copy.deepcopy(lines)
    lines[process][line - 1] |= fields
    return lines


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        (changed(TOKEN, 1, 7, chans=[[["q", "p"], []]]), "p1.jsonl:7"),
        (changed(TOKEN, 2, 2, s=0), "p2.jsonl:2"),
        (changed(TOKEN, 1, 9, s=0), "p1.jsonl:9"),
    ],
)
def test_what_is_lost_is_refused_at_its_line(lines, where, tmp_path):
    refused = validate(write_log(tmp_path / "log", lines)).refused
    assert refused is not None
    assert refused.where == f"{tmp_path}/log/{where}"
