"""Where specs and implementations are compared: graphs, bounds and granularities, small ones first."""

from __future__ import annotations

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology, dataflows
from pyharness.machines.systems import PROTOCOLS
from pyharness.machines.systems.barrier_systems import BARRIER_PROTOCOLS
from pyharness.tla.modules.library import Library
from pyharness.tla.values import Fn

RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
RING2_BOTH = Topology.of(2, [(1, 2), (2, 1)], [1, 2])
FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])
BOTH_WAYS = Topology.of(3, [(1, 2), (1, 3), (3, 2)], [1])
CHAIN = Topology.of(2, [(1, 2)], [1])
CHAIN_BOTH = Topology.of(2, [(1, 2)], [1, 2])
(PIPELINE,) = dataflows("pipeline", 2)
(JOIN,) = dataflows("join", 3)
(DIAMOND,) = dataflows("diamond", 4)
LIBRARY = Library(SPECS, SPECS / "mutants")

# Where each mutant can be seen, tried in this order: one whose process has two inputs, or holds two items, comes later.
PLACES = [
    {"topologies": (RING2_BOTH,), "items": 1, "granularity": "action"},
    {"topologies": (RING2,), "items": 2, "granularity": "action"},
    {"topologies": (FOUR,), "items": 1, "granularity": "event", "stop": ""},
    {"topologies": (BOTH_WAYS,), "items": 1, "granularity": "action"},
    {"topologies": (RING2,), "items": 1, "granularity": "event", "stop": ""},
]
DATAFLOW_PLACES = [
    {"topologies": (graph,), "application": "Dataflow", "granularity": "event", **more}
    for shape, n, more in (
        ("pipeline", 2, {}),
        ("join", 3, {}),
        ("loop", 4, {}),
        ("pipeline", 2, {"stop": ""}),
        ("pipeline", 3, {}),
    )
    for graph in dataflows(shape, n)
]
GOES_ON = "AlignedBarriers"
"""The one of the barrier protocols that goes on when the snapshot is over: what ends it is no protocol's own."""
CHECKPOINT_PLACES = [
    {
        "topologies": (graph,),
        "application": "Dataflow",
        "granularity": "event",
        "stop": "",
        "constants": Fn(
            {
                **dict.fromkeys(("MaxCheckpoints", "Overlap", "MaxDeclines", "MaxCrashes", "Ends"), 0),
                "Mode": "aligned",
                "Records": 1,
                "MaxCheckpoints": 1,
                **bounds,
            }.items()
        ),
    }
    for graph, bounds in (
        (PIPELINE, {"Mode": "unaligned", "Records": 2}),
        (PIPELINE, {"Mode": "unaligned", "MaxCrashes": 1}),
        (DIAMOND, {"MaxDeclines": 1}),
        (PIPELINE, {"MaxCrashes": 2}),
        (DIAMOND, {"Mode": "timeout"}),
        (
            PIPELINE,
            {
                "Mode": "unaligned",
                "Records": 2,
                "MaxCheckpoints": 2,
                "Overlap": 2,
                "Uploads": 1,
                "MaxDeclines": 1,
            },
        ),
        (JOIN, {"Ends": 1}),
        (JOIN, {"Mode": "timeout", "MaxDeclines": 1}),
        (JOIN, {"MaxCrashes": 1}),
        (JOIN, {"MaxCheckpoints": 2, "Overlap": 1}),
        (JOIN, {"Mode": "at-least-once", "MaxCheckpoints": 2, "Overlap": 1, "Ends": 1}),
    )
]
"""From 62 states to some 3,000: a mutant is looked for in small graphs first.

Each is the only one that shows some mutant, or the only one of its bounds; the quick plan compares more of them.
"""
CHECKPOINT_PLACES[-1]["depth"] = 11
"""So far as it takes to leave a checkpoint pending; the whole has 8,105 states."""
COLLECTION_PLACES = [
    {
        "topologies": (graph,),
        "application": "Tasks",
        "predicate": predicate,
        "constants": Fn(constants.items()),
        "items": items,
        "placement": "spread" if items == 1 else "any",
        "granularity": "event",
        "stop": "",
    }
    for graph, predicate, items, constants in (
        (CHAIN, "Terminated", 1, {"Need": 1}),
        (RING2, "ItemLost", 1, {"Losses": 1}),
        (CHAIN_BOTH, "Terminated", 2, {"Need": 2}),
    )
]
BARRIERS = [spec.name for spec in BARRIER_PROTOCOLS]
DECODED = [name for name, spec in PROTOCOLS.items() if spec.decoder and name != "Snapshots"]
"""The specs whose states are read; Snapshots is compared by the plan of that name, which has its constants."""


def places_of(spec):
    if spec == "Checkpoints":
        return CHECKPOINT_PLACES
    if spec == "Collection":
        return COLLECTION_PLACES
    if spec not in BARRIERS:
        return PLACES
    return [place for place in DATAFLOW_PLACES if "stop" not in place or spec == GOES_ON]


def alike(spec, place):
    """The graphs of all places of a spec that differ in nothing but the graph: one run of TLC writes them all."""
    same = (other for other in places_of(spec) if {**other, "topologies": place["topologies"]} == place)
    return tuple(topology for other in same for topology in other["topologies"])
