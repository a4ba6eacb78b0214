import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import values

from pyharness.base.errors import SpecError
from pyharness.tla.values import Fn, ModelValue, function, record, same, set_of, sort_key


def test_a_function_on_1_to_n_is_the_tuple():
    assert function({1: "a", 2: "b"}) == ("a", "b")
    assert function([(2, "b"), (1, "a")]) == ("a", "b")
    assert function({}) == ()


@pytest.mark.parametrize("domain", [{0, 1}, {2, 3}, {1, 3}, {True}, {True, 2}, {"1"}])
def test_any_other_domain_is_a_function(domain):
    assert isinstance(function([(key, 0) for key in domain]), Fn)


@pytest.mark.parametrize("pairs", [[], [(1, 0)], [(2, 0), (1, 0)]])
def test_the_constructor_refuses_what_is_a_tuple(pairs):
    with pytest.raises(SpecError):
        Fn(pairs)


@pytest.mark.parametrize("pairs", [[("a", 1), ("a", 2)], [(1, 0), (1, 0)], [(True, 0), (1, 0)]])
def test_an_argument_has_one_result(pairs):
    with pytest.raises(SpecError, match="two results"):
        function(pairs)


@pytest.mark.parametrize(
    "domain",
    [
        ["b", "a"],
        [7, 5],
        [0, True],
        [(2, 1), (1, 2)],
        [(0, 1), (True, 2)],
        [(1, "a"), ("a", 1)],
        [(2,), (1, 1), (1, 1, 1)],
    ],
    ids=repr,
)
def test_a_domain_is_in_the_order_of_all_values(domain):
    for given_in in (domain, domain[::-1]):
        assert list(function([(key, "") for key in given_in])) == sorted(domain, key=sort_key)


def test_model_values_are_not_strings():
    assert ModelValue("a") != "a"
    assert ModelValue("a") == ModelValue("a")
    assert not same(ModelValue("a"), "a")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (True, 1),
        (False, 0),
        ((1,), (True,)),
        (frozenset({0}), frozenset({False})),
        (record(a=1), record(a=True)),
        (function({True: 0}), function([(1, 0), (5, 0)])),
        (function([(True, 0), (2, 0)]), Fn([(True, 0), (3, 0)])),
        (frozenset({(1, "x")}), frozenset({(True, "x")})),
    ],
)
def test_same_tells_true_from_one(a, b):
    assert not same(a, b)
    assert not same(b, a)
    assert same(a, a)


def test_a_set_does_not_mix_true_and_one():
    assert set_of([1, 2, 1]) == {1, 2}
    with pytest.raises(SpecError, match="both"):
        set_of([1, True])
    with pytest.raises(SpecError, match="both"):
        set_of([(1,), (True,)])


def test_what_is_not_a_value_has_no_place():
    with pytest.raises(SpecError, match="not a TLA"):
        sort_key(1.5)


@given(values, values)
def test_same_is_equality_with_types(a, b):
    assert same(a, b) == (sort_key(a) == sort_key(b) and type(a) is type(b) and repr(a) == repr(b)) or a != b
    assert same(a, a)
    if same(a, b):
        assert a == b
        assert hash(a) == hash(b)


@given(st.lists(values))
def test_values_have_one_order(items):
    assert sorted(map(sort_key, items)) == [sort_key(v) for v in sorted(items, key=sort_key)]
