"""Some of a plan's models and specs: by name, those that failed last, or as many as it takes to see some fail."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import accumulate, chain, repeat, takewhile
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import SpecError
from pyharness.run.verdicts import Verdict
from pyharness.toolchain.bounded_files import MOST_KEPT_BYTES, read_utf8
from pyharness.toolchain.own_files import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from pyharness.judge.plan_report import PlanReport
    from pyharness.plan.plan import Plan

AT_ONCE: Final = (2, 4, 8)
"""So many models are begun before it is looked whether enough have failed: at first, then, and ever after."""

_FILE: Final = "failed.json"


def selection(plan: Plan, names: set[str]) -> Plan:
    """Return a plan with these of its models and specs, which is a selection and checks no example."""
    models = tuple(model for model in plan.models if model.name in names)
    specs = tuple(spec for spec in plan.specs if spec.name in names)
    return replace(plan, models=models, specs=specs, examples=(), logs=(), whole=False)


def until_failures(
    plan: Plan,
    most: int | None,
    run: Callable[[Plan], PlanReport],
    *,
    first: Collection[str] = (),
) -> PlanReport:
    """Run a plan; or its models some at a time, until ``most`` have failed, and then say how many did not run.

    The models whose names are among ``first`` come first: those that failed when they last ran, say. ``run`` takes a
    plan; it is to take over what it has run itself, for each part has the models of the one before.
    """
    if most is None:
        return run(plan)
    names = sorted(plan.names, key=lambda name: name not in first)
    for end in _ends(len(names)):
        report = run(selection(plan, set(names[:end])))
        if _failures(report) >= most:
            left = f"stopped after {_failures(report)} failed: {len(names) - end} of the models did not run"
            return replace(report, reasons=(*report.reasons, left))
    return run(plan)


def _ends(models: int) -> Iterator[int]:
    """Yield how many models have run each time that it is looked, up to the last time before all have."""
    sizes = chain(AT_ONCE, repeat(AT_ONCE[-1]))
    return takewhile(lambda end: end < models, accumulate(sizes))


def _failures(report: PlanReport) -> int:
    return sum(verdict is not Verdict.PASS for verdict in report.verdicts.values())


def remember_failures(report: PlanReport, directory: Path) -> None:
    """Note below ``directory`` which models failed; of those that did not run now, what was noted before stays."""
    ran = {name: verdict is not Verdict.PASS for name, verdict in report.verdicts.items()}
    names = sorted(
        {*(failed_before(directory) - set(ran)), *(name for name, failed in ran.items() if failed)}
    )
    write_text(directory / _FILE, json.dumps({"failed": names}) + "\n")


def failed_before(directory: Path) -> set[str]:
    """Name the models that failed when they last ran below ``directory``; none if no run has noted that."""
    try:
        return failed_last(directory)
    except SpecError:
        return set()


def failed_last(directory: Path) -> set[str]:
    """Name the models that failed when they last ran below ``directory``.

    Raises SpecError if no run has noted that.
    """
    try:
        document: Any = json.loads(read_utf8(directory / _FILE, MOST_KEPT_BYTES))
        return {str(name) for name in document["failed"]}
    except (SpecError, ValueError, KeyError, TypeError):
        hint = "run once without --lf"
        raise SpecError("no earlier run says what failed", where=str(directory), hint=hint) from None
