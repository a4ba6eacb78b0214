"""The registration of ``specs/Checkpoints.tla``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyharness.explain.checkpoint_reasons import CHECKPOINT_REASONS, type_ok
from pyharness.protocols import MODES, Task
from pyharness.protocols.checkpoints.checkpoint_coordinator import IN_ORDER
from pyharness.protocols.checkpoints.checkpoint_mutants import CHECKPOINT_MUTANTS
from pyharness.systems.checkpoint_decoding import CheckpointDecoder
from pyharness.systems.checkpoint_system import CheckpointSystem, bounds_of
from pyharness.systems.protocol_spec import ProtocolSpec, ScheduleForm, unless, unless_for_ever

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.protocols import Application
    from pyharness.systems.system import GlobalState, System
    from pyharness.systems.toml_fields import Fields

_ACTIONS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("Send", "Accept", "AcceptBarrier", "Announce", "AcceptCancel", "AcceptEnd"), "channel"),
    **dict.fromkeys(("Inject", "Decline", "EndSource", "TimeOut", "Commit"), "process"),
    "Acknowledge": "checkpoint",
    **dict.fromkeys(("Trigger", "Crash"), "nothing"),
}
"""Its actions, each with what it is applied to. A process has at most one record to send, so that is not named."""

_OPTIONAL: Final[Mapping[str, int]] = {"Savepoint": 0, "AfterEnds": 1, "MostPending": 50, "Uploads": 0}
"""The constants that a model or schedule may leave out, with the values that they have then."""

_NUMBERS: Final = {
    "Records": range(1, 10),
    "MaxCheckpoints": range(1, 10),
    "Overlap": range(3),
    "MaxDeclines": range(10),
    "MaxCrashes": range(10),
    "Ends": range(2),
}


def _read_constants(table: Fields) -> dict[str, str | int]:
    """Read the constants of the spec, all of them."""
    mode = table.take("Mode", str)
    if mode not in MODES:
        raise table.error("Mode", f"no mode {mode!r}", f"there are {', '.join(MODES)}")
    constants: dict[str, str | int] = {"Mode": mode}
    for name, allowed in _NUMBERS.items():
        value = constants[name] = table.take(name, int)
        if value not in allowed:
            raise table.error(name, f"{value} is not one of {allowed[0]}..{allowed[-1]}")
    for name, usual in _OPTIONAL.items():
        value = constants[name] = table.take(name, int, usual)
        if not 0 <= value <= max(usual, 9):
            raise table.error(name, f"{value} is not one of 0..{max(usual, 9)}")
    table.close()
    return constants


def _unclaimed(constants: Mapping[str, str | int]) -> frozenset[str]:
    """Name the invariants that are not meant to hold: a plain sink's, and what skipping alignment gives up."""
    skipping = constants["Mode"] == "at-least-once"
    return frozenset(
        {"OutputOnce"}
        | ({"CheckpointExact", "ExactlyOnce", "OutputOncePerRun", "CommittedOnce"} if skipping else set())
        | ({"CompleteInOrder"} if constants["Overlap"] != IN_ORDER else set())
    )


def _options(
    constants: Mapping[str, int | str], predicate: str | None, application: Application
) -> Mapping[str, Any]:
    return {"bounds": bounds_of(constants)}


def _quiet(system: System, state: GlobalState) -> bool:
    """Tell whether sources have heard of checkpoints, nothing is on its way, and all is durable. TLA+: Quiet."""
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
    constants={
        "Mode": "aligned",
        "MaxCheckpoints": 1,
        "Overlap": 0,
        "MaxDeclines": 0,
        "MaxCrashes": 0,
        "Ends": 0,
        **_OPTIONAL,
    },
    optional=_OPTIONAL,
    options=_options,
    decoder=CheckpointDecoder,
    state_properties={
        "TypeOK": unless(type_ok),
        **{name: unless(CHECKPOINT_REASONS[name]) for name in _OF_STATES},
        "NoneWaits": unless(CHECKPOINT_REASONS["NoneWaits"], _quiet),
    },
    step_properties={name: unless(CHECKPOINT_REASONS[name]) for name in ("MonotoneIds", "SwitchIsFollowed")},
    liveness={"EveryCheckpointEnds": unless_for_ever(CHECKPOINT_REASONS["EveryCheckpointEnds"])},
    stop="",
    coloured=False,
    schedule=ScheduleForm(_ACTIONS, constants=_read_constants, unclaimed=_unclaimed),
)
