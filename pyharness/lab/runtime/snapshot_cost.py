"""What a run cost: of what its processes noted of their messages, and its parent of the snapshots."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SILENCE: Final = 0.010
"""So many seconds without anything sent, by anybody, are a silence."""


@dataclass(frozen=True)
class Measurement:
    """The figures of a run.

    ``seconds`` it lasted, from the beginning until nothing more was sent; ``messages`` were taken for good, each for
    ``cpu_us`` microseconds of the processes' time, with all that snapshots cost; ``latency_ms`` and ``latency_p99_ms``
    are the median and the 99th percentile of the time from when a message was due to when it was taken; ``silent`` is
    the share of time in silences. Of ``snapshots`` that were complete: ``snapshot_ms``, the median time to complete
    one, and the mean number of messages recorded in channels, with their bytes as stored.
    ``start_ms`` went by from the first process's start to the last one's beginning.
    """

    seconds: float
    messages: int
    cpu_us: float
    latency_ms: float
    latency_p99_ms: float
    silent: float
    snapshots: int
    snapshot_ms: float
    recorded: float
    recorded_bytes: float
    start_ms: float


@dataclass
class Noted:
    """What the parent notes, in seconds of its clock, snapshots by name."""

    started: float = 0.0
    begun: float = 0.0
    ended: float = 0.0
    asked: dict[str, float] = field(default_factory=dict)
    complete: dict[str, float] = field(default_factory=dict)
    recorded: list[tuple[int, int]] = field(default_factory=list)

    def measurement(self, cpu: float, answers: Sequence[Mapping[str, Any]]) -> Measurement:
        """Return the figures of a run whose processes took ``cpu`` seconds in all, and noted ``answers``."""
        begun = {tuple(key): when for answer in answers for *key, when in answer["begun"]}
        ended = {tuple(key): when for answer in answers for *key, when in answer["ended"]}
        latencies = [when - begun[key] for key, when in ended.items() if key in begun]
        took = [self.complete[name] - self.asked[name] for name in self.complete if name in self.asked]
        sent = (when for answer in answers for when in answer["sent"])
        seconds = self.ended - self.begun
        number = max(len(self.recorded), 1)
        return Measurement(
            seconds,
            len(ended),
            1e6 * cpu / max(len(ended), 1),
            1e3 * _percentile(latencies, 50),
            1e3 * _percentile(latencies, 99),
            _silent(sent, self.begun, self.ended) / seconds,
            len(self.complete),
            1e3 * _percentile(took, 50),
            sum(messages for messages, _ in self.recorded) / number,
            sum(size for _, size in self.recorded) / number,
            1e3 * (self.begun - self.started),
        )


def _percentile(values: Sequence[float], percent: int) -> float:
    if len(values) < 2:
        return sum(values)
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def _silent(sent: Iterable[float], begin: float, end: float) -> float:
    within = sorted(when for when in sent if begin < when < end)
    return sum(gap for a, b in pairwise([begin, *within, end]) if (gap := b - a) > SILENCE)
