"""What a comparison rests on: steps that were compared, initial states of each topology, the correct implementation."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest

from pyharness.base.errors import IncompleteError
from pyharness.hold.conformance.comparison import PairWalk, compare, conformance_rows
from pyharness.hold.conformance.graph_run import write_graph
from pyharness.hold.conformance.subject import Implementation
from pyharness.machines.replay import explore
from pyharness.models.job import Job
from pyharness.models.machine_tools import find_tools
from pyharness.tla.values import same
from tests.hold.conformance.places import CHAIN, LIBRARY, RING2
from tests.hold.conformance.tiny_model import MODEL, SUBJECT

TWIN = 1 << 70
"""A key that no state has."""


@pytest.mark.tlc
def test_where_no_step_is_compared_nothing_is_shown(tmp_path):
    """Of behaviours of one state there is no step, whatever the implementation does."""
    dump = tmp_path / "graph.dot"
    model = replace(MODEL, depth=1)
    result = write_graph(model, LIBRARY, find_tools(), dump)
    assert compare(replace(MODEL, depth=2), SUBJECT, *graph_to_depth(2, tmp_path)).transitions
    for mutant in (None, "LateTurn"):
        with pytest.raises(IncompleteError, match="no transitions were compared"):
            compare(model, replace(SUBJECT, mutant=mutant), dump, result)
    (row,) = conformance_rows(Job("1", "conform", model), LIBRARY, find_tools(), graph=(dump, result))
    assert "no transitions were compared" in row.error


@pytest.mark.tlc
def test_a_step_beyond_the_depth_is_a_mismatch(tmp_path):
    """TLC follows nothing there, so a step from there is none that it was to take."""
    dump, result = graph_to_depth(2, tmp_path)
    model, text = replace(MODEL, depth=2), dump.read_text(encoding="utf-8")
    edges = [line for line in text.splitlines(keepends=True) if " -> " in line]
    edge = next(line for line in edges if line.split()[0] != line.split()[2])
    last = edge.split()[2]
    assert compare(model, SUBJECT, dump, result).agreed
    dump.write_text(text.replace(edge, edge + edge.replace(edge.split()[0], last, 1)), encoding="utf-8")
    (row,) = compare(model, SUBJECT, dump, result).rows
    assert (row.depth, row.python, len(row.tlc)) == (2, (), 1)


@pytest.mark.parametrize("depth", [None, 1, 2, 4])
def test_the_reachable_states_are_those_of_an_exploration(depth):
    """Each state is there once, with all that follows from it, but for the last ones."""
    system = MODEL.system(RING2)
    found = [(own, after) for own, after in SUBJECT.build().reachable(RING2, depth)]
    assert len({own.part_key for own, _ in found}) == len(found)
    if depth is None:
        assert len(found) == explore(system).distinct
        assert {own.state for own, _ in found} >= {
            each.state for _, after in found for owns in after.values() for each in owns
        }
        with pytest.raises(IncompleteError, match="more than 5 states"):
            list(SUBJECT.build().reachable(RING2, most=5))
        return
    levels = [set(system.initial())]
    while len(levels) < depth:
        levels.append({step.after for state in levels[-1] for step in system.actions(state)})
    assert {own.state for own, _ in found} == set().union(*levels)
    last = {own.state for own, after in found if not after}
    assert last >= levels[-1] - set().union(*levels[:-1])


@pytest.mark.tlc
def test_a_model_of_a_plan_is_compared_with_the_correct_implementation(dumped, tmp_path):
    """Whatever the model has: the row says that it was the correct one."""
    dump = tmp_path / "graph.dot"
    dump.write_text(dumped[0], encoding="utf-8")
    job = Job("1", "conform", replace(MODEL, mutant="LateTurn"))
    (row,) = conformance_rows(job, LIBRARY, find_tools(), graph=(dump, dumped[1]))
    assert (row.implementation, row.mismatches, row.error) == ("correct", 0, None)


def graph_to_depth(depth, directory):
    dump = directory / f"{depth}.dot"
    return dump, write_graph(replace(MODEL, depth=depth), LIBRARY, find_tools(), dump)


class InitialStates:
    """A graph of TLC's of which the initial states are there, and nothing follows from them."""

    name = "initial"

    def __init__(self, initial):
        self.initial = initial
        self.ids = {key: number for ids in initial.values() for key, number in ids.items()}
        self.states = len(self.ids)

    def after(self, _):
        return set()

    def find(self, ids):
        return dict.fromkeys(ids, 1)


