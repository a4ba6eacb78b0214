"""The command on a tiny plan: what notices a weakening, and that without it the weakening goes unnoticed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from pyharness.hold.conformance.graph_comparison import graph_digest

from pyharness.base.errors import IncompleteError, ToolError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli
from pyharness.cli.weaken_command import weaken
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.mutants.weakening import model_probing
from pyharness.mutants.weakening.model_probing import Probing
from pyharness.mutants.weakening.noticing import NOT_EVALUATED, _violates, notice
from pyharness.tla.tlc import Outcome
from pyharness.tla.tlc.result import Result
from tests.long import LONG

PLAN = """format = "pyharness-plan/1"

[[matrix]]
name = "tiny"
spec = "WhiteRedHistory"
topologies = [{ family = "chain", processes = 2 }]
items = 1
constants = { MaxSends = 1 }
invariants = ["MessageHasActionsColour", "NoRedInWhite"]
[matrix.mutants]
NoGuard = ["NoRedInWhite"]
ColourOfReceiver = ["MessageHasActionsColour"]
"""
LESS = PLAN.replace('ColourOfReceiver = ["MessageHasActionsColour"]\n', "")
LIST = """format = "pyharness-weakenings/1"

[[equivalent]]
properties = ["WhiteRedHistory.MessageHasActionsColour"]
weakenings = ['\\A i \\in DOMAIN history -> OneAlone(DOMAIN history)']
reason = "with one item on a chain the first action is the one send"

[[equivalent]]
properties = ["WhiteRedHistory.NoRedInWhite"]
weakenings = ['\\A i \\in DOMAIN history -> AllButOne(DOMAIN history)']
reason = "with one item on a chain the first action is no acceptance"
"""
UNFAIR = """format = "pyharness-plan/1"

[[matrix]]
name = "tiny"
spec = "WhiteRed"
topologies = [{ family = "chain", processes = 2 }]
items = 1
stop = ""
depth = 3
properties = ["TurnsRedOnce"]
mutants = { TurnBack = ["TurnsRedOnce"] }
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "list.toml").write_text(LIST, encoding="utf-8")

    def invoke(text, *options):
        plan = tmp_path / "tiny.toml"
        plan.write_text(text, encoding="utf-8")
        words = [
            str(plan),
            "--listing",
            str(tmp_path / "list.toml"),
            "--out",
            str(tmp_path / "kept"),
            "--json",
        ]
        result = CliRunner().invoke(weaken, [*words, *options], catch_exceptions=False)
        return result.exit_code, json.loads(result.output)

    return invoke


@LONG
@pytest.mark.slow
@pytest.mark.tlc
def test_without_the_row_of_a_mutant_its_weakenings_go_unnoticed(run, tmp_path):
    assert run(PLAN, "--update")[0] == 0
    code, document = run(PLAN)
    assert (code, document["unnoticed"], document["problems"]) == (0, [], [])
    assert (document["weakenings"], document["noticed"], len(document["equivalent"])) == (4, 2, 2)
    code, document = run(LESS)
    assert code == 1
    missed = "\\A i \\in DOMAIN history -> AllButOne(DOMAIN history)"
    assert [(e["property"], e["weakening"]) for e in document["unnoticed"]] == [
        ("WhiteRedHistory.MessageHasActionsColour", missed)
    ]
    listed = (tmp_path / "list.toml").read_text(encoding="utf-8")
    (tmp_path / "list.toml").write_text(
        listed.replace("NoRedInWhite = [4]", "NoRedInWhite = [3]"), encoding="utf-8"
    )
    code, document = run(PLAN)
    assert code == 1
    assert document["problems"] == [
        "tiny-no-guard: NoRedInWhite catches it by traces of 4 states, pinned are traces of 3 states"
    ]


@pytest.mark.slow
@pytest.mark.tlc
def test_what_tlc_cannot_evaluate_is_noticed_and_the_rest_is_still_looked_for(tmp_path):
    (tmp_path / "tiny.toml").write_text(UNFAIR, encoding="utf-8")
    plan = read_plan(tmp_path / "tiny.toml", SPECS)
    found = notice(plan, Probing(plan.library, find_tools(), tmp_path / "kept"))
    how = {one.change: one.noticed.get("tiny-turn-back") for one in found.weakened}
    assert how["p \\in DOMAIN recState' -> TRUE"] == NOT_EVALUATED
    assert how["\\A p \\in Red -> AllButOne(Red)"] is not NOT_EVALUATED
    assert found.kills == {"tiny-turn-back": {"TurnsRedOnce": [3]}}


