"""What the records of a survey come to: counts, costs by size, a fit and a projection for each kind of graph."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from pyharness.survey.cost_fit import Point, fit_costs
from pyharness.survey.graph_record import Reach
from pyharness.survey.projection import project

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.survey.cost_fit import CostFit
    from pyharness.survey.graph_record import GraphRecord
    from pyharness.survey.projection import Projection


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
