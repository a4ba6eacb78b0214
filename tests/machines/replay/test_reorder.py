"""The equivalent computation: the laws of E9 and E10 on every trace, and that each is seen to be broken."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, given, settings

from pyharness.base.errors import ConformanceError, SpecError
from pyharness.base.topology import Topology
from pyharness.machines.protocols import RED, WHITE, Items
from pyharness.machines.replay import reorder as reorder_module
from pyharness.machines.replay.reorder import (
    as_snapshot,
    inversions,
    reorder,
    reorder_path,
    stuck_pairs,
    swap,
    verify,
)
from pyharness.machines.replay.worked_examples import load_example, take
from pyharness.machines.systems import build_system
from pyharness.machines.systems.computation import ComputationSystem
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn
from tests.machines.replay.walks import as_trace, walk, walks

FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])
COMPLETE = ["all-at-once", "four-channels", "kuper", "nondeterministic", "single-token"]
SLOWLY = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])


def reordered(name):
    schedule = load_example(name)
    taken = take(schedule)
    return reorder_path(taken.path, taken.system)


def swapping():
    """A system and a path of it whose reordering takes a few swaps."""
    system = build_system("ChandyLamport", FOUR, Items(3))
    paths = (walk(system, random.Random(seed).choice, 20)[0] for seed in range(100))
    return system, next(path for path in paths if len(reorder_path(path, system).swaps) > 2)


def with_swaps():
    system, path = swapping()
    return reorder_path(path, system)


# -- what was published --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMPLETE)
def test_a_worked_example_is_reordered_and_has_its_published_snapshot(name):
    found = reordered(name)
    assert found.sss == load_example(name).expected
    assert found.occurred != (name in {"kuper", "nondeterministic"})


# -- the laws ------------------------------------------------------------------------------------------------


@SLOWLY
@given(walks())
def test_every_complete_computation_has_its_equivalent(walked):
    system, path, names = walked
    assume(system.complete(path[-1]))
    found = reorder(as_trace(system, path, names), system)
    colours = [action.colour for action in found.actions]
    assert colours == sorted(colours, reverse=True)
    assert len(found.swaps) == inversions(found.original)
    assert [s.inversions for s in found.swaps] == list(reversed(range(len(found.swaps))))
    for colour in (WHITE, RED):
        assert [a for a in found.actions if a.colour == colour] == [
            a for a in found.original if a.colour == colour
        ]
    for process in range(1, system.topology.processes + 1):
        own = [[a for a in o if a.local.process == process] for o in (found.original, found.actions)]
        assert own[0] == own[1]
    assert found.s0 == found.computation.underlying(path[0])
    assert found.s1 == found.computation.underlying(path[-1])
    between = as_snapshot(found.states[found.whites])
    assert between == found.sss
    assert dict(enumerate(between.states, start=1)) == system.recorded_states(path[-1])
    assert list(between.channels) == system.recorded_channels(path[-1])
    assert system.application.conserved(between.states, between.channels)


@SLOWLY
@given(walks())
def test_what_came_before_the_snapshot_and_after_it_stays(walked):
    system, path, _ = walked
    assume(system.complete(path[-1]))
    found = reorder_path(path, system)
    colours = [action.colour for action in found.original]
    first = colours.index(RED) if RED in colours else len(colours)
    last = len(colours) - colours[::-1].index(WHITE) if WHITE in colours else 0
    assert found.actions[:first] == found.original[:first]
    assert found.actions[last:] == found.original[last:]
    assert found.states[: first + 1] == found.original_states[: first + 1]
    assert found.states[max(last, first) :] == found.original_states[max(last, first) :]


@SLOWLY
@given(walks())
def test_any_adjacent_actions_swap_unless_they_are_one_machines_or_the_first_feeds_the_second(walked):
    system, path, _ = walked
    assume(system.complete(path[-1]))
    found = reorder_path(path, system)
    reasons = dict(stuck_pairs(found))
    for position, (one, other) in enumerate(pairwise(found.original), start=1):
        states = found.original_states[position - 1]
        empty = {c for c, q in zip(system.channels, states.queues, strict=True) if not q}
        feeds = {c for c, _ in one.local.sent} & {c for c, _ in other.local.accepted} & empty
        assert (position in reasons) == (one.local.process == other.local.process or bool(feeds))
        if position in reasons:
            assert ("keep their order" in reasons[position]) or (
                "accepts what that sends" in reasons[position]
            )
            assert (one.colour, other.colour) != (RED, WHITE)


# -- controls: what must not swap ----------------------------------------------------------------------------


def test_where_a_full_channel_blocks_actions_of_different_machines_do_not_commute():
    capped = build_system("WhiteRed", FOUR, Items(2), mutant="CappedChannel").network
    system = ComputationSystem(FOUR, Items(2, {1: [1, 2]}), network=capped)
    first = next(system.initial())
    before = next(after for action, after in system.local_actions(first) if action.sent)
    accept, emptied = next((a, after) for a, after in system.local_actions(before) if a.accepted)
    send = next(a for a, _ in system.local_actions(emptied) if a.process == 1 and a.sent)
    with pytest.raises(ConformanceError, match="it is not possible there"):
        swap(system, before, accept, send)


def test_another_outcome_of_the_other_order_is_seen():
    class Forgetful(ComputationSystem):
        taken = 0

        def take(self, state, action):
            self.taken += 1
            after = super().take(state, action)
            return after if self.taken < 4 else state

    found = reordered("nondeterministic")
    system = Forgetful(found.computation.topology, found.computation.application)
    with pytest.raises(ConformanceError, match="lead to another state"):
        swap(system, found.s0, *(action.local for action in found.original[:2]))


# -- sabotage: a reordering that says what is not so ---------------------------------------------------------


def recoloured(r):
    at = next(i for i, action in enumerate(r.original) if action.colour == RED)
    actions = list(r.original)
    actions[at] = actions[at]._replace(colour=WHITE)
    return replace(r, original=tuple(actions))


def resting(r):
    queues = tuple((*q, *q) for q in r.states[1].queues)
    return (*r.states[:1], r.states[1]._replace(queues=queues, local=r.s1.local), *r.states[2:])


SABOTAGES = {
    "a swap is missing": (lambda r: replace(r, swaps=r.swaps[:-1]), "swaps for"),
    "a swap is one too many": (lambda r: replace(r, swaps=(*r.swaps, r.swaps[-1])), "swaps for"),
    "two swaps changed places": (lambda r: replace(r, swaps=r.swaps[::-1]), "other actions than are there"),
    "the inversions do not fall": (lambda r: replace(r, swaps=(r.swaps[0]._replace(inversions=9), *r.swaps[1:])),
        "swap 1 leaves"),
    "the snapshot is another": (lambda r: replace(r,
        sss=r.sss._replace(states=(*r.sss.states[:-1], frozenset({9})))), "another snapshot"),
    "an action is missing": (lambda r: replace(r, actions=r.actions[:-1]), "lead through"),
    "an action and its state are missing": (lambda r: replace(r, actions=r.actions[1:],
        states=(r.states[0], *r.states[2:])), "leads elsewhere"),
    "the last action and its state are missing": (lambda r: replace(r, actions=r.actions[:-1], states=r.states[:-1]),
        "ends in another state"),
    "the first action and its state are missing": (lambda r: replace(r, actions=r.actions[1:], states=r.states[1:]),
        "begins in another state"),
    "a state is altered": (lambda r: replace(r, states=resting(r)), "leads elsewhere"),
    "nothing was sorted": (lambda r: replace(r, actions=r.original, states=r.original_states),
        "not those of before, white ones first"),
    "an action has another colour": (recoloured, "white ones first"),
    "the last state is another, on both sides": (lambda r: replace(r, states=(*r.states[:-1], r.s0),
        original_states=(*r.original_states[:-1], r.original_states[0])), "leads elsewhere"),
    "what was taken at first leads elsewhere": (lambda r: replace(r,
        original_states=(r.s0, *r.original_states[:1], *r.original_states[2:])), "leads elsewhere"),
}  # fmt: skip


@pytest.mark.parametrize("kind", SABOTAGES)
def test_a_false_reordering_is_refused(kind):
    sabotage, reason = SABOTAGES[kind]
    found = with_swaps()
    verify(found)
    with pytest.raises(ConformanceError, match=reason):
        verify(sabotage(found))


@pytest.mark.parametrize("which", [0, 1])
def test_both_orders_must_define_the_snapshot(monkeypatch, which):
    found = with_swaps()
    other = found.sss._replace(states=(frozenset({9}),) * 3)
    answers = [other if side == which else found.sss for side in (0, 1)]
    monkeypatch.setattr(reorder_module, "snapshot_of", lambda *_: answers.pop(0))
    with pytest.raises(ConformanceError, match="its colours define another snapshot"):
        verify(found)


# -- what cannot be reordered --------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", ["ChandyLamport", "WhiteRed", "StopTheWorld"])
def test_a_snapshot_that_is_not_complete_is_said_to_be_so(protocol):
    system = build_system(protocol, FOUR, Items(1))
    start = Trace((TraceStep(None, Fn(system.variables(next(system.initial())).items())),))
    with pytest.raises(
        SpecError, match="the snapshot of this trace is not complete; not recorded: P1, P2, P3"
    ):
        reorder(start, system)


def test_a_trace_that_the_implementation_cannot_take_is_not_reordered():
    system = build_system("ChandyLamport", FOUR, Items(2))
    path, names = walk(system, random.Random(3).choice, 10)
    trace = as_trace(system, path, names)
    cut = Trace((*trace.steps[:3], *trace.steps[4:]))
    with pytest.raises(ConformanceError, match="step 4: the implementation cannot take"):
        reorder(cut, system)


@pytest.mark.parametrize("mutant", ["LateTurn", "MarkerAfterMessage", "NonFifoChannel"])
def test_a_computation_with_red_in_white_is_refused(mutant):
    """E20: the rule is sharp, so these computations have no equivalent, and the sorting must find that out."""
    system = build_system("ChandyLamport", FOUR, Items(3), mutant=mutant)
    broken = [
        path
        for path, _ in (walk(system, random.Random(seed).choice, 25) for seed in range(100))
        if system.complete(path[-1]) and any(path[-1].red_in_white)
    ]
    assert len(broken) > 3
    for path in broken:
        with pytest.raises(ConformanceError, match=r"accepts what that sends|no computation|is not SSS"):
            reorder_path(path, system)


@SLOWLY
@given(walks(protocols=("ChandyLamport",), mutant="DropChannelState"))
def test_what_is_recorded_wrongly_is_refused(walked):
    system, path, _ = walked
    assume(system.complete(path[-1]))
    if system.recorded_channels(path[-1]) == list(path[-1].white_in_red):
        reorder_path(path, system)
    else:
        with pytest.raises(ConformanceError, match=r"what was recorded is not SSS \(E6\)"):
            reorder_path(path, system)
