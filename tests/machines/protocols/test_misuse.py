"""Every misuse of a state machine is an error that says what, where and what to do; and a copied marker is a marker."""

from __future__ import annotations

import copy
import pickle

import pytest

from pyharness.base.errors import ConformanceError, DriverError, PeerError, ProtocolError, SpecError
from pyharness.base.topology import Topology
from pyharness.machines.protocols import (
    BARRIER,
    END,
    MARKER,
    AlignedBarriers,
    Barrier,
    Cancel,
    ChandyLamport,
    Collector,
    Coloured,
    Dataflow,
    EndOfInput,
    Items,
    Message,
    Operator,
    Report,
    StopTheWorld,
    Task,
    WhiteRed,
    drive,
    never,
)
from pyharness.machines.protocols.checkpoints.operator_drive import Overtaking, Queued

FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])
JOIN = Topology.of(3, [(1, 3), (2, 3)], [1, 2])
HELD = frozenset({"a", "b"})
ITEMS = Items(("a", "b"))
TRAVELLED = {
    "itself": lambda m: m,
    "pickled": lambda m: pickle.loads(pickle.dumps(m)),  # noqa: S301 - our own
    "copied": copy.copy,
    "deeply copied": copy.deepcopy,
    "made anew": lambda m: type(m)(*m),
}


def chandy_lamport(number=1):
    machine = ChandyLamport(number, FOUR, ITEMS)
    return machine, machine.initial(HELD)


def closed():
    """Process 1 after the marker of channel 2, 1."""
    p1, state = chandy_lamport()
    return p1, p1.accept_marker(state, (2, 1)).state


def white_red():
    machine = WhiteRed(1, FOUR, ITEMS)
    return machine, machine.initial(HELD)


def stopped():
    machine = StopTheWorld(1, FOUR, ITEMS)
    return machine, machine.initial(HELD)


def barriers(kind=AlignedBarriers, number=3):
    flow = Dataflow(1)
    machine = kind(number, JOIN, flow)
    return machine, machine.initial(next(flow.initial_states(JOIN))[number - 1])


def task(number):
    flow = Dataflow(1)
    machine = Task(number, JOIN, flow)
    return machine, machine.initial(next(flow.initial_states(JOIN))[number - 1])


def operator(**options):
    machine = Operator(2, **options)
    return machine, machine.initial()


def call(made, handler, *arguments):
    """Call a handler in the state in which a machine was made."""
    machine, state = made
    return lambda: getattr(machine, handler)(state, *arguments)


