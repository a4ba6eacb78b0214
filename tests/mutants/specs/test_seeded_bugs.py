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


@pytest.fixture
def tried(tmp_path):
    """Tries the bugs of a plan, of which a model that is to pass may have other pins."""

    def found(text, **pins):
        (tmp_path / "tiny.toml").write_text(HEAD + text, encoding="utf-8")
        plan = read_plan(tmp_path / "tiny.toml", SPECS)
        judges = [replace(m, pins=replace(m.pins, **pins)) if m.pins and pins else m for m in plan.models]
        return {each.change: each for each in try_bugs(plan, judges, find_tools())}

    return found


@pytest.mark.tlc
def test_a_violation_notices_and_so_do_other_numbers_of_states(tried):
    found = tried(PASSES + "pins = { distinct = 1, depth = 1 }\n" + BUGS)
    assert {name: (each.verdict, each.by, each.why) for name, each in found.items()} == {
        "NoGuard": (Verdict.NOTICED, "passes", "NoRedInWhite"),
        "ColourOfReceiver": (Verdict.NOTICED, "passes", "another number of states"),
    }


@pytest.mark.tlc
def test_a_model_without_the_setting_of_a_bug_does_not_notice_it(tried):
    found = tried(PASSES + BUGS)  # without pins, the property alone
    assert found["NoGuard"].verdict is Verdict.NOTICED
    assert (found["ColourOfReceiver"].verdict, found["ColourOfReceiver"].why) == (
        Verdict.SURVIVES,
        "as without it in passes",
    )
    alone = tried(BUGS)
    assert {(each.verdict, each.why) for each in alone.values()} == {
        (Verdict.SURVIVES, "no model of the spec is to pass")
    }


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
def test_a_run_that_is_cut_off_or_that_tlc_cannot_read_decides_nothing(tried, monkeypatch, outcome, verdict):
    ended = Result(outcome, exit_status=0, finished=True)
    monkeypatch.setattr(seeded_bugs, "run_texts", lambda *_, **__: ended)
    assert {each.verdict for each in tried(PASSES + BUGS).values()} == {verdict}


@pytest.mark.tlc
def test_the_command_says_what_is_not_noticed(tmp_path):
    plan = tmp_path / "tiny.toml"
    plan.write_text(HEAD + PASSES + BUGS, encoding="utf-8")
    found = run("mutate", "bug", str(plan))
    assert found.exit_code == 1
    assert "tiny: 2 seeded bugs" in found.output
    assert "1 NOT NOTICED" in found.output
    assert run("mutate", "bug", str(plan), "--only", "NoGuard").exit_code == 0
    assert run("mutate", "bug", str(plan), "--only", "Nowhere").exit_code == 3
