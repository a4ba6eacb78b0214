"""The implementation's own state spaces, against counts that TLC printed for the specs."""

from __future__ import annotations

from collections import Counter

import pytest

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.topology import Topology
from pyharness.machines.protocols import Items
from pyharness.machines.replay import explore
from pyharness.machines.systems import (
    build_system,
    violations,
)

RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
RING3 = Topology.of(3, [(1, 2), (2, 3), (3, 1)], [1])
FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])

# Distinct states on the three graphs together, as TLC 2.15 counts them with ACTION_CONSTRAINT ~Over, two items.
TLC_COUNTS = {
    ("ChandyLamport", "event"): 8106,
    ("ChandyLamport", "action"): 8106,
    ("StopTheWorld", "event"): 3312,
    ("WhiteRed", "event"): 6186,
    ("WhiteRed", "action"): 7652,
}


@pytest.mark.parametrize(("protocol", "granularity"), TLC_COUNTS)
def test_counts_are_those_of_tlc(protocol, granularity):
    found = [
        explore(build_system(protocol, graph, Items(2), granularity)).distinct
        for graph in (RING2, RING3, FOUR)
    ]
    assert sum(found) == TLC_COUNTS[protocol, granularity]


@pytest.mark.parametrize("protocol", ["ChandyLamport", "StopTheWorld", "WhiteRed"])
def test_no_reachable_step_violates_a_property(protocol):
    system = build_system(protocol, RING2, Items(2))
    level, taken, depth = list(system.initial()), Counter(), 0
    seen = set(level)
    while level:
        following, depth = [], depth + 1
        for state in level:
            for action in () if system.over(state) else system.actions(state):
                taken[action.name] += 1
                assert not violations(system, state, action.after), action
                if action.after not in seen:
                    seen.add(action.after)
                    following.append(action.after)
        level = following
    assert len(seen) > 200
    found = explore(system)
    assert (found.actions, found.transitions, found.depth) == (taken, taken.total(), depth)


def test_too_many_states_is_incomplete():
    with pytest.raises(IncompleteError):
        explore(build_system("ChandyLamport", RING2, Items(2)), max_states=10)


def test_unknown_names_are_errors():
    with pytest.raises(SpecError, match="no protocol"):
        build_system("Nothing", RING2, Items(1))
    with pytest.raises(SpecError, match="no mutant"):
        build_system("ChandyLamport", RING2, Items(1), mutant="Nothing")
    with pytest.raises(SpecError, match="mutant of WhiteRed"):
        build_system("ChandyLamport", RING2, Items(1), mutant="NoGuard")
