"""Which properties of a plan could say more, and the committed result: why they do not, with each property's digest.

A property that says more is refuted by the first passing model that violates it. The small models are asked first, and
each only for what those before it left.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyharness.gate.judge.pinned_lists import STRENGTHENINGS_FORMAT
from pyharness.mutants.weakening.model_probing import Watched
from pyharness.mutants.weakening.plan_weakenings import PlanWeakenings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.gate.judge.pinned_lists import StrengtheningListing
    from pyharness.gate.plans.plan import Plan
    from pyharness.models.model import Model
    from pyharness.mutants.weakening.model_probing import Probing


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

    Raises what :class:`~pyharness.mutants.weakening.model_probing.Probing` does.
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


def strengthening_document(
    found: Sequence[Strengthened], listing: StrengtheningListing, *, whole: bool = True
) -> dict[str, Any]:
    """Return the document that the command prints.

    ``unlisted`` has what holds in all models and is not listed, and ``problems`` say what else is wrong with the list.
    Of a part that is not ``whole``, what is listed and was not looked for is no problem.
    """
    holds = [one for one in found if not one.refuted]
    refuted = {(one.key, one.change): one.refuted for one in found if one.refuted}
    known = {(one.key, one.change) for one in found}
    return {
        "format": STRENGTHENINGS_FORMAT,
        "strengthenings": len(found),
        "refuted": len(refuted),
        "listed": [
            {"property": one.key, "strengthening": one.change, "reason": listing.reasons[one.key, one.change]}
            for one in holds
            if (one.key, one.change) in listing.reasons
        ],
        "unlisted": [
            {"property": one.key, "strengthening": one.change, "models": len(one.looked)}
            for one in holds
            if (one.key, one.change) not in listing.reasons
        ],
        "problems": [
            f"listed, and {name} refutes it: {': '.join(pair)}"
            for pair in listing.reasons
            if (name := refuted.get(pair))
        ]
        + [
            f"listed, and no strengthening: {': '.join(pair)}"
            for pair in listing.reasons
            if whole and pair not in known
        ],
    }
