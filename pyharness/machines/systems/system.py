"""A complete computation: the processes of a protocol on a topology, with in-memory channels.

This is the one place, beside the specs, that sees a global state. It composes the very objects that run
elsewhere, asks them what they can do, and watches with EWD864a's ghosts (which messages crossed from white to
red and back). Each protocol defines in a subclass what else can happen and how its state reads as TLA+ variables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from pyharness.base.errors import SpecError
from pyharness.machines.protocols import MARKER, RED, WHITE, Coloured, Marker, Message, Network
from pyharness.tla.values import Fn, Value, function, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols import Application, Channel, Element, Process, Step

T = TypeVar("T")

Queue = tuple[Any, ...]
"""The content of a channel for an observer: markers, and messages with a colour that does not travel with them.

Where there are no colours, in ``Checkpoints``, it has bare messages and the control elements of that protocol.
"""

MARKER_VALUE = record(control="marker")
BARRIER_VALUE = record(control="barrier")


class GlobalState(NamedTuple):
    """Local states by process, queues by channel, and the ghosts by channel: white-in-red, red-in-white.

    ``outside`` is the protocol's state beside processes and channels, such as a collector's.
    """

    local: tuple[Any, ...]
    queues: tuple[Queue, ...]
    white_in_red: tuple[tuple[Any, ...], ...]
    red_in_white: tuple[tuple[Any, ...], ...]
    outside: Any = ()


class Action(NamedTuple):
    """One step that can be taken: the TLA+ action's name, its arguments, and the state after it."""

    name: str
    detail: str
    after: GlobalState

    def __str__(self) -> str:
        return f"{self.name}({self.detail})"

    @property
    def place(self) -> str:
        """The channel or processes that the action is applied to, without the message."""
        return self.detail.split(", ", 1)[0] if self.name.endswith(("Send", "Accept")) else self.detail


