"""ITF and text: what is written can be read, by us and by others."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itf_py import trace_from_json

from pyharness.base.errors import SpecError
from pyharness.show.report.formats.trace_text import to_text
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.tlc.itf import decode, encode, from_itf, to_itf
from pyharness.tla.values import Fn, ModelValue, function, record, same

atoms = st.booleans() | st.integers() | st.text(max_size=6) | st.builds(ModelValue, st.just("p1"))
values = st.recursive(
    atoms,
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.frozensets(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3).map(function)
        | st.dictionaries(st.integers(-3, 9), inner, max_size=3).map(function)
    ),
    max_leaves=12,
)


@given(values)
def test_a_value_survives_itf(value):
    assert same(decode(json.loads(json.dumps(encode(value))), "here"), value)


def trace(**more):
    first = Fn({"x": 1, "chan": function({(1, 2): (), (2, 1): (record(msg=1, colour="white"),)})}.items())
    second = Fn({"x": 2, "chan": function({(1, 2): (), (2, 1): ()})}.items())
    return Trace((TraceStep(None, first), TraceStep("Accept", second)), **more)


@pytest.mark.parametrize("given_trace", [trace(), trace(lasso=0), trace(stuttering=True)])
def test_a_trace_survives_itf(given_trace):
    text = to_itf(given_trace, {"title": "<script>"})
    read, meta = from_itf(text)
    assert read == given_trace
    assert meta["title"] == "<script>"
    assert to_itf(read, {"title": "<script>"}) == text


def test_another_reader_of_itf_takes_it():
    assert len(trace_from_json(json.loads(to_itf(trace()))).states) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[]", "no states"),
        ('{"states": []}', "no states"),
        ('{"states": [1]}', "not an object"),
        ('{"states": [{"x": null}]}', "not an ITF value"),
        ('{"states": [{"x": {"#odd": 1}}]}', "not an ITF value"),
        ('{"states": [{"x": 1}], "loop": 7}', "loop"),
        (
            '{"states": [{"x": 1, "y": 1}, {"x": 1, "z": 1}]}',
            "state 1: not .* state 0: it lacks y; it also has z",
        ),
    ],
)
def test_what_is_no_itf_is_an_error(text, message):
    with pytest.raises(SpecError, match=message):
        from_itf(text)


def test_text_shows_what_changed():
    text = to_text(trace(lasso=0), "A title")
    assert text.startswith("A title\n")
    assert "2. Accept\n     chan[<<2, 1>>] = <<>>\n     x = 2\n" in text
    assert "back to 1" in text
