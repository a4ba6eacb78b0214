"""States of checkpoints, read from the spec's variables: there and back, and nothing that is not whole."""

from __future__ import annotations

import pytest

from pyharness.base.errors import ConformanceError
from pyharness.base.topology import dataflows
from pyharness.machines.systems.checkpoint_system import CheckpointDecoder
from pyharness.models.model import Model
from pyharness.tla.values import Fn

CONSTANTS = {"Records": 1, "MaxCheckpoints": 2, "Overlap": 1, "MaxDeclines": 1, "MaxCrashes": 1, "Ends": 1}
(JOIN,) = dataflows("join", 3)


def explored(mode, most=3000):
    model = Model(
        "m",
        "Checkpoints",
        (JOIN,),
        application="Dataflow",
        stop="",
        constants=Fn([("Mode", mode), *CONSTANTS.items()]),
    )
    system = model.system(JOIN)
    waiting, seen = list(system.initial()), set()
    while waiting and len(seen) < most:
        state = waiting.pop()
        if state not in seen:
            seen.add(state)
            waiting += [action.after for action in system.actions(state)]
    return system, seen


@pytest.mark.parametrize("mode", ["aligned", "unaligned", "at-least-once", "timeout"])
def test_there_and_back(mode):
    system, states = explored(mode)
    decoder = CheckpointDecoder(system)
    assert len(states) == 3000
    for state in states:
        assert decoder.decode(system.variables(state)) == state


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("triggered", True),
        ("completed", (1,)),
        ("crashes", frozenset()),
        ("aborts", ((0, 0), (0, False), (0, 0))),
        ("ended", frozenset({9})),
        ("chan", ()),
        ("topo", "n2-6-i1"),
        ("open", ()),
        ("aborts", ((0, 0),)),
        ("more", 1),
    ],
)
def test_what_is_no_state_is_refused(variable, value):
    system, _ = explored("aligned", 1)
    variables = system.variables(next(iter(system.initial())))
    with pytest.raises(ConformanceError):
        CheckpointDecoder(system).decode({**variables, variable: value})