@pytest.mark.parametrize("topology", MODEL.topologies, ids=str)
@pytest.mark.parametrize("side", ["TLC", "Python", "each its own"])
def test_initial_states_that_one_side_has_are_seen_on_every_topology(monkeypatch, topology, side):
    """The graph begins as the implementation does, but for one state of one topology."""
    monkeypatch.setattr(Implementation, "successors", lambda *_: {})
    implementation = SUBJECT.build()
    both = {each.id: implementation.initial(each) for each in MODEL.topologies}
    begins = {name: {key: number for number, key in enumerate(ours)} for name, ours in both.items()}
    assert PairWalk(MODEL, implementation, InitialStates(begins)).initial_rows() == []
    if side != "TLC":
        begins[topology.id].popitem()
    if side != "Python":
        begins[topology.id][12345] = 7
    rows = PairWalk(MODEL, implementation, InitialStates(begins)).initial_rows()
    assert [row.topology for row in rows] == [topology.id]


def test_a_graph_on_which_neither_side_begins_was_not_compared(monkeypatch):
    rows = PairWalk(MODEL, SUBJECT.build(), InitialStates({})).initial_rows()
    assert [row.topology for row in rows] == [RING2.id, CHAIN.id]
    monkeypatch.setattr(Implementation, "initial", lambda *_: {})
    with pytest.raises(IncompleteError, match=f"no state of {RING2.id} was compared"):
        PairWalk(MODEL, SUBJECT.build(), InitialStates({}))


@pytest.mark.tlc
def test_an_implementation_that_keeps_more_and_more_is_incomplete(dumped, tmp_path, monkeypatch):
    """Each step leads to a new state of its own that reads as an old one."""
    dump = tmp_path / "graph.dot"
    dump.write_text(dumped[0], encoding="utf-8")
    known, numbers = Implementation.successors, count()

    def growing(self, on, source):
        found = known(self, on, source)
        return {pair: [own._replace(part_key=next(numbers)) for own in owns] for pair, owns in found.items()}

    monkeypatch.setattr(Implementation, "successors", growing)
    model = replace(MODEL, stop="")
    with pytest.raises(IncompleteError, match=r"more than \d+ states"):
        compare(model, replace(SUBJECT, stop_when_over=True), dump, dumped[1])


@pytest.mark.tlc
def test_states_that_read_alike_are_each_followed(dumped, tmp_path, monkeypatch):
    """A state of the implementation with something that no variable shows goes on otherwise, and that is noticed."""
    dump = tmp_path / "graph.dot"
    dump.write_text(dumped[0], encoding="utf-8")
    known = Implementation.successors

    def with_a_twin(self, on, source):
        found = known(self, on, source)
        if source.part_key == TWIN:
            return {}
        return {pair: [*owns, owns[0]._replace(part_key=TWIN)] for pair, owns in found.items()}

    monkeypatch.setattr(Implementation, "successors", with_a_twin)
    assert compare(MODEL, SUBJECT, dump, dumped[1]).mismatches


@pytest.mark.tlc
def test_a_model_that_cannot_be_compared_has_its_error_in_its_row():
    bad = replace(MODEL, name="bad", spec="WhiteRedHistory")
    (row,) = conformance_rows(Job("1", "conform", bad), LIBRARY, find_tools())
    assert "WhiteRedHistory cannot be compared" in row.error
    (row,) = conformance_rows(Job("2", "conform", MODEL), LIBRARY, find_tools())
    assert row.error is None
    assert row.mismatches == 0 < row.transitions


def test_a_kept_answer_is_not_that_of_a_truth_value_which_python_holds_equal():
    """Python holds True and 1 equal, TLA+ does not."""
    system = SUBJECT.build().on(RING2).system
    ones, truths = ([value] * len(system.channels) for value in (1, True))
    assert same(system.by_channel(ones), system.by_channel(ones))
    assert not same(system.by_channel(ones), system.by_channel(truths))
