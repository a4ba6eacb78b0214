"""Topologies as text."""

from pyharness.base.topology import Topology, adjacency, dot, matrix

LOOPED = Topology(3, ((1, 2), (2, 1), (2, 2)), (1,))


def test_adjacency():
    assert adjacency(LOOPED) == "P1* -> P2\nP2  -> P1 P2\nP3  -> -"


def test_matrix():
    assert matrix(LOOPED) == "   P1 P2 P3\nP1  .  1  .\nP2  1  1  .\nP3  .  .  ."
    assert len({len(line) for line in matrix(Topology(11, ())).splitlines()}) == 1


def test_dot():
    lines = dot(LOOPED).splitlines()
    assert lines[0] == 'digraph "n3-0b0-i1" {'
    assert "  P1 [shape=doublecircle];" in lines
    assert "  P3;" in lines
    assert '  P2 -> P2 [label="C22"];' in lines
    assert lines[-1] == "}"
