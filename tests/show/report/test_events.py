"""The diagram of a trace: derived from its states, so held against them, for every committed trace."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.recordings import channels_of
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn, ModelValue
from tests.each_case import each_case
from tests.show.report.committed import NAMES, read


@cache
def diagram(name):
    return diagram_of(*read(name))


def lane(found, name):
    return found.lanes.index(next(lane for lane in found.lanes if lane.name == name))


every_trace = each_case("name", NAMES)


def derived_of(name):
    return *read(name), diagram(name)


@every_trace
def test_what_is_drawn_in_transit_is_what_the_channels_hold(name):
    trace, _, found = derived_of(name)
    for index, step in enumerate(trace.steps):
        under_way = [m for m in found.messages if m.channel and m.sent <= index]
        held = sum(m.end is None or m.end > index for m in under_way)
        assert held == sum(map(len, channels_of(step.state).values())), f"state {index + 1}"


@every_trace
def test_messages_run_forward_from_where_they_are_sent_to_where_they_are_accepted(name):
    _, _, found = derived_of(name)
    for message in found.messages:
        assert message.accepted is None or message.lost is None
        assert message.end is None or message.sent < message.end
        assert message.restored or message.source in found.events[message.sent].lanes or not message.sent
        if message.accepted is not None:
            assert message.target in found.events[message.accepted].lanes


@every_trace
def test_every_step_happens_somewhere_and_what_records_is_in_the_cut(name):
    trace, _, found = derived_of(name)
    assert len(found.events) == len(trace.steps)
    assert not found.events[0].lanes
    for event in found.events[1:]:
        assert event.lanes
        assert len(event.before) == len(event.after) == len(event.lanes)
        assert set(event.records) <= set(event.lanes)
    for cut in found.cuts:
        assert cut.states.keys() == cut.at.keys()
        for where, time in cut.at.items():
            event = found.events[int(time)]
            assert where in event.records or "EndSource" in acted(found, where), (
                "who has ended records no more"
            )


def acted(found, lane):
    return {event.action for event in found.events if lane in event.lanes}


@every_trace
def test_red_is_who_has_recorded(name):
    trace, _, found = derived_of(name)
    for event, step in zip(found.events[1:], trace.steps[1:], strict=True):
        recorded = step.state.get("recState")
        red = set(range(1, len(recorded) + 1)) if isinstance(recorded, tuple) else set(recorded or ())
        for where, colour in zip(event.lanes, event.after, strict=True):
            if recorded is not None and found.lanes[where].is_process:
                assert (colour == "red") == (found.lanes[where].key in red)


@every_trace
def test_an_invariant_breaks_at_the_last_step_and_liveness_at_none(name):
    trace, meta, found = derived_of(name)
    assert found.violated == meta.get("violated")
    endless = trace.lasso is not None or trace.stuttering
    if found.violated is None or endless:
        assert found.violated_at is None
    else:
        assert found.violated_at == len(trace) - 1


@every_trace
def test_the_one_rule_is_seen_broken_where_it_is_violated(name):
    _, meta, found = derived_of(name)
    broken = [message for message in found.messages if message.crossing == "red in white"]
    if (
        meta.get("violated") == "NoRedInWhite" and meta["spec"] != "Snapshots"
    ):  # there a message has many colours
        assert broken[-1].accepted == found.violated_at
    if "mutant" in meta and meta["mutant"] is None and meta["violated"] == "EventuallyComplete":
        assert not broken


def test_a_worked_example_of_the_literature():
    found = diagram("kuper")
    (cut,) = found.cuts
    assert [found.lanes[i].name for i in cut.at] == ["P1", "P2", "P3"]
    assert list(cut.at.values()) == [4, 11, 7]
    assert cut.states[0] == '{"A", "B"}'
    (kept,) = found.kept
    assert (kept.channel, kept.text) == ("C21", '"m3"')
    message = found.messages[kept.message]
    assert (message.label, message.crossing, message.accepted) == ("m3", "white in red", kept.at)
    assert found.events[7].text == "accept marker C13"


def queue(*elements):
    return Fn([((1, 2), tuple(elements))])


@pytest.mark.parametrize(
    "states",
    [
        [Fn([("x", 1)]), Fn([("x", 2)])],
        [Fn([("chan", 5)]), Fn([("chan", ("a",))])],
        [Fn([("chan", queue("a")), ("state", ("s", "t"))]), Fn([("chan", "gone"), ("state", ())])],
        [Fn([("chan", queue())]), Fn([("chan", Fn([(("new", "one"), ("m",))]))])],
        [Fn([("acks", 3), ("task", 7)]), Fn([("acks", ()), ("task", ("x",))])],
        [Fn([("recState", 1), ("state", frozenset())]), Fn([("recState", ("a",)), ("state", ())])],
        [Fn([("state", Fn([(ModelValue("a"), 1), ("<b>", 2)]))]), Fn([("state", Fn([("<b>", 3)]))])],
    ],
)
def test_states_of_any_shape_are_steps_at_least(states):
    found = diagram_of(Trace(tuple(TraceStep("Next", state) for state in states)))
    assert len(found.events) == 2
    assert found.events[1].words == "next"
    assert found.events[1].lanes


CHANNELS = ((1, 2), (2, 1), (2, 3))


@given(st.lists(st.tuples(st.sampled_from(CHANNELS), st.booleans(), st.sampled_from("ab")), max_size=30))
def test_messages_are_those_that_were_sent_and_accepted(moves):
    """Whatever is sent and accepted in order, equal messages or not: the diagram finds just that."""
    queues = dict.fromkeys(CHANNELS, ())
    under_way = {channel: [] for channel in CHANNELS}
    said, states = [], [Fn([("chan", Fn(queues.items()))])]
    for channel, sends, letter in moves:
        if sends:
            queues[channel] += (letter,)
            under_way[channel].append([channel, letter, len(states), None])
            said.append(under_way[channel][-1])
        elif queues[channel]:
            queues[channel] = queues[channel][1:]
            under_way[channel].pop(0)[3] = len(states)
        else:
            continue
        states.append(Fn([("chan", Fn(queues.items()))]))
    found = diagram_of(Trace(tuple(TraceStep(None, state) for state in states)))
    key = found.lanes
    seen = [[(key[m.source].key, key[m.target].key), m.label, m.sent, m.accepted] for m in found.messages]
    assert seen == said
