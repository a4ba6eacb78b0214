"""Flink's barriers: every reachable state keeps what its spec promises, and every seeded bug breaks something."""

from __future__ import annotations

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology, dataflows
from pyharness.machines.protocols import Dataflow
from pyharness.machines.protocols.snapshot_mutants import ANY_BARRIER_MUTANTS
from pyharness.machines.systems import (
    MUTANTS,
    build_system,
    protocols_of,
)
from pyharness.machines.systems.barrier_systems import BARRIER_PROTOCOLS

(JOIN,) = dataflows("join", 3)
(LOOP,) = dataflows("loop", 4)

BARRIERS = [spec.name for spec in BARRIER_PROTOCOLS]
BARRIER_MUTANTS = {
    name for spec in BARRIER_PROTOCOLS for name in spec.mutants if name not in ANY_BARRIER_MUTANTS
}


# -- what holds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", BARRIERS)
def test_a_checkpoint_of_nothing_but_barriers_completes(spec):
    """Sources hear of the checkpoint before they emit anything."""
    system = build_system(spec, JOIN, Dataflow(1))
    (state,) = system.initial()
    while True:
        control = [a for a in system.actions(state) if a.name in {"Initiate", "AcceptBarrier"}]
        if not control:
            break
        state = control[0].after
    assert system.complete(state)
    assert not any(system.recorded_channels(state))


# -- what holds of some only -------------------------------------------------------------------------------------


# -- seeded bugs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted({*BARRIER_MUTANTS, *ANY_BARRIER_MUTANTS}))
def test_a_seeded_bug_belongs_to_its_protocols(name):
    assert name in MUTANTS
    fits = set(protocols_of(name))
    assert len(fits) in {1, 5}
    for spec in (*BARRIERS, "ChandyLamport", "StopTheWorld", "WhiteRed"):
        if spec in fits:
            system = build_system(spec, JOIN, Dataflow(1), mutant=name)
            parts = {type(part).__name__ for part in (*system.processes, system.network)}
            assert parts in ({name, "Network"}, {name, spec})
        else:
            with pytest.raises(SpecError, match="mutant of"):
                build_system(spec, JOIN, Dataflow(1), mutant=name)


# -- one at a time -----------------------------------------------------------------------------------------------


TWO_INTO_ONE = Topology.of(3, [(1, 3), (2, 3)], [1, 2])


def after(system, state, *names):
    """The state after these actions, each written as ``Accept(C13)`` without the message."""
    for name in names:
        (state,) = (
            action.after for action in system.actions(state) if f"{action.name}({action.place})" == name
        )
    return state


def possible(system, state):
    return {f"{action.name}({action.place})" for action in system.actions(state)}


BEHIND = ("Initiate(P1)", "Send(C13)", "AcceptBarrier(C13)")
"""A record of source 1 is behind its barrier, and that has been accepted."""


@pytest.mark.parametrize(
    ("spec", "blocked"),
    [
        ("AlignedBarriers", True),
        ("CyclicBarriers", True),
        ("TimeoutBarriers", True),
        ("UnalignedBarriers", False),
        ("AtLeastOnceBarriers", False),
    ],
)
def test_what_is_blocked_behind_a_barrier(spec, blocked):
    system = build_system(spec, TWO_INTO_ONE, Dataflow(1))
    (start,) = system.initial()
    state = after(system, start, *BEHIND)
    assert ("Accept(C13)" in possible(system, state)) != blocked
    done = after(system, state, "Initiate(P2)", "AcceptBarrier(C23)")
    assert system.complete(done)
    assert "Accept(C13)" in possible(system, done)


@pytest.mark.parametrize("spec", BARRIERS)
def test_who_overtakes(spec):
    """A record is queued ahead of the second barrier."""
    system = build_system(spec, TWO_INTO_ONE, Dataflow(1))
    (start,) = system.initial()
    state = after(system, start, "Send(C23)", "Initiate(P2)", *BEHIND)
    assert ("AcceptBarrier(C23)" in possible(system, state)) == (spec == "UnalignedBarriers")
    assert ("TimeOut(P3)" in possible(system, state)) == (spec == "TimeoutBarriers")
    if spec == "TimeoutBarriers":
        state = after(system, state, "TimeOut(P3)")
        assert "Accept(C13)" not in possible(system, state)
    if spec in {"TimeoutBarriers", "UnalignedBarriers"}:
        state = after(system, state, "AcceptBarrier(C23)")
        assert system.complete(state)
        assert system.recorded_channels(state) == [(), ((2, 1, 0),)]
        assert system.variables(state)["recState"][2] == state.local[2].recorded.state
        assert "Accept(C23)" in possible(system, state)


def test_a_back_edge_is_logged_until_its_barrier_returns():
    system = build_system("CyclicBarriers", LOOP, Dataflow(1))
    (start,) = system.initial()
    moved = after(system, start, "Send(C12)", "Accept(C12)", "Send(C23)", "Accept(C23)", "Send(C32)")
    recorded = after(system, moved, "Initiate(P1)", "AcceptBarrier(C12)")
    assert recorded.local[1].recorded is not None
    logged = after(system, recorded, "Accept(C32)")
    assert system.recorded_channels(logged)[system.channels.index((3, 2))] == ((1, 1, 1),)
    done = after(system, logged, "AcceptBarrier(C23)", "AcceptBarrier(C32)", "AcceptBarrier(C34)")
    assert system.complete(done)
    assert system.application.conserved(system.recorded_states(done).values(), system.recorded_channels(done))
