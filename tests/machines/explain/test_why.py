"""Why a property is violated: a sentence for every pair of the kill matrix, made from the states that show it."""

from __future__ import annotations

import re

import pytest

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.machines.explain import REASONS, why
from pyharness.show.report import to_svg
from pyharness.show.report.formats.mermaid import to_mermaid
from pyharness.show.report.formats.why_table import reasons_of, to_why_table
from pyharness.tla.tlc.itf import from_itf
from pyharness.tla.tlc.trace import Trace, TraceStep
from pyharness.tla.values import Fn, record
from tests.each_case import each_case
from tests.shipped_plans import shipped_plan

TABLE = ROOT / "docs" / "reference" / "why.md"
ROW = re.compile(r"\| (\w+) \| (\w+) \| (.+) \|")
REFUTED = {"OutputOnce", "SSSOccurs", "EventuallyStaysComplete", "WhiteSendsWhite"}
"""Properties that catch no mutant: they are refuted as they are, or stand for another one in Python."""


def told():
    """The committed table: (spec, mutant, property) -> sentence."""
    found, spec = {}, ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            spec = line[3:]
        elif (match := ROW.fullmatch(line)) and match[1] != "bug":
            found[spec, match[1], match[2]] = match[3]
    return found


def committed(path):
    return from_itf(path.read_text(encoding="utf-8"))


def test_every_pair_of_the_matrix_has_a_sentence_of_its_own():
    plan = shipped_plan("quick")
    pairs = {(m.spec, m.mutant, name) for m in plan.models if m.mutant for name in m.caught_by}
    sentences = told()
    assert set(sentences) == pairs, "run `pyharness plan mutants quick --why docs/reference/why.md`"
    for said in sentences.values():
        assert said.endswith(".")
        assert "no sentence" not in said
        assert re.search(r"\b[PC]\d|item \d|record \d|task \d|step \d|heckpoint \d", said), said


def test_no_words_are_idle():
    assert set(REASONS) >= REFUTED
    assert set(REASONS) - REFUTED == {name for _, _, name in told()}


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
    text = to_mermaid(trace, meta)
    assert "accept C13 record 1 of source 1" in text
    assert "1,1,0" not in text
    items, said = committed(ROOT / "traces" / "LateTurn.itf.json")
    assert "red message 1 from P1 to P2" in to_svg(items, said), "a number is read as it is"


def test_a_mutant_without_words_is_seen():
    plan = shipped_plan("quick")
    model = next(model for model in plan.models if model.mutant == "LateTurn")
    found = reasons_of([model], [])
    assert {name for _, _, name, _ in found} == set(model.caught_by)
    assert all(said is None for *_, said in found)
    assert "**no sentence**" in to_why_table(found)
