"""What a bound hides: the models of a plan with one bound raised, and how what they come to differs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyharness.machines.systems import APPLICATIONS
from pyharness.models.tlc_runs import passed_states
from pyharness.models.tlc_verdict import meaning_of_row
from pyharness.models.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.gate.judge.plan_report import ModelReport
    from pyharness.gate.plans.plan import Plan
    from pyharness.models.model import Model


@dataclass(frozen=True)
class Raised:
    """A model with one bound raised: which, from what, to what."""

    original: Model
    model: Model
    bound: str
    before: int
    after: int


def raise_bounds(plan: Plan) -> tuple[Raised, ...]:
    """Raise each bound of each model by one: the items, the depth, and the spec's own constants such as MaxSends.

    What an application has in the place of items, such as the records of a dataflow, is raised instead of them.

    Mutants' runs end sooner with a bound on the depth, so that is raised for them alone.
    """
    return tuple(raised for model in plan.models for raised in _raised(model))


def _raised(model: Model) -> Iterator[Raised]:
    def raised(bound: str, before: int, **change: object) -> Raised:
        named = replace(
            model, name=f"{model.name}-{bound.lower()}-{before + 1}", pins=None, simulate=None, explore=False,
            conform=False, **change,  # type: ignore[arg-type]
        )  # fmt: skip
        return Raised(model, named, bound, before, before + 1)

    if model.depth is not None:
        yield raised("depth", model.depth, depth=model.depth + 1)
    elif APPLICATIONS[model.application].items:
        yield raised("items", model.items, items=model.items + 1)
    own = {} if APPLICATIONS[model.application].items else APPLICATIONS[model.application].constants
    for name, value in {**own, **model.constants}.items():
        if (name.startswith("Max") or name in own) and isinstance(value, int):
            yield raised(name, value, constants={**model.constants, name: value + 1})


def what_changed(raised: Raised, report: ModelReport) -> tuple[str, str]:
    """Say what the raised bound shows: ``same``, ``changed`` or ``unfinished``, and the difference in words.

    Only a run that came to its own end shows what it did not find: one that TLC broke off in the middle of a state, or
    did not begin, has ended too.
    """
    evidence = report.evidence
    checks = [run for run in evidence.runs if run.kind == "check"]
    meanings = [meaning_of_row(run) for run in checks]
    if not checks or evidence.failures or not all(found.whole for found in meanings):
        return "unfinished", report.reasons[0] if report.reasons else "no run of TLC"
    violated = {row.violated for row in evidence.traces if row.kind == "counterexample"}
    violated |= {row.property for row in evidence.kills}  # TLC traces one violation of a state, and no more
    violated = violated or {found.cause for found in meanings if found.verdict is Verdict.VIOLATION}
    expected = set(raised.original.caught_by)
    more, less = sorted(map(str, violated - expected)), sorted(expected - violated)
    if more or less:
        words = [f"also violated: {', '.join(more)}"] if more else []
        words += [f"no longer violated: {', '.join(less)}"] if less else []
        return "changed", "; ".join(words)
    measured = passed_states(checks)
    return "same", f"{measured[0] if measured else checks[-1].distinct or 0:,} states"
