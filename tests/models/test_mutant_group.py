"""Several mutants in one run of TLC: each has exactly the kills and the traces that it has alone."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.jobs.job_execution import run_job
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.gate.pipeline.job_tasks import JointJob, joined, joint_rows, parted
from pyharness.gate.plans.plan import read_plan
from pyharness.models import mutant_check
from pyharness.models.machine_tools import find_tools
from pyharness.models.mutant_check import kill_rows
from pyharness.models.mutant_group import MOST_GRAPHS, groups, render_mutants
from pyharness.models.table_rows import KillRow, RunRow, TopologyRow, TraceRow, rows_of
from pyharness.models.text_run import run_texts
from pyharness.tla.plain_models.config_file import parse_config
from pyharness.tla.tlc import Outcome, Result, Trace
from pyharness.tla.tlc.result import Violation
from pyharness.tla.tlc.trace import TraceStep
from pyharness.tla.values import record
from tests.long import LONG
from tests.shipped_plans import shipped_plan

pytestmark = pytest.mark.tlc

TEXT = """format = "pyharness-plan/1"
[[matrix]]
name = "some"
spec = "ChandyLamport"
topologies = ["n2-6-i1", "n1-1-i1"]
items = 1
depth = 9
invariants = ["TypeOK", "NoRedInWhite", "OneMarker", "MarkerSeparates"]
properties = ["TurnsRedOnce", "RefinesWhiteRed"]
[matrix.mutants]
LateTurn = ["NoRedInWhite", "RefinesWhiteRed"]
LeftOver = ["TypeOK"]
NonFifoChannel = ["NoRedInWhite"]
"""


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "some.toml"
    path.write_text(TEXT, encoding="utf-8")
    return read_plan(path, SPECS)


@pytest.fixture
def jobs(plan):
    return plan_jobs(plan, find_tools())


def actions_in(itf):
    """Return the actions of a trace's steps, in their order."""
    return [state["#meta"].get("action") for state in json.loads(itf)["states"]]


def alike(rows):
    """Return rows without what a run of several does not tell of one."""
    return [replace(row, seconds=None, generated=None) if isinstance(row, RunRow) else row for row in rows]


def test_each_mutant_has_the_rows_that_it_has_alone(plan, jobs):
    tools, two = find_tools(), jobs[:2]
    (joint,) = joined(two, plan.library)
    together = parted(joint, joint_rows(joint, plan.library, tools))
    assert [job for job, _ in together] == two
    for job, rows in together:
        assert alike(rows) == alike(run_job(job, plan.library, tools)), job.name
        assert rows_of(KillRow, rows)
        assert {row.topology for row in rows_of(TraceRow, rows)} <= {"n2-6-i1", "n1-1-i1"}


def test_a_mutant_that_the_group_does_not_catch_runs_alone(plan, jobs, tmp_path):
    blind = [replace(job, model=replace(job.model, invariants=("TypeOK",), properties=())) for job in jobs]
    decided = kill_rows(blind, plan.library, find_tools(), tmp_path)
    caught = [job for job in blind if job.id in decided]
    assert [str(job.model.mutant) for job in caught] == ["LateTurn", "LeftOver"]
    rows = parted(JointJob(tuple(blind)), joint_rows(JointJob(tuple(blind)), plan.library, find_tools()))
    for job, own in rows:
        (run,) = rows_of(RunRow, own)
        assert (run.outcome is Outcome.SUCCESS) == (job not in caught)
        outcomes = {row.outcome for row in rows_of(TopologyRow, own)}
        assert outcomes <= {"caught", "not caught"}
        assert ("caught" in outcomes) == (job in caught)


@pytest.mark.parametrize(
    "spoiled",
    [
        {"finished": False},
        {"outcome": Outcome.INCOMPLETE, "violations": ()},
        {"outcome": Outcome.EVALUATION_ERROR, "violations": ()},
        {"violation_count": 1000},
        {"distinct": 1000},
    ],
)
def test_a_run_that_is_not_whole_decides_nothing(plan, jobs, tmp_path, monkeypatch, spoiled):
    monkeypatch.setattr(mutant_check, "run_texts", lambda *g, **o: replace(run_texts(*g, **o), **spoiled))
    assert kill_rows(jobs, plan.library, find_tools(), tmp_path) == {}


