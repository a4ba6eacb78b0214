"""The barrier handler of one operator: each rule by example, the laws of every mode, and every mutant caught."""

from __future__ import annotations

import doctest
from functools import cache, partial, wraps
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from pyharness.base.errors import PeerError, ProtocolError, SpecError
from pyharness.machines.protocols import (
    END,
    MODES,
    OPERATOR_MUTANTS,
    TIMEOUT,
    Barrier,
    Cancel,
    EndOfInput,
    Operator,
    OperatorState,
    Overtaking,
    Queued,
    drive,
    transcript,
)
from pyharness.machines.protocols.checkpoints import operator, operator_drive

B1, B2, B3 = Barrier(1), Barrier(2), Barrier(3)
SWITCHED = Barrier(1, alignment="unaligned")
BLOCKING = ["aligned", "cyclic", "timeout"]


def happened(moments):
    """What the checkpoints did, over all moments."""
    return [
        (verb, number)
        for moment in moments
        for verb in ("aborted", "triggered", "completed")
        for number in getattr(moment, verb)
    ]


def processed(moments):
    return [record for moment in moments for _, record in moment.processed]


@pytest.mark.parametrize("module", [operator, operator_drive], ids=lambda module: module.__name__)
def test_the_examples_of_the_docstrings(module):
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert not found.failed


# -- each rule by example ----------------------------------------------------------------------------------


def test_aligned_waits_for_every_barrier():
    moments = drive([(0, B1), (0, "a"), (1, "b"), (1, B1), (0, "c")])
    assert [moment.blocked for moment in moments] == [{0}, {0}, {0}, set(), set()]
    assert [moment.processed for moment in moments] == [(), (), ((1, "b"),), ((0, "a"),), ((0, "c"),)]
    assert happened(moments) == [("triggered", 1), ("completed", 1)]
    assert moments[3].in_flight == {1: ((), ())}


def test_unaligned_records_at_the_first_barrier_and_logs_until_the_last():
    moments = drive([(0, B1), (0, "a"), (1, "b"), (2, "c"), (1, B1), (1, "d"), (2, B1)], 3, "unaligned")
    assert [moment.triggered for moment in moments] == [(1,), (), (), (), (), (), ()]
    assert not any(moment.blocked for moment in moments)
    assert processed(moments) == ["a", "b", "c", "d"]
    assert moments[-1].in_flight == {1: ((), ("b",), ("c",))}


def test_a_cycle_logs_its_back_edges_until_the_barrier_returns():
    events = [(0, "a"), (0, B1), (0, "b"), (2, "c"), (1, B1), (2, "d"), (0, "e"), (2, B1), (2, "f")]
    moments = drive(events, 3, "cyclic", [2])
    assert [moment.blocked for moment in moments[1:5]] == [{0}, {0}, {0}, set()]
    assert moments[4].triggered == (1,)
    assert moments[4].completed == ()
    assert moments[7].in_flight == {1: ((), (), ("d",))}
    assert processed(moments) == ["a", "c", "b", "d", "e", "f"]


def test_at_least_once_counts_and_drops_what_is_smaller():
    moments = drive([(0, B1), (0, "a"), (0, B2), (1, B2), (1, B1), (1, "b")], 2, "at-least-once")
    assert [moment.processed for moment in moments] == [(), ((0, "a"),), (), (), (), ((1, "b"),)]
    assert happened(moments) == [("triggered", 2), ("completed", 2)]


def test_the_timeout_records_logs_the_late_and_keeps_the_early_blocked():
    moments = drive(
        [(0, B1), (0, "a"), (0, TIMEOUT), (1, "b"), (0, TIMEOUT), (1, B1), (1, "c")], 2, "timeout"
    )
    assert [moment.triggered for moment in moments] == [(), (), (1,), (), (), (), ()]
    assert [moment.blocked for moment in moments] == [{0}, {0}, {0}, {0}, {0}, set(), set()]
    assert processed(moments) == ["b", "a", "c"]
    assert moments[5].in_flight == {1: ((), ("b",))}


