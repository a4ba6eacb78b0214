"""The base of every snapshot protocol's process: EWD864a's machine, without I/O; and the rules of its channels.

A process object holds what never changes (its name, its channels, the application). Its state is an immutable
value that is handed in and given back: an input and a state give a :class:`Step`, a new state and what goes out
on each output. The driver of the object, replay or a socket, keeps the state and carries the messages.

Theory of operation
===================

**Who does what.** The machine decides, the driver carries. The driver keeps the machine's last state, hands it in
with the next event, and replaces it with the state of the :class:`Step` it gets. It never looks inside a state and
never makes one: the first one is :meth:`Process.initial`'s. An object may serve any number of runs at once, for it
remembers nothing between calls.

**One atomic step.** An event, the state after it and the sending of its outputs are one action of the spec. No other
event of the same process may come in between: a driver with threads takes a lock for each process, or gives each
process one thread. Actions of *different* processes may be interleaved or overlap as they like (EWD864a E8).

**Order of outputs.** ``Step.outputs`` has one tuple of elements for each output, in the order of
:attr:`Process.outputs`. Elements of one output go on the channel in the order of the tuple, and ahead of the elements of a
later step there. Between different outputs no order matters. Nothing of a step may be dropped or sent twice.

**Channels are FIFO**, deliver everything in the end, and lose, change and duplicate nothing. A sender never waits
for room: a channel of limited capacity makes the snapshot's guarantees false (``CappedChannel`` shows it). The
driver takes the *first* element of an input, hands a :class:`Message` to :meth:`Process.accept` and control
elements to the protocol's own handlers (``accept_marker``, ``accept_barrier``), and removes it from the channel when
it gets a step for it. Whether an element is a marker is decided by its value, not by its identity: one that was
pickled, copied or made anew is the same marker.

**None** means that the TLA+ action of that name is not enabled in this state: nothing has changed, the element stays
first in its channel, and the driver may try again after the next event (an input is blocked, a process is paused, a
snapshot has already begun). Handlers that have several outcomes yield each of them, or none.

**An error** means that the action would never make sense: a foreign channel, an item that is not held, a second
marker. It is a :class:`~pyharness.base.errors.DriverError` if the driver could have known and a
:class:`~pyharness.base.errors.PeerError` if it came over a channel. The state that was handed in is still good, as all
states are, but the channel it came from is not to be trusted any more.

**Colours are not sent.** EWD864a gives every message its sender's colour; that is a ghost, which an *observer* of a
computation adds (:mod:`pyharness.machines.systems`). A process sends and accepts the bare :class:`Message`. Only
``WhiteRed``, where there are no markers and the colour alone decides, is handed the colour as well.

A channel is a FIFO buffer of sufficient capacity, which delivers in the end and carries colours. The rules are
those of ``specs/Application.tla``, under its names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from pyharness.base.errors import DriverError, PeerError, SpecError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols.applications.application import Application, Channel, Value


WHITE = "white"
RED = "red"


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the computation, as it travels. It equals no control element, with any content."""

    msg: Value


class Coloured(NamedTuple):
    """A message with its sender's colour (EWD864a E2), as an observer sees it; only WhiteRed is handed it."""

    msg: Value
    colour: str


class Marker(NamedTuple):
    """The control message that separates white from red on a channel."""

    control: str = "marker"


MARKER = Marker()

Body: TypeAlias = "tuple[Message | Marker, ...]"
"""The elements that a process puts on one output in an action, in order."""

Element: TypeAlias = Message | Coloured | Marker
"""The elements that a process accepts; it sends a :class:`Message` or a :class:`Marker`."""


class Recorded(NamedTuple):
    """A recorded local state (so that a recorded ``None`` differs from nothing recorded)."""

    state: Value


class LocalState(Protocol):
    """The attributes that the state of any protocol's process has."""

    @property
    def app(self) -> Value:
        """The application's local state."""

    @property
    def recorded(self) -> Recorded | None:
        """The state recorded, once it is."""


S = TypeVar("S", bound=LocalState)


class Step(NamedTuple, Generic[S]):
    """The result of an action: the state after it, and for each output, in order, the elements that go out on it.

    ``colour`` is the action's (E2), where it is not the colour that the machine had before it (E17).
    """

    state: S
    outputs: tuple[Body, ...]
    colour: str | None = None


