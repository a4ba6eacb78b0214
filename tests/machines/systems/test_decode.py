"""From TLC's states to the implementation's and back, and the keys of states."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyharness.base.errors import ConformanceError
from pyharness.base.topology import Topology, dataflows
from pyharness.hold.conformance.subject import Implementation
from pyharness.machines.protocols import Dataflow, Items
from pyharness.machines.systems import PROTOCOLS as REGISTERED
from pyharness.machines.systems import Composition, build_system
from pyharness.machines.systems.barrier_systems import BARRIER_PROTOCOLS
from pyharness.machines.systems.state_keys import Keys, canonical
from pyharness.tla.values import Fn, record, same

RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])
SELF = Topology.of(1, [(1, 1)], [1])
ALONE = Topology.of(2, [], [1, 2])
PROTOCOLS = ["ChandyLamport", "StopTheWorld", "WhiteRed"]
BARRIERS = [spec.name for spec in BARRIER_PROTOCOLS]
ON_ANY_GRAPH = [spec.name for spec in BARRIER_PROTOCOLS if not spec.system.sources_begin]
"""Those that do not assume that only sources begin."""


def decoder_of(system):
    return REGISTERED[system.protocol].decoder(system)


(JOIN,) = dataflows("join", 3)
(DIAMOND,) = dataflows("diamond", 4)
(LOOP,) = dataflows("loop", 4)
DATAFLOWS = [*dataflows("acyclic", 2), *dataflows("acyclic", 3), DIAMOND, LOOP]
PLACES = [
    *((protocol, graph, Items(2)) for protocol in PROTOCOLS for graph in (RING2, FOUR, SELF, ALONE)),
    *((protocol, graph, Dataflow(2)) for protocol in BARRIERS for graph in DATAFLOWS),
    *((protocol, graph, Items(2)) for protocol in ON_ANY_GRAPH for graph in (RING2, FOUR)),
]


def named(place):
    protocol, topology, application = place
    return f"{protocol}-{topology.id}-{type(application).__name__}"


def reachable(system, most=3000):
    seen = dict.fromkeys(system.initial())
    waiting = list(seen)
    while waiting and len(seen) < most:
        state = waiting.pop(0)
        for action in () if system.over(state) else system.actions(state):
            if action.after not in seen:
                seen[action.after] = None
                waiting.append(action.after)
    return list(seen)


@pytest.mark.parametrize("place", PLACES, ids=named)
def test_what_is_decoded_reads_as_it_did_and_goes_on_as_it_did(place):
    system = build_system(*place)
    decoder, keys = decoder_of(system), Keys(system)
    for state in reachable(system, 400):
        variables = system.variables(state)
        decoded = decoder.decode(variables)
        again = system.variables(decoded)
        assert all(same(again[name], value) for name, value in variables.items())
        assert decoded.local == state.local
        assert decoded.queues == state.queues
        steps = list(system.actions(state))
        assert {(a.name, keys.of(a.after)) for a in steps} == {
            (a.name, keys.of(a.after)) for a in system.actions(decoded)
        }


@pytest.mark.parametrize(
    "place",
    [
        *((protocol, FOUR, Items(2)) for protocol in PROTOCOLS),
        *((protocol, graph, Dataflow(2)) for protocol in BARRIERS for graph in (JOIN, LOOP)),
    ],
    ids=named,
)
def test_keys_are_equal_exactly_for_states_with_equal_variables(place):
    system = build_system(*place)
    keys = Keys(system)
    seen = defaultdict(set)
    for state in reachable(system):
        key = keys.of(state)
        assert -(2**63) <= key < 2**63
        seen[key].add(Fn(system.variables(state).items()))
        steps = [action.after for action in system.actions(state)]
        assert keys.of_successors(state, key, steps) == [keys.of(after) for after in steps]
    assert len(seen) > (1000 if system.protocol in PROTOCOLS else 100)
    assert all(len(states) == 1 for states in seen.values())


def test_keys_tell_topologies_apart():
    systems = [
        build_system("WhiteRed", Topology.of(2, [(1, 2), (2, 1)], i), Items(1)) for i in ([1], [2], [])
    ]
    assert len({Keys(system).of(next(system.initial())) for system in systems}) == 3


def test_keys_are_the_same_in_every_process():
    code = (
        "from pyharness.machines.protocols import Items; from pyharness.base.topology import Topology;"
        "from pyharness.machines.systems import build_system; from pyharness.machines.systems.state_keys import Keys;"
        "s = build_system('ChandyLamport', Topology.of(2, [(1, 2), (2, 1)], [1]), Items(['x', 'y', 'z'], {1: 'xyz'}));"
        "print(Keys(s).of(next(s.initial())))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[3])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "01234"
    }
    assert found == {"-987377357569643964\n"}


ATOMS = st.booleans() | st.integers(-3, 3) | st.text("ab'(,) ", max_size=3) | st.none()
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, VALUES)
def test_canonical_texts_are_equal_exactly_for_equal_values(a, b):
    assert (canonical(a) == canonical(b)) == (a == b)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("state", (frozenset({1}),)),
        ("state", (frozenset({1}), frozenset({2}), frozenset())),
        ("recState", (frozenset({1}), frozenset(), frozenset())),
        ("recChan", ()),
        ("recChan", Fn([((1, 2), ())])),
        ("recChan", Fn([((1, 2), ()), ((2, 1), ()), ((2, 2), ())])),
        ("closed", frozenset({(2, 2)})),
        ("closed", ()),
        ("markers", Fn([((1, 2), 0), ((2, 1), False)])),
        ("chan", Fn([((1, 2), (record(control="other"),)), ((2, 1), ())])),
        ("chan", Fn([((1, 2), (record(msg=1, colour="red", size=2),)), ((2, 1), ())])),
        ("chan", 7),
        ("whiteInRed", "none"),
        ("topo", "n2-9-i1"),
    ],
)
def test_what_the_implementation_cannot_be_in_names_the_variable(variable, value):
    system = build_system("ChandyLamport", RING2, Items(2))
    variables = system.variables(next(system.initial()))
    assert variable in variables
    with pytest.raises(ConformanceError) as caught:
        decoder_of(system).decode(variables | {variable: value})
    assert caught.value.where == f"variable {variable}"


def test_other_variables_are_named():
    system = build_system("ChandyLamport", RING2, Items(2))
    variables = system.variables(next(system.initial()))
    with pytest.raises(ConformanceError, match="history"):
        decoder_of(system).decode(variables | {"history": ()})
    del variables["closed"]
    with pytest.raises(ConformanceError, match="closed"):
        decoder_of(system).decode(variables)


@pytest.mark.parametrize(
    ("place", "granularity"),
    [
        *(((protocol, FOUR, Items(1)), g) for protocol in PROTOCOLS for g in ("event", "action")),
        *(((protocol, graph, Dataflow(1)), "event") for protocol in BARRIERS for graph in (DIAMOND, LOOP)),
    ],
    ids=lambda value: value if isinstance(value, str) else named(value),
)
def test_answers_that_are_kept_change_nothing(place, granularity):
    protocol, topology, application = place
    plain = build_system(protocol, topology, application, granularity)
    keys = Keys(plain)
    implementation = Implementation(Composition(protocol, application, granularity))
    for _ in range(2):
        for state in reachable(plain, 500):
            expected = defaultdict(set)
            for action in () if plain.over(state) else plain.actions(state):
                expected[action.name].add(keys.of(action.after))
            found = implementation.expand(Fn(plain.variables(state).items()))
            assert {name: set(after) for name, after in found.successors.items()} == expected
            assert found.key == keys.of(state)


def test_a_state_that_names_no_topology_is_refused():
    with pytest.raises(ConformanceError, match="no topology"):
        Implementation(Composition("ChandyLamport", Items(1))).expand(record(topo="nowhere"))
