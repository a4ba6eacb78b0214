"""State graphs as pictures: every state and arrow is there, names are harmless, and large graphs are refused."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology
from pyharness.machines.replay import explore
from pyharness.models.model import Model
from pyharness.show.report.state_graphs.state_picture import (
    Arrow,
    StateBox,
    StateGraph,
    state_graph,
)
from pyharness.show.report.state_graphs.state_svg import states_svg

SVG = "{http://www.w3.org/2000/svg}"
RING = Topology.of(2, [(1, 2), (2, 1)], [1])


def system(items=1, mutant=None, spec="ChandyLamport"):
    return Model("m", spec, (RING,), items=items).system(RING, mutant)


@pytest.mark.parametrize("spec", ["ChandyLamport", "WhiteRed", "StopTheWorld"])
def test_the_graph_is_the_exploration(spec):
    graph, explored = state_graph(system(spec=spec)), explore(system(spec=spec))
    assert len(graph.nodes) == explored.distinct
    assert sum(len(arrow.actions) for arrow in graph.arrows) == explored.transitions
    rows = {node.number: node.row for node in graph.nodes}
    assert rows[1] == 0
    assert all(arrow.back or rows[arrow.source] < rows[arrow.target] for arrow in graph.arrows)
    assert not any(graph.nodes[0].red)
    assert all(all(node.red) for node in graph.nodes if node.over)


def test_the_picture_has_every_state_arrow_and_action():
    graph = state_graph(system())
    text = states_svg(graph, "a title")
    assert text == states_svg(state_graph(system()), "a title")
    root = ET.fromstring(text)  # noqa: S314 - our own
    assert len(root.findall(f"{SVG}g")) == len(graph.nodes)
    assert len(root.findall(f"{SVG}polyline")) == len(graph.arrows)
    red = [circle for circle in root.iter(f"{SVG}circle") if circle.get("class") == "red"]
    assert len(red) == sum(sum(node.red) for node in graph.nodes)


def test_hostile_names_are_text():
    name = "</text><script>alert('1')</script>\"\\\u202e" + "x" * 500
    nodes = (StateBox(1, 0, (False,), False, name), StateBox(2, 1, (True,), True, name))
    graph = StateGraph((name,), nodes, (Arrow(1, 2, (name,), False), Arrow(1, 1, (name,), True)))
    root = ET.fromstring(states_svg(graph, name))  # noqa: S314 - our own
    assert not list(root.iter(f"{SVG}script"))
    assert root.get("aria-label") == name


def test_more_states_than_anyone_can_read_are_refused():
    with pytest.raises(SpecError, match="more than 80 states"):
        state_graph(system(items=2))
