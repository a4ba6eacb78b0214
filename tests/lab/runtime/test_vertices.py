"""Vertices without sockets: what they refuse."""

from __future__ import annotations

import pytest

from pyharness.base.errors import PeerError
from pyharness.lab.runtime.vertex import Start
from pyharness.lab.runtime.vertex_process import vertex_of


@pytest.mark.parametrize(
    ("protocol", "frame", "said"),
    [
        ("ChandyLamport", ["m", 2, 5], "message 2 comes, and 1 is next"),
        ("ChandyLamport", ["b", 1], "a frame 'b'"),
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
