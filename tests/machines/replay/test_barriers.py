"""Flink's barriers: every reachable state keeps what its spec promises, and every seeded bug breaks something."""

from __future__ import annotations

from functools import cache

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology, dataflows
from pyharness.machines.protocols import Dataflow
from pyharness.machines.protocols.snapshot_mutants import ANY_BARRIER_MUTANTS
from pyharness.machines.replay import is_fair, liveness_violations
from pyharness.machines.systems import (
    MUTANTS,
    build_system,
    has_twin,
    known_properties,
    protocols_of,
    violations,
)
from pyharness.machines.systems.barrier_systems import BARRIER_PROTOCOLS
from tests.shipped_plans import shipped_plan

ACYCLIC = [graph for n in (2, 3) for graph in dataflows("acyclic", n)]
(JOIN,) = dataflows("join", 3)
(LOOP,) = dataflows("loop", 4)
PIPELINES = [graph for n in (2, 3, 4) for graph in dataflows("pipeline", n)]
GRAPHS = [*ACYCLIC, LOOP]
WAIT_FOR_ALL = {"AlignedBarriers", "AtLeastOnceBarriers", "TimeoutBarriers"}
"""Those that wait for the barriers of all inputs, back edges included; the last may stop waiting."""

PLAN = shipped_plan("quick")
BARRIERS = [spec.name for spec in BARRIER_PROTOCOLS]
BARRIER_MUTANTS = {
    name for spec in BARRIER_PROTOCOLS for name in spec.mutants if name not in ANY_BARRIER_MUTANTS
}
MODELS = [model for model in PLAN.models if model.spec in BARRIERS]
SEEDED = [model for model in MODELS if has_twin(model.spec, model.mutant)]


def promised(spec):
    """What the plan's model of a spec, the one without conditions, checks and finds to hold."""
    (model,) = (m for m in MODELS if m.spec == spec and m.explore and m.conform and m.properties)
    return {*model.invariants, *model.properties}


@cache
def explored(spec, topology, records, mutant=None, *, stop=True):
    """Return what some state or step violates, how many states are complete, and where it may rest.

    EmptyChannels is among the properties for every spec. It may rest in an incomplete state with no fair action. No
    computation of a dataflow comes to a state again, so it completes if and only if there is no such state.
    """
    system = build_system(spec, topology, Dataflow(records), mutant=mutant)
    waiting = list(system.initial())
    seen, violated, complete, at_rest = set(waiting), set(), 0, []
    for state in waiting:
        if stop and system.over(state):
            complete += 1
            continue
        if is_fair(system, [state]):
            at_rest.append(state)
        for action in system.actions(state):
            violated.update(violations(system, state, action.after))
            if any(system.recorded_channels(action.after)):
                violated.add("EmptyChannels")
            if action.after not in seen:
                seen.add(action.after)
                waiting.append(action.after)
    return violated, complete, at_rest


def cases(specs, graphs=GRAPHS):
    return [
        pytest.param(spec, topology, records, id=f"{spec}-{topology.id}-{records}")
        for spec in specs
        for topology in graphs
        for records in ((1,) if topology.processes > 3 else (1, 2))
    ]


# -- what holds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", BARRIERS)
def test_the_plan_promises_what_python_knows(spec):
    assert promised(spec) <= known_properties(spec)
    assert "TypeOK" in promised(spec)


@pytest.mark.parametrize(("spec", "topology", "records"), cases(BARRIERS))
def test_every_reachable_state_keeps_what_the_plan_checks(spec, topology, records):
    violated, complete, at_rest = explored(spec, topology, records)
    assert not violated & promised(spec)
    if topology == LOOP and spec in WAIT_FOR_ALL:
        assert at_rest
        assert bool(complete) == (spec == "TimeoutBarriers")
    else:
        assert complete
        assert not at_rest


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


@pytest.mark.parametrize("topology", GRAPHS, ids=lambda topology: topology.id)
@pytest.mark.parametrize("spec", BARRIERS)
def test_only_those_that_wait_for_records_record_no_channels(spec, topology):
    violated, _, _ = explored(spec, topology, 1)
    joins = any(len(topology.inputs(p)) > 1 for p in range(1, topology.processes + 1))
    logs = {"UnalignedBarriers": True, "TimeoutBarriers": joins, "CyclicBarriers": topology == LOOP}
    assert ("EmptyChannels" in violated) == logs.get(spec, False)


