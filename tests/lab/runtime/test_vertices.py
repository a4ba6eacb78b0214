"""Vertices without sockets: what they refuse, and what their frames may be."""

from __future__ import annotations

import pytest

from pyharness.base.errors import PeerError
from pyharness.lab.runtime.frames import LONGEST, FrameReader, encode
from pyharness.lab.runtime.vertex import Start
from pyharness.lab.runtime.vertex_process import vertex_of
from tests.lab.runtime.fuzzed_frames import fuzz


def reader(data):
    made = FrameReader(LONGEST)
    made.feed(data)
    return made


def test_ten_thousand_broken_frames_are_dropped_or_refused():
    came = fuzz(10_000, 1)
    assert {"accepted", "dropped", "refused", "refused by the machine"} <= set(came)


@pytest.mark.parametrize(
    "frame",
    [
        ["m", 1, 5],
        ["k", 1, 1],
        ["b", 1],
        ["c", 0],
        ["h", "token", 1, 2],
    ],
)
def test_a_frame_is_read_as_it_was_sent(frame):
    whole = reader(encode(frame) * 2)
    assert [whole.next(), whole.next(), whole.next()] == [frame, frame, None]
    assert reader(encode(frame)[:-1]).next() is None


@pytest.mark.parametrize(
    "frame",
    [
        *([], {}, None, 1, "m", ["m"], ["m", 1], ["m", 1, 2, 3], ["m", -1, 2], ["m", 1, True], ["m", 1, 1.0]),
        *(
            ["m", 1, [1, 2]],
            ["m", 2**54, 1],
            ["x", 1],
            [["m"], 1],
            ["b", 1, 1],
            ["k", 1],
        ),
        *(["h", 1, 1, 2], ["h", "é", 1, 2], ["h", "token", 1]),
    ],
)
def test_what_is_no_frame_is_refused(frame):
    with pytest.raises(PeerError, match="of no kind"):
        reader(encode(frame)).next()


@pytest.mark.parametrize("length", [0, LONGEST + 1, 2**32 - 1])
def test_a_length_that_is_none_is_refused_before_anything_is_kept(length):
    with pytest.raises(PeerError, match="a frame of"):
        reader(length.to_bytes(4, "big")).next()


@pytest.mark.parametrize("body", [b"[" * 4000, b"nothing", b'["m",1,"\xff"]'])
def test_what_is_no_json_is_refused(body):
    with pytest.raises(PeerError, match="no JSON"):
        reader(len(body).to_bytes(4, "big") + body).next()


@pytest.mark.parametrize(
    ("protocol", "frame", "said"),
    [
        ("ChandyLamport", ["m", 2, 5], "message 2 comes, and 1 is next"),
        ("ChandyLamport", ["b", 1], "a frame 'b'"),
        ("StopTheWorld", ["k", 1, 1], "a frame 'k'"),
    ],
)
def test_a_vertex_refuses_what_cannot_come(protocol, frame, said):
    vertex = vertex_of(Start(2, "ring:3", protocol, 1, 4))
    with pytest.raises(PeerError, match=said):
        vertex.receive(0, frame)


@pytest.mark.parametrize("frame", [["c", 1], ["m", 1, 1]])
def test_a_source_refuses_credit_for_what_it_has_not_sent(frame):
    source = vertex_of(Start(1, "pipeline:2", "AlignedBarriers", 1, 4))
    with pytest.raises(PeerError, match="comes back"):
        source.credit(0, frame)


def test_a_source_sends_no_more_than_there_is_room_for_until_records_are_taken():
    source = vertex_of(Start(1, "pipeline:2", "AlignedBarriers", 1, 4))
    assert [source.turn() for _ in range(6)] == [True] * 4 + [False] * 2
    source.credit(0, ["c", 1])
    assert [source.turn(), source.turn()] == [True, False]


def test_a_vertex_bounds_what_waits(monkeypatch):
    monkeypatch.setattr("pyharness.lab.runtime.vertex.MOST_WAITING", 10)
    vertex = vertex_of(Start(2, "ring:3", "ChandyLamport", 1, 4))
    for number in range(1, 11):
        vertex.receive(0, ["m", number, 1])
    with pytest.raises(PeerError, match="more than 10 frames"):
        vertex.receive(0, ["m", 11, 1])
