"""A step of a counterexample is named with what it is about: a process, or a channel and what moves on it."""

from __future__ import annotations

from pyharness.show.report.trace.diagram import with_places
from tests.show.report.committed import NAMES, read


def steps(name):
    return [(step.action, step.arguments) for step in with_places(*read(name)).steps]


def test_each_step_of_a_counterexample_has_its_place():
    assert steps("LateTurn") == [
        (None, ""),
        ("Initiate", "P1"),
        ("Send", "C12, 1"),
        ("AcceptMarker", "C12"),
        ("Accept", "C12, 1"),
    ]


def test_every_committed_trace_can_be_named_so():
    for name in NAMES:
        assert all(arguments is not None for _, arguments in steps(name)), name
