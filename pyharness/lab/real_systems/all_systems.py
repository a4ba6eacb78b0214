"""The systems by name, each with the default sizes of its run."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.base.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyharness.lab.real_systems.held_rules import Held


class System(NamedTuple):
    """A system: the module and the function that hold it, and the numbers it takes with their defaults."""

    module: str
    function: str
    numbers: dict[str, int]

    def hold(self, seed: int, numbers: dict[str, int], place: Path, say: Callable[[str], object]) -> Held:
        """Run it in a directory. Raises SpecError for a number that it does not take, and what it raises itself."""
        for name in numbers:
            if name not in self.numbers:
                takes = ", ".join(f"--{each}" for each in self.numbers) or "none"
                raise SpecError(f"this system takes no --{name}", where=self.module, hint=f"it takes {takes}")
        module = import_module(f"pyharness.lab.real_systems.{self.module}")
        held: Held = getattr(module, self.function)(seed=seed, place=place, say=say, **numbers)
        return held


SYSTEMS: Final = {
    "spark-batches": System("spark_batches", "hold_spark_batches", {"kills": 4}),
    "bytewax": System("bytewax_epochs", "hold_bytewax", {"crashes": 200, "kills": 4}),
    "spark-epochs": System("spark_epochs", "hold_spark_epochs", {"epochs": 3, "sequences": 3000}),
    "flink-log": System("flink_log", "hold_flink_log", {"kills": 3}),
}
"""The systems as `pyharness systems` names them."""
