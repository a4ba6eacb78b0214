"""The protocols composed on a graph: processes, channels, what is observed, and how it reads as TLA+ variables.

Each protocol is registered once, as a :class:`~pyharness.machines.systems.protocol_spec.ProtocolSpec`.
"""

from pyharness.machines.systems.composition import (
    APPLICATIONS,
    MUTANTS,
    PROTOCOLS,
    Composition,
    build_system,
    find_mutant,
    find_protocol,
    has_twin,
    implementation_of,
    known_properties,
    mutants_for,
    protocols_of,
    violations,
)
from pyharness.machines.systems.system import Action, GlobalState, System

__all__ = [
    "APPLICATIONS",
    "MUTANTS",
    "PROTOCOLS",
    "Action",
    "Composition",
    "GlobalState",
    "System",
    "build_system",
    "find_mutant",
    "find_protocol",
    "has_twin",
    "implementation_of",
    "known_properties",
    "mutants_for",
    "protocols_of",
    "violations",
]
