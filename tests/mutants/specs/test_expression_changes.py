"""What is changed in an expression, and what is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyharness.mutants.specs.spec_mutant import NOTHING, Assigned, changes
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import (
    Bound,
    Call,
    If,
    Infix,
    Junction,
    Listed,
    Literal,
    Name,
    Prefix,
    Prime,
    Quantification,
    within,
)

X, Y, S = Name("x"), Name("y"), Name("S")
GUARD = Infix("<", X, Literal("3"))
UPDATE = Infix("=", Prime(X), Infix("+", X, Literal("1")))
ACTION = Junction("/\\", (GUARD, UPDATE, Prefix("UNCHANGED", Y)))


def told(whole, assigned=NOTHING):
    return {
        (c.kind, on_one_line(c.old), "" if c.new is None else on_one_line(c.new))
        for c in changes(whole, assigned)
    }


def test_a_guard_is_dropped_negated_and_compared_otherwise():
    assert {
        ("a guard is dropped", "x < 3", ""),
        ("another operator", "x < 3", "x <= 3"),
        ("another operator", "x < 3", "x >= 3"),
        ("off by one", "3", "4"),
        ("off by one", "3", "2"),
    } <= told(ACTION)


def test_a_list_of_one_item_is_not_left_empty():
    only = Infix("=", Name("x"), Name("y"))
    for operator, left in (("/\\", "TRUE"), ("\\/", "FALSE")):
        made = {change.kind: on_one_line(change.result) for change in changes(Junction(operator, (only,)))}
        assert left in made.values()
        assert all(made.values())


def test_an_update_is_forgotten_and_never_dropped():
    found = told(ACTION)
    assert ("an update is forgotten", "x' = x + 1", "x' = x") in found
    assert ("another operator", "x + 1", "x - 1") in found
    assert not any(old.startswith(("x' =", "UNCHANGED")) and new == "" for _, old, new in found)


def test_an_operator_about_steps_is_no_guard():
    whole = Junction("/\\", (GUARD, Call("Send", (X,))))
    assert ("a guard is dropped", "Send(x)", "") in told(whole)
    assert ("a guard is dropped", "Send(x)", "") not in told(whole, Assigned(operators={"Send"}))


def test_an_initial_predicate_keeps_its_values():
    whole = Junction("/\\", (Infix("=", X, Literal("0")), Infix("\\in", Y, S)))
    found = told(whole, Assigned(variables={"x", "y"}))
    assert found == {("off by one", "0", "1")}


@pytest.mark.parametrize(
    ("whole", "change"),
    [
        (Junction("\\/", (X, Y)), ("an alternative is dropped", "x", "")),
        (
            Quantification("\\A", (Bound(("a",), S),), Name("a")),
            ("another quantifier", "\\A a \\in S : a", "\\E a \\in S : a"),
        ),
        (If(X, Y, S), ("an IF is negated", "x", "~x")),
        (Listed("{", (X, Y)), ("an element is dropped", "y", "")),
        (Name("TRUE"), ("another constant", "TRUE", "FALSE")),
        (Infix("\\cup", X, Y), ("another operator", "x \\cup y", "x \\ y")),
        (
            Quantification("\\E", (Bound(("a", "b"), S),), Call("P", (Name("a"), Name("b")))),
            ("another variable of its domain", "a", "b"),
        ),
    ],
)
def test_each_kind_is_made(whole, change):
    assert change in told(whole)


def test_a_name_that_is_bound_with_another_domain_is_no_partner():
    whole = Quantification("\\E", (Bound(("a",), S), Bound(("b",), Name("T"))), Name("a"))
    assert not any(kind == "another variable of its domain" for kind, _, _ in told(whole))


LEAVES = st.sampled_from([X, Y, Literal("0"), Literal("2"), Name("TRUE"), UPDATE])
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Infix, st.sampled_from(["=", "+", "\\cup", "/\\"]), inner, inner),
        st.builds(lambda items: Junction("/\\", tuple(items)), st.lists(inner, min_size=2, max_size=3)),
        st.builds(If, inner, inner, inner),
        st.builds(lambda items: Listed("{", tuple(items)), st.lists(inner, max_size=3)),
    ),
    max_leaves=12,
)


@given(EXPRESSIONS)
def test_each_change_is_another_expression_and_happens_at_its_place(whole):
    found = list(changes(whole))
    assert whole not in [change.result for change in found]
    assert len({change.result for change in found}) == len(found)
    parts = list(within(whole))
    for change in found:
        assert change.old in within(parts[change.at])
