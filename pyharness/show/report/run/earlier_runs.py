"""What changed since the last run, and how a plan's figures went over its runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.gate.judge.run_history import changes, last_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.gate.judge.run_history import Change
    from pyharness.models.table_rows import HistoryRow


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run of the history: when, its result, and its figures; ``whole`` unless it ran some models only."""

    run: str
    began: str
    verdict: str
    whole: bool
    models: int
    states: int
    transitions: int
    tlc_seconds: float
    seconds: float
    jobs: int
    reused: int


def past_runs(history: Sequence[HistoryRow]) -> tuple[PastRun, ...]:
    """Sum the rows of each run (``pyharness.gate.judge.run_history``), the oldest run first."""
    runs = sorted({row.run for row in history})
    return tuple(_run([row for row in history if row.run == run]) for run in runs)


def _run(rows: Sequence[HistoryRow]) -> PastRun:
    first = rows[0]
    return PastRun(
        first.run,
        first.began,
        first.plan_verdict,
        first.whole,
        len(rows),
        sum(row.distinct or 0 for row in rows),
        sum(row.transitions or 0 for row in rows),
        sum(row.seconds or 0 for row in rows),
        first.plan_seconds or 0,
        first.jobs or 0,
        first.reused or 0,
    )


def changed(history: Sequence[HistoryRow]) -> tuple[Change, ...] | None:
    """Compare the last run in the history with the runs before it; ``None`` if there are none."""
    last = max((row.run for row in history), default="")
    now = [row for row in history if row.run == last]
    before = last_rows(row for row in history if row.run != last)
    return changes(before, now, whole=all(row.whole for row in now)) if before else None


def points(values: Sequence[float], width: float, height: float) -> str:
    """Lay out values from left to right as the points of an SVG polyline, the largest at the top, 0 at the bottom."""
    top = max(values, default=0) or 1
    step = width / max(len(values) - 1, 1)
    return " ".join(f"{i * step:.1f},{height - value / top * height:.1f}" for i, value in enumerate(values))
