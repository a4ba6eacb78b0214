"""The graph that TLC wrote, as rows and pieces: nothing of it is lost, and what is not whole says so."""

from __future__ import annotations

import json

import pytest

from pyharness.base.errors import IncompleteError
from pyharness.hold.conformance import spark_tables
from pyharness.hold.conformance.graph_comparison import Paths
from pyharness.hold.conformance.spark_tables import pieces_of, state_rows
from pyharness.tla.tlc import load_graph
from pyharness.tla.tlc.dump import find_states
from tests.hold.conformance.places import CHAIN, RING2
from tests.hold.conformance.tiny_model import SUBJECT

pytestmark = pytest.mark.usefixtures("shared_tlc")


@pytest.mark.tlc
def test_a_row_for_each_state_and_for_no_other_line(dumped):
    text, result = dumped
    rows = [json.loads(row) for row in state_rows(text.splitlines(), SUBJECT)]
    assert len(rows) == result.distinct
    assert sum(row["initial"] for row in rows) == 2
    assert {row["topology"] for row in rows} == {RING2.id, CHAIN.id}
    assert not any("problem" in row for row in rows)
    assert rows == [json.loads(row) for row in state_rows(text.splitlines(), SUBJECT)]


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("old", "new", "spec"),
    [
        ('"];', '";', False),
        ("recState = <<>>", "recState = <<", False),
        ("closed = {}", "closed = {<<7, 7>>}", True),
        (f'topo = \\"{RING2.id}\\"', 'topo = \\"n9\\"', True),
    ],
)
def test_a_state_that_is_not_whole_says_so(dumped, old, new, spec):
    line = next(line for line in dumped[0].splitlines() if RING2.id in line and old in line)
    (row,) = (json.loads(row) for row in state_rows([line.replace(old, new, 1)], SUBJECT))
    assert row["problem"]
    assert row["spec"] is spec


def test_shortest_paths():
    paths = Paths([1, 9], [(1, "a", 2), (2, "b", 3), (1, "c", 3), (3, "d", 1), (3, "e", 4), (7, "f", 8)])
    assert paths.depth == {1: 1, 9: 1, 2: 2, 3: 2, 4: 3}
    assert paths.to(4) == [(None, 1), ("c", 3), ("e", 4)]
    assert paths.to(9) == [(None, 9)]


@pytest.mark.tlc
def test_states_are_found_by_their_ids(dumped, tmp_path):
    dump = tmp_path / "graph.dot"
    dump.write_text(dumped[0], encoding="utf-8")
    graph = load_graph(dump)
    some = list(graph.states)[::7]
    assert find_states(dump, some) == {number: graph.states[number] for number in some}
    with pytest.raises(IncompleteError, match="no state 5"):
        find_states(dump, [5, *some])


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_pieces_of_a_dump_are_its_lines_wherever_it_is_cut(tmp_path, monkeypatch, size):
    lines = ["", "a", "ä" * 40, "b -> c", "", "x" * 100, "}"]
    dump = tmp_path / "graph.dot"
    monkeypatch.setattr(spark_tables, "PIECE", size)
    for text in ("\n".join(lines), "\n".join(lines) + "\n"):
        dump.write_text(text, encoding="utf-8")
        length = dump.stat().st_size
        for middle in range(length + 1):
            pieces = [*pieces_of(dump, 0, middle), *pieces_of(dump, middle, length)]
            assert [line for piece in pieces for line in piece.split("\n")] == lines
        assert [line for piece in pieces_of(dump) for line in piece.split("\n")] == lines