# -- a barrier's own alignment, and announcements ----------------------------------------------------------------


def test_a_barrier_whose_sender_switched_switches_the_receiver_overtakes_and_does_not_block():
    moments = drive([(0, "a"), (0, B1), (1, Overtaking(SWITCHED, ("b",))), (1, "c")], 3, "timeout")
    assert moments[2].triggered == (1,)
    assert [moment.blocked for moment in moments] == [set(), {0}, {0}, {0}]
    assert processed(moments) == ["a", "b", "c"]
    assert moments[3].pending == {1: ((), ("b",), ())}


def test_an_announcement_aborts_what_is_older_and_starts_the_clock():
    moments = drive([(0, B1), (0, "a"), (1, Queued(B2, ("b",))), (0, TIMEOUT), (0, B2)], 2, "timeout")
    assert [moment.aborted for moment in moments] == [(), (), (1,), (), ()]
    assert moments[2].processed == ((0, "a"),)  # its sender waits no more; b is still queued
    assert moments[3].triggered == (2,)
    assert moments[3].processed == ((1, "b"),)
    assert moments[3].blocked == {1}
    assert moments[4].in_flight == {2: ((), ("b",))}


@pytest.mark.parametrize("mode", ["unaligned", "timeout"])
def test_a_savepoint_is_aligned_among_checkpoints_that_are_not(mode):
    savepoint = Barrier(1, alignment="aligned")
    moments = drive([(0, savepoint), (0, "a"), (0, TIMEOUT), (1, "b"), (1, savepoint), (0, B2)], 2, mode)
    assert [moment.blocked for moment in moments[:5]] == [{0}, {0}, {0}, {0}, set()]
    assert [moment.triggered for moment in moments] == [
        (), (), (), (), (1,), (2,) if mode == "unaligned" else (),
    ]  # fmt: skip
    op = Operator(2, mode)
    begun = op.handle(op.initial(), 0, savepoint).state
    assert op.handle(begun, 1, savepoint).alignment == "aligned"


@pytest.mark.parametrize(
    ("mode", "alignment"),
    [("aligned", "unaligned"), ("unaligned", "timeoutable"), ("at-least-once", "aligned"), ("timeout", "no")],
)
def test_a_barrier_that_is_aligned_as_its_mode_has_none_is_refused(mode, alignment):
    with pytest.raises(PeerError, match=f"mode {mode} takes"):
        Operator(2, mode).handle(Operator(2, mode).initial(), 0, Barrier(1, alignment=alignment))


# -- options -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_without_checkpoints_after_ends_an_end_aborts_what_is_pending(mode):
    off = drive([(0, B1), (1, END), (0, B2)], 3, mode, after_ends=False)
    assert off[1].aborted == (1,)
    assert off[1].blocked == frozenset()
    assert drive([(0, B1), (1, END)], 3, mode)[1].aborted == ()


def test_one_pending_checkpoint_too_many_drops_the_oldest():
    barriers = [(0, Barrier(n)) for n in (1, 2, 3)]
    few = drive([*barriers, (1, B1), (1, B2)], 2, "at-least-once", kind=partial(Operator, most_pending=2))
    assert [moment.triggered for moment in few] == [(), (), (), (), (2,)]
    assert [str(effect) for effect in few[2].effects] == ["dropped(id=1)"]
    many = drive([(0, Barrier(n)) for n in range(1, 53)], 2, "at-least-once")
    assert min(many[-1].pending) == 3


@pytest.mark.parametrize("mode", MODES)
def test_a_cancellation_aborts_once_and_unblocks(mode):
    moments = drive([(0, B1), (0, "a"), (1, Cancel(1)), (0, Cancel(1)), (1, B1), (0, B2), (1, B2)], 2, mode)
    assert [moment.aborted for moment in moments] == [(), (), (1,), (), (), (), ()]
    assert moments[2].blocked == frozenset()
    assert processed(moments) == ["a"]
    assert happened(moments[3:]) == [("triggered", 2), ("completed", 2)]


