"""The system of ``specs/Checkpoints.tla``: tasks, channels, a coordinator, and crashes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.toml_tables import Kind, integer, one_of
from pyharness.machines.explain.checkpoint_reasons import CHECKPOINT_REASONS, type_ok
from pyharness.machines.protocols import (
    MODES,
    Acknowledgement,
    Barrier,
    Cancel,
    CheckpointCoordinator,
    CoordinatorState,
    Dataflow,
    EndOfInput,
    Message,
    Operator,
    OperatorState,
    Task,
    TaskState,
    TaskStep,
)
from pyharness.machines.protocols.checkpoint_mutants import CHECKPOINT_MUTANTS
from pyharness.machines.protocols.checkpoints.checkpoint_coordinator import IN_ORDER
from pyharness.machines.systems.protocol_spec import ProtocolSpec, ScheduleForm, unless, unless_forever
from pyharness.machines.systems.system import Action, GlobalState, System
from pyharness.tla.values import Fn, Value, function, record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyharness.base.toolchain.toml_tables import Table


@dataclass(frozen=True)
class CheckpointBounds:
    """The constants of the spec, under their names there in lower case."""

    mode: str = "aligned"
    max_checkpoints: int = 1
    overlap: int = 0
    max_declines: int = 0
    max_crashes: int = 0
    ends: int = 0
    savepoint: int = 0
    after_ends: int = 1
    most_pending: int = 50
    uploads: int = 0


class CheckpointSystem(System):
    """Tasks that take checkpoints and recover from them, within ``bounds``.

    ``handler`` and ``coordinator`` are the classes of the barrier handlers and of the coordinator.
    """

    protocol = "Checkpoints"
    disjunctions: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("Accept", "AcceptBarrier", "AcceptCancel", "AcceptEnd"), "Receive"
    )

    def __init__(
        self,
        *arguments: Any,
        bounds: CheckpointBounds | None = None,
        handler: type[Operator] = Operator,
        coordinator: type[CheckpointCoordinator] = CheckpointCoordinator,
        **options: Any,
    ) -> None:
        self.bounds, self.handler = bounds or CheckpointBounds(), handler
        super().__init__(*arguments, **options)
        if not isinstance(self.application, Dataflow):
            raise SpecError(
                "Checkpoints is about a dataflow", where="application", hint="it is Dataflow: see its Records"
            )
        sinks = [task.identity for task in self.processes if not task.outputs]
        of = self.bounds
        self.constants = {"Mode": of.mode, "Overlap": of.overlap, "Savepoint": of.savepoint}
        self.coordinator = coordinator(
            len(self.processes), sinks, self.bounds.max_checkpoints, overlap=self.bounds.overlap
        )

    def build_process(self, process: type[Any], identity: int) -> Task:
        """Return the task of this number, whose handler has the mode of the bounds."""
        task: Task = process(
            identity,
            self.topology,
            self.application,
            mode=self.bounds.mode,
            checkpoints=self.bounds.max_checkpoints,
            handler=self.handler,
            after_ends=bool(self.bounds.after_ends),
            most_pending=self.bounds.most_pending,
            uploads=bool(self.bounds.uploads),
        )
        return task

    def initial(self) -> Iterator[GlobalState]:
        """Yield the one way to begin. TLA+: Init."""
        for state in super().initial():
            yield state._replace(outside=self.coordinator.initial())

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield nothing: :meth:`actions` has them all."""
        return iter(())

    def actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield every enabled action with its result. TLA+: Next."""
        for index in range(len(self.channels)):
            yield from self._of_channel(state, index)
        for number in range(len(self.processes)):
            yield from self._of_task(state, number)
        outside: CoordinatorState = state.outside
        triggered = self.coordinator.trigger(outside)
        if triggered is not None and any(
            not task.inputs and not own.ended for task, own in self._tasks(state)
        ):
            yield Action("Trigger", "", state._replace(outside=triggered))
        if outside.crashes < self.bounds.max_crashes:
            yield Action("Crash", "", self._crash(state))

    def _tasks(self, state: GlobalState) -> Iterator[tuple[Task, TaskState]]:
        return zip(self.processes, state.local, strict=True)

    def _of_channel(self, state: GlobalState, index: int) -> Iterator[Action]:
        channel, queue = self.channels[index], state.queues[index]
        name = self.topology.channel_name(channel)
        source, target = channel[0] - 1, channel[1] - 1
        for msg in self.application.sendable(channel[0], channel, state.local[source].app):
            after = self._with(
                state, source, self.processes[source].pass_on(state.local[source], channel, msg)
            )
            yield Action("Send", f"{name}, {msg}", _appended(after, index, (Message(msg),)))
        task, own = self.processes[target], state.local[target]
        if queue and isinstance(queue[0], Message):
            accepted = task.accept_record(own, channel, queue[0])
            if accepted is not None:
                after = self._with(_without(state, index, 0), target, accepted)
                yield Action("Accept", f"{name}, {queue[0].msg}", after)
        if queue and isinstance(queue[0], Cancel | EndOfInput):
            step = task.accept_control(own, channel, queue[0])
            if step is not None:
                action = "AcceptCancel" if isinstance(queue[0], Cancel) else "AcceptEnd"
                yield Action(action, name, self._settle(_without(state, index, 0), target, step))
        for position, element in enumerate(queue):
            if isinstance(element, Barrier):
                overtaken = tuple(message.msg for message in queue[:position])
                step = task.accept_barrier(own, channel, element, overtaken)
                if step is not None:
                    after = self._settle(_without(state, index, position), target, step)
                    yield Action("AcceptBarrier", name, after)
                step = task.announce(own, channel, element) if position else None
                if step is not None:
                    yield Action("Announce", name, self._settle(state, target, step))
            if not isinstance(element, Message):
                break

    def _of_task(self, state: GlobalState, number: int) -> Iterator[Action]:
        task, own, outside = self.processes[number], state.local[number], state.outside
        name = self.topology.process_name(number + 1)
        now = self.coordinator.news_for(outside, own.handler.last)
        if not task.inputs:
            if task.hears(own, now, over=now in outside.completed | outside.aborted):
                step = task.inject(own, now, savepoint=now == self.bounds.savepoint)
                yield Action("Inject", name, self._settle(state, number, step))
                if outside.declines < self.bounds.max_declines:
                    counted = state._replace(outside=outside._replace(declines=outside.declines + 1))
                    yield Action("Decline", name, self._settle(counted, number, task.decline(own, now)))
            step = task.end_source(own) if self.bounds.ends else None
            if step is not None:
                yield Action("EndSource", name, self._settle(state, number, step))
        step = task.time_out(own)
        if step is not None:
            yield Action("TimeOut", name, self._settle(state, number, step))
        for upload in own.uploads:
            after = self._settle(state, number, task.acknowledge(own, upload.id))
            yield Action("Acknowledge", f"{name}, {upload.id}", after)
        committed = task.commit(own, outside.completed)
        if committed is not None:
            yield Action("Commit", name, self._with(state, number, committed))

    def _with(self, state: GlobalState, number: int, own: TaskState) -> GlobalState:
        return state._replace(local=(*state.local[:number], own, *state.local[number + 1 :]))

    def _settle(self, state: GlobalState, number: int, step: TaskStep) -> GlobalState:
        after = self._with(state, number, step.state)
        if step.out:
            for index in self._outputs[number]:
                after = _appended(after, index, step.out)
        final = [
            Acknowledgement(own.handler.last, task.identity, own.app, ((),) * len(task.inputs))
            for task, own in self._tasks(after)
            if own.ended
        ]
        outside = self.coordinator.account(state.outside, step.acknowledged, step.aborted, final)
        after = after._replace(outside=outside)
        new = sorted(outside.completed - state.outside.completed)
        return self._stage_at_end(after, state.outside, step, new) if new and final else after

    def _stage_at_end(
        self, state: GlobalState, before: CoordinatorState, step: TaskStep, new: list[int]
    ) -> GlobalState:
        """Have each task at its end stage the rest for the ``new`` complete checkpoints that it is in as it is."""
        for number, (task, own) in enumerate(list(self._tasks(state))):
            own_acks = {ack.id for ack in step.acknowledged if ack.process == task.identity}
            as_it_is = [
                n
                for n in new
                if n not in own_acks and all(ack.process != task.identity for ack in before.acks[n - 1])
            ]
            if own.ended:
                state = self._with(state, number, task.stage_at_end(own, as_it_is))
        return state

    def _crash(self, state: GlobalState) -> GlobalState:
        outside: CoordinatorState = state.outside
        beginning = next(iter(self.application.initial_states(self.topology)))
        safe = max(outside.completed, default=0)
        local, queues = [], list(state.queues)
        for task, own in self._tasks(state):
            number = self.coordinator.restored_from(outside, task.identity)
            ack = (
                next((a for a in outside.acks[number - 1] if a.process == task.identity), None)
                if number
                else None
            )
            app = beginning[task.identity - 1] if ack is None else ack.state
            local.append(task.restore(own, app, safe))
            for position, channel in enumerate(task.inputs):
                log = () if ack is None else task.replayed(ack.log[position])
                queues[self._index[channel]] = tuple(Message(msg) for msg in log)
        return state._replace(
            local=tuple(local), queues=tuple(queues), outside=self.coordinator.crash(outside)
        )

    def complete(self, state: GlobalState) -> bool:
        """False: a run has several checkpoints, not one snapshot."""
        return False

    def fair_actions(self) -> frozenset[tuple[str, str]]:
        """The actions that are fair: elements of channels move on, and sources hear of checkpoints and end."""
        channels = [self.topology.channel_name(channel) for channel in self.network.fair(self.channels)]
        names = [self.topology.process_name(number + 1) for number in range(len(self.processes))]
        numbers = range(1, self.bounds.max_checkpoints + 1)
        return (
            frozenset((action, c) for action in ("Send", "Receive") for c in channels)
            | self.at_processes("Inject", "EndSource")
            | {("Acknowledge", f"{name}, {number}") for name in names for number in numbers}
        )

    # -- reading a state -----------------------------------------------------------------------------------

    def contents(self, queue: Sequence[Any]) -> tuple[Value, ...]:
        """Return the elements of a channel as TLA+ values. TLA+: chan[c]."""
        return tuple(map(_element, queue))

    def variables(self, state: GlobalState) -> dict[str, Value]:
        """Return the spec's eighteen variables."""
        outside: CoordinatorState = state.outside
        tasks = list(self._tasks(state))
        handlers, copies, uploads = zip(
            *(self.task_values(n, own) for n, own in enumerate(state.local)), strict=True
        )
        sinks = [(task.identity, own.sink) for task, own in tasks if own.sink is not None]
        return {
            "topo": self.topology.id,
            "state": tuple(own.app for own in state.local),
            "chan": self.by_channel(map(self.contents, state.queues)),
            "task": handlers,
            "copies": copies,
            "uploads": uploads,
            "ended": frozenset(task.identity for task, own in tasks if own.ended),
            "triggered": outside.triggered,
            "acks": tuple(map(self.ack_values, outside.acks)),
            "completed": outside.completed,
            "aborted": outside.aborted,
            "declines": outside.declines,
            "crashes": outside.crashes,
            "output": function((p, sink.output) for p, sink in sinks),
            "open": function((p, sink.open) for p, sink in sinks),
            "staged": function((p, function(sink.staged)) for p, sink in sinks),
            "committed": function((p, sink.committed) for p, sink in sinks),
            "aborts": tuple(own.aborts for own in state.local),
        }

    def task_values(self, number: int, own: TaskState) -> tuple[Value, Value, Value]:
        """Return the values of ``task``, ``copies`` and ``uploads`` for the task of this number, from 0."""
        uploads = function((upload.id, self._part(upload)) for upload in own.uploads)
        return _task(self.processes[number], own.handler), function(own.copies), uploads  # type: ignore[arg-type]

    def ack_values(self, acks: tuple[Acknowledgement, ...]) -> Value:
        """Return the acknowledgements of a checkpoint by task. TLA+: acks[n]."""
        return function((ack.process, self._part(ack)) for ack in acks)

    def _part(self, ack: Acknowledgement) -> Fn:
        log = zip(self.processes[ack.process - 1].inputs, ack.log, strict=True)
        return record(state=ack.state, log=function(log))  # type: ignore[arg-type]