class Process(ABC, Generic[S]):
    """A machine of EWD864a with a protocol's state ``S``.

    ``identity`` is its number in ``topology``; ``application`` defines what it computes. Handlers are pure; each
    names the TLA+ action it implements. A handler returns ``None`` when its action is not enabled, and raises
    DriverError or PeerError when it never could be (see this module's theory of operation).
    """

    carries: ClassVar[type[Message | Coloured]] = Message
    """The class of the messages that it accepts: bare ones, unless it must see their colours."""

    def __init__(self, identity: int, topology: Topology, application: Application) -> None:
        if not 1 <= identity <= topology.processes:
            raise SpecError(f"no process {identity} among {topology.processes}")
        self.identity = identity
        self.topology = topology
        self.inputs: tuple[Channel, ...] = topology.inputs(identity)
        self.outputs: tuple[Channel, ...] = topology.outputs(identity)
        self.is_initiator = identity in topology.initiators
        self.application = application
        self.silence: tuple[Body, ...] = ((),) * len(self.outputs)
        self._input_index = {channel: index for index, channel in enumerate(self.inputs)}

    @abstractmethod
    def initial(self, app: Value) -> S:
        """Return the state of a process whose application begins in ``app``; nothing is recorded."""

    @abstractmethod
    def after(self, state: S, app: Value, taken: Sequence[tuple[Channel, Any]]) -> S:
        """Return the protocol's state after an action that took these messages and left the application in ``app``."""

    def colour(self, state: S) -> str:
        """Return the machine's colour: red once it has recorded (E1)."""
        return WHITE if state.recorded is None else RED

    def may_take(self, state: S, message: Any) -> bool:
        """Return whether the protocol lets this message be accepted now."""
        return True

    def may_send(self, state: S) -> bool:
        """Return whether the protocol lets messages be sent, and internal actions be taken, now."""
        return True

    def act(self, before: S, after: S, outputs: tuple[Body, ...]) -> Step[S]:
        """End an action; a protocol adds its own effect."""
        return Step(after, outputs)

    # -- the application's actions -------------------------------------------------------------------------

    def sendable(self, state: S, channel: Channel) -> Iterator[Value]:
        """Yield what may be sent on ``channel``."""
        if self.may_send(state):
            yield from self.application.sendable(self.identity, channel, state.app)

    def send(self, state: S, channel: Channel, msg: Value) -> Step[S] | None:
        """Send ``msg`` on ``channel``. TLA+: Send. ``None`` while the protocol lets nothing be sent.

        Raises DriverError for a channel that is not its output, and for a message that the application does not send.
        """
        if channel in self.outputs and not self.may_send(state):
            return None
        self.require_sendable(state, channel, msg)
        app = self.application.after_send(self.identity, channel, state.app, msg)
        return self.act(state, self.after(state, app, ()), self._outputs({channel: (Message(msg),)}))

    def accept(self, state: S, channel: Channel, message: Any) -> Step[S] | None:
        """Accept ``message`` from ``channel``. TLA+: Accept.

        Raises DriverError for a channel that is not its input, PeerError for a value that is not a message.
        """
        self.admit(channel, message)
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
        self, state: S, taken: Mapping[Channel, Any], sending: Sequence[Channel]
    ) -> Iterator[Step[S]]:
        """Accept all of ``taken``, then send on each of ``sending``, in one action. TLA+: Exchange (E17).

        Raises, at once, as :meth:`send` and :meth:`accept` do, and DriverError for two messages on one output.
        """
        self._admit(state, taken, sending)
        return self._exchange(state, taken, sending)

    def _exchange(
        self, state: S, taken: Mapping[Channel, Any], sending: Sequence[Channel]
    ) -> Iterator[Step[S]]:
        for app, bodies in self.exchanges(state, messages_of(taken), sending):
            after = self.after(state, app, tuple(sorted(taken.items())))
            yield self.act(state, after, self._bodies(bodies))

    def exchanges(
        self, state: S, taken: Mapping[Channel, Message | Coloured], sending: Sequence[Channel]
    ) -> Iterator[tuple[Value, Mapping[Channel, tuple[Value, ...]]]]:
        """Yield each way to accept and send: the application's state after it, and the bodies by channel.

        Channels are taken in their order, and each message must be acceptable in the state that those before it have
        led to. TLA+: AllAcceptable.
        """
        if sending and not self.may_send(state):
            return
        app = state.app
        for channel, message in sorted(taken.items()):
            if not self.application.acceptable(self.identity, channel, app, message.msg):
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

    # -- what is refused -----------------------------------------------------------------------------------

    def require_sendable(self, state: S, channel: Channel, msg: Value) -> None:
        """Raise DriverError unless the application, in this state, sends ``msg`` on ``channel``."""
        if channel not in self.outputs:
            raise self._foreign("send on", channel, "outputs", self.outputs)
        try:
            if msg in self.application.sendable(self.identity, channel, state.app):
                return
        except TypeError:  # it cannot be hashed, so it is not a value at all
            pass
        offered = sorted(map(repr, self.application.sendable(self.identity, channel, state.app)))
        raise DriverError(
            f"{msg!r} cannot be sent in this state",
            where=self._place(channel),
            hint=f"send what `sendable` yields: {', '.join(offered) or 'now nothing'}",
        )

    def input_index(self, channel: Channel) -> int:
        """Return the place of ``channel`` among the inputs. Raises DriverError if it is not one of them."""
        try:
            return self._input_index[channel]
        except (KeyError, TypeError):
            raise self._foreign("accept from", channel, "inputs", self.inputs) from None

    def admit(self, channel: Channel, message: Any) -> int:
        """Return the place of ``channel`` among the inputs, if that is a message that may come from there.

        Raises DriverError and PeerError.
        """
        index = self.input_index(channel)
        if not isinstance(message, self.carries):
            raise self._no_message(channel, message)
        return index

    def admit_marker(self, state: S, channel: Channel, marker: Marker) -> int:
        """Do the same for a marker: raises PeerError where there are none."""
        self.input_index(channel)
        raise self._no_message(channel, marker)

    def _admit(self, state: S, taken: Mapping[Channel, Any], sending: Sequence[Channel]) -> None:
        for channel, element in taken.items():
            if isinstance(element, Marker):
                self.admit_marker(state, channel, element)
            else:
                self.admit(channel, element)
        for channel in sending:
            if channel not in self.outputs:
                raise self._foreign("send on", channel, "outputs", self.outputs)
        if len(set(sending)) < len(sending):
            raise DriverError(
                "two messages on one output", where=self._place(), hint="an action sends at most one on each"
            )

    def _no_message(self, channel: Channel, element: Any) -> PeerError:
        hint = "hand a `Marker` to the handler of markers or barriers, and what the channel brought as a `Message`"
        if self.carries is Coloured:
            hint = "this protocol sees colours: hand it a `Coloured`"
        return PeerError(f"{element!r} is not a message", where=self._place(channel), hint=hint)

    def _foreign(self, verb: str, channel: Any, kind: str, known: tuple[Channel, ...]) -> DriverError:
        names = ", ".join(f"{self.topology.channel_name(c)} {c}" for c in known)
        return DriverError(
            f"cannot {verb} {channel!r}",
            where=self._place(),
            hint=f"its {kind} are {names}" if names else f"it has no {kind}",
        )

    def _place(self, channel: Channel | None = None) -> str:
        name = self.topology.process_name(self.identity)
        return name if channel is None else f"{name}, {self.topology.channel_name(channel)}"

    # -- helpers -------------------------------------------------------------------------------------------

    def _acceptable(self, state: S, channel: Channel, message: Any) -> bool:
        return self.may_take(state, message) and self.application.acceptable(
            self.identity, channel, state.app, message.msg
        )

    def _outputs(self, bodies: Mapping[Channel, Body]) -> tuple[Body, ...]:
        return tuple(bodies.get(channel, ()) for channel in self.outputs)

    def _bodies(self, bodies: Mapping[Channel, tuple[Value, ...]]) -> tuple[Body, ...]:
        return self._outputs({channel: tuple(map(Message, body)) for channel, body in bodies.items()})


