"""The system of ``specs/StopTheWorld.tla``: a controller that sees everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.machines.explain.endless_reasons import (
    eventually_all_red,
    eventually_complete,
    eventually_resumed,
)
from pyharness.machines.explain.snapshot_reasons import (
    no_red_in_white,
    recorded_is_sss,
    turns_red_once,
    type_ok,
)
from pyharness.machines.protocols import Controller, StopTheWorld, World
from pyharness.machines.protocols.snapshot_mutants import STOP_THE_WORLD_MUTANTS
from pyharness.machines.systems.computation import sss_reachable
from pyharness.machines.systems.held_up import held_is_paused
from pyharness.machines.systems.protocol_spec import (
    COMPUTATION_STEPS,
    ProtocolSpec,
    ScheduleForm,
    once_complete,
    unless,
    unless_forever,
)
from pyharness.machines.systems.system import Action, GlobalState, System, messages_in
from pyharness.machines.systems.white_red_system import refines_white_red, snapshot_conserves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.tla.values import Value


class StopTheWorldSystem(System):
    """``specs/StopTheWorld.tla``: a controller that sees everything gives the commands."""

    protocol = "StopTheWorld"

    def __init__(self, *arguments: Any, controller: type[Controller] = Controller, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.controller = controller()

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield RecordAll, Pause, Record and Resume, as the controller may command them."""
        paused = tuple(local.paused for local in state.local)
        red = tuple(local.recorded is not None for local in state.local)
        world = World(paused, red, drained=not any(state.queues))
        if not any(red) and not any(paused):
            yield Action("RecordAll", "", self._record_all(state))
        for number, (machine, local) in enumerate(zip(self.processes, state.local, strict=True)):
            record = self.controller.may_record(world, number)
            steps = {
                "Pause": machine.pause(local) if not any(red) else None,
                "Record": machine.record(local, ((),) * len(machine.inputs)) if record else None,
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
        names = [self.topology.process_name(number) for number in range(1, self.topology.processes + 1)]
        return super().fair_actions() | {
            (action, n) for action in ("Pause", "Record", "Resume") for n in names
        }

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


STOP_THE_WORLD = ProtocolSpec(
    name="StopTheWorld",
    system=StopTheWorldSystem,
    process=StopTheWorld,
    mutants=STOP_THE_WORLD_MUTANTS,
    state_properties={
        "TypeOK": unless(type_ok),
        "SnapshotConserves": snapshot_conserves,
        "NoRedInWhite": unless(no_red_in_white),
        "RecordedIsSSS": unless(recorded_is_sss, once_complete),
        "HeldIsPaused": held_is_paused,
    },
    step_properties={
        "TurnsRedOnce": unless(turns_red_once),
        "SSSReachable": sss_reachable,
        "RefinesWhiteRed": refines_white_red,
    },
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
