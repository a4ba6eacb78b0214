"""The implementation's own state spaces, against counts that TLC printed for the specs."""

from __future__ import annotations

import pytest

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.topology import Topology
from pyharness.gate.judge.pinned_lists import read_weakenings
from pyharness.machines.protocols import Items
from pyharness.machines.replay import explore
from pyharness.machines.systems import (
    PROTOCOLS,
    build_system,
    has_twin,
    implementation_of,
    known_properties,
    violations,
)
from tests.long import long_but
from tests.shipped_plans import shipped_plan

RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
RING3 = Topology.of(3, [(1, 2), (2, 3), (3, 1)], [1])
FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])

# Distinct states on the three graphs together, as TLC 2.15 counts them with ACTION_CONSTRAINT ~Over, two items.
TLC_COUNTS = {
    ("ChandyLamport", "event"): 8106,
    ("ChandyLamport", "action"): 8106,
    ("StopTheWorld", "event"): 3312,
    ("WhiteRed", "event"): 6186,
    ("WhiteRed", "action"): 7652,
}


@pytest.mark.parametrize(("protocol", "granularity"), TLC_COUNTS)
def test_counts_are_those_of_tlc(protocol, granularity):
    found = [
        explore(build_system(protocol, graph, Items(2), granularity)).distinct
        for graph in (RING2, RING3, FOUR)
    ]
    assert sum(found) == TLC_COUNTS[protocol, granularity]


@pytest.mark.parametrize("protocol", ["ChandyLamport", "StopTheWorld", "WhiteRed"])
def test_no_reachable_step_violates_a_property(protocol):
    system = build_system(protocol, RING2, Items(2))
    level, seen = list(system.initial()), set()
    while level:
        following = []
        for state in level:
            for action in () if system.over(state) else system.actions(state):
                assert not violations(system, state, action.after), action
                if action.after not in seen:
                    seen.add(action.after)
                    following.append(action.after)
        level = following
    assert len(seen) > 200


PLAN = shipped_plan("quick")
SEEDED = [
    m
    for m in PLAN.models
    if not m.fair and implementation_of(m.spec) == m.spec and has_twin(m.spec, m.mutant)
]

FIRST = {(model.spec, model.mutant): model for model in reversed(SEEDED)}
LARGE = {"mutants-checkpoints-abort-keep-blocked"}
"""Models in which a mutant takes a second and more to be caught."""

assert {model.name for model in FIRST.values()} >= LARGE

KEPT = [model for model in FIRST.values() if model.name not in LARGE]
"""The first model of each mutant; what others have of it is long."""

PINNED = read_weakenings(PLAN.strength).kills
"""By the model of a mutant and the property that catches it, the lengths of the shortest traces on the graphs."""


def first_violations(system, depth, stop, names):
    """Search breadth-first as TLC does: how short a trace violates each of the properties.

    A step beyond the end is looked at, and not followed.
    """
    spec = PROTOCOLS[system.protocol]
    of_states = {name: holds for name, holds in spec.state_properties.items() if name in names}
    of_steps = {name: holds for name, holds in spec.step_properties.items() if name in names}
    level, length = list(system.initial()), 1
    seen, met = set(level), set(level)
    first = {name: 1 for state in level for name, holds in of_states.items() if not holds(system, state)}
    while level and length < depth:
        length += 1
        following = []
        for state in level:
            followed = not (stop and system.over(state))
            for _, _, after in system.actions(state):
                for name, holds in of_steps.items():
                    if name not in first and not holds(system, state, after):
                        first[name] = length
                if after not in met:
                    met.add(after)
                    broken = [name for name, holds in of_states.items() if not holds(system, after)]
                    first |= {name: length for name in broken if name not in first}
                if followed and after not in seen:
                    seen.add(after)
                    following.append(after)
        level = following
    return first


SMALL = [m for m in PLAN.models if m.pins and m.pins.distinct < 400 and m.stop and not m.predicate]


@pytest.mark.parametrize(
    "model",
    [m for m in SMALL if m.pins.transitions and m.spec != "Checkpoints"],
    ids=lambda model: model.name,
)
def test_states_depth_and_transitions_are_those_that_are_pinned_of_tlc(model):
    found = [explore(model.system(topology)) for topology in model.topologies]
    assert sum(each.distinct for each in found) == model.pins.distinct
    assert max(each.depth for each in found) == model.pins.depth
    assert sum(each.transitions for each in found) == model.pins.transitions
    assert all(sum(each.actions.values()) == each.transitions for each in found)


@pytest.mark.parametrize("model", long_but(SEEDED, KEPT), ids=lambda model: model.name)
def test_a_python_mutant_is_caught_by_the_properties_and_traces_that_catch_the_one_in_tla(model):
    """A property that says less in Python than in TLA+, or more, is violated by longer traces, or by shorter ones."""
    pinned = PINNED[model.name]
    known = known_properties(model.spec) & {*model.invariants, *model.properties}
    depth = max(length for name in known & set(pinned) for length in pinned[name])
    found = {name: [] for name in known}
    for topology in sorted(model.topologies, key=lambda topology: topology.id):
        first = first_violations(model.system(topology, model.mutant), depth, model.stop, known)
        for name in first:
            found[name].append(first[name])
    assert any(found.values())
    for name in known:
        assert found[name] == list(pinned.get(name, ())), name


def test_too_many_states_is_incomplete():
    with pytest.raises(IncompleteError):
        explore(build_system("ChandyLamport", RING2, Items(2)), max_states=10)


def test_unknown_names_are_errors():
    with pytest.raises(SpecError, match="no protocol"):
        build_system("Nothing", RING2, Items(1))
    with pytest.raises(SpecError, match="no mutant"):
        build_system("ChandyLamport", RING2, Items(1), mutant="Nothing")
    with pytest.raises(SpecError, match="mutant of WhiteRed"):
        build_system("ChandyLamport", RING2, Items(1), mutant="NoGuard")
