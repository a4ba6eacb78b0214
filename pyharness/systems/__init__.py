"""The protocols composed on a graph: processes, channels, what is observed, and how it reads as TLA+ variables."""

from pyharness.systems.checkpoint_system import Bounds, CheckpointSystem, bounds_of
from pyharness.systems.collection_properties import WITNESSES
from pyharness.systems.collection_system import CollectionSystem, with_predicate
from pyharness.systems.protocol_systems import PROTOCOLS, build_system, implementation_of
from pyharness.systems.snapshot_properties import (
    LIVENESS,
    STATE_PROPERTIES,
    STEP_PROPERTIES,
    known_properties,
    violations,
)
from pyharness.systems.system import Action, GlobalState, System

__all__ = [
    "LIVENESS",
    "PROTOCOLS",
    "STATE_PROPERTIES",
    "STEP_PROPERTIES",
    "WITNESSES",
    "Action",
    "Bounds",
    "CheckpointSystem",
    "CollectionSystem",
    "GlobalState",
    "System",
    "bounds_of",
    "build_system",
    "implementation_of",
    "known_properties",
    "violations",
    "with_predicate",
]
