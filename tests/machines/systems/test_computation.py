"""The computation alone: what it is of every protocol's system, and its actions as values."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings

from pyharness.base.topology import Topology
from pyharness.machines.protocols import Items
from pyharness.machines.replay import explore
from pyharness.machines.systems import build_system
from pyharness.machines.systems.computation import ComputationSystem, LocalAction
from tests.machines.replay.walks import walks

RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
LOOP = Topology.of(2, [(1, 1), (1, 2), (2, 1)], [1])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(walks())
def test_every_protocol_is_a_computation_or_stands_still(walked):
    system, path, _ = walked
    computation = ComputationSystem(system.topology, system.application, granularity=system.granularity)
    for before, after in pairwise(map(computation.underlying, path)):
        if before != after:
            taken = [action for action, end in computation.local_actions(before) if end == after]
            assert taken
            assert all(computation.take(before, action) == after for action in taken)
            assert after in {action.after for action in computation.actions(before)}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(walks())
def test_actions_as_values_are_the_actions(walked):
    system, path, _ = walked
    computation = ComputationSystem(system.topology, system.application, granularity=system.granularity)
    for state in map(computation.underlying, path[:10]):
        local = {(action.name, after) for action, after in computation.local_actions(state)}
        named = {(action.name, action.after) for action in computation.actions(state)}
        # an exchange of nothing is no action; one with a single channel is a Send or an Accept
        assert {after for _, after in local} - {state} == {after for _, after in named} - {state}
        assert {name for name, after in local if after != state} >= {
            n for n, after in named if after != state
        }


def test_what_is_not_possible_is_none():
    system = ComputationSystem(RING2, Items(2))
    start = next(system.initial())
    assert system.take(start, LocalAction(1, (((2, 1), 2),), (), frozenset({1, 2}))) is None
    assert system.take(start, LocalAction(1, (), (((1, 2), 2),), frozenset())) is None
    assert system.take(start, LocalAction(1, (), (((1, 2), 1),), frozenset({1}))) is None
    sent = system.take(start, LocalAction(1, (), (((1, 2), 1),), frozenset()))
    assert dict(system.variables(sent)["chan"]) == {(1, 2): (1,), (2, 1): ()}


def test_an_action_says_what_it_is():
    def named(accepted, sent):
        action = LocalAction(1, accepted, sent, frozenset())
        return f"{action.name} {action.detail(LOOP)}"

    assert named((), ()) == "Internal P1"
    assert named((((2, 1), 7),), ()) == "Accept C21 7"
    assert named((), (((1, 2), 7),)) == "Send C12 7"
    assert named((((2, 1), 7),), (((1, 1), 8), ((1, 2), 9))) == "Exchange accepts C21 7, sends C11 8, C12 9"
    assert named((((1, 1), 7), ((2, 1), 8)), ()) == "Exchange accepts C11 7, C21 8"


@pytest.mark.parametrize("granularity", ["event", "action"])
def test_it_never_ends_and_has_no_snapshot(granularity):
    system = build_system("Computation", RING2, Items(2), granularity)
    found = explore(system)
    assert found.actions.keys() == ({"Send", "Accept"} | ({"Exchange"} if granularity == "action" else set()))
    assert not any(system.complete(state) for state in system.initial())
