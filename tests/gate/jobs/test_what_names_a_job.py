"""Whatever decides what a job leaves is in its id: what was kept of another one is not taken over for it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology
from pyharness.gate.jobs.jobs import example_jobs, plan_jobs, trace_jobs
from pyharness.gate.plans.plan import read_plan
from pyharness.models.bounds import Budget
from pyharness.models.machine_tools import Tools
from pyharness.models.table_rows import TraceRow
from pyharness.tla.modules.library import Library
from tests.long import some

TEXT = """format = "pyharness-plan/1"
[[model]]
name = "tiny"
spec = "ChandyLamport"
topologies = ["n2-6-i1", "ring:3"]
invariants = ["TypeOK", "NoRedInWhite"]
properties = ["TurnsRedOnce", "RefinesWhiteRed"]
simulate = { traces = 5 }
conform = true
"""
TOOLS = Tools(Path("java"), Path("jar"), "0" * 64, (SPECS,), (), "17")
RING = Topology.of(2, [(1, 2), (2, 1)], [1])
CHANGES = {
    "invariants": ("TypeOK",),
    "properties": ("TurnsRedOnce",),
    "reached": ("AllRed",),
    "overrides": {"MayInitiate": "MayRecord"},
    "topologies": (RING,),
    "items": 1,
    "placement": "any",
    "granularity": "action",
    "fair": True,
    "stop": "",
    "depth": 4,
    "per_run": 1,
    "mutant": "LateTurn",
    "budget": Budget(7, 2048),
}


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    path = tmp_path_factory.mktemp("named") / "tiny.toml"
    path.write_text(TEXT, encoding="utf-8")
    return read_plan(path, SPECS)


def ids(plan, kind, **changed):
    models = tuple(replace(model, **changed) for model in plan.models)
    return [job.id for job in plan_jobs(replace(plan, models=models), TOOLS) if job.kind == kind]


OF_NO_GRAPH = ("invariants", "properties", "reached", "fair", "per_run")
"""What a comparison does not depend on: it looks at all of the graph, which is the same whatever is checked in it."""

OF_ALL_STATES = ("reached", "per_run")
"""Random behaviours do not depend on these fields."""


@pytest.mark.parametrize("field", CHANGES)
@pytest.mark.parametrize("kind", ["check", "conform", "simulate"])
def test_a_model_that_asks_for_something_else_is_another_job(plan, kind, field):
    (before,), (after,) = ids(plan, kind), ids(plan, kind, **{field: CHANGES[field]})
    same = (kind == "conform" and field in OF_NO_GRAPH) or (kind == "simulate" and field in OF_ALL_STATES)
    assert (before == after) == same


def test_no_two_kinds_of_job_have_one_name(plan):
    every = [found for kind in ("check", "conform", "simulate") for found in ids(plan, kind)]
    assert len(every) == len(set(every)) == 3


TRACE_CHANGES = {
    "spec": "WhiteRed",
    "mutant": "LateTurn",
    "granularity": "action",
    "application": "Tasks",
    "predicate": "Terminated",
    "items": 1,
    "placement": "any",
    "constants": {"Need": 2},
}


@pytest.mark.parametrize("field", TRACE_CHANGES)
def test_a_trace_is_replayed_again_where_its_system_is_another_one(plan, field):
    row = TraceRow("job", "tiny", "simulation", 0, "n2-6-i1", 1, None, "{}")

    def replayed(**changed):
        models = tuple(replace(model, **changed) for model in plan.models)
        found = trace_jobs(replace(plan, models=models), [row], TOOLS)
        return next(job.id for job in found if job.kind == "replay")

    assert replayed() != replayed(**{field: TRACE_CHANGES[field]})


def test_an_example_that_expects_something_else_is_another_job(plan, tmp_path):
    specs = tmp_path / "specs"
    shutil.copytree(SPECS, specs)
    own = replace(plan, examples=("kuper",))
    before = example_jobs(own, replace(TOOLS, specs=(specs,)))
    path = specs / "examples" / "kuper.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('C21 = ["m3"]', "C21 = []"), encoding="utf-8")
    after = example_jobs(own, replace(TOOLS, specs=(specs,)))
    assert before != after


INSTANCED = r"""---- MODULE Uses ----
EXTENDS Naturals
VARIABLE x
Named == INSTANCE A
Two(a, b) == INSTANCE B WITH y <- a, z <- b
Within == LET K == INSTANCE C IN K!Small
Text == "INSTANCE D"
====
"""


def test_a_module_that_is_instanced_in_whatever_way_counts(tmp_path):
    (tmp_path / "Uses.tla").write_text(INSTANCED, encoding="utf-8")
    for name, text in {"A": "", "B": "CONSTANTS y, z", "C": "Small == 1"}.items():
        (tmp_path / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{text}\n====\n", encoding="utf-8")
    assert sorted(Library(tmp_path).closures(["Uses"])) == ["A", "B", "C", "Uses"]


FULL = """format = "pyharness-plan/1"
[[model]]
name = "full"
spec = "ChandyLamport"
topologies = ["n2-6-i1"]
fair = true
invariants = ["SnapshotConserves"]
properties = ["EventuallyComplete", "RefinesWhiteRed"]
overrides = { MayInitiate = "MayRecord" }
"""
EDITS = {
    "a hypothesis of a theorem": ("ChandyLamport", r"AllReachable /\ InputEnabled /\ FairSpec => EventuallyComplete",
        r"InputEnabled /\ FairSpec => EventuallyComplete"),
    "an assumption": ("Application", r"Graphs : IsDigraph", r"Graphs : TRUE /\ IsDigraph"),
    "what a hypothesis names of an instance": ("Computation", "Law == ", "Law == TRUE /\\ "),
    "what a hypothesis substitutes": ("ChandyLamport",
        r"Underlying == INSTANCE Computation WITH chan <- Visible",
        r"Underlying == INSTANCE Computation WITH chan <- IF FALSE THEN << >> ELSE Visible"),
    "fairness": ("ChandyLamport", "WF_vars(Initiate(p))", "SF_vars(Initiate(p))"),
    "what stands in for an operator": ("ChandyLamport", "MayRecord(p) == p", "MayRecord(p) == TRUE /\\ p"),
    "what stands in for a constant": ("Items", "ItemsSendable(p, c, s)       == s",
        "ItemsSendable(p, c, s) == s \\cup {}"),
    "what a refinement refines": ("WhiteRed", "[][Next]_vars", "[][Next /\\ TRUE]_vars"),
    "where a behaviour ends": ("ChandyLamport", "Over     == Complete", "Over == TRUE /\\ Complete"),
    "a standard module": ("Sums", "EXTENDS Naturals", "EXTENDS Integers"),
}  # fmt: skip


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """Return a copy of the specs, and a function that names the check of the model FULL of it."""
    place = tmp_path_factory.mktemp("full")
    specs = place / "specs"
    shutil.copytree(SPECS, specs)
    (place / "full.toml").write_text(FULL, encoding="utf-8")

    def named():
        (check,) = plan_jobs(read_plan(place / "full.toml", specs), replace(TOOLS, specs=(specs,)))
        return check.id

    return specs, named, named()


@pytest.mark.parametrize("edit", some(EDITS, 1))
def test_an_edit_of_what_decides_a_verdict_is_another_job(copied, edit):
    specs, named, before = copied
    module, old, new = EDITS[edit]
    assert named() == before
    path = specs / f"{module}.tla"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    after = named()
    path.write_text(text, encoding="utf-8")
    assert after != before