MISUSE = {
    # sending
    "send what is not held": (call(chandy_lamport(), "send", (1, 2), "c"), DriverError,
        "P1, C12: 'c' cannot be sent in this state", "'a', 'b'"),
    "send what is no value": (call(chandy_lamport(), "send", (1, 2), ["a"]), DriverError, "P1, C12: ['a'] cannot",
        "'a'"),
    "send on another's channel": (call(chandy_lamport(), "send", (2, 3), "a"), DriverError,
        "P1: cannot send on (2, 3)", "C12 (1, 2)"),
    # accepting
    "accept from another's channel": (call(chandy_lamport(), "accept", (1, 2), Message("a")), DriverError,
        "P1: cannot accept from (1, 2)", "C21 (2, 1), C31 (3, 1)"),
    "accept from what is no channel": (call(chandy_lamport(), "accept", [2, 1], Message("a")), DriverError,
        "P1: cannot accept from [2, 1]", "C21"),
    "accept a bare value": (call(chandy_lamport(), "accept", (2, 1), "a"), PeerError, "P1, C21: 'a' is not a message",
        "`Message`"),
    "accept a marker": (call(chandy_lamport(), "accept", (2, 1), MARKER), PeerError,
        "P1, C21: Marker(control='marker') is not a message", "handler of markers"),
    "accept no colour where it decides": (call(white_red(), "accept", (2, 1), Message("a")), PeerError,
        "P1, C21: Message(msg='a') is not a message", "`Coloured`"),
    "accept another colour": (call(white_red(), "accept", (2, 1), Coloured("a", "blue")), PeerError,
        "P1, C21: a message of colour 'blue'", "white"),
    "accept a barrier": (call(barriers(), "accept", (1, 3), BARRIER), PeerError, "P3, C13: Marker",
        "markers or barriers"),
    # markers
    "accept a marker from another's channel": (call(chandy_lamport(), "accept_marker", (2, 3)), DriverError,
        "P1: cannot accept from (2, 3)", "C21"),
    "accept a second marker": (call(closed(), "accept_marker", (2, 1)), PeerError, "P1, C21: a second marker",
        "one on each"),
    "exchange a second marker": (call(closed(), "exchange", {(2, 1): MARKER}, ()), PeerError,
        "P1, C21: a second marker", "one on each"),
    "exchange another protocol's marker": (call(chandy_lamport(), "exchange", {(2, 1): BARRIER}, ()), PeerError,
        "P1, C21: Marker(control='barrier')", "marker"),
    "exchange with another's channel": (call(chandy_lamport(), "exchange", {(1, 2): Message("a")}, ()), DriverError,
        "P1: cannot accept from (1, 2)", "C21"),
    "exchange on another's channel": (call(chandy_lamport(), "exchange", {}, ((2, 3),)), DriverError,
        "P1: cannot send on (2, 3)", "C12"),
    "exchange two messages on an output": (call(chandy_lamport(), "exchange", {}, ((1, 2), (1, 2))), DriverError,
        "P1: two messages on one output", "at most one"),
    # barriers of one checkpoint
    "accept a second barrier": (call((barriers()[0], barriers()[0].accept_barrier(barriers()[1], (1, 3)).state),
        "accept_barrier", (1, 3)), PeerError, "P3, C13: a second barrier", "`Operator`"),
    # the controller's commands
    "record too few channels": (call(stopped(), "record", ((),)), DriverError, "P1: ((),) was found in 2 inputs",
        "each input"),
    # the handler of barriers with ids
    "handle from what is no input": (call(operator(), "handle", (1, 2), "a"), DriverError,
        "operator: no input (1, 2)", "0 to 1"),
    "handle an id below a first of one's own": (call(operator(first=1), "handle", 0, Barrier(0)), PeerError,
        "input 0: checkpoint 0", "numbers from 1"),
    "handle an id that is a text": (call(operator(), "handle", 0, Barrier("1")), PeerError,
        "input 0: checkpoint '1'", "numbers"),
    "handle an id that is a truth value": (call(operator(), "handle", 0, Cancel(True)), PeerError,
        "input 0: checkpoint True", "numbers"),
    "handle a barrier without an id": (call(operator(), "handle", 0, BARRIER), PeerError,
        "input 0: Marker(control='barrier') is of another", "`Barrier`"),
    "handle a message": (call(operator(), "handle", 1, Message("a")), PeerError, "input 1: Message(msg='a') is of",
        "record itself"),
    "overtake with what is not a barrier": (call(operator(), "overtake", 0, Cancel(1), ()), PeerError,
        "input 0: Cancel(id=1", "only barriers overtake"),
    # tasks
    "a task sends by itself": (call(task(1), "send", (1, 3), (1, 1, 0)), DriverError, "P1: a task does not send",
        "`pass_on`"),
    "a task accepts by itself": (call(task(3), "accept", (1, 3), Message((1, 1, 0))), DriverError,
        "P3: a task asks its barrier handler", "accept_record"),
    "pass on what there is not": (call(task(1), "pass_on", (1, 3), (1, 2, 0)), DriverError,
        "P1, C13: (1, 2, 0) cannot be sent", "(1, 1, 0)"),
    "accept a barrier as a record": (call(task(3), "accept_record", (1, 3), Barrier(1)), PeerError,
        "P3, C13: Barrier(id=1", "is not a message"),
    "accept a record as a barrier": (call(task(3), "accept_barrier", (1, 3), Message((1, 1, 0))), PeerError,
        "P3, C13: Message", "`Barrier`"),
    "inject where there is no source": (call(task(3), "inject", 1), DriverError, "P3: only a source",
        "over its inputs"),
    "inject what was injected": (call((task(1)[0], task(1)[0].inject(task(1)[1], 1).state), "inject", 1),
        DriverError, "P1: checkpoint 1 after 1", "ascend"),
    "inject beyond the last": (call(task(1), "inject", 2), DriverError, "P1: checkpoint 2 after 0", "up to 1"),
    "inject no number": (call(task(1), "inject", "1"), DriverError, "P1: checkpoint '1'", "ascend"),
    "decline where there is no source": (call(task(3), "decline", 1), DriverError, "P3: only a source", "inputs"),
    # the collector
    "collect what is not a report": (call((Collector(FOUR, never), Collector(FOUR, never).initial()), "collect",
        "done"), PeerError, "collector: 'done' is not a report", "`Report`"),
    "collect what is another's to report": (call((Collector(FOUR, never), Collector(FOUR, never).initial()),
        "collect", Report(2, HELD, (((2, 3), ()),))), PeerError, "collector: process 2 reports on (2, 3)", "C12"),
}  # fmt: skip


