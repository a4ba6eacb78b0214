"""Whether a run's properties are those whose strength was measured, and catch the mutants where they did then.

``pyharness weaken`` measures which weakenings of a property some mutant tells from it, and leaves a list: the digest of
each text, and for each mutant that a property catches how long the shortest trace is, on each graph, and in how many
states. A property that was changed since has no measure; one that is weaker catches less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.weakening.listed_equivalents import read_weakenings
from pyharness.weakening.plan_weakenings import PlanWeakenings
from pyharness.weakening.weakening_verdict import changed_kills, changed_texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.plan.plan import Plan
    from pyharness.run.table_rows import KillRow

__all__ = ["Pinned", "pinned_kills", "unlike_the_measure"]

Pinned = dict[str, dict[str, list[int]]]
"""By the model of a mutant and the property that catches it, numbers in the order of the graphs."""

_HINT = "`pyharness weaken --update` measures it"


def unlike_the_measure(plan: Plan, kills: Iterable[KillRow]) -> tuple[str, ...]:
    """Say what is not as it was measured, of a plan that is to check all claims and has the list beside its specs.

    Of a selection of a plan's models it is their kills. Raises SpecError if there is no list.
    """
    if plan.strength is None:
        return ()
    listing = read_weakenings(plan.strength)
    texts = []
    if plan.whole:
        maker = PlanWeakenings(plan)
        digests = {key: maker.digest(key) for key in maker.texts()}
        texts = [f"{change}: {_HINT}" for change in changed_texts(digests, listing)]
        names = {model.name for model in plan.models}
        texts += [
            f"{name} is pinned, and no model of the plan" for name in listing.kills if name not in names
        ]
    return (*texts, *changed_kills(*pinned_kills(plan, kills), listing))


def pinned_kills(plan: Plan, kills: Iterable[KillRow]) -> tuple[Pinned, Pinned]:
    """Return from the rows of a run what is pinned of its mutants: the lengths of traces, and the numbers of states.

    They are of properties of states and steps, and depend on no build of TLC.
    """
    maker = PlanWeakenings(plan)
    rows: dict[str, list[KillRow]] = {}
    for row in kills:
        rows.setdefault(row.model, []).append(row)
    lengths: Pinned = {}
    states: Pinned = {}
    for model in (model for model in plan.models if model.mutant):
        for name in (s.name for s in maker.subjects(model) if s.kind != "behaviour"):
            own = [row for row in rows.get(model.name, ()) if row.property == name]
            own.sort(key=lambda row: row.topology)
            if own:
                lengths.setdefault(model.name, {})[name] = [row.length for row in own]
            if any(row.states for row in own):
                states.setdefault(model.name, {})[name] = [row.states for row in own if row.states]
    return lengths, states
