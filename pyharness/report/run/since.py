"""What changed since the last run, and how a plan's figures went over its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Change", "PastRun", "changes_since", "past_runs", "points"]

Row = Mapping[str, Any]
"""A row of the history: see ``pyharness.pipeline.tables.HISTORY``."""

SLOWER: Final = 1.25
"""By this factor TLC must be slower or faster for it to be told, and by more than :data:`SECONDS`."""

SECONDS: Final = 5.0

_FIGURES: Final = {
    "verdict": "verdict",
    "topologies": "graphs",
    "distinct": "states",
    "generated": "generated states",
    "transitions": "transitions compared",
    "replays": "replays",
}


@dataclass(frozen=True, slots=True)
class Change:
    """A figure of a model that differs from the last run that had the model.

    ``worse`` says that there is less of what was checked, that it took longer, or that the verdict is no pass now.
    """

    model: str
    what: str
    before: str
    now: str
    worse: bool


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run of the history: when, what it came to, and its figures; ``whole`` unless it ran some models only."""

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


def past_runs(history: Sequence[Row]) -> tuple[PastRun, ...]:
    """Sum the rows of each run (``pyharness.pipeline.history``), the oldest run first."""
    return tuple(_run([row for row in history if row["run"] == run]) for run in _runs(history))


def _runs(history: Iterable[Row]) -> list[str]:
    return sorted({row["run"] for row in history})


def _run(rows: Sequence[Row]) -> PastRun:
    first = rows[0]
    return PastRun(
        first["run"],
        first["began"],
        first["plan_verdict"],
        bool(first["whole"]),
        len(rows),
        sum(row["distinct"] or 0 for row in rows),
        sum(row["transitions"] or 0 for row in rows),
        sum(row["seconds"] or 0 for row in rows),
        first["plan_seconds"] or 0,
        first["jobs"] or 0,
        first["reused"] or 0,
    )


def changes_since(history: Sequence[Row]) -> tuple[Change, ...] | None:
    """Compare each model of the last run in the history with the run before that had it; ``None`` without one.

    A model that is new, and one that the last whole run has no more, are changes too.
    """
    runs = _runs(history)
    if len(runs) < 2:
        return None
    now = {row["model"]: row for row in history if row["run"] == runs[-1]}
    before: dict[str, Row] = {}
    for row in history:
        if row["run"] != runs[-1]:
            before[row["model"]] = row
    found = [change for name in now if name in before for change in _model(before[name], now[name])]
    found += [Change(name, "model", "-", "new", worse=False) for name in now if name not in before]
    if all(row["whole"] for row in now.values()):
        last = {row["model"] for row in history if row["run"] == runs[-2] and row["whole"]}
        found += [
            Change(name, "model", "checked", "not checked", worse=True) for name in sorted(last - set(now))
        ]
    return tuple(sorted(found, key=lambda change: not change.worse))


def _model(before: Row, now: Row) -> Iterable[Change]:
    name = now["model"]
    for key, what in _FIGURES.items():
        old, new = before[key], now[key]
        if old != new and old is not None:
            worse = new != "pass" if key == "verdict" else new is None or new < old
            yield Change(name, what, _text(old), _text(new), worse)
    for key, lost, won in (
        ("taken", "action no longer taken", "action now taken"),
        ("caught_by", "no longer violated", "now violated"),
    ):
        old_names, new_names = set(before[key] or ()), set(now[key] or ())
        for gone in sorted(old_names - new_names):
            yield Change(name, lost, gone, "-", worse=True)
        for come in sorted(new_names - old_names):
            yield Change(name, won, "-", come, worse=key == "caught_by" and not now["mutant"])
    old, new = before["seconds"], now["seconds"]
    if old and new and abs(new - old) > SECONDS and max(new / old, old / new) > SLOWER:
        yield Change(name, "seconds of TLC", f"{old:.1f}", f"{new:.1f}", worse=new > old)


def _text(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def points(values: Sequence[float], width: float, height: float) -> str:
    """Lay out values from left to right as the points of an SVG polyline, the largest at the top, 0 at the bottom."""
    top = max(values, default=0) or 1
    step = width / max(len(values) - 1, 1)
    return " ".join(f"{i * step:.1f},{height - value / top * height:.1f}" for i, value in enumerate(values))
