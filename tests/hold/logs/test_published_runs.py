"""Logs written by hand from published runs: accepted, and with one unit lost refused at its line."""

from __future__ import annotations

import copy

import pytest

from pyharness.hold.logs.log_events import FORMAT
from pyharness.hold.logs.self_test import write_log
from pyharness.hold.logs.validation import validate
from pyharness.models.machine_tools import find_tools

BANK = {
    1: [
        {
            "format": FORMAT,
            "process": "S1",
            "protocol": "ChandyLamport",
            "channels": "derive",
            "state": 600,
            "sum": 800,
        },
        {"e": "record", "id": "b", "s": 600},
        {"e": "marker-out", "c": ["S1", "S2"], "id": "b"},
        {"e": "send", "c": ["S1", "S2"], "d": 50, "s": 550},
        {"e": "record", "id": "a", "s": 550},
        {"e": "marker-out", "c": ["S1", "S2"], "id": "a"},
        {"e": "receive", "c": ["S2", "S1"], "d": 80, "s": 630},
        {"e": "marker", "c": ["S2", "S1"], "id": "b"},
        {"e": "done", "id": "b", "s": 600, "chans": [[["S2", "S1"], [80]]]},
        {"e": "marker", "c": ["S2", "S1"], "id": "a"},
        {"e": "done", "id": "a", "s": 550, "chans": [[["S2", "S1"], [80]]]},
    ],
    2: [
        {"format": FORMAT, "process": "S2", "channels": "derive", "state": 200},
        {"e": "send", "c": ["S2", "S1"], "d": 80, "s": 120},
        {"e": "marker", "c": ["S1", "S2"], "id": "b"},
        {"e": "record", "id": "b", "s": 120},
        {"e": "marker-out", "c": ["S2", "S1"], "id": "b"},
        {"e": "done", "id": "b", "chans": [[["S1", "S2"], []]]},
        {"e": "receive", "c": ["S1", "S2"], "d": 50, "s": 170},
        {"e": "marker", "c": ["S1", "S2"], "id": "a"},
        {"e": "record", "id": "a", "s": 170},
        {"e": "marker-out", "c": ["S2", "S1"], "id": "a"},
        {"e": "done", "id": "a", "chans": [[["S1", "S2"], []]]},
    ],
}
"""A. D. Kshemkalyani and M. Singhal, Distributed Computing, 2008, section 4.3: a bank of $800 with two transfers, and
the two executions of the algorithm there, a ($550, $170, $0, $80) and b ($600, $120, $0, $80), at once."""

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
@pytest.mark.parametrize(
    ("lines", "ids"), [(BANK, ["b", "a"]), (TOKEN, ["p.1", "q.1"])], ids=["bank", "token"]
)
def test_a_published_run_is_accepted(lines, ids, tmp_path):
    came = validate(write_log(tmp_path / "log", lines), tools=find_tools())
    assert (came.verdict, sorted(came.complete)) == ("pass", sorted(ids)), came.refused
    assert sorted(came.walked) == sorted(ids)


def changed(lines, process, line, **fields):
    lines = copy.deepcopy(lines)
    lines[process][line - 1] |= fields
    return lines


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        (changed(BANK, 1, 9, chans=[[["S2", "S1"], []]]), "p1.jsonl:9"),
        (changed(BANK, 1, 9, chans=[[["S2", "S1"], [79]]]), "p1.jsonl:9"),
        (changed(BANK, 2, 9, s=169), "p2.jsonl:9"),
        (changed(BANK, 2, 7, s=169), "p2.jsonl:7"),
        (changed(BANK, 1, 4, s=549), "p1.jsonl:4"),
        (changed(TOKEN, 1, 7, chans=[[["q", "p"], []]]), "p1.jsonl:7"),
        (changed(TOKEN, 2, 2, s=0), "p2.jsonl:2"),
        (changed(TOKEN, 1, 9, s=0), "p1.jsonl:9"),
    ],
)
def test_what_is_lost_is_refused_at_its_line(lines, where, tmp_path):
    refused = validate(write_log(tmp_path / "log", lines)).refused
    assert refused is not None
    assert refused.where == f"{tmp_path}/log/{where}"
