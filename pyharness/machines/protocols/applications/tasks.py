"""Tasks: items that move until a process retires them (``specs/Tasks.tla``).

Unlike :class:`~pyharness.machines.protocols.Items` it ends, so that stable predicates become true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pyharness.base.errors import SpecError
from pyharness.machines.protocols.applications.application import Items

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols.applications.application import Channel, Value

TaskState: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], bool, int, int]
"""A local state: copies held of each task, copies retired of each task, whether it waits for more tasks, and how
many it may still lose and duplicate. A plain tuple, as in the spec."""


class Tasks:
    """Tasks 1..``tasks`` that move, and are retired: a retired one moves no more. A message is a task.

    ``placement`` is where they begin, as in :class:`~pyharness.machines.protocols.Items`. To retire a task a
    process must hold ``need`` of them; one that holds some and not enough may wait, and sends none meanwhile.
    The last process may lose ``losses`` tasks and duplicate ``duplicates``.
    """

    def __init__(
        self,
        tasks: int,
        placement: str | Mapping[int, Iterable[Value]] = "spread",
        *,
        need: int = 1,
        losses: int = 0,
        duplicates: int = 0,
    ) -> None:
        self.tasks = range(1, tasks + 1)
        self.placement = Items(tasks, placement)
        self.need, self.losses, self.duplicates = need, losses, duplicates

    def initial_states(self, topology: Topology) -> Iterator[tuple[Value, ...]]:
        """Yield the placements that ``placement`` names; nothing is retired, and no process waits."""
        nothing = (0,) * len(self.tasks)
        for placed in self.placement.initial_states(topology):
            yield tuple(
                (
                    tuple(int(task in held) for task in self.tasks),  # type: ignore[operator]
                    nothing,
                    False,
                    self.losses if process == topology.processes else 0,
                    self.duplicates if process == topology.processes else 0,
                )
                for process, held in enumerate(placed, start=1)
            )

    def sendable(self, process: int, channel: Channel, state: Value) -> Iterable[Value]:
        """Every task held, unless it waits."""
        held, _, waits, _, _ = _read(state)
        return () if waits else tuple(task for task in self.tasks if held[task - 1])

    def after_send(self, process: int, channel: Channel, state: Value, message: Value) -> Value:
        """Return the state with a copy of the task less."""
        held, *rest = _read(state)
        return (_changed(held, message, -1), *rest)

    def acceptable(self, process: int, channel: Channel, state: Value, message: Value) -> bool:
        """Return true: every task is acceptable."""
        return True

    def after_accept(self, process: int, channel: Channel, state: Value, message: Value) -> Value:
        """Return the state with a copy of the task more."""
        held, *rest = _read(state)
        return (_changed(held, message, 1), *rest)

    def internals(self, process: int, state: Value) -> Iterable[Value]:
        """Retire a task, wait for more, lose one or duplicate one."""
        held, retired, waits, losses, duplicates = _read(state)
        found: list[Value] = []
        if not waits and 0 < sum(held) < self.need:
            found.append((held, retired, True, losses, duplicates))
        for task in self.tasks:
            if not held[task - 1]:
                continue
            fewer, more = _changed(held, task, -1), _changed(held, task, 1)
            if sum(held) >= self.need:
                found.append((fewer, _changed(retired, task, 1), False, losses, duplicates))
            if losses:
                found.append((fewer, retired, waits, losses - 1, duplicates))
            if duplicates:
                found.append((more, retired, waits, losses, duplicates - 1))
        return found

    def conserved(self, states: Iterable[Value], channels: Iterable[tuple[Value, ...]]) -> bool:
        """Every loss and every duplicate is accounted for (TLA+ ``TasksConserved``)."""
        local, queues = list(states), list(channels)
        lost = self.losses - sum(_read(state)[3] for state in local)
        doubled = self.duplicates - sum(_read(state)[4] for state in local)
        found = [copies(task, local, queues) for task in self.tasks]
        return sum(found) == len(self.tasks) - lost + doubled and all(
            1 - lost <= n <= 1 + doubled for n in found
        )

    def waits(self, state: Value) -> bool:
        """Return whether a process in ``state`` waits for more tasks. TLA+: IsWaiting."""
        return _read(state)[2]

    def held(self, state: Value, task: int) -> int:
        """Return the number of copies of ``task`` that a process in ``state`` holds. TLA+: Held."""
        return _read(state)[0][task - 1]

    def retired(self, state: Value) -> int:
        """Return the number of tasks that a process in ``state`` has retired. TLA+: RetiredTasks."""
        return sum(_read(state)[1])


def copies(task: int, states: Iterable[Value], channels: Iterable[tuple[Value, ...]]) -> int:
    """Count the copies of ``task`` in a global state, retired ones included. TLA+: Copies."""
    in_states = sum(_read(state)[0][task - 1] + _read(state)[1][task - 1] for state in states)
    return in_states + sum(queue.count(task) for queue in channels)


def _read(state: Value) -> TaskState:
    if not isinstance(state, tuple) or len(state) != 5:
        raise SpecError(f"a process that works on tasks has no such state: {state!r}")
    return state


def _changed(counts: tuple[int, ...], task: Value, by: int) -> tuple[int, ...]:
    return tuple(n + by if number == task else n for number, n in enumerate(counts, start=1))
