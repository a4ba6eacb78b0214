"""The system of ``specs/Snapshots.tla``: markers with ids. Seen through one id it is that of ``ChandyLamport``."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.base.errors import PeerError
from pyharness.machines.explain.behaviour_view import markers_ascend, one_at_a_time, strangers
from pyharness.machines.protocols import MARKER, RED, WHITE, ChandyLamport, Coloured, Message, Recorded
from pyharness.machines.protocols.markers.chandy_lamport import ChandyLamportState
from pyharness.machines.protocols.markers.snapshots import SnapshotMarker, Snapshots, SnapshotsState
from pyharness.machines.protocols.snapshot_mutants import SNAPSHOTS_MUTANTS
from pyharness.machines.systems.chandy_lamport_system import CHANDY_LAMPORT, ChandyLamportSystem
from pyharness.machines.systems.held_up import holds_nobody_up
from pyharness.machines.systems.protocol_spec import (
    COMPUTATION_STEPS,
    ProtocolSpec,
    ScheduleForm,
    claim_of,
    seen,
    unless,
)
from pyharness.machines.systems.system import Action, GlobalState, System
from pyharness.machines.systems.white_red_system import begins_otherwise
from pyharness.tla.values import Fn, Value, function, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyharness.machines.protocols import Step
    from pyharness.machines.protocols.markers.snapshots import SnapshotId
    from pyharness.machines.systems.protocol_spec import StateProperty


class Tagged(NamedTuple):
    """A message in a channel, as an observer sees it: with the ids for which its sender was red."""

    msg: Value
    red: frozenset[SnapshotId]


class Ghosts(NamedTuple):
    """The white messages accepted in red actions, and the red ones accepted in white actions, by id and channel."""

    white_in_red: tuple[tuple[tuple[Value, ...], ...], ...]
    red_in_white: tuple[tuple[tuple[Value, ...], ...], ...]


class SnapshotsSystem(System):
    """``specs/Snapshots.tla``: each initiator takes ``each`` snapshots, and with ``overlap`` waits for none."""

    protocol = "Snapshots"

    def __init__(self, *arguments: Any, each: int = 1, overlap: int = 1, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.overlap = overlap
        self.ids: tuple[SnapshotId, ...] = tuple(
            (p, k) for p in sorted(self.topology.initiators) for k in range(1, each + 1)
        )
        self._place = {snapshot: at for at, snapshot in enumerate(self.ids)}
        self.single = ChandyLamportSystem(
            self.topology, self.application, process=ChandyLamport, network=self.network
        )

    def initial(self) -> Iterator[GlobalState]:
        """Yield the initial states. TLA+: Init."""
        nothing: tuple[Any, ...] = (((),) * len(self.channels),) * len(self.ids)
        for state in super().initial():
            queues = tuple(tuple(Tagged(e.msg, frozenset()) for e in queue) for queue in state.queues)
            yield state._replace(queues=queues, outside=Ghosts(nothing, nothing))

    # -- behaviours ----------------------------------------------------------------------------------------

    def actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield every enabled action with its result. TLA+: Next."""
        for index, channel in enumerate(self.channels):
            yield from self._takes(state, index)
            source = channel[0] - 1
            machine, local = self.processes[source], state.local[source]
            for msg in machine.sendable(local, channel) if self.network.room(state.queues[index]) else ():
                detail = f"{self.topology.channel_name(channel)}, {msg}"
                yield Action("Send", detail, self._stepped(state, source, machine.send(local, channel, msg)))
        for number, machine in enumerate(self.processes):
            name = self.topology.process_name(number + 1)
            for step in machine.internal(state.local[number]):
                yield Action("Internal", name, self._stepped(state, number, step))
            step = machine.initiate(state.local[number]) if self._may_initiate(state, number) else None
            if step is not None:
                yield Action("Initiate", name, self._stepped(state, number, step))

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield nothing: :meth:`actions` has them all."""
        return iter(())

    def _may_initiate(self, state: GlobalState, number: int) -> bool:
        """Return whether the bounds let a process begin its next snapshot, if it is one that may. TLA+: MayInitiate."""
        machine = self.processes[number]
        if not machine.is_initiator:
            return True
        if machine.next_id(state.local[number]) not in self._place:
            return False
        return bool(self.overlap) or not machine.waits(complete=not self.under_way(state))

    def under_way(self, state: GlobalState) -> list[SnapshotId]:
        """Return the ids of the snapshots that were begun and are not complete."""
        begun = (n for n in self.ids if any(local.part(n) is not None for local in state.local))
        return [n for n in begun if not self.complete_for(state, n)]

    def _takes(self, state: GlobalState, index: int) -> Iterator[Action]:
        channel, queue = self.channels[index], state.queues[index]
        name, number = self.topology.channel_name(channel), channel[1] - 1
        machine, local = self.processes[number], state.local[number]
        for position in self.network.positions(queue):
            element = queue[position]
            queues = list(state.queues)
            queues[index] = self.network.without(queue, position)
            rest = state._replace(queues=tuple(queues))
            if isinstance(element, SnapshotMarker):
                step = machine.accept_marker(local, channel, element)
                yield Action("AcceptMarker", name, self._stepped(rest, number, step))
                continue
            step = machine.accept(local, channel, Message(element.msg))
            if step is not None:
                after = self._stepped(rest, number, step)
                yield Action("Accept", f"{name}, {element.msg}", self._watched(after, index, local, element))

    def _stepped(self, state: GlobalState, number: int, step: Step[SnapshotsState]) -> GlobalState:
        """Return the state after a step of a process: its messages are red for the ids for which it was before."""
        queues = list(state.queues)
        for index, body in zip(self._outputs[number], step.outputs, strict=True):
            receiver = state.local[self.channels[index][1] - 1]
            red = self.network.red_for(_red(state.local[number]), _red(receiver))
            queues[index] += tuple(Tagged(e.msg, red) if isinstance(e, Message) else e for e in body)  # type: ignore[arg-type]
        local = (*state.local[:number], step.state, *state.local[number + 1 :])
        return state._replace(local=local, queues=tuple(queues))

    def _watched(self, state: GlobalState, index: int, local: SnapshotsState, element: Tagged) -> GlobalState:
        """Note a message that a process in state ``local`` has accepted, for each id of which it has not the colour."""
        red = _red(local)
        ghosts: Ghosts = state.outside
        return state._replace(
            outside=Ghosts(
                self._noted(ghosts.white_in_red, red - element.red, index, element.msg),
                self._noted(ghosts.red_in_white, element.red - red, index, element.msg),
            )
        )

    def _noted(self, ghost: tuple[Any, ...], ids: Any, index: int, msg: Value) -> tuple[Any, ...]:
        noted = list(ghost)
        for at in (at for at, snapshot in enumerate(self.ids) if snapshot in ids):
            noted[at] = (*noted[at][:index], (*noted[at][index], msg), *noted[at][index + 1 :])
        return tuple(noted)

    def fair_actions(self) -> frozenset[tuple[str, str]]:
        """Markers are accepted too, and an initiator takes its snapshots in the end."""
        return self.single.fair_actions()

    # -- reading a state -----------------------------------------------------------------------------------

    def complete_for(self, state: GlobalState, snapshot: SnapshotId) -> bool:
        """Return whether a snapshot is complete. TLA+: CompleteFor."""
        parts = [local.part(snapshot) for local in state.local]
        return all(part is not None and part.complete for part in parts)

    def complete(self, state: GlobalState) -> bool:
        """Return whether all snapshots are. TLA+: Complete."""
        return all(self.complete_for(state, snapshot) for snapshot in self.ids)

    def view(self, state: GlobalState, snapshot: SnapshotId) -> GlobalState:
        """Return the state as one of ``ChandyLamport``, with all ids but one snapshot's hidden. TLA+: CL."""
        ghosts: Ghosts = state.outside
        at = self._place[snapshot]
        queues = tuple(tuple(_seen_for(snapshot, queue)) for queue in state.queues)
        closed = self.by_input(
            part.closed if (part := local.part(snapshot)) else (False,) * len(machine.inputs)
            for machine, local in zip(self.processes, state.local, strict=True)
        )
        sent = [queue.count(MARKER) + done for queue, done in zip(queues, closed, strict=True)]
        local = tuple(
            ChandyLamportState(
                own.app,
                None if (part := own.part(snapshot)) is None else Recorded(part.state),
                ((),) * len(machine.inputs) if part is None else part.rec_chan,
                (False,) * len(machine.inputs) if part is None else part.closed,
                tuple(sent[self._index[channel]] for channel in machine.outputs),
            )
            for machine, own in zip(self.processes, state.local, strict=True)
        )
        return GlobalState(local, queues, ghosts.white_in_red[at], ghosts.red_in_white[at])

    def contents(self, queue: Sequence[Any]) -> tuple[Value, ...]:
        """Return the elements of a channel as TLA+ values. TLA+: chan[c]."""
        return tuple(map(_element, queue))

    def variables(self, state: GlobalState) -> dict[str, Value]:
        """Return the spec's eight variables."""
        ghosts: Ghosts = state.outside
        views = [self.view(state, snapshot) for snapshot in self.ids]

        def by_id(values: Any) -> Value:
            return function(zip(self.ids, values, strict=True))

        closed = ([*self.single.by_input(local.closed for local in view.local)] for view in views)
        return {
            "topo": self.topology.id,
            "state": tuple(local.app for local in state.local),
            "chan": self.by_channel(map(self.contents, state.queues)),
            "recState": by_id(function(self.single.recorded_states(view)) for view in views),
            "recChan": by_id(self.by_channel(self.single.recorded_channels(view)) for view in views),
            "closed": by_id(
                frozenset(c for c, done in zip(self.channels, of_id, strict=True) if done) for of_id in closed
            ),
            "whiteInRed": by_id(map(self.by_channel, ghosts.white_in_red)),
            "redInWhite": by_id(map(self.by_channel, ghosts.red_in_white)),
        }


