"""Weaker and stronger properties on a tiny plan: who notices them, and that without it they go unnoticed."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import replace

import pytest
from click.testing import CliRunner

from pyharness.base.errors import IncompleteError, ToolError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli import mutate_command
from pyharness.cli.main import cli
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.mutants.properties import asked_change, model_runs, plan_trials, root_run
from pyharness.mutants.properties.asked_change import ESCAPES, NOT_EVALUATED, AskedChange, Shown
from pyharness.mutants.properties.model_runs import ModelRuns
from pyharness.mutants.properties.plan_changes import PlanChanges
from pyharness.mutants.properties.plan_trials import PlanTrials
from pyharness.mutants.properties.watching import Changed, PropertyChange, Watching
from pyharness.mutants.trial import Trial, Verdict
from pyharness.tla.tlc import Outcome
from pyharness.tla.tlc.result import Result
from tests.long import LONG
from tests.shipped_plans import shipped_plan

QUICK = shipped_plan("quick")
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
SNAPSHOTS = """format = "pyharness-plan/1"

[[model]]
name = "tiny"
spec = "Snapshots"
topologies = ["n2-6-i1"]
constants = { Each = 1, Overlap = 1 }
items = 1
invariants = ["RecordedIsSSS"]
"""


@pytest.fixture
def tiny(tmp_path):
    """Reads a plan, with what runs its models."""

    def read(text=PLAN):
        (tmp_path / "tiny.toml").write_text(text, encoding="utf-8")
        plan = read_plan(tmp_path / "tiny.toml", SPECS)
        return plan, ModelRuns(plan.library, find_tools(), tmp_path / "kept")

    return read


def verdicts(trials):
    return {(each.subject.partition(".")[2], each.change.partition(" -> ")[2]): each for each in trials}


@LONG
@pytest.mark.slow
@pytest.mark.tlc
def test_without_the_row_of_a_mutant_its_weakenings_go_unnoticed(tiny):
    found = verdicts(PlanTrials(*tiny()).weaker())
    assert {key: (each.verdict, each.why) for key, each in found.items() if each.by} == {
        ("MessageHasActionsColour", "AllButOne(DOMAIN history)"): (Verdict.NOTICED, ESCAPES),
        ("NoRedInWhite", "OneAlone(DOMAIN history)"): (Verdict.NOTICED, ESCAPES),
    }
    left = [each for each in found.values() if not each.by]
    assert {each.why for each in left} == {"in none of 1 models it differs from the property"}
    fewer = verdicts(PlanTrials(*tiny(LESS)).weaker())
    assert [key[0] for key, each in fewer.items() if each.by] == ["NoRedInWhite"]


@pytest.mark.slow
@pytest.mark.tlc
def test_what_tlc_cannot_evaluate_is_noticed_and_the_rest_is_still_looked_for(tiny):
    how = {each.change: each for each in PlanTrials(*tiny(UNFAIR)).weaker()}
    assert how["p \\in DOMAIN recState' -> TRUE"].why == NOT_EVALUATED
    rest = how["\\A p \\in Red -> AllButOne(Red)"]
    assert (rest.verdict, rest.elsewhere) == (Verdict.SURVIVES, "tiny-turn-back")


@pytest.mark.tlc
def test_a_tautology_is_violated_nowhere_and_another_end_of_tlc_is_no_answer(tiny):
    """TLC takes no property of which it finds, before it begins, that nothing violates it."""
    plan, runs = tiny()
    violates = plan_trials.PlanTrials(plan, runs)._violates
    assert violates(plan.models[0], "[]<>(history = << >>)")
    assert not violates(plan.models[0], "[]<>(history = << >>) \\/ TRUE")
    with pytest.raises(IncompleteError, match="tautology"):
        runs.violates(plan.models[0], "[]<>(history = << >>) \\/ TRUE")
    with pytest.raises(IncompleteError):
        violates(plan.models[0], "[]<>(history[99] = 0)")


@pytest.mark.parametrize(
    ("shown", "everywhere", "why"),
    [
        (Shown({0: 3}, {}, {0: 3}), False, ESCAPES),
        (Shown({0: 3}, {0: 4}, {0: 3}), False, asked_change.LATER),
        (Shown({0: 3}, {0: 3}, {0: 5}, {0: 5}), False, asked_change.FEWER_STATES),
        (Shown({0: 3}, {0: 3}, {0: 5}), False, "it differs in tiny, where no kill shows it"),
        (Shown({0: 3}, {0: 3}), False, "in none of 1 models it differs from the property"),
        (Shown(), False, "no model violates the property"),
        (Shown({}, {0: 2}, {0: 2}), True, asked_change.REFUTES),
        (Shown({0: 3}, {0: 2}, {0: 2}), True, asked_change.LATER),
        (Shown(error=NOT_EVALUATED), False, NOT_EVALUATED),
        (Shown(error=asked_change.REFUSED), False, asked_change.REFUSED),
    ],
)
def test_a_change_is_noticed_where_a_pinned_kill_would_tell(shown, everywhere, why):
    asked = AskedChange("M.P", "a -> TRUE")
    asked.note("tiny", shown, everywhere=everywhere)
    trial = asked.trial()
    assert (trial.why, bool(trial.elsewhere)) == (why, "where no kill" in why)
    left = Verdict.INCOMPLETE if shown.error else Verdict.SURVIVES
    assert trial.verdict is (Verdict.NOTICED if trial.by else left)


def test_answers_are_kept_by_tlc_by_java_and_by_the_code_that_reads_what_tlc_says(tiny, monkeypatch):
    plan, runs = tiny()
    tools, asked = find_tools(), []

    @contextmanager
    def no_run(_, tools, *__, **___):
        asked.append(tools)
        yield

    def answer(tools):
        runs._tools = tools
        runs._answer(plan.models[0], fair=False, lines={"A == 1": None}, config={}, read=lambda _: {})
        return len(asked)

    monkeypatch.setattr(model_runs, "run_lines", no_run)
    assert [answer(tools), answer(tools)] == [1, 1]
    assert answer(replace(tools, jar_sha256="0" * 64)) == 2
    assert answer(replace(tools, java_version="99")) == 3
    monkeypatch.setattr(model_runs, "_code", lambda: "edited")
    assert [answer(tools), answer(tools)] == [4, 4]


def end_with(monkeypatch, outcome):
    def run(*_, output, **__):
        output.write_bytes(b"")
        return Result(outcome, exit_status=None)

    monkeypatch.setattr(root_run, "run_root", run)


@pytest.mark.parametrize("outcome", [Outcome.INCOMPLETE, Outcome.OUT_OF_MEMORY, Outcome.SUCCESS])
def test_what_a_run_that_did_not_come_to_its_end_may_tell_is_not_decided(
    tiny, tmp_path, monkeypatch, outcome
):
    """Not even a success whose output is not whole; and nothing of it is kept."""
    end_with(monkeypatch, outcome)
    for each in PlanTrials(*tiny()).weaker():
        assert each.verdict is Verdict.INCOMPLETE
        assert " may notice it: it was not run to its end: " in each.why
    assert not list(tmp_path.glob("kept/*"))
    end_with(monkeypatch, Outcome.PARSE_ERROR)
    with pytest.raises(ToolError, match="cannot take the changes"):
        PlanTrials(*tiny()).weaker()


@pytest.mark.tlc
def test_a_model_that_does_not_violate_what_catches_it_is_no_judge(tiny, monkeypatch):
    """As if the root did not watch: then each weakening would seem to mean the same."""
    monkeypatch.setattr(Watching, "read", lambda *_: iter(()))
    with pytest.raises(IncompleteError, match="NoRedInWhite is not violated, and alone it is otherwise"):
        PlanTrials(*tiny(LESS)).weaker()


def test_figures_are_not_updated_where_something_is_not_decided(tmp_path, monkeypatch):
    undecided, written = Trial("M.P", "a -> TRUE", Verdict.INCOMPLETE), []
    monkeypatch.setattr(PlanTrials, "weaker", lambda _: [undecided])
    monkeypatch.setattr(mutate_command, "write_named", lambda *given: written.append(given))
    (tmp_path / "none.toml").write_text('format = "pyharness-survivors/1"\n', encoding="utf-8")
    given = ["mutate", "property", "--update", "--survivors", str(tmp_path / "none.toml")]
    assert (CliRunner().invoke(cli, [*given, "--out", str(tmp_path)]).exit_code, written) == (3, [])


def test_a_plan_of_ones_own_is_the_one_that_is_asked(tmp_path, monkeypatch):
    own = tmp_path / "specs" / "plans" / "quick.toml"
    own.parent.mkdir(parents=True)
    own.write_text(PLAN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["mutate", "property", "quick", "--check"])
    assert (result.exit_code, "its texts are pinned in no weakenings.toml" in result.stderr) == (2, True)


@pytest.mark.parametrize("sort", ["property", "premise"])
def test_where_nothing_is_changed_nothing_is_passed(tmp_path, sort):
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    given = ["mutate", sort, str(tmp_path / "tiny.toml"), "--only", "NoSuch", "--out", str(tmp_path)]
    result = CliRunner().invoke(cli, given)
    assert result.exit_code == 3
    assert "nothing is changed, so there is no result" in result.stderr


@pytest.mark.tlc
@pytest.mark.slow
def test_a_property_with_a_premise_too_many_is_told(tmp_path):
    (tmp_path / "tiny.toml").write_text(SNAPSHOTS, encoding="utf-8")
    given = [
        "mutate",
        "premise",
        str(tmp_path / "tiny.toml"),
        "--only",
        "Snapshots.RecordedIsSSS",
        "--json",
        "--out",
        str(tmp_path),
    ]
    result = CliRunner().invoke(cli, given)
    trials = json.loads(result.output)["trials"]
    assert [t["change"] for t in trials if t["verdict"].startswith("accepted")] == ["CompleteFor(n) -> TRUE"]
    assert result.exit_code == 0


def names(text):
    return set(re.findall(r"^([A-Za-z_]\w*)(?:\([^()]*\))? ==", text, re.MULTILINE))


def test_the_root_clashes_with_no_name_of_a_spec_an_application_or_a_mutant(tmp_path):
    """TLC would refuse it."""
    runs, maker, library = ModelRuns(QUICK.library, find_tools(), tmp_path), PlanChanges(QUICK), QUICK.library
    for model in {(m.spec, m.application): m for m in QUICK.models if m.mutant and not m.fair}.values():
        defined = {name for module in library.closures(model.modules).values() for name in module.definitions}
        subject = next(s for s in maker.subjects(model) if s.kind != "behaviour")
        one = maker.weaker(model, subject)
        base = model.unchecked.render(library)
        watching = Watching([(one, range(len(one.changes)))], "0", 1, 1, closely=True)
        lines = "\n".join(runs._watched(model, watching))
        assert not names(lines) & (defined | names(base.tla)), model.name


CHANGE = PropertyChange("M.P", "", "")


@pytest.mark.parametrize("wrong", [{("P", 0)}, {("P", 2)}, {("P", 1), ("Q", 3)}])
def test_a_change_that_tlc_gives_no_place_of_is_found_by_halves(tmp_path, monkeypatch, wrong):
    """At an initial state TLC says that it cannot evaluate something, and not where."""
    asked = [Changed("M.P", "state", "P", (CHANGE,) * 3), Changed("M.Q", "state", "Q", (CHANGE,) * 4)]

    def once(_, model, among, but):
        left = [(one.name, i) for one in among for i in range(len(one.changes)) if (one.name, i) not in but]
        return {"unplaced": left} if wrong & set(left) else {"seen": []}

    monkeypatch.setattr(ModelRuns, "_once", once)
    monkeypatch.setattr(model_runs, "_shown", lambda *given: given[-1])
    runs = ModelRuns(QUICK.library, find_tools(), tmp_path)
    assert runs.watch(QUICK.models[0], asked) == dict.fromkeys(wrong, NOT_EVALUATED)


@pytest.mark.tlc
@pytest.mark.parametrize("formula", ["TRUE", "NoSuchOperator"])
def test_a_kept_answer_is_about_the_text_and_not_about_the_places_in_a_list(tiny, monkeypatch, formula):
    """Without its first change a list has the text of a shorter list, in which each change has another place."""
    plan, runs = tiny()
    (model,) = (each for each in plan.models if each.mutant == "NoGuard")
    key = "WhiteRedHistory.NoRedInWhite"
    others = (PropertyChange(key, "same", "NoRedInWhite"), PropertyChange(key, "other", formula))
    kind = {"kind": "state", "formula": "NoRedInWhite"}
    short, long = (Changed(key, changes=each, **kind) for each in (others, (CHANGE, *others)))
    alone = runs._once(model, [short], {})
    monkeypatch.setattr(model_runs, "run_lines", None)  # the answer is kept
    beside = runs._once(model, [long], {("NoRedInWhite", 0): ""})
    assert ("seen" in alone) == (formula == "TRUE")
    if "seen" in alone:
        own, moved = (
            {each.formula[1] for each in found["seen"] if each.formula[1] >= 0} for found in (alone, beside)
        )
    else:
        own, moved = ({index for _, index in found["formulas"]} for found in (alone, beside))
    assert own
    assert moved == {index + 1 for index in own}


def test_changes_that_fail_only_together_are_an_error(tmp_path, monkeypatch):
    def once(_, model, among, but):
        return {"seen": []} if but else {"unplaced": [("P", 0), ("P", 1)]}

    monkeypatch.setattr(ModelRuns, "_once", once)
    runs = ModelRuns(QUICK.library, find_tools(), tmp_path)
    with pytest.raises(ToolError, match="together"):
        runs.watch(QUICK.models[0], [Changed("M.P", "state", "P", (CHANGE, CHANGE))])
