"""The laws by which `specs/survivors.toml` calls changes of the protocols equivalent, in every state of some models."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from pyharness.machines.protocols import Tasks
from pyharness.machines.protocols.checkpoints.checkpoint_coordinator import CheckpointCoordinator
from pyharness.machines.protocols.collecting import predicates
from pyharness.machines.protocols.collecting.predicates import Snapshot
from tests.long import some
from tests.shipped_plans import shipped_plan

MODELS = {model.name: model for model in shipped_plan("quick").models}
BARRIERS = ("timeout-barriers", "cyclic-barriers")
CHECKPOINTS = (
    "checkpoints-cyclic",
    "checkpoints-announced",
    "checkpoints-not-after-ends",
    "checkpoints-decline-and-crash",
    "checkpoints-savepoint",
    "checkpoints-at-least-once",
)


@cache
def states(name):
    """Every state of a model that the implementation reaches on graphs of three processes, with its system."""
    found = []
    for topology in (graph for graph in MODELS[name].topologies if graph.processes <= 3):
        system = MODELS[name].system(topology)
        seen = dict.fromkeys(system.initial())
        waiting = list(seen)
        while waiting:
            state = waiting.pop()
            following = {action.after for action in system.actions(state)} - seen.keys()
            seen |= dict.fromkeys(following)
            waiting += following
        found += [(system, state) for state in seen]
    return found


@pytest.mark.parametrize("name", some(BARRIERS, 1))
def test_a_blocked_input_has_brought_its_barrier(name):
    for system, state in states(name):
        for machine, own in zip(system.processes, state.local, strict=True):
            for index in range(len(machine.inputs)):
                assert own.arrived[index] or not machine.blocked(own, index)


def tasks_in(name):
    for system, state in states(name):
        yield from zip(system.processes, state.local, strict=True)


@pytest.mark.parametrize("name", some(CHECKPOINTS, 2))
def test_what_is_pending(name):
    for task, own in tasks_in(name):
        handler, pending = task.handler, own.handler.pending
        assert len(pending) <= 1 or not handler.exclusive()
        assert handler.exclusive() or handler.regular == handler.inputs, "so what is ready is whole"
        assert [each.id for each in pending] == sorted({each.id for each in pending})
        staged = [number for number, _ in own.sink.staged] if own.sink else []
        assert staged == sorted(staged)
        for each in pending:
            assert each.held <= each.arrived
            assert each.held <= handler.regular
            assert each.taken or not handler.ready(each)
            assert not handler.all_arrived(each)
            if handler.back & each.arrived:
                assert each.taken


@pytest.mark.parametrize("name", some(CHECKPOINTS, 2))
def test_what_the_coordinator_is_told(name, monkeypatch):
    """A task acknowledges a checkpoint once, and aborts none that is complete; a complete one lacks nothing."""
    account = CheckpointCoordinator.account

    def watched(self, state, acknowledged, aborted, final):
        for ack in acknowledged:
            assert ack.process not in {known.process for known in state.acks[ack.id - 1]}
        assert not state.completed & set(aborted)
        after = account(self, state, acknowledged, aborted, final)
        newest = max(after.completed, default=0)
        assert not newest or {ack.process for ack in after.acks[newest - 1]} == self.processes
        assert after.triggered <= self.checkpoints
        assert all(n <= self.checkpoints for n in after.completed | after.aborted)
        return after

    monkeypatch.setattr(CheckpointCoordinator, "account", watched)
    states.__wrapped__(name)


def test_who_can_send_a_task_can_act_by_itself():
    """So it makes no difference to `quiet` whether sending is asked for; and every task is welcome."""
    for need, losses, duplicates in product((1, 2, 3), (0, 1), (0, 1)):
        tasks = Tasks(2, need=need, losses=losses, duplicates=duplicates)
        for held, waits in product(product(range(3), repeat=2), (False, True)):
            state = (held, (0, 0), waits, losses, duplicates)
            assert list(tasks.internals(1, state)) or not list(tasks.sendable(1, (1, 2), state))
            assert tasks.sendable(1, (1, 2), state) == tasks.sendable(2, (2, 1), state)
            assert all(tasks.acceptable(2, (1, 2), state, task) for task in tasks.tasks)
            for queue in ((1,), (2, 1)):
                full = Snapshot({1: state, 2: state}, {(1, 2): queue, (2, 1): ()})
                assert not predicates._quiet(full, tasks), "so where all is quiet the channels are empty"


@pytest.mark.parametrize(
    "name", ["white-red-full-actions-two-inputs", "chandy-lamport-full-actions-two-inputs"]
)
def test_the_systems_hand_in_channels_in_their_order(name):
    (topology,) = MODELS[name].topologies
    system = MODELS[name].system(topology)
    seen = []

    def watched(handler):
        def handed(state, taken, sending):
            seen.append((list(taken), list(sending)))
            return handler(state, taken, sending)

        return handed

    for machine in system.processes:
        machine.exchanges = watched(machine.exchanges)
    for _, state in states(name):
        list(system.actions(state))
    assert any(len(taken) > 1 for taken, _ in seen)
    assert all(part == sorted(part) for pair in seen for part in pair)
