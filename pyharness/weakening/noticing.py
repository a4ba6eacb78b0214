"""Which weakenings of a plan's properties are noticed, by which models and how.

A weakening is noticed by the model of a mutant that

- escapes it, although the property catches it;
- violates it later than the property, on some graph: the lengths of kills are pinned;
- makes TLC stop, for the weakening cannot be evaluated where the property can.

A strengthening of what is expected to be violated is noticed by a model in which it is violated and the property is
not, or earlier.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyharness.weakening.plan_weakenings import PlanWeakenings
from pyharness.weakening.probe_module import Watched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyharness.plan.model import Model
    from pyharness.plan.plan import Plan
    from pyharness.weakening.model_probing import Probed, Probing
    from pyharness.weakening.plan_weakenings import Altered, Subject

__all__ = ["ESCAPES", "LATER", "NOT_EVALUATED", "Findings", "Weakened", "notice"]

ESCAPES = "escapes"
LATER = "at another length"
NOT_EVALUATED = "cannot be evaluated"


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

    A kill has the lengths of the shortest traces on the graphs on which there is one, by the graphs' names.
    """

    weakened: list[Weakened]
    kills: dict[str, dict[str, list[int]]]


def notice(
    plan: Plan,
    probing: Probing,
    *,
    only: str = "",
    workers: int = 1,
    say: Callable[[str], None] = lambda _: None,
) -> Findings:
    """Look for the weakenings of the plan's properties, or of those whose key contains ``only``.

    Raises what :class:`~pyharness.weakening.model_probing.Probing` does.
    """
    maker = PlanWeakenings(plan)
    found: dict[tuple[str, str, bool], Weakened] = {}
    kills: dict[str, dict[str, list[int]]] = {}
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
                    if probed is not None and (weakened := found.get((a.key, a.change, a.strengthens))):
                        _note(weakened, model, probed)
        _behaviours(tasks, found, probing, pool, say)
    return Findings(list(found.values()), kills)


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


def _behaviours(
    tasks: Iterable[tuple[Model, list[Watched]]],
    found: dict[tuple[str, str, bool], Weakened],
    probing: Probing,
    pool: ThreadPoolExecutor,
    say: Callable[[str], None],
) -> None:
    """Ask for each weakening of a property of behaviours one model after the other, until one notices it."""
    asked: dict[tuple[str, str, bool], list[tuple[Model, Subject, Altered]]] = {}
    for model, watched in tasks:
        for one in watched:
            if one.subject.kind == "behaviour":
                for a in (a for a in one.altered if (a.key, a.change, a.strengthens) in found):
                    asked.setdefault((a.key, a.change, a.strengthens), []).append((model, one.subject, a))

    def ask(key: tuple[str, str, bool]) -> None:
        say(": ".join(key[:2]))
        _one_of_behaviours(found[key], asked[key], probing)

    for _ in pool.map(ask, asked):
        pass


def _one_of_behaviours(
    weakened: Weakened, asked: Sequence[tuple[Model, Subject, Altered]], probing: Probing
) -> None:
    for model, subject, altered in asked:
        weakened.looked.add(model.name)
        if probing.behaviours(model, altered.formula) != probing.behaviours(model, subject.formula):
            weakened.differs.add(model.name)
            weakened.noticed[model.name] = ESCAPES
            return