@pytest.mark.parametrize(("act", "error", "what", "hint"), MISUSE.values(), ids=MISUSE)
def test_misuse_says_what_and_where_and_what_to_do(act, error, what, hint):
    with pytest.raises(ProtocolError) as raised:
        act()
    assert type(raised.value) is error
    assert str(raised.value).startswith(what) or what in str(raised.value)
    assert hint in str(raised.value)
    assert raised.value.where
    assert raised.value.hint


def test_a_misuse_is_a_disagreement_with_the_spec_and_survives_a_process_boundary():
    with pytest.raises(ConformanceError) as raised:
        MISUSE["accept a second marker"][0]()
    again = pickle.loads(pickle.dumps(raised.value))  # noqa: S301 - our own
    assert (type(again), str(again)) == (PeerError, str(raised.value))
    assert again.exit_code == 1


# -- what is not misuse --------------------------------------------------------------------------------------


def test_none_is_the_answer_where_the_action_is_not_enabled():
    p1, state = chandy_lamport()
    begun = p1.initiate(state).state
    assert p1.initiate(begun) is None
    p2, state = chandy_lamport(2)
    assert p2.initiate(state) is None
    world, state = stopped()
    paused = world.pause(state).state
    assert world.send(paused, (1, 2), "a") is None
    assert list(world.internal(paused)) == []
    assert world.pause(paused) is None
    assert world.resume(state) is None
    join, state = barriers()
    blocked = join.accept_barrier(state, (1, 3)).state
    assert join.accept(blocked, (1, 3), Message((1, 1, 0))) is None
    assert join.accept_barrier(state, (1, 3), ((1, 1, 0),)) is None
    source, state = task(1)
    assert source.end_source(state) is None


# -- what travels --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("travel", TRAVELLED.values(), ids=TRAVELLED)
def test_a_marker_that_travelled_is_a_marker(travel):
    assert travel(MARKER) == MARKER
    machines = [ChandyLamport(number, FOUR, ITEMS) for number in (1, 2, 3)]
    states = [machine.initial(frozenset()) for machine in machines]
    channels = {channel: [] for channel in FOUR.channels}

    def put(number, step):
        states[number] = step.state
        for channel, body in zip(machines[number].outputs, step.outputs, strict=True):
            channels[channel] += map(travel, body)

    put(0, machines[0].initiate(states[0]))
    while any(channels.values()):
        channel = next(c for c, queue in channels.items() if queue)
        element, number = channels[channel].pop(0), channel[1] - 1
        step = next(machines[number].exchange(states[number], {channel: element}, ()))
        put(number, step)
    assert all(m.locally_complete(s) for m, s in zip(machines, states, strict=True))
    assert all(set(state.markers) == {1} for state in states)


