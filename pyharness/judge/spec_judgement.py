"""From what was found of a spec with its own configuration to a verdict: whether it is what the plan expects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.judge.plan_report import SpecReport
from pyharness.plan.bounds import Pins
from pyharness.run.table_rows import SpecRow, TraceRow, rows_of
from pyharness.run.verdicts import Verdict, worst

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.plan.plan_specs import SpecSource
    from pyharness.run.table_rows import TableRow


def judge_spec(source: SpecSource, rows: Iterable[TableRow], failure: str | None = None) -> SpecReport:
    """Judge a spec by the rows that its job left, or by the ``failure`` of the job."""
    found = list(rows)
    row = next(iter(rows_of(SpecRow, found)), None)
    if row is None:
        reasons = [(Verdict.ERROR, failure) if failure else (Verdict.INCOMPLETE, "its job left nothing")]
    else:
        reasons = (_passing if source.expect == "pass" else _violating)(source, row)
    verdict = worst([Verdict.PASS, *(each for each, _ in reasons)])
    trace = next(iter(rows_of(TraceRow, found)), None)
    return SpecReport(source, verdict, tuple(reason for _, reason in reasons), row, trace)


def spec_pins(row: SpecRow | None, asked: Pins | None = None) -> Pins | None:
    """Return the counts of a spec that passed, of what is ``asked`` for, or all; ``None`` if it did not."""
    if row is None or row.verdict != Verdict.PASS.text or row.distinct is None:
        return None
    return Pins(row.distinct, row.depth if asked is None or asked.depth is not None else None)


def _passing(source: SpecSource, row: SpecRow) -> list[tuple[Verdict, str]]:
    verdict, pinned = Verdict.of(row.verdict), source.pins
    if verdict is not Verdict.PASS:
        return [(verdict, ": ".join(filter(None, (row.violated, row.message))) or verdict.text)]
    measured = spec_pins(row, pinned)
    if pinned is None or measured == pinned:
        return []
    return [(Verdict.INCOMPLETE, f"{measured or 'no states'}, pinned are {pinned}")]


def _violating(source: SpecSource, row: SpecRow) -> list[tuple[Verdict, str]]:
    verdict, (expected,) = Verdict.of(row.verdict), source.caught_by
    if verdict is Verdict.PASS:
        return [(Verdict.VIOLATION, f"not caught by {expected}, as the plan expects")]
    if verdict is not Verdict.VIOLATION:
        return [(verdict, row.message or verdict.text)]
    if row.violated == expected:
        return []
    return [(verdict, f"caught by {row.violated}, and not by {expected}, as the plan expects")]