@pytest.mark.parametrize("mode", MODES)
def test_a_finished_input_counts_as_arrived(mode):
    before = drive([(0, END), (1, B1)], 2, mode)
    assert happened(before) == [("triggered", 1), ("completed", 1)]
    after = drive([(1, B1), (1, "a"), (0, END), (1, B2)], 2, mode)
    assert [x for x in happened(after) if x[0] == "completed"] == [("completed", 1), ("completed", 2)]
    assert processed(after) == ["a"]


# -- what is refused, and what is printed ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: Operator(2, "exactly-once"), "unknown mode 'exactly-once'"),
        (lambda: Operator(-1), "-1 inputs"),
        (lambda: Operator(2, "cyclic", frozenset({2})), "back edges"),
        (lambda: Operator(2).handle(Operator(2).initial(), 2, "a"), "no input 2"),
        (lambda: Operator(2).handle(Operator(2).initial(), 0, Barrier(-1)), "input 0: checkpoint -1"),
        (lambda: drive([(0, "a"), (2, "b")]), "event 2: no input 2"),
        (lambda: drive([(0, Overtaking(Barrier(-1), ()))]), "event 1: checkpoint -1"),
        (lambda: drive([(0, END), (0, "a")]), "event 2: input 0 has ended"),
        (lambda: drive([(0, B1), (0, END), (0, B2)]), "event 3: input 0 has ended"),
    ],
)
def test_bad_arguments_are_named(act, words):
    with pytest.raises((SpecError, ProtocolError)) as raised:
        act()
    assert words in str(raised.value)
    assert raised.value.hint


def test_a_record_may_look_like_a_control_element():
    assert processed(drive([(0, (1, "barrier")), (0, ("end",)), (0, None)])) == [
        (1, "barrier"),
        ("end",),
        None,
    ]


def test_the_transcript_of_the_rarer_events():
    moments = drive(
        [(0, B1), (None, TIMEOUT), (1, Overtaking(B1, ("x", "y"))), (0, Cancel(2)), (0, END)], 2, "timeout"
    )
    assert transcript(moments).splitlines() == [
        " #  input  event                    processed  blocked  checkpoints",
        " 1      0  barrier 1                -          0        -",
        " 2      -  timeout                  -          0        1 triggered unaligned",
        " 3      1  barrier 1 overtakes x y  1:x 1:y    -        1 completed with 1:x 1:y in flight",
        " 4      0  cancel 2                 -          -        2 aborted",
        " 5      0  end                      -          -        -",
    ]


# -- laws --------------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """An operator's inputs, each with all that comes on it; and a schedule, numbers that pick what is next."""

    mode: str
    streams: tuple
    schedule: tuple = ()
    back: frozenset = frozenset()


class Moved(NamedTuple):
    """One action of a run."""

    source: int | None
    element: object
    before: OperatorState
    handled: object


class Run(NamedTuple):
    """A run so far, or a whole one."""

    case: Case
    op: Operator
    state: OperatorState
    queues: tuple  # what was not taken
    moves: tuple = ()

    def then(self, source, element, handled, queues):
        moved = Moved(source, element, self.state, handled)
        return self._replace(state=handled.state, queues=queues, moves=(*self.moves, moved))


def begin(kind, case):
    op = kind(len(case.streams), case.mode, case.back)
    return Run(case, op, op.initial(), case.streams)


def without(queues, source, index):
    queue = queues[source]
    return (*queues[:source], queue[:index] + queue[index + 1 :], *queues[source + 1 :])


