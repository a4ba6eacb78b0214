"""What a mutant's runs are asked, and whose violation is noted: with a stand-in for TLC."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology
from pyharness.gate.plans.plan import read_plan
from pyharness.models import mutant_check
from pyharness.models.job import Job
from pyharness.models.machine_tools import Tools
from pyharness.models.mutant_check import kill_row, kill_rows
from pyharness.models.table_rows import KillRow, TopologyRow, TraceRow, rows_of
from pyharness.tla.plain_models.config_file import parse_config
from pyharness.tla.tlc import Outcome, Result
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


def asked_in(rendered):
    """Return the properties that a rendered model asks TLC for."""
    return parse_config(rendered.cfg, rendered.module).properties


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

    def run(rendered, *_where, **_others):
        asked.append(asked_in(rendered))
        if asked[-1] == ("EventuallyComplete",):
            found = Violation(Outcome.TEMPORAL, None, None, "violated", trace)
            return Result(Outcome.TEMPORAL, 13, finished=True, violations=(found,), violation_count=1)
        return Result(Outcome.SUCCESS, 0, finished=True)

    monkeypatch.setattr(mutant_check, "run_texts", run)
    rows = kill_rows([Job("j", "check", model)], plan.library, TOOLS, tmp_path)["j"]
    silent = ("EventuallyRedIfReached", "EventuallyAllRed")
    assert asked == [("EventuallyComplete",), silent]
    assert [(row.property, row.topology) for row in rows_of(KillRow, rows)] == [("EventuallyComplete", topo)]
    assert [row.violated for row in rows_of(TraceRow, rows)] == ["EventuallyComplete"]
    assert [row.violated for row in rows_of(TopologyRow, rows)] == ["EventuallyComplete"]


def test_a_run_that_does_not_end_decides_nothing_though_the_next_one_ends(plan, tmp_path, monkeypatch):
    (model,) = plan.models
    results = [Result(Outcome.INCOMPLETE, None), *[Result(Outcome.SUCCESS, 0, finished=True)] * 2]
    monkeypatch.setattr(mutant_check, "run_texts", lambda *_, **__: results.pop(0))
    rows = kill_rows([Job("j", "check", model)], plan.library, TOOLS, tmp_path)["j"]
    assert {row.outcome for row in rows_of(TopologyRow, rows)} == {"not decided"}
