from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import names, values

from pyharness.base.errors import SpecError
from pyharness.tla.values import (
    UNDEFINED,
    Memo,
    ModelValue,
    StateReader,
    function,
    parse_value,
    record,
    same,
    to_tla,
)

NEST = record(f=function({-1: frozenset({-1}), 0: frozenset({0})}))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("TRUE", True),
        ("FALSE", False),
        ("-5", -5),
        ("0", 0),
        ("p1", ModelValue("p1")),
        ("TRUEish", ModelValue("TRUEish")),
        ("null", UNDEFINED),
        ("1a", ModelValue("1a")),
        ("{}", frozenset()),
        ("<<>>", ()),
        ("<< >>", ()),
        ("1..3", frozenset({1, 2, 3})),
        ("-1..1", frozenset({-1, 0, 1})),
        ("5..1", frozenset()),
        ("{{}, {1}, {1, 2}}", frozenset({frozenset(), frozenset({1}), frozenset({1, 2})})),
        ("<<1, <<2, 3>>, {}>>", (1, (2, 3), frozenset())),
        ('[c |-> <<3>>, a |-> 1, b |-> "two"]', record(a=1, b="two", c=(3,))),
        ("(p1 :> 0 @@ p2 :> 0)", function({ModelValue("p1"): 0, ModelValue("p2"): 0})),
        ("(2 :> 4 @@ 3 :> 9)", function({2: 4, 3: 9})),
        ("(1 :> 4 @@ 2 :> 9)", (4, 9)),
        ("(<<1, 2>> :> <<>>)", function({(1, 2): ()})),
        (
            '("k 1" :> [f |-> (-1 :> {-1} @@ 0 :> {0})] @@\n        "k2" :> 1)',
            function({"k 1": NEST, "k2": 1}),
        ),
        (r'"quo\"te, back\\slash |-> }} >> @@ :> tab"', 'quo"te, back\\slash |-> }} >> @@ :> tab'),
        (r'"a\nb\tc\\d\"e\rf\fg"', 'a\nb\tc\\d"e\rf\fg'),
        (r'"\\n"', "\\n"),
        (r'"ends in \\"', "ends in \\"),
        ("[TRUE |-> 1, FALSE |-> 2, IF |-> 3]", record(TRUE=1, FALSE=2, IF=3)),
        ("[1a |-> 1, é |-> 2]", function({"1a": 1, "é": 2})),
        ('("_" :> 1 @@ "_0" :> 1)', function({"_": 1, "_0": 1})),
        ("  7\n", 7),
    ],
)
def test_reads_what_tlc_prints(text, value):
    assert same(parse_value(text), value)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        ("{1, 2", 1, 6),
        ("<<1, 2>", 1, 7),
        ("[a |-> 1, b |-> 2 3]", 1, 19),
        ("{1,\n  2 ? 3}", 2, 5),
        ('"open', 1, 1),
        ("1..", 1, 4),
        ("[a |-> ]", 1, 8),
        ("()", 1, 2),
        ("[]", 1, 2),
        ("1 2", 1, 3),
        ("{1,}", 1, 4),
        ("[_ |-> 1]", 1, 2),
    ],
)
def test_points_at_what_it_cannot_read(text, line, column):
    with pytest.raises(SpecError) as caught:
        parse_value(text)
    assert caught.value.where == f"line {line}, column {column}"
    picture = caught.value.hint.splitlines()
    assert picture == [text.split("\n")[line - 1], f"  {' ' * (column - 1)}^"]


def test_of_a_long_line_a_stretch_is_shown():
    line = "<<" + "1, " * 40 + "?" + ", 1" * 40 + ">>"
    with pytest.raises(SpecError) as caught:
        parse_value(f"<<1,\n{line},\n2>>")
    at = line.index("?")
    assert caught.value.hint == f"{line[at - 60 : at + 20]}\n  {' ' * 60}^"
    with pytest.raises(SpecError) as caught:
        parse_value("{1 2,\n3}")
    assert caught.value.hint == "{1 2,\n     ^"


@given(values)
def test_reads_back_what_is_written(value):
    text = to_tla(value)
    assert same(parse_value(text), value)
    assert to_tla(parse_value(text)) == text


@given(st.text(max_size=30))
@example("{" * 200)
def test_anything_else_is_a_spec_error(text):
    with suppress(SpecError):
        parse_value(text)


def _lines(state):
    return "\n".join(f"/\\ {name} = {to_tla(value)}" for name, value in state.items())


@given(st.lists(st.dictionaries(names, values, min_size=1, max_size=4), max_size=5))
def test_a_memo_changes_nothing(states):
    reader, tiny = StateReader(), StateReader(Memo(max_entries=2, max_chars=40))
    for state in states:
        text = _lines(state)
        for each in (
            reader.read(text),
            reader.read(text),
            tiny.read(text),
            StateReader().read(text + "\n\n"),
        ):
            assert list(each) == sorted(state)
            assert all(same(each[name], value) for name, value in state.items())


def test_a_state_of_one_variable_is_bare():
    assert StateReader().read("x = 1\n") == record(x=1)
    assert StateReader().read("/\\ x = 1") == record(x=1)


def test_continuation_lines_belong_to_their_variable():
    text = '/\\ f = ( p1 :>\n      ( "k 1" :> 1 @@\n        "k2" :> 2 ) @@\n  p2 :> 3 )\n/\\ x = 1\n'
    state = StateReader().read(text)
    assert state["x"] == 1
    assert state["f"][ModelValue("p1")] == function({"k 1": 1, "k2": 2})


@pytest.mark.parametrize("text", ["", "nothing", "/\\ x = 1\n/\\ x = 2", "/\\ 1 = 2", "/\\ x = 1\n/\\ y ="])
def test_what_is_not_a_state_is_refused(text):
    with pytest.raises(SpecError):
        StateReader().read(text)


@given(values)
def test_a_memo_reads_what_the_parser_reads(value):
    text = to_tla(value)
    assert same(Memo()[f"x = {text}"][1], parse_value(text))


@pytest.mark.parametrize(
    "text",
    [
        '("a @@ b" :> 1 @@ "c" :> 2)',
        '("a" :> 1 @@ "b @@ c" :> 2)',
        "(1 :> (2 :> 3 @@ 4 :> 5) @@ 7 :> 6)",
        '(5 :> (2 :> ")" @@ 4 :> "(") @@ 7 :> 6)',
        "(2 :> 3)",
        "(2 :> 3 @@\n  4 :> 5)",
        '({"x :> 1 @@ y"} :> <<"@@">> @@ {} :> {1})',
        '<<"a, b", <<1, 2>>, {3, 4}, [x |-> 5, y |-> ">>"], (1 :> 2 @@ 3 :> 4)>>',
        "<< <<>>,\n   <<1>> >>",
        "<< >>",
    ],
)
def test_what_cannot_be_cut_at_every_sign_is_read_as_it_is(text):
    assert same(Memo()[f"x = {text}"][1], parse_value(text))


@pytest.mark.parametrize(
    "text",
    [
        *("(1 :> 2 @@ )", "(1 :> 2 @@ 3)", "(1 :> 2 @@ 1 :> 3)", "(1 :> 2", "()", "(2 @@ 3 :> 4)"),
        *("<<1>>, <<2>>", "<<1, (2]>>", "<<1,, 2>>", "<<1, 2", "<<1, <<2>>", "<<1 @@ 2>>"),
    ],
)
def test_what_is_no_function_and_no_tuple_is_refused_by_a_memo_too(text):
    with pytest.raises(SpecError):
        Memo()[f"x = {text}"]
