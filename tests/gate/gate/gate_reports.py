"""Reports of runs that never were: a plan read from text, with rows by hand, judged as a run's rows are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pyharness.base.toolchain.spec_files import ROOT, SPECS
from pyharness.cli.plan_run import Ran
from pyharness.gate.judge.judgement import judge, judge_plan
from pyharness.gate.judge.kill_matrix import kill_matrix
from pyharness.gate.judge.plan_report import Evidence, ModelReport, PlanReport, within_budget
from pyharness.gate.plans.plan import read_plan
from pyharness.models.verdicts import Verdict, worst
from tests.table_rows import tables

PLAN = """format = "pyharness-plan/1"
budget_seconds = 100

[[model]]
name = "algorithm"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
invariants = ["NoRedInWhite"]
properties = ["SSSReachable"]
silent = ["Internal"]
pins = { distinct = 362, depth = 16 }

[[model]]
name = "no-state-that-occurred"
spec = "WhiteRedHistory"
topologies = [{ processes = 2 }]
constants = { MaxSends = 2 }
invariants = ["SSSOccurs"]
expect = "violation"
caught_by = ["SSSOccurs"]

[[matrix]]
name = "mutants"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
invariants = ["NoRedInWhite"]
properties = ["SSSReachable"]
[matrix.mutants]
LateTurn = ["NoRedInWhite", "SSSReachable"]
"""
ITF = (ROOT / "traces" / "LateTurn.itf.json").read_text(encoding="utf-8")
GRAPH = "n2-6-i1"
RUN = {
    "kind": "check",
    "run": 0,
    "outcome": "SUCCESS",
    "detail": "",
    "violated": None,
    "finished": True,
    "exit_status": 0,
    "distinct": 362,
    "generated": 734,
    "depth": 16,
    "seconds": 2.5,
}
VIOLATED = {"outcome": "INVARIANT", "exit_status": 12, "detail": "Invariant NoRedInWhite is violated."}
TRACE = {"kind": "counterexample", "index": 0, "topology": GRAPH, "length": 5, "itf": ITF}
REPLAY = {"kind": "counterexample", "index": 0, "steps": 5, "divergence": None, "violated": []}
NOT_SORTED = {"kind": "counterexample", "index": 0, "complete": False, "agreed": None, "reason": None}


def violation(name):
    """Rows of a model that violates a property on its only graph."""
    return {
        "runs": [RUN | VIOLATED | {"violated": name, "detail": f"Invariant {name} is violated."}],
        "traces": [TRACE | {"violated": name, "index": 1, "length": 9}, TRACE | {"violated": name}],
        "topologies": [{"topology": GRAPH, "outcome": "x", "violated": name}],
        "reorderings": [NOT_SORTED | {"accepted": None}, NOT_SORTED | {"accepted": None, "index": 1}],
    }


def green_rows(model):
    """Rows with which a model of PLAN passes."""
    if model.mutant is None and model.expect == "pass":
        return {
            "runs": [RUN | {"evaluated": [*model.invariants, *model.properties]}],
            "topologies": [{"topology": GRAPH, "outcome": "success", "violated": None}],
            "actions": [{"run": 0, "action": "Send", "total": 3}],
            "witnesses": [{"witness": "ChannelState", "formula": "Complete", "reached": True}],
        }
    if model.mutant is None:
        return violation(model.caught_by[0])
    kill = {"spec": model.spec, "mutant": model.mutant, "topology": GRAPH, "processes": 2, "channels": 2}
    return violation("NoRedInWhite") | {
        "traces": [TRACE | {"violated": "NoRedInWhite"}],
        "kills": [kill | {"property": name, "length": 5} for name in ("NoRedInWhite", "SSSReachable")],
        "replays": [
            REPLAY | {"implementation": model.mutant, "agreed": True, "violated": ["NoRedInWhite"]},
            REPLAY | {"implementation": "correct", "agreed": False, "divergence": "step 4"},
        ],
    }


def run(directory, text=PLAN, *, seconds=12.0, complete=True, examples=(), failures=None, **rows):
    """Judge a plan with green rows, but for those given: a model's name (with _ for -) and its rows by table.

    ``failures`` are jobs that did not finish, by the model's name.
    """
    path = directory / "plan.toml"
    path.write_text(text, encoding="utf-8")
    plan = replace(read_plan(path, SPECS), complete=complete)
    reports = []
    for model in plan.models:
        own = green_rows(model) | rows.get(model.name.replace("-", "_"), {})
        lost = (failures or {}).get(model.name, ())
        evidence = Evidence(("Send", "Internal"), witnesses_asked=(), failures=lost, **tables(**own))
        reports.append(ModelReport(model, *judge(model, evidence), evidence))
    matrix = kill_matrix(plan, [row for report in reports for row in report.evidence.kills])
    verdict, reasons = judge_plan(plan, matrix, ())
    examples = tables(examples=examples)["examples"]
    verdicts = [Verdict.of(row.verdict) for row in examples]
    report = PlanReport(
        plan,
        worst([verdict, *(r.verdict for r in reports), *verdicts]),
        reasons,
        tuple(reports),
        matrix,
        (),
        tuple(examples),
        len(reports),
        0,
    )
    report = within_budget(report, seconds)
    return Ran(report, seconds, Path("report"))


SABOTAGES = {
    "a violation": ({"algorithm": violation("NoRedInWhite")}, 1, "failure", "NoRedInWhite"),
    "a violation that TLC does not name": ({"algorithm": violation(None) | {"reorderings": []}}, 1, "failure",
        "the entire model"),
    "out of memory": ({"algorithm": {"runs": [RUN | {"outcome": "OUT_OF_MEMORY"}]}}, 3, "error", "the entire model"),
    "cut off": ({"algorithm": {"runs": [RUN | {"outcome": "INCOMPLETE"}]}}, 3, "error",
        "the entire model"),
    "a parse error": (
        {
            "algorithm": {
                "runs": [
                    RUN
                    | {
                        "outcome": "PARSE_ERROR",
                        "detail": "line 63, col 1 to line 63, col 9 of module ChandyLamport",
                    }
                ]
            }
        },
        2,
        "error",
        "the entire model",
    ),
    "TLC failed": ({"algorithm": {"runs": [RUN | {"outcome": "TOOL_ERROR"}]}}, 4, "error", "the entire model"),
    "a job lost": ({"failures": {"algorithm": ["the check job did not finish"]}}, 4, "error", "the entire model"),
    "nothing run": ({"algorithm": {"runs": []}}, 3, "error", "the entire model"),
    "a wrong pin": ({"text": PLAN.replace("distinct = 362", "distinct = 361")}, 3, "error", "the entire model"),
    "not caught by its property": ({"mutants_late_turn": {"kills": []}}, 1, "failure", "LateTurn"),
    "caught by more": (
        {"text": PLAN.replace('LateTurn = ["NoRedInWhite", "SSSReachable"]', 'LateTurn = ["NoRedInWhite"]')},
        3,
        "error",
        "LateTurn",
    ),
    "the Python mutant does not follow": ({"mutants_late_turn": {"replays": []}}, 3, "error", "LateTurn"),
    "not violated, though it should be": (
        {"no_state_that_occurred": {"runs": [RUN | {"evaluated": []}], "traces": [], "reorderings": []}},
        1,
        "failure",
        "not SSSOccurs",
    ),
    "a worked example": ({"examples": [{"example": "kuper", "verdict": "nonconformance", "message": "differs"}]}, 1,
        "failure", "kuper"),
    "over the budget": ({"seconds": 101.0}, 3, "error", "budget"),
}  # fmt: skip
"""Ways to break a run: what to change in it, the exit code, and the case that must say so, as what."""
