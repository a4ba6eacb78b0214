"""Check that the properties of a plan have their pinned texts, and catch the mutants as before.

In the list that ``pyharness mutate property`` keeps are pinned the digest of each text, and for each mutant that a property
catches the length of the shortest trace, on each graph, and the number of states that violate it; of another violation
that is expected it is the length. So a property cannot be made weaker unseen: its text is another one, and it catches less.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

from pyharness.gate.judge.pinned_lists import (
    changed_kills,
    changed_statements,
    changed_texts,
    never_strengthened,
    never_weakened,
    read_weakenings,
)
from pyharness.machines.systems.composition import implementation_of, known_properties
from pyharness.models.checked_texts import CheckedTexts
from pyharness.models.table_rows import KillRow
from pyharness.models.theorems import theorems_of
from pyharness.tla.modules.property_digests import PropertyDigests

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.table_rows import TraceRow


ASKED: Final = (
    "name",
    "invariants",
    "properties",
    "silent",
    "unreached",
    "reached",
    "fair",
    "stop",
    "depth",
    "overrides",
    "expect",
    "caught_by",
    "conform",
    "simulate",
)
"""The fields of a model on graphs that its counts do not show."""

Pinned = dict[str, dict[str, list[int]]]
"""By the model of a mutant and the property that catches it, numbers in the order of the graphs."""

_HINT = "`pyharness mutate property --only` measures its strength, `pyharness plan pins --update` pins it"


def not_as_pinned(plan: Plan, kills: Iterable[KillRow]) -> tuple[str, ...]:
    """Return in words what differs from its pins, in a plan that is to check all claims and has the list beside its specs.

    A selection of a plan's models is compared by its kills, a cover also by the texts of its plan. Raises SpecError
    without a list.
    """
    if plan.strength is None:
        return ()
    listing = read_weakenings(plan.strength)
    texts = []
    if full := plan.full:
        digests = digests_of(full)
        texts = [f"{change}: {_HINT}" for change in changed_texts(digests, listing)]
        texts += [f"{change}: {_HINT}" for change in changed_statements(stated_by(full), listing)]
        texts += [f"{text}: `pyharness mutate property` does" for text in never_weakened(digests, listing)]
        texts += never_strengthened(CheckedTexts(full.models, full.library).passing_digests(), listing)
        names = {model.name for model in full.models}
        texts += [
            f"{name} is pinned, and no model of the plan" for name in listing.kills if name not in names
        ]
    return (*texts, *changed_kills(*pinned_kills(plan, kills), listing))


def digests_of(plan: Plan) -> dict[str, str]:
    """Return the digests of all texts that a plan's verdicts depend on."""
    maker = CheckedTexts(plan.models, plan.library)
    return {key: maker.digest(key) for key in maker.texts()}


def stated_by(plan: Plan) -> dict[str, str]:
    """Return digests of the theorems of a plan's specs with their hypotheses, of what its models ask, and of Python's properties.

    A theorem that loses a hypothesis states more than is checked; a model that loses a property, or an action that must
    be taken, has the same counts; a property that Python does not have is compared with nothing.
    """
    digests = PropertyDigests(plan.library)
    found: dict[str, object] = {}
    for spec in dict.fromkeys(model.spec for model in plan.models):
        found[f"theorems of {spec}"] = [
            [theorem.text, *(digests.of_formula(spec, each.stated) for each in theorem.hypotheses)]
            for theorem in theorems_of(plan.library, spec).values()
        ]
        found[f"models of {spec}"] = [
            [getattr(model, key) for key in ASKED] for model in plan.models if model.spec == spec
        ]
        if protocol := implementation_of(spec):
            found[f"properties of {protocol} in Python"] = sorted(known_properties(protocol))
    return {
        key: hashlib.sha256(json.dumps(each, default=str).encode()).hexdigest()[:16]
        for key, each in sorted(found.items())
    }


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
    """Return from the rows of a run the pins of its mutants: the lengths of traces, and the numbers of states.

    They are of properties of states and steps, and depend on no build of TLC.
    """
    maker = CheckedTexts(plan.models, plan.library)
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