def successors(done):
    """Each run that goes one action further; a barrier comes back on a back edge only after it was sent."""
    op, state, queues = done.op, done.state, done.queues
    for source, queue in enumerate(queues):
        if not queue or source in op.blocked(state):
            continue
        control = next((k for k, e in enumerate(queue) if not plain(e)), 0)
        if isinstance(queue[control], Barrier):
            handled = op.overtake(state, source, queue[control], queue[:control]) if control else None
            if handled is not None:
                yield done.then(source, queue[control], handled, without(queues, source, control))
        head = queue[0]
        if source in op.back and isinstance(head, Barrier) and head.id not in of(done, "triggered"):
            newest = max(state.last, *(pending.id - 1 for pending in state.pending), 0)
            if head.id > newest:
                continue
        yield done.then(source, head, op.handle(state, source, head), without(queues, source, 0))
    handled = op.time_out(state)
    if handled is not None:
        yield done.then(None, "timeout", handled, queues)
    for source, queue in enumerate(queues):
        control = next((k for k, e in enumerate(queue) if not plain(e)), 0)
        if control and isinstance(queue[control], Barrier):
            handled = op.announce(state, source, queue[control])
            if handled is not None:
                yield done.then(None, "announced", handled, queues)


def run(kind, case):
    """One run, to its end: the schedule picks what is next, and after it the first that can be."""
    done, schedule = begin(kind, case), list(case.schedule)
    while following := list(successors(done)):
        done = following[schedule.pop(0) % len(following) if schedule else 0]
    return done


def every_run(kind, case):
    """All runs, each once after every action, and whether it is at its end."""
    stack = [begin(kind, case)]
    while stack:
        done = stack.pop()
        following = list(successors(done))
        yield done, not following
        stack += following


MARKS = (Barrier, Cancel, EndOfInput)


def plain(element):
    return not isinstance(element, MARKS)


def is_record(move):
    return move.element not in {"timeout", "announced"} and plain(move.element)


def of(done, verb):
    return [getattr(x, "id", x) for move in done.moves for x in getattr(move.handled, verb)]


def before_barrier(stream, number):
    """The records ahead of a barrier in all that comes on an input: all of them, if it has none."""
    index = next((k for k, e in enumerate(stream) if e == Barrier(number)), len(stream))
    return [e for e in stream[:index] if plain(e)]


def of_each_move(law):
    """Make a law of a run from one of an operator and a move, which it keeps as its attribute ``of_a_move``."""

    @wraps(law)
    def held(done):
        for move in done.moves:
            law(done.op, move)

    held.of_a_move = law
    return held


def every_record_is_processed_once_and_in_order(done):
    for source, stream in enumerate(done.case.streams):
        got = [move.element for move in done.moves if move.source == source and move.handled.processed]
        left = [e for e in done.queues[source] if plain(e)]
        assert got + left == [e for e in stream if plain(e)]
    assert all(move.handled.processed == is_record(move) for move in done.moves)


def the_cut_is_consistent(done):
    """What was processed before the recording and what is in flight are all that came ahead of the barrier."""
    for move in done.moves:
        for pending in move.handled.completed:
            at = next(k for k, m in enumerate(done.moves) if pending.id in m.handled.triggered)
            for source, stream in enumerate(done.case.streams):
                seen = [m.element for m in done.moves[:at] if m.source == source and m.handled.processed]
                due = before_barrier(stream, pending.id)
                cut = seen + list(pending.log[source])
                if done.op.mode == "at-least-once":
                    assert cut[: len(due)] == due
                else:
                    assert cut == due
                logs = done.op.mode in {"unaligned", "timeout"} or source in done.op.back
                assert logs or not pending.log[source]


def ids_are_triggered_in_order_and_end_once(done):
    triggered, completed, aborted = (of(done, verb) for verb in ("triggered", "completed", "aborted"))
    assert triggered == sorted(set(triggered))
    assert completed == sorted(set(completed))
    assert len(aborted) == len(set(aborted))
    assert set(completed) <= set(triggered)
    assert not set(completed) & set(aborted)


