"""The properties of ``specs/Checkpoints.tla`` over global states of the implementation, under their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.protocols import Barrier, Dataflow
from pyharness.protocols.checkpoints.checkpoint_coordinator import IN_ORDER
from pyharness.protocols.checkpoints.record_bags import together
from pyharness.systems.checkpoint_system import CheckpointSystem, records_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.protocols.checkpoints.record_bags import Bag
    from pyharness.systems.system import GlobalState, System

__all__ = [
    "abort_unblocks",
    "aborted_once",
    "at_least_once",
    "checkpoint_exact",
    "checkpoint_loses_nothing",
    "committed_is_safe",
    "committed_loses_nothing",
    "committed_once",
    "complete_iff_acknowledged",
    "complete_in_order",
    "every_checkpoint_ends",
    "exact_on_pipelines",
    "exactly_once",
    "monotone_ids",
    "none_waits",
    "output_once",
    "switch_is_followed",
    "switch_is_told",
    "type_ok",
]


def type_ok(system: System, state: GlobalState) -> bool:
    """Numbers are those triggered, and of one checkpoint at a time where there is one."""
    outside = state.outside
    known = outside.completed | outside.aborted
    exclusive = _of(system).bounds.mode != "at-least-once"
    return (
        not outside.completed & outside.aborted
        and known <= set(range(1, outside.triggered + 1))
        and all(
            (not exclusive or len(own.handler.pending) <= 1)
            and {number for number, _ in own.copies} <= {pending.id for pending in own.handler.pending}
            for own in state.local
        )
    )


def checkpoint_exact(system: System, state: GlobalState) -> bool:
    """A1: the newest complete checkpoint is the fold of exactly the records up to its offsets."""
    return all(_dataflow(system).conserved(*snapshot) for snapshot in _restorable(system, state))


def checkpoint_loses_nothing(system: System, state: GlobalState) -> bool:
    """A4: or at least of those."""
    return all(_dataflow(system).nothing_lost(*snapshot) for snapshot in _restorable(system, state))


def exactly_once(system: System, state: GlobalState) -> bool:
    """A2: what is folded is what a run without failures folds."""
    return _dataflow(system).conserved([own.app for own in state.local], records_in(state))


def at_least_once(system: System, state: GlobalState) -> bool:
    """A4: or more."""
    return _dataflow(system).nothing_lost([own.app for own in state.local], records_in(state))


def exact_on_pipelines(system: System, state: GlobalState) -> bool:
    """A4: where no task has two inputs, nothing comes twice."""
    return any(len(task.inputs) > 1 for task in system.processes) or exactly_once(system, state)


def output_once(system: System, state: GlobalState) -> bool:
    """A3: a plain sink puts each record out once: not so after a crash."""
    return all(count <= 1 for own in state.local if own.sink for count in _counts(own.sink.output))


def committed_once(system: System, state: GlobalState) -> bool:
    """A3: with two-phase commit it does."""
    return all(count <= 1 for own in state.local if own.sink for count in _counts(own.sink.committed))


def committed_is_safe(system: System, state: GlobalState) -> bool:
    """A3: only what a complete checkpoint has folded is committed."""
    newest = max(state.outside.completed, default=0)
    if not newest:
        return not any(any(_counts(own.sink.committed)) for own in state.local if own.sink)
    acks = {ack.process: ack for ack in state.outside.acks[newest - 1]}
    if len(acks) < len(system.processes):
        return True
    return all(
        out <= folded
        for number, own in enumerate(state.local, start=1)
        if own.sink
        for out, folded in zip(_counts(own.sink.committed), _counts(acks[number].state[1]), strict=True)
    )


def committed_loses_nothing(system: System, state: GlobalState) -> bool:
    """A3: what the newest complete checkpoint has folded is committed, or staged up to it."""
    newest = max(state.outside.completed, default=0)
    acks = {ack.process: ack for ack in state.outside.acks[newest - 1]} if newest else {}
    if len(acks) < len(system.processes):
        return True
    for number, own in enumerate(state.local, start=1):
        if own.sink:
            sure = own.sink.committed
            for staged, bag in own.sink.staged:
                sure = together(sure, bag) if staged <= newest else sure
            if any(
                out < folded
                for out, folded in zip(_counts(sure), _counts(acks[number].state[1]), strict=True)
            ):
                return False
    return True


def complete_in_order(system: System, state: GlobalState) -> bool:
    """A8: where checkpoints are completed in their order, all before a complete one are complete or aborted."""
    over = state.outside.completed | state.outside.aborted
    return all(over >= set(range(1, n + 1)) for n in state.outside.completed)


def aborted_once(system: System, state: GlobalState) -> bool:
    """A7: a task aborts a checkpoint once."""
    return all(count <= 1 for own in state.local for count in own.aborts)


def abort_unblocks(system: System, state: GlobalState) -> bool:
    """A7: a task is not blocked by what it aborted."""
    return not any(own.aborts[pending.id - 1] for own in state.local for pending in own.handler.pending)


def switch_is_told(system: System, state: GlobalState) -> bool:
    """A6: what a task that has switched sends says so, until it is taken."""
    for channel, queue in zip(system.channels, state.queues, strict=True):
        pending = {p.id for p in state.local[channel[0] - 1].handler.pending}
        if any(
            isinstance(e, Barrier) and e.id in pending and _of(system).alignment(e) == "timeoutable"
            for e in queue
        ):
            return False
    return True


def switch_is_followed(system: System, before: GlobalState, after: GlobalState) -> bool:
    """A6: the receiver of a barrier whose sender switched does not align for that checkpoint any more."""
    if before.outside.crashes != after.outside.crashes:
        return True
    for index, channel in enumerate(system.channels):
        told = _unaligned(system, before.queues[index])
        if len(_unaligned(system, after.queues[index])) < len(told):
            task = system.processes[channel[1] - 1]
            place = task.inputs.index(channel)
            for pending in after.local[channel[1] - 1].handler.pending:
                if pending.id == told[0].id and (not pending.taken or place in pending.held):
                    return False
    return True


def _unaligned(system: System, queue: Sequence[Any]) -> list[Barrier]:
    return [e for e in queue if isinstance(e, Barrier) and _of(system).alignment(e) == "unaligned"]


def complete_iff_acknowledged(system: System, state: GlobalState) -> bool:
    """A8: a checkpoint is complete if all have acknowledged it, and only then."""
    outside = state.outside
    newest = max(outside.completed, default=0)
    whole = {n for n, acks in enumerate(outside.acks, start=1) if len(acks) == len(system.processes)}
    over, in_order = outside.completed | outside.aborted, _of(system).bounds.overlap == IN_ORDER
    waits = {n for n in whole if in_order and not over >= set(range(1, n))}
    return (not newest or newest in whole) and whole - waits <= outside.completed


def none_waits(system: System, state: GlobalState) -> bool:
    """A7, A9, A10: when sources have heard, nothing is on its way, and all is durable, no checkpoint is waited for.

    Neither by the coordinator nor by a task.
    """
    coming = {"Inject", "Acknowledge"}
    if any(state.queues) or any(action.name in coming for action in system.actions(state)):
        return True
    over = state.outside.completed | state.outside.aborted
    waits = any(own.handler.pending for own in state.local)
    return over >= set(range(1, state.outside.triggered + 1)) and not waits


def monotone_ids(system: System, before: GlobalState, after: GlobalState) -> bool:
    """A8: the coordinator's numbers ascend, and what is complete stays so."""
    old, new = before.outside, after.outside
    return bool(new.triggered >= old.triggered and old.completed <= new.completed)


def every_checkpoint_ends(system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]) -> bool:
    """A9: what is triggered is complete or aborted in the end."""
    return all(
        n in state.outside.completed | state.outside.aborted
        for state in loop
        for n in range(1, state.outside.triggered + 1)
    )


def _restorable(system: System, state: GlobalState) -> Iterable[tuple[list[Any], list[tuple[Any, ...]]]]:
    for n in state.outside.completed:
        acks = {ack.process: ack for ack in state.outside.acks[n - 1]}
        if len(acks) == len(system.processes):
            states = [acks[p].state for p in sorted(acks)]
            yield states, system.by_input(acks[p].log for p in sorted(acks))


def _counts(bag: Bag) -> list[int]:
    return [count for row in bag for count in row]


def _of(system: System) -> CheckpointSystem:
    assert isinstance(system, CheckpointSystem)  # noqa: S101 - the table is that protocol's
    return system


def _dataflow(system: System) -> Dataflow:
    assert isinstance(system.application, Dataflow)  # noqa: S101 - the plan has checked it
    return system.application
