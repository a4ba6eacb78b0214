"""The dataflow application: where records go, and that its law is broken by whatever goes missing or comes twice."""

from __future__ import annotations

import pytest

from pyharness.base.topology import dataflows
from pyharness.machines.protocols import Dataflow, FoldState
from pyharness.machines.systems import build_system
from pyharness.machines.systems.system import messages_in

ACYCLIC = [graph for n in (2, 3) for graph in dataflows("acyclic", n)]
(JOIN,) = dataflows("join", 3)
(DIAMOND,) = dataflows("diamond", 4)
(LOOP,) = dataflows("loop", 4)
GRAPHS = [*ACYCLIC, LOOP]


def reachable(topology, records):
    system = build_system("Computation", topology, Dataflow(records))
    seen = dict.fromkeys(system.initial())
    waiting = list(seen)
    for state in waiting:
        for action in system.actions(state):
            if action.after not in seen:
                seen[action.after] = None
                waiting.append(action.after)
    return system, waiting


def parts(state):
    """The local states, and the records in each channel."""
    return [local.app for local in state.local], [
        tuple(m.msg for m in messages_in(queue)) for queue in state.queues
    ]


def cases(records):
    return [
        pytest.param(topology, count, id=f"{topology.id}-{count}") for topology in GRAPHS for count in records
    ]


# -- the law -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("topology", "records"), cases([1, 2]))
def test_every_reachable_state_obeys_the_law(topology, records):
    system, states = reachable(topology, records)
    assert len(states) > records
    for state in states:
        assert system.application.conserved(*parts(state))
        assert system.application.nothing_lost(*parts(state))


@pytest.mark.parametrize(("topology", "records"), cases([2]))
def test_the_computation_ends_when_all_is_folded(topology, records):
    """In the one last state nothing moves, and each source's records have come to some sink."""
    system, states = reachable(topology, records)
    (last,) = [state for state in states if not list(system.actions(state))]
    local, channels = parts(last)
    assert not any(channels)
    folds = [FoldState(*app) for app in local]
    assert {fold.offset for fold in folds} == {records}
    assert not any(fold.outbox for fold in folds)
    sinks = [fold for fold in folds if not (fold.forward or fold.back)]
    for source in system.topology.initiators:
        for number in range(records):
            assert sum(fold.folded[source - 1][number] for fold in sinks) == 1


@pytest.mark.parametrize(("topology", "records"), cases([1, 2]))
def test_a_record_lost_or_doubled_in_a_channel_breaks_the_law(topology, records):
    system, states = reachable(topology, records)
    law, bound = system.application.conserved, system.application.nothing_lost
    tampered = 0
    for state in states:
        local, channels = parts(state)
        for index, queue in enumerate(channels):
            for place in range(len(queue)):
                without = [*channels]
                without[index] = queue[:place] + queue[place + 1 :]
                assert not law(local, without)
                assert not bound(local, without)
                twice = [*channels]
                twice[index] = (*queue[: place + 1], *queue[place:])
                assert not law(local, twice)
                assert bound(local, twice)
                tampered += 1
    assert tampered


@pytest.mark.parametrize(("topology", "records"), cases([2]))
def test_a_fold_or_an_outbox_that_is_off_by_one_breaks_the_law(topology, records):
    system, states = reachable(topology, records)
    law, bound = system.application.conserved, system.application.nothing_lost
    emptied = 0
    for state in states:
        local, channels = parts(state)
        for p, app in enumerate(local):
            own = FoldState(*app)
            changed = [*local]
            if own.outbox:
                changed[p] = tuple(own._replace(outbox=()))
                assert not law(changed, channels)
                assert not bound(changed, channels)
                emptied += 1
            for q, row in enumerate(own.folded):
                for n, count in enumerate(row):
                    for other in {max(count - 1, 0), count + 1} - {count}:
                        fold = (*row[:n], other, *row[n + 1 :])
                        changed[p] = tuple(own._replace(folded=(*own.folded[:q], fold, *own.folded[q + 1 :])))
                        assert not law(changed, channels)
                        assert bound(changed, channels) == (other > count)
    passes_on = [p for p in range(1, topology.processes + 1) if topology.inputs(p) and topology.outputs(p)]
    assert bool(emptied) == bool(passes_on)


# -- the ways of records -------------------------------------------------------------------------------------


def test_a_record_is_passed_on_before_the_next_is_accepted():
    application = Dataflow(2)
    state = next(application.initial_states(JOIN))[2]
    record = (1, 1, 0)
    folded = application.after_accept(3, (1, 3), state, record)
    assert FoldState(*folded).outbox == ()
    assert application.acceptable(3, (2, 3), folded, (2, 1, 0))
    (pipeline,) = dataflows("pipeline", 3)
    state = next(application.initial_states(pipeline))[1]
    folded = application.after_accept(2, (1, 2), state, record)
    assert FoldState(*folded).outbox == (record,)
    assert not application.acceptable(2, (1, 2), folded, (1, 2, 0))
    passed = application.after_send(2, (2, 3), folded, record)
    assert application.acceptable(2, (1, 2), passed, (1, 2, 0))
    assert FoldState(*passed).offset == 2
