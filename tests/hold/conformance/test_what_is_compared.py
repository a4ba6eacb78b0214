"""What a comparison rests on: steps that were compared, initial states of each topology, the correct implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.errors import IncompleteError
from pyharness.hold.conformance.comparison import compare, conformance_rows, initial_rows
from pyharness.hold.conformance.graph_comparison import write_graph
from pyharness.hold.conformance.subject import Implementation
from pyharness.models.job import Job
from pyharness.models.machine_tools import find_tools
from tests.hold.conformance.places import CHAIN, LIBRARY, RING2
from tests.hold.conformance.tiny_model import MODEL, SUBJECT

pytestmark = pytest.mark.usefixtures("shared_tlc")


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
    assert compare(model, SUBJECT, dump, result).mismatches == 1


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


class NoGraph:
    """A graph of TLC's of which nothing is there."""

    name, states, transitions, pairs, initial = "empty", 0, 0, (), {}

    def find(self, ids):
        return dict.fromkeys(ids)


@pytest.mark.parametrize("topology", MODEL.topologies, ids=str)
@pytest.mark.parametrize("side", ["TLC", "Python", "each its own"])
def test_initial_states_that_one_side_has_are_seen_on_every_topology(monkeypatch, topology, side):
    """The graph begins as the implementation does, but for one state of one topology."""
    both = {each.id: SUBJECT.build().initial(each) for each in MODEL.topologies}
    graph = NoGraph()
    graph.initial = {name: {key: number for number, key in enumerate(ours)} for name, ours in both.items()}
    assert initial_rows(MODEL, SUBJECT, graph) == []
    own = graph.initial[topology.id]
    if side != "TLC":
        own.popitem()
    if side != "Python":
        own[12345] = 7
    monkeypatch.setattr(NoGraph, "find", lambda _, ids: dict.fromkeys(ids, 1))
    assert [row.topology for row in initial_rows(MODEL, SUBJECT, graph)] == [topology.id]


def test_a_graph_on_which_neither_side_begins_was_not_compared(monkeypatch):
    rows = initial_rows(MODEL, SUBJECT, NoGraph())
    assert [row.topology for row in rows] == [RING2.id, CHAIN.id]
    monkeypatch.setattr(Implementation, "initial", lambda *_: {})
    with pytest.raises(IncompleteError, match=f"no state of {RING2.id} was compared"):
        initial_rows(MODEL, SUBJECT, NoGraph())
