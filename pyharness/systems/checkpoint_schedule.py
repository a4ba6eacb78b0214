"""What a schedule of ``specs/Checkpoints.tla`` has instead of an application and a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError
from pyharness.protocols import MODES, Dataflow
from pyharness.systems.checkpoint_properties import CHECKPOINT_PROPERTIES
from pyharness.systems.checkpoint_system import CheckpointSystem, bounds_of
from pyharness.systems.protocol_systems import build_system
from pyharness.tla.parse import parse_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.systems.toml_fields import Fields
    from pyharness.tla.values import Value
    from pyharness.topology import Topology

__all__ = [
    "CHECKPOINTS",
    "CHECKPOINT_ACTIONS",
    "checkpoint_system",
    "read_constants",
    "read_ending",
    "read_violation",
    "require_dataflow",
    "unclaimed",
]

CHECKPOINTS: Final = CheckpointSystem.protocol
"""The protocol, and the name of its spec."""

CHECKPOINT_ACTIONS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("Send", "Accept", "AcceptBarrier", "AcceptCancel", "AcceptEnd"), "channel"),
    **dict.fromkeys(("Inject", "Decline", "EndSource", "TimeOut", "Commit"), "process"),
    **dict.fromkeys(("Trigger", "Crash"), "nothing"),
}
"""Its actions, each with what it is applied to. A process has at most one record to send, so that is not named."""

_NUMBERS: Final = {
    "Records": range(1, 10),
    "MaxCheckpoints": range(1, 10),
    "Overlap": range(2),
    "MaxDeclines": range(10),
    "MaxCrashes": range(10),
    "Ends": range(2),
}


def checkpoint_system(topology: Topology, constants: Mapping[str, str | int]) -> CheckpointSystem:
    """Compose the implementation with these constants of the spec."""
    system = build_system(CHECKPOINTS, topology, Dataflow(int(constants["Records"])))
    assert isinstance(system, CheckpointSystem)  # noqa: S101 - it is that protocol's
    return system.rebound(bounds_of(constants))


def unclaimed(constants: Mapping[str, str | int]) -> frozenset[str]:
    """Name the invariants that are not meant to hold: a plain sink's, and what skipping alignment gives up."""
    skipping = constants["Mode"] == "at-least-once"
    return frozenset(
        {"OutputOnce"} | ({"CheckpointExact", "ExactlyOnce", "CommittedOnce"} if skipping else set())
    )


def require_dataflow(table: Fields, topology: Topology) -> None:
    """Refuse a graph whose initiators are not its sources, or which has none; ``table`` is the file."""
    sources = tuple(p for p in range(1, topology.processes + 1) if not topology.inputs(p))
    if not sources or topology.initiators != sources:
        found = f"here {list(sources)}" if sources else "and here there are none"
        hint = "a process without inputs is a source"
        raise table.error("graph.initiators", f"the initiators of a dataflow are its sources, {found}", hint)


def read_constants(table: Fields) -> dict[str, str | int]:
    """Read the constants of the spec, all of them."""
    mode = table.take("Mode", str)
    if mode not in MODES:
        raise table.error("Mode", f"no mode {mode!r}", f"there are {', '.join(MODES)}")
    constants: dict[str, str | int] = {"Mode": mode}
    for name, allowed in _NUMBERS.items():
        value = constants[name] = table.take(name, int)
        if value not in allowed:
            raise table.error(name, f"{value} is not one of {allowed[0]}..{allowed[-1]}")
    table.close()
    return constants


def read_violation(table: Fields, steps: int) -> tuple[str | None, int | None]:
    """Read the invariant that is violated, if any, and the first step after which it is: the last one by default."""
    name = table.take("violates", str, default="")
    if not name:
        return None, None
    if name not in CHECKPOINT_PROPERTIES:
        known = ", ".join(CHECKPOINT_PROPERTIES)
        raise table.error("violates", f"{CHECKPOINTS} has no invariant {name!r}", f"there are {known}")
    step = table.take("violated_at", int, default=steps)
    if not 1 <= step <= steps:
        raise table.error("violated_at", f"there is no step {step}: they are 1..{steps}")
    return name, step


def read_ending(parent: Fields, topology: Topology, constants: Mapping[str, str | int]) -> dict[str, Value]:
    """Read what some variables of the spec are in the last state, each as a TLA+ value, from ``expected``."""
    table = parent.table("expected")
    system = checkpoint_system(topology, constants)
    known = system.variables(next(iter(system.initial())))
    ending: dict[str, Value] = {}
    if not table.names():
        raise parent.error("expected", "this needs at least one variable", 'completed = "{1}", say')
    for name in table.names():
        if name not in known:
            raise table.error(
                name, f"{CHECKPOINTS} has no variable {name!r}", f"there are {', '.join(known)}"
            )
        try:
            ending[name] = parse_value(table.take(name, str))
        except SpecError as error:
            if error.where is not None and error.where.endswith(f".{name}"):
                raise
            place = f" ({error.where})" if error.where else ""
            raise table.error(name, f"{error.message}{place}", error.hint) from None
    return ending
