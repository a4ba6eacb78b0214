"""Exports to ITF keep a typed reader's types: a map stays a map, an empty one too."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyharness.base.errors import SpecError
from pyharness.tla.tlc.itf import from_itf, itf_document, to_itf
from pyharness.tla.tlc.trace import Trace, TraceStep
from pyharness.tla.values import Fn, function, record, same, set_of


def trace_of(*values):
    return Trace(tuple(TraceStep(None, Fn([("x", value)])) for value in values))


def written(*values):
    return [state["x"] for state in itf_document(trace_of(*values))["states"]]


def test_a_function_that_becomes_a_sequence_stays_a_map():
    empty, partial, total = function([]), function([(2, 5)]), function([(1, 4), (2, 5)])
    assert [set(state) for state in written(empty, partial, total)] == [{"#map"}] * 3
    assert written(empty, partial, total)[0] == {"#map": []}
    assert [set(state) for state in written((), (7,))] == [{"#tup"}] * 2


def test_each_item_of_a_pair_has_its_own_type():
    assert written((1, ()), (2, function([(2, 1)])))[0] == {"#tup": [{"#bigint": "1"}, {"#map": []}]}


def test_inside_of_functions_records_and_sets_too():
    first = function([((1, 2), function([]))])
    later = function([((1, 2), function([(3, 1)]))])
    assert written(first, later)[0] == {
        "#map": [[{"#tup": [{"#bigint": "1"}, {"#bigint": "2"}]}, {"#map": []}]]
    }
    (state, _) = written(record(a=()), record(a=function([(2, 1)])))
    assert state == {"a": {"#map": []}}
    (state, _) = written(set_of([()]), set_of([function([(2, 1)])]))
    assert state == {"#set": [{"#map": []}]}


def test_items_of_a_sequence_have_one_type():
    assert written(((), function([(2, 1)]), ()), ())[0]["#tup"][0] == {"#map": []}


@pytest.mark.parametrize(
    "value",
    [
        {"#map": []},
        {"#map": [[{"#bigint": "1"}, {"#bigint": "5"}]]},
        {"#tup": [{"#map": []}]},
        {"#map": [["a", True]]},
        {"r": {"#map": []}},
        {"#set": [{"#map": []}]},
    ],
    ids=json.dumps,
)
def test_what_a_typed_tool_wrote_is_written_again_as_it_was(value):
    text = json.dumps({"states": [{"x": value}, {"x": value}]})
    trace, meta = from_itf(text)
    assert [state["x"] for state in itf_document(trace, meta)["states"]] == [value] * 2


VALUES = st.recursive(
    st.integers(0, 3) | st.booleans() | st.sampled_from("ab"),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.integers(0, 3), inner, max_size=3).map(lambda d: function(d.items()))
        | st.dictionaries(st.sampled_from(["f", "g"]), inner, max_size=2).map(lambda d: function(d.items()))
    ),
    max_leaves=8,
)


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_whatever_the_shapes_the_values_come_back(values):
    trace = trace_of(*values)
    again, _ = from_itf(to_itf(trace))
    assert all(same(a.state["x"], b.state["x"]) for a, b in zip(trace.steps, again.steps, strict=True))


def test_a_parameter_that_stands_in_the_first_state_alone_is_one_of_all():
    states = [{"N": {"#bigint": "3"}, "x": 0}, {"x": 1}, {"x": 2}]
    trace, _ = from_itf(json.dumps({"params": ["N"], "vars": ["x"], "loop": 1, "states": states}))
    assert [dict(step.state) for step in trace.steps] == [{"N": 3, "x": x} for x in range(3)]
    assert trace.lasso == 1
    with pytest.raises(SpecError, match="it lacks N"):
        from_itf(json.dumps({"params": ["M"], "states": states}))


def test_what_quint_did_not_pick_is_left_out():
    picked = {"n": {"tag": "Some"}, "m": {"tag": "Some", "value": 3}, "k": {"tag": "None", "value": 4}}
    states = [{"x": 0}, {"x": 1, "mbt::actionTaken": "step", "mbt::nondetPicks": picked}]
    trace, _ = from_itf(json.dumps({"states": states}))
    assert (trace.steps[1].action, trace.steps[1].arguments) == ("step", "m = 3")


@pytest.mark.parametrize("params", [None, 3, [["N"]], {"N": 1}])
def test_parameters_that_are_no_names_are_passed_over(params):
    trace, _ = from_itf(json.dumps({"params": params, "states": [{"x": 0}, {"x": 1}]}))
    assert len(trace.steps) == 2


@pytest.mark.parametrize(
    "document",
    [
        {"counterexample": {"state": [[1, {"x": 1}]], "action": []}},
        {"state": [[1, {"x": 1}]], "action": [[[1, {"x": 1}], {"name": "Next"}, [2, {"x": 2}]]]},
    ],
)
def test_tlc_s_own_json_is_refused_with_what_to_take_instead(document):
    with pytest.raises(SpecError, match="no states") as told:
        from_itf(json.dumps(document))
    assert "-dumpTrace json" in told.value.hint
