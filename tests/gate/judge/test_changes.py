"""What changed since the last run: noise is no change, and everything that is less is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.gate.judge.run_history import LARGER, SLOWER, SLOWER_SECONDS, changes, last_rows
from pyharness.models.table_rows import HistoryRow
from tests.table_rows import made

ROW = made(
    HistoryRow,
    {
        "run": "1",
        "whole": True,
        "model": "m",
        "verdict": "pass",
        "seconds": 20.0,
        "distinct": 1000,
        "topologies": 3,
        "transitions": 50,
        "replays": 4,
        "taken": ["Accept", "Send"],
        "caught_by": ["NoRedInWhite"],
    },
)


def row(before=ROW, **new):
    """A row like another, with some other values."""
    return replace(before, **{name: tuple(v) if isinstance(v, list) else v for name, v in new.items()})


def kinds(**new):
    return [(change.kind, change.text) for change in changes([ROW], [row(**new)], whole=True)]


def test_no_change_is_no_change():
    assert kinds() == []


@pytest.mark.parametrize(
    ("new", "kind", "text"),
    [
        ({"verdict": "incomplete"}, "verdict", "pass -> incomplete"),
        ({"seconds": 41.0}, "slower", "20 s -> 41 s of TLC"),
        ({"distinct": 1101}, "larger", "1,000 -> 1,101 states"),
        ({"distinct": 900}, "less covered", "1,000 -> 900 states"),
        ({"topologies": 2}, "less covered", "3 -> 2 graphs"),
        ({"transitions": None}, "less covered", "50 -> 0 transitions compared"),
        ({"replays": 3}, "less covered", "4 -> 3 replays"),
        ({"taken": ["Send"]}, "less covered", "actions taken: no longer Accept"),
        ({"caught_by": []}, "less covered", "caught by: no longer NoRedInWhite"),
    ],
)
def test_a_change_is_said(new, kind, text):
    assert kinds(**new) == [(kind, text)]


@pytest.mark.parametrize(
    "new",
    [
        {"seconds": 40.0},
        {"seconds": 1.0},
        {"seconds": None},
        {"distinct": 1100},
        {"distinct": 950},
        {"distinct": None},
        {"topologies": 4, "transitions": 60, "replays": 5, "taken": ["Accept", "Internal", "Send"]},
    ],
)
def test_noise_and_more_of_it_is_no_change(new):
    assert kinds(**new) == []


def test_a_short_model_may_be_many_times_slower():
    was, now = row(seconds=1.0), row(seconds=1.0 + SLOWER_SECONDS)
    assert changes([was], [now], whole=True) == ()
    assert changes([was], [row(seconds=1.1 + SLOWER_SECONDS)], whole=True)
    assert (SLOWER, LARGER) == (2.0, 1.1)


def test_a_model_that_is_gone_is_said_unless_only_some_were_run():
    other = row(model="other")
    assert [(c.model, c.kind) for c in changes([ROW, other], [ROW], whole=True)] == [("other", "gone")]
    assert changes([ROW, other], [ROW], whole=False) == ()
    assert changes([ROW], [ROW, other], whole=True) == ()


def test_the_last_run_of_each_model_counts_from_the_last_whole_run_on():
    gone = row(model="gone")
    first, second, part = row(run="1"), row(run="2"), row(run="3", whole=False)
    assert last_rows([first, gone, second]) == [second]
    assert last_rows([first, gone, part]) == [part, gone]
    assert last_rows([part]) == [part]
    assert last_rows([]) == []
