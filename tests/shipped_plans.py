"""The plans that are shipped, each read once by a process of the tests: a third of what collecting them took."""

from __future__ import annotations

from functools import cache

from pyharness.plan.plan import Plan, read_plan
from pyharness.toolchain.spec_files import SPECS, find_plan


@cache
def shipped_plan(name: str) -> Plan:
    """Return the plan of this name with the specs that are shipped. Nobody may change what is in it."""
    return read_plan(find_plan(name), SPECS)