@pytest.mark.tlc
def test_a_tautology_is_violated_nowhere_and_another_end_of_tlc_is_no_answer(tmp_path):
    """TLC takes no property of which it finds, before it begins, that nothing violates it."""
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    plan = read_plan(tmp_path / "tiny.toml", SPECS)
    probing = Probing(plan.library, find_tools(), tmp_path / "kept")
    assert _violates(probing, plan.models[0], "[]<>(history = << >>)")
    assert not _violates(probing, plan.models[0], "[]<>(history = << >>) \\/ TRUE")
    with pytest.raises(IncompleteError, match="tautology"):
        probing.behaviours(plan.models[0], "[]<>(history = << >>) \\/ TRUE")
    with pytest.raises(IncompleteError):
        _violates(probing, plan.models[0], "[]<>(history[99] = 0)")


@pytest.mark.tlc
def test_more_output_than_is_kept_is_no_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(model_probing, "_MOST_OUTPUT", 1000)
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    plan = read_plan(tmp_path / "tiny.toml", SPECS)
    with pytest.raises(IncompleteError, match="too much output"):
        notice(plan, Probing(plan.library, find_tools(), tmp_path / "kept"))
    assert not list(tmp_path.glob("kept/*"))


def test_what_is_kept_is_named_by_tlc_by_java_and_by_the_code_that_reads_what_tlc_says(tmp_path, monkeypatch):
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    plan = read_plan(tmp_path / "tiny.toml", SPECS)
    (model, _), tools = plan.models, find_tools()
    base = model.render(plan.library, properties=())

    def names(tools):
        key = Probing(plan.library, tools, tmp_path)._key(model, base, base)
        return {key, graph_digest(model, plan.library, tools)}

    found = [
        names(tools),
        names(replace(tools, jar_sha256="0" * 64)),
        names(replace(tools, java_version="99")),
    ]
    assert len(set().union(*found)) == 6
    before = Probing(plan.library, tools, tmp_path)._key(model, base, base)
    model_probing._code.cache_clear()
    monkeypatch.setattr(model_probing, "code_digest", lambda *_: "edited")
    assert Probing(plan.library, tools, tmp_path)._key(model, base, base) != before
    model_probing._code.cache_clear()


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (Outcome.INCOMPLETE, IncompleteError),
        (Outcome.OUT_OF_MEMORY, IncompleteError),
        (Outcome.SUCCESS, IncompleteError),
        (Outcome.PARSE_ERROR, ToolError),
    ],
)
def test_a_run_that_did_not_come_to_its_end_is_no_answer(tmp_path, monkeypatch, outcome, error):
    """Not even a success whose output is not whole; and nothing of it is kept."""

    def cut_off(run, output, max_output):
        output.write_bytes(b"")
        return Result(outcome, exit_status=None)

    monkeypatch.setattr(model_probing, "run_tlc", cut_off)
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    plan = read_plan(tmp_path / "tiny.toml", SPECS)
    with pytest.raises(error) as caught:
        notice(plan, Probing(plan.library, find_tools(), tmp_path / "kept"))
    assert caught.type is error
    assert not list(tmp_path.glob("kept/*"))


def test_a_plan_of_ones_own_does_not_stand_in_for_the_shipped_one(tmp_path, monkeypatch):
    """The shipped properties are weakened: a plan with modules of one's own would be read without them."""
    own = tmp_path / "specs" / "plans" / "quick.toml"
    own.parent.mkdir(parents=True)
    own.write_text('format = "pyharness-plan/1"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(weaken, ["quick", "--check", "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["properties"] > 1


def test_where_nothing_is_weakened_nothing_is_passed(tmp_path):
    plan = tmp_path / "tiny.toml"
    plan.write_text(PLAN, encoding="utf-8")
    result = CliRunner().invoke(
        cli, ["mutate", "property", str(plan), "--only", "NoSuchProperty", "--out", str(tmp_path)]
    )
    assert result.exit_code == 3
    assert "no property of tiny is weakened" in result.stderr