@of_each_move
def what_is_pending_is_newer_than_what_ended(op, move):
    state = move.handled.state
    ids = [state.last, *(pending.id for pending in state.pending)]
    assert ids == sorted(set(ids))
    assert state.last >= move.before.last
    assert len(state.pending) <= 1 or op.mode == "at-least-once"


@cache
def takes_a_record(op, state, source):
    return op.handle(state, source, "x") is not None


@of_each_move
def only_what_is_pending_blocks(op, move):
    state = move.handled.state
    arrived = {source for pending in state.pending for source in pending.arrived}
    blocked = op.blocked(state)
    assert blocked <= (arrived if op.mode in BLOCKING else set())
    ahead = {source for p in state.pending for source, count in enumerate(p.ahead) if count}
    for source in op.inputs:
        closed = source in state.finished or source in blocked - ahead
        assert takes_a_record(op, state, source) != closed


@of_each_move
def a_switch_is_told(op, move):
    """A barrier that goes out when a checkpoint switches says so, and no other does."""
    told = isinstance(move.element, Barrier) and move.element.alignment == "unaligned"
    if move.handled.triggered and op.mode == "timeout":
        switched = move.element == "timeout" or told
        assert move.handled.alignment == ("unaligned" if switched else None)


@of_each_move
def a_switch_is_followed(op, move):
    """After a barrier whose sender switched, the state is recorded, and nobody waits for that sender."""
    if isinstance(move.element, Barrier) and move.element.alignment == "unaligned":
        state = move.handled.state
        assert move.source not in op.blocked(state)
        assert all(pending.taken for pending in state.pending if pending.id == move.element.id)


def a_queued_barrier_is_heard_of(done):
    """Where barriers may time out."""
    heard = done.op.announce(done.op.initial(), 0, B1)
    assert (heard is not None) == (done.op.mode == "timeout")


def nothing_is_taken_between_the_barrier_and_the_recording(done):
    if done.op.mode != "aligned":
        return
    waiting = {}
    for move in done.moves:
        assert move.source not in waiting
        if isinstance(move.element, Barrier) and any(
            pending.id == move.element.id for pending in move.handled.state.pending
        ):
            waiting[move.source] = move.element.id
        over = {*move.handled.triggered, *move.handled.aborted}
        waiting = {
            source: number
            for source, number in waiting.items()
            if number not in over and number > move.handled.state.last
        }


def the_newest_checkpoint_completes(done):
    """If each input brings its barrier or ends, and it is not cancelled, it completes and nothing is left."""
    ids = [e.id for stream in done.case.streams for e in stream if isinstance(e, Barrier | Cancel)]
    newest = max(ids, default=0)
    streams = done.case.streams
    if any(Cancel(newest) in stream for stream in streams):
        return
    if not any(Barrier(newest) in streams[source] for source in done.op.regular):
        return
    if all(Barrier(newest) in stream or END in stream for stream in streams):
        assert newest in of(done, "completed")
        assert not any(done.queues)


@of_each_move
def the_end_is_told_at_the_last_end(op, move):
    now, then = move.handled.state.finished, move.before.finished
    assert move.handled.ended == (op.regular <= now and not op.regular <= then)


@of_each_move
def a_cancellation_aborts_what_it_makes_hopeless(op, move):
    """Its own checkpoint, if that is pending or new, and where barriers are counted all that are older."""
    if not isinstance(move.element, Cancel):
        return
    number, ids = move.element.id, [pending.id for pending in move.before.pending]
    older = [each for each in ids if each < number] if op.mode == "at-least-once" else []
    own = [number] if number in ids or number > max([move.before.last, *ids]) else []
    assert list(move.handled.aborted) == older + own


@of_each_move
def none_begins_below_a_pending_one(op, move):
    ids = [pending.id for pending in move.before.pending]
    now = [each.id for each in (*move.handled.state.pending, *move.handled.completed)]
    assert all(each in ids or each > max(ids, default=-1) for each in now)


