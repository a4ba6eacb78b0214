"""The computation alone (``specs/Computation.tla``): EWD864a's machines without colours, recordings or markers.

Every protocol's system is this one without the snapshot, and a recorded state must be
reachable in. Nothing runs it, so it is here, for replay, and not among the protocols.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.machines.protocols import WHITE, Coloured, Message, Network, Process
from pyharness.machines.systems.protocol_spec import ProtocolSpec
from pyharness.machines.systems.system import Action, GlobalState, System, messages_in, subsets
from pyharness.tla.values import function

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols import Application, Channel, Value
    from pyharness.tla.values import Value as TlaValue


class ComputationState(NamedTuple):
    """A machine's state: the application's. It records nothing."""

    app: Value
    recorded: None = None


class Computation(Process[ComputationState]):
    """A machine that accepts, sends and computes."""

    def initial(self, app: Value) -> ComputationState:
        """Begin in the application's state."""
        return ComputationState(app)

    def after(
        self, state: ComputationState, app: Value, taken: Sequence[tuple[Channel, Message]]
    ) -> ComputationState:
        """Return the state with ``app`` as the application's."""
        return ComputationState(app)


class LocalAction(NamedTuple):
    """An action as its machine knows it, so that it is the same action wherever in a computation it is taken.

    ``process`` (from 1) takes the messages ``accepted`` and sends those in ``sent``, pairs of channel and message
    in the order of the channels; ``end`` is its state afterwards.
    """

    process: int
    accepted: tuple[tuple[Channel, Any], ...]
    sent: tuple[tuple[Channel, Any], ...]
    end: Value

    @property
    def name(self) -> str:
        """The name of the action in ``specs/Computation.tla``."""
        if len(self.accepted) + len(self.sent) > 1:
            return "Exchange"
        return "Accept" if self.accepted else "Send" if self.sent else "Internal"

    def detail(self, topology: Topology) -> str:
        """Return the action's arguments: ``C12 m``, ``P1``, or for an exchange ``accepts C12 m, sends C23 m``."""
        accepted, sent = (
            ", ".join(f"{topology.channel_name(channel)} {msg}" for channel, msg in part)
            for part in (self.accepted, self.sent)
        )
        if self.name == "Exchange":
            parts = [f"accepts {accepted}"] * bool(accepted) + [f"sends {sent}"] * bool(sent)
            return ", ".join(parts)
        return accepted or sent or topology.process_name(self.process)


