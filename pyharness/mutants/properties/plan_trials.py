"""Trials of weaker properties, and of stronger ones, in the models of a plan.

A weakening is noticed by the model of a seeded bug that

- escapes it, although the property catches it;
- violates it later than the property, on some graph: the lengths of kills are pinned;
- violates it in fewer of the states that are followed: their number is pinned, too;
- makes TLC stop, for the weakening cannot be evaluated where the property can.

A stronger property is noticed by a model that violates it and not the property, or earlier: by a passing model, of one
without a premise or an exemption. Strong fairness for weak is noticed by a model that then violates nothing any more;
and that a spec need not be fair to something, by a model that passes although it is not.

Small models are asked first, and each only for what those before it left.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError
from pyharness.mutants.properties.asked_change import ESCAPES, REFUTES, AskedChange
from pyharness.mutants.properties.model_runs import NotThroughError, require_alone
from pyharness.mutants.properties.plan_changes import PlanChanges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.model import Model
    from pyharness.mutants.properties.model_runs import ModelRuns
    from pyharness.mutants.properties.watching import Changed, PropertyChange
    from pyharness.mutants.trial import Trial

_TAUTOLOGY: Final = "Temporal formula is a tautology"


class PlanTrials:
    """Tries changes of the properties of a plan, or of those whose key contains ``only``, in the plan's models.

    Trying raises what :class:`~pyharness.mutants.properties.model_runs.ModelRuns` does.
    """

    def __init__(
        self,
        plan: Plan,
        runs: ModelRuns,
        *,
        only: str = "",
        workers: int = 1,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._plan, self._runs, self._only, self._progress = plan, runs, only, progress
        self._maker = PlanChanges(plan)
        self._pool = ThreadPoolExecutor(workers)
        self._asked: dict[tuple[str, str, bool], AskedChange] = {}

    def weaker(self) -> list[Trial]:
        """Try the weakenings in the models of mutants, and stronger properties where a violation is expected without one."""
        refuted = {
            subject.key
            for model in self._plan.models
            if model.expect == "violation" and model.mutant is None
            for subject in self._maker.subjects(model)
            if subject.name in model.caught_by
        }
        tasks = [
            (model, self._maker.weaker(model, subject, strengthen=model.mutant is None))
            for model in self._plan.models
            for subject in self._maker.subjects(model)
            if model.mutant is not None or subject.key in refuted
        ]
        tasks += [
            (model, self._maker.fairer(model, subject))
            for model in self._plan.models
            for subject in self._maker.subjects(model)
            if model.fair and subject.kind == "behaviour"
        ]
        return self._ask(tasks)

    def bolder(self) -> list[Trial]:
        """Try properties without a premise, or an exemption, in the models that pass."""
        passing = [model for model in self._plan.models if model.expect == "pass"]
        return self._ask([(m, self._maker.bolder(one)) for m in passing for one in self._maker.subjects(m)])

    def _ask(self, tasks: list[tuple[Model, Changed]]) -> list[Trial]:
        """Ask models for changes; for weaker ones those alone that are caught by the property."""
        by_model: dict[str, tuple[Model, list[Changed]]] = {}
        by_key: dict[str, list[tuple[Model, Changed]]] = {}
        for model, one in sorted(tasks, key=_size):
            if not self._open(one, anew=True).changes or not (one.everywhere or one.name in model.caught_by):
                continue
            if one.kind == "behaviour":
                by_key.setdefault(one.key, []).append((model, one))
            else:
                by_model.setdefault(model.name, (model, []))[1].append(one)
        with self._pool:
            list(self._pool.map(self._watch, by_model.values()))
            list(self._pool.map(self._follow, by_key.values()))
        return [each.trial() for each in self._asked.values()]

    def _open(self, one: Changed, *, anew: bool = False) -> Changed:
        """Return a property with those changes that nothing has noticed."""
        found = []
        for change in one.changes:
            name = (change.key, change.change, one.everywhere)
            if anew and self._only in change.key:
                self._asked.setdefault(name, AskedChange(change.key, change.change))
            if name in self._asked and not self._asked[name].by:
                found.append(change)
        return replace(one, changes=tuple(found))

    def _of(self, one: Changed, change: PropertyChange) -> AskedChange:
        return self._asked[change.key, change.change, one.everywhere]

    def _watch(self, task: tuple[Model, list[Changed]]) -> None:
        """Ask one model for the changes of its properties of states and steps."""
        model, changed = task
        left = [opened for one in changed if (opened := self._open(one)).changes]
        if not left:
            return
        self._progress(model.name)
        with _asking(model, [self._of(one, change) for one in left for change in one.changes]):
            answers = self._runs.watch(model, left)
            for one in left:
                for index, change in enumerate(one.changes):
                    shown = answers[one.name, index]
                    self._of(one, change).note(model.name, shown, everywhere=one.everywhere)

    def _follow(self, tasks: list[tuple[Model, Changed]]) -> None:
        """Ask for the changes of a property of behaviours one model after the other, until one notices it."""
        for model, one in tasks:
            if waiting := self._open(one).changes:
                self._progress(f"{model.name}: {one.key}")
                with _asking(model, [self._of(one, change) for change in waiting]):
                    self._follow_in(model, one, waiting)

    def _follow_in(self, model: Model, one: Changed, waiting: Sequence[PropertyChange]) -> None:
        """Ask one model for changes of a property of behaviours.

        Where a behaviour violates all weakenings at once, which is one question, the model notices none.
        """
        violated = model.expect != "pass" and self._violates(model, one.formula)
        require_alone(model, one.name, violated=violated)
        for change in waiting:
            self._of(one, change).looked.add(model.name)
        weaker = [change.formula for change in waiting if not one.everywhere and not change.fairness]
        if len(weaker) > 1 and self._violates(model, " \\/ ".join(f"({formula})" for formula in weaker)):
            return
        for change in waiting:
            asked = self._of(one, change)
            with _asking(model, [asked]):
                if self._violates(model, change.formula, change.fairness) != violated:
                    asked.notice(model.name, ESCAPES if violated else REFUTES)

    def _violates(self, model: Model, formula: str, fairness: str = "") -> bool:
        """Return whether a model violates a temporal property; none violates what TLC calls a tautology."""
        try:
            return self._runs.violates(model, formula, fairness)
        except IncompleteError as error:
            if _TAUTOLOGY in str(error):
                return False
            raise


def _size(task: tuple[Model, Changed]) -> int:
    pins = task[0].pins
    return pins.distinct if pins else 0


@contextmanager
def _asking(model: Model, asked: Iterable[AskedChange]) -> Iterator[None]:
    """Where TLC does not finish a model, the changes that are asked there are not decided."""
    try:
        yield
    except NotThroughError as error:
        for each in asked:
            each.open[model.name] = f"it was not run to its end: {error.message}"
