"""The least that a run of a plan must show: without it a plan could be stripped of its checks and still pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.base.toolchain.toml_tables import integer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.base.toolchain.toml_tables import Table
    from pyharness.models.model import Model

COUNTS: Final = {
    "examples": "worked examples that agree with the literature",
    "mutants": "mutants caught",
    "replays": "traces replayed as they should be",
    "refused": "traces of mutants that the correct implementation does not follow",
    "transitions": "transitions in which spec and implementation are equal",
}
"""The counts of a complete run in words, by the keys of ``[minimums]``."""


@dataclass(frozen=True, slots=True)
class Minimums:
    """The least numbers of a plan: ``counts`` by the names of :data:`COUNTS`.

    ``reorderings`` gives for each model that simulates how many of its traces are reordered by at least one swap: 0 for
    a model whose traces have nothing to swap.
    """

    counts: Mapping[str, int]
    reorderings: Mapping[str, int]


def read_minimums(table: Table, models: Sequence[Model]) -> Minimums:
    """Read the table ``[minimums]`` of a plan with these models. Raises SpecError for a minimum that is missing or wrong."""
    table.close((*COUNTS, "reorderings"))
    counts = {key: table.take(key, integer(1)) for key in COUNTS}
    least = table.table("reorderings")
    simulating = [model.name for model in models if model.simulate and model.mutant is None]
    least.close(simulating)
    return Minimums(counts, {name: least.take(name, integer(0)) for name in simulating})