class ComputationSystem(System):
    """``specs/Computation.tla``: all machines, and FIFO channels that carry nothing but their messages."""

    protocol = "Computation"

    def __init__(
        self,
        topology: Topology,
        application: Application,
        *,
        process: type[Process[Any]] = Computation,
        network: Network | None = None,
        granularity: str = "event",
    ) -> None:
        super().__init__(topology, application, process=process, network=network, granularity=granularity)

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield nothing: a computation has no snapshot."""
        return iter(())

    def complete(self, state: GlobalState) -> bool:
        """False: a computation has no snapshot to be complete."""
        return False

    def variables(self, state: GlobalState) -> dict[str, TlaValue]:
        """Return topo, state and chan."""
        queues = (tuple(e.msg for e in messages_in(queue)) for queue in state.queues)
        return {
            "topo": self.topology.id,
            "state": function(enumerate((local.app for local in state.local), start=1)),
            "chan": self.by_channel(queues),  # type: ignore[arg-type]
        }

    def at(self, states: Iterable[Value], channels: Iterable[Iterable[Any]]) -> GlobalState:
        """Return the global state in which processes are in ``states``, and channels hold these messages."""
        queues = tuple(tuple(Coloured(msg, WHITE) for msg in queue) for queue in channels)
        empty: tuple[tuple[Any, ...], ...] = ((),) * len(queues)
        return GlobalState(tuple(map(ComputationState, states)), queues, empty, empty)

    def underlying(self, state: GlobalState) -> GlobalState:
        """Return the computation's part of a protocol's global state: local states and messages."""
        return self.at(*plain(state))

    def local_actions(self, state: GlobalState) -> Iterator[tuple[LocalAction, GlobalState]]:
        """Yield every action that is possible in ``state``, with the state after it."""
        most = 1 if self.granularity == "event" else len(self.channels) * 2
        for number, machine in enumerate(self.processes):
            heads = self._heads(state, machine.inputs)
            for ins in subsets(tuple(heads)):
                for outs in subsets(machine.outputs):
                    if len(ins) + len(outs) <= most:
                        yield from self._ways(state, number, {c: heads[c] for c in ins}, outs)

    def take(self, state: GlobalState, action: LocalAction) -> GlobalState | None:
        """Take ``action`` in ``state`` and return the state after it; ``None`` if it is not possible there."""
        number = action.process - 1
        heads = self._heads(state, [channel for channel, _ in action.accepted])
        if len(heads) < len(action.accepted):
            return None
        ways = self._ways(state, number, heads, [channel for channel, _ in action.sent])
        return next((after for way, after in ways if way == action), None)

    def _heads(self, state: GlobalState, channels: Sequence[Channel]) -> dict[Channel, Message]:
        queues = {channel: messages_in(state.queues[self._index[channel]]) for channel in channels}
        return {channel: Message(queue[0].msg) for channel, queue in queues.items() if queue}

    def _ways(
        self, state: GlobalState, number: int, heads: Mapping[Channel, Message], sending: Sequence[Channel]
    ) -> Iterator[tuple[LocalAction, GlobalState]]:
        """Yield each way in which a process (from 0) can accept ``heads`` and send on ``sending`` in one action."""
        if not all(self.network.room(state.queues[self._index[channel]]) for channel in sending):
            return
        machine, local = self.processes[number], state.local[number]
        taken = [(self._index[channel], 0) for channel in heads]
        accepted = tuple((channel, message.msg) for channel, message in sorted(heads.items()))
        for step in machine.exchange(local, heads, sending) if heads or sending else machine.internal(local):
            bodies = zip(machine.outputs, step.outputs, strict=True)
            sent = tuple((channel, element.msg) for channel, body in bodies for element in body)
            action = LocalAction(number + 1, accepted, sent, step.state.app)
            yield action, self.settle(state, number, step, taken)


_Colourless = tuple[tuple[Any, ...], tuple[tuple[Any, ...], ...]]
"""A global state of the computation: local states, and messages by channel."""


def sss_reachable(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E7: the behaviour begins as the computation does, and every step is one of it towards SSS, or none."""
    return _computes(system, before, _towards_sss(system, before), _towards_sss(system, after))


def refines_computation(system: System, before: GlobalState, after: GlobalState) -> bool:
    """Without its colours, the behaviour begins as the computation does, and every step is one of it, or none."""
    return _computes(system, before, plain(before), plain(after))


def plain(state: GlobalState) -> _Colourless:
    """Return a protocol's state as one of the computation, without colours and control."""
    return (
        tuple(local.app for local in state.local),
        tuple(tuple(e.msg for e in queue if hasattr(e, "msg")) for queue in state.queues),
    )


def _towards_sss(system: System, state: GlobalState) -> _Colourless:
    """Return a state as SSS together with the messages that are still white."""
    states = tuple(local.app if local.recorded is None else local.recorded.state for local in state.local)
    return states, tuple(map(tuple, system.sss_channels(state)))


def _computes(system: System, before: GlobalState, old: _Colourless, new: _Colourless) -> bool:
    """Return whether a step from ``before``, which is seen as ``old``, may lead to the state that is seen as ``new``."""
    if any(old[1]) and before in system.beginnings:
        return False
    if old == new:
        return True
    bare = ComputationSystem(
        system.topology, system.application, network=system.network, granularity=system.granularity
    )
    return any(plain(action.after) == new for action in bare.actions(bare.at(*old)))


COMPUTATION = ProtocolSpec(
    name="Computation", system=ComputationSystem, process=Computation, coloured=False, stop=""
)
