"""Which properties of a plan could say more: what is dropped from them, and no passing model tells.

A property that says more is refuted by the first passing model that violates it. The small models are asked first, and
each only for what those before it left.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyharness.weakening.plan_weakenings import PlanWeakenings
from pyharness.weakening.probe_module import Watched

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.plan.model import Model
    from pyharness.plan.plan import Plan
    from pyharness.weakening.model_probing import Probing


@dataclass
class Strengthened:
    """A property that says more: the ``key`` of its text, its ``change``, and the models that ``looked`` at it.

    ``refuted`` names the model that violates it, if one does.
    """

    key: str
    change: str
    refuted: str = ""
    looked: list[str] = field(default_factory=list)


def strengthen(
    plan: Plan,
    probing: Probing,
    *,
    only: str = "",
    workers: int = 1,
    say: Callable[[str], None] = lambda _: None,
) -> list[Strengthened]:
    """Look in the passing models for what would say more than the plan's properties whose key contains ``only``.

    Raises what :class:`~pyharness.weakening.model_probing.Probing` does.
    """
    maker = PlanWeakenings(plan)
    found: dict[tuple[str, str], Strengthened] = {}
    tasks: list[tuple[Model, list[Watched]]] = []
    for model in sorted((m for m in plan.models if m.expect == "pass"), key=_size):
        watched = [
            Watched(subject, altered, everywhere=True)
            for subject in maker.subjects(model)
            if only in subject.key and (altered := maker.bolder(subject))
        ]
        for each in (altered for one in watched for altered in one.altered):
            found.setdefault((each.key, each.change), Strengthened(each.key, each.change))
        tasks += [(model, watched)] if watched else []

    def ask(task: tuple[Model, list[Watched]]) -> None:
        model, watched = task
        left = [w for one in watched if (w := _left(one, found)).altered]
        if left:
            say(model.name)
            _ask(model, left, probing, found)

    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(ask, tasks):
            pass
    return list(found.values())


def _size(model: Model) -> int:
    return model.pins.distinct if model.pins else 0


def _left(one: Watched, found: dict[tuple[str, str], Strengthened]) -> Watched:
    kept = [each for each in one.altered if not found[each.key, each.change].refuted]
    return Watched(one.subject, kept, everywhere=True)


def _ask(
    model: Model, watched: Sequence[Watched], probing: Probing, found: dict[tuple[str, str], Strengthened]
) -> None:
    answers = probing.probe(model, watched)
    for one in watched:
        for index, each in enumerate(one.altered):
            if one.subject.kind == "behaviour":
                violated = probing.behaviours(model, each.formula)
            else:
                probed = answers[one.subject.name, index]
                violated = bool(probed.violated) or probed.error
            entry = found[each.key, each.change]
            entry.looked.append(model.name)
            if violated:
                entry.refuted = model.name
