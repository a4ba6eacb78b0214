"""The history of a plan's runs, a row for each model of each run, and what changed since the last: none is a verdict.

A run adds a file of its own to ``history/``, whole or not at all; nothing there is ever rewritten.

What changed since the last run of a plan: slower, larger, less covered, another verdict. None of it is a verdict. The
thresholds allow for noise. Seconds vary between machines and runs: a model is slower from twice the time, and only if
that is five seconds more. Counts do not vary: a tenth more states is *larger*, whatever is gone is *less covered*.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError, ToolError
from pyharness.base.toolchain.bounded_files import MOST_KEPT_BYTES, read_bytes
from pyharness.base.toolchain.own_files import write_text
from pyharness.gate.judge.judgement import measured_pins, spec_pins
from pyharness.models.table_rows import HistoryRow, columns, from_plain, to_plain
from pyharness.models.tlc_runs import passed_states

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from pyharness.gate.judge.plan_report import ModelReport, PlanReport, SpecReport
    from pyharness.models.bounds import Pins


FORMAT: Final = "pyharness-history/1"

RUNS: Final = 50
"""So many runs are read at most, the last ones."""

_FORMAT: Final = "%Y%m%dT%H%M%S.%fZ"


def history_rows(report: PlanReport, began: datetime, seconds: float) -> list[HistoryRow]:
    """Return a run's rows, one for each model and spec: see :class:`pyharness.models.table_rows.HistoryRow`.

    ``began`` is the time when the run began, with its time zone, and names the run: ``run`` and ``began`` are that
    time in UTC, and sort by it. ``plan_seconds`` is the wall time of the run; ``seconds`` the time that TLC took for
    the model, in the run in which its jobs were not taken over from an earlier one. What was not measured is ``None``.
    """
    utc = began.astimezone(UTC)
    rows = [_row(report, model, utc, seconds) for model in report.models]
    return rows + [_row_of_spec(report, spec, utc, seconds) for spec in report.specs]


def _row(plan: PlanReport, report: ModelReport, began: datetime, seconds: float) -> HistoryRow:
    model, evidence = report.model, report.evidence
    checks = [run for run in evidence.runs if run.kind == "check"]
    distinct, generated = passed_states(checks) or (None, None)
    fired: Counter[str] = Counter()
    for action in evidence.actions:
        fired[action.action] += action.total
    compared = [row for row in evidence.conformances if row.error is None]
    found = (
        {kill.property for kill in evidence.kills}
        if model.mutant
        else {trace.violated for trace in evidence.traces}
    )
    return HistoryRow(
        **_of_run(plan, began, seconds),
        model=model.name,
        spec=model.spec,
        mutant=model.mutant,
        expected=model.expect,
        verdict=report.verdict.text,
        topologies=len(model.topologies),
        distinct=distinct,
        generated=generated,
        depth=max((run.depth for run in checks if run.depth is not None), default=None),
        seconds=round(sum((run.seconds or 0.0 for run in evidence.runs), 0.0), 3) if evidence.runs else None,
        transitions=sum(row.transitions or 0 for row in compared) if compared else None,
        replays=len(evidence.replays),
        taken=tuple(sorted(action for action, total in fired.items() if total)),
        caught_by=tuple(sorted(name for name in found if name)),
    )


def _row_of_spec(plan: PlanReport, report: SpecReport, began: datetime, seconds: float) -> HistoryRow:
    source, row = report.source, report.row
    return HistoryRow(
        **_of_run(plan, began, seconds),
        model=source.name,
        spec=source.module.stem,
        mutant=None,
        expected=source.expect,
        verdict=report.verdict.text,
        topologies=None,
        distinct=row.distinct if row else None,
        generated=row.generated if row else None,
        depth=row.depth if row else None,
        seconds=row.seconds if row else None,
        transitions=None,
        replays=None,
        taken=row.taken if row else None,
        caught_by=(row.violated,) if row and row.violated else (),
    )


def _of_run(plan: PlanReport, began: datetime, seconds: float) -> dict[str, Any]:
    return {
        "run": began.strftime(_FORMAT),
        "began": began.isoformat(timespec="seconds"),
        "plan": plan.plan.name,
        "whole": plan.plan.whole,
        "plan_verdict": plan.verdict.text,
        "plan_seconds": round(float(seconds), 3),
        "jobs": plan.jobs,
        "reused": plan.reused,
    }


def append_history(out: Path, rows: Sequence[HistoryRow]) -> Path:
    """Add a run's rows, which are those of :func:`history_rows`, below ``out``, and return their file.

    Raises ToolError when they cannot be written, and for a run that is there already.
    """
    directory = out / "history"
    run = directory / f"{rows[0].run}.json"
    if run.exists():
        raise ToolError(f"the run {run.stem} is in the history already", where=str(directory))
    content = {"format": FORMAT, "rows": [to_plain(row) for row in rows]}
    try:
        write_text(run, json.dumps(content))
    except OSError as error:
        raise ToolError(
            f"the run cannot be added to the history: {error.strerror}", where=str(directory)
        ) from error
    return run


def read_history(out: Path, runs: int = RUNS) -> list[HistoryRow]:
    """Return the rows of the last ``runs`` runs below ``out``, the oldest run first, each run's by model.

    There are none before the first run. What an older version did not write is ``None``.

    Raises ToolError for a file that is not whole, or lacks what every version wrote.
    """
    directory = out / "history"
    kept = sorted(directory.glob("[0-9]*.json"))[-runs:]
    try:
        rows = [row for path in kept for row in _read(path)]
    except (SpecError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ToolError(
            f"the history cannot be read: {error}",
            where=str(directory),
            hint="remove the run that is damaged, or the directory",
        ) from error
    return sorted(rows, key=lambda row: (row.run, row.model))


def _read(path: Path) -> Iterator[HistoryRow]:
    content = json.loads(read_bytes(path, MOST_KEPT_BYTES))
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{path.name} is no run of a history")
    named = {column.name for column in columns(HistoryRow)}
    nothing = {column.name: None for column in columns(HistoryRow) if column.nullable}
    for row in content["rows"]:
        yield from_plain(HistoryRow, nothing | {name: value for name, value in row.items() if name in named})


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
    """Compare the rows of two runs, which are those of :func:`pyharness.gate.judge.run_history.history_rows`.

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
