"""Replay: agreement on behaviours, and divergence on everything that is none."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology
from pyharness.machines.protocols import Items, Tasks
from pyharness.machines.replay import replay
from pyharness.machines.systems import Composition, build_system
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn
from tests.each_case import each_case

RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])


def behaviour(system, seed, length=15):
    """A random behaviour of the implementation, as a trace."""
    draw = random.Random(seed)
    state = next(system.initial())
    steps = [TraceStep(None, Fn(system.variables(state).items()))]
    for _ in range(length):
        actions = list(system.actions(state))
        if not actions or system.over(state):
            break
        action = draw.choice(actions)
        state = action.after
        steps.append(TraceStep(action.name, Fn(system.variables(state).items())))
    return Trace(tuple(steps))


@pytest.mark.parametrize("protocol", ["ChandyLamport", "StopTheWorld", "WhiteRed"])
@pytest.mark.parametrize("seed", range(10))
def test_a_behaviour_agrees(protocol, seed):
    system = build_system(protocol, FOUR, Items(2))
    trace = behaviour(system, seed)
    found = replay(trace, system)
    assert found.agreed
    assert found.steps == len(trace)
    assert not found.violated


def dropped(trace, at):
    return Trace(trace.steps[:at] + trace.steps[at + 1 :])


def swapped(trace, at):
    steps = list(trace.steps)
    steps[at], steps[at + 1] = steps[at + 1], steps[at]
    return Trace(tuple(steps))


def renamed(trace, at):
    step = trace.steps[at]
    steps = list(trace.steps)
    steps[at] = TraceStep("Accept" if step.action != "Accept" else "Send", step.state)
    return Trace(tuple(steps))


def altered(variable, value):
    def alter(trace, at):
        steps = list(trace.steps)
        state = dict(steps[at].state.items())
        steps[at] = TraceStep(steps[at].action, Fn({**state, variable: value}.items()))
        return Trace(tuple(steps))

    return alter


TAMPERINGS = {
    "drop a step": dropped,
    "swap two steps": swapped,
    "rename an action": renamed,
    "lose the items": altered("state", (frozenset(), frozenset(), frozenset())),
    "open a channel": altered("closed", frozenset({(9, 9)})),
    "record nothing": altered("recState", (frozenset({7}),)),
    "count TRUE as 1": altered("markers", Fn({c: c == (1, 2) for c in FOUR.channels}.items())),
}


@each_case("kind, seed", product(TAMPERINGS, range(8)))
def test_a_tampered_trace_diverges(kind, seed):
    system = build_system("ChandyLamport", FOUR, Items(2))
    trace = behaviour(system, seed)
    at = random.Random(seed).randrange(1, len(trace) - 2)
    tampered = TAMPERINGS[kind](trace, at)
    if tampered == trace:
        return  # this tampering changes nothing here
    found = replay(tampered, system)
    assert not found.agreed
    assert found.divergence.step in (at, at + 1, at + 2)
    assert "enabled" in str(found.divergence)


def test_another_initial_state_diverges_at_once():
    trace = behaviour(build_system("ChandyLamport", RING2, Items(2, "initiator")), 1)
    found = replay(trace, build_system("ChandyLamport", RING2, Items(2, "spread")))
    assert found.divergence.step == 1


def test_a_variable_of_the_trace_that_the_implementation_does_not_have_is_an_error():
    """Left out, nothing would be held against it."""
    system = build_system("ChandyLamport", RING2, Items(1))
    trace = behaviour(system, 1)
    more = [replace(step, state=step.state.updated(Fn([("more", 1)]))) for step in trace.steps]
    fewer = [
        replace(step, state=Fn((name, value) for name, value in step.state.items() if name != "closed"))
        for step in trace.steps
    ]
    for steps, has in ((more, "the trace has more"), (fewer, "the implementation has closed")):
        with pytest.raises(SpecError, match=f"differ in their variables: only {has}"):
            replay(Trace(tuple(steps)), system)


EVERY = {
    "ChandyLamport": Composition("ChandyLamport", Items(2), "event"),
    "StopTheWorld": Composition("StopTheWorld", Items(2), "event"),
    "WhiteRed": Composition("WhiteRed", Items(2), "event"),
    "Collection": Composition("Collection", Tasks(1), "event", {"Enough": 1}, "Terminated"),
}


@pytest.mark.parametrize("protocol", EVERY)
def test_no_variable_is_left_out(protocol):
    """In each step the value of one variable is replaced by another one that it has somewhere."""
    system = EVERY[protocol].on(RING2)
    traces = [behaviour(system, seed, 60) for seed in range(40)]
    trace = max(traces[:5], key=len)
    states = [step.state for each in traces for step in each.steps]
    values = {name: list(dict.fromkeys(state[name] for state in states)) for name in states[0]}
    changed = set()
    for at, step in enumerate(trace.steps):
        for name, known in values.items():
            other = next((value for value in known if value != step.state[name]), None)
            if other is None:
                continue
            state = step.state.updated(Fn([(name, other)]))
            steps = (*trace.steps[:at], replace(step, state=state), *trace.steps[at + 1 :])
            found = replay(Trace(steps), system, check_properties=False)
            assert not found.agreed, name
            assert found.steps <= at
            changed.add(name)
    assert {"state", "chan", "recState", "recChan"} <= changed
    assert changed == {name for name, known in values.items() if len(known) > 1}


def test_a_loop_is_believed_only_if_the_last_state_steps_to_where_it_returns():
    system = build_system("ChandyLamport", RING2, Items(1, "initiator"))
    state = next(system.initial())
    steps = [TraceStep(None, Fn(system.variables(state).items()))]
    for name in ("Send", "Accept", "Send", "Accept"):  # the item goes once around
        state = next(action.after for action in system.actions(state) if action.name == name)
        steps.append(TraceStep(name, Fn(system.variables(state).items())))
    assert steps[-1].state == steps[0].state
    assert replay(Trace(tuple(steps[:4]), lasso=0), system).agreed
    for length, lasso in ((3, 0), (4, 2)):
        found = replay(Trace(tuple(steps[:length]), lasso=lasso), system)
        assert not found.agreed
        assert found.divergence.step == length + 1


def test_what_never_happens_is_asked_of_behaviours_without_end():
    """An initiator reaches nobody, so the snapshot is never complete: not while items go round, nor when all is still.

    What is red in the end is those whom it reaches, but not in the states before the loop.
    """
    apart = Topology.of(3, [(2, 3), (3, 2)], [1])
    system = build_system("ChandyLamport", apart, Items(1, {2: [1]}))
    still = build_system("ChandyLamport", apart, Items(1, "initiator"))
    for taken, names, ending in (
        (system, ("Initiate", "Send", "Accept", "Send"), {"lasso": 1}),
        (still, ("Initiate",), {"stuttering": True}),
    ):
        state = next(taken.initial())
        steps = [TraceStep(None, Fn(taken.variables(state).items()))]
        for name in names:
            state = next(action.after for action in taken.actions(state) if action.name == name)
            steps.append(TraceStep(name, Fn(taken.variables(state).items())))
        whole = Trace(tuple(steps))
        found = replay(replace(whole, **ending), taken)
        assert found.agreed
        assert found.violated_at == dict.fromkeys(("EventuallyComplete", "EventuallyAllRed"), len(steps))
        assert not replay(whole, taken).violated
        assert not replay(replace(whole, **ending), taken, check_properties=False).violated


def test_a_property_is_asked_at_every_step():
    system = build_system("WhiteRed", RING2, Items(1), mutant="TurnBack")
    late = 0
    for seed in range(30):
        trace = behaviour(system, seed)
        prefixes = (Trace(trace.steps[:length]) for length in range(1, len(trace) + 1))
        first = next((len(p) for p in prefixes if "TurnsRedOnce" in replay(p, system).violated), None)
        assert replay(trace, system).violated_at.get("TurnsRedOnce") == first
        late += first is not None and first < len(trace)
    assert late
