"""The protocols that are implemented, each registered once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError
from pyharness.protocols.common.network_mutants import NETWORK_MUTANTS
from pyharness.systems.barrier_systems import BARRIER_PROTOCOLS
from pyharness.systems.chandy_lamport_system import CHANDY_LAMPORT
from pyharness.systems.checkpoint_system import CHECKPOINTS
from pyharness.systems.collection_system import COLLECTION
from pyharness.systems.computation import COMPUTATION
from pyharness.systems.free_recording import FREE_RECORDING
from pyharness.systems.snapshots_system import SNAPSHOTS
from pyharness.systems.stop_the_world_system import STOP_THE_WORLD
from pyharness.systems.white_red_system import WHITE_RED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.protocols import Mutant
    from pyharness.systems.protocol_spec import ProtocolSpec
    from pyharness.systems.system import GlobalState, System

PROTOCOLS: Final[Mapping[str, ProtocolSpec]] = {
    spec.name: spec
    for spec in (
        COMPUTATION,
        WHITE_RED,
        CHANDY_LAMPORT,
        SNAPSHOTS,
        STOP_THE_WORLD,
        *BARRIER_PROTOCOLS,
        CHECKPOINTS,
        COLLECTION,
        FREE_RECORDING,
    )
}
"""The implemented protocols, and the computation without one, by the name of their spec."""

MUTANTS: Final[frozenset[str]] = frozenset(
    {*NETWORK_MUTANTS, *(name for spec in PROTOCOLS.values() for name in spec.mutants)}
)
"""The names of all seeded bugs in Python; ``specs/mutants/`` has the same ones in TLA+."""

ONLY_IN_TLA: Final[frozenset[str]] = frozenset({"GiveWay", "KeepWhenBusy", "SendInFront", "TwoUnderWay"})
"""The seeded bugs of ``Commuting``, whose functions of global states nobody runs."""


def find_protocol(name: str) -> ProtocolSpec:
    """Return the protocol whose spec has this name. Raises SpecError, with the nearest names, if there is none."""
    if name not in PROTOCOLS:
        raise SpecError.unknown("protocol", name, PROTOCOLS)
    return PROTOCOLS[name]


def implementation_of(spec: str) -> str | None:
    """Name the protocol that implements a spec, if there is one."""
    if spec in PROTOCOLS:
        return spec
    return next((name for name, own in PROTOCOLS.items() if spec in own.also_implements), None)


def mutants_for(protocol: str) -> Mapping[str, Mutant]:
    """Return the seeded bugs that a protocol can be run with: its own, and those of the channels."""
    return {**NETWORK_MUTANTS, **find_protocol(protocol).mutants}


def find_mutant(protocol: str, name: str) -> Mutant:
    """Return a seeded bug of a protocol. Raises SpecError if there is none of this name, or it is of another."""
    fitting = mutants_for(protocol)
    if name in fitting:
        return fitting[name]
    others = [spec.name for spec in PROTOCOLS.values() if name in spec.mutants]
    if others:
        raise SpecError(f"{name} is a mutant of {' and '.join(others)}, not of {protocol}")
    raise SpecError.unknown(f"mutant of {protocol}", name, fitting)


def protocols_of(mutant: str) -> tuple[str, ...]:
    """Name the protocols that can be run with a seeded bug: all of them, if it is one of the channels."""
    return tuple(name for name in PROTOCOLS if mutant in mutants_for(name))


def known_properties(protocol: str) -> frozenset[str]:
    """Name the properties of a spec that Python knows."""
    return PROTOCOLS[protocol].known_properties if protocol in PROTOCOLS else frozenset()


def violations(system: System, before: GlobalState | None, after: GlobalState) -> tuple[str, ...]:
    """Name the properties that ``after``, or the step to it from ``before``, violates."""
    return find_protocol(system.protocol).violations(system, before, after)
