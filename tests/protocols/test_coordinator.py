"""The coordinator of checkpoints: what it keeps of what the tasks acknowledge."""

from __future__ import annotations

from pyharness.protocols.checkpoints.checkpoint_coordinator import Acknowledgement, CheckpointCoordinator
from pyharness.replay import explore
from tests.shipped_plans import shipped_plan

COORDINATOR = CheckpointCoordinator(2, [2], 1, overlap=False)


def ack(process, state):
    return Acknowledgement(1, process, state, ())


def test_a_state_at_a_tasks_end_is_not_replaced_by_a_late_acknowledgement():
    """A task in a cycle may end before the barrier comes back to it, and acknowledges then (TLA+: Acked)."""
    triggered = COORDINATOR.trigger(COORDINATOR.initial())
    done = COORDINATOR.account(triggered, [ack(2, "two")], (), [ack(1, "at its end")])
    assert done.completed == {1}
    late = COORDINATOR.account(done, [ack(1, "when it recorded")], (), [ack(1, "at its end")])
    assert late == done
    assert [known.state for known in late.acks[0]] == ["at its end", "two"]


def test_where_tasks_in_a_cycle_end_there_are_as_many_states_as_tlc_finds():
    (model,) = (m for m in shipped_plan("full").models if m.name == "checkpoints-cyclic-ends")
    (topology,) = model.topologies
    assert explore(model.system(topology), stop_when_over=False).distinct == model.pins.distinct