def _red(local: SnapshotsState) -> frozenset[SnapshotId]:
    """Return the snapshots for which a process is red. TLA+: RedFor."""
    return frozenset(snapshot for snapshot, _ in local.parts)


def _seen_for(snapshot: SnapshotId, queue: Sequence[Any]) -> Iterator[Any]:
    """Yield the elements of a channel in the colours of one snapshot alone. TLA+: ViewOf."""
    for element in queue:
        if isinstance(element, Tagged):
            yield Coloured(element.msg, RED if snapshot in element.red else WHITE)
        elif element.id == snapshot:
            yield MARKER


def _element(element: Tagged | SnapshotMarker) -> Fn:
    if isinstance(element, SnapshotMarker):
        return record(control=element.control, id=element.id)
    return record(msg=element.msg, red=element.red)


# -- properties ----------------------------------------------------------------------------------------------


_OF_ONE: Callable[[str], StateProperty] = CHANDY_LAMPORT.state_properties.__getitem__


def _for_each(holds: Callable[..., bool]) -> Callable[..., bool]:
    """Return a property of ``ChandyLamport``, of states or of steps, as one that holds if it holds for each snapshot."""

    @wraps(holds)
    def holds_for_each(system: Any, *states: GlobalState) -> bool:
        return all(holds(system.single, *(system.view(state, n) for state in states)) for n in system.ids)

    holds_for_each.__doc__ = f"{claim_of(holds).removesuffix('.')}, for each snapshot."
    return holds_for_each


