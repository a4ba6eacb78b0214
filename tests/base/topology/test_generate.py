"""Counts, order and completeness of the generated graphs."""

from itertools import islice, permutations

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology, generate, listing_key


def count(*arguments, **options):
    return sum(1 for _ in generate(*arguments, **options))


def test_counts_of_strongly_connected_graphs():
    assert [count(n) for n in (1, 2, 3, 4)] == [1, 1, 10, 287]
    assert [count(n, initiators=0) for n in (1, 2, 3, 4)] == [1, 1, 5, 83]


def brute_force(n, accepts):
    """One graph of each class of rooted or unrooted graphs without loops, by trying all labelled ones."""
    possible = list(permutations(range(1, n + 1), 2))
    found = set()
    for mask in range(2 ** len(possible)):
        channels = tuple(pair for index, pair in enumerate(possible) if mask >> index & 1)
        for roots in range(2**n):
            initiators = tuple(p for p in range(1, n + 1) if roots >> (p - 1) & 1)
            topology = Topology(n, channels, initiators)
            if accepts(topology):
                found.add(min(topology.relabelled(label) for label in permutations(range(1, n + 1))))
    return found


@pytest.mark.parametrize(
    ("n", "initiators"), [(n, initiators) for n in (1, 2, 3) for initiators in (*range(n + 1), "any")]
)
def test_agrees_with_brute_force(n, initiators):
    def accepts(topology):
        how_many = len(topology.initiators)
        wanted = how_many == initiators or (initiators == "any" and how_many)
        return wanted and topology.strongly_connected

    generated = list(generate(n, initiators=initiators))
    assert len(generated) == len(set(generated))
    least = {min(t.relabelled(label) for label in permutations(range(1, n + 1))) for t in generated}
    assert least == brute_force(n, accepts)
    assert len(least) == len(generated)


@pytest.mark.parametrize("initiators", [0, 1, 2, "any"])
def test_is_canonical_ordered_and_without_duplicates(initiators):
    graphs = list(generate(4, initiators=initiators))
    assert all(graph == graph.canonical() for graph in graphs)
    assert graphs == sorted(set(graphs), key=listing_key)


def test_bounds_on_channels():
    graphs = list(generate(4))
    bounded = list(generate(4, channels_min=5, channels_max=6))
    assert bounded == [graph for graph in graphs if 5 <= len(graph.channels) <= 6]
    assert list(generate(4, channels_max=99)) == graphs
    assert count(4, channels_max=3) == 0


def test_is_lazy():
    (first,) = islice(generate(6, channels_max=6, initiators=0), 1)
    assert len(first.channels) == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"processes": 0}, "`processes`"),
        ({"processes": 3, "initiators": 4}, "`initiators`"),
        ({"processes": 3, "initiators": "all"}, "`initiators`"),
        ({"processes": 3, "channels_min": 3, "channels_max": 2}, "`channels_max`"),
        ({"processes": 6}, "more than 1,491,308 graphs"),
    ],
)
def test_refuses_at_once(options, message):
    with pytest.raises(SpecError, match=message):
        generate(**options)
