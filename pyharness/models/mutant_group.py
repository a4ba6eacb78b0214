"""Render several mutants of one setting as one model for TLC: each has graphs of its own, which select its overrides.

A graph is named after its mutant, ``LateTurn:n2-6-i1``, and no step leads from one graph to another: the states,
violations and traces of each mutant are the same as in a run of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.models.render import Dispatch, render_model
from pyharness.tla.modules.expression_text import expression_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.base.topology import Topology
    from pyharness.models.model import Model
    from pyharness.models.render import Rendered
    from pyharness.tla.modules.library import Library

MOST_GRAPHS: Final = 40
"""The number of graphs in one run, at most: the cost of a state grows with it."""


class MutantGraph(NamedTuple):
    """A graph of a mutant, as a model has it."""

    id: str
    processes: int
    channels: tuple[tuple[int, int], ...]
    initiators: tuple[int, ...]


def graph_of(model: Model, topology: Topology) -> MutantGraph:
    """Return the graph of a model's mutant, named after both."""
    return MutantGraph(
        f"{model.mutant}:{topology.id}", topology.processes, topology.channels, topology.initiators
    )


def groups(models: Iterable[Model]) -> list[list[Model]]:
    """Return groups of two or more models that differ only in their mutants.

    Models with fairness are left out: TLC stops at the first violation of a temporal property.
    """
    found: list[tuple[Model, list[Model]]] = []
    for model in models:
        if model.mutant is None or model.fair:
            continue
        setting = replace(model, name="", mutant=None, caught_by=(), pins=None)
        for other, members in found:
            if other == setting and (len(members) + 1) * len(model.topologies) <= MOST_GRAPHS:
                members.append(model)
                break
        else:
            found.append((setting, [model]))
    return [members for _, members in found if len(members) > 1]


def render_mutants(models: Sequence[Model], library: Library) -> Rendered:
    """Render the models of a group as one that records each property's first violation on each graph of each mutant.

    The overrides of a mutant alone are those of all its graphs, which need not be counted each.
    """
    base = replace(models[0], mutant=None)
    plain = dict(base.overrides_for(library))
    own = {str(model.mutant): dict(model.mutant_overrides(library)) for model in models}
    if len(models) == 1:
        plain, own = plain | own.popitem()[1], {}
    by_operator: dict[str, dict[str, str]] = {}
    for mutant, definitions in own.items():
        for name, definition in definitions.items():
            by_operator.setdefault(name, {})[mutant] = definition
    dispatched = [_dispatch(base, library, name, by, plain.get(name)) for name, by in by_operator.items()]
    graphs = [graph_of(model, topology) for model in models for topology in model.topologies]
    return render_model(
        title=f"{', '.join(model.name for model in models)}: rendered from a plan",
        extends=(base.spec, *(str(model.mutant) for model in models), *base.modules[1:]),
        graphs=graphs,
        constants=base.constants_for(),
        overrides=[(name, given) for name, given in plain.items() if name not in by_operator],
        invariants=base.invariants,
        properties=base.properties,
        stop=base.stop,
        prefix=library.prefix(base.spec),
        depth=base.depth,
        firsts=[(name, *library.formula(base.spec, name)) for name in (*base.invariants, *base.properties)],
        dispatched=dispatched,
    )


def _dispatch(
    base: Model, library: Library, name: str, definitions: dict[str, str], plain: str | None
) -> Dispatch:
    """Return the dispatch of an operator: ``definitions`` by mutant, for its graphs, and the plain one elsewhere."""
    if library.defines(base.spec, name):
        head = library.definition(base.spec, name)
        own = "" if plain else "  " + expression_text(head.body, 2)
    else:  # a constant, which the application defines
        head, own = library.definition(base.application, str(plain)), ""
    return Dispatch(name, head.bracketed, head.inner, tuple(definitions.items()), plain or f"Own{name}", own)
