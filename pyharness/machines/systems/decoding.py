"""From a TLC state to the implementation's: the inverse of :meth:`System.variables`.

Every variable is read by itself, and what it meant is kept: the 275,680 states of a state graph have 5,600 different
lines. What was read is written again with ``System.variables``, once for each different value, and must be the value
it was read from; so nothing that TLC says of a state is lost on the way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import starmap
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.errors import ConformanceError
from pyharness.machines.protocols import BARRIER, MARKER, Coloured, Recorded, Tasks
from pyharness.machines.systems.system import BARRIER_VALUE, MARKER_VALUE, GlobalState
from pyharness.tla.values import Fn, same, to_tla

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyharness.machines.protocols import Channel, Marker
    from pyharness.machines.systems.system import System
    from pyharness.tla.values import Value


class Graph:
    """The places of a topology: what a variable is a function of."""

    def __init__(self, system: System) -> None:
        index = {channel: number for number, channel in enumerate(system.channels)}
        self.channels: tuple[Channel, ...] = system.channels
        self.processes = range(1, len(system.processes) + 1)
        self._inputs = [[index[c] for c in machine.inputs] for machine in system.processes]
        self._outputs = [[index[c] for c in machine.outputs] for machine in system.processes]

    def by_channel(self, value: Any) -> tuple[Any, ...]:
        """Read a function of the channels: its values in their order."""
        given = arguments(value)
        return tuple(given[channel] for channel in self.channels)

    def by_process(self, value: Any) -> tuple[Any, ...]:
        """Read a function of the processes: its values in their order."""
        given = arguments(value)
        return tuple(given[process] for process in self.processes)

    def per_input(self, by_channel: Sequence[Any]) -> tuple[tuple[Any, ...], ...]:
        """Group values of channels by process: those of its inputs."""
        return tuple(tuple(by_channel[i] for i in indices) for indices in self._inputs)

    def per_output(self, by_channel: Sequence[Any]) -> tuple[tuple[Any, ...], ...]:
        """Group values of channels by process: those of its outputs."""
        return tuple(tuple(by_channel[i] for i in indices) for indices in self._outputs)


def _app(graph: Graph, value: Any) -> tuple[Any, ...]:
    return graph.by_process(value)


def _task_states(graph: Graph, value: Any) -> tuple[Any, ...]:
    """Read local states of ``Tasks``; what is a number there is no truth value, which Python takes for one."""
    found = graph.by_process(value)
    for held, retired, waits, losses, duplicates in found:
        if type(waits) is not bool or any(type(n) is not int for n in (*held, *retired, losses, duplicates)):
            raise TypeError("not a local state of Tasks")
    return found


def _recorded(graph: Graph, value: Any) -> tuple[Any, ...]:
    given = arguments(value)
    return tuple(Recorded(given[process]) if process in given else None for process in graph.processes)


def _rec_chan(graph: Graph, value: Any) -> tuple[Any, ...]:
    return graph.per_input(graph.by_channel(value))


def members_per_input(graph: Graph, value: Any) -> tuple[Any, ...]:
    """Read a set of channels: for each process, of each of its inputs, whether it is in the set."""
    return graph.per_input([channel in value for channel in graph.channels])


def numbers_per_output(graph: Graph, value: Any) -> tuple[Any, ...]:
    """Read a function from channels to numbers: for each process the numbers of its outputs."""
    if any(type(count) is not int for count in arguments(value).values()):
        raise TypeError("a number of markers is a number")
    return graph.per_output(graph.by_channel(value))


def members_per_process(graph: Graph, value: Any) -> tuple[Any, ...]:
    """Read a set of processes: for each process whether it is in the set."""
    return tuple(process in value for process in graph.processes)


def _queues(graph: Graph, value: Any) -> tuple[Any, ...]:
    return tuple(tuple(map(_element, queue)) for queue in graph.by_channel(value))


def _ghost(graph: Graph, value: Any) -> tuple[Any, ...]:
    return graph.by_channel(value)


class Reading(NamedTuple):
    """A variable, and how it is read: a value for each process, or for each channel."""

    variable: str
    read: Callable[[Graph, Any], tuple[Any, ...]]


_LOCAL: Final = {
    "app": Reading("state", _app),
    "recorded": Reading("recState", _recorded),
    "rec_chan": Reading("recChan", _rec_chan),
}
"""For each field that every process's state has the variable that has it, and how that is read."""

