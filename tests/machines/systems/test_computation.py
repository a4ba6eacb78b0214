"""The computation alone: what it is of every protocol's system, and its actions as values."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import HealthCheck, given, settings

from pyharness.machines.systems.computation import ComputationSystem
from tests.machines.replay.walks import walks


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
