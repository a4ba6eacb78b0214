"""FreeRecording as a whole: its theorems by TLC, and the implementation's state space held against TLC's."""

from __future__ import annotations

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology
from pyharness.machines.protocols import Items
from pyharness.machines.replay import explore
from pyharness.machines.systems import build_system
from pyharness.machines.systems.free_recording import consistent
from pyharness.models.machine_tools import find_tools
from pyharness.tla.tlc import Outcome, TlcRun, run_tlc
from tests.long import some

CHANNELS = {"chain": "<<1, 2>>", "ring": "<<1, 2>>, <<2, 1>>", "loop": "<<1, 1>>, <<1, 2>>"}

MODULE = """---- MODULE Free ----
EXTENDS FreeRecording, Items
TheGraphs == "%s" :> [processes |-> 2, channels |-> {%s}, initiators |-> {1}]
Bound == \\A c \\in ChannelsOf[topo] : n[c] + nC[c] + m[c] + mC[c] <= 3
====
"""
CONFIG = """SPECIFICATION Spec
CONSTANTS
  Graphs <- TheGraphs
  Granularity = "event"
  Item = {1, 2}
  Placement = "spread"
  InitialStates <- ItemsInitialStates
  Sendable <- ItemsSendable
  AfterSend <- ItemsAfterSend
  Acceptable <- ItemsAcceptable
  AfterAccept <- ItemsAfterAccept
  Internals <- ItemsInternals
  Conserved <- ItemsConserved
INVARIANTS TypeOK InTransit ConsistentConserves
PROPERTY Computes
"""


def checked(directory, graph, more=""):
    directory.joinpath("Free.tla").write_text(
        MODULE % ("n2-4-i1" if graph == "chain" else graph, CHANNELS[graph])
    )
    directory.joinpath("Free.cfg").write_text(CONFIG + more)
    tools = find_tools()
    return run_tlc(
        TlcRun(tools.java, tools.jar, directory, "Free", libraries=(SPECS,), jvm_options=tools.jvm_options)
    )


@pytest.mark.tlc
def test_its_theorems_hold_and_the_implementation_has_the_same_states(tmp_path):
    result = checked(tmp_path, "chain")
    assert result.outcome is Outcome.SUCCESS, result.error_text
    ours = explore(
        build_system("FreeRecording", Topology.of(2, [(1, 2)], [1]), Items(2)), stop_when_over=False
    )
    assert (result.distinct, result.depth) == (ours.distinct, ours.depth)
    assert result.generated == ours.transitions + 1


@pytest.mark.tlc
@pytest.mark.parametrize("graph", some(["ring", "loop"], 1))
def test_its_theorems_hold_where_messages_return(graph, tmp_path):
    result = checked(tmp_path, graph, "CONSTRAINT Bound\n")
    assert result.outcome is Outcome.SUCCESS, result.error_text


@pytest.mark.tlc
def test_a_recording_need_not_be_consistent(tmp_path):
    result = checked(tmp_path, "chain", "INVARIANT Consistent\n")
    assert result.violated == "Consistent"


def test_the_implementation_finds_wrong_recordings_too():
    system = build_system("FreeRecording", Topology.of(2, [(1, 1), (1, 2)], []), Items(1, "initiator"))
    level, seen = list(system.initial()), set()
    for _ in range(6):
        level = [action.after for state in level for action in system.actions(state)]
        seen |= set(level)
    complete = [state for state in seen if system.complete(state)]
    assert {consistent(system, state) for state in complete} == {True, False}
