"""The counts of a passing model that a plan pins, as a run measured them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.plan.bounds import Pins
from pyharness.run.tlc_verdict import meaning_of_row
from pyharness.run.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.run.table_rows import ConformanceRow, RunRow


def measured_pins(runs: Sequence[RunRow], conformances: Sequence[ConformanceRow] = ()) -> Pins | None:
    """Return the counts of a model's checks that passed and of its comparisons, or ``None`` without such a check.

    The states of several runs are summed, for each has other graphs; the depth is the greatest.
    """
    ended = [run for run in runs if run.kind == "check" and meaning_of_row(run).verdict is Verdict.PASS]
    if not ended:
        return None
    compared = [row.transitions for row in conformances if row.error is None and row.transitions is not None]
    return Pins(
        sum(run.distinct or 0 for run in ended),
        max((run.depth for run in ended if run.depth is not None), default=None),
        sum(compared) if compared else None,
    )