LAWS = [
    a_switch_is_told,
    a_switch_is_followed,
    a_queued_barrier_is_heard_of,
    a_cancellation_aborts_what_it_makes_hopeless,
    none_begins_below_a_pending_one,
    every_record_is_processed_once_and_in_order,
    the_cut_is_consistent,
    ids_are_triggered_in_order_and_end_once,
    what_is_pending_is_newer_than_what_ended,
    only_what_is_pending_blocks,
    nothing_is_taken_between_the_barrier_and_the_recording,
    the_newest_checkpoint_completes,
    the_end_is_told_at_the_last_end,
]
OF_A_MOVE = [law.of_a_move for law in LAWS if hasattr(law, "of_a_move")]
OF_A_RUN = [law for law in LAWS if not hasattr(law, "of_a_move")]


@st.composite
def orderly(draw):
    """The checkpoints as a coordinator sends them: each input brings each id, mostly as a barrier."""
    stream = []
    for number in range(1, draw(st.integers(1, 3)) + 1):
        stream += ["record"] * draw(st.integers(0, 2))
        stream.append(draw(st.sampled_from([Barrier, Barrier, Barrier, Barrier, Cancel]))(number))
    return stream + draw(st.sampled_from([[], ["record"], [END], ["record", END]]))


@st.composite
def disorderly(draw):
    """Anything at all."""
    ids = st.integers(1, 3)
    stream = draw(st.lists(st.one_of(st.just("record"), ids.map(Barrier), ids.map(Cancel)), max_size=7))
    return stream + draw(st.sampled_from([[], [B3], [END], [B3, END]]))


@st.composite
def cases(draw, mode):
    count = draw(st.integers(1, 3))
    kind = draw(st.sampled_from([orderly, orderly, disorderly]))
    streams = []
    for source in range(count):
        stream = draw(kind())
        streams.append(tuple(f"{source}.{k}" if e == "record" else e for k, e in enumerate(stream)))
    back = draw(st.frozensets(st.integers(1, count - 1))) if count > 1 and mode == "cyclic" else frozenset()
    return Case(mode, tuple(streams), tuple(draw(st.lists(st.integers(0, 5), min_size=9, max_size=25))), back)


STREAMS = [
    ("a", B1, "b", B2),
    ("a", B1, "b", END),
    ("a", B1, Cancel(2), "b"),
    ("a", B2, "b", END),
    ("a", Cancel(1), "b", B2),
    ("a", END),
]


@pytest.mark.parametrize("mode", MODES)
def test_the_laws_in_every_order_of_some_streams(mode):
    """Those of a move once for each, though many runs go on from it; only a back edge is unlike another input.

    A barrier may time out wherever it is in `timeout`, which makes far more orders: there it is one short pair.
    """
    lengths = set()
    pairs = product(STREAMS, STREAMS) if mode == "cyclic" else combinations_with_replacement(STREAMS, 2)
    pairs = [(("a", B1, "b"), ("a", "b", B1, END))] if mode == "timeout" else pairs
    for first, second in pairs:
        streams = (first, tuple(e.upper() if isinstance(e, str) else e for e in second))
        lengths |= hold_in_every_run(Operator, Case(mode, streams, back=frozenset({1})))
    assert max(lengths) == (0 if mode in {"aligned", "at-least-once"} else 2)


