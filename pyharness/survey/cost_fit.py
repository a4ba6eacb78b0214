"""How the cost of a graph grows with its channels: a line through the logarithms, fitted to cut-off runs too.

A run that was cut off says only that its cost is higher. Leaving it out would make large graphs look cheap, so its
logarithm stands in with the value to be expected above the cut, and the line is fitted anew until it stays: the EM
algorithm for a regression with censored values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist, linear_regression
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROUNDS: Final = 500
_STILL: Final = 1e-9
_LEAST: Final = 5


class Point(NamedTuple):
    """A measured graph: its channels, its cost, and whether the run was cut off there."""

    channels: int
    cost: float
    cut: bool = False


@dataclass(frozen=True, slots=True)
class CostFit:
    """A graph with c channels costs ``base * factor**c``, times a random factor whose logarithm has ``spread``."""

    base: float
    factor: float
    spread: float
    ended: int
    cut: int

    def median(self, channels: int) -> float:
        """Return the cost that half of the graphs with so many channels are below."""
        return self.base * self.factor**channels

    def within(self, channels: int, budget: float) -> float:
        """Return the share of the graphs with so many channels that cost at most ``budget``."""
        distance = math.log(budget / self.median(channels))
        if not self.spread:
            return float(distance >= 0)
        return NormalDist().cdf(distance / self.spread)


def fit_costs(points: Sequence[Point]) -> CostFit | None:
    """Fit a line to what was measured; ``None`` for fewer than five runs that ended, or for one number of channels."""
    ended = [point for point in points if not point.cut]
    if len(ended) < _LEAST or len({point.channels for point in ended}) < 2:
        return None
    channels = [float(point.channels) for point in points]
    logs = [math.log(point.cost) for point in points]
    at_cut = [point.cut for point in points]
    slope, intercept = linear_regression(
        [float(p.channels) for p in ended], [math.log(p.cost) for p in ended]
    )
    spread = _spread([math.log(p.cost) - intercept - slope * p.channels for p in ended], [0.0] * len(ended))
    for _ in range(_ROUNDS):
        stand_ins = [
            _above(log, intercept + slope * x, spread) if cut else (log, 0.0)
            for x, log, cut in zip(channels, logs, at_cut, strict=True)
        ]
        values = [value for value, _ in stand_ins]
        before = (slope, intercept, spread)
        slope, intercept = linear_regression(channels, values)
        left = [value - intercept - slope * x for x, value in zip(channels, values, strict=True)]
        spread = _spread(left, [variance for _, variance in stand_ins])
        if max(abs(new - old) for new, old in zip((slope, intercept, spread), before, strict=True)) < _STILL:
            break
    return CostFit(math.exp(intercept), math.exp(slope), spread, len(ended), len(points) - len(ended))


def _spread(left: Sequence[float], variances: Sequence[float]) -> float:
    return math.sqrt(sum(x * x + v for x, v in zip(left, variances, strict=True)) / len(left))


def _above(cut: float, mean: float, spread: float) -> tuple[float, float]:
    """Return mean and variance of what a normal distribution has above ``cut``."""
    if not spread:
        return max(cut, mean), 0.0
    normal = NormalDist()
    at = (cut - mean) / spread
    beyond = 1 - normal.cdf(at)
    if beyond < 1e-12:
        return cut, 0.0
    hazard = normal.pdf(at) / beyond
    return mean + spread * hazard, max(0.0, spread * spread * (1 + at * hazard - hazard * hazard))
