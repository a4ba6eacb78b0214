"""An error in a TOML file has its line and its key."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.toml_tables import (
    FLAG,
    LIST,
    NAMES,
    TEXT,
    WORDS,
    by_name,
    integer,
    one_of,
    parse_table,
    value,
)


class Pair(NamedTuple):
    left: int
    right: int = 2


PAIR = {"left": integer(), "right": integer(1, 9)}
TEXT_OF_FILE = """format = "f/1"
pair = { left = 1 }
list = [
  [1, 2],
]

[[entry]]
name = "a"
pair = { left = 1 }

  [[entry.part]]   # of a
  name = "b"

[[ entry ]]
right = 3
[entry.pair]
left = 4
"""


def failed(action, *given):
    with pytest.raises(SpecError) as caught:
        action(*given)
    return str(caught.value)


def table():
    return parse_table(TEXT_OF_FILE, "f.toml", "f/1")


def test_keys_are_taken_once_and_the_rest_is_refused_with_its_line():
    read = table()
    assert read.table("pair").read(Pair, PAIR) == Pair(1)
    assert "pair" not in read
    assert read.take("pair", LIST, None) is None
    assert failed(read.close) == "f.toml:3: list: no such key\n  there are format, pair"
    read.close(("list", "entry"))
    assert failed(read.take, "pear", TEXT) == "f.toml:1: pear: is missing\n  it has list, entry"


def test_the_line_is_that_of_the_table_that_is_meant():
    first, second = table().tables("entry")
    assert failed(first.take, "name", FLAG) == "f.toml:8: name: must be true or false, not 'a'"
    assert failed(first.table("pair").take, "left", TEXT) == "f.toml:9: pair.left: must be text, not 1"
    assert failed(first.tables("part")[0].take, "name", LIST).startswith("f.toml:12: name: ")
    assert failed(second.take, "name", TEXT).startswith("f.toml:14: name: is missing")
    assert failed(second.table("pair").take, "left", TEXT).startswith("f.toml:17: pair.left: ")
    assert failed(second.tables, "right") == "f.toml:15: right: must be [[right]] tables, not 3"
    assert str(second.error("all of it")) == "f.toml:14: all of it"


@pytest.mark.parametrize("text", ["a = [{ b = 1 }, { b = 2 }]", '[["a"]]\nb = 1\n[["a"]]\nb = 2'])
def test_no_table_is_lost_where_its_head_is_not_found(text):
    assert [each.take("b", integer()) for each in parse_table(text, "f.toml").tables("a")] == [1, 2]
    assert parse_table(text, "f.toml").tables("b") == []


@pytest.mark.parametrize(
    ("kind", "written", "said"),
    [
        (integer(1, 9), "10", "must be a number from 1 to 9, not 10"),
        (integer(), "true", "must be a number from 0 on, not True"),
        (one_of(("ring", "line")), '"rong"', "cannot be 'rong'\n  did you mean ring?"),
        (one_of(("ring", "line")), "[]", "must be one of ring, line, not []"),
        (NAMES, '["a", 1]', "must be a list of names, not ['a', 1]"),
        (WORDS, '" "', "must be text that is not empty, not ' '"),
        (by_name(int, "numbers"), "{ a = 'b' }", "must be numbers, not {'a': 'b'}"),
        (value("a table", dict), "1", "must be a table, not 1"),
    ],
)
def test_a_value_of_another_kind_is_refused(kind, written, said):
    assert failed(parse_table(f"key = {written}", "f.toml").take, "key", kind) == f"f.toml:1: key: {said}"


def test_an_error_in_the_making_has_the_place():
    def make(_):
        raise SpecError("no graph", where="entry 2", hint="write one")

    read = parse_table('\nkey = "x"', "f.toml")
    assert (
        failed(read.take, "key", value("text", str, make=make))
        == "f.toml:2: key: no graph (entry 2)\n  write one"
    )


def test_a_table_has_all_keys_without_a_default_and_no_others():
    read = parse_table("[a]\nright = 1\n[b]\nleft = 1\nrigth = 2", "f.toml")
    assert failed(read.table("a").read, Pair, PAIR) == "f.toml:1: a.left: is missing\n  it has right"
    assert failed(read.table("b").read, Pair, PAIR) == "f.toml:5: b.rigth: no such key\n  did you mean right?"
    assert read.table("c", needed=False).left == {}
    assert failed(parse_table("", "f.toml").table, "a").startswith("f.toml:1: a: is missing")


def test_a_file_of_another_format_is_refused():
    assert (
        failed(parse_table, "format = 'f/2'", "f.toml", "f/1") == "f.toml:1: format: must be 'f/1', not 'f/2'"
    )
