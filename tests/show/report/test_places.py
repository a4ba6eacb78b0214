"""A step of a counterexample is named with what it is about: a process, or a channel and what moves on it."""

from __future__ import annotations

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.show.report.trace.diagram import with_places
from pyharness.tla.tlc.itf import from_itf


def steps(name):
    trace, meta = from_itf((ROOT / "traces" / f"{name}.itf.json").read_text(encoding="utf-8"))
    return [(step.action, step.arguments) for step in with_places(trace, meta).steps]


def test_each_step_of_a_counterexample_has_its_place():
    assert steps("LateTurn") == [
        (None, ""),
        ("Initiate", "P1"),
        ("Send", "C12, 1"),
        ("AcceptMarker", "C12"),
        ("Accept", "C12, 1"),
    ]


def test_every_committed_trace_can_be_named_so():
    for path in sorted((ROOT / "traces").glob("*.itf.json")):
        named = steps(path.name.removesuffix(".itf.json"))
        assert all(arguments is not None for _, arguments in named), path.name
