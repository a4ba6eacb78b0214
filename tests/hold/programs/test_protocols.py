"""Each protocol over the wire: the project's own machines pass, and each of their seeded bugs is found."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

import pytest
from conftest import REFERENCE

from pyharness.base.topology import parse_topologies, select
from pyharness.hold.programs import HELD, OPERATOR, HoldPlan, default_graphs, hold, program_walks, team
from pyharness.hold.programs.node import Reply
from pyharness.hold.programs.operators import hold_operator
from pyharness.hold.programs.program_walks import random_walks
from pyharness.hold.programs.vocabulary import Event
from pyharness.machines.protocols import Items, Message
from pyharness.machines.replay import explore
from pyharness.machines.systems import PROTOCOLS, build_system
from tests.long import LONG, some

SMALL = {
    name: tuple(parse_topologies(["pipeline:2", "join:3"] if held.dataflow else ["ring:2"]))
    for name, held in HELD.items()
}

BEYOND = {"ChandyLamport": {"ForgetCompanions"}}
"""Seeded bugs that show themselves only in actions with several events at once."""


@pytest.mark.parametrize("kind", some(["pure", "stateful"], 1))
@pytest.mark.parametrize("protocol", HELD)
def test_a_right_program_passes_with_the_states_and_transitions_of_the_system(protocol, kind, in_process):
    items = 1 if protocol == "Snapshots" else 2  # which has markers of several ids beside them
    plan = HoldPlan(protocol, SMALL[protocol], items=items, walks=20)
    held = hold(["--pure"] if kind == "pure" else ["--stateful"], plan)
    assert held, held.difference
    assert held.pure == (kind == "pure")
    for graph, (_, walked) in zip(SMALL[protocol], held.graphs, strict=True):
        constants = HELD[protocol].constants
        own = explore(build_system(protocol, graph, Items(items, "spread"), constants=constants))
        assert (walked.states, walked.transitions) == (own.distinct, own.transitions)
    assert held.walks.refusals


@pytest.mark.parametrize(
    ("protocol", "mutant"),
    [
        (name, mutant)
        for name in HELD
        for mutant, parts in PROTOCOLS[name].mutants.items()
        if "process" in parts and parts["process"].carries is Message
    ],
)
def test_a_seeded_bug_is_found_small(protocol, mutant, in_process):
    """All but those that see the colours of messages, which no program does."""
    plan = HoldPlan(protocol, SMALL[protocol], items=2, walks=0)
    found = hold(["--mutant", mutant], plan).difference
    if mutant in BEYOND.get(protocol, ()):
        assert found is None
        return
    assert found is not None
    assert found.again
    assert len(found.case.steps) <= 8


@pytest.mark.parametrize("bug", ["Loop", "TwoMarkers"])
def test_a_bug_of_a_self_loop_or_a_third_input_is_found_on_the_default_graphs(bug, in_process):
    """They are last, as they are the largest."""
    larger = tuple(default_graphs("ChandyLamport"))[-2:]
    assert hold(["--mutant", bug], HoldPlan(graphs=larger, walks=0)).difference


@LONG
@pytest.mark.parametrize("bug", ["Loop", "TwoMarkers"])
def test_it_is_not_found_on_smaller_graphs(bug, in_process):
    small = tuple(select({"processes": [2, 3]}))  # there are no self-loops, and two inputs at most
    assert hold(["--mutant", bug], HoldPlan(graphs=small, walks=0))


@pytest.mark.parametrize("protocol", HELD)
def test_a_default_graph_has_three_inputs_where_it_is_small_enough(protocol):
    wide = any(
        len(graph.inputs(p)) > 2 for graph in default_graphs(protocol) for p in range(1, graph.processes + 1)
    )
    assert wide == (protocol != "Snapshots")
    loops = any(source == target for graph in default_graphs(protocol) for source, target in graph.channels)
    assert loops != HELD[protocol].dataflow


def test_random_graphs_have_self_loops_and_any_number_of_initiators():
    graphs = [program_walks._graph(HELD["ChandyLamport"], Random(n)) for n in range(200)]
    assert {len(graph.initiators) for graph in graphs} == {1, 2, 3, 4, 5}
    assert any(source == target for graph in graphs for source, target in graph.channels)


@pytest.mark.parametrize("mode", ["aligned", "unaligned", "timeout", "at-least-once"])
def test_an_operator_passes(mode, programs, in_process):
    found = hold_operator(programs(["--stateful"]), mode, runs=50)
    assert found.difference is None, found
    assert found.sequences > 200


@pytest.mark.parametrize("protocol", ["TimeoutBarriers", OPERATOR])
def test_the_same_program_passes_as_a_process(protocol):
    plan = HoldPlan(protocol, SMALL.get(protocol, ())[:1], walks=5)
    assert hold(REFERENCE, plan)


def test_walks_count_the_steps_that_they_take_and_no_others(programs, in_process):
    """A dataflow comes to its end, where there is no further step."""
    walked = random_walks(HELD["AlignedBarriers"], programs(["--stateful"]), 3, steps=300)
    assert 0 < walked.refusals < walked.steps < 900


SHOWS = {"items": [1], "recorded": None, "channels": {}, "complete": False}


def test_what_the_spec_refuses_is_refused_in_words_unless_the_harness_asked_for_it():
    machine, before = SimpleNamespace(shows=lambda _: SHOWS), SimpleNamespace(memory=None)
    for event, shows, fields in [
        (Event("marker", (1, 2)), SHOWS, ["refuses"]), (Event("initiate"), SHOWS, []),
        (Event("marker", (1, 2)), SHOWS | {"items": []}, ["items"]),
    ]:  # fmt: skip
        found = team._refusal(machine, before, event, Reply((), shows))
        assert [each.field for each in found] == fields
