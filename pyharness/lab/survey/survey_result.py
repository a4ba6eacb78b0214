"""What the records of a survey come to: counts, costs by size, a fit of these, and what all graphs would take by it.

How the cost of a graph grows with its channels: a line through the logarithms, fitted to cut-off runs too. A run that
was cut off says only that its cost is higher. Leaving it out would make large graphs look cheap, so its logarithm
stands in with the value to be expected above the cut, and the line is fitted anew until it stays: the EM algorithm for
a regression with censored values.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from random import Random
from statistics import NormalDist, linear_regression, median
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.lab.survey.graph_record import Reach

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyharness.lab.survey.graph_record import GraphRecord


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


@dataclass(frozen=True)
class ChannelRow:
    """The graphs with so many channels: how many there are, how many were looked at, and what they cost.

    The medians are those of the graphs of which all states were seen, ``None`` where there is no such graph.
    """

    channels: int
    graphs: int
    sampled: int
    exhaustive: int
    states: float | None
    seconds: float | None


@dataclass(frozen=True)
class Group:
    """The graphs of so many processes with so many items, of which there are ``graphs`` in all.

    ``fit`` and ``projection`` are ``None`` where too few runs ended to fit anything.
    """

    processes: int
    items: int
    graphs: int
    records: tuple[GraphRecord, ...]
    rows: tuple[ChannelRow, ...]
    fit: CostFit | None
    projection: Projection | None

    @property
    def reached(self) -> Mapping[Reach, int]:
        """How many graphs were looked at how far."""
        return Counter(record.reach for record in self.records)


def groups_of(
    records: Sequence[GraphRecord], whole: Mapping[int, Sequence[int]], budget: float
) -> tuple[Group, ...]:
    """Group records by processes and items.

    ``whole`` has, for each number of processes, the channels of all graphs that the sample was drawn from, and
    ``budget`` is what a graph may cost, in seconds.
    """
    kinds: dict[tuple[int, int], list[GraphRecord]] = defaultdict(list)
    for record in records:
        kinds[record.processes, record.items].append(record)
    return tuple(
        _group(processes, items, found, whole[processes], budget)
        for (processes, items), found in sorted(kinds.items())
    )


def survey_verdict(records: Sequence[GraphRecord]) -> int:
    """Return the exit code: 1 for a violation, 3 if a graph was looked at in no way, or none at all; else 0."""
    reached = {record.reach for record in records}
    if Reach.VIOLATED in reached:
        return 1
    return 3 if Reach.UNDECIDED in reached or not records else 0


def _group(
    processes: int, items: int, records: Sequence[GraphRecord], channels: Sequence[int], budget: float
) -> Group:
    decided = [record for record in records if record.reach in {Reach.ALL_STATES, Reach.SIMULATED}]
    points = [
        Point(record.channels, max(record.seconds, 0.01), record.reach is Reach.SIMULATED)
        for record in decided
    ]
    walked = [record.walk_seconds for record in decided if record.reach is Reach.SIMULATED]
    fit = fit_costs(points)
    return Group(
        processes,
        items,
        len(channels),
        tuple(records),
        tuple(_row(count, records, channels) for count in sorted(set(channels))),
        fit,
        None if fit is None else project(fit, channels, budget, median(walked) if walked else 0.0),
    )


def _row(count: int, records: Sequence[GraphRecord], channels: Sequence[int]) -> ChannelRow:
    own = [record for record in records if record.channels == count]
    whole = [record for record in own if record.reach is Reach.ALL_STATES]
    return ChannelRow(
        count,
        sum(other == count for other in channels),
        len(own),
        len(whole),
        median(record.states or 0 for record in whole) if whole else None,
        median(record.seconds for record in whole) if whole else None,
    )
