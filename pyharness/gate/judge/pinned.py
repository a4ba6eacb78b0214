"""Whether a plan asks for all that it is pinned to ask for, and its properties catch the mutants where they did.

Without the first, a check could be taken out of a plan unseen. Pinned are digests: of each model but for what is
measured of it, of each claim, of each worked example, of the budget, of the least numbers, of each theorem and of what
its hypotheses rest on, of each tuple of variables, without a change of which a step satisfies every ``[][A]_vars``, of
the modules and configurations that are rendered for TLC, in which a property could be another one than in the specs,
and of the names of the properties that Python has of a spec too: where it has none, nothing is held against TLC's. They
stand in a file beside the claims, which names its plan, and ``pyharness pins --update`` writes it.

Of properties are pinned, in the list that ``pyharness weaken`` keeps, the digest of each text, and for each mutant that
one catches how long the shortest trace is, on each graph, and in how many states; of another violation that is expected
it is the length. So a property cannot be made weaker unseen: its text is another one, and what it catches is less.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import named_files
from pyharness.machines.systems import implementation_of, known_properties
from pyharness.machines.systems.toml_fields import toml_document
from pyharness.models.graph_check import writes_graph
from pyharness.models.table_rows import KillRow
from pyharness.models.theorems import theorems_of
from pyharness.models.tlc_runs import steps_to_count
from pyharness.models.witness import probes_of
from pyharness.mutants.weakening.plan_weakenings import PlanWeakenings
from pyharness.mutants.weakening.property_digests import PropertyDigests
from pyharness.mutants.weakening.strengthening import FILE, never_strengthened, read_strengthenings
from pyharness.mutants.weakening.weakening_verdict import (
    changed_kills,
    changed_texts,
    never_weakened,
    read_weakenings,
)
from pyharness.tla.modules.expression_text import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.model import Model
    from pyharness.models.table_rows import TraceRow
    from pyharness.tla.modules.library import Library


FORMAT: Final = "pyharness-pinned-plan/1"
_NAME: Final = "pinned-plan.toml"
_MEASURED: Final = ("topologies", "budget", "pins", "caught_by")
_HEAD: Final = (
    "# What the plan asks for, as digests: a model, a claim or an example that is changed or left out fails the gate\n"
    "# until `pyharness pins --update` has written it here.\n"
)


def pinned_plan_file(plan: Plan) -> Path:
    """Return the file that pins a plan in the directory ``plans``."""
    return plan.path.resolve().parent.parent / _NAME


def not_asked(plan: Plan) -> tuple[str, ...]:
    """Say in what a whole plan asks for something else than is pinned; nothing of a plan that is not pinned.

    One that is to check all claims, with the list of their properties beside its specs, must be. Raises SpecError for
    a file that cannot be read.
    """
    file = pinned_plan_file(plan)
    if not plan.whole or (plan.strength is None and not file.is_file()):
        return ()
    pinned = _read(file)
    if pinned["plan"] != plan.name:
        return () if plan.strength is None else (f"{file.name} pins the plan {pinned['plan']}, not this one",)
    now, then = asked_by(plan), pinned["asked"]
    found = [f"{key} is pinned, and not in the plan" for key in then if key not in now]
    found += [f"{key} is not pinned" for key in now if key not in then]
    found += [f"{key} has changed" for key in now if key in then and now[key] != then[key]]
    return tuple(f"{change}: `pyharness pins --update` pins it" for change in sorted(found))


def asked_by(plan: Plan) -> dict[str, str]:
    """Return the digests of all that a plan asks for, by words that name it.

    Of a model what is measured does not count: its pins, and which properties catch a mutant.
    """
    return {key: _digest(what) for key, what in _asked(plan)}


def pinned_plan_text(plan: Plan) -> str:
    """Return the text of the file that pins a plan as it is."""
    rows = (f"{json.dumps(key)} = {json.dumps(digest)}\n" for key, digest in sorted(asked_by(plan).items()))
    return "".join(
        [_HEAD, f'format = "{FORMAT}"\nplan = {json.dumps(plan.name)}\n\n', "[asked]\n", *rows],
    )


def _asked(plan: Plan) -> Iterator[tuple[str, Any]]:
    for model in plan.models:
        yield f"model {model.name}", _of_model(model)
    for claim in plan.claims:
        yield f"claim {claim.id}", asdict(claim)
    examples = named_files("examples", plan.library.directories[0])
    for name in plan.examples:
        yield f"example {name}", examples[name].read_text(encoding="utf-8")
    yield "budget", plan.budget_seconds
    yield "minimums", asdict(plan.minimums) if plan.minimums else None
    for module in plan.library.closures({model.spec for model in plan.models}).values():
        for name in module.definitions:
            if name.endswith("vars"):
                yield f"{module.name}.{name}", on_one_line(module.definitions[name].body)
    given = defaultdict(list)
    for model in plan.models:
        given[model.spec].append(_given(model, plan.library))
    for spec, rendered in given.items():
        yield f"what TLC is given of {spec}", rendered
    digests = PropertyDigests(plan.library)
    for spec in given:
        yield (
            f"theorems of {spec}",
            [
                [theorem.text, *(digests.of_formula(spec, each.stated) for each in theorem.hypotheses)]
                for theorem in theorems_of(plan.library, spec).values()
            ],
        )
    for protocol in dict.fromkeys(implementation_of(model.spec) for model in plan.models):
        if protocol:
            yield f"properties of {protocol} in Python", sorted(known_properties(protocol))


def _of_model(model: Model) -> dict[str, Any]:
    fields = {key: value for key, value in vars(model).items() if key not in _MEASURED}
    return {
        **fields,
        "topologies": [topology.id for topology in model.topologies],
        "simulate": asdict(model.simulate) if model.simulate else None,
        "wander": asdict(model.wander) if model.wander else None,
        "constants": dict(model.constants),
        "overrides": dict(model.overrides),
    }


def _given(model: Model, library: Library) -> list[str]:
    """Return the module and the configuration of a model's check, in each form in which TLC may be given it."""
    whole = writes_graph(model, library)
    counted = None if model.mutant else steps_to_count(model, library)
    rendered = model.render(
        library,
        firsts=model.mutant is not None and not model.fair,
        probes=probes_of(model, library),
        watched=whole,
        told=whole,
    )
    forms = [rendered]
    if counted:
        forms.append(model.render(library, probes=probes_of(model, library), told=True, counted=counted))
    return [text for form in forms for text in (form.tla, form.cfg)]


def _digest(what: Any) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]


def _read(file: Path) -> dict[str, Any]:
    given = toml_document(file, FORMAT, ("plan", "asked"))
    asked = given.get("asked")
    if not isinstance(given.get("plan"), str) or not isinstance(asked, dict):
        raise SpecError("it has a plan and a table of what that asks for", where=file.name)
    return given


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
