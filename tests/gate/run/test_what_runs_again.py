"""How many jobs of the quick plan run again after an edit: counted, not timed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.jobs.jobs import example_jobs, plan_jobs, trace_jobs
from pyharness.gate.pipeline.job_tasks import joined
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import Tools
from pyharness.models.table_rows import TraceRow
from tests.long import some
from tests.shipped_plans import shipped_plan


@pytest.fixture(scope="module")
def specs(tmp_path_factory):
    copy = tmp_path_factory.mktemp("edited") / "specs"
    shutil.copytree(SPECS, copy)
    return copy


def jobs(specs):
    """Return the quick plan without what begins where the implementation walked to, which takes long, and its jobs."""
    plan = read_plan(specs / "plans" / "quick.toml", specs)
    plan = replace(plan, models=tuple(model for model in plan.models if model.wander is None))
    return plan, plan_jobs(plan, Tools(Path("java"), Path("jar"), "0" * 64, (specs,), (), "17"))


@pytest.fixture(scope="module")
def known(specs):
    """The ids of the jobs of the specs as they are shipped."""
    return {job.id for job in jobs(specs)[1]}


def again(specs, known, edited, old, new):
    """Return the plan, its jobs, and those that run after a text was put for another in a file of the specs."""
    path = specs / edited
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    plan, after = jobs(specs)
    path.write_text(text, encoding="utf-8")
    return plan, after, [job for job in after if job.id not in known]


@pytest.mark.parametrize(
    ("edited", "old", "new"),
    some(
        [
            ("ChandyLamport.tla", "Next ==\n", "\n(* What a process does. *)\nNext ==\n\n\n"),
            ("ChandyLamport.tla", "TypeOK ==\n", "TypeOK ==  \\* what each variable is\n"),
            ("Digraph.tla", "Proc(g)   == 1 .. g.processes", "Proc(g) ==\n  (1 .. (g.processes))"),
            ("Collection.tla", "EventuallyConcluded ==", "NobodyAsks(a) == a\nEventuallyConcluded =="),
        ],
        1,
    ),
)
def test_after_an_edit_of_a_comment_or_of_what_nobody_uses_nothing_runs(specs, known, edited, old, new):
    _, after, changed = again(specs, known, edited, old, new)
    assert len(after) > 500
    assert changed == []


def test_after_an_edit_of_a_property_its_evaluation_runs(specs, known):
    plan, _, changed = again(
        specs,
        known,
        "ChandyLamport.tla",
        "Complete => recChan = whiteInRed",
        "Complete => whiteInRed = recChan",
    )
    asked = {
        m.name
        for m in plan.models
        if "RecordedIsSSS" in (*m.invariants, *m.properties)
        and plan.library.definition(m.spec, "RecordedIsSSS").module == "ChandyLamport"
    }
    assert asked
    assert {job.name for job in changed} == asked
    assert {job.kind for job in changed} <= {"check", "simulate"}, "its graph is the same"


def test_after_an_edit_of_an_action_what_can_reach_it_runs(specs, known):
    plan, after, changed = again(
        specs, known, "Collection.tla", "MayConclude == DOMAIN", "MayConclude == TRUE /\\ DOMAIN"
    )
    own = {m.name for m in plan.models if "Collection" in plan.library.closures(m.modules)}
    assert {job.name for job in changed} == own
    assert {job.kind for job in changed} == {"check", "conform", "simulate"}
    assert len(changed) < len(after) / 5


def test_after_an_edit_of_a_mutant_its_own_checks_run(specs, known):
    plan, _, changed = again(
        specs, known, "mutants/LateTurn.tla", "p \\notin Red /\\", "p \\notin Red /\\ TRUE /\\"
    )
    assert {job.name for job in changed} == {m.name for m in plan.models if m.mutant == "LateTurn"}
    assert {job.kind for job in changed} == {"check"}
    assert len(joined(changed, plan.library)) <= len(changed) <= 2


@pytest.mark.parametrize("other", [{"jar_sha256": "1" * 64}, {"java_version": "21"}])
def test_with_another_tlc_or_java_all_runs_again(other):
    plan = shipped_plan("quick")
    some = replace(plan, models=plan.models[:3], examples=plan.examples[:1])
    traces = [trace_of(model.name) for model in some.models]

    def ids(tools):
        made = [*plan_jobs(some, tools), *example_jobs(some, tools), *trace_jobs(some, traces, tools)]
        return {job.id: job.kind for job in made}

    tools = Tools(Path("java"), Path("jar"), "0" * 64, (SPECS,), (), "17")
    before, after = ids(tools), ids(replace(tools, **other))
    assert {before[kept] for kept in before.keys() & after} == {"replay", "explore"}  # which run no TLC


def trace_of(model, itf="{}"):
    """A row of a trace."""
    return TraceRow(
        job="", model=model, kind="simulation", index=0, topology="", length=1, violated=None, itf=itf
    )