@pytest.mark.parametrize("travel", TRAVELLED.values(), ids=TRAVELLED)
def test_barriers_cancellations_and_ends_are_told_by_their_values(travel):
    op, state = operator()
    state = op.handle(state, 0, travel(Barrier(1))).state
    assert op.blocked(state) == {0}
    assert op.handle(state, 1, travel(Cancel(1))).aborted == (1,)
    ended = op.handle(op.initial(), 0, travel(END)).state
    assert op.handle(ended, 1, travel(EndOfInput())).ended
    join, state = barriers()
    with pytest.raises(PeerError, match="is not a message"):
        join.accept(state, (1, 3), travel(BARRIER))


def test_a_message_is_no_control_element_whatever_it_says():
    assert Message("marker") != MARKER
    assert Message("end") != END
    assert MARKER != BARRIER
    p1, state = chandy_lamport()
    state = p1.accept(state, (2, 1), Message("marker")).state
    assert "marker" in state.app
    assert not any(state.closed)


# -- moments -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["timeout", "end", "END", "go on", "barrier 1", "barrier x", "cancel 1", "barrier 1 unaligned", "cancel"],
)
def test_a_text_that_reads_like_a_control_element_is_no_record(text):
    for element in (text, Overtaking(Barrier(1), ("a", text)), Queued(Barrier(1), (text,))):
        with pytest.raises(SpecError, match=r"event 2: .* is not a record") as raised:
            drive([(0, "a"), (1, element)], 2, "timeout")
        assert "TIMEOUT" in raised.value.hint


@pytest.mark.parametrize("text", ["ending", "go west", "timeouts", "a barrier 1", "barriers", ""])
def test_a_text_that_only_begins_like_one_is_a_record(text):
    assert drive([(0, text)])[0].processed == ((0, text),)


def test_a_moment_tells_the_ends_and_their_place():
    moments = drive([(0, Barrier(0)), (0, "a"), (0, END), (1, "b"), (1, END)])
    assert [moment.finished for moment in moments] == [(), (), (), (), (1, 0)]
    assert [moment.ended for moment in moments] == [False, False, False, False, True]
    assert [str(effect) for effect in moments[-1].effects] == [
        "finished(input=1)",
        "triggered(id=0)",
        "completed(id=0)",
        "processed(input=0, record='a')",
        "finished(input=0)",
        "ended()",
    ]
    assert moments[-1].in_flight == {0: ((), ())}


def test_a_moment_tells_the_logs_of_what_is_pending_and_of_what_was_aborted():
    moments = drive(
        [(0, Barrier(0)), (1, "a"), (1, "b"), (0, Barrier(1)), (1, "c"), (1, Cancel(2))], 2, "unaligned"
    )
    assert [moment.pending for moment in moments] == [
        {0: ((), ())}, {0: ((), ("a",))}, {0: ((), ("a", "b"))}, {1: ((), ())}, {1: ((), ("c",))}, {},
    ]  # fmt: skip
    assert moments[3].aborted == (0,)
    assert moments[3].abandoned == {0: ((), ("a", "b"))}
    assert [effect.kind for effect in moments[3].effects] == ["aborted", "triggered"]
    assert moments[5].aborted == (2,)
    assert moments[5].abandoned == {1: ((), ("c",))}
    assert [(effect.kind, effect.id) for effect in moments[5].effects] == [("dropped", 1), ("aborted", 2)]


@pytest.mark.parametrize("mode", ["aligned", "unaligned", "at-least-once", "timeout", "cyclic"])
def test_ids_may_begin_at_0(mode):
    moments = drive(
        [(0, Barrier(0)), (1, Barrier(0)), (0, Barrier(1)), (1, Barrier(1)), (0, Barrier(0))], 2, mode
    )
    assert [number for moment in moments for number in moment.completed] == [0, 1]
    assert moments[-1].effects == ()
    assert drive([(0, Cancel(0)), (1, Barrier(0))], 2, mode)[1].effects == ()