_GLOBAL: Final = {
    "queues": Reading("chan", _queues),
    "white_in_red": Reading("whiteInRed", _ghost),
    "red_in_white": Reading("redInWhite", _ghost),
}
"""The same for the other fields of the global state: a value for each channel."""


class Decoder:
    """Reads TLC's states of one system, that is of one topology.

    A protocol's local state is made of its fields; ``own`` tells how those are read that not every protocol has, or
    that it has otherwise; variables in ``beside`` are somebody else's to read. What was read is kept, at most
    ``max_entries`` values of each variable, and as many texts.

    Raises TypeError when the protocol's state has a field that no variable is known for.
    """

    def __init__(
        self,
        system: System,
        own: Mapping[str, Reading] | None = None,
        *,
        beside: frozenset[str] = frozenset(),
        max_entries: int = 200_000,
    ) -> None:
        local = {**_LOCAL, **(own or {})}
        if isinstance(system.application, Tasks):
            local["app"] = Reading("state", _task_states)
        self._topology = system.topology.id
        self._blank = next(iter(system.initial()))
        self._kind: Any = type(self._blank.local[0])
        unknown = set(self._kind._fields) - set(local)
        if unknown:
            raise TypeError(f"no variable is known for {', '.join(sorted(unknown))} of {self._kind.__name__}")
        graph = Graph(system)
        self._names = frozenset(system.variables(self._blank)) - beside
        self._fields = [field for field, reading in _GLOBAL.items() if reading.variable in self._names]
        places = [(local[field], self._in_local(field)) for field in self._kind._fields]
        places += [(_GLOBAL[field], self._in_global(field)) for field in self._fields]
        self._parts = [_Parts(system, graph, reading, place, max_entries) for reading, place in places]
        self._place = {parts.variable: place for place, parts in enumerate(self._parts)}
        self._texts: dict[str, tuple[int, Any]] = {}
        self._max_texts = max_entries

    def decode(self, state: Mapping[Any, Value]) -> GlobalState:
        """Return the implementation's state that reads as these variables.

        Raises ConformanceError, naming the variable, for a state that the implementation cannot be in.
        """
        if len(state) != len(self._names) or state["topo"] != self._topology:
            self._refuse(state)
        return self._state([parts[state[parts.variable]] for parts in self._parts])

    def decode_texts(self, texts: Sequence[str], read: Callable[[str], tuple[str, Value]]) -> GlobalState:
        """Do the same for a state that is a text for each variable; ``read`` gives its name and value."""
        known, found = self._texts, [None] * (len(self._parts) + 1)
        for text in texts:
            place, part = known[text] if text in known else self._learn(text, read)
            found[place] = part
        if None in found or len(texts) != len(found):
            self._refuse(dict(map(read, texts)))
        return self._state(found)

    def _learn(self, text: str, read: Callable[[str], tuple[str, Value]]) -> tuple[int, Any]:
        """Keep what a text means: the place of its variable, behind which stands the topology, and its part."""
        name, value = read(text)
        if name in self._place:
            place = self._place[name]
            meant: tuple[int, Any] = (place, self._parts[place].read(value))
        elif name == "topo" and value == self._topology:
            meant = (len(self._parts), value)
        else:
            return (0, None)
        if len(self._texts) >= self._max_texts:
            self._texts.clear()
        self._texts[text] = meant
        return meant

    def _state(self, found: Sequence[Any]) -> GlobalState:
        fields = len(self._kind._fields)
        local = tuple(map(self._kind, *found[:fields]))
        others = dict(zip(self._fields, found[fields:], strict=False))
        return self._blank._replace(local=local, **others)

    def _refuse(self, state: Mapping[Any, Value]) -> None:
        differing = sorted(map(str, self._names ^ set(state)))
        if differing:
            raise ConformanceError(
                f"spec and implementation differ in their variables: {', '.join(differing)}"
            )
        raise ConformanceError(f"not a state of {self._topology}", where="variable topo")

    def _in_local(self, field: str) -> Callable[[Any], GlobalState]:
        def place(part: Any) -> GlobalState:
            pairs = zip(self._blank.local, part, strict=True)
            local = starmap(lambda blank, value: blank._replace(**{field: value}), pairs)
            return self._blank._replace(local=tuple(local))

        return place

    def _in_global(self, field: str) -> Callable[[Any], GlobalState]:
        return lambda part: self._blank._replace(**{field: part})