@pytest.mark.parametrize(
    ("result", "decided"),
    [
        (Result(Outcome.SUCCESS, 0, finished=True), "not caught"),
        (Result(Outcome.INCOMPLETE, -9), "not decided"),
        (Result(Outcome.OUT_OF_MEMORY, 1), "not decided"),
    ],
)
def test_a_mutant_alone_is_not_caught_only_if_its_run_is_complete(
    plan, jobs, tmp_path, monkeypatch, result, decided
):
    monkeypatch.setattr(mutant_check, "run_texts", lambda *_, **__: result)
    (rows,) = kill_rows(jobs[:1], plan.library, None, tmp_path).values()
    assert {row.outcome for row in rows_of(TopologyRow, rows)} == {decided}
    assert [row.complete for row in rows_of(RunRow, rows)] == [decided == "not caught"]


@pytest.mark.parametrize(
    ("ended", "decided"), [((1, 1), "not caught"), ((0, 1), "not decided"), ((1, 0), "not decided")]
)
def test_what_a_run_that_is_not_whole_did_not_catch_is_not_decided(
    plan, jobs, tmp_path, monkeypatch, ended, decided
):
    whole, cut = Result(Outcome.SUCCESS, 0, finished=True), Result(Outcome.INCOMPLETE, -9)
    results = [whole if end else cut for end in ended]
    monkeypatch.setattr(mutant_check, "run_texts", lambda *_, **__: results.pop(0))
    names = ("TurnsRedOnce", "SSSReachable")
    model = replace(jobs[0].model, fair=True, properties=names, caught_by=names[:1])
    (rows,) = kill_rows([replace(jobs[0], model=model)], plan.library, None, tmp_path).values()
    assert {row.outcome for row in rows_of(TopologyRow, rows)} == {decided}
    assert results == []


def test_an_initial_predicate_of_a_mutant_is_one_in_its_group(plan, jobs, tmp_path):
    """Before TLC knows which graph it is on, it must choose one: a group that TLC refuses runs one by one instead."""
    assert any("Init" in dict(model.mutant_overrides(plan.library)) for model in plan.models)
    assert set(kill_rows(jobs, plan.library, find_tools(), tmp_path)) == {job.id for job in jobs}


@LONG
def test_an_action_that_one_of_a_group_overrides_has_its_own_name_in_all_traces(tmp_path):
    plan, tools, mutants = shipped_plan("quick"), find_tools(), {"RecordBusy", "SendsWhilePaused"}
    (group,) = (group for group in groups(plan.models) if mutants <= {model.mutant for model in group})
    models = [model for model in group if model.mutant in mutants]
    jobs = [job for job in plan_jobs(plan, tools) if job.kind == "check" and job.model in models]
    together = kill_rows(jobs, plan.library, tools, tmp_path)
    for job in jobs:
        rows = {row.violated: row.itf for row in rows_of(TraceRow, together[job.id])}
        alone = {row.violated: row.itf for row in rows_of(TraceRow, run_job(job, plan.library, tools))}
        assert set(rows) & set(alone)
        for name in set(rows) & set(alone):
            assert actions_in(rows[name]) == actions_in(alone[name]), (job.name, name)


def test_an_action_whose_own_name_begins_like_that_of_an_overridden_one_keeps_it():
    state = record(topo="LateTurn:g")
    trace = Trace(tuple(TraceStep(name, state) for name in (None, "Offer", "OfSend")))
    renamed = mutant_check._renamed(trace, {"LateTurn:g": "g"}, {"OfSend": "Send"})
    assert [step.action for step in renamed.steps] == [None, "Offer", "Send"]
    assert {step.state["topo"] for step in renamed.steps} == {"g"}


