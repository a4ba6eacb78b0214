"""Fairness in Python is that of the specs: of the same actions, and in Checkpoints of the disjunction."""

from __future__ import annotations

import re
from itertools import pairwise
from types import SimpleNamespace

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology
from pyharness.machines.protocols import END, Barrier, Cancel, Dataflow, Items, Message
from pyharness.machines.replay.replay import is_fair
from pyharness.machines.systems import build_system

PIPELINE = Topology.of(2, [(1, 2)], [1])
SPEC_OF = {
    "Checkpoints": Dataflow(1),
    **dict.fromkeys(("WhiteRed", "ChandyLamport", "StopTheWorld", "Collection"), Items(1)),
    **dict.fromkeys(
        ("AlignedBarriers", "AtLeastOnceBarriers", "UnalignedBarriers", "TimeoutBarriers", "CyclicBarriers"),
        Dataflow(1),
    ),
}


@pytest.mark.parametrize(("spec", "application"), SPEC_OF.items(), ids=SPEC_OF)
def test_the_fair_actions_are_those_of_the_spec(spec, application):
    text = (SPECS / f"{spec}.tla").read_text(encoding="utf-8")
    fairness = re.search(r"^C?Fairness ==\n((?:  .*\n)+)", text, re.MULTILINE)[1]
    names = set(re.findall(r"WF_c?vars\((\w+)", fairness))
    system = build_system(spec, PIPELINE, application)
    assert {name for name, _ in system.fair_actions()} == names


def test_the_disjunction_is_that_of_the_spec():
    text = (SPECS / "Checkpoints.tla").read_text(encoding="utf-8")
    parts = re.search(r"^Receive\(c\) == (.*)$", text, re.MULTILINE)[1]
    system = build_system("Checkpoints", PIPELINE, Dataflow(1))
    assert dict.fromkeys(re.findall(r"(\w+)\(c\)", parts), "Receive") == system.disjunctions


def checkpoints(*queues, mode="unaligned", mutant=None):
    """A system, and for each of some queues a state in which nothing but the one channel can move."""
    system = build_system(
        "Checkpoints", PIPELINE, Dataflow(1), mutant=mutant, constants={"Mode": mode, "MaxCheckpoints": 1}
    )
    (state,) = system.initial()
    for name in ("Send", "Trigger", "Inject"):
        (state,) = [action.after for action in system.actions(state) if action.name == name]
    return system, [state._replace(queues=(queue,)) for queue in queues]


RECORD = Message((1, 1, 0))


def names(system, state):
    return {action.name for action in system.actions(state)}


def test_a_loop_in_which_some_part_is_always_possible_and_none_is_taken_is_not_fair():
    """TLA+: WF_vars(Receive(c)). Of each part by itself the loop would be fair: none is possible all the time."""
    system, loop = checkpoints((RECORD,), (Barrier(1),), (Cancel(1),), (END,))
    assert [names(system, state) for state in loop] == [
        {"Accept"},
        {"AcceptBarrier"},
        {"AcceptCancel"},
        {"AcceptEnd"},
    ]
    assert not is_fair(system, loop)
    assert is_fair(system, [*loop, loop[0]._replace(queues=((),))])


def test_a_loop_in_which_one_part_is_taken_and_another_always_possible_is_fair():
    """Of each part by itself it would not be fair: the barrier could overtake all the time, and never does."""
    system, (before,) = checkpoints((RECORD, Barrier(1)))
    (after,) = [action.after for action in system.actions(before) if action.name == "Accept"]
    loop = [before, after]
    assert all("AcceptBarrier" in names(system, state) for state in loop)
    assert not any(
        action.name == "AcceptBarrier" and action.after == b
        for a, b in [*pairwise(loop), (after, before)]
        for action in system.actions(a)
    )
    assert is_fair(system, loop)
    assert is_fair(system, loop[::-1]), "the step from the last state to the first is one of the loop"


def test_a_step_is_taken_forwards():
    """In each of three states the action is possible; in the first one it leads to the second."""
    after = {1: 2, 2: 4, 3: 4}
    system = SimpleNamespace(
        disjunctions={},
        fair_actions=lambda: {("Go", "P1")},
        actions=lambda state: [SimpleNamespace(name="Go", place="P1", after=after[state])],
    )
    assert is_fair(system, [1, 2, 3])
    assert not is_fair(system, [1, 3, 2])


def test_a_channel_that_need_not_deliver_is_not_fair_in_any_protocol():
    system = build_system("Checkpoints", PIPELINE, Dataflow(1), mutant="UnfairChannel")
    assert system.fair_actions() == {
        *((action, name) for action in ("Inject", "EndSource") for name in ("P1", "P2")),
        *(("Acknowledge", f"{name}, 1") for name in ("P1", "P2")),
    }