def _task(task: Task, own: OperatorState) -> Fn:
    def channels(inputs: frozenset[int]) -> frozenset[Value]:
        return frozenset(task.inputs[i] for i in inputs)

    return record(
        last=own.last,
        pending=tuple(
            record(
                id=p.id,
                arrived=channels(p.arrived),
                taken=p.taken,
                log=function(zip(task.inputs, p.log, strict=True)),  # type: ignore[arg-type]
                held=channels(p.held),
                ahead=function(zip(task.inputs, p.ahead, strict=True)),
                forced=p.forced,
            )
            for p in own.pending
        ),
        finished=channels(own.finished),
    )


def _element(element: Any) -> Fn:
    if isinstance(element, Message):
        return record(msg=element.msg)  # type: ignore[arg-type]
    if isinstance(element, EndOfInput):
        return record(control=element.control)
    if isinstance(element, Barrier) and element.alignment is not None:
        return record(control=element.control, id=element.id, alignment=element.alignment)
    return record(control=element.control, id=element.id)


def _appended(state: GlobalState, index: int, elements: tuple[Any, ...]) -> GlobalState:
    queues = state.queues
    return state._replace(queues=(*queues[:index], (*queues[index], *elements), *queues[index + 1 :]))


def _without(state: GlobalState, index: int, position: int) -> GlobalState:
    queue = state.queues[index]
    rest = (*queue[:position], *queue[position + 1 :])
    return state._replace(queues=(*state.queues[:index], rest, *state.queues[index + 1 :]))


