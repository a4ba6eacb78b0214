"""Flink's asynchronous barrier snapshots (``specs/Barriers.tla``), as a state machine per process.

The sources record and send barriers; every other process records at a moment that depends on the barriers it has
accepted, and sends them on. One class for each of the specs that extend ``Barriers``: they differ in three decisions,
which inputs are blocked, when a process records, and what it records as in flight. These are those of an
:class:`~pyharness.machines.protocols.checkpoints.operator.Operator` of one mode each, whose only checkpoint this is.

P. Carbone et al., "Lightweight Asynchronous Snapshots for Distributed Dataflows", arXiv 1506.08603, 2015; Apache
Flink's documentation on checkpointing.

Theory of operation
===================

One checkpoint, and so one barrier on each channel. The driver's duties are those of every process
(:mod:`pyharness.machines.protocols.common.process`), with two additions.

*Barriers that overtake.* Where :meth:`~BarrierProcess.overtakes` is true, the driver may look for the barrier among
records that wait in an input's queue. It hands :meth:`~BarrierProcess.accept_barrier` what the barrier overtakes, all
of it and in order, removes the barrier alone, and leaves the records where they are: they are part of the checkpoint
*and* are processed later. Elsewhere, if records are before the barrier, ``accept_barrier`` returns ``None``.

*A blocked input* is not an error: ``accept`` and ``accept_barrier`` return ``None``, the element stays first, and the
driver asks again after the next barrier. It must go on with the *other* inputs meanwhile, or it waits forever.

The sources record when they hear of the checkpoint, with :meth:`~BarrierProcess.initiate`, which returns ``None``
for a process that is not a source, or that has recorded. Every other process records in the step that accepts the barrier on
which its protocol decides: the last one (aligned, at-least-once), the first one (unaligned), the last of the regular
inputs' (cyclic), or at a timeout (:meth:`~BarrierProcess.time_out`, ``None`` when nothing is being aligned). In that
step, and only in it, a barrier goes out on every output, ahead of what comes later.

A process is *complete* when it has recorded and all its barriers have arrived: then ``recorded`` is its state, and
``rec_chan`` what was in flight on each input. A second barrier on one channel is refused.

``exchange`` accepts from several inputs and sends on several outputs in one action, as an operator does that emits what
it makes of a record. Barriers are not part of it: it yields nothing where one is taken, or an input is blocked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pyharness.base.errors import PeerError
from pyharness.machines.protocols.checkpoints.operator import Barrier, Operator, Pending
from pyharness.machines.protocols.common.process import (
    WHITE,
    Element,
    Marker,
    Message,
    Process,
    Recorded,
    Step,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols.applications.application import Application, Channel, Value

BARRIER = Marker("barrier")


ONE = Barrier(1)
"""The barrier of the only checkpoint, as the operator knows it."""


class BarrierState(NamedTuple):
    """A process's state.

    ``app`` is the application's; ``recorded`` the recorded one; ``rec_chan`` has the recorded messages of each input,
    and ``arrived`` has for each whether its barrier was accepted.
    """

    app: Value
    recorded: Recorded | None
    rec_chan: tuple[tuple[Value, ...], ...]
    arrived: tuple[bool, ...]


class BarrierProcess(Process[BarrierState]):
    """A process of any barrier protocol, which takes one checkpoint as an :class:`Operator` of its ``mode`` does."""

    mode: ClassVar[str]

    def __init__(self, identity: int, topology: Topology, application: Application) -> None:
        super().__init__(identity, topology, application)
        back = frozenset(filter(self.is_back, range(len(self.inputs))))
        self.operator = Operator(len(self.inputs), self.mode, back)

    def initial(self, app: Value) -> BarrierState:
        """Begin with nothing recorded and no barrier arrived."""
        return BarrierState(app, None, ((),) * len(self.inputs), (False,) * len(self.inputs))

    def is_back(self, index: int) -> bool:
        """Return whether input ``index`` is a back edge: from a process of no smaller number. TLA+: IsBack."""
        source, target = self.inputs[index]
        return target <= source

    def pending(self, state: BarrierState) -> Pending:
        """Return the checkpoint as an operator has it, which keeps it here when it is complete."""
        arrived = frozenset(index for index, done in enumerate(state.arrived) if done)
        held = frozenset(index for index in arrived if self.operator.holds(ONE, index))
        return Pending(ONE.id, arrived, state.recorded is not None, state.rec_chan, held)

    # -- the decisions -------------------------------------------------------------------------------------

    def blocked(self, state: BarrierState, index: int) -> bool:
        """Return whether it may not accept from input ``index``: it waits until the process records. TLA+: Blocked."""
        return state.recorded is None and self.operator.blocks(self.pending(state), index)

    def records_now(self, state: BarrierState) -> bool:
        """Return whether it records when these barriers have arrived. TLA+: RecordsNow."""
        return self.operator.records_at_once(ONE) or self.operator.ready(self.pending(state))

    def logs(self, state: BarrierState, index: int) -> bool:
        """Return whether what it accepts from input ``index`` is recorded as in flight. TLA+: Logs."""
        return self.operator.logs(self.pending(state), index)

    def may_record(self, state: BarrierState) -> bool:
        """Return whether a source may record: once (E1). TLA+: MayRecord."""
        return state.recorded is None

    def obeys(self, *, says: bool) -> bool:
        """Return whether it records at the moment that its protocol defines (E13). TLA+: TakeBarrier."""
        return says

    def overtakes(self, state: BarrierState) -> bool:
        """Return whether it takes barriers ahead of queued records. TLA+: Reachable."""
        return self.operator.may_overtake(
            self.operator.initial()._replace(pending=(self.pending(state),)), ONE
        )

    def overtaken(self, queued: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return what is recorded as in flight of the records that a barrier overtakes. TLA+: Overtaken."""
        return queued

    # -- actions -------------------------------------------------------------------------------------------

    def after(
        self, state: BarrierState, app: Value, taken: Sequence[tuple[Channel, Message]]
    ) -> BarrierState:
        """Return the state with the accepted messages recorded that are in flight (E6). TLA+: Log."""
        for channel, message in taken:
            index = self._input_index[channel]
            if self.logs(state, index):
                state = self._logged(state, index, (message.msg,))
        return state._replace(app=app)

    def accept(self, state: BarrierState, channel: Channel, message: Message) -> Step[BarrierState] | None:
        """Accept ``message`` unless its input is blocked. TLA+: Accept. Raises as :meth:`Process.accept` does."""
        if self.blocked(state, self.admit(channel, message)):
            return None
        return super().accept(state, channel, message)

    def _exchange(
        self, state: BarrierState, taken: Mapping[Channel, Element], sending: Sequence[Channel]
    ) -> Iterator[Step[BarrierState]]:
        """Accept messages alone, from inputs none of which is blocked. TLA+: AcceptAndSend (E17)."""
        shut = any(self.blocked(state, self._input_index[channel]) for channel in taken)
        if not shut and not any(isinstance(element, Marker) for element in taken.values()):
            yield from super()._exchange(state, taken, sending)

    def initiate(self, state: BarrierState) -> Step[BarrierState] | None:
        """Record, as a source that hears of the checkpoint. TLA+: Initiate."""
        if not self.is_initiator or not self.may_record(state):
            return None
        return self._record(state)

    def accept_barrier(
        self, state: BarrierState, channel: Channel, queued: tuple[Value, ...] = ()
    ) -> Step[BarrierState] | None:
        """Accept the barrier of ``channel`` ahead of the messages ``queued`` before it. TLA+: AcceptBarrier.

        ``None`` while that input is blocked, and where barriers do not overtake. Raises DriverError for a channel that
        is not its input, PeerError for a second barrier on one channel.
        """
        index = self.admit_marker(state, channel, BARRIER)
        if self.blocked(state, index) or (queued and not self.overtakes(state)):
            return None
        arrived = (*state.arrived[:index], True, *state.arrived[index + 1 :])
        after = self._logged(state._replace(arrived=arrived), index, self.overtaken(queued))
        if self.colour(state) == WHITE and self.obeys(says=self.records_now(after)):
            return self._record(after)
        return Step(after, self.silence)

    def admit_marker(self, state: BarrierState, channel: Channel, marker: Marker) -> int:
        """Admit the one barrier of an input (E11). Raises DriverError and PeerError."""
        index = self.input_index(channel)
        if marker != BARRIER:
            raise PeerError(
                f"{marker!r} is not this protocol's", where=self._place(channel), hint=f"it is {BARRIER!r}"
            )
        if state.arrived[index]:
            raise PeerError(
                "a second barrier",
                where=self._place(channel),
                hint="this protocol takes one checkpoint; `Operator` and `Task` take several, by their ids",
            )
        return index

    def time_out(self, state: BarrierState) -> Step[BarrierState] | None:
        """Record although not all barriers have come (A6). TLA+: TimeOut. ``None`` where nothing is aligned, or none may."""
        if not any(state.arrived) or not self.operator.switches(self.pending(state)):
            return None
        return self._record(state)

    # -- helpers -------------------------------------------------------------------------------------------

    def _record(self, state: BarrierState) -> Step[BarrierState]:
        return Step(state._replace(recorded=Recorded(state.app)), ((BARRIER,),) * len(self.outputs))

    def _logged(self, state: BarrierState, index: int, records: tuple[Value, ...]) -> BarrierState:
        log = state.rec_chan
        return state._replace(rec_chan=(*log[:index], log[index] + records, *log[index + 1 :]))


class AlignedBarriers(BarrierProcess):
    """``specs/AlignedBarriers.tla``: an input whose barrier has come is blocked until all have come (A11)."""

    mode = "aligned"


class AtLeastOnceBarriers(BarrierProcess):
    """``specs/AtLeastOnceBarriers.tla``: alignment is skipped (A4)."""

    mode = "at-least-once"


class UnalignedBarriers(BarrierProcess):
    """``specs/UnalignedBarriers.tla``: record at the first barrier, which overtakes what is queued (A5)."""

    mode = "unaligned"


class TimeoutBarriers(BarrierProcess):
    """``specs/TimeoutBarriers.tla``: aligned at first, unaligned after a timeout (A6)."""

    mode = "timeout"

    def blocked(self, state: BarrierState, index: int) -> bool:
        """Return true from the input's barrier until all have come, whether the process has recorded or not (A6)."""
        return self.operator.blocks(self.pending(state), index) and not all(state.arrived)


class CyclicBarriers(BarrierProcess):
    """``specs/CyclicBarriers.tla``: back edges are not waited for, and logged until their barriers return (A10)."""

    mode = "cyclic"
