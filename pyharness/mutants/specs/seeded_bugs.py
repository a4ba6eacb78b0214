"""Put each seeded bug of a plan into its spec, and ask the models that are to pass whether they notice.

The model of a bug shows that properties catch it, in a setting that may be its alone. A bug in the spec itself meets
models that are to pass: if none of them has such a setting, a run of the plan does not notice the bug. A model notices
by a violation, by states that are not as many or as deep as pinned, or because TLC cannot evaluate the spec. Python,
with which models are compared, is not asked.
"""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.models.job import cpu_seconds
from pyharness.models.text_run import budget_of, run_texts
from pyharness.models.tlc_runs import is_small
from pyharness.models.tlc_verdict import meaning
from pyharness.models.verdicts import Verdict as RunVerdict
from pyharness.mutants.trial import Trial, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.tla.modules.library import Library


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

    The cheapest is asked first. ``only`` is a part of ``Spec.Bug``. Raises what running TLC does.
    """
    passing = sorted((m for m in judges if m.expect == "pass"), key=lambda m: cpu_seconds(m, "check"))
    named = {f"{model.spec}.{model.mutant}": model for model in plan.models if model.mutant}

    def tried(bug: Model) -> Trial:
        progress(f"{bug.spec}.{bug.mutant}")
        return _trial(bug, [model for model in passing if model.spec == bug.spec], plan.library, tools)

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(tried, (named[name] for name in sorted(named) if only in name)))


def _trial(bug: Model, judges: Sequence[Model], library: Library, tools: Tools) -> Trial:
    trial = Trial(bug.spec, str(bug.mutant), Verdict.SURVIVES, why="no model of the spec is to pass")
    cut = []
    for model in judges:
        verdict, why = _ask(replace(model, mutant=bug.mutant), library, tools)
        if verdict is Verdict.NOTICED:
            return replace(trial, verdict=verdict, by=model.name, why=why)
        if verdict is Verdict.INCOMPLETE:
            cut.append(f"{model.name}: {why}")
    if cut:
        return replace(trial, verdict=Verdict.INCOMPLETE, why="; ".join(cut))
    return replace(trial, why=f"as without it in {', '.join(m.name for m in judges)}") if judges else trial


def _ask(model: Model, library: Library, tools: Tools) -> tuple[Verdict, str]:
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        rendered, work = model.render(library), Path(directory)
        result = run_texts(rendered, tools, work, **budget_of(model), quick_jvm=is_small(model))
    found, pins = meaning(result), model.pins
    if found.verdict in {RunVerdict.VIOLATION, RunVerdict.SPEC_ERROR}:
        return Verdict.NOTICED, found.cause
    if found.verdict is not RunVerdict.PASS:
        return Verdict.INCOMPLETE, found.reason
    counted = (result.distinct, result.depth)
    if pins and counted != (pins.distinct, pins.depth):
        return Verdict.NOTICED, "another number of states"
    return Verdict.SURVIVES, ""