def test_properties_of_behaviours_that_should_be_silent_share_a_run_unless_one_is_violated(
    plan, jobs, tmp_path, monkeypatch
):
    asked = []
    violated = Result(
        Outcome.TEMPORAL, 13, finished=True, violations=(Violation(Outcome.TEMPORAL, None, None, "", None),)
    )

    def answer(rendered, *_, **__):
        asked.append(parse_config(rendered.cfg, rendered.module).properties)
        return violated if "SSSReachable" in asked[-1] else Result(Outcome.SUCCESS, 0, finished=True)

    monkeypatch.setattr(mutant_check, "run_texts", answer)
    names = ("TurnsRedOnce", "SSSReachable", "EventuallyRed", "LocallyFinal")
    for expected, silent, runs in [
        (names[:2], names[2:], [names[:1], names[1:2], names[2:]]),
        (names[:1], names[1:], [names[:1], names[1:], *((name,) for name in names[1:])]),
    ]:
        model = replace(jobs[0].model, fair=True, properties=names, caught_by=expected)
        kill_rows([replace(jobs[0], model=model)], plan.library, None, tmp_path)
        assert set(silent) | set(expected) == set(names)
        assert asked == runs
        asked.clear()


def test_only_what_differs_in_nothing_but_the_mutant_is_a_group(plan):
    models = list(plan.models)
    assert groups(models) == [models]
    assert groups(models[:1]) == []
    assert groups([models[0], replace(models[1], depth=8), models[2]]) == [[models[0], models[2]]]
    assert groups([replace(model, fair=True) for model in models]) == []
    assert groups([replace(model, mutant=None) for model in models]) == []
    many = [replace(models[0], name=f"m{number}") for number in range(MOST_GRAPHS)]
    assert [len(group) for group in groups(many)] == [MOST_GRAPHS // 2] * 2


def asked(text):
    """Return what a rendered module asks in each state and of each step, by the names of its definitions.

    How many graphs there are, which they are, and what is counted of them is left out.
    """
    parts = re.split(r"^(?=\w+(?:\([\w, ]*\))? ==|ASSUME)", text, flags=re.MULTILINE)[1:]
    found = {part.split(" ==", 1)[0]: " ".join(part.split("\n\n", 1)[0].split()) for part in parts}
    found["ModelNext"] = found["ModelNext"].replace(" \\/ Counting", "")
    return {
        name: found[name]
        for name in found
        if name.startswith(("First", "Watch", "Violations", "TallyV", "Note", "Seen", "NotBeyond"))
        or (name.startswith("Model") and name != "ModelGraphs")
    }


def graphs_of(text):
    return dict(re.findall(r'^ +(?:@@)? *\("([^"]+)" :> (\[processes .*\])\)$', text, re.MULTILINE))


def reported(cfg):
    """Return the lines of a configuration in two: what TLC checks, and what stands in for what."""
    lines = [line.strip() for line in cfg.splitlines()]
    return [line for line in lines if "<-" not in line], {line for line in lines if "<-" in line}


def test_a_group_asks_of_each_mutant_what_is_asked_of_it_alone():
    """The gate pins what TLC is given of a mutant alone, and runs it in its group."""
    plan = shipped_plan("quick")
    found = groups(plan.models)
    assert found
    for models in found:
        together = render_mutants(models, plan.library)
        checked, given = reported(together.cfg)
        graphs = {}
        for model in models:
            alone = render_mutants([model], plan.library)
            assert asked(alone.tla) == asked(together.tla), model.name
            assert "Bug ==" not in alone.tla, (
                model.name
            )  # a parameter may be named like a variable of the spec
            mine, own = reported(alone.cfg)
            assert mine == checked, model.name
            overridden = dict(model.mutant_overrides(plan.library))
            for line in own:
                operator = line.partition(" <- ")[0]
                if operator in overridden:
                    assert f"{operator} <- Of{operator}" in given, model.name
                    case = f'Bug[topo] = "{model.mutant}" -> {overridden[operator]}'
                    assert re.search(rf"{re.escape(case)}(?:\(|\n)", together.tla), model.name
                elif f"{operator} <- Of{operator}" in given:
                    plain = line.partition(" <- ")[2]
                    assert re.search(rf"OTHER -> {re.escape(plain)}(?:\(|\n)", together.tla), model.name
                else:
                    assert line in given, model.name
            graphs |= graphs_of(alone.tla)
        assert graphs == graphs_of(together.tla)
        assert len(graphs) == sum(len(model.topologies) for model in models)
