"""Plan keys of the collection: what may be wrong with them, and that each is looked at."""

from __future__ import annotations

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.jobs.job_execution import run_job
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.gate.jobs.replay_rows import replay_row
from pyharness.gate.judge.judgement import judge
from pyharness.gate.judge.plan_report import evidence_of
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.models.table_rows import TraceRow, rows_of
from pyharness.models.verdicts import Verdict
from pyharness.tla.modules.formula_facts import next_actions
from tests.long import some

GOOD = """format = "pyharness-plan/1"

[[model]]
name = "tiny"
spec = "Collection"
application = "Tasks"
predicate = "Terminated"
constants = { Need = 1 }
topologies = [{ family = "chain", processes = 2 }]
items = 1
stop = "Concluded"
invariants = ["StablePredicate"]
silent = ["CExchange"]
reached = ["HeldBefore", "CameToHold"]
"""


def read(tmp_path, text):
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return read_plan(path, SPECS)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('"Tasks"', '"Task"', 6, "did you mean Tasks"),
        ('"Tasks"', '"Items"', 7, "about Tasks"),
        ('"Terminated"', '"Terminatd"', 7, "did you mean Terminated"),
        ('predicate = "Terminated"\n', "", 3, "tests a predicate"),
        ('spec = "Collection"', 'spec = "ChandyLamport"', 12, "does not define StablePredicate"),
        ("Need = 1", "Ned = 1", 8, "declares no constant Ned"),
        ('"CameToHold"', '"CameToHolt"', 14, "does not define CameToHolt"),
    ],
)
def test_a_wrong_key_is_named_with_its_line(tmp_path, old, new, line, message):
    assert old in GOOD
    with pytest.raises(SpecError, match=message) as caught:
        read(tmp_path, GOOD.replace(old, new))
    assert caught.value.where == f"plan.toml:{line}"


def evidence(plan, tools):
    model = plan.models[0]
    rows = [row for job in plan_jobs(plan, tools) for row in run_job(job, plan.library, tools)]
    rows += [replayed for row in rows_of(TraceRow, rows) for replayed in replay_row(model, row)]
    return evidence_of(next_actions(plan.library, "Collection"), (), rows)


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("constants", "complaint"), some([("Need = 2", "HeldBefore is never reached"), ("Need = 1", None)], 1)
)
def test_a_predicate_that_never_holds_makes_a_check_vacuous(tmp_path, constants, complaint):
    # one task where two are needed: it is never retired, so nothing ever terminates
    plan = read(tmp_path, GOOD.replace("Need = 1", constants))
    verdict, reasons = judge(plan.models[0], evidence(plan, find_tools()))
    assert verdict is Verdict.INCOMPLETE  # there are no pins in any case
    vacuous = [reason for reason in reasons if reason.startswith("vacuous") and "ChannelState" not in reason]
    assert any(complaint in reason for reason in vacuous) if complaint else not vacuous