class _Parts(dict[Any, tuple[Any, ...]]):
    """What each value of one variable meant. An unknown value is read, written again, compared and kept."""

    def __init__(
        self,
        system: System,
        graph: Graph,
        reading: Reading,
        place: Callable[[Any], GlobalState],
        max_entries: int,
    ) -> None:
        super().__init__()
        self.variable = reading.variable
        self._system = system
        self._graph = graph
        self._read = reading.read
        self._place = place
        self._max_entries = max_entries

    def __missing__(self, value: Value) -> tuple[Any, ...]:
        part = self.read(value)
        if len(self) >= self._max_entries:
            self.clear()
        self[value] = part
        return part

    def read(self, value: Value) -> tuple[Any, ...]:
        """Read a value, even if an equal one is known: Python holds ``True`` and ``1`` for equal."""
        try:
            part = self._read(self._graph, value)
            again = self._system.variables(self._place(part))[self.variable]
            faithful = same(again, value)
        except (LookupError, TypeError, ValueError, AttributeError):
            faithful = False
        if not faithful:
            raise ConformanceError(
                f"the implementation of {self._system.protocol} cannot be in a state with {to_tla(value)}",
                where=f"variable {self.variable}",
            )
        return part


class WholeDecoder(ABC):
    """Reads TLC's states of one system whole, where a process's state is spread over several variables.

    A subclass says how; what it read is written again with ``System.variables`` and must be the state it was read from.
    """

    def __init__(self, system: Any) -> None:
        self._system = system
        self._blank: GlobalState = next(iter(system.initial()))
        self._shown: Mapping[str, Any] = system.variables(self._blank)

    @abstractmethod
    def _read(self, state: Mapping[Any, Any]) -> GlobalState:
        """Return the implementation's state; any LookupError, TypeError or ValueError says that there is none."""

    def decode(self, state: Mapping[Any, Value]) -> GlobalState:
        """Return the implementation's state that reads as these variables.

        Raises ConformanceError, naming a variable, for a state that the implementation cannot be in.
        """
        try:
            own = self._read(state)
            again = self._system.variables(own)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise ConformanceError(
                "the implementation cannot be in this state", where=str(state.get("topo"))
            ) from None
        if set(again) != set(state):
            differing = ", ".join(sorted(map(str, set(again) ^ set(state))))
            raise ConformanceError(f"spec and implementation differ in their variables: {differing}")
        for name, value in again.items():
            if not same(value, state[name]):
                raise ConformanceError(
                    f"the implementation cannot be in a state with {to_tla(state[name])}",
                    where=f"variable {name}",
                )
        return own

    def decode_texts(self, texts: Sequence[str], read: Callable[[str], tuple[str, Value]]) -> GlobalState:
        """Do the same for a state that is a text for each variable; ``read`` gives its name and value."""
        return self.decode(dict(map(read, texts)))


def arguments(value: Any) -> Mapping[Any, Any]:
    """See a TLA+ function as a mapping; on ``1..n`` it is a tuple."""
    return value if isinstance(value, Fn) else dict(enumerate(value, start=1))


def _element(value: Any) -> Coloured | Marker:
    if value == MARKER_VALUE:
        return MARKER
    return BARRIER if value == BARRIER_VALUE else Coloured(value["msg"], value["colour"])