class System(ABC):
    """All processes of one protocol on ``topology``.

    ``process`` is the class of the processes and ``network`` the rules of the channels (a mutant is a subclass
    of either); ``granularity`` is ``"event"`` or ``"action"``, as in ``specs/Application.tla``.
    """

    protocol: str
    """The name of the spec this composes."""

    disjunctions: ClassVar[Mapping[str, str]] = {}
    """The name of the disjunction that is fair, by action, where the spec's fairness is of one."""

    def __init__(
        self,
        topology: Topology,
        application: Application,
        *,
        process: type[Process[Any]],
        network: Network | None = None,
        granularity: str = "event",
    ) -> None:
        if wrong := self.unassumed(topology):
            raise SpecError(
                f"{self.protocol} assumes {wrong}",
                where=topology.id,
                hint="take another graph: `pyharness topologies` lists them",
            )
        self.topology = topology
        self.application = application
        self.network = network or Network()
        self._sees_colours = process.carries is Coloured
        self._tints = type(self.network).tint is not Network.tint
        self.granularity = granularity
        self.constants: Mapping[str, int | str] = {}  # of the spec, as far as properties ask for them
        self.channels: tuple[Channel, ...] = topology.channels
        self.processes: tuple[Any, ...] = tuple(
            self.build_process(process, identity) for identity in range(1, topology.processes + 1)
        )
        self._index = {channel: index for index, channel in enumerate(self.channels)}
        self._outputs = [[self._index[c] for c in machine.outputs] for machine in self.processes]
        self._inputs = [[self._index[c] for c in machine.inputs] for machine in self.processes]

    # -- what a protocol adds ------------------------------------------------------------------------------

    @classmethod
    def unassumed(cls, topology: Topology) -> str | None:  # noqa: ARG003 - a protocol looks at it
        """Return the assumption about graphs that fails for this one, with the reason; ``None`` if all hold."""
        return None

    def build_process(self, process: type[Process[Any]], identity: int) -> Process[Any]:
        """Make the process of this number; ``topology`` and ``application`` are set."""
        return process(identity, self.topology, self.application)

    @abstractmethod
    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield the enabled actions that are not the application's."""

    @abstractmethod
    def variables(self, state: GlobalState) -> dict[str, Value]:
        """Return the state as the spec's variables."""

    @abstractmethod
    def complete(self, state: GlobalState) -> bool:
        """Return whether the snapshot is complete. TLA+: Complete."""

    def fair_actions(self) -> frozenset[tuple[str, str]]:
        """Return the weakly fair actions (E18), each as its name and its arguments. TLA+: Fairness.

        The name may be that of a disjunction, whose :attr:`disjunctions` are then fair together, not each by itself.
        """
        return frozenset(
            ("Accept", self.topology.channel_name(channel)) for channel in self.network.fair(self.channels)
        )

    def at_processes(self, *actions: str) -> frozenset[tuple[str, str]]:
        """Return these actions at each process, as :meth:`fair_actions` has them."""
        names = [self.topology.process_name(number + 1) for number in range(len(self.processes))]
        return frozenset((action, name) for action in actions for name in names)

    def over(self, state: GlobalState) -> bool:
        """Return whether no later step concerns the snapshot. TLA+: Over."""
        return self.complete(state)

    def as_another(self, kind: type[System], process: type[Process[Any]]) -> System:
        """Return the system of another protocol on the same graph, with the same application and channels."""
        return kind(
            self.topology,
            self.application,
            process=process,
            network=self.network,
            granularity=self.granularity,
        )

    # -- behaviours ----------------------------------------------------------------------------------------

    def initial(self) -> Iterator[GlobalState]:
        """Yield the initial states. TLA+: Init."""
        empty: tuple[tuple[Any, ...], ...] = ((),) * len(self.channels)
        queues = tuple(map(self.network.left, self.channels))
        for states in self.application.initial_states(self.topology):
            local = tuple(m.initial(app) for m, app in zip(self.processes, states, strict=True))
            yield GlobalState(local, queues, empty, empty)

    @cached_property
    def beginnings(self) -> frozenset[GlobalState]:
        """The set of initial states, for fast look-up."""
        return frozenset(self.initial())

    def actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield every enabled action with its result. TLA+: Next."""
        for index, channel in enumerate(self.channels):
            yield from self._accepts(state, index, channel)
            if self.network.room(state.queues[index]):
                yield from self._sends(state, channel)
        for number, machine in enumerate(self.processes):
            for step in machine.internal(state.local[number]):
                yield Action(
                    "Internal", self.topology.process_name(number + 1), self.settle(state, number, step)
                )
            if self.granularity == "action":
                yield from self._exchanges(state, number, machine)
        yield from self.protocol_actions(state)

    def settle(
        self, state: GlobalState, number: int, step: Step[Any], taken: Sequence[tuple[int, int]] = ()
    ) -> GlobalState:
        """Return the global state after process ``number`` (from 0) made ``step``, having taken elements.

        ``taken`` has a pair for each: the channel's index and the position in its queue.
        """
        local = (*state.local[:number], step.state, *state.local[number + 1 :])
        if not taken and not any(step.outputs):
            return state._replace(local=local)
        queues = list(state.queues)
        white_in_red, red_in_white = state.white_in_red, state.red_in_white
        machine = self.processes[number]
        colour = step.colour or machine.colour(state.local[number])
        for index, position in taken:
            element = queues[index][position]
            queues[index] = self.network.without(queues[index], position)
            if isinstance(element, Coloured) and element.colour != colour:
                if colour == RED:
                    white_in_red = _appended(white_in_red, index, element.msg)
                else:
                    red_in_white = _appended(red_in_white, index, element.msg)
        for index, body in zip(self._outputs[number], step.outputs, strict=True):
            if body:
                tint = self._tint(state, number, step, index, colour) if self._tints else colour
                queues[index] += tuple([e if isinstance(e, Marker) else Coloured(e.msg, tint) for e in body])
        return GlobalState(local, tuple(queues), white_in_red, red_in_white, state.outside)

    def _tint(self, state: GlobalState, number: int, step: Step[Any], index: int, colour: str) -> str:
        """Return the colour of the messages that process ``number`` sends on a channel in an action of ``colour``."""
        after = self.processes[number].colour(step.state)
        first = index == self._outputs[number][0]
        return self.network.tint(colour, after, self.colour(state, self.channels[index][1]), first=first)

    def handed(self, element: Coloured | Marker) -> Element:
        """Return an element of a channel as a process gets it: without its colour, unless the process must see it."""
        if isinstance(element, Marker) or self._sees_colours:
            return element
        return Message(element.msg)

    def _accepts(self, state: GlobalState, index: int, channel: Channel) -> Iterator[Action]:
        queue, number = state.queues[index], channel[1] - 1
        for position in self.network.positions(queue):
            element = queue[position]
            if isinstance(element, Marker):
                yield from self.marker_actions(state, index, position)
                continue
            step = self.processes[number].accept(state.local[number], channel, self.handed(element))
            if step is not None:
                detail = f"{self.topology.channel_name(channel)}, {element.msg}"
                yield Action("Accept", detail, self.settle(state, number, step, ((index, position),)))

    def marker_actions(self, state: GlobalState, index: int, position: int) -> Iterator[Action]:
        """Yield the actions for the marker at ``position`` of channel ``index``."""
        return iter(())

    def _sends(self, state: GlobalState, channel: Channel) -> Iterator[Action]:
        number = channel[0] - 1
        machine, local = self.processes[number], state.local[number]
        for msg in machine.sendable(local, channel):
            step = machine.send(local, channel, msg)
            yield Action(
                "Send", f"{self.topology.channel_name(channel)}, {msg}", self.settle(state, number, step)
            )

    def _exchanges(self, state: GlobalState, number: int, machine: Process[Any]) -> Iterator[Action]:
        yield from self.exchanges(state, number, "Exchange", machine.exchange, least=2)

    def exchanges(
        self,
        state: GlobalState,
        number: int,
        name: str,
        exchange: Callable[[Any, dict[Channel, Element], Sequence[Channel]], Iterator[Step[Any]]],
        *,
        least: int,
    ) -> Iterator[Action]:
        """Yield the actions of process ``number`` that use at least ``least`` channels (E17).

        ``exchange`` takes the process's state, the accepted elements by channel, and the channels it sends on.
        """
        heads = {
            self.channels[i]: self.handed(state.queues[i][0]) for i in self._inputs[number] if state.queues[i]
        }
        outputs = [
            c for c in self.processes[number].outputs if self.network.room(state.queues[self._index[c]])
        ]
        for ins in subsets(tuple(heads)):
            for outs in subsets(outputs):
                if len(ins) + len(outs) >= least:
                    taken = [(self._index[c], 0) for c in ins]
                    detail = ", ".join(self.topology.channel_name(c) for c in (*ins, *outs))
                    for step in exchange(state.local[number], {c: heads[c] for c in ins}, outs):
                        yield Action(name, detail, self.settle(state, number, step, taken))

    # -- reading a state -----------------------------------------------------------------------------------

    def colour(self, state: GlobalState, process: int) -> str:
        """Return the colour of a process (from 1)."""
        return str(self.processes[process - 1].colour(state.local[process - 1]))

    def by_channel(self, values: Iterable[Value]) -> Value:
        """Make the TLA+ function from channels to ``values``, which are in the channels' order."""
        return self.on_channels(*values)

    def on_channels(self, *values: Value) -> Value:
        """Return the same function; it depends on its arguments alone, as :meth:`contents` does."""
        return function(zip(self.channels, values, strict=True))

    def contents(self, queue: Queue) -> tuple[Value, ...]:
        """Return the elements of a channel as TLA+ values. TLA+: chan[c]."""
        return tuple(map(_element, queue))

    def by_input(self, parts: Iterable[Sequence[Any]]) -> list[Any]:
        """Reorder values that each process has per input into the channels' order."""
        return self._by_index(self._inputs, parts)

    def by_output(self, parts: Iterable[Sequence[Any]]) -> list[Any]:
        """Reorder values that each process has per output into the channels' order."""
        return self._by_index(self._outputs, parts)

    def _by_index(self, places: list[list[int]], parts: Iterable[Sequence[Any]]) -> list[Any]:
        values: list[Any] = [None] * len(self.channels)
        for indices, part in zip(places, parts, strict=True):
            for index, value in zip(indices, part, strict=True):
                values[index] = value
        return values

    def recorded_states(self, state: GlobalState) -> dict[Value, Any]:
        """Return the recorded local states by process. TLA+: recState."""
        return {
            number: local.recorded.state
            for number, local in enumerate(state.local, start=1)
            if local.recorded is not None
        }

    def recorded_channels(self, state: GlobalState) -> list[tuple[Any, ...]]:
        """Return the recorded messages in the channels' order. TLA+: recChan."""
        return self.by_input(local.rec_chan for local in state.local)

    def kept_channels(self, state: GlobalState) -> list[tuple[Any, ...]]:
        """Return the white messages that red actions have accepted, by channel: those WhiteRed has recorded of each."""
        return self.recorded_channels(state)

    def sss_channels(self, state: GlobalState) -> list[tuple[Any, ...]]:
        """Return the channels of SSS as far as it is known: the recorded messages, and those that are still white."""
        recorded = self.recorded_channels(state)
        return [tuple(kept) + self.whites(state, index) for index, kept in enumerate(recorded)]

    def whites(self, state: GlobalState, index: int) -> tuple[Any, ...]:
        """Return the white messages in a channel (its index). TLA+: Plain(Tinted(chan[c], "white"))."""
        return tuple(e.msg for e in messages_in(state.queues[index]) if e.colour == WHITE)

    def _common(self, state: GlobalState) -> dict[str, Value]:
        return {
            "topo": self.topology.id,
            "state": tuple(local.app for local in state.local),
            "chan": self.by_channel(map(self.contents, state.queues)),
            "recState": function(self.recorded_states(state)),
            "recChan": self.by_channel(self.recorded_channels(state)),
        }

    def _ghosts(self, state: GlobalState) -> dict[str, Value]:
        return {
            "whiteInRed": self.by_channel(state.white_in_red),
            "redInWhite": self.by_channel(state.red_in_white),
        }


def messages_in(queue: Queue) -> tuple[Coloured, ...]:
    """Return the ordinary messages of a queue, in order, with their colours. TLA+: Messages."""
    return tuple(element for element in queue if isinstance(element, Coloured))


def _element(element: Coloured | Marker) -> Fn:
    if isinstance(element, Marker):
        return MARKER_VALUE if element == MARKER else BARRIER_VALUE
    return record(msg=element.msg, colour=element.colour)  # type: ignore[arg-type]


def _appended(ghost: tuple[tuple[Any, ...], ...], index: int, msg: Any) -> tuple[tuple[Any, ...], ...]:
    return (*ghost[:index], (*ghost[index], msg), *ghost[index + 1 :])


def subsets(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    """Yield every subset of ``items``, the small ones first."""
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))
