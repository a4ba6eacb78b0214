"""The system of ``specs/StopTheWorld.tla``: a controller that sees everything."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyharness.base.toolchain.toml_tables import integer
from pyharness.machines.explain.endless_reasons import (
    eventually_all_red,
    eventually_complete,
    eventually_resumed,
)
from pyharness.machines.protocols import Controller, StopTheWorld, World
from pyharness.machines.protocols.snapshot_mutants import STOP_THE_WORLD_MUTANTS
from pyharness.machines.systems.held_up import computation_steps, held_is_paused, held_up
from pyharness.machines.systems.protocol_spec import (
    COMPUTATION_STEPS,
    ProtocolSpec,
    ScheduleForm,
    unless_forever,
)
from pyharness.machines.systems.system import Action, GlobalState, System, messages_in
from pyharness.machines.systems.white_red_system import OF_SNAPSHOTS, OF_STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.base.toolchain.toml_tables import Table
    from pyharness.machines.protocols import Process
    from pyharness.tla.values import Value


class StopTheWorldSystem(System):
    """``specs/StopTheWorld.tla``: a controller that sees everything gives the commands."""

    protocol = "StopTheWorld"

    def __init__(self, *arguments: Any, controller: type[Controller] = Controller, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.controller = controller()

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield RecordAll, Pause, Record and Resume, as the controller may command them."""
        if not any(local.recorded is not None or local.paused for local in state.local):
            yield Action("RecordAll", "", self._record_all(state))
        yield from self.commands(state, "Pause", "Record", self.world(state))

    def world(self, state: GlobalState) -> World:
        """Return the controller's view of a state."""
        paused = tuple(local.paused for local in state.local)
        red = tuple(local.recorded is not None for local in state.local)
        return World(paused, red, drained=not any(state.queues))

    def commands(self, state: GlobalState, pause: str, record: str, world: World) -> Iterator[Action]:
        """Yield the controller's commands to single processes; two of them have names of a spec's own."""
        for number, (machine, local) in enumerate(zip(self.processes, state.local, strict=True)):
            obeys = self.controller.may_record(world, number)
            steps = {
                pause: machine.pause(local) if not (any(world.red) or world.paused[number]) else None,
                record: machine.record(local, ((),) * len(machine.inputs)) if obeys else None,
                "Resume": machine.resume(local) if self.controller.may_resume(world) else None,
            }
            for name, step in steps.items():
                if step is not None:
                    yield Action(
                        name, self.topology.process_name(number + 1), self.settle(state, number, step)
                    )

    def _record_all(self, state: GlobalState) -> GlobalState:
        local = list(state.local)
        for number in self.controller.everyone(len(local)):
            found = tuple(
                self.controller.as_found(messages_in(state.queues[i])) for i in self._inputs[number]
            )
            local[number] = self.processes[number].record(local[number], found).state
        return state._replace(local=tuple(local))

    def fair_actions(self) -> frozenset[tuple[str, str]]:
        """The controller goes on until all have recorded, and resumed."""
        return super().fair_actions() | self.at_processes("Pause", "Record", "Resume")

    def kept_channels(self, state: GlobalState) -> list[tuple[Any, ...]]:
        """The recorded messages of a channel: they were found in it, and are accepted later."""
        return list(state.white_in_red)

    def sss_channels(self, state: GlobalState) -> list[tuple[Any, ...]]:
        """The channels are recorded with all processes at once, or as empty."""
        if self.complete(state):
            return self.recorded_channels(state)
        return [self.whites(state, index) for index in range(len(self.channels))]

    def complete(self, state: GlobalState) -> bool:
        """Return whether every process has recorded."""
        return all(local.recorded is not None for local in state.local)

    def over(self, state: GlobalState) -> bool:
        """Return whether all have resumed, and all messages that were in the channels have arrived."""
        return (
            self.complete(state)
            and not any(local.paused for local in state.local)
            and not any(self.whites(state, index) for index in range(len(self.channels)))
        )

    def variables(self, state: GlobalState) -> dict[str, Value]:
        """Return the spec's eight variables."""
        paused = frozenset(number for number, local in enumerate(state.local, start=1) if local.paused)
        return {**self._common(state), "paused": paused, **self._ghosts(state)}


class StopTheInputSystem(StopTheWorldSystem):
    """``specs/StopTheInput.tla``: the controller pauses the sources, and waits until the others have finished."""

    protocol = "StopTheInput"

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield PauseInput, RecordAtRest and Resume, as the controller may command them."""
        yield from self.commands(state, "PauseInput", "RecordAtRest", self.world(state))

    def world(self, state: GlobalState) -> World:
        """Return what the controller sees: who has inputs counts as paused, and as drained when it has no more to do."""
        world = super().world(state)
        machines = list(zip(self.processes, state.local, strict=True))
        paused = tuple(local.paused or bool(machine.inputs) for machine, local in machines)
        idle = all(_idle(machine, local) for machine, local in machines)
        return world._replace(paused=paused, drained=world.drained and idle)

    def fair_actions(self) -> frozenset[tuple[str, str]]:
        """Fairness of the stop of the input: also, a process that may pass something on does. TLA+: IFairness."""
        own = {"Pause": "PauseInput", "Record": "RecordAtRest"}
        fair = super().fair_actions()
        sends = {("Send", place) for name, place in fair if name == "Accept"}
        return frozenset({(own.get(name, name), place) for name, place in fair} | sends)


def _idle(machine: Process[Any], local: Any) -> bool:
    """Return whether a process has nothing to do by itself, as a paused one has not. TLA+: Idle."""
    steps = (*(machine.sendable(local, channel) for channel in machine.outputs), machine.internal(local))
    return not any(True for each in steps for _ in each)


def held_is_input(system: System, state: GlobalState) -> bool:
    """E22: all that is held up is what paused sources would send."""
    return held_up(system, state) == {
        step
        for step in computation_steps(system, state)
        if state.local[step.process - 1].paused and not system.processes[step.process - 1].inputs
    }


STOP_THE_WORLD = ProtocolSpec(
    name="StopTheWorld",
    system=StopTheWorldSystem,
    process=StopTheWorld,
    mutants=STOP_THE_WORLD_MUTANTS,
    state_properties={**OF_SNAPSHOTS, "HeldIsPaused": held_is_paused},
    step_properties=OF_STEPS,
    liveness={
        "EventuallyComplete": unless_forever(eventually_complete),
        "EventuallyAllRed": unless_forever(eventually_all_red),
        "EventuallyResumed": unless_forever(eventually_resumed),
    },
    schedule=ScheduleForm(
        {
            **COMPUTATION_STEPS,
            "RecordAll": "nothing",
            "Pause": "process",
            "Record": "process",
            "Resume": "process",
        }
    ),
)


def _records(table: Table) -> dict[str, str | int]:
    """Read how many records each source of a schedule has."""
    records = table.take("Records", integer(1, 9))
    table.close()
    return {"Records": records}


STOP_THE_INPUT = replace(
    STOP_THE_WORLD,
    name="StopTheInput",
    system=StopTheInputSystem,
    mutants={},
    application="Dataflow",
    state_properties={
        **{name: holds for name, holds in STOP_THE_WORLD.state_properties.items() if name != "HeldIsPaused"},
        "HeldIsInput": held_is_input,
    },
    schedule=ScheduleForm(
        {
            **dict.fromkeys(("Send", "Accept"), "channel"),
            **dict.fromkeys(("PauseInput", "RecordAtRest", "Resume"), "process"),
        },
        constants=_records,
    ),
)
