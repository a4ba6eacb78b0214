"""Where specs and implementations are compared: small graphs, and one place for each kind of spec."""

from __future__ import annotations

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology, dataflows
from pyharness.tla.modules.library import Library
from pyharness.tla.values import Fn

RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])
CHAIN = Topology.of(2, [(1, 2)], [1])
(PIPELINE,) = dataflows("pipeline", 2)
(JOIN,) = dataflows("join", 3)
LIBRARY = Library(SPECS, SPECS / "mutants")
EVENTS = {"granularity": "event", "stop": ""}
BOUNDS = dict.fromkeys(("Overlap", "MaxDeclines", "Ends"), 0)
PLACES = {
    "ChandyLamport": {"topologies": (RING2,), "items": 1, "granularity": "action"},
    "UnalignedBarriers": {"topologies": (PIPELINE,), "application": "Dataflow", "granularity": "event"},
    "Checkpoints": {
        "topologies": (PIPELINE,),
        "application": "Dataflow",
        "constants": Fn(
            (BOUNDS | {"Mode": "unaligned", "Records": 1, "MaxCheckpoints": 1, "MaxCrashes": 1}).items()
        ),
        **EVENTS,
    },
    "Collection": {
        "topologies": (CHAIN,),
        "application": "Tasks",
        "predicate": "Terminated",
        "constants": Fn({"Need": 1}.items()),
        "items": 1,
        **EVENTS,
    },
}
"""One specification of each kind; the gate compares all of them in many places."""
