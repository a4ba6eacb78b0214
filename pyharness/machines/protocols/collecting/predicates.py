"""The predicates of a snapshot (``specs/Predicates.tla``): predicates of a global state, under the specs' names.

A predicate is any function from a :class:`Snapshot` to a truth value. If it is *stable* (once true it stays true)
the snapshot's answer is about now: true of the snapshot means true ever after (EWD864a E19; K. M. Chandy and
L. Lamport, "Distributed Snapshots", TOCS 3(1), 1985, sections 1 and 4.2). Of an unstable one it shows nothing.

One of your own:

>>> def empty(snapshot: Snapshot) -> bool:
...     return not any(snapshot.channels.values())
>>> empty(Snapshot({1: "A", 2: "C"}, {(1, 2): (), (2, 1): ("M",)}))
False
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pyharness.base.errors import SpecError
from pyharness.machines.protocols.applications.tasks import copies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.machines.protocols.applications.application import Channel, Value
    from pyharness.machines.protocols.applications.tasks import Tasks


class Snapshot(NamedTuple):
    """A recorded global state: the local state of each process, and the messages of each channel in order."""

    states: Mapping[int, Value]
    channels: Mapping[Channel, tuple[Value, ...]]


Predicate: TypeAlias = Callable[[Snapshot], bool]
"""The predicates of a global state, by name."""


def never(snapshot: Snapshot) -> bool:
    """The predicate of a collection that tests none: it holds in no state."""
    return False


def terminated(snapshot: Snapshot, tasks: Tasks) -> bool:
    """Every process is passive, none waits, and nothing is in transit. TLA+: Terminated."""
    return (
        _quiet(snapshot, tasks)
        and not _somebody_waits(snapshot, tasks)
        and not any(snapshot.channels.values())
    )


def deadlocked(snapshot: Snapshot, tasks: Tasks) -> bool:
    """No process can act, nothing in transit can be accepted, and yet some process waits. TLA+: Deadlocked."""
    return _quiet(snapshot, tasks) and _somebody_waits(snapshot, tasks)


def item_lost(snapshot: Snapshot, tasks: Tasks) -> bool:
    """A task is nowhere. TLA+: ItemLost."""
    return any(n == 0 for n in _copies(snapshot, tasks))


def item_duplicated(snapshot: Snapshot, tasks: Tasks) -> bool:
    """A task is in two places, or in one place twice. TLA+: ItemDuplicated. Stable unless tasks can be lost."""
    return any(n > 1 for n in _copies(snapshot, tasks))


def retired(snapshot: Snapshot, tasks: Tasks, enough: int = 1) -> bool:
    """At least ``enough`` tasks are retired. TLA+: Retired."""
    return sum(map(tasks.retired, snapshot.states.values())) >= enough


def unstable_holding(snapshot: Snapshot, tasks: Tasks) -> bool:
    """Process 1 holds task 1, which may change at any moment. TLA+: UnstableHolding."""
    return 1 in snapshot.states and tasks.held(snapshot.states[1], 1) > 0


def _quiet(snapshot: Snapshot, tasks: Tasks) -> bool:
    states, channels = snapshot
    return not (
        any(list(tasks.internals(process, state)) for process, state in states.items())
        or any(list(tasks.sendable(c[0], c, states[c[0]])) for c in channels if c[0] in states)
        or any(queue and tasks.acceptable(c[1], c, states[c[1]], queue[0]) for c, queue in channels.items())
    )


def _somebody_waits(snapshot: Snapshot, tasks: Tasks) -> bool:
    return any(map(tasks.waits, snapshot.states.values()))


def _copies(snapshot: Snapshot, tasks: Tasks) -> list[int]:
    states, channels = list(snapshot.states.values()), list(snapshot.channels.values())
    return [copies(task, states, channels) for task in tasks.tasks]


PREDICATES: dict[str, Callable[[Snapshot, Tasks], bool]] = {
    "Terminated": terminated,
    "Deadlocked": deadlocked,
    "ItemLost": item_lost,
    "ItemDuplicated": item_duplicated,
    "Retired": retired,
    "UnstableHolding": unstable_holding,
}
"""The predicates of ``specs/Predicates.tla`` by name; each is a function of a snapshot and its application."""


def predicate_of(name: str, tasks: Tasks, enough: int = 1) -> Predicate:
    """Return the predicate of this name over an application; ``enough`` is the number of tasks that ``Retired`` needs.

    Raises SpecError when there is none.
    """
    if name not in PREDICATES:
        raise SpecError(f"no predicate {name}", hint=f"there are {', '.join(PREDICATES)}")
    if name == "Retired":
        return partial(retired, tasks=tasks, enough=enough)
    chosen = PREDICATES[name]
    return lambda snapshot: chosen(snapshot, tasks)
