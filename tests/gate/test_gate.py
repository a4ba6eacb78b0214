"""Sabotage the gate in every way we can think of: each turns it red, and the message says why."""

from __future__ import annotations

import shutil
import stat
from dataclasses import replace

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.jobs.job_execution import run_job
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.gate.jobs.replay_rows import replay_row
from pyharness.gate.judge.judgement import judge, judge_plan
from pyharness.gate.judge.kill_matrix import kill_matrix
from pyharness.gate.judge.plan_report import evidence_for
from pyharness.gate.plans.plan import read_plan
from pyharness.models import model as model_module
from pyharness.models import mutant_group, tlc_jobs
from pyharness.models.machine_tools import find_tools
from pyharness.models.render import render_model
from pyharness.models.table_rows import KillRow, TraceRow, rows_of
from pyharness.models.verdicts import Verdict, worst
from tests.long import LONG, some

PLAN = """format = "pyharness-plan/1"

[[model]]
name = "algorithm"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
invariants = ["NoRedInWhite", "SnapshotConserves"]
properties = ["SSSReachable"]
silent = ["Internal", "Exchange"]
pins = { distinct = 362, depth = 16 }

[[matrix]]
name = "mutants"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
depth = 8
invariants = ["NoRedInWhite", "SnapshotConserves"]
properties = ["SSSReachable"]
[matrix.mutants]
LateTurn = ["NoRedInWhite", "SnapshotConserves", "SSSReachable"]
"""


ALGORITHM, _, MATRIX = PLAN.partition("[[matrix]]")
MUTANTS = f'format = "pyharness-plan/1"\n[[matrix]]{MATRIX}'

UNREACHED = """format = "pyharness-plan/1"

[[model]]
name = "unreached"
spec = "ChandyLamport"
topologies = [{ family = "chain", processes = [2, 3], initiators = [2] }]
fair = true
properties = ["EventuallyRedIfReached"]
unreached = ["ChannelState"]
silent = ["Internal", "Exchange"]
pins = { distinct = 18, depth = 5 }
"""


def gate(directory, text=PLAN, specs=SPECS, tools=None):
    """Do what `pyharness check` does, without Spark: the verdict, and all reasons."""
    path = directory / "plan.toml"
    path.write_text(text, encoding="utf-8")
    plan = read_plan(path, specs)
    tools = tools or find_tools(specs)
    verdicts, reasons, kills = [], [], []
    for model in plan.models:
        jobs = plan_jobs(replace(plan, models=(model,)), tools)
        rows = [row for job in jobs for row in run_job(job, plan.library, tools)]
        rows += [replayed for row in rows_of(TraceRow, rows) for replayed in replay_row(model, row)]
        kills += rows_of(KillRow, rows)
        verdict, why = judge(model, evidence_for(model, plan.library, rows))
        verdicts.append(verdict)
        reasons += [f"{model.name}: {reason}" for reason in why]
    verdict, why = judge_plan(plan, kill_matrix(plan, kills), ())
    return worst([*verdicts, verdict]), [*reasons, *why]


@pytest.mark.tlc
def test_left_alone_the_gate_is_green(tmp_path):
    assert gate(tmp_path) == (Verdict.PASS, [])


def without(monkeypatch, **dropped):
    """Render models without some invariant or property, as a broken renderer would."""

    def broken(firsts=(), **given):
        for key, names in dropped.items():
            given[key] = [name for name in given[key] if name not in names]
        left = [row for row in firsts if not any(row[0] in names for names in dropped.values())]
        return render_model(firsts=left, **given)

    for module in (model_module, mutant_group):
        monkeypatch.setattr(module, "render_model", broken)


def weakened(directory, definition, formula):
    """Copy the specs, with a property that says another thing."""
    specs = directory / "specs"
    shutil.copytree(SPECS, specs)
    path = specs / "ChandyLamport.tla"
    lines = path.read_text(encoding="utf-8").split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith(f"{definition} =="))
    end = next(i for i in range(at, len(lines)) if not lines[i].strip())
    lines[at:end] = [f"{definition} == {formula}"]
    path.write_text("\n".join(lines), encoding="utf-8")
    return specs


