"""A seeded bug within its spec: a model that is to pass notices, or none of them has the setting in which one could."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.mutants.specs import seeded_bugs
from pyharness.mutants.specs.seeded_bugs import try_bugs
from pyharness.mutants.trial import Verdict
from pyharness.tla.tlc import Outcome
from pyharness.tla.tlc.result import Result
from tests.command import run

HEAD = 'format = "pyharness-plan/1"\n'
SETTING = """spec = "WhiteRedHistory"
topologies = [{ family = "chain", processes = 2 }]
items = 1
constants = { MaxSends = 1 }
"""
BUGS = f"""[[matrix]]
name = "tiny"
{SETTING}invariants = ["MessageHasActionsColour", "NoRedInWhite"]
[matrix.mutants]
NoGuard = ["NoRedInWhite"]
ColourOfReceiver = ["MessageHasActionsColour"]
"""
PASSES = f"""[[model]]
name = "passes"
{SETTING}invariants = ["NoRedInWhite"]
"""

QUIET = PASSES.replace("MaxSends = 1", "MaxSends = 0")


@pytest.fixture
def tried(tmp_path):
    """Tries the bugs of a plan."""

    def found(text):
        (tmp_path / "tiny.toml").write_text(HEAD + text, encoding="utf-8")
        plan = read_plan(tmp_path / "tiny.toml", SPECS)
        return {each.change: each for each in try_bugs(plan, plan.models, find_tools())}

    return found


@pytest.mark.tlc
def test_a_violation_notices_and_so_do_other_numbers_of_states(tried):
    assert {name: (each.verdict, each.by, each.why) for name, each in tried(PASSES + BUGS).items()} == {
        "NoGuard": (Verdict.NOTICED, "passes", "NoRedInWhite"),
        "ColourOfReceiver": (Verdict.NOTICED, "passes", "another number of states"),
    }


@pytest.mark.tlc
def test_a_model_without_the_setting_of_a_bug_does_not_notice_it(tried):
    found = {(each.verdict, each.why) for each in tried(QUIET + BUGS).values()}
    assert found == {(Verdict.SURVIVES, "as without it in passes")}
    alone = {(each.verdict, each.why) for each in tried(BUGS).values()}
    assert alone == {(Verdict.SURVIVES, "no model of the spec is to pass")}


def test_a_model_that_does_not_pass_without_the_bug_decides_nothing(tried, monkeypatch):
    violated = Result(Outcome.INVARIANT, exit_status=12, finished=True)
    monkeypatch.setattr(seeded_bugs, "_run", lambda *_: violated)
    found = tried(PASSES + BUGS)
    assert {each.verdict for each in found.values()} == {Verdict.INCOMPLETE}
    assert all(each.why.startswith("passes: without the bug: ") for each in found.values())


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (Outcome.EVALUATION_ERROR, Verdict.NOTICED),
        (Outcome.PARSE_ERROR, Verdict.INCOMPLETE),
        (Outcome.CONFIG_ERROR, Verdict.INCOMPLETE),
        (Outcome.ASSUMPTION, Verdict.INCOMPLETE),
        (Outcome.OUT_OF_MEMORY, Verdict.INCOMPLETE),
        (Outcome.INCOMPLETE, Verdict.INCOMPLETE),
        (Outcome.SUCCESS, Verdict.SURVIVES),
    ],
)
def test_a_run_that_is_cut_off_or_that_tlc_cannot_read_decides_nothing(outcome, verdict):
    before = Result(Outcome.SUCCESS, exit_status=0, finished=True)
    assert seeded_bugs._compared(before, replace(before, outcome=outcome))[0] is verdict


@pytest.mark.tlc
def test_the_command_says_what_is_not_noticed(tmp_path):
    plan = tmp_path / "tiny.toml"
    plan.write_text(HEAD + QUIET + BUGS, encoding="utf-8")
    found = run("mutate", "bug", str(plan))
    assert found.exit_code == 1
    assert "tiny: 2 seeded bugs" in found.output
    assert "2 NOT NOTICED" in found.output
    plan.write_text(HEAD + PASSES + BUGS, encoding="utf-8")
    assert run("mutate", "bug", str(plan), "--only", "NoGuard").exit_code == 0
    assert run("mutate", "bug", str(plan), "--only", "Nowhere").exit_code == 3
