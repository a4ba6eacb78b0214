"""Each machine is taken through all its states: it does what its transition table says, all of it, and nothing else."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise, product

import pytest

from pyharness.base.errors import DriverError, PeerError
from pyharness.base.topology import Topology, dataflows
from pyharness.machines.protocols import (
    END,
    MODES,
    AlignedBarriers,
    AtLeastOnceBarriers,
    Barrier,
    Cancel,
    ChandyLamport,
    CheckpointCoordinator,
    Collector,
    CyclicBarriers,
    Dataflow,
    Items,
    Marker,
    Operator,
    Reporter,
    SnapshotMarker,
    Snapshots,
    StopTheWorld,
    Task,
    TimeoutBarriers,
    UnalignedBarriers,
    WhiteRed,
)
from pyharness.machines.systems import build_system
from pyharness.machines.systems.system import messages_in

PAIR = Topology.of(2, [(1, 2)], [1])
FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])
TWO_INPUTS = Topology.of(3, [(1, 2), (1, 3), (2, 3)], [1])
THREE_INPUTS = Topology.of(4, [(1, 4), (2, 4), (3, 4)], [1, 2, 3])
THROUGH = Topology.of(4, [(1, 3), (2, 3), (3, 4)], [1, 2])
FLOWS = [*dataflows("join", 3), *dataflows("pipeline", 3), THREE_INPUTS, THROUGH]
LOOPS = [*dataflows("loop", 4), Topology.of(4, [(1, 3), (2, 3), (3, 4), (4, 3)], [1, 2])]
TWO_BACK = Topology.of(4, [(1, 2), (2, 3), (2, 4), (3, 2), (4, 2)], [1])
THREE_AND_BACK = Topology.of(4, [(1, 4), (2, 4), (3, 4), (4, 4)], [1, 2, 3])

PROCESSES = {
    ChandyLamport: ("ChandyLamport", Items(1), [PAIR, FOUR, TWO_INPUTS]),
    Reporter: ("Collection", Items(1), [PAIR, FOUR, TWO_INPUTS]),
    Snapshots: ("Snapshots", Items(1), [PAIR, FOUR, TWO_INPUTS]),
    WhiteRed: ("WhiteRed", Items(1), [PAIR, FOUR]),
    StopTheWorld: ("StopTheWorld", Items(1), [PAIR, FOUR]),
    AlignedBarriers: ("AlignedBarriers", Dataflow(1), FLOWS),
    AtLeastOnceBarriers: ("AtLeastOnceBarriers", Dataflow(1), FLOWS),
    UnalignedBarriers: ("UnalignedBarriers", Dataflow(1), FLOWS),
    TimeoutBarriers: ("TimeoutBarriers", Dataflow(1), FLOWS),
    CyclicBarriers: (
        "CyclicBarriers",
        Dataflow(1),
        [*LOOPS, *dataflows("join", 3), THREE_AND_BACK, TWO_BACK],
    ),
}
COMMANDS = ("initiate", "time_out", "turn_red", "pause", "resume")


def everywhere(protocol, application, graphs, **options):
    """Every reachable state of a protocol on some graphs, with its system."""
    for graph in graphs:
        system = build_system(protocol, graph, application, **options)
        seen = dict.fromkeys(system.initial())
        waiting = list(seen)
        for state in waiting:
            yield system, state
            for action in system.actions(state):
                if action.after not in seen:
                    seen[action.after] = None
                    waiting.append(action.after)


def asked(system, state, machine):
    """Ask a process all that its driver could: the event, and its answer."""
    own, queues = state.local[machine.identity - 1], dict(zip(system.channels, state.queues, strict=True))
    for channel in machine.outputs:
        yield from (("send", machine.send(own, channel, msg)) for msg in machine.sendable(own, channel))
    yield from (("internal", step) for step in machine.internal(own))
    for channel in machine.inputs:
        for place, element in enumerate(queues[channel]):
            if isinstance(element, Marker) and hasattr(machine, "accept_barrier"):
                ahead = tuple(message.msg for message in messages_in(queues[channel][:place]))
                yield "accept_barrier", machine.accept_barrier(own, channel, ahead)
            elif place == 0 and isinstance(element, SnapshotMarker):
                yield "accept_marker", machine.accept_marker(own, channel, element)
            elif place == 0 and isinstance(element, Marker):
                yield "accept_marker", machine.accept_marker(own, channel)
            elif place == 0:
                yield "accept", machine.accept(own, channel, system.handed(element))
    for command in COMMANDS:
        if hasattr(machine, command):
            yield command, getattr(machine, command)(own)
    if isinstance(machine, StopTheWorld):
        yield "record", machine.record(own, ((),) * len(machine.inputs))
    if isinstance(machine, Reporter):
        done = machine.report(own)
        yield "report", None if done is None else machine.act(own, done[0], machine.silence)


def witnessed(table, answers):
    """Hold answers (phase, event, the phase after it or None, whether markers go out) to a table."""
    seen, refused = defaultdict(set), set()
    for phase, event, after, marks in answers:
        assert phase in table.phases
        row = table.row(phase, event)
        if after is None:
            assert row is None or row.when, (
                f"{event} is not enabled in {phase}, and the table knows of no condition"
            )
            refused.add((phase, event))
            continue
        assert row is not None, f"{event} is possible in {phase}"
        assert after in row.becomes, f"{event} leads from {phase} to {after}"
        assert not marks or "marker" in row.sends or "barrier" in row.sends, (
            f"{event} in {phase} sends markers"
        )
        seen[phase, event].add(after)
    return seen, refused


@pytest.mark.parametrize(("kind", "made"), PROCESSES.items(), ids=lambda x: getattr(x, "__name__", ""))
def test_a_process_does_what_its_table_says(kind, made):
    table, answers = kind.transitions, []
    for system, state in everywhere(*made):
        for machine in system.processes:
            assert type(machine) is kind
            before = machine.phase(state.local[machine.identity - 1])
            for event, step in asked(system, state, machine):
                marks = step is not None and any(
                    isinstance(e, Marker | SnapshotMarker) for body in step.outputs for e in body
                )
                answers.append((before, event, step and machine.phase(step.state), marks))
    seen, _ = witnessed(table, answers)
    idle = {"internal"}  # the applications here do nothing by themselves
    missing = {
        (row.phase, row.event, after)
        for row in table.rows
        for after in row.becomes
        if row.event not in idle and after not in seen[row.phase, row.event]
    }
    assert not missing


def test_a_handler_of_barriers_does_what_its_table_says():
    answers = []
    events = [Barrier(0), Barrier(1), Cancel(0), Cancel(1), END, "a"]
    for mode in MODES:
        machine = Operator(3, mode, frozenset({2}))
        waiting = [machine.initial()]
        seen = set(waiting)
        for state in waiting:
            found = [
                (f"handle {kind_of(e)}", machine.handle(state, i, e)) for i, e in product((0, 1, 2), events)
            ]
            found += [
                ("overtake", machine.overtake(state, i, Barrier(n), ())) for i in (0, 1, 2) for n in (0, 1)
            ]
            found += [("announce", machine.announce(state, i, Barrier(n))) for i in (0, 1, 2) for n in (0, 1)]
            found.append(("time_out", machine.time_out(state)))
            for event, handled in found:
                after = None if handled is None else handled.state
                marks = handled is not None and bool(handled.triggered)
                phase = None if after is None else machine.phase(after)
                answers.append((machine.phase(state), event, phase, marks))
                bare = after and after._replace(
                    pending=tuple(p._replace(log=((), (), ())) for p in after.pending)
                )
                if bare is not None and bare not in seen:
                    seen.add(bare)
                    waiting.append(bare)
    table = Operator.transitions
    seen, _ = witnessed(table, answers)
    assert {(row.phase, row.event): set(row.becomes) for row in table.rows} == seen


def kind_of(element):
    return {Barrier: "barrier", Cancel: "cancel", str: "record"}.get(type(element), "end")


def test_a_collector_does_what_its_table_says():
    answers = []
    for system, state in everywhere("Collection", Items(1), [PAIR, TWO_INPUTS]):
        reports, own, _ = state.outside
        machine = system.collector
        found = [("collect", machine.collect(own, report)) for report in (*reports, *own.collected)]
        found.append(("conclude", machine.conclude(own)))
        answers += [(machine.phase(own), event, s and machine.phase(s), False) for event, s in found]
    seen, refused = witnessed(Collector.transitions, answers)
    assert {(row.phase, row.event): set(row.becomes) for row in Collector.transitions.rows} == seen
    assert refused == {("collecting", "conclude"), ("concluded", "conclude")}


MACHINES = [*PROCESSES, Operator, Task, CheckpointCoordinator, Collector]


@pytest.mark.parametrize("kind", MACHINES, ids=lambda kind: kind.__name__)
def test_a_table_is_whole(kind):
    table = kind.transitions
    assert len({(row.phase, row.event) for row in table.rows}) == len(table.rows)
    assert {row.phase for row in table.rows} == set(table.phases)
    assert {after for row in table.rows for after in row.becomes} <= set(table.phases)
    for event in {row.event.split()[0] for row in table.rows} | {refusal.event for refusal in table.refusals}:
        assert callable(getattr(kind, event))
    assert {refusal.error for refusal in table.refusals} <= {DriverError, PeerError}
    assert all(len(refusal.what) > 5 for refusal in table.refusals)


def test_a_wrong_table_is_noticed():
    table = ChandyLamport.transitions
    without = table._replace(rows=tuple(row for row in table.rows if row.event != "initiate"))
    with pytest.raises(AssertionError, match="initiate is possible in white"):
        witnessed(without, [("white", "initiate", "recording", True)])
    with pytest.raises(AssertionError, match="leads from white to white"):
        witnessed(table, [("white", "accept_marker", "white", False)])
    with pytest.raises(AssertionError, match="knows of no condition"):
        witnessed(table, [("white", "accept_marker", None, False)])
    with pytest.raises(AssertionError, match="sends markers"):
        witnessed(table, [("white", "send", "white", True)])
    assert not [pair for pair in pairwise(sorted(table.phases)) if pair[0] == pair[1]]