def lying_java(directory, script):
    """Return tools whose Java is a script around the real one."""
    tools = find_tools()
    path = directory / "java"
    path.write_text(f"#!/bin/sh\n{script.format(java=tools.java)}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return replace(tools, java=path)


@pytest.mark.tlc
@pytest.mark.slow
class TestSabotages:
    def test_what_is_dropped_from_the_configuration(self, tmp_path, monkeypatch):
        without(monkeypatch, invariants=["NoRedInWhite"], properties=["SSSReachable"])
        verdict, reasons = gate(tmp_path)
        assert verdict is Verdict.VIOLATION
        assert "algorithm: TLC was not asked to check NoRedInWhite, SSSReachable" in reasons
        assert any("the seeded bug survives SSSReachable" in reason for reason in reasons)
        assert any("ChandyLamport.SSSReachable catches no mutant" in reason for reason in reasons)

    @pytest.mark.parametrize(
        ("old", "new", "why"),
        some(
            [
                ("distinct = 362", "distinct = 363", "362 distinct states, pinned are 363"),
                ("depth = 16 }", "depth = 15 }", "the depth is 16, pinned is 15"),
                ('silent = ["Internal", "Exchange"]', 'silent = ["Internal"]', "Exchange never taken"),
                ('silent = ["Internal", "Exchange"]', 'silent = ["Send", "Internal", "Exchange"]', "and should not"),
                ('LateTurn = ["NoRedInWhite", ', "LateTurn = [", "also caught by NoRedInWhite"),
                ("silent", "items = 1\nsilent", "distinct states, pinned are 362"),
                ('silent = ["Int', 'stop = "Red"\nsilent = ["Int', "TLC"),
                ("processes = 2 }]\ninv", "family = 'chain', processes = 2 }]\ninv",
                    "vacuous: ChannelState is never reached"),
                ("depth = 8", "depth = 3", "survives NoRedInWhite"),
            ],
            5,
        ),
    )  # fmt: skip
    def test_a_bound_shrunk_or_a_pin_edited(self, tmp_path, old, new, why):
        part = MUTANTS if "caught" in why or "survives" in why else ALGORITHM
        verdict, reasons = gate(tmp_path, part.replace(old, new, 1))
        assert verdict is not Verdict.PASS
        assert any(why in reason for reason in reasons), reasons

    def test_witnesses_not_looked_for_where_none_is_to_be_found(self, tmp_path, monkeypatch):
        assert gate(tmp_path, UNREACHED) == (Verdict.PASS, [])
        monkeypatch.setattr(tlc_jobs, "witnesses_beside", lambda *_: {})
        verdict, reasons = gate(tmp_path, UNREACHED)
        assert verdict is Verdict.INCOMPLETE
        assert "unreached: nothing shows whether these are reached: ChannelState" in reasons

    @LONG
    @pytest.mark.parametrize("prop", ["NoRedInWhite", "SnapshotConserves"])
    def test_a_property_weakened_to_true(self, tmp_path, prop):
        with pytest.raises(SpecError, match=f"{prop} is vacuous: it is a constant"):
            gate(tmp_path, specs=weakened(tmp_path, prop, "TRUE"))

    @pytest.mark.parametrize("prop", some(["NoRedInWhite", "SnapshotConserves"], 1))
    def test_a_property_weakened_to_what_is_true_of_all_states(self, tmp_path, prop):
        verdict, reasons = gate(tmp_path, MUTANTS, specs=weakened(tmp_path, prop, r"Red \in SUBSET Red"))
        assert verdict is Verdict.VIOLATION
        assert any(f"the seeded bug survives {prop}:" in reason for reason in reasons)

    def test_a_shape_that_this_tlc_evaluates_wrongly(self, tmp_path):
        formula = r"\A p \in Red : LET f == [i \in {1} |-> p] IN [f EXCEPT ![1] = p][1] = p"
        specs = weakened(tmp_path, "NoRedInWhite", formula)
        verdict, reasons = gate(tmp_path, ALGORITHM, specs=specs)
        assert verdict is Verdict.INCOMPLETE
        assert any("NoRedInWhite: EXCEPT of a function that is given by its rule" in each for each in reasons)

    def test_a_mutant_that_changes_nothing(self, tmp_path):
        specs = tmp_path / "specs"
        shutil.copytree(SPECS, specs)
        path = specs / "mutants" / "LateTurn.tla"
        text = path.read_text(encoding="utf-8")
        head, _, _ = text.partition("LateTurnTurnsRed")
        same = r"LateTurnTurnsRed(p, acceptsMarker) == p \notin Red /\ acceptsMarker"
        path.write_text(f"{head}{same}\n====\n", encoding="utf-8")
        verdict, reasons = gate(tmp_path, MUTANTS, specs=specs)
        assert verdict is Verdict.VIOLATION
        assert "ChandyLamport:LateTurn survives: no property catches it" in reasons

    @pytest.mark.parametrize(
        "script",
        some(
            [
                '{java} "$@" | head -n 40; exit 0',
                '{java} "$@" | grep -v 2193; exit 0',
                'timeout -s KILL 0.1 {java} "$@"; exit 0',
                "exit 0",
                "exit 1",
            ],
            1,
        ),
    )
    def test_an_exit_status_swallowed(self, tmp_path, script):
        verdict, reasons = gate(tmp_path, ALGORITHM, tools=lying_java(tmp_path, script))
        assert verdict is not Verdict.PASS
        assert any("did not finish" in reason or "TLC" in reason for reason in reasons), reasons


def test_no_topologies_is_refused(tmp_path):
    with pytest.raises(SpecError, match="topologies: must be a non-empty list"):
        gate(tmp_path, PLAN.replace("[{ processes = 2 }]", "[]", 1))
