"""What changed since the last run of a plan: slower, larger, less covered, another verdict. None of it is a verdict.

The thresholds allow for noise. Seconds vary between machines and runs: a model is slower from twice the time, and only
if that is five seconds more. Counts do not vary: a tenth more states is *larger*, whatever is gone is *less covered*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.judge.judgement import spec_pins
from pyharness.run.measured_pins import measured_pins

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyharness.judge.plan_report import PlanReport
    from pyharness.plan.bounds import Pins
    from pyharness.run.table_rows import HistoryRow

SLOWER: Final = 2.0
"""A model is slower if TLC took more than so many times the seconds, and..."""

SLOWER_SECONDS: Final = 5.0
"""...more than so many seconds longer."""

LARGER: Final = 1.1
"""A model is larger if it has more than so many times the distinct states, and less covered below the inverse."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a model: its ``kind`` (verdict, slower, larger, less covered or gone) and what it is in words."""

    model: str
    kind: str
    text: str


def last_rows(history: Iterable[HistoryRow]) -> list[HistoryRow]:
    """Return of a history's rows, the oldest first, the last of each model: those of the last whole run, or later ones.

    A model that the last whole run did not have is left out, unless a later run had it.
    """
    rows = list(history)
    whole = max((row.run for row in rows if row.whole), default="")
    return list({row.model: row for row in rows if row.run >= whole}.values())


def changes(before: Sequence[HistoryRow], now: Sequence[HistoryRow], *, whole: bool) -> tuple[Change, ...]:
    """Compare the rows of two runs, which are those of :func:`pyharness.judge.run_history.history_rows`.

    With ``whole`` a model that is missing now is gone; otherwise only some were run.
    """
    old = {row.model: row for row in before}
    found = [change for row in now if row.model in old for change in _of_model(old[row.model], row)]
    if whole:
        have = {row.model for row in now}
        found += [Change(name, "gone", "the last run had it") for name in old if name not in have]
    return tuple(found)


def _of_model(old: HistoryRow, new: HistoryRow) -> Iterator[Change]:
    name = new.model
    if old.verdict != new.verdict:
        yield Change(name, "verdict", f"{old.verdict} -> {new.verdict}")
    was, takes = old.seconds or 0.0, new.seconds or 0.0
    if takes > SLOWER * was and takes - was > SLOWER_SECONDS:
        yield Change(name, "slower", f"{was:.0f} s -> {takes:.0f} s of TLC")
    had, has = old.distinct, new.distinct
    if had and has and has > LARGER * had:
        yield Change(name, "larger", f"{had:,} -> {has:,} states")
    if had and has and had > LARGER * has:
        yield Change(name, "less covered", f"{had:,} -> {has:,} states")
    for before, after, what in (
        (old.topologies or 0, new.topologies or 0, "graphs"),
        (old.transitions or 0, new.transitions or 0, "transitions compared"),
        (old.replays or 0, new.replays or 0, "replays"),
    ):
        if before > after:
            yield Change(name, "less covered", f"{before:,} -> {after:,} {what}")
    for known, still, what in (
        (old.taken, new.taken, "actions taken"),
        (old.caught_by, new.caught_by, "caught by"),
    ):
        lost = sorted(set(known or ()) - set(still or ()))
        if lost:
            yield Change(name, "less covered", f"{what}: no longer {', '.join(lost)}")


@dataclass(frozen=True, slots=True)
class PinRow:
    """The counts of a model or spec that is to pass: those that the plan pins, and those of this run."""

    model: str
    pinned: Pins | None
    measured: Pins | None


def pin_rows(report: PlanReport) -> tuple[PinRow, ...]:
    """Return the pinned and the measured counts of every model that is to pass, and of every spec with pins."""
    specs = (
        PinRow(r.source.name, r.source.pins, spec_pins(r.row, r.source.pins))
        for r in report.specs
        if r.source.pins
    )
    models = (
        PinRow(
            r.model.name,
            r.model.pins,
            measured_pins(r.evidence.runs, r.evidence.conformances),
        )
        for r in report.models
        if r.model.expect == "pass"
    )
    return (*models, *specs)
