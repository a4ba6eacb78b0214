"""Whether a run's properties are those whose strength was measured, and catch the mutants where they did then.

``pyharness weaken`` measures which weakenings of a property some mutant tells from it, and leaves a list: the digest of
each text, and for each mutant that a property catches how long the shortest trace is, on each graph, and in how many
states. A property that was changed since has no measure; one that is weaker catches less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.weakening.listed_equivalents import Listing, read_weakenings
from pyharness.weakening.plan_weakenings import PlanWeakenings
from pyharness.weakening.weakening_verdict import changed_kills, changed_texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.plan.plan import Plan
    from pyharness.run.table_rows import KillRow

__all__ = ["unlike_the_measure"]

_HINT = "`pyharness weaken --update` measures it"


def unlike_the_measure(plan: Plan, kills: Iterable[KillRow]) -> tuple[str, ...]:
    """Say what is not as it was measured, of a plan that is to check all claims and has the list beside its specs.

    Of a selection of a plan's models it is their kills. Raises SpecError if there is no list.
    """
    if plan.strength is None:
        return ()
    listing = read_weakenings(plan.strength)
    maker = PlanWeakenings(plan)
    texts = []
    if plan.whole:
        digests = {key: maker.digest(key) for key in maker.texts()}
        texts = [f"{change}: {_HINT}" for change in changed_texts(digests, listing)]
        names = {model.name for model in plan.models}
        texts += [
            f"{name} is pinned, and no model of the plan" for name in listing.kills if name not in names
        ]
    return (*texts, *_kills(plan, maker, kills, listing))


def _kills(plan: Plan, maker: PlanWeakenings, kills: Iterable[KillRow], listing: Listing) -> list[str]:
    """Compare the kills of properties of states and steps, which depend on no build of TLC."""
    rows: dict[str, list[KillRow]] = {}
    for row in kills:
        rows.setdefault(row.model, []).append(row)
    lengths: dict[str, dict[str, list[int]]] = {}
    states: dict[str, dict[str, list[int]]] = {}
    for model in plan.models:
        compared = {s.name for s in maker.subjects(model) if s.kind != "behaviour"} if model.mutant else ()
        for row in sorted(rows.get(model.name, ()), key=lambda row: row.topology):
            if row.property in compared:
                lengths.setdefault(model.name, {}).setdefault(row.property, []).append(row.length)
                if row.states:
                    states.setdefault(model.name, {}).setdefault(row.property, []).append(row.states)
    return changed_kills(lengths, states, listing)