def bounds_of(constants: Mapping[str, Any]) -> CheckpointBounds:
    """Make the bounds from the spec's constants by name."""
    given = {**_OPTIONAL, **constants}
    return CheckpointBounds(str(given["Mode"]), *(int(given[name]) for name in _USUAL if name != "Mode"))


_ACTIONS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("Send", "Accept", "AcceptBarrier", "Announce", "AcceptCancel", "AcceptEnd"), "channel"),
    **dict.fromkeys(("Inject", "Decline", "EndSource", "TimeOut", "Commit"), "process"),
    "Acknowledge": "checkpoint",
    **dict.fromkeys(("Trigger", "Crash"), "nothing"),
}
"""The spec's actions, each with its arguments. A process has at most one record to send, so that is not named."""

_USUAL: Final[Mapping[str, Any]] = {
    "".join(map(str.capitalize, bound.name.split("_"))): bound.default for bound in fields(CheckpointBounds)
}
"""The spec's constants, with the values of a command that gives none; in the order of the bounds."""

_OPTIONAL: Final[Mapping[str, int]] = {
    name: _USUAL[name] for name in ("Savepoint", "AfterEnds", "MostPending", "Uploads")
}
"""The constants that a model or schedule may leave out, with the values that they have then."""

_CONSTANTS: Final[Mapping[str, Kind[Any]]] = {
    "Mode": one_of(MODES),
    "Records": integer(1, 9),
    "MaxCheckpoints": integer(1, 9),
    "Overlap": integer(0, 2),
    "MaxDeclines": integer(0, 9),
    "MaxCrashes": integer(0, 9),
    "Ends": integer(0, 1),
}


