"""What can be compared, and of what: the subject of a model, and the graphs that are named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology, parse_topologies
from pyharness.hold.conformance.comparison import conform_model
from pyharness.hold.conformance.subject import subject_of
from pyharness.models.model import Model
from tests.hold.conformance.places import FOUR, JOIN, LIBRARY
from tests.hold.conformance.tiny_model import MODEL, SUBJECT

TASKS = (("Duplicates", 0), ("Losses", 0), ("Need", 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"spec": "WhiteRedHistory"}, "WhiteRedHistory cannot be compared"),
        ({"stop": "Complete"}, "does not know 'Complete'"),
    ],
)
def test_what_cannot_be_compared_is_refused(change, message):
    with pytest.raises(SpecError, match=message):
        conform_model(replace(MODEL, **change), LIBRARY, None)
    with pytest.raises(SpecError, match="no mutant"):
        conform_model(MODEL, LIBRARY, None, implementation="Nothing")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"stop": ""}, {"stop_when_over": False}),
        ({"items": 1}, {"items": 1}),
        ({"placement": "any"}, {"placement": "any"}),
        ({"granularity": "action"}, {"granularity": "action"}),
        ({"application": "Tasks"}, {"application": "Tasks", "constants": TASKS}),
        (
            {"application": "Tasks", "spec": "Collection", "predicate": "Terminated", "stop": "Concluded"},
            {"protocol": "Collection", "application": "Tasks", "predicate": "Terminated"},
        ),
    ],
)
def test_the_subject_is_as_the_model_says(change, expected):
    """What it leaves out of a model is compared as something else than TLC explores."""
    subject = subject_of(replace(MODEL, **change), None)
    assert {name: getattr(subject, name) for name in expected} == expected
    assert subject.build().composition.predicate == subject.predicate


def test_the_subject_of_a_dataflow_is_a_dataflow():
    """Its constants are those of the model; one with items that move has none."""
    model = Model("tiny", "AlignedBarriers", (JOIN,), application="Dataflow")
    given = replace(model, constants={"Records": 1})
    for own, records in ((model, 2), (given, 1)):
        subject = subject_of(own, None)
        assert dict(subject.constants)["Records"] == records
        (initial,) = subject.build().initial(JOIN).values()
        assert (initial.state,) == tuple(own.system(JOIN).initial())
    assert subject_of(MODEL, None) == SUBJECT


def test_topologies_by_id_size_and_family():
    assert parse_topologies(["n2-6-i1", "2"]) == (Topology.from_id("n2-6-i1"),)
    assert len(parse_topologies(["3"])) == 10
    assert [t.id for t in parse_topologies(["four-channels"])] == [FOUR.id]
    assert len(parse_topologies(["ring:3", "ring:4"])) == 2
    for text in ("nothing", "ring:", "ring:x", "n2-6-i9", ""):
        with pytest.raises(SpecError):
            parse_topologies([text])
