"""The protocols composed on a graph: processes, channels, what is observed, and how it reads as TLA+ variables.

Each protocol is registered once, as a :class:`~pyharness.machines.systems.protocol_spec.ProtocolSpec`.
"""

from pyharness.machines.systems.composition import (
    APPLICATIONS,
    MUTANTS,
    ONLY_IN_TLA,
    PROTOCOLS,
    ApplicationSpec,
    Composition,
    build_system,
    find_mutant,
    find_protocol,
    implementation_of,
    known_properties,
    mutants_for,
    protocols_of,
    violations,
)
from pyharness.machines.systems.protocol_spec import ProtocolSpec, ScheduleForm
from pyharness.machines.systems.system import Action, GlobalState, System

__all__ = [
    "APPLICATIONS",
    "MUTANTS",
    "ONLY_IN_TLA",
    "PROTOCOLS",
    "Action",
    "ApplicationSpec",
    "Composition",
    "GlobalState",
    "ProtocolSpec",
    "ScheduleForm",
    "System",
    "build_system",
    "find_mutant",
    "find_protocol",
    "implementation_of",
    "known_properties",
    "mutants_for",
    "protocols_of",
    "violations",
]
