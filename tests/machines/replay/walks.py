"""Random behaviours of the implementation whose snapshot is complete."""

from __future__ import annotations

from hypothesis import strategies as st

from pyharness.base.topology import Topology
from pyharness.machines.protocols import Items
from pyharness.machines.systems import build_system
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn

CONTROL = {
    "Initiate", "AcceptMarker", "Accept", "TurnRed", "RecordAll", "Pause", "Record", "Resume",
}  # fmt: skip
"""Actions that bring a snapshot to its end if no others are taken."""


def walk(system, choose, length):
    """A path of ``system``: ``length`` steps that ``choose`` chooses, and then towards the end of the snapshot."""
    path, names = [choose(list(system.initial()))], []
    while not system.over(path[-1]):
        actions = list(system.actions(path[-1]))
        if len(names) >= length:
            actions = [action for action in actions if action.name in CONTROL]
        if not actions:
            break
        name = choose(sorted({action.name for action in actions}))
        path.append(choose([action for action in actions if action.name == name]).after)
        names.append(name)
    return path, names


def as_trace(system, path, names):
    """The path as a trace of the spec."""
    states = [Fn(system.variables(state).items()) for state in path]
    return Trace(tuple(TraceStep(name, state) for name, state in zip([None, *names], states, strict=True)))


@st.composite
def topologies(draw):
    """Graphs of two or three processes, loops and unconnected parts included, and everyone an initiator or not."""
    n = draw(st.integers(2, 3))
    pairs = [(a, b) for a in range(1, n + 1) for b in range(1, n + 1)]
    channels = draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    initiators = draw(st.lists(st.integers(1, n), min_size=1, unique=True))
    return Topology.of(n, channels, initiators)


@st.composite
def systems(draw, protocols=("ChandyLamport", "WhiteRed", "StopTheWorld"), mutant=None):
    """Protocols on such graphs, with items anywhere and both granularities."""
    return build_system(
        draw(st.sampled_from(protocols)),
        draw(topologies()),
        Items(draw(st.integers(1, 3)), "any"),
        draw(st.sampled_from(["event", "action"])),
        mutant,
    )


@st.composite
def walks(draw, **options):
    """A system and a random path of it, with the names of its actions."""
    system = draw(systems(**options))
    choose = draw(st.randoms(use_true_random=False)).choice
    path, names = walk(system, choose, draw(st.integers(0, 25)))
    return system, path, names
