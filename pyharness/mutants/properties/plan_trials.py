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
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError
from pyharness.mutants.properties.plan_changes import PlanChanges
from pyharness.mutants.properties.watching import ESCAPES, NOT_EVALUATED
from pyharness.mutants.trial import Trial, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.checked_texts import Subject
    from pyharness.models.model import Model
    from pyharness.mutants.properties.model_runs import ModelRuns, Shown
    from pyharness.mutants.properties.watching import Changed, PropertyChange

LATER: Final = "at another length"
FEWER_STATES: Final = "in fewer states"
REFUTES: Final = "violates it"
_STRONG: Final = "WF -> SF"
_TAUTOLOGY: Final = "Temporal formula is a tautology"


@dataclass
class _Asked:
    """A change that is asked for: the models that ``looked``, those in which it ``differs``, and which notices it how."""

    key: str
    change: str
    looked: set[str] = field(default_factory=set)
    differs: set[str] = field(default_factory=set)
    by: str = ""
    how: str = ""

    def notice(self, model: Model, how: str) -> None:
        self.differs.add(model.name)
        self.by, self.how = model.name, how

    def trial(self) -> Trial:
        if self.by:
            return Trial(self.key, self.change, Verdict.NOTICED, self.by, self.how)
        elsewhere = min(self.differs, default="")
        why = f"in none of {len(self.looked)} models it differs from the property"
        if elsewhere:
            why = f"it differs in {elsewhere}, where no kill tells"
        elif not self.looked:
            why = "no model looks for it"
        return Trial(self.key, self.change, Verdict.SURVIVES, why=why, elsewhere=elsewhere)


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
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._plan, self._runs, self._only, self._say = plan, runs, only, say
        self._maker = PlanChanges(plan)
        self._pool = ThreadPoolExecutor(workers)
        self._asked: dict[tuple[str, str, bool], _Asked] = {}

    def weaker(self) -> list[Trial]:
        """Try the weakenings in the models of mutants, and what says more where a violation is expected without one."""
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
        with self._pool:
            self._ask(tasks)
            self._of_fairness()
        return [each.trial() for each in self._asked.values()]

    def bolder(self) -> list[Trial]:
        """Try properties without a premise, or an exemption, in the models that pass."""
        passing = [model for model in self._plan.models if model.expect == "pass"]
        with self._pool:
            self._ask(
                [(m, self._maker.bolder(subject)) for m in passing for subject in self._maker.subjects(m)]
            )
        return [each.trial() for each in self._asked.values()]

    def _ask(self, tasks: list[tuple[Model, Changed]]) -> None:
        tasks = [
            (model, one) for model, one in sorted(tasks, key=_size) if self._open(one, anew=True).changes
        ]
        by_model: dict[str, tuple[Model, list[Changed]]] = {}
        by_key: dict[str, list[tuple[Model, Changed]]] = {}
        for model, one in tasks:
            if one.kind == "behaviour":
                by_key.setdefault(one.key, []).append((model, one))
            else:
                by_model.setdefault(model.name, (model, []))[1].append(one)
        for _ in self._pool.map(self._watch, by_model.values()):
            pass
        for _ in self._pool.map(self._follow, by_key.values()):
            pass

    def _open(self, one: Changed, *, anew: bool = False) -> Changed:
        """Return a property with those changes that nothing has noticed."""
        found = []
        for change in one.changes:
            name = (change.key, change.change, one.everywhere)
            if anew and self._only in change.key:
                self._asked.setdefault(name, _Asked(change.key, change.change))
            if name in self._asked and not self._asked[name].by:
                found.append(change)
        return replace(one, changes=tuple(found))

    def _of(self, one: Changed, change: PropertyChange) -> _Asked:
        return self._asked[change.key, change.change, one.everywhere]

    def _watch(self, task: tuple[Model, list[Changed]]) -> None:
        """Ask one model for the changes of its properties of states and steps."""
        model, changed = task
        left = [opened for one in changed if (opened := self._open(one)).changes]
        if not left:
            return
        self._say(model.name)
        answers = self._runs.watch(model, left)
        for one in left:
            for index, change in enumerate(one.changes):
                _note(self._of(one, change), model, one, answers[one.name, index])

    def _follow(self, tasks: list[tuple[Model, Changed]]) -> None:
        """Ask for the changes of a property of behaviours one model after the other, until one notices it.

        Where a behaviour violates all weakenings at once, which is one question, the model tells none from the property.
        """
        for model, one in tasks:
            waiting = self._open(one).changes
            if not waiting:
                return
            self._say(f"{model.name}: {one.key}")
            violated = model.expect != "pass" and self._violates(model, one.formula)
            for change in waiting:
                self._of(one, change).looked.add(model.name)
            if violated and not one.everywhere and len(waiting) > 1:
                any_of_them = " \\/ ".join(f"({each.formula})" for each in waiting)
                if self._violates(model, any_of_them):
                    continue
            for change in waiting:
                if self._violates(model, change.formula) != violated:
                    self._of(one, change).notice(model, ESCAPES if violated else REFUTES)

    def _violates(self, model: Model, formula: str) -> bool:
        """Tell whether a model violates a property of behaviours; none does what TLC says is a tautology."""
        try:
            return self._runs.violates(model, formula)
        except IncompleteError as error:
            if _TAUTOLOGY in str(error):
                return False
            raise

    def _of_fairness(self) -> None:
        """Ask whether a spec could be fair to less, in the models that pass, or to more, in those that do not."""
        questions: dict[tuple[str, str, bool], list[tuple[Model, Subject, str]]] = {}
        for model in (m for m in self._plan.models if m.fair and self._only in self._maker.fairness(m)):
            passes = model.expect == "pass"
            strong = [(_STRONG, self._maker.strongly_fair(model))]
            for change, fairness in self._maker.less_fair(model) if passes else strong:
                name = (self._maker.fairness(model), change, passes)
                self._asked.setdefault(name, _Asked(*name[:2]))
                questions.setdefault(name, []).extend(
                    (model, subject, fairness)
                    for subject in self._maker.subjects(model)
                    if subject.kind == "behaviour" and (passes or subject.name in model.caught_by)
                )

        def ask(name: tuple[str, str, bool]) -> None:
            self._say(": ".join(name[:2]))
            asked = self._asked[name]
            for model, subject, fairness in questions[name]:
                asked.looked.add(model.name)
                if self._runs.violates(model, subject.name, fairness) != self._runs.violates(
                    model, subject.name
                ):
                    return asked.notice(model, ESCAPES)
            return None

        for _ in self._pool.map(ask, questions):
            pass


def _size(task: tuple[Model, Changed]) -> int:
    pins = task[0].pins
    return pins.distinct if pins else 0


def _note(asked: _Asked, model: Model, one: Changed, shown: Shown) -> None:
    asked.looked.add(model.name)
    if shown.error:
        asked.notice(model, NOT_EVALUATED)
    elif shown.differs:
        asked.differs.add(model.name)
        if one.everywhere:
            if shown.violated != shown.original:
                asked.notice(model, LATER if shown.original else REFUTES)
        elif not shown.violated:
            asked.notice(model, ESCAPES)
        elif shown.violated != shown.original:
            asked.notice(model, LATER)
        elif shown.followed:
            asked.notice(model, FEWER_STATES)
