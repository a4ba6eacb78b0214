"""Applications: the actions of a computation's processes (``specs/Application.tla``).

A local state and a message are any immutable, hashable values; the protocols never look inside them. The
methods carry the names of the module's constants.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pyharness.base.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyharness.base.topology import Topology

Value = Hashable
"""A local state or a message."""

Channel = tuple[int, int]
"""A directed channel: (source, target)."""


class Application(Protocol):
    """The actions that a process may take, as functions of its local state."""

    def initial_states(self, topology: Topology) -> Iterator[tuple[Value, ...]]:
        """Yield each initial state of the computation: one local state per process, in the order of the processes."""

    def sendable(self, process: int, channel: Channel, state: Value) -> Iterable[Value]:
        """Return the messages that ``process`` may send on ``channel`` (TLA+ ``Sendable``)."""

    def after_send(self, process: int, channel: Channel, state: Value, message: Value) -> Value:
        """Return the state after sending ``message`` (TLA+ ``AfterSend``)."""

    def acceptable(self, process: int, channel: Channel, state: Value, message: Value) -> bool:
        """Return whether ``process`` may accept ``message`` now (TLA+ ``Acceptable``)."""

    def after_accept(self, process: int, channel: Channel, state: Value, message: Value) -> Value:
        """Return the state after accepting ``message`` (TLA+ ``AfterAccept``)."""

    def internals(self, process: int, state: Value) -> Iterable[Value]:
        """Return the possible states after an internal action (TLA+ ``Internals``)."""

    def conserved(self, states: Iterable[Value], channels: Iterable[tuple[Value, ...]]) -> bool:
        """Return whether a global state obeys the application's law (TLA+ ``Conserved``)."""


class Items:
    """Identified items that move: a local state is the set of items held, a message is an item.

    ``items`` is their number k (the items are 1..k) or the items themselves; ``placement`` is their initial
    placement, as in ``specs/Items.tla``: ``"initiator"``, ``"spread"``, ``"any"``, or a mapping from process to
    the items it holds.
    """

    def __init__(
        self, items: int | Iterable[Value], placement: str | Mapping[int, Iterable[Value]] = "spread"
    ) -> None:
        self.items: tuple[Value, ...] = tuple(range(1, items + 1)) if isinstance(items, int) else tuple(items)
        self.placement = placement

    def initial_states(self, topology: Topology) -> Iterator[tuple[Value, ...]]:
        """Yield the placements that ``placement`` names."""
        for places in self._placements(topology):
            yield tuple(
                frozenset(item for item, place in zip(self.items, places, strict=True) if place == process)
                for process in range(1, topology.processes + 1)
            )

    def _placements(self, topology: Topology) -> Iterable[tuple[int, ...]]:
        count, n = len(self.items), topology.processes
        if not isinstance(self.placement, str):
            home = {item: process for process, items in self.placement.items() for item in items}
            return [tuple(home[item] for item in self.items)]
        if self.placement == "initiator":
            return [(min(topology.initiators, default=1),) * count]
        if self.placement == "spread":
            return [tuple(1 + i % n for i in range(count))]
        if self.placement == "any":
            return product(range(1, n + 1), repeat=count)
        raise SpecError(f"unknown placement {self.placement!r}", hint="use initiator, spread or any")

    def sendable(self, process: int, channel: Channel, state: Value) -> Iterable[Value]:
        """Every item held may be sent."""
        return _items(state)

    def after_send(self, process: int, channel: Channel, state: Value, message: Value) -> Value:
        """Return the state without the item."""
        return _items(state) - {message}

    def acceptable(self, process: int, channel: Channel, state: Value, message: Value) -> bool:
        """Return true: every item is acceptable."""
        return True

    def after_accept(self, process: int, channel: Channel, state: Value, message: Value) -> Value:
        """Return the state with the item."""
        return _items(state) | {message}

    def internals(self, process: int, state: Value) -> Iterable[Value]:
        """Items never move by themselves."""
        return ()

    def conserved(self, states: Iterable[Value], channels: Iterable[tuple[Value, ...]]) -> bool:
        """Each item is in one place, once (TLA+ ``ItemsConserved``)."""
        found = [item for state in states for item in _items(state)]
        found += [item for queue in channels for item in queue]
        return all(found.count(item) == 1 for item in self.items)


class Transition(NamedTuple):
    """One line of an automaton: in state ``source`` the process does ``action`` and is in ``target``.

    ``action`` is ``Send``, ``Accept`` or ``Internal``; ``channel`` and ``message`` belong to the first two.
    """

    source: Value
    action: str
    channel: Channel | None
    message: Value | None
    target: Value


class Automata:
    """Processes given by tables of transitions (``specs/Automata.tla``).

    ``initial`` has a local state per process, ``table`` the transitions of each process.
    """

    def __init__(self, initial: Mapping[int, Value], table: Mapping[int, Iterable[Transition]]) -> None:
        self.initial = dict(initial)
        self.table = {process: tuple(lines) for process, lines in table.items()}

    def initial_states(self, topology: Topology) -> Iterator[tuple[Value, ...]]:
        """Yield the one initial state."""
        yield tuple(self.initial[process] for process in range(1, topology.processes + 1))

    def _lines(
        self, process: int, state: Value, action: str, channel: Channel | None
    ) -> Iterator[Transition]:
        for line in self.table.get(process, ()):
            if line.source == state and line.action == action and line.channel == channel:
                yield line

    def sendable(self, process: int, channel: Channel, state: Value) -> Iterable[Value]:
        """Return the messages of the lines that send on ``channel``."""
        return {
            line.message for line in self._lines(process, state, "Send", channel) if line.message is not None
        }

    def _target(self, process: int, channel: Channel, state: Value, message: Value, action: str) -> Value:
        return next(
            line.target for line in self._lines(process, state, action, channel) if line.message == message
        )

    def after_send(self, process: int, channel: Channel, state: Value, message: Value) -> Value:
        """Follow the line that sends ``message``."""
        return self._target(process, channel, state, message, "Send")

    def acceptable(self, process: int, channel: Channel, state: Value, message: Value) -> bool:
        """Return whether a line accepts ``message``."""
        return any(line.message == message for line in self._lines(process, state, "Accept", channel))

    def after_accept(self, process: int, channel: Channel, state: Value, message: Value) -> Value:
        """Follow the line that accepts ``message``."""
        return self._target(process, channel, state, message, "Accept")

    def internals(self, process: int, state: Value) -> Iterable[Value]:
        """Return the targets of the internal lines."""
        return [line.target for line in self._lines(process, state, "Internal", None)]

    def conserved(self, states: Iterable[Value], channels: Iterable[tuple[Value, ...]]) -> bool:
        """Automata know no law."""
        return True


def _items(state: Value) -> frozenset[Value]:
    if not isinstance(state, frozenset):
        raise SpecError(f"a process that holds items has a set as its state, not {state!r}")
    return state
