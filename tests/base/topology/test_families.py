"""Named families, worked examples, random graphs."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyharness.base.errors import SpecError
from pyharness.base.topology import FAMILIES, family, random_topology

CHANNELS = {
    ("ring", 2): "12 21",
    ("ring", 4): "12 23 34 41",
    ("two-way-ring", 3): "12 13 21 23 31 32",
    ("two-way-ring", 4): "12 14 21 23 32 34 41 43",
    ("clique", 1): "",
    ("clique", 3): "12 13 21 23 31 32",
    ("star", 4): "12 13 14 21 31 41",
    ("line", 4): "12 21 23 32 34 43",
    ("chain", 4): "12 23 34",
    ("fan-out", 4): "12 13 14",
    ("diamond", 3): "12 23",
    ("diamond", 5): "12 13 14 25 35 45",
    ("four-channels", None): "12 21 23 31",
    ("kuper", None): "12 13 21 23 31 32",
}


@pytest.mark.parametrize(("which", "channels"), CHANNELS.items(), ids=str)
def test_channels(which, channels):
    expected = tuple((int(source), int(target)) for source, target in channels.split())
    assert family(*which).channels == expected


@pytest.mark.parametrize("name", FAMILIES)
def test_everyone_is_reachable_from_process_1(name):
    known = FAMILIES[name]
    for processes in range(known.least, min(known.most, 6) + 1):
        topology = family(name, processes)
        assert topology.everyone_reachable
        assert topology.initiators == (1,)
        assert topology.strongly_connected == (name not in {"chain", "fan-out", "diamond"})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rings", 3), "no `family` 'rings'"),
        (("ring",), "`processes` of family ring is 2 to 24, not None"),
        (("ring", 1), "`processes` of family ring"),
        (("clique", 25), "not 25"),
        (("kuper", 4), "`processes` of family kuper is 3, not 4"),
        (("ring", 3, (4,)), "an initiator is 4"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(SpecError, match=message):
        family(*arguments)


@given(st.integers(1, 12), st.integers(0, 2**32))
def test_random_graphs_are_strongly_connected_and_repeatable(processes, seed):
    topology = random_topology(processes, Random(seed))
    assert topology.strongly_connected
    assert all(source != target for source, target in topology.channels)
    assert random_topology(processes, Random(seed)) == topology


@given(st.integers(2, 12), st.integers(0, 12), st.integers(0, 2**32))
def test_random_graphs_keep_to_channels_max(processes, extra, seed):
    topology = random_topology(processes, Random(seed), (2,), processes + extra)
    assert len(topology.channels) <= processes + extra
    assert topology.initiators == (2,)


def test_a_seed_draws_the_same_graph_for_ever():
    assert random_topology(4, Random(7)).id == "n4-72c6-i1"