def hold_in_every_run(kind, case):
    """Hold all laws against all runs; return the lengths of what completed checkpoints have in flight."""
    lengths = set()
    for done, ended in every_run(kind, case):
        for move in done.moves[-1:]:
            lengths |= {len(log) for pending in move.handled.completed for log in pending.log}
            for law in OF_A_MOVE:
                law(done.op, move)
        for law in OF_A_RUN if ended else ():
            law(done)
    return lengths


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_the_laws_of_every_mode(mode, data):
    done = run(Operator, data.draw(cases(mode)))
    for verb in ("completed", "aborted"):
        event(f"{verb}: {bool(of(done, verb))}")
    event(f"in flight: {any(any(p.log) for m in done.moves for p in m.handled.completed)}")
    for law in LAWS:
        law(done)


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_a_driven_operator_loses_and_reorders_nothing(mode, data):
    case = data.draw(cases(mode))
    queues, events = [list(stream) for stream in case.streams], []
    for pick in case.schedule:
        source = pick % len(queues)
        events.append((source, queues[source].pop(0) if queues[source] else TIMEOUT))
    moments = drive(events, len(queues), mode, case.back)
    assert [moment.event for moment in moments] == events
    for source in range(len(queues)):
        sent = [e for s, e in events if s == source and isinstance(e, str)]
        got = [record for moment in moments for s, record in moment.processed if s == source]
        assert got == sent[: len(got)]
        if not moments or not moments[-1].blocked:
            assert got == sent
    assert all(set(moment.in_flight) == set(moment.completed) for moment in moments)
    assert len(transcript(moments).splitlines()) == len(events) + 1


# -- mutants -----------------------------------------------------------------------------------------------

CAUGHT = {
    "NoBlocking": [(Case("aligned", ((B1, "a"), (B1,))), the_cut_is_consistent)],
    "WrongChannelsLogged": [
        (Case("unaligned", ((B1,), ("b", B1))), the_cut_is_consistent),
        (Case("cyclic", ((B1,), ("b", B1)), back=frozenset({1})), the_cut_is_consistent),
    ],
    "UnblockAtTimeout": [(Case("timeout", ((B1, "a"), ("b", B1)), (0, 1)), the_cut_is_consistent)],
    "AbortPerMarker": [
        (Case(mode, ((Cancel(1),), (Cancel(1),))), ids_are_triggered_in_order_and_end_once) for mode in MODES
    ],
    "DropLog": [
        (Case("unaligned", ((B1,), ("b", B1))), the_cut_is_consistent),
        (Case("cyclic", ((B1,), ("b", B1)), back=frozenset({1})), the_cut_is_consistent),
        (Case("timeout", ((B1,), ("b", B1)), (0, 1)), the_cut_is_consistent),
    ],
    "ForgetFinished": [
        (Case(mode, streams), the_newest_checkpoint_completes)
        for mode in MODES
        for streams in (((END,), (B1,)), ((B1,), (END,)))
    ],
    "KeepBlocked": [
        (Case(mode, ((B1, "a"), (end,))), what_is_pending_is_newer_than_what_ended)
        for mode in BLOCKING
        for end in (Cancel(1), B2)
    ],
    "SilentDrop": [
        (Case("at-least-once", ((B1,), (Cancel(2),))), a_cancellation_aborts_what_it_makes_hopeless)
    ],
    "AnnouncedArrives": [(Case("timeout", (("a", B1), (B1,)), (2, 1)), the_cut_is_consistent)],
}


@pytest.mark.parametrize(
    ("name", "case", "law"),
    [(name, case, law) for name, found in CAUGHT.items() for case, law in found],
    ids=lambda each: each.mode if isinstance(each, Case) else getattr(each, "__name__", None),
)
def test_every_mutant_breaks_a_law_where_the_operator_keeps_all(name, case, law):
    for each in LAWS:
        each(run(Operator, case))
    done = run(OPERATOR_MUTANTS[name], case)
    with pytest.raises(AssertionError):
        law(done)
    with pytest.raises(AssertionError):
        hold_in_every_run(OPERATOR_MUTANTS[name], case)


def test_every_mutant_is_one_decision():
    assert set(CAUGHT) == set(OPERATOR_MUTANTS)
    for kind in OPERATOR_MUTANTS.values():
        assert kind.__bases__ == (Operator,)
        (changed,) = (name for name, value in vars(kind).items() if callable(value))
        assert "TLA+: " in getattr(Operator, changed).__doc__
        assert not changed.startswith("_")
