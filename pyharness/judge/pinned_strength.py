"""Whether a run's properties are those that are pinned, and catch the mutants where they did.

Pinned are, in the list that ``pyharness weaken`` keeps, the digest of each text, and for each mutant that a property
catches how long the shortest trace is, on each graph, and in how many states; of another violation that is expected it
is the length. So a property cannot be made weaker unseen: its text is another one, and what it catches is less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.run.table_rows import KillRow
from pyharness.weakening.plan_weakenings import PlanWeakenings
from pyharness.weakening.strengthening import FILE, never_strengthened, read_strengthenings
from pyharness.weakening.weakening_verdict import (
    changed_kills,
    changed_texts,
    never_weakened,
    read_weakenings,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.plan.plan import Plan
    from pyharness.run.table_rows import TraceRow

Pinned = dict[str, dict[str, list[int]]]
"""By the model of a mutant and the property that catches it, numbers in the order of the graphs."""

_HINT = "`pyharness weaken --only` tells what it is worth, `pyharness pins --update` pins it"


def not_as_pinned(plan: Plan, kills: Iterable[KillRow]) -> tuple[str, ...]:
    """Say what is not as it is pinned, of a plan that is to check all claims and has the list beside its specs.

    Of a selection of a plan's models it is their kills. Raises SpecError if there is no list.
    """
    if plan.strength is None:
        return ()
    listing = read_weakenings(plan.strength)
    texts = []
    if plan.whole:
        digests = digests_of(plan)
        texts = [f"{change}: {_HINT}" for change in changed_texts(digests, listing)]
        texts += [f"{text}: `make weaken` does" for text in never_weakened(digests, listing)]
        bolder = read_strengthenings(plan.strength.with_name(FILE))
        texts += never_strengthened(PlanWeakenings(plan).passing_digests(), bolder)
        names = {model.name for model in plan.models}
        texts += [
            f"{name} is pinned, and no model of the plan" for name in listing.kills if name not in names
        ]
    return (*texts, *changed_kills(*pinned_kills(plan, kills), listing))


def digests_of(plan: Plan) -> dict[str, str]:
    """Return the digests of all texts that a plan's verdicts rest on."""
    maker = PlanWeakenings(plan)
    return {key: maker.digest(key) for key in maker.texts()}


def violations(plan: Plan, traces: Iterable[TraceRow]) -> list[KillRow]:
    """Return the violations that a plan expects without a mutant, as rows of what a property catches.

    TLC reports the first one, on one graph, and counts no states.
    """
    expected = {m.name: m for m in plan.models if m.expect == "violation" and m.mutant is None}
    return [
        KillRow(
            job=row.job,
            model=row.model,
            spec=expected[row.model].spec,
            mutant="",
            property=row.violated,
            topology=row.topology,
            processes=None,
            channels=None,
            length=row.length,
            states=None,
        )
        for row in traces
        if row.model in expected and row.violated
    ]


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
    for model in (model for model in plan.models if model.expect == "violation"):
        for name in (s.name for s in maker.subjects(model) if s.kind != "behaviour"):
            own = [row for row in rows.get(model.name, ()) if row.property == name]
            own.sort(key=lambda row: row.topology)
            if own:
                lengths.setdefault(model.name, {})[name] = [row.length for row in own]
            if any(row.states for row in own):
                states.setdefault(model.name, {})[name] = [row.states for row in own if row.states]
    return lengths, states
