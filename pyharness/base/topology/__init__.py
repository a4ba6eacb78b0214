"""Directed graphs of processes and channels: make them, compare them, name them.

- :mod:`~pyharness.base.topology.digraph`: the value :class:`Topology`, its id and its canonical form;
- :mod:`~pyharness.base.topology.generate`: every graph of a size, up to isomorphism;
- :mod:`~pyharness.base.topology.families`: named families, worked examples, random graphs, and the shapes of dataflows: sources,
  operators and sinks (``diamond`` is one of each);
- :mod:`~pyharness.base.topology.select`: the tables by which plans choose topologies;
- :mod:`~pyharness.base.topology.notation`: graphs as people write them, ``ring:4``, ``1>2,2>1@1``, and a topology as text.
"""

from pyharness.base.topology.digraph import MOST_PROCESSES, Topology, listing_key
from pyharness.base.topology.families import DATAFLOWS, FAMILIES, dataflows, family, random_topology
from pyharness.base.topology.generate import generate
from pyharness.base.topology.notation import (
    NOTATION,
    adjacency,
    choose_topologies,
    parse_topologies,
    parse_topology,
)
from pyharness.base.topology.select import select

__all__ = [
    "DATAFLOWS",
    "FAMILIES",
    "MOST_PROCESSES",
    "NOTATION",
    "Topology",
    "adjacency",
    "choose_topologies",
    "dataflows",
    "family",
    "generate",
    "listing_key",
    "parse_topologies",
    "parse_topology",
    "random_topology",
    "select",
]
