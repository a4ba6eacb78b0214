"""What counts as a difference, and which one is known: with a stand-in for Flink that is the operator or a variant."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pyharness.hold.flink import expected_differences, transition_tour
from pyharness.hold.flink.event_sequences import parse_sequence
from pyharness.hold.flink.expected_differences import recheck, recorded_differences
from pyharness.hold.flink.flink_task import Driven
from pyharness.hold.flink.handler_comparison import Comparer, differing
from pyharness.hold.flink.operator_variants import VARIANTS
from pyharness.hold.flink.transition_tour import Stated, TourStep, Walks, tour_of
from pyharness.machines.protocols.checkpoint_mutants import AnnouncedArrives
from pyharness.machines.protocols.checkpoints.operator import Operator
from pyharness.machines.protocols.checkpoints.operator_drive import drive

EVENTS = parse_sequence("0:barrier 1, 0:a, 1:barrier 1")
VARIANT = VARIANTS["AnnouncedCancelLost"]
LOST = parse_sequence("0:barrier 1 queued behind a, 1:cancel 1")
"""What the variant takes otherwise, at the last event."""


def comparer(mode="aligned", kind=Operator, flink=Operator, fails=None):
    """A comparer whose Flink is of the version that the file is about, and fails after so many events if it is told."""

    def task(_classes, inputs, mode, *, after_ends):
        def taken(events):
            moments = drive(events, inputs, mode, kind=flink, after_ends=after_ends)
            return Driven(moments) if fails is None else Driven(moments[:fails], "Thrown: here")

        return SimpleNamespace(drive=taken)

    return Comparer(SimpleNamespace(version="2.3.0"), mode, kind, task)


def test_two_moments_are_the_same_only_if_all_that_is_seen_is():
    moment = drive(EVENTS, 2, "aligned")[-1]
    kinds = [effect.kind for effect in moment.effects]
    assert len(set(kinds)) > 2
    assert differing(moment, moment) == ()
    backwards = moment._replace(effects=moment.effects[::-1])
    assert differing(moment, backwards) == differing(backwards, moment) == ("order",)
    for place, kind in enumerate(kinds):
        less = moment._replace(effects=(*moment.effects[:place], *moment.effects[place + 1 :]))
        assert kind in differing(moment, less)
        assert kind in differing(less, moment)
    for field, other in (
        ("blocked", frozenset({1})),
        ("in_flight", {9: (("x",), ())}),
        ("pending", {9: (("x",),)}),
    ):
        name = "in_flight" if field == "pending" else field
        assert differing(moment, moment._replace(**{field: other})) == (name,)
        assert differing(moment._replace(**{field: other}), moment) == (name,)
    assert differing(moment, moment._replace(pending={9: ((), ())})) == ()


def test_a_handler_that_throws_is_a_variant_only_if_that_throws_too():
    same = comparer()
    assert same.compare(EVENTS, 2) is None
    thrown = comparer(fails=2)
    found = thrown.compare(EVENTS, 2)
    assert (found.fields, found.events, found.flink_facts) == (("failure",), EVENTS, "Thrown: here")
    assert not thrown.is_variant(found, Operator)


def test_a_difference_of_a_mutant_is_not_the_known_one_that_comes_later():
    plain = comparer("timeout", flink=VARIANT)
    assert plain.is_variant(plain.compare(LOST, 2), VARIANT)
    mutated = comparer("timeout", AnnouncedArrives, VARIANT)
    found = mutated.compare(LOST, 2)
    assert len(found.events) < len(LOST) == len(plain.compare(LOST, 2).events)
    assert not mutated.is_variant(found, VARIANT)


# -- the file of known differences -------------------------------------------------------------------------------


def stub(case, found, *, is_variant=True):
    return SimpleNamespace(
        after_ends=True,
        mode=case.mode,
        flink=SimpleNamespace(version="2.3.0"),
        compare=lambda events, _: found if events == case.events else None,
        is_variant=lambda *_: is_variant,
    )


@pytest.mark.parametrize(
    ("changed", "is_variant", "said"),
    [
        ({}, True, None),
        (None, True, "no difference any more"),
        ({"events": ()}, True, "another difference, at event 0"),
        ({"spec_facts": "other"}, True, "another difference"),
        ({"flink_facts": "other"}, True, "another difference"),
        ({}, False, "Flink does not do what LeavesPending does"),
    ],
)
def test_a_case_that_is_not_as_the_file_says_is_told(monkeypatch, changed, is_variant, said):
    case = recorded_differences()[0].cases[0]
    entry = recorded_differences()[0]._replace(cases=(case,), versions=("2.3",), variant="LeavesPending")
    monkeypatch.setattr(expected_differences, "recorded_differences", lambda: (entry,))
    found = {"events": case.events, "spec_facts": case.spec, "flink_facts": case.flink}
    seen = None if changed is None else SimpleNamespace(**{**found, **changed})
    told = recheck(stub(case, seen, is_variant=is_variant))
    assert [each for each, _ in told] == ([] if said is None else [case])
    assert all(said in words for _, words in told)


# -- the tour ----------------------------------------------------------------------------------------------------


def step(**changed):
    said = transition_tour._as_stated(drive(EVENTS, 2, "aligned")[-1])
    return TourStep(EVENTS, said._replace(**changed))


def test_a_tour_that_took_nothing_agrees_with_nothing():
    assert not tour_of(comparer(), 2, Walks(0, ())).agreed
    found = tour_of(comparer(), 2, Walks(1, (step(),)))
    assert (found.agreed, found.transitions, found.same) == (True, 1, 1)


@pytest.mark.parametrize("changed", [{"effects": ()}, {"blocked": frozenset({0})}, {"logs": {1: (7, 7)}}])
def test_what_tlc_says_otherwise_than_the_operator_is_apart(changed):
    found = tour_of(comparer(), 2, Walks(1, (step(), step(**changed))))
    assert not found.agreed
    assert [(each.spec, type(each.operator)) for each in found.apart] == [(step(**changed).stated, Stated)]
