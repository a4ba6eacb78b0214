"""The per-process state machines, driven by hand."""

from __future__ import annotations

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology
from pyharness.machines.protocols import (
    MARKER,
    ChandyLamport,
    Coloured,
    Items,
    Message,
    Recorded,
    StopTheWorld,
    WhiteRed,
)

FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])
HELD = frozenset({"a", "b"})


def test_chandy_lamport_puts_the_marker_first():
    p1 = ChandyLamport(1, FOUR, Items(("a", "b")))
    state, out, _ = p1.initiate(p1.initial(HELD))
    assert state.recorded == Recorded(HELD)
    assert out == ((MARKER,),)
    assert p1.initiate(state) is None
    state, out, _ = p1.send(state, (1, 2), "a")
    assert out == ((Message("a"),),)


def test_chandy_lamport_records_until_the_marker():
    p1 = ChandyLamport(1, FOUR, Items(("a", "b")))
    state, _, _ = p1.initiate(p1.initial(frozenset()))
    state, _, _ = p1.accept(state, (2, 1), Message("a"))
    state, _, _ = p1.accept_marker(state, (2, 1))
    state, _, _ = p1.accept(state, (2, 1), Message("b"))
    assert state.rec_chan[p1.inputs.index((2, 1))] == ("a",)
    assert not p1.locally_complete(state)
    state, _, _ = p1.accept_marker(state, (3, 1))
    assert p1.locally_complete(state)


def test_the_first_marker_makes_a_process_record_and_pass_it_on():
    p2 = ChandyLamport(2, FOUR, Items(("a", "b")))
    state, out, _ = p2.accept_marker(p2.initial(HELD), (1, 2))
    assert state.recorded == Recorded(HELD)
    assert out == ((MARKER,), (MARKER,))


def test_a_white_machine_refuses_a_red_message():
    p2 = WhiteRed(2, FOUR, Items(("a", "b")))
    white = p2.initial(frozenset())
    assert p2.accept(white, (1, 2), Coloured("a", "red")) is None
    red, _, _ = p2.turn_red(white)
    assert p2.accept(red, (1, 2), Coloured("a", "red")).state.app == {"a"}
    assert p2.turn_red(red) is None


def test_a_paused_process_does_not_send():
    p1 = StopTheWorld(1, FOUR, Items(("a", "b")))
    paused, _, _ = p1.pause(p1.initial(HELD))
    assert not list(p1.sendable(paused, (1, 2)))
    assert p1.accept(paused, (2, 1), Message("c")) is not None
    assert p1.resume(paused) is None
    recorded, _, _ = p1.record(paused, ((), ()))
    running, _, _ = p1.resume(recorded)
    assert set(p1.sendable(running, (1, 2))) == {"a", "b"}


def test_a_process_must_be_in_the_graph():
    with pytest.raises(SpecError):
        ChandyLamport(4, FOUR, Items(1))
