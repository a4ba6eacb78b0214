"""What it would take to look at all graphs: the fitted cost of each, and the schedule on so many cores."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyharness.survey.cost_fit import CostFit

CORES: Final = (2, 16, 64, 256)
"""The sizes of a cluster that a projection is made for."""


@dataclass(frozen=True, slots=True)
class Projection:
    """Costs of the whole, in seconds of one core, within a budget for each graph.

    ``exhaustive`` of the ``graphs`` fit into the budget; the others cost the budget and their simulation.
    ``makespans`` are the hours, in seconds, on so many cores; ``unbounded`` is the cost without a budget.
    """

    graphs: int
    budget: float
    exhaustive: int
    seconds: float
    unbounded: float
    makespans: Mapping[int, float]


def project(
    fit: CostFit, channels: Sequence[int], budget: float, walk_seconds: float, *, seed: int = 1
) -> Projection:
    """Draw the cost of each graph of the whole from the fit, and schedule the most expensive kind first.

    ``channels`` has the number of channels of every graph, ``walk_seconds`` is what a simulation costs.
    """
    random = Random(seed)  # noqa: S311 - a reproducible draw, not a secret
    drawn = [
        fit.median(count) * math.exp(random.gauss(0.0, fit.spread))
        for count in sorted(channels, reverse=True)
    ]
    costs = [cost if cost <= budget else budget + walk_seconds for cost in drawn]
    return Projection(
        len(drawn),
        budget,
        sum(cost <= budget for cost in drawn),
        sum(costs),
        sum(drawn),
        {cores: makespan(costs, cores) for cores in CORES},
    )


def makespan(costs: Iterable[float], cores: int) -> float:
    """Return when the last job ends if each, in this order, goes to the core that is free first."""
    free = [0.0] * cores
    for cost in costs:
        heapq.heapreplace(free, free[0] + cost)
    return max(free)
