"""The plans that are shipped, each read once by a process of the tests, for its commands, too."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pyharness.base.toolchain.spec_files import SPECS, find_plan
from tests.shared_plans import SHARED

if TYPE_CHECKING:
    from pyharness.gate.plans.plan import Plan


@cache
def shipped_plan(name: str) -> Plan:
    """Return the plan of this name with the specs that are shipped. Nobody may change what is in it."""
    return SHARED.kept(find_plan(name, SPECS), SPECS)