def messages_of(taken: Mapping[Channel, Any]) -> dict[Channel, Any]:
    """Return the ordinary messages among what is taken; the rest are markers."""
    return {channel: e for channel, e in taken.items() if not isinstance(e, Marker)}


class Network:
    """The rules of all channels. Mutants override one of them."""

    def left(self, channel: Channel) -> tuple[Coloured, ...]:
        """Return the initial content of a channel: nothing. TLA+: Init."""
        return ()

    def positions(self, queue: tuple[Element, ...]) -> Iterable[int]:
        """Return the indices of the elements that may be accepted next: the first. TLA+: Positions."""
        return (0,) if queue else ()

    def without(self, queue: tuple[Element, ...], position: int) -> tuple[Element, ...]:
        """Return what is left of a channel when an element was accepted: all the others. TLA+: Without, Exchanged."""
        return queue[:position] + queue[position + 1 :]

    def room(self, queue: tuple[Element, ...]) -> bool:
        """Return whether one more may be sent: always. TLA+: Room."""
        return True

    def fair(self, channels: Sequence[Channel]) -> Iterable[Channel]:
        """Return the channels whose messages are all accepted eventually: all channels (E18). TLA+: FairChannels."""
        return channels

    def red_for(self, sender: frozenset[Any], receiver: frozenset[Any]) -> frozenset[Any]:
        """Return the snapshots for which a message is red: those for which its sender is (E2). TLA+: Sent."""
        return sender

    def tint(self, action: str, after: str, receiver: str, *, first: bool) -> str:
        """Return a message's colour: the action's that sends it (E2). TLA+: Sent.

        ``after`` is the sender's colour after the action, and ``receiver`` the receiver's; ``first`` is whether it
        goes out on the first of the sender's outputs.
        """
        return action
