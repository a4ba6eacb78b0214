"""Put each seeded bug of a plan into its spec, and ask the models that are to pass whether they notice.

The model of a bug shows that properties catch it in that model's setting. A bug in the spec itself meets the models
that are to pass: if none of them has such a setting, a run of the plan does not notice the bug. A model notices by a
violation, by states that are not as many or as deep as without the bug, or because TLC cannot evaluate the spec. A
model that does not pass without the bug decides nothing, nor does one in which TLC cannot read the bug. Python, with
which models are compared, is not asked.
"""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.models.job import cpu_seconds
from pyharness.models.text_run import budget_of, run_texts
from pyharness.models.tlc_runs import is_small
from pyharness.models.tlc_verdict import meaning
from pyharness.models.verdicts import Verdict as RunVerdict
from pyharness.mutants.trial import Trial, Verdict
from pyharness.tla.tlc import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Result

_SETTING: Final = ("application", "constants", "items", "granularity", "placement", "topologies", "fair")
"""The fields of a model that decide which states it has."""


def try_bugs(
    plan: Plan,
    judges: Sequence[Model],
    tools: Tools,
    *,
    only: str = "",
    workers: int = 1,
    progress: Callable[[str], object] = lambda _: None,
) -> list[Trial]:
    """Try each bug of a plan in those of the ``judges`` that are to pass and have its spec, until one notices.

    Asked first are those with most of the bug's own setting, of these the cheapest. ``only`` is a part of ``Spec.Bug``.
    Raises what running TLC does.
    """
    named = {f"{model.spec}.{model.mutant}": model for model in plan.models if model.mutant}

    @cache
    def without(name: str) -> Result:
        return _run(next(model for model in judges if model.name == name), plan.library, tools)

    def noticed(model: Model, bug: Model) -> tuple[Verdict, str]:
        before = without(model.name)
        if meaning(before).verdict is not RunVerdict.PASS:
            return Verdict.INCOMPLETE, f"without the bug: {meaning(before).reason}"
        return _compared(before, _run(replace(model, mutant=bug.mutant), plan.library, tools))

    def tried(bug: Model) -> Trial:
        progress(f"{bug.spec}.{bug.mutant}")
        passing = [model for model in judges if model.spec == bug.spec and model.expect == "pass"]
        passing.sort(key=lambda model: (_differing(model, bug), cpu_seconds(model, "check")))
        return _trial(bug, passing, noticed)

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(tried, (named[name] for name in sorted(named) if only in name)))


def _differing(model: Model, bug: Model) -> int:
    """Return in how many fields of its setting a model differs from a bug's own."""
    return sum(getattr(model, name) != getattr(bug, name) for name in _SETTING)


def _trial(
    bug: Model, judges: Sequence[Model], noticed: Callable[[Model, Model], tuple[Verdict, str]]
) -> Trial:
    trial = Trial(bug.spec, str(bug.mutant), Verdict.SURVIVES, why="no model of the spec is to pass")
    cut = []
    for model in judges:
        verdict, why = noticed(model, bug)
        if verdict is Verdict.NOTICED:
            return replace(trial, verdict=verdict, by=model.name, why=why)
        if verdict is Verdict.INCOMPLETE:
            cut.append(f"{model.name}: {why}")
    if cut:
        return replace(trial, verdict=Verdict.INCOMPLETE, why="; ".join(cut))
    return replace(trial, why=f"as without it in {', '.join(m.name for m in judges)}") if judges else trial


def _run(model: Model, library: Library, tools: Tools) -> Result:
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        rendered, work = model.render(library), Path(directory)
        return run_texts(rendered, tools, work, **budget_of(model), quick_jvm=is_small(model))


def _compared(before: Result, after: Result) -> tuple[Verdict, str]:
    found = meaning(after)
    if found.verdict is RunVerdict.VIOLATION or after.outcome is Outcome.EVALUATION_ERROR:
        return Verdict.NOTICED, found.cause
    if found.verdict is not RunVerdict.PASS:
        return Verdict.INCOMPLETE, found.reason
    if (after.distinct, after.depth) != (before.distinct, before.depth):
        return Verdict.NOTICED, "another number of states"
    return Verdict.SURVIVES, ""