def _type_ok(system: System, state: GlobalState) -> bool:
    """Channels hold messages and markers of known snapshots only, and each snapshot has TypeOK of ChandyLamport."""
    return strangers(seen(system, state)) is None and _for_each(_OF_ONE("TypeOK"))(system, state)


def _refines_chandy_lamport(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E11, E13, E15: every step is a step of ChandyLamport, or none."""
    if begins_otherwise(system, before):
        return False
    try:
        return before == after or any(action.after == after for action in system.actions(before))
    except PeerError:  # a marker that ChandyLamport refuses: it has no step here at all
        return False


def _eventually_complete(system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]) -> bool:
    """E15: at some time all snapshots are complete."""
    return any(system.complete(state) for state in path)


SNAPSHOTS = ProtocolSpec(
    name="Snapshots",
    system=SnapshotsSystem,
    process=Snapshots,
    mutants=SNAPSHOTS_MUTANTS,
    constants={"Each": 1, "Overlap": 1},
    options=lambda constants, *_: {"each": int(constants["Each"]), "overlap": int(constants["Overlap"])},
    state_properties={
        **{
            name: _for_each(_OF_ONE(name))
            for name in (
                *("SnapshotConserves", "NoRedInWhite", "RecordedIsSSS"),
                *("OneMarker", "MarkerSeparates", "LocallyFinal"),
            )
        },
        "TypeOK": _type_ok,
        "HoldsNobodyUp": holds_nobody_up,
        "MarkersAscend": unless(markers_ascend),
        "OneAtATime": unless(one_at_a_time, lambda system, _: system.overlap == 0),  # type: ignore[attr-defined]
    },
    step_properties={
        "TurnsRedOnce": _for_each(CHANDY_LAMPORT.step_properties["TurnsRedOnce"]),
        "RefinesWhiteRed": _for_each(CHANDY_LAMPORT.step_properties["RefinesWhiteRed"]),
        "RefinesChandyLamport": _for_each(_refines_chandy_lamport),
    },
    liveness={"EventuallyComplete": _eventually_complete},
    coloured=False,
    schedule=ScheduleForm(
        {**COMPUTATION_STEPS, "Initiate": "process", "AcceptMarker": "channel"}, coloured=False
    ),
)
