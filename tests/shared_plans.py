"""Shipped plans that the tests of one process share: one is read again when a file that it comes from has changed.

Commands read a whole plan, also for one model or a hint, and that takes one or two CPU seconds. Nobody may change what
is in one. Tests that are about reading plans call ``read_plan`` themselves, which they have from before it is shared.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.plans import plan as plan_module

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyharness.gate.plans.plan import Plan

_READ = plan_module.read_plan


class SharedPlans:
    """``read_plan``, which keeps what it read of each shipped plan; ``read`` counts how often it did."""

    def __init__(self) -> None:
        self.shares = False
        self.read = 0
        self._kept: dict[tuple[object, ...], Plan] = {}

    def __call__(self, path: Path, specs: Path) -> Plan:
        shipped = path.is_file() and path.resolve().is_relative_to(SPECS)
        return self.kept(path, specs) if self.shares and shipped else _READ(path, specs)

    def kept(self, path: Path, specs: Path) -> Plan:
        """Return the plan, which is read where it was not, or where a file has changed since then."""
        key = (path, specs, *_files(path, specs))
        if key not in self._kept:
            self._kept[key] = _READ(path, specs)
            self.read += 1
        return self._kept[key]

    @contextmanager
    def everywhere(self) -> Iterator[None]:
        """Share while this lasts: in every module that reads plans, also in one that is loaded meanwhile."""
        for module in [m for name, m in sys.modules.items() if name.startswith("pyharness.")]:
            if getattr(module, "read_plan", None) is _READ:
                module.read_plan = self
        self.shares = True
        try:
            yield
        finally:
            self.shares = False


def _files(path: Path, specs: Path) -> Iterator[tuple[str, int, int]]:
    """Yield each file of which something may be in the plan, with its size and when it was written."""
    below = (file for place in (specs, SPECS) for file in place.resolve().rglob("*") if file.is_file())
    for file in (path.resolve(), *sorted(below)):
        yield str(file), file.stat().st_size, file.stat().st_mtime_ns


SHARED = SharedPlans()
"""The plans of this process."""
