"""E22: each protocol holds up what it may, and no more; and one that holds up another step, or none, is found."""

from __future__ import annotations

import pytest

from pyharness.base.topology import Topology
from pyharness.machines.protocols import (
    AtLeastOnceBarriers,
    ChandyLamport,
    Dataflow,
    Items,
    StopTheWorld,
    Tasks,
    UnalignedBarriers,
)
from pyharness.machines.replay.worked_examples import load_example, take
from pyharness.machines.systems import PROTOCOLS, build_system
from pyharness.machines.systems.held_up import computation_steps, held_up
from tests.each_case import each_case

RING = Topology.of(2, [(1, 2), (2, 1)], [1])
TWO_INPUTS = Topology.of(3, [(1, 2), (1, 3), (2, 3), (3, 1)], [1])
JOIN = Topology.of(3, [(1, 3), (2, 3)], [1, 2])
LOOP = Topology.of(3, [(1, 3), (2, 3), (3, 3)], [1, 2])
NAMES = ("HoldsNobodyUp", "HeldIsPaused", "HeldIsInput", "HeldIsBlocked")


def states_of(system, depth=99, *, beyond=False):
    seen, level = set(), set(system.initial())
    while level and depth:
        seen |= level
        going_on = [state for state in level if beyond or not system.over(state)]
        level = {action.after for state in going_on for action in system.actions(state)} - seen
        depth -= 1
    return seen


def prop(system):
    known = PROTOCOLS[system.protocol].state_properties
    return next(known[name] for name in NAMES if name in known)


CASES = [
    ("ChandyLamport", TWO_INPUTS, Items(1), "event"),
    ("ChandyLamport", RING, Tasks(1), "action"),
    ("Snapshots", Topology.of(2, [(1, 2), (2, 1)], [1, 2]), Items(1), "event"),
    ("StopTheWorld", RING, Items(2), "action"),
    ("StopTheInput", JOIN, Dataflow(2), "event"),
    ("AlignedBarriers", JOIN, Dataflow(1), "event"),
    ("AlignedBarriers", JOIN, Dataflow(2), "action"),
    ("TimeoutBarriers", JOIN, Dataflow(1), "event"),
    ("CyclicBarriers", LOOP, Dataflow(1), "event"),
    ("UnalignedBarriers", JOIN, Dataflow(1), "event"),
    ("AtLeastOnceBarriers", JOIN, Dataflow(1), "event"),
]


@each_case("name, topology, application, granularity", CASES)
def test_what_is_held_up_is_what_the_protocol_says(name, topology, application, granularity):
    system = build_system(name, topology, application, granularity=granularity)
    states = states_of(system)
    assert all(prop(system)(system, state) for state in states)
    assert any(computation_steps(system, state) for state in states)
    stops = name not in {"ChandyLamport", "Snapshots", "UnalignedBarriers", "AtLeastOnceBarriers"}
    assert any(held_up(system, state) for state in states) == stops


def standing_still(process):
    """Make a process that sends nothing, and does nothing by itself, once it has recorded."""

    class HoldsStill(process):
        def may_send(self, state):
            return state.recorded is None

    return HoldsStill


class SendsWhilePaused(StopTheWorld):
    def may_send(self, state):
        return True


@pytest.mark.parametrize(
    ("name", "process", "topology", "application"),
    [
        ("ChandyLamport", standing_still(ChandyLamport), RING, Items(1)),
        ("ChandyLamport", standing_still(ChandyLamport), RING, Tasks(1)),
        ("UnalignedBarriers", standing_still(UnalignedBarriers), JOIN, Dataflow(1)),
        ("AtLeastOnceBarriers", standing_still(AtLeastOnceBarriers), JOIN, Dataflow(1)),
        ("StopTheWorld", SendsWhilePaused, RING, Items(1)),
        ("StopTheInput", SendsWhilePaused, JOIN, Dataflow(1)),
    ],
)
def test_a_process_that_waits_or_does_not_wait_is_found(name, process, topology, application):
    system = PROTOCOLS[name].system(topology, application, process=process)
    assert not all(prop(system)(system, state) for state in states_of(system, depth=6))


def test_a_message_behind_a_marker_is_not_held_up_and_one_behind_a_marker_that_waits_is():
    system = build_system("ChandyLamport", RING, Items(1))
    (first,) = system.initial()
    marked = next(a.after for a in system.actions(first) if a.name == "Initiate")
    behind = next(a.after for a in system.actions(marked) if a.name == "Send")
    assert computation_steps(system, behind)
    assert not held_up(system, behind)
    system.marker_actions = lambda *_: iter(())
    assert held_up(system, behind)


def test_the_world_that_stops_in_four_steps_costs_the_source_nine_of_fifteen():
    schedule = load_example("four-steps")
    taken = take(schedule)
    held = [{step.process for step in held_up(taken.system, state)} for state in taken.path]
    paused, resumed = (
        next(n for n, step in enumerate(schedule.steps) if step.action == name)
        for name in ("PauseInput", "Resume")
    )
    assert held == [{1} if paused < n <= resumed else set() for n in range(16)]
    assert (len(schedule.steps), resumed - paused) == (15, 9)
