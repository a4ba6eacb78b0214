"""Where specs and implementations are compared: small graphs."""

from __future__ import annotations

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology, dataflows
from pyharness.tla.modules.library import Library

RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])
CHAIN = Topology.of(2, [(1, 2)], [1])
(JOIN,) = dataflows("join", 3)
LIBRARY = Library(SPECS, SPECS / "mutants")
