"""The rows of a check of a module: its run, the actions, and the premises that must be reached."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pyharness.models.table_rows import ActionRow, RunRow, WitnessRow
from pyharness.models.theorems import ASSUMED
from pyharness.models.tlc_runs import detail_of
from pyharness.models.verdicts import Verdict
from pyharness.tla.tlc import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyharness.base.errors import SpecError
    from pyharness.models.spec_check import CheckedSpec


def checked_row(
    job: str,
    name: str,
    attempt: int,
    checked: CheckedSpec,
    topologies: int = 0,
    *,
    evaluated: Iterable[str] | None = None,
    asks: str = "",
) -> RunRow:
    """Return the row of ``runs`` of a job's ``attempt``-th check of the model ``name``.

    ``evaluated`` replaces the names of the properties that were checked; ``asks`` is a digest of all that is asked.
    """
    result, violation = checked.result, checked.verdict is Verdict.VIOLATION
    violated = (checked.violated or result.outcome.value) if violation else None
    own = evaluated if evaluated is not None else (*checked.evaluated, *checked.asked)
    return RunRow(
        job=job,
        model=name,
        kind="check",
        run=attempt,
        outcome=result.outcome,
        verdict=checked.verdict,
        reason=": ".join(filter(None, (violated, checked.reason))),
        detail=detail_of(result),
        violated=violated,
        topologies=topologies,
        complete=checked.verdict is Verdict.PASS or (violation and result.finished),
        distinct=result.distinct,
        generated=result.generated,
        depth=result.depth,
        seconds=result.seconds,
        tlc=result.tlc_version,
        evaluated=tuple(sorted(each for each in own if not each.startswith(ASSUMED))),
        asks=asks,
        notes=checked.notes,
    )


def action_rows(job: str, attempt: int, checked: CheckedSpec) -> Iterator[ActionRow]:
    """Return a row for each action that has a count, which may be of a part of the states."""
    taken: Counter[str] = Counter()
    for each in checked.actions:
        taken[each.name] += each.taken
    return (ActionRow(job, attempt, name, count) for name, count in taken.items())


def witness_rows(job: str, name: str, checked: CheckedSpec) -> Iterator[WitnessRow]:
    """Yield a row for each premise, and each other formula sought, if it was decided whether it is reached.

    Premises of hypotheses of theorems are left out.
    """
    for premise, found in checked.premises:
        if found is not None and not premise.of.startswith(ASSUMED):
            yield WitnessRow(job, name, premise.name, premise.formula, found)


def unread_row(job: str, name: str, error: SpecError, attempt: int = 0) -> RunRow:
    """Return the row of ``runs`` of a model that cannot be read, at the ``attempt``-th check of a job."""
    return RunRow(
        job=job,
        model=name,
        kind="check",
        run=attempt,
        outcome=Outcome.PARSE_ERROR,
        verdict=Verdict.SPEC_ERROR,
        reason=str(error),
        detail=str(error),
        violated=None,
        topologies=0,
        complete=False,
    )
