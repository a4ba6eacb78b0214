"""Modes in processes of their own: the same results as in one, in order; and a process that dies is no pass."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace

import pytest

from pyharness.base.errors import IncompleteError
from pyharness.hold.flink import handler_runs
from pyharness.hold.flink.event_sequences import Grammar
from pyharness.hold.flink.handler_comparison import Comparer
from pyharness.hold.flink.handler_runs import Request, compare_each, run_comparison, tour_each
from pyharness.machines.protocols import OPERATOR_MUTANTS

pytestmark = pytest.mark.flink


def _timeless(run):
    return replace(run, seconds=0.0, cpu_seconds=0.0)


def test_two_at_a_time_are_what_one_process_says_in_the_order_of_the_requests(flink):
    requests = [Request(Grammar(mode, 2, 2), 2) for mode in ("timeout", "at-least-once", "aligned")]
    here = [_timeless(run_comparison(flink, each)) for each in requests]
    assert [_timeless(run) for run in compare_each(requests, None, jobs=2)] == here


@pytest.mark.usefixtures("flink")
def test_tours_of_two_modes_come_in_their_order():
    tours = list(tour_each(("at-least-once", "aligned"), 2, 1, None, after_ends=False, jobs=2))
    assert [tour.mode for tour in tours] == ["at-least-once", "aligned"]
    assert all(tour.agreed for tour in tours)


def test_an_unexpected_difference_comes_back_from_a_process_as_it_was(flink):
    comparer = Comparer(flink, "aligned", kind=OPERATOR_MUTANTS["KeepBlocked"])
    run = run_comparison(flink, Request(Grammar("aligned", 2, 2), 2), comparer)
    again = pickle.loads(pickle.dumps(run))  # noqa: S301 - our own bytes
    assert (again.agreed, again) == (False, run)


@pytest.mark.usefixtures("flink")
def test_a_process_that_dies_is_incomplete():
    with pytest.raises(IncompleteError, match="died"):
        list(handler_runs._each(os._exit, [0, 0], 2))
