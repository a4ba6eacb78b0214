"""Snapshots with ids: each is one of Chandy and Lamport's, what is complete is forgotten, what is wrong is refused."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyharness.base.errors import PeerError
from pyharness.base.topology import Topology
from pyharness.machines.explain.behaviour_view import strangers
from pyharness.machines.protocols import Items, Message
from pyharness.machines.protocols.markers.snapshots import SnapshotMarker, Snapshots
from pyharness.machines.systems import build_system
from pyharness.machines.systems.composition import PROTOCOLS
from pyharness.machines.systems.protocol_spec import seen
from pyharness.machines.systems.snapshots_system import Tagged

BOTH = Topology.from_id("n2-6-i1_2")
LINE = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 2)], [1, 3])
SPEC = PROTOCOLS["Snapshots"]


def system_on(topology, each=1, overlap=1, items=1):
    return build_system("Snapshots", topology, Items(items), constants={"Each": each, "Overlap": overlap})


def walk(system, random, steps=60):
    """Yield the states of a random behaviour."""
    state = next(iter(system.initial()))
    for _ in range(steps):
        yield state
        actions = list(system.actions(state))
        if not actions:
            return
        state = random.choice(actions).after


@pytest.mark.parametrize(
    ("element", "said"),
    [
        (SnapshotMarker((1, 9)), "a marker in C12 is of snapshot P1.9: none"),
        (Tagged(1, frozenset({(1, 9)})), "a message in C12 is red for snapshot P1.9: none"),
    ],
)
def test_what_is_of_no_snapshot_is_no_state(element, said):
    system = system_on(BOTH)
    state = next(iter(system.initial()))
    strange = state._replace(queues=((element,), *state.queues[1:]))
    assert SPEC.violations(system, None, state) == ()
    assert "TypeOK" in SPEC.violations(system, None, strange)
    assert strangers(seen(system, strange)) == f"after step 1 {said}"


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([(BOTH, 2), (LINE, 2), (LINE, 3)]))
def test_every_snapshot_of_a_long_run_is_right(seed, place):
    topology, each = place
    system = system_on(topology, each, items=3)
    before = None
    for state in walk(system, Random(seed), 100):
        assert SPEC.violations(system, before, state) == ()
        before = state


def test_one_at_a_time_waits_for_the_others():
    system = system_on(BOTH, 2, overlap=0)
    for seed in range(20):
        for state in walk(system, Random(seed)):
            under_way = [n for n in system.ids if any(local.part(n) for local in state.local)]
            assert sum(not system.complete_for(state, n) for n in under_way) <= 1


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_marker_that_is_not_the_next_one_is_refused(number):
    two = Snapshots(2, Topology.from_id("n2-6-i1"), Items(1))
    state = two.accept_marker(two.initial(frozenset()), (1, 2), SnapshotMarker((1, 1))).state
    with pytest.raises(PeerError, match=f"marker {number} of process 1"):
        two.accept_marker(state, (1, 2), SnapshotMarker((1, number)))
    with pytest.raises(PeerError, match="not a marker"):
        two.accept_marker(state, (1, 2), Message("marker"))
