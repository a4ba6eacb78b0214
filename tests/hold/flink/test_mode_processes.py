"""Modes in processes of their own: the same results as in one, in order; and a process that dies is no pass."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from pyharness.base.errors import IncompleteError
from pyharness.hold.flink import handler_runs
from pyharness.hold.flink.event_sequences import Grammar
from pyharness.hold.flink.handler_runs import Request, compare_each, run_comparison

pytestmark = pytest.mark.flink


def _timeless(run):
    return replace(run, seconds=0.0, cpu_seconds=0.0)


def test_two_at_a_time_are_what_one_process_says_in_the_order_of_the_requests(flink):
    requests = [Request(Grammar(mode, 2, 2), 2) for mode in ("timeout", "at-least-once", "aligned")]
    here = [_timeless(run_comparison(flink, each)) for each in requests]
    assert [_timeless(run) for run in compare_each(requests, None, jobs=2)] == here


@pytest.mark.usefixtures("flink")
def test_a_process_that_dies_is_incomplete():
    with pytest.raises(IncompleteError, match="died"):
        list(handler_runs._each(os._exit, [0, 0], 2))
