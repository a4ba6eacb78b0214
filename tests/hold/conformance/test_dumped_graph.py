"""The graph that TLC wrote: its states, found by their ids, and the shortest ways to them."""

from __future__ import annotations

import pytest

from pyharness.base.errors import IncompleteError
from pyharness.hold.conformance.dumped_graph import Paths
from pyharness.tla.tlc import load_graph
from pyharness.tla.tlc.dump import find_states


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
