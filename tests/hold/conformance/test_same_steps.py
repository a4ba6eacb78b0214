"""An implementation does what its spec says, and a seeded bug, on either side, is a difference; the gate takes all."""

from __future__ import annotations

import pytest

from pyharness.models.model import Model
from tests.hold.conformance.places import PLACES
from tests.hold.conformance.state_by_state import differ, implementation_of

pytestmark = [pytest.mark.tlc, pytest.mark.usefixtures("shared_tlc")]


@pytest.mark.parametrize("spec", PLACES)
def test_an_implementation_does_what_its_spec_says(graph_of, spec):
    model = Model("m", spec, **PLACES[spec])
    graph = graph_of(spec=spec, **PLACES[spec])
    assert not differ(graph, implementation_of(model))
    initial = {implementation_of(model).expand(graph.states[number]).key for number in graph.initial}
    assert initial == set(implementation_of(model).initial(model.topologies[0]))


def test_a_seeded_bug_is_a_difference_but_from_the_same_bug(graph_of):
    place = PLACES["ChandyLamport"]
    for in_tla, in_python in ((None, "LateTurn"), ("LateTurn", None), ("LateTurn", "LateTurn")):
        fields = place | {"mutant": in_tla, "depth": 7}
        model, graph = Model("m", "ChandyLamport", **fields), graph_of(spec="ChandyLamport", **fields)
        assert differ(graph, implementation_of(model, in_python), 7) == (in_tla != in_python)
