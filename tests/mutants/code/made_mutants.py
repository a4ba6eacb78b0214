"""The mutants of the protocols, made once by a process of the tests, and a plan in which some are tried."""

from __future__ import annotations

from pathlib import Path

import pyharness.machines.protocols
from pyharness.mutants.code.measurement import protocol_mutants

PROTOCOLS = Path(pyharness.machines.protocols.__file__).parent
MUTANTS = protocol_mutants(PROTOCOLS)

PLAN = """
format = "pyharness-plan/1"
[[model]]
name = "tiny"
spec = "ChandyLamport"
topologies = [{ ids = ["n2-6-i1"] }]
items = 1
invariants = ["TypeOK"]
silent = ["Internal", "Exchange"]
conform = true
pins = { distinct = 29 }
"""
