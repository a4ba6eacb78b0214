"""What every snapshot protocol's process has in common: EWD864a's machine, without I/O.

A process object holds what never changes (its name, its channels, the application). Its state is an immutable
value that is handed in and given back: an input and a state give a :class:`Step`, a new state and what goes out
on each output. Whoever drives the object, replay or a socket, keeps the state and carries the messages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from pyharness.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyharness.protocols.applications.application import Application, Channel, Value
    from pyharness.topology import Topology

__all__ = [
    "MARKER",
    "RED",
    "WHITE",
    "Element",
    "Marker",
    "Message",
    "Process",
    "Recorded",
    "Step",
    "messages_of",
]

WHITE = "white"
RED = "red"


class Message(NamedTuple):
    """A message of the computation. Its colour is its sender's (EWD864a E2); no protocol but WhiteRed reads it."""

    msg: Value
    colour: str


class Marker(NamedTuple):
    """The control message that separates white from red on a channel."""

    control: str = "marker"


MARKER = Marker()

Element: TypeAlias = Message | Marker
"""What a channel carries."""


class Recorded(NamedTuple):
    """A recorded local state (so that a recorded ``None`` differs from nothing recorded)."""

    state: Value


class LocalState(Protocol):
    """What the state of any protocol's process has."""

    @property
    def app(self) -> Value:
        """The application's local state."""

    @property
    def recorded(self) -> Recorded | None:
        """The state recorded, once it is."""


S = TypeVar("S", bound=LocalState)


class Step(NamedTuple, Generic[S]):
    """The result of an action: the state after it, and for each output, in order, what goes out on it.

    ``colour`` is the action's (E2), where it is not the colour that the machine had before it (E17).
    """

    state: S
    outputs: tuple[tuple[Element, ...], ...]
    colour: str | None = None


class Process(ABC, Generic[S]):
    """A machine of EWD864a with a protocol's state ``S``.

    ``identity`` is its number in ``topology``; ``application`` says what it computes. Handlers are pure; each
    names the TLA+ action it implements. A handler returns ``None`` when its action is not enabled.
    """

    def __init__(self, identity: int, topology: Topology, application: Application) -> None:
        if not 1 <= identity <= topology.processes:
            raise SpecError(f"no process {identity} among {topology.processes}")
        self.identity = identity
        self.topology = topology
        self.inputs: tuple[Channel, ...] = topology.inputs(identity)
        self.outputs: tuple[Channel, ...] = topology.outputs(identity)
        self.is_initiator = identity in topology.initiators
        self.application = application
        self.silence: tuple[tuple[Element, ...], ...] = ((),) * len(self.outputs)

    @abstractmethod
    def initial(self, app: Value) -> S:
        """Return the state of a process whose application begins in ``app``; nothing is recorded."""

    @abstractmethod
    def after(self, state: S, app: Value, taken: Sequence[tuple[Channel, Message]]) -> S:
        """Return the protocol's state after an action that took these messages and left the application in ``app``."""

    def colour(self, state: S) -> str:
        """Tell the machine's colour: red once it has recorded (E1)."""
        return WHITE if state.recorded is None else RED

    def may_take(self, state: S, message: Message) -> bool:
        """Tell whether the protocol lets this message be accepted now."""
        return True

    def may_send(self, state: S) -> bool:
        """Tell whether the protocol lets messages be sent, and internal actions be taken, now."""
        return True

    def act(self, before: S, after: S, outputs: tuple[tuple[Element, ...], ...]) -> Step[S]:
        """End an action; a protocol adds what it has to say."""
        return Step(after, outputs)

    # -- the application's actions -------------------------------------------------------------------------

    def sendable(self, state: S, channel: Channel) -> Iterator[Value]:
        """Yield what may be sent on ``channel``."""
        if self.may_send(state):
            yield from self.application.sendable(self.identity, channel, state.app)

    def send(self, state: S, channel: Channel, msg: Value) -> Step[S]:
        """Send ``msg`` on ``channel``. TLA+: Send."""
        app = self.application.after_send(self.identity, channel, state.app, msg)
        return self.act(
            state, self.after(state, app, ()), self._outputs({channel: (Message(msg, self.colour(state)),)})
        )

    def accept(self, state: S, channel: Channel, message: Message) -> Step[S] | None:
        """Accept ``message`` from ``channel``. TLA+: Accept."""
        if not self._acceptable(state, channel, message):
            return None
        app = self.application.after_accept(self.identity, channel, state.app, message.msg)
        return self.act(state, self.after(state, app, ((channel, message),)), self.silence)

    def internal(self, state: S) -> Iterator[Step[S]]:
        """Yield each internal action's result. TLA+: Internal."""
        if self.may_send(state):
            for app in self.application.internals(self.identity, state.app):
                yield self.act(state, self.after(state, app, ()), self.silence)

    def exchange(
        self, state: S, taken: Mapping[Channel, Element], sending: Sequence[Channel]
    ) -> Iterator[Step[S]]:
        """Accept all of ``taken``, then send on each of ``sending``, in one action. TLA+: Exchange (E17)."""
        messages = messages_of(taken)
        if len(messages) == len(taken):
            for app, bodies in self.exchanges(state, messages, sending):
                out = self._coloured(bodies, self.colour(state))
                yield self.act(state, self.after(state, app, tuple(sorted(messages.items()))), out)

    def exchanges(
        self, state: S, taken: Mapping[Channel, Message], sending: Sequence[Channel]
    ) -> Iterator[tuple[Value, Mapping[Channel, tuple[Value, ...]]]]:
        """Yield each way to accept and send: the application's state after it, and the bodies by channel."""
        if sending and not self.may_send(state):
            return
        app = state.app
        for channel, message in sorted(taken.items()):
            if not self.application.acceptable(self.identity, channel, state.app, message.msg):
                return
            app = self.application.after_accept(self.identity, channel, app, message.msg)
        yield from self.sends(app, sorted(sending))

    def sends(
        self, app: Value, sending: Sequence[Channel]
    ) -> Iterator[tuple[Value, dict[Channel, tuple[Value, ...]]]]:
        """Yield each way to send one message on each of some channels, taken in order. TLA+: AfterSends."""
        if not sending:
            yield app, {}
            return
        first, rest = sending[0], sending[1:]
        for msg in self.application.sendable(self.identity, first, app):
            after = self.application.after_send(self.identity, first, app, msg)
            for end, bodies in self.sends(after, rest):
                yield end, {first: (msg,), **bodies}

    # -- helpers -------------------------------------------------------------------------------------------

    def _acceptable(self, state: S, channel: Channel, message: Message) -> bool:
        return self.may_take(state, message) and self.application.acceptable(
            self.identity, channel, state.app, message.msg
        )

    def _outputs(self, bodies: Mapping[Channel, tuple[Element, ...]]) -> tuple[tuple[Element, ...], ...]:
        return tuple(bodies.get(channel, ()) for channel in self.outputs)

    def _coloured(
        self, bodies: Mapping[Channel, tuple[Value, ...]], colour: str
    ) -> tuple[tuple[Element, ...], ...]:
        return self._outputs({c: tuple(Message(m, colour) for m in body) for c, body in bodies.items()})


def messages_of(taken: Mapping[Channel, Element]) -> dict[Channel, Message]:
    """Return the ordinary messages among what is taken; the rest are markers."""
    return {channel: e for channel, e in taken.items() if isinstance(e, Message)}
