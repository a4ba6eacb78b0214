"""What a mutant's runs are asked, and whose violation is noted: with a stand-in for TLC."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology
from pyharness.gate.plans.plan import read_plan
from pyharness.models import mutant_check, text_run
from pyharness.models.bounds import SimulationBudget
from pyharness.models.job import Job
from pyharness.models.machine_tools import Tools
from pyharness.models.mutant_check import kill_row, kill_rows
from pyharness.models.table_rows import KillRow, TopologyRow, TraceRow, rows_of
from pyharness.models.tlc_runs import run_model
from pyharness.tla.tlc import Outcome, Result, Simulation
from pyharness.tla.tlc.itf import from_itf
from pyharness.tla.tlc.result import Violation

TEXT = """format = "pyharness-plan/1"
[[matrix]]
name = "unfair"
spec = "ChandyLamport"
topologies = ["n3-048-i1_2"]
fair = true
properties = ["EventuallyRedIfReached", "EventuallyComplete", "EventuallyAllRed"]
mutants = { UnfairChannel = ["EventuallyComplete"] }
"""
TOOLS = Tools(Path("java"), Path("jar"), "0" * 64, (SPECS,), (), "17")


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "unfair.toml"
    path.write_text(TEXT, encoding="utf-8")
    return read_plan(path, SPECS)


def test_a_kill_has_the_size_of_its_own_graph(plan):
    graphs = (Topology.of(2, [(1, 2)], [1]), *plan.models[0].topologies)
    job = Job("j", "check", replace(plan.models[0], topologies=graphs))
    kills = [kill_row(job, "EventuallyComplete", graph.id, 3, None) for graph in graphs]
    assert [(kill.processes, kill.channels) for kill in kills] == [(2, 1), (3, 2)]


def test_a_property_of_behaviours_that_catches_has_a_run_and_its_own_violation(plan, tmp_path, monkeypatch):
    """TLC does not name such a property: it is that of the run."""
    trace, _ = from_itf((SPECS.parent / "traces" / "UnfairChannel.itf.json").read_text(encoding="utf-8"))
    topo = str(trace.steps[0].state["topo"])
    (model,) = plan.models
    asked = []

    def run(_model, *_where, properties=None, firsts=False, **_others):
        asked.append((properties, firsts))
        if properties == ("EventuallyComplete",):
            found = Violation(Outcome.TEMPORAL, None, None, "violated", trace)
            return Result(Outcome.TEMPORAL, 13, finished=True, violations=(found,), violation_count=1)
        return Result(Outcome.SUCCESS, 0, finished=True)

    monkeypatch.setattr(mutant_check, "run_model", run)
    rows = list(kill_rows(Job("j", "check", model), plan.library, TOOLS, tmp_path))
    silent = ("EventuallyRedIfReached", "EventuallyAllRed")
    assert asked == [(("EventuallyComplete",), False), (silent, False)]
    assert [(row.property, row.topology) for row in rows_of(KillRow, rows)] == [("EventuallyComplete", topo)]
    assert [row.violated for row in rows_of(TraceRow, rows)] == ["EventuallyComplete"]
    assert [row.violated for row in rows_of(TopologyRow, rows)] == ["EventuallyComplete"]


def test_a_run_that_does_not_end_decides_nothing_though_the_next_one_ends(plan, tmp_path, monkeypatch):
    (model,) = plan.models
    results = [Result(Outcome.INCOMPLETE, None), *[Result(Outcome.SUCCESS, 0, finished=True)] * 2]
    monkeypatch.setattr(mutant_check, "run_model", lambda *_, **__: results.pop(0))
    rows = list(kill_rows(Job("j", "check", model), plan.library, TOOLS, tmp_path))
    assert {row.outcome for row in rows_of(TopologyRow, rows)} == {"not decided"}


def test_what_a_run_is_asked(plan, tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(text_run, "run_tlc", lambda run, **_: made.append(run) or Result(Outcome.SUCCESS, 0))
    model = replace(plan.models[0], mutant=None, fair=False, simulate=SimulationBudget(5, 30, 77))

    def of(**given):
        run_model(model, plan.library, TOOLS, tmp_path, 9.0, topologies=model.topologies, **given)
        run = made.pop()
        return run.seed, run.go_on, run.simulation is not None, run.timeout

    assert of() == (None, False, False, 9.0)
    assert of(firsts=True, properties=()) == (None, True, False, 9.0)
    assert of(simulation=Simulation(5, 30, tmp_path / "behaviour")) == (77, False, True, 9.0)