def test_aligned_barriers_never_complete_on_a_loop():
    """The process where the loop begins waits for a barrier that it has yet to send: fair, and for ever."""
    system = build_system("AlignedBarriers", LOOP, Dataflow(1))
    _, complete, at_rest = explored("AlignedBarriers", LOOP, 1)
    assert not complete
    assert at_rest
    for state in at_rest:
        assert not list(system.actions(state))
        assert [local.recorded is not None for local in state.local] == [True, False, False, False]
        assert "EventuallyComplete" in liveness_violations(system, [state], 0)


def test_skipping_alignment_on_a_join_is_not_exact_but_loses_nothing():
    violated, _, _ = explored("AtLeastOnceBarriers", JOIN, 1)
    assert {"NoRedInWhite", "SnapshotConserves"} <= violated
    assert not violated & {
        "SnapshotLosesNothing",
        "ExactOnPipelines",
        "EmptyChannels",
        "TypeOK",
        "TurnsRedOnce",
    }


@pytest.mark.parametrize("records", [1, 2])
@pytest.mark.parametrize("topology", PIPELINES, ids=lambda topology: topology.id)
def test_skipping_alignment_on_a_pipeline_skips_nothing(topology, records):
    violated, complete, _ = explored("AtLeastOnceBarriers", topology, records)
    assert not violated
    assert complete


def test_the_plan_says_where_at_least_once_is_refuted():
    refuted = {
        name for m in MODELS if m.spec == "AtLeastOnceBarriers" and not m.mutant for name in m.caught_by
    }
    assert refuted == {"NoRedInWhite", "SnapshotConserves"}


# -- seeded bugs -------------------------------------------------------------------------------------------------


def test_every_seeded_bug_of_the_barriers_is_in_the_plan():
    assert {model.mutant for model in SEEDED} >= {*BARRIER_MUTANTS, *ANY_BARRIER_MUTANTS}
    for name in ANY_BARRIER_MUTANTS:
        specs = {model.spec for model in SEEDED if model.mutant == name}
        assert specs == set(BARRIERS), name


@pytest.mark.parametrize("model", [m for m in SEEDED if not m.fair], ids=lambda model: model.name)
def test_a_seeded_bug_violates_what_the_plan_names_first(model):
    found = set()
    for topology in model.topologies:
        system = model.system(topology, model.mutant)
        level = list(system.initial())
        seen = set(level)
        for _ in range((model.depth or 100) - 1):
            following = []
            for state in level:
                for action in () if model.stop and system.over(state) else system.actions(state):
                    found.update(violations(system, state, action.after))
                    if action.after not in seen:
                        seen.add(action.after)
                        following.append(action.after)
            level = following
    assert model.caught_by[0] in found
    assert known_properties(model.spec) >= {*model.invariants, *model.properties}


@pytest.mark.parametrize("model", [m for m in SEEDED if m.fair], ids=lambda model: model.name)
def test_a_seeded_bug_keeps_a_fair_behaviour_from_completing(model):
    (caught,) = model.caught_by
    application = model.build_application()
    (topology,) = model.topologies
    stop = bool(model.stop)
    _, _, at_rest = explored(model.spec, topology, application.records, model.mutant, stop=stop)
    system = model.system(topology, model.mutant)
    assert at_rest
    violated = [caught in liveness_violations(system, [state], 0) for state in at_rest]
    assert all(violated) if stop else any(violated)


@pytest.mark.parametrize("spec", ["AlignedBarriers", "TimeoutBarriers", "AtLeastOnceBarriers"])
def test_beyond_the_snapshot_all_stay_red(spec):
    violated, _, at_rest = explored(spec, JOIN, 1, stop=False)
    assert at_rest
    assert not violated & {"TurnsRedOnce", "OneBarrier", "BarrierSeparates"}
    system = build_system(spec, JOIN, Dataflow(1))
    assert not any(liveness_violations(system, [state], 0) for state in at_rest)


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
