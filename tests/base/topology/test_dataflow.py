"""Dataflow graphs: which there are, how they are numbered, and that nothing renumbers them."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology, select
from pyharness.base.topology.families import DATAFLOWS, MOST_OPERATORS, dataflows
from tests.each_case import each_case

CHANNELS = {
    ("pipeline", 2): "12",
    ("pipeline", 4): "12 23 34",
    ("join", 3): "13 23",
    ("join", 5): "15 25 35 45",
    ("funnel", 4): "13 23 34",
    ("funnel", 5): "14 24 34 45",
    ("diamond", 4): "12 13 24 34",
    ("diamond", 5): "12 13 14 25 35 45",
    ("loop", 4): "12 23 32 34",
    ("loop", 5): "12 23 34 42 45",
}
COUNTS = {("acyclic", 2): 1, ("acyclic", 3): 4, ("acyclic", 4): 24, ("cyclic", 4): 12}
LISTED = [graph for shape, size in COUNTS for graph in dataflows(shape, size)]
NAMED = [graph for shape, size in CHANNELS for graph in dataflows(shape, size)]


def back_edges(graph):
    return {(source, target) for source, target in graph.channels if target <= source}


def regular(graph):
    return Topology.of(graph.processes, set(graph.channels) - back_edges(graph), graph.initiators)


def sources(graph):
    return {p for p in range(1, graph.processes + 1) if not graph.inputs(p)}


@pytest.mark.parametrize(("which", "channels"), CHANNELS.items(), ids=str)
def test_channels(which, channels):
    (graph,) = dataflows(*which)
    assert graph.channels == tuple((int(source), int(target)) for source, target in channels.split())


@pytest.mark.parametrize(("which", "count"), COUNTS.items(), ids=str)
def test_counts(which, count):
    found = list(dataflows(*which))
    assert len(found) == count
    assert len({graph.canonical() for graph in found}) == count
    sizes = [len(graph.channels) for graph in found]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_no_acyclic_graph_is_missing(n):
    """Counted another way: every connected graph without cycles, whatever its labels."""
    pairs = list(combinations(range(1, n + 1), 2))
    every = {
        Topology.of(n, [(order[s - 1], order[t - 1]) for s, t in chosen], [])
        for size in range(len(pairs) + 1)
        for chosen in combinations(pairs, size)
        for order in permutations(range(1, n + 1))
    }
    both_ways = {g: Topology.of(n, {*g.channels, *((t, s) for s, t in g.channels)}, [1]) for g in every}
    classes = {g.canonical() for g, undirected in both_ways.items() if undirected.everyone_reachable}
    assert {Topology.of(n, g.channels, []).canonical() for g in dataflows("acyclic", n)} == classes


@each_case("graph", [*LISTED, *NAMED])
def test_the_back_edges_are_a_split(graph):
    """Without them everyone is reached from the sources, and each leads to where its source was reached from."""
    flow = regular(graph)
    assert flow.everyone_reachable
    for source, target in back_edges(graph):
        assert source in flow.reachable_from([target])


@pytest.mark.parametrize(
    ("shape", "processes", "message"),
    [
        ("ring", 3, "no dataflow 'ring'"),
        ("pipeline", 1, "a dataflow pipeline has 2 to 5 processes, not 1"),
        ("acyclic", 1, "acyclic has 2 to 5"),
        ("join", 2, "join has 3 to 5"),
        ("diamond", 3, "diamond has 4 to 5"),
        ("loop", 3, "loop has 4 to 5"),
        ("cyclic", 3, "cyclic has 4 to 5"),
        *((shape, MOST_OPERATORS + 1, "not 6") for shape in DATAFLOWS),
    ],
)
def test_refuses(shape, processes, message):
    with pytest.raises(SpecError, match=message):
        list(dataflows(shape, processes))


@pytest.mark.parametrize("n", [3, 4])
def test_no_cyclic_graph_is_missing(n):
    """By trying all graphs; there is none of three processes, which is why the least size is four."""
    pairs = list(permutations(range(1, n + 1), 2))
    classes = set()
    for size in range(len(pairs) + 1):
        for chosen in combinations(pairs, size):
            initiators = set(range(1, n + 1)) - {target for _, target in chosen}
            graph = Topology.of(n, chosen, initiators)
            flow, back = regular(graph), back_edges(graph)
            undirected = Topology.of(n, {*chosen, *((t, s) for s, t in chosen)}, [1])
            if (
                back
                and any(not graph.outputs(p) for p in range(1, n + 1))
                and undirected.everyone_reachable
                and flow.everyone_reachable
                and all(source in flow.reachable_from([target]) for source, target in back)
            ):
                classes.add(graph.canonical())
    assert classes == ({g.canonical() for g in dataflows("cyclic", n)} if n > 3 else set())


# -- in a plan -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", COUNTS, ids=str)
def test_a_selection_keeps_the_labels(which):
    shape, n = which
    assert set(select({"dataflow": shape, "processes": n})) == set(dataflows(shape, n))


def test_a_selection_takes_some_of_them():
    every = select({"dataflow": "acyclic", "processes": [2, 3, 4]})
    assert len(every) == 29
    some = select({"dataflow": "acyclic", "processes": 4, "limit": 6})
    assert len(some) == 6
    assert set(some) < set(every)
    (first,) = select({"dataflow": "acyclic", "processes": 4, "limit": 1})
    assert first == next(dataflows("acyclic", 4))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            {"dataflow": "ring", "processes": 3},
            "`dataflow` cannot be 'ring'\n  there are pipeline, join, funnel",
        ),
        ({"dataflow": "join"}, "`processes` is missing"),
        ({"dataflow": "join", "processes": 2}, "a dataflow join has 3 to 5 processes, not 2"),
        ({"dataflow": "join", "processes": 3, "initiators": [1]}, "`initiators` does not go with `dataflow`"),
        ({"family": "ring", "processes": 3, "dataflow": "join"}, "`dataflow` does not go with `family`"),
    ],
    ids=str,
)
def test_a_selection_refuses(table, message):
    with pytest.raises(SpecError, match=message) as caught:
        select(table, where="quick.toml")
    assert str(caught.value).startswith("quick.toml: ")
