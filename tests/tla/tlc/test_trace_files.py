"""Traces from files: ITF of every tool, TLC's output in every form, and nothing that is less than a whole trace."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import BUILDS, HERE, output, path

from pyharness.base.errors import HarnessError, IncompleteError, SpecError
from pyharness.tla.tlc import Trace, TraceStep, parse_trace, read_trace
from pyharness.tla.tlc.itf import from_itf, to_itf
from pyharness.tla.values import Fn, ModelValue, function, record

TEXT = sorted(HERE.glob("*-text/*.stdout"))
WITH_TRACE = [sample for sample in TEXT if sample.stem != "success"]
CUT = [sample for sample in WITH_TRACE if sample.stem != "value_zoo_invariant"]
FRAMED = [
    "invariant",
    "action_property",
    "temporal_lasso",
    "temporal_stuttering",
    "deadlock",
    "invariant_initial",
]


def text_of(build, name):
    return (HERE / f"{build}-text" / f"{name}.stdout").read_text(encoding="utf-8")


def sample_id(sample):
    return f"{sample.parent.name}-{sample.stem}"


@pytest.mark.parametrize("sample", WITH_TRACE, ids=sample_id)
def test_output_without_tool_reads_as_with_tool(sample):
    build = sample.parent.name.removesuffix("-text")
    plain, plain_meta = read_trace(sample)
    framed, framed_meta = read_trace(path(build, f"{sample.stem}.stdout"))
    assert plain == framed
    del plain_meta["source"], framed_meta["source"]
    assert plain_meta == framed_meta


def test_what_tlc_said_is_the_meta():
    trace, meta = parse_trace(text_of("2.15", "action_property"), where="here")
    assert len(trace) == 5
    assert meta == {
        "title": "Action property Mono is violated",
        "outcome": "action property violated",
        "violated": "Mono",
        "source": "TLC 2.15",
    }


def test_an_evaluation_error_has_its_trace_too():
    trace, meta = parse_trace(text_of("2.15", "eval_error_invariant"), where="here")
    assert [step.state["x"] for step in trace.steps] == [0, 1, 2, 3]
    assert meta["title"] == "Evaluating invariant Inv failed"


@pytest.mark.parametrize(
    "text", [text_of("2.15", "invariant_continue"), output("modern", "invariant_continue")]
)
def test_of_several_traces_one_is_chosen(text):
    first, meta = parse_trace(text, where="here")
    second, _ = parse_trace(text, where="here", nth=2)
    assert (len(first), len(second), meta["traces"]) == (4, 8, 2)
    with pytest.raises(SpecError, match="there are 2 traces, not 3"):
        parse_trace(text, where="here", nth=3)


@pytest.mark.parametrize("sample", CUT, ids=sample_id)
def test_no_part_of_an_output_gives_a_shorter_trace(sample):
    text = sample.read_text(encoding="utf-8")
    whole, _ = read_trace(sample)
    ends = [at for at, line in enumerate(text) if line == "\n"]
    errors = 0
    for cut in {*ends, *range(max(0, len(text) - 1500), len(text), 3), *(at + 1 for at in ends)}:
        try:
            read, _ = parse_trace(text[:cut], where="here")
        except HarnessError:
            errors += 1
        else:
            assert read == whole, cut
    assert errors > 10


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", FRAMED)
def test_no_part_of_framed_output_gives_a_shorter_trace(build, name):
    text = output(build, name)
    whole, _ = parse_trace(text, where="here")
    for cut in [at for at, line in enumerate(text) if line == "\n"]:
        try:
            read, _ = parse_trace(text[: cut + 1], where="here")
        except HarnessError:
            continue
        assert read == whole, cut


def test_a_cut_says_what_to_do():
    text = text_of("2.15", "invariant")
    with pytest.raises(IncompleteError, match=r"cut off.*\n.*Finished in"):
        parse_trace(text[: text.index("4 states generated")], where="here")


def test_a_state_that_was_left_out_is_missed():
    text = text_of("2.15", "invariant")
    at, to = text.index("State 2:"), text.index("State 3:")
    with pytest.raises(SpecError, match="out of order"):
        parse_trace(text[:at] + text[to:], where="here")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "format"),
        ("---- MODULE Spec ----\nVARIABLE x\n====\n", "format"),
        (text_of("2.15", "success"), "no trace$"),
        (output("2.15", "success"), "no trace$"),
        (output("2.15", "parse_error"), "no trace, but: Parsing or semantic analysis failed"),
        ('{"counterexample": {}, "vars": []}', "the text that TLC prints"),
        ("[" * 100_000, "nested more than 100 deep"),
        ('{"states": [{"x": 1, "x": 2}]}', "two members"),
        (
            '{"states": [{"x": 1}, {"y": 1}]}',
            "state 1: not the variables of state 0: it lacks x; it also has y",
        ),
        ('{"states": [{}]}', "no variables"),
        ('{"states": []}', "no states"),
        ('{"states": [{"x": {"#of": 1, "another": 2}}]}', "not an ITF value"),
        ('{"states": [{"x": 1.5}]}', "state 0, x: not an ITF value: 1.5"),
        ('{"states": [{"x": {"#bigint": "' + "9" * 2000 + '"}}]}', "not an ITF value"),
        ('{"states": [{"x": {"#map": [[1, 2], [1, 3]]}}]}', "two results"),
        ('{"states": [{"x": {"#set": [1, true]}}]}', "cannot hold both"),
        ('{"states": [{"x": {"#unserializable": "SUBSET Int"}}]}', "could not write the value 'SUBSET Int'"),
        ('{"states": [{"x": 1}], "loop": true}', "not the index"),
        ('{"vars": ["x", "y"], "states": [{"x": 1}]}', "vars names y, which no state has"),
        ('{"vars": [["x"]], "states": [{"x": 1}]}', "vars names .*, which no state has"),
    ],
)
def test_what_is_no_trace_is_said(text, message):
    with pytest.raises(SpecError, match=message) as raised:
        parse_trace(text, where="here")
    assert str(raised.value).startswith("here")
    assert len(str(raised.value)) < 1000


@pytest.mark.parametrize(("opening", "closing"), [("<<", ">>"), ("{", "}"), ("[a |-> ", "]")])
def test_depth_is_bounded(opening, closing):
    text = text_of("2.15", "deadlock").replace("x = 1\n", f"x = {opening * 500}1{closing * 500}\n")
    with pytest.raises(SpecError, match="here, state 2: nested more than 100 deep"):
        parse_trace(text, where="here")


def test_a_line_break_of_unicode_in_a_string_is_none_of_the_output():
    text = text_of("2.15", "deadlock").replace("x = 1\n", 'x = "a\u2028State 9: <b\x85"\n')
    trace, _ = parse_trace(text, where="here")
    assert trace.steps[1].state["x"] == "a\u2028State 9: <b\x85"


def test_reading_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("pyharness.tla.tlc.files.MOST_BYTES", 10)
    file = tmp_path / "big"
    file.write_text("x" * 11)
    with pytest.raises(SpecError, match="more than 10 bytes"):
        read_trace(file)


APALACHE = {
    "#meta": {
        "format": "ITF",
        "varTypes": {"bank": "Str -> Set(PERSON)"},
        "description": "Created by Apalache on a day",
    },
    "params": [],
    "vars": ["bank", "n", "pair", "log", "action_taken"],
    "states": [
        {
            "#meta": {"index": 0},
            "bank": {"#map": [["E", {"#set": ["c1_OF_PERSON", "m1_OF_PERSON"]}], ["W", {"#set": []}]]},
            "n": 3,
            "pair": {"#tup": [{"#bigint": "-12345678901234567890"}, {"tag": "Some", "value": 1}]},
            "log": [1, 2],
            "action_taken": "Init",
        },
        {
            "#meta": {"index": 1},
            "bank": {"#map": []},
            "n": {"#bigint": "4"},
            "pair": {"#tup": [0, {"tag": "UNIT", "value": "U_OF_UNIT"}]},
            "log": [],
            "action_taken": "Cross",
        },
    ],
}


def test_itf_of_apalache():
    trace, meta = parse_trace(json.dumps(APALACHE), where="here")
    assert [step.action for step in trace.steps] == [None, "Cross"]
    assert trace.steps[0].state == record(
        bank=function({"E": frozenset({"c1_OF_PERSON", "m1_OF_PERSON"}), "W": frozenset()}),
        n=3,
        pair=(-12345678901234567890, record(tag="Some", value=1)),
        log=(1, 2),
        action_taken="Init",
    )
    assert trace.steps[1].state["bank"] == ()
    assert meta["description"].startswith("Created by Apalache")


names = st.text(min_size=1, max_size=6).filter(lambda name: not name.startswith(("#", "mbt::")))
texts = st.none() | st.text(max_size=8)
values = st.integers() | st.text(max_size=5) | st.booleans() | st.builds(ModelValue, st.just("p1"))


@st.composite
def traces(draw):
    variables = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    size = draw(st.integers(1, 4))
    steps = tuple(
        TraceStep(draw(texts), Fn((name, draw(values)) for name in variables), draw(texts), draw(texts))
        for _ in range(size)
    )
    lasso = draw(st.none() | st.integers(0, size - 2)) if size > 1 else None
    return Trace(steps, lasso, lasso is None and draw(st.booleans()))


@given(traces())
def test_every_trace_survives_itf(trace):
    text = to_itf(trace, {"title": "T"})
    read, _ = from_itf(text)
    assert read == trace
    assert to_itf(read, {"title": "T"}) == text
