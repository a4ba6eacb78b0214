"""Which weakenings of a plan's properties are noticed, by which models and how.

A weakening is noticed by the model of a mutant that

- escapes it, although the property catches it;
- violates it later than the property, on some graph: the lengths of kills are pinned;
- violates it in fewer of the states that are followed: their number is pinned, too;
- makes TLC stop, for the weakening cannot be evaluated where the property can.

A strengthening of what is expected to be violated is noticed by a model in which it is violated and the property is
not, or earlier. Strong fairness for weak is noticed by a model that then violates nothing any more; and that a spec
need not be fair to something, by a model that passes although it is not.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyharness.base.errors import IncompleteError
from pyharness.mutants.weakening.model_probing import Watched
from pyharness.mutants.weakening.plan_weakenings import PlanWeakenings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.checked_texts import Subject
    from pyharness.models.model import Model
    from pyharness.mutants.weakening.model_probing import Probed, Probing
    from pyharness.mutants.weakening.plan_weakenings import Altered

ESCAPES = "escapes"
LATER = "at another length"
FEWER_STATES = "in fewer states"
NOT_EVALUATED = "cannot be evaluated"
_STRONG = "WF -> SF"
_TAUTOLOGY = "Temporal formula is a tautology"


@dataclass
class Weakened:
    """A weakening: the ``key`` of its text, its ``change``, and what the models showed of it.

    ``noticed`` has by model how; ``differs`` has the models in which it is not the same as the property in some state
    or step, and ``looked`` all models that could have told.
    """

    key: str
    change: str
    strengthens: bool = False
    noticed: dict[str, str] = field(default_factory=dict)
    differs: set[str] = field(default_factory=set)
    looked: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Findings:
    """All weakenings, and the ``kills`` by the model of a mutant and the property that catches it.

    A kill has the lengths of the shortest traces on the graphs on which there is one, by the graphs' names; ``states``
    has the numbers of states that are followed and violate it, on the graphs on which there are some.
    """

    weakened: list[Weakened]
    kills: dict[str, dict[str, list[int]]]
    states: dict[str, dict[str, list[int]]] = field(default_factory=dict)


def notice(
    plan: Plan,
    probing: Probing,
    *,
    only: str = "",
    workers: int = 1,
    say: Callable[[str], None] = lambda _: None,
) -> Findings:
    """Look for the weakenings of the plan's properties, or of those whose key contains ``only``.

    Raises what :class:`~pyharness.mutants.weakening.model_probing.Probing` does.
    """
    maker = PlanWeakenings(plan)
    found: dict[tuple[str, str, bool], Weakened] = {}
    kills: dict[str, dict[str, list[int]]] = {}
    states: dict[str, dict[str, list[int]]] = {}
    tasks = []
    for model, watched in _tasks(plan, maker):
        meant = [a for one in watched for a in one.altered if only in a.key]
        for a in meant:
            found.setdefault((a.key, a.change, a.strengthens), Weakened(a.key, a.change, a.strengthens))
        if meant:
            tasks.append((model, watched))

    def ask(task: tuple[Model, list[Watched]]) -> tuple[Model, list[Watched], dict[tuple[str, int], Probed]]:
        say(task[0].name)
        return *task, probing.probe(*task)

    with ThreadPoolExecutor(workers) as pool:
        for model, watched, answers in pool.map(ask, tasks):
            for one in watched:
                for index, a in enumerate(one.altered):
                    probed = answers.get((one.subject.name, index))
                    if probed is not None and model.mutant is not None and probed.original:
                        lengths = [probed.original[graph] for graph in sorted(probed.original)]
                        kills.setdefault(model.name, {})[one.subject.name] = lengths
                        if probed.states:
                            numbers = [probed.states[graph] for graph in sorted(probed.states)]
                            states.setdefault(model.name, {})[one.subject.name] = numbers
                    if probed is not None and (weakened := found.get((a.key, a.change, a.strengthens))):
                        _note(weakened, model, probed)
        _behaviours(tasks, found, probing, pool, say)
        _fairness(plan, maker, found, only, probing, pool, say)
    return Findings(list(found.values()), kills, states)


def _tasks(plan: Plan, maker: PlanWeakenings) -> list[tuple[Model, list[Watched]]]:
    """Return what to look for in which models."""
    refuted = {
        subject.key
        for model in plan.models
        if model.expect == "violation" and model.mutant is None
        for subject in maker.subjects(model)
        if subject.name in model.caught_by
    }
    tasks = []
    for model in plan.models:
        strengthen = model.mutant is None
        watched = []
        for subject in maker.subjects(model):
            if strengthen and subject.key not in refuted:
                continue
            if altered := maker.altered(model, subject, strengthen=strengthen):
                watched.append(Watched(subject, altered, everywhere=strengthen))
        if watched:
            tasks.append((model, watched))
    return tasks


def _note(weakened: Weakened, model: Model, probed: Probed) -> None:
    weakened.looked.add(model.name)
    if probed.error:
        weakened.noticed[model.name] = NOT_EVALUATED
    elif probed.differs:
        weakened.differs.add(model.name)
        if weakened.strengthens:
            if probed.violated != probed.original:
                weakened.noticed[model.name] = LATER if probed.original else ESCAPES
        elif not probed.violated:
            weakened.noticed[model.name] = ESCAPES
        elif probed.violated != probed.original:
            weakened.noticed[model.name] = LATER
        elif probed.fewer:
            weakened.noticed[model.name] = FEWER_STATES


def _behaviours(
    tasks: Iterable[tuple[Model, list[Watched]]],
    found: dict[tuple[str, str, bool], Weakened],
    probing: Probing,
    pool: ThreadPoolExecutor,
    say: Callable[[str], None],
) -> None:
    """Ask for each weakening of a property of behaviours one model after the other, until one notices it."""
    asked: dict[str, list[tuple[Model, Watched]]] = {}
    for model, watched in tasks:
        for one in watched:
            if one.subject.kind == "behaviour":
                asked.setdefault(one.subject.key, []).append((model, one))

    def ask(key: str) -> None:
        for model, one in asked[key]:
            say(f"{model.name}: {key}")
            waiting = [a for a in one.altered if (a.key, a.change, a.strengthens) in found]
            waiting = [a for a in waiting if not found[a.key, a.change, a.strengthens].noticed]
            _of_behaviours(model, one.subject, waiting, found, probing)

    for _ in pool.map(ask, asked):
        pass


def _of_behaviours(
    model: Model,
    subject: Subject,
    waiting: Sequence[Altered],
    found: dict[tuple[str, str, bool], Weakened],
    probing: Probing,
) -> None:
    """Ask a model for the weakenings of a property of behaviours.

    Where a behaviour violates all of them at once, which is one question, the model tells none from the property.
    """
    if not waiting:
        return
    violated = _violates(probing, model, subject.formula)
    for a in waiting:
        found[a.key, a.change, a.strengthens].looked.add(model.name)
    if violated and not waiting[0].strengthens and len(waiting) > 1:
        any_of_them = " \\/ ".join(f"({a.formula})" for a in waiting)
        if _violates(probing, model, any_of_them):
            return
    for a in waiting:
        if _violates(probing, model, a.formula) != violated:
            weakened = found[a.key, a.change, a.strengthens]
            weakened.differs.add(model.name)
            weakened.noticed[model.name] = ESCAPES


def _violates(probing: Probing, model: Model, formula: str) -> bool:
    """Tell whether a model violates a property of behaviours; what TLC says is a tautology none does."""
    try:
        return probing.behaviours(model, formula)
    except IncompleteError as error:
        if _TAUTOLOGY in str(error):
            return False
        raise


def _fairness(
    plan: Plan,
    maker: PlanWeakenings,
    found: dict[tuple[str, str, bool], Weakened],
    only: str,
    probing: Probing,
    pool: ThreadPoolExecutor,
    say: Callable[[str], None],
) -> None:
    """Ask whether what the specs are fair to could be less, in the models that pass, or more, in those that do not."""
    asked: dict[tuple[str, str, bool], list[tuple[Model, Subject, str]]] = {}
    for model in (model for model in plan.models if model.fair and only in maker.fairness(model)):
        passes = model.expect == "pass"
        changes = maker.less_fair(model) if passes else [(_STRONG, maker.strongly_fair(model))]
        for change, fairness in changes:
            name = (maker.fairness(model), change, passes)
            found.setdefault(name, Weakened(*name))
            asked.setdefault(name, []).extend(
                (model, subject, fairness)
                for subject in maker.subjects(model)
                if subject.kind == "behaviour" and (passes or subject.name in model.caught_by)
            )

    def ask(name: tuple[str, str, bool]) -> None:
        say(": ".join(name[:2]))
        for model, subject, fairness in asked[name]:
            found[name].looked.add(model.name)
            if probing.behaviours(model, subject.formula, fairness) != probing.behaviours(
                model, subject.formula
            ):
                found[name].differs.add(model.name)
                found[name].noticed[model.name] = ESCAPES
                return

    for _ in pool.map(ask, asked):
        pass