def _read_constants(table: Table) -> dict[str, str | int]:
    """Read the constants of the spec, all of them."""
    constants = {name: table.take(name, kind) for name, kind in _CONSTANTS.items()}
    optional = {name: table.take(name, integer(0, max(usual, 9)), usual) for name, usual in _OPTIONAL.items()}
    table.close()
    return {**constants, **optional}


def _unclaimed(constants: Mapping[str, str | int]) -> frozenset[str]:
    """Return the names of invariants that need not hold: a plain sink's, and those that skipping alignment gives up."""
    skipping = constants["Mode"] == "at-least-once"
    return frozenset(
        {"OutputOnce"}
        | ({"CheckpointExact", "ExactlyOnce", "OutputOncePerRun", "CommittedOnce"} if skipping else set())
        | ({"CompleteInOrder"} if constants["Overlap"] != IN_ORDER else set())
    )


def _quiet(system: System, state: GlobalState) -> bool:
    """Return whether sources have heard of checkpoints, nothing is on its way, and all is durable. TLA+: Quiet."""
    coming = {"Inject", "Acknowledge"}
    return not any(state.queues) and not any(action.name in coming for action in system.actions(state))


_OF_STATES: Final = (
    *("CheckpointExact", "CheckpointLosesNothing", "ExactlyOnce", "AtLeastOnce", "ExactOnPipelines"),
    *("OutputOnce", "OutputOncePerRun", "SinksKeepAll"),
    *("CommittedOnce", "CommittedIsSafe", "CommittedLosesNothing", "CompleteInOrder"),
    *("AbortedOnce", "AbortUnblocks", "AbortHasCause", "SwitchIsTold", "SavepointIsAligned"),
    *("CompleteIffAcknowledged", "AcknowledgedIsDurable", "BarriersAscend"),
)

CHECKPOINTS = ProtocolSpec(
    name="Checkpoints",
    system=CheckpointSystem,
    process=Task,
    mutants=CHECKPOINT_MUTANTS,
    application="Dataflow",
    constants=_USUAL,
    optional=_OPTIONAL,
    options=lambda constants, *_: {"bounds": bounds_of(constants)},
    state_properties={
        "TypeOK": unless(type_ok),
        **{name: unless(CHECKPOINT_REASONS[name]) for name in _OF_STATES},
        "NoneWaits": unless(CHECKPOINT_REASONS["NoneWaits"], _quiet),
    },
    step_properties={name: unless(CHECKPOINT_REASONS[name]) for name in ("MonotoneIds", "SwitchIsFollowed")},
    liveness={"EveryCheckpointEnds": unless_forever(CHECKPOINT_REASONS["EveryCheckpointEnds"])},
    stop="",
    coloured=False,
    schedule=ScheduleForm(_ACTIONS, constants=_read_constants, unclaimed=_unclaimed),
)
