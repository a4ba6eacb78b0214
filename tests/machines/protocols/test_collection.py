"""Reports, the collector, and predicates, without a system around them."""

from __future__ import annotations

import doctest
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyharness.base.errors import PeerError, SpecError
from pyharness.base.topology import Topology
from pyharness.machines.protocols import (
    HOLDS,
    PENDING,
    PREDICATES,
    Collector,
    Items,
    Report,
    Reporter,
    Snapshot,
    Tasks,
    never,
    predicate_of,
)
from pyharness.machines.protocols.applications.tasks import copies
from pyharness.machines.protocols.collecting import collection, predicates

RING3 = Topology.of(3, [(1, 2), (2, 3), (3, 1)], [1])
RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
REPORTS = [Report(p, frozenset({p}), (((3 if p == 1 else p - 1, p), ("m",) * p),)) for p in (1, 2, 3)]


@pytest.mark.parametrize("module", [collection, predicates], ids=lambda module: module.__name__)
def test_the_examples_of_the_docstrings(module):
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert not found.failed


@pytest.mark.parametrize(
    "order", list(permutations(REPORTS)), ids=lambda order: str([r.process for r in order])
)
def test_reports_may_come_in_any_order(order):
    collector = Collector(RING3, lambda snapshot: len(snapshot.channels) == 3)
    state = collector.initial()
    for report in order:
        assert collector.conclude(state) is None
        state = collector.collect(state, report)
    assert collector.assembled(state) == Snapshot(
        {p: frozenset({p}) for p in (1, 2, 3)}, {(3, 1): ("m",), (1, 2): ("m",) * 2, (2, 3): ("m",) * 3}
    )
    concluded = collector.conclude(state)
    assert (state.verdict, concluded.verdict) == (PENDING, HOLDS)
    assert collector.conclude(concluded) is None


def test_a_report_that_comes_twice_changes_nothing_and_another_one_is_refused():
    collector = Collector(RING3, never)
    state = collector.collect(collector.initial(), REPORTS[0])
    assert collector.collect(state, REPORTS[0]) == state
    with pytest.raises(PeerError, match="reported before"):
        collector.collect(state, REPORTS[0]._replace(state=frozenset()))
    with pytest.raises(PeerError, match="no process 4"):
        collector.collect(state, REPORTS[0]._replace(process=4))


def test_a_process_reports_when_its_part_is_complete_and_stays_as_it_was():
    p1 = Reporter(1, RING2, Items(2))
    state, *_ = p1.initiate(p1.initial(frozenset({1, 2})))
    assert p1.report(state) is None
    state, *_ = p1.accept_marker(state, (2, 1))
    after, report = p1.report(state)
    assert after == state
    assert report == Report(1, frozenset({1, 2}), (((2, 1), ()),))


# -- tasks and predicates ------------------------------------------------------------------------------------


def task(held=(0, 0), retired=(0, 0), waiting=False, losses=0, duplicates=0):
    return (held, retired, waiting, losses, duplicates)


def ask(name, states, channels=(), enough=1, **options):
    snapshot = Snapshot(dict(enumerate(states, start=1)), {(1, 2): (), (2, 1): (), **dict(channels)})
    return predicate_of(name, Tasks(2, **options), enough)(snapshot)


IDLE, BOTH_RETIRED = task(), task(retired=(1, 1))


@pytest.mark.parametrize(
    ("name", "states", "channels", "options", "holds"),
    [
        ("Terminated", [IDLE, BOTH_RETIRED], {}, {}, True),
        ("Terminated", [IDLE, task(retired=(1, 0))], {(1, 2): (2,)}, {}, False),
        ("Terminated", [task(held=(1, 0)), IDLE], {}, {}, False),
        ("Terminated", [task((1, 0), waiting=True), IDLE], {}, {"need": 2}, False),
        ("Deadlocked", [task((1, 0), waiting=True), task((0, 1), waiting=True)], {}, {"need": 2}, True),
        ("Deadlocked", [task((1, 0), waiting=True), IDLE], {(1, 2): (2,)}, {"need": 2}, False),
        ("Deadlocked", [task((1, 0), waiting=True), task((0, 1))], {}, {"need": 2}, False),
        ("Deadlocked", [IDLE, BOTH_RETIRED], {}, {}, False),
        ("ItemLost", [task((1, 0)), IDLE], {}, {}, True),
        ("ItemLost", [task((1, 0)), IDLE], {(2, 1): (2,)}, {}, False),
        ("ItemDuplicated", [task((1, 1)), task(retired=(0, 1))], {}, {}, True),
        ("ItemDuplicated", [task((1, 1)), IDLE], {}, {}, False),
        ("Retired", [IDLE, task(retired=(1, 0))], {}, {"enough": 1}, True),
        ("Retired", [IDLE, task(retired=(1, 0))], {}, {"enough": 2}, False),
        ("UnstableHolding", [task((1, 0)), IDLE], {}, {}, True),
        ("UnstableHolding", [task((0, 1)), task((1, 0))], {}, {}, False),
    ],
)
def test_what_a_predicate_means(name, states, channels, options, holds):
    assert ask(name, states, channels, **options) is holds


def test_an_unknown_predicate_is_an_error():
    with pytest.raises(SpecError, match="no predicate Nothing") as caught:
        predicate_of("Nothing", Tasks(1))
    assert all(name in caught.value.hint for name in PREDICATES)


@given(st.data(), st.integers(1, 3), st.integers(0, 2), st.integers(0, 2), st.integers(1, 3))
def test_tasks_keep_their_law_whatever_happens(data, number, losses, duplicates, need):
    tasks = Tasks(number, need=need, losses=losses, duplicates=duplicates)
    states = list(next(tasks.initial_states(RING2)))
    queues = {(1, 2): (), (2, 1): ()}
    for _ in range(data.draw(st.integers(0, 12))):
        moves = []
        for (p, q), queue in queues.items():
            moves += [("send", p, (p, q), m) for m in tasks.sendable(p, (p, q), states[p - 1])]
            moves += [("accept", q, (p, q), queue[0])] if queue else []
        for p in (1, 2):
            moves += [("internal", p, None, after) for after in tasks.internals(p, states[p - 1])]
        if not moves:
            break
        kind, p, channel, what = data.draw(st.sampled_from(moves))
        if kind == "internal":
            states[p - 1] = what
        elif kind == "send":
            states[p - 1] = tasks.after_send(p, channel, states[p - 1], what)
            queues[channel] += (what,)
        else:
            states[p - 1] = tasks.after_accept(p, channel, states[p - 1], what)
            queues[channel] = queues[channel][1:]
    assert tasks.conserved(states, queues.values())
    robbed = [(tuple(0 for _ in held), *rest) for held, *rest in states]
    if any(copies(t, states, ()) > copies(t, robbed, ()) for t in tasks.tasks):
        assert not tasks.conserved(robbed, queues.values())
