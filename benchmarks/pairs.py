"""Ratios measured pair by pair: two ways of doing the same, one after the other in one run, in turns.

What is compared is processor time, of this process and of all that it starts: machines that are shared make wall time
say little. Where what is compared is the number of cores it is wall time, and the load of the machine stands beside
it. Figures go to ``build/bench/NAME.json``, of which ``page.py`` makes a page.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

OUT = Path("build", "bench")


@dataclass(frozen=True)
class Comparison:
    """Two ways of doing the same: ``ours`` and ``other`` are seconds, of each pair one.

    ``ratios`` are the other's seconds by ours, so that more is better, unless ``cost`` says that they are ours by the
    other's. ``wanted`` is the ratio that is aimed at, and ``unit`` says of what the seconds are.
    """

    name: str
    what: str
    ours: tuple[float, ...]
    other: tuple[float, ...]
    wanted: float | None = None
    cost: bool = False
    unit: str = "CPU seconds"

    @property
    def ratios(self) -> list[float]:
        """One a pair."""
        pairs = zip(self.ours, self.other, strict=True)
        return [ours / other if self.cost else other / ours for ours, other in pairs]

    @property
    def median(self) -> float:
        """The median of the ratios."""
        return statistics.median(self.ratios)

    def __str__(self) -> str:
        low, high = min(self.ratios), max(self.ratios)
        aim = "" if self.wanted is None else f", wanted {'<=' if self.cost else '>='} {self.wanted}"
        return (
            f"{self.what}: ratio {self.median:.2f} ({low:.2f} to {high:.2f}, {len(self.ours)} pairs{aim}); ours "
            f"{statistics.median(self.ours):.1f}, the other {statistics.median(self.other):.1f} {self.unit}"
        )


def cpu_seconds(action: Callable[[], object]) -> float:
    """Return the processor time of an action, with that of the processes that it waits for."""
    before = _spent()
    action()
    return _spent() - before


def wall_seconds(action: Callable[[], object]) -> float:
    """Return the wall time of an action."""
    began = time.monotonic()
    action()
    return time.monotonic() - began


def _spent() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def compared(
    name: str,
    what: str,
    ours: Callable[[], object],
    other: Callable[[], object],
    *,
    pairs: int,
    wanted: float | None = None,
    cost: bool = False,
    measure: Callable[[Callable[[], object]], float] = cpu_seconds,
    unit: str = "CPU seconds",
) -> Comparison:
    """Measure both so many times, each first in every second pair."""
    mine, theirs = [], []
    for number in range(pairs):
        for action, times in ((ours, mine), (other, theirs))[:: 1 if number % 2 == 0 else -1]:
            times.append(measure(action))
    return Comparison(name, what, tuple(mine), tuple(theirs), wanted, cost, unit)


def leave(
    *found: Comparison,
    table: Sequence[Mapping[str, object]] = (),
    lines: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    **facts: object,
) -> None:
    """Print comparisons, and write them with further facts to a file, which is named after the first one.

    A ``table`` has rows with the same names in each; ``lines`` are what the page plots, points by a line's name.
    """
    OUT.mkdir(parents=True, exist_ok=True)
    for comparison in found:
        print(comparison)
    content = {
        "machine": {
            "cores": os.cpu_count(),
            "processor": platform.machine(),
            "python": platform.python_version(),
        },
        "load": os.getloadavg(),
        "comparisons": [
            {**asdict(each), "ratios": each.ratios, "median": each.median, "text": str(each)}
            for each in found
        ],
        "table": list(table),
        "lines": lines or {},
        "facts": facts,
    }
    (OUT / f"{found[0].name}.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
