"""Every implementation does what its spec says, and every seeded bug, on either side, is a difference."""

from __future__ import annotations

from functools import cache

import pytest

from pyharness.machines.systems import MUTANTS, protocols_of
from pyharness.models.model import Model
from pyharness.tla.tlc.dump import Graph
from tests.hold.conformance.places import (
    BARRIERS,
    CHECKPOINT_PLACES,
    DECODED,
    LIBRARY,
    PLACES,
    alike,
    places_of,
)
from tests.hold.conformance.state_by_state import differ, implementation_of
from tests.long import long_but

pytestmark = pytest.mark.usefixtures("shared_tlc")

SEEDED = sorted(name for name in MUTANTS if {*protocols_of(name)} & {*DECODED})
ONLY_UNFAIR = {"UnfairChannel"}
"""What these break is Fairness, which no single step shows."""
ONLY_BEGINS = {"BeginsWithMessage"}
"""What these break is Init: from a state that both have, they do the same."""

FURTHER = [PLACES[1], *(CHECKPOINT_PLACES[number] for number in (1, 5, 7, 8, 9))]
"""Further places of what others have: two items in one channel, and of checkpoints the same modes and features."""


def spec_of(mutant):
    """The spec that a mutant breaks; one of those that it may break."""
    fitting = protocols_of(mutant)
    return "ChandyLamport" if "ChandyLamport" in fitting else fitting[0]


def one_of_each_spec(names):
    """The first mutant of each spec, of the barriers of one, and those that break no step."""
    first = {}
    for name in names:
        first.setdefault(BARRIERS[0] if spec_of(name) in BARRIERS else spec_of(name), name)
    alone = {min(kind) for kind in (ONLY_UNFAIR, ONLY_BEGINS)}
    return sorted({*first.values()} | alone)


MIRRORED = one_of_each_spec(name for name in SEEDED if name not in ONLY_UNFAIR | ONLY_BEGINS)


@pytest.fixture(scope="module")
def graph_at(graph_of):
    """Return a function from a spec and a place to the graph there, of the run for all places that are alike."""

    @cache
    def part(spec, fields):
        place = dict(fields)
        whole = graph_of(spec=spec, **place | {"topologies": alike(spec, place)})
        (topology,) = place["topologies"]
        states = {number: state for number, state in whole.states.items() if state["topo"] == topology.id}
        edges = tuple(edge for edge in whole.edges if edge.source in states or edge.target in states)
        return Graph(states, tuple(number for number in whole.initial if number in states), edges)

    return lambda spec, place: part(spec, tuple(sorted(place.items())))


@pytest.fixture(scope="module")
def seen_at(graph_at):
    """Return a function from a mutant to the first place where its implementation differs from the spec, or None."""

    @cache
    def found(mutant):
        spec = spec_of(mutant)
        for number, place in enumerate(places_of(spec)):
            implementation = implementation_of(Model("m", spec, **place), mutant)
            if differ(graph_at(spec, place), implementation, place.get("depth")):
                return number
        return None

    return found


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("spec", "place"),
    long_but(
        [(spec, place) for spec in DECODED for place in places_of(spec)],
        [(spec, place) for spec in DECODED for place in places_of(spec) if place not in FURTHER],
    ),
    ids=lambda value: (
        value if isinstance(value, str) else f"{value['topologies'][0].id}-{value['granularity']}"
    ),
)
def test_the_implementations_do_what_the_specs_say(graph_at, spec, place):
    graph = graph_at(spec, place)
    model = Model("m", spec, **place)
    assert not differ(graph, implementation_of(model), model.depth)
    (topology,) = place["topologies"]
    initial = {implementation_of(model).expand(graph.states[number]).key for number in graph.initial}
    assert initial == set(implementation_of(model).initial(topology))


@pytest.mark.tlc
@pytest.mark.slow
@pytest.mark.parametrize("mutant", long_but(SEEDED, {*MIRRORED} | ONLY_UNFAIR | ONLY_BEGINS))
def test_a_mutant_in_python_differs_from_the_spec(seen_at, mutant):
    assert (seen_at(mutant) is not None) == (mutant not in ONLY_UNFAIR | ONLY_BEGINS)


@pytest.mark.parametrize("mutant", sorted(ONLY_BEGINS))
def test_a_mutant_that_begins_otherwise_has_other_initial_states(mutant):
    spec = spec_of(mutant)
    model = Model("m", spec, **places_of(spec)[0])
    (topology,) = model.topologies
    begins, should = (set(implementation_of(model, name).initial(topology)) for name in (mutant, None))
    assert begins.isdisjoint(should)


@pytest.mark.tlc
@pytest.mark.slow
@pytest.mark.parametrize("mutant", MIRRORED)
def test_a_mutant_of_the_spec_differs_from_the_implementation(graph_of, seen_at, mutant):
    """It is looked for first where the same bug in Python is seen: elsewhere both may have no occasion.

    A comparison has two equal sides, and of the same bug on the other one all are seen; so here are few.
    What breaks no step is looked for in one place: the next test says that it can differ nowhere.
    """
    spec = spec_of(mutant)
    places = list(places_of(spec))
    places.insert(0, places.pop(seen_at(mutant) or 0))
    for place in places if mutant not in ONLY_UNFAIR | ONLY_BEGINS else places[:1]:
        depth = 11 if spec == "Collection" else {1: 7, 2: 5}.get(place.get("items"), 11)
        fields = place | {"mutant": mutant, "depth": depth}
        model, graph = Model("m", spec, **fields), graph_of(spec=spec, **fields)
        if differ(graph, implementation_of(model), depth):
            break
    else:
        assert mutant in ONLY_UNFAIR | ONLY_BEGINS


def overridden(mutant):
    """What the module of a mutant stands in for."""
    return {name.removeprefix(mutant) for name in LIBRARY.module(mutant).definitions}


@pytest.mark.parametrize("mutant", sorted(ONLY_UNFAIR | ONLY_BEGINS))
def test_what_breaks_no_step_overrides_none(mutant):
    assert overridden(mutant) == ({"FairChannels"} if mutant in ONLY_UNFAIR else {"Init"})


def test_every_other_mutant_overrides_more():
    others = {*SEEDED} - ONLY_UNFAIR - ONLY_BEGINS
    assert [name for name in sorted(others) if overridden(name) <= {"FairChannels", "Init"}] == []


@pytest.mark.tlc
def test_both_with_the_same_bug_agree(graph_of):
    place = PLACES[0]
    model = Model("m", "ChandyLamport", mutant="LateTurn", depth=7, **place)
    graph = graph_of(spec="ChandyLamport", mutant="LateTurn", depth=7, **place)
    assert not differ(graph, implementation_of(model, "LateTurn"), 7)
