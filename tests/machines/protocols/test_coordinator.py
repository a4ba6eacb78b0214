"""The coordinator of checkpoints: what it keeps of what the tasks acknowledge."""

from __future__ import annotations

from pyharness.machines.protocols.checkpoints.checkpoint_coordinator import (
    Acknowledgement,
    CheckpointCoordinator,
)
from pyharness.machines.replay import explore
from tests.shipped_plans import shipped_plan

COORDINATOR = CheckpointCoordinator(2, [2], 1, overlap=0)


def ack(process, state, number=1):
    return Acknowledgement(number, process, state, ())


def at_end(last=0):
    """What P1, whose last checkpoint that one is, hands in at its end."""
    return [ack(1, "at its end", last)]


def triggered(coordinator, times):
    state = coordinator.initial()
    for _ in range(times):
        state = coordinator.trigger(state)
    return state


def test_a_state_at_a_tasks_end_is_not_replaced_by_a_late_acknowledgement():
    """A task in a cycle may end before the barrier comes back to it, and acknowledges then (TLA+: Acked)."""
    done = COORDINATOR.account(triggered(COORDINATOR, 1), [ack(2, "two")], (), at_end())
    assert done.completed == {1}
    late = COORDINATOR.account(done, [ack(1, "when it recorded")], (), at_end())
    assert late == done
    assert [known.state for known in late.acks[0]] == ["at its end", "two"]


def test_a_task_at_its_end_stands_in_for_no_checkpoint_that_it_has_recorded():
    """Its state then has more than what it recorded, and that is still to come."""
    waits = COORDINATOR.account(triggered(COORDINATOR, 1), [ack(2, "two")], (), at_end(last=1))
    assert waits.completed == frozenset()
    done = COORDINATOR.account(waits, [ack(1, "when it recorded")], (), at_end(last=1))
    assert [known.state for known in done.acks[0]] == ["when it recorded", "two"]


def test_of_checkpoints_that_overlap_the_newer_subsumes_or_waits():
    acks = [ack(process, "two", 2) for process in (1, 2)]
    subsumes, in_order = (CheckpointCoordinator(2, [2], 2, overlap=overlap) for overlap in (1, 2))
    done = subsumes.account(triggered(subsumes, 2), acks, (), ())
    assert (done.completed, done.aborted) == ({2}, {1})
    waits = in_order.account(triggered(in_order, 2), acks, (), ())
    assert (waits.completed, waits.aborted) == (frozenset(), frozenset())
    both = in_order.account(waits, [ack(process, "one") for process in (1, 2)], (), ())
    assert (both.completed, both.aborted) == ({1, 2}, frozenset())
    assert in_order.account(waits, (), [1], ()).completed == {2}


def test_a_source_hears_of_each_checkpoint_where_they_are_completed_in_their_order():
    subsumes, in_order = (CheckpointCoordinator(2, [2], 3, overlap=overlap) for overlap in (1, 2))
    assert [subsumes.news_for(triggered(subsumes, 3), last) for last in range(4)] == [3, 3, 3, 3]
    assert [in_order.news_for(triggered(in_order, 3), last) for last in range(4)] == [1, 2, 3, 0]
    declined = in_order.account(triggered(in_order, 3), (), [1], ())
    assert in_order.news_for(declined, 0) == 2


def test_where_tasks_in_a_cycle_end_there_are_as_many_states_as_tlc_finds():
    (model,) = (m for m in shipped_plan("full").models if m.name == "checkpoints-cyclic-ends")
    (topology,) = model.topologies
    assert explore(model.system(topology), stop_when_over=False).distinct == model.pins.distinct
