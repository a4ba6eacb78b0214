"""Random walks through graphs that are too large to explore: where they come to, and what is compared there."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS, module_directories
from pyharness.base.topology import Topology
from pyharness.base.topology.families import is_dataflow
from pyharness.cli.main import cli
from pyharness.gate.plans.plan import read_plan
from pyharness.hold.conformance.comparison import conform_model
from pyharness.hold.conformance.wandering import WANDERERS, draw
from pyharness.machines.protocols.markers.chandy_lamport import ChandyLamport
from pyharness.machines.replay.wander import Wander, wandered
from pyharness.models.machine_tools import find_tools
from pyharness.tla.modules.library import Library
from tests.long import some

LIBRARY = Library(*module_directories(SPECS))


def explored(system, *, over):
    found = dict.fromkeys(system.initial())
    waiting = list(found)
    while waiting:
        state = waiting.pop()
        following = () if over and system.over(state) else (a.after for a in system.actions(state))
        new = dict.fromkeys(following).keys() - found.keys()
        found |= dict.fromkeys(new)
        waiting += new
    return set(found)


@pytest.mark.parametrize("spec", some(WANDERERS, 3))
@given(seed=st.integers(0, 10_000), states=st.integers(1, 30))
@settings(max_examples=5, deadline=None)
def test_a_drawn_model_is_within_bounds_and_its_walks_are_repeated(spec, seed, states):
    model = draw(spec, seed, states)
    assert draw(spec, seed, states) == model
    assert all(1 < graph.processes <= 8 for graph in model.topologies)
    if model.application == "Dataflow":
        assert all(map(is_dataflow, model.topologies))
    graph = model.topologies[0]
    once, again = (
        wandered(model.system(graph), model.wander, stop_when_over=bool(model.stop)) for _ in range(2)
    )
    assert once == again
    assert 1 <= len(set(once)) == len(once) <= states


@pytest.mark.parametrize("over", [True, False])
def test_walks_come_to_reachable_states_only_and_on_a_small_graph_to_nearly_all(over):
    model = replace(draw("ChandyLamport", 1), items=1, granularity="event")
    graph = Topology.from_id("n2-6-i1")
    everything = explored(model.system(graph), over=over)
    found = set(wandered(model.system(graph), Wander(10_000), stop_when_over=over))
    assert found <= everything
    assert len(found) > 0.9 * len(everything)


def test_walks_do_not_depend_on_the_order_of_sets():
    """Python orders the texts in a set differently in each process; what is pinned may not."""
    program = (
        "from pyharness.hold.conformance.wandering import draw\n"
        "model = draw('Checkpoints', 3, 20)\n"
        "print(model.begins(model.topologies))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-P", "-c", program],
            env={"PYTHONHASHSEED": str(seed), "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2)
    }
    assert len(said) == 1


@pytest.mark.long
@pytest.mark.tlc
@pytest.mark.slow
def test_a_defect_is_found_and_shown_with_a_command_that_shows_it_again():
    asked = ["plan", "wander", "ChandyLamport:LateTurn", "--seed", "36", "--models", "1", "--states", "10"]
    result = CliRunner().invoke(cli, asked)
    assert result.exit_code == 1, result.output
    (differ,) = re.findall("^They differ first by AcceptMarker on .+$", result.stdout, re.MULTILINE)
    again = next(line for line in result.stdout.splitlines() if line.startswith("again: pyharness "))
    once_more = CliRunner().invoke(cli, again.split()[2:])
    assert once_more.exit_code == 1
    assert differ in once_more.stdout


PLAN = """
format = "pyharness-plan/1"

[[model]]
name = "wanders"
spec = "ChandyLamport"
topologies = [{ random = 2, processes = 5, seed = 1, channels_max = 7 }]
items = 4
wander = { states = 20 }
invariants = ["NoRedInWhite"]
silent = ["Internal", "Exchange"]
conform = true
"""


@pytest.mark.tlc
def test_a_model_that_wanders_sees_a_defect_and_its_invariants_are_checked(tmp_path, monkeypatch):
    (tmp_path / "w.toml").write_text(PLAN, encoding="utf-8")
    (model,) = read_plan(tmp_path / "w.toml", SPECS).models
    assert conform_model(model, LIBRARY, find_tools())
    monkeypatch.setattr(ChandyLamport, "recording", lambda *_, **__: False)
    assert conform_model(model, LIBRARY, find_tools()).mismatches


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('properties = ["SSSReachable"]', "properties: behaviours begin in their middle"),
        ("fair = true", "fair: behaviours begin in their middle"),
        ("simulate = { traces = 1 }", "simulate: behaviours begin in their middle"),
        ('overrides = { Recording = "MayRecord" }', "wander: Python walks as the spec states"),
        ("wander = { states = 0 }", "wander.states: must be a number from 1 on"),
    ],
)
def test_what_makes_no_sense_for_it_is_refused(tmp_path, line, said):
    text = PLAN if not line.startswith("wander") else PLAN.replace("wander = { states = 20 }\n", "")
    (tmp_path / "w.toml").write_text(f"{text}{line}\n", encoding="utf-8")
    with pytest.raises(SpecError, match=said):
        read_plan(tmp_path / "w.toml", SPECS)
