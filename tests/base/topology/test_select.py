"""The tables by which plans choose topologies."""

from itertools import pairwise

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology, choose_topologies, family, generate, listing_key, select


def test_all_graphs_of_some_sizes():
    assert select({"processes": 3}) == tuple(generate(3))
    assert select({"processes": [3, 2, 3]}) == (*generate(2), *generate(3))
    assert select({"processes": 3, "rooted": False}) == tuple(generate(3, initiators=0))
    assert select({"processes": 3, "rooted": True, "initiators": 2}) == tuple(generate(3, initiators=2))
    assert len(select({"processes": 3, "initiators": "any"})) == 25
    bounded = select({"processes": 4, "channels_min": 5, "channels_max": 5})
    assert {len(topology.channels) for topology in bounded} == {5}


def test_limit_spreads_over_the_list():
    everything = select({"processes": [3, 4]})
    sample = select({"processes": [3, 4], "limit": 12})
    places = [everything.index(topology) for topology in sample]
    assert places[0] == 0
    assert places[-1] == len(everything) - 1
    gaps = {later - earlier for earlier, later in pairwise(places)}
    assert len(places) == 12
    assert max(gaps) - min(gaps) <= 1
    assert select({"processes": 3, "limit": 1}) == select({"processes": 3})[:1]
    assert (
        select({"processes": 3, "limit": 10}) == select({"processes": 3, "limit": 99}) == tuple(generate(3))
    )


def test_family():
    assert select({"family": "ring", "processes": 4}) == (family("ring", 4).canonical(),)
    assert [t.processes for t in select({"family": "line", "processes": [2, 3, 4]})] == [2, 3, 4]
    assert select({"family": "line", "processes": 3, "initiators": [2]}) == (
        family("line", 3, (2,)).canonical(),
    )
    assert select({"family": "ring", "processes": 3, "rooted": False})[0].initiators == ()


def test_worked_examples_keep_their_labels():
    example = Topology(3, ((1, 2), (2, 1), (2, 3), (3, 1)), (1,))
    assert example != example.canonical()
    assert (
        select({"family": "four-channels"})
        == select({"family": "four-channels", "processes": 3})
        == (example,)
    )
    for tables in (
        [{"processes": 3}, {"family": "four-channels"}],
        [{"family": "four-channels"}, {"processes": 3}],
    ):
        chosen = choose_topologies(tables)
        assert len(chosen) == 10
        assert example in chosen
        assert example.canonical() not in chosen


def test_ids_become_canonical_and_distinct():
    line = Topology.from_id("n3-0aa-i1")
    assert line != line.canonical()
    assert select({"ids": [line.id, line.canonical().id, "n2-6-i1"]}) == (
        Topology.from_id("n2-6-i1"),
        line.canonical(),
    )


def test_random():
    table = {"random": 5, "processes": 4, "seed": 7}
    chosen = select(table)
    assert chosen == select(table)
    assert len(chosen) == 5
    assert all(t == t.canonical() and t.strongly_connected for t in chosen)
    assert set(chosen) < set(select({**table, "processes": [3, 4]}))
    assert len(select({**table, "processes": [3, 4]})) == 10
    assert select({**table, "seed": 8}) != chosen
    assert {t.initiators for t in select({**table, "initiators": 2})} == {(1, 2)}
    assert {t.initiators for t in select({**table, "rooted": False})} == {()}
    assert all(len(t.channels) <= 5 for t in select({**table, "channels_max": 5}))


def test_union_is_ordered_and_distinct():
    chosen = choose_topologies(
        [{"processes": 4, "limit": 3}, {"family": "ring", "processes": [2, 3, 4]}, {"processes": [2, 3]}]
    )
    assert list(chosen) == sorted(set(chosen), key=listing_key)
    assert len({topology.canonical() for topology in chosen}) == len(chosen)
    assert set(generate(3)) < set(chosen)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "`processes` is missing"),
        ({"procesess": 3}, "`procesess` is not a known key.*\n.*did you mean `processes`"),
        ({"processes": "3"}, "`processes`"),
        ({"processes": 25}, "`processes`"),
        ({"processes": 6}, "`channels_max`"),
        ({"processes": 3, "rooted": False, "initiators": 1}, "`initiators` contradicts `rooted`"),
        ({"processes": 3, "initiators": "all"}, "`initiators`"),
        ({"processes": [2, 3], "initiators": 3}, "`initiators` is a whole number from 0 to 2"),
        ({"processes": 3, "channels_min": 5, "channels_max": 4}, "`channels_max`"),
        ({"processes": 3, "channels_max": 2}, "no topology fits `processes` = 3, `channels_max` = 2"),
        ({"processes": 3, "limit": 0}, "`limit`"),
        ({"processes": 3, "seed": 1}, "`seed` does not go with `processes`"),
        ({"family": "rings", "processes": 3}, "`family` cannot be 'rings'\n  did you mean ring"),
        ({"family": "ring", "processes": 1}, "`processes` of family ring"),
        ({"family": "kuper", "processes": 4}, "`processes` of family kuper"),
        ({"family": "ring", "processes": 3, "limit": 1}, "`limit` does not go with `family`"),
        (
            {"family": "ring", "processes": 3, "initiators": [4]},
            "`initiators` reaches 4, but the processes are 1..3",
        ),
        ({"random": 2, "processes": 3}, "`seed` is missing"),
        ({"random": 1, "processes": 3, "seed": 1, "initiators": 4}, "`initiators` reaches 4"),
        ({"random": 1, "processes": 4, "seed": 1, "channels_max": 3}, "`channels_max`"),
        ({"random": 1, "processes": 4, "seed": 1, "family": "ring"}, "`random` does not go with `family`"),
        ({"ids": "n2-6"}, "`ids`"),
        ({"ids": ["n2-6", "n2-66"]}, "`ids` holds a wrong id: 'n2-66'"),
        ({"ids": ["n2-6"], "processes": 2}, "`processes` does not go with `ids`"),
        ([{"processes": 3}], "is a table"),
    ],
    ids=str,
)
def test_refuses(table, message):
    with pytest.raises(SpecError, match=message) as caught:
        select(table, where="quick.toml")
    assert str(caught.value).startswith("quick.toml: ")
