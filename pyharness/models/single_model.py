"""One model checked by itself, without Spark: a model of a plan, changed as it is asked for."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.base.errors import IncompleteError
from pyharness.models.known_defects import defects_of
from pyharness.models.model_meaning import FormulaSubjects
from pyharness.models.tlc_runs import asked_properties, run_model, violated_property
from pyharness.models.tlc_verdict import meaning
from pyharness.models.verdicts import Verdict
from pyharness.tla.modules.formula_facts import next_actions
from pyharness.tla.modules.source_excerpt import spec_error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Coverage, Progress, Result, Trace


@dataclass(frozen=True)
class CheckedModel:
    """What TLC found: the ``verdict``, the ``reason`` if it is no pass, the ``violated`` property if TLC tells it."""

    verdict: Verdict
    reason: str
    violated: str | None
    result: Result


def check_model(
    model: Model,
    library: Library,
    tools: Tools,
    progress: Callable[[Progress], None] | None = None,
    workers: int = 1,
) -> CheckedModel:
    """Run TLC on all topologies of a model at once, in a private directory, up to the first violation.

    ``progress`` is told how far TLC is, which searches with so many ``workers``.

    Raises ToolError when the machine is at fault: Java is missing, there is no space.
    """
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        work = Path(directory)
        result = run_model(
            model,
            library,
            tools,
            work,
            model.budget.seconds,
            topologies=model.topologies,
            progress=progress,
            workers=workers,
        )
        asked = asked_properties(work, model)
        until = time.monotonic() + model.budget.seconds
        violated = violated_property(model, library, tools, work, result, model.topologies, until)
    verdict, reason = _judge(model, library, result, asked, workers)
    return CheckedModel(verdict, reason, violated, result)


def _judge(
    model: Model, library: Library, result: Result, asked: Collection[str], workers: int
) -> tuple[Verdict, str]:
    """Return the verdict, and why it is no pass; a run that was cut off, or bounded, has not seen everything."""
    found = meaning(result)
    if found.verdict is Verdict.SPEC_ERROR:
        return found.verdict, str(spec_error(result.complaint, library, spec=model.spec, where=model.name))
    if found.verdict is not Verdict.PASS:
        return found.verdict, found.detail or found.cause
    if model.depth is not None and (result.depth is None or result.depth >= model.depth):
        return (
            Verdict.INCOMPLETE,
            f"no violation in the first {model.depth} states; nothing beyond was looked at",
        )
    unasked = [name for name in model.properties if name not in asked]
    if unasked:
        return Verdict.INCOMPLETE, f"TLC was not told to check {', '.join(unasked)}"
    defects = (each for name in model.modules for each in defects_of(library, name, result.tlc_version))
    if defect := next(defects, None):
        return Verdict.INCOMPLETE, defect
    subjects = FormulaSubjects(library, model.spec)
    if workers > 1 and any(subjects.has_liveness(name) for name in model.properties):
        return (
            Verdict.INCOMPLETE,
            "with several workers TLC may miss a violation of whole behaviours (tlaplus 971)",
        )
    if result.coverage is None and model.mutant is None:
        return Verdict.INCOMPLETE, "no coverage of actions"
    if result.coverage is not None:
        unchecked = [name for name in model.invariants if name not in result.coverage.properties]
        if unchecked:
            return Verdict.INCOMPLETE, f"TLC did not evaluate {', '.join(unchecked)}"
        idle = _idle(model, library, result.coverage)
        if idle:
            return (
                Verdict.INCOMPLETE,
                f"{', '.join(idle)} never taken: are these graphs that the spec is about?",
            )
    return Verdict.PASS, ""


def _idle(model: Model, library: Library, coverage: Coverage) -> list[str]:
    """Name the spec's actions that never taken, though the model does not say that they are silent."""
    fired = {name for name, count in coverage.actions.items() if count.total}
    return [
        name for name in next_actions(library, model.spec) if name not in fired and name not in model.silent
    ]


def shortest_counterexample(model: Model, library: Library, tools: Tools) -> Trace:
    """Run TLC on a model until the first property that is to catch it does, and return the counterexample.

    Breadth-first search makes it the shortest, but for a property of whole behaviours.

    Raises IncompleteError when the run does not come to one.
    """
    name = model.caught_by[0]
    alone = replace(
        model,
        invariants=tuple(n for n in model.invariants if n == name),
        properties=tuple(n for n in model.properties if n == name),
    )
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        result = run_model(
            alone, library, tools, Path(directory), model.budget.seconds, topologies=model.topologies
        )
    if meaning(result).verdict is not Verdict.VIOLATION or result.trace is None:
        raise IncompleteError(f"no counterexample: {result.outcome.value}", where=model.name)
    return result.trace
