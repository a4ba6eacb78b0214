"""Why a property is violated: a sentence for every pair of the kill matrix, made from the states that show it."""

from __future__ import annotations

import re

import pytest

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.machines.explain import REASONS, why
from pyharness.show.report.trace.diagram_svg import to_svg
from pyharness.tla.tlc.itf import from_itf
from pyharness.tla.tlc.trace import Trace, TraceStep
from pyharness.tla.values import Fn, record
from tests.each_case import each_case
from tests.shipped_plans import shipped_plan

REFUTED = {"OutputOnce", "SSSOccurs", "EventuallyStaysComplete", "WhiteSendsWhite"}
"""Properties that catch no mutant: they are refuted as they are, or stand for another one in Python."""


def committed(path):
    return from_itf(path.read_text(encoding="utf-8"))


def sentences():
    """For each committed trace of a seeded bug: its name, the property that is violated, and the sentence."""
    for path in sorted((ROOT / "traces").glob("*.itf.json")):
        trace, meta = committed(path)
        if meta.get("mutant") and (name := meta["violated"]):
            yield path.name, name, why(name, trace, meta)


def test_every_committed_counterexample_has_a_sentence_of_its_own():
    found = list(sentences())
    assert len(found) > 140
    for path, name, said in found:
        assert said is not None, (path, name)
        assert said.endswith(".")
        assert re.search(r"\b[PC]\d|item \d|record \d|task \d|step \d|heckpoint \d", said), (path, said)


def test_every_property_that_catches_a_bug_has_words_and_no_words_are_idle():
    models = shipped_plan("quick").models
    catching = {name for model in models if model.mutant for name in model.caught_by}
    assert set(REASONS) >= REFUTED
    assert set(REASONS) - REFUTED == catching - REFUTED


def markers(sent, *, red):
    first = record(
        state=(frozenset({1}), frozenset()), recState=(), markers=Fn([((1, 2), 0)]), chan=Fn([((1, 2), ())])
    )
    after = first.updated({"recState": (frozenset({1}),) if red else (), "markers": Fn([((1, 2), sent)])})
    return Trace((TraceStep(None, first), TraceStep("Initiate", after)))


@pytest.mark.parametrize(
    ("sent", "red", "said"),
    [
        (0, True, "C12 has had no marker from P1, which has recorded once."),
        (1, False, "C12 has had a marker from P1, which has not recorded."),
        (2, True, "C12 has had two markers from P1, which has recorded once."),
        (3, True, "C12 has had 3 markers from P1, which has recorded once."),
        (1, True, None),
    ],
)
def test_the_sentence_is_made_from_the_state(sent, red, said):
    assert why("OneMarker", markers(sent, red=red)) == said


def test_a_state_that_keeps_the_property_has_no_sentence():
    trace, meta = committed(ROOT / "traces" / "LateTurn.itf.json")
    sound = Trace(trace.steps[:2])
    silent = [name for name in REASONS if why(name, sound, meta) is None]
    assert {"NoRedInWhite", "TypeOK", "TurnsRedOnce", "RefinesWhiteRed", "RecordedIsSSS"} <= set(silent)


@each_case("name", sorted(REASONS))
def test_traces_of_other_tools_are_no_error(name):
    for state in (
        record(pc="start"),
        record(state=7, chan="x", recState=frozenset({1}), acks=True, history=(1, 2), task=(3,)),
        record(
            recState=(1,),
            recChan=(1, 2),
            chan=Fn([((1,), 2)]),
            markers=Fn([(5, 6)]),
            completed=frozenset({"a"}),
        ),
    ):
        said = why(name, Trace((TraceStep(None, state), TraceStep("Odd", state))))
        assert said is None or said.endswith(".")
    assert why(name, Trace(())) is None


def test_a_picture_says_what_a_message_is_and_its_value_is_a_pointer_away():
    trace, meta = committed(ROOT / "traces" / "checkpoints-at-least-once-duplicates.itf.json")
    picture = to_svg(trace, meta)
    assert "⚠ record 1 of source 1: red in white</text>" in picture
    assert "<title>&lt;&lt;1, 1, 0&gt;&gt;</title>" in picture
    assert (
        "red record 1 of source 1, &lt;&lt;1, 1, 0&gt;&gt;, from P1 to P3, sent at 4, accepted at 6"
        in picture
    )
    items, said = committed(ROOT / "traces" / "LateTurn.itf.json")
    assert "red message 1 from P1 to P2" in to_svg(items, said), "a number is read as it is"
