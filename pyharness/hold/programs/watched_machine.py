"""The spec's machines, in their own system, which record at each step the request to a program.

A :class:`~pyharness.machines.systems.System` asks its machines what they can do; a :class:`Watched` one answers as the machine
of the spec does, and notes with each step the event that led to it, and with each refusal the event that it refused.
So the system that explores, replays and counts states is the one that there is; nothing here does any I/O.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.hold.programs.vocabulary import Event, element_body
from pyharness.hold.programs.wire import Sent, canonical, node_name
from pyharness.machines.systems import find_protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.base.topology import Topology
    from pyharness.hold.programs.vocabulary import HeldProtocol
    from pyharness.machines.protocols import Application, Channel, Step
    from pyharness.machines.systems.system import Action, GlobalState, System

Taken = tuple[tuple[int, Event], ...]
"""An action as the requests to the processes that take part in it: by number (from 1), the event."""


class Asked(NamedTuple):
    """The expected reaction of a program: its event, and the messages to send, by output in order."""

    event: Event
    sent: tuple[tuple[Sent, ...], ...]


class WatchedState(NamedTuple):
    """The spec's local state, the state of a pure program that stands beside it, and the path to here if that is news."""

    local: Any
    memory: str | None = None
    asked: Asked | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.local, name)


class Watched:
    """A machine of the spec, which records the requests to it."""

    def __init__(
        self, kind: type, held: HeldProtocol, identity: int, topology: Topology, application: Application
    ) -> None:
        self.machine: Any = kind(identity, topology, application)
        self.held = held
        self.refused: list[tuple[int, Event]] = []
        """The events that the machine has refused since this was emptied, as pairs of its number and the event."""

    def __getattr__(self, name: str) -> Any:
        machine = self.__dict__["machine"]
        return partial(self._take, name) if name in self.held.handlers else getattr(machine, name)

    def initial(self, app: Any) -> WatchedState:
        """Return the machine's initial state."""
        return WatchedState(self.machine.initial(app))

    def internal(self, state: WatchedState) -> Iterator[Step[Any]]:
        """Yield nothing: items do not move by themselves."""
        return iter(())

    def sendable(self, state: WatchedState, channel: Channel) -> Iterator[Any]:
        """Yield what may be sent, and note what would be if the protocol let it."""
        app = self.machine.application
        for msg in app.sendable(self.machine.identity, channel, state.app):
            if self.machine.may_send(state.local):
                yield msg
            else:
                self._refuse(self.held.handlers["send"](self.machine, channel, msg))

    def shows(self, state: WatchedState) -> dict[str, Any]:
        """Return what a program shows in this state."""
        return self.held.shows(self.machine, state.local)

    def _take(self, handler: str, state: WatchedState, *arguments: Any) -> Step[Any] | None:
        event = self.held.handlers[handler](self.machine, *arguments)
        step = getattr(self.machine, handler)(state.local, *arguments)
        if step is None:
            self._refuse(event)
            return None
        sent = tuple(
            tuple(Sent(node_name(channel[1]), canonical(element_body(element))) for element in body)
            for channel, body in zip(self.machine.outputs, step.outputs, strict=True)
        )
        if event is None:
            raise ValueError(f"{handler} is taken, and no event is defined for it")
        after = WatchedState(step.state, state.memory, Asked(event, sent))
        return step._replace(state=after)  # type: ignore[no-any-return]

    def _refuse(self, event: Event | None) -> None:
        if event is not None:
            self.refused.append((self.machine.identity, event))


def watched_system(held: HeldProtocol, topology: Topology, application: Application) -> System:
    """Compose the system of a protocol with watched machines. Raises SpecError for a graph that it does not take."""
    spec = find_protocol(held.name)

    def process(identity: int, on: Topology, application: Application) -> Watched:
        return Watched(spec.process, held, identity, on, application)

    process.carries = spec.process.carries  # type: ignore[attr-defined]
    options = spec.options({**spec.constants, **held.constants}, None, application)
    return spec.system(topology, application, process=process, **options)  # type: ignore[arg-type]


def taken_by(action: Action) -> Taken:
    """Return the requests to the processes in an action, by their numbers."""
    return tuple(
        (number, local.asked.event)
        for number, local in enumerate(action.after.local, start=1)
        if local.asked is not None
    )


def refused_in(system: System) -> list[tuple[int, Event]]:
    """Return the events that the machines have refused since the last call."""
    found = [pair for machine in system.processes for pair in machine.refused]
    for machine in system.processes:
        machine.refused.clear()
    return found


def settled(state: GlobalState) -> GlobalState:
    """Return a state after an action, without the requests of the action."""
    return state._replace(local=tuple(local._replace(asked=None) for local in state.local))


def plain(state: GlobalState) -> GlobalState:
    """Return the spec's state alone."""
    return state._replace(local=tuple(local.local for local in state.local))
