"""The least that a run of a plan must show: without it a plan could be stripped of its checks and still pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.models.model import Model

COUNTS: Final = {
    "examples": "worked examples that come out as the literature says",
    "mutants": "mutants caught",
    "replays": "traces replayed as they should be",
    "refused": "traces of mutants that the correct implementation does not follow",
    "transitions": "transitions in which spec and implementation are equal",
}
"""What is counted of a whole run, by the keys of ``[minimums]``."""


@dataclass(frozen=True, slots=True)
class Minimums:
    """The least numbers of a plan: ``counts`` by the names of :data:`COUNTS`.

    ``reorderings`` says of each model that simulates how many of its traces are reordered by at least one swap: 0 for
    a model whose traces have nothing to swap.
    """

    counts: Mapping[str, int]
    reorderings: Mapping[str, int]


def read_minimums(given: Any, models: Sequence[Model]) -> Minimums:
    """Read the table ``[minimums]`` of a plan with these models; ``where`` of the SpecError it raises is the key."""
    if not isinstance(given, dict):
        raise SpecError("must be a table", where="minimums")
    known = (*COUNTS, "reorderings")
    for key in given:
        if key not in known:
            raise SpecError("no such minimum", where=key, hint=nearest(key, known))
    for key in known:
        if key not in given:
            raise SpecError(f"{key} is missing", where="minimums", hint="a plan states all its minimums")
    for key in COUNTS:
        if type(given[key]) is not int or given[key] < 1:
            raise SpecError(f"must be a number, at least 1, not {given[key]!r}", where=key)
    simulating = [model.name for model in models if model.simulate and model.mutant is None]
    table = given["reorderings"]
    if not isinstance(table, dict) or not all(type(least) is int and least >= 0 for least in table.values()):
        raise SpecError("must be a table of models and numbers", where="reorderings")
    for name in table:
        if name not in simulating:
            raise SpecError(
                f"no model {name} that simulates", where="reorderings", hint=nearest(name, simulating)
            )
    for name in simulating:
        if name not in table:
            raise SpecError(
                f"{name} simulates, and has no minimum",
                where="reorderings",
                hint="0 is for a model whose traces have nothing to swap",
            )
    return Minimums({key: given[key] for key in COUNTS}, table)
