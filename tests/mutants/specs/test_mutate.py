"""``pyharness mutate``: machine-made mutants of a spec, many in one run, and the verdict on each."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.spec_files import SPECS as SHIPPED
from pyharness.cli import mutate_command
from pyharness.cli.main import cli
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds
from pyharness.mutants.specs import followed_mutants, mutant_runs, mutant_tlc, one_module
from pyharness.mutants.specs.mutant_graph import DEADLOCK, UNEVALUATED
from pyharness.mutants.specs.mutant_runs import MutatedSpec, mutate, mutate_in_turn
from pyharness.mutants.specs.own_spec import plain_model_of
from pyharness.mutants.trial import SURVIVORS, Trial, Verdict, read_survivors
from pyharness.tla.plain_models.plain_model import read_model
from tests.long import LONG, some

ROOT = Path(__file__).parents[3]
SPECS = ROOT / "tests" / "models" / "specs"
BOUNDS = Bounds(600, 1024)

pytestmark = pytest.mark.tlc

EVERY_CLASS = """---- MODULE Every ----
EXTENDS Naturals, Sequences
VARIABLES n, last, log
vars == <<n, last, log>>
Init == n = 0 /\\ last = 0 /\\ log = << >>
Up ==
  /\\ n < 2
  /\\ n' = n + 1
  /\\ last' = n
  /\\ UNCHANGED log
Note ==
  /\\ log = << >>
  /\\ n = 2
  /\\ log' = <<Head(<<n>>)>>
  /\\ UNCHANGED <<n, last>>
Never ==
  /\\ n > 5
  /\\ n' = 0
  /\\ UNCHANGED <<last, log>>
Next == Up \\/ Note \\/ Never
Low == n <= 2
Steps == [][n' >= n]_vars
Counts == n # 0 \\/ ENABLED (Up /\\ n' # n)
Few == n <= 1
====
"""


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    place = tmp_path_factory.mktemp("every")
    (place / "Every.tla").write_text(EVERY_CLASS, encoding="utf-8")
    config = "INIT Init\nNEXT Next\nINVARIANTS Low Counts\nPROPERTY Steps\nCHECK_DEADLOCK FALSE\n"
    (place / "Every.cfg").write_text(config, encoding="utf-8")
    return place / "Every.tla"


@pytest.fixture(scope="module")
def mutated(every):
    return mutate(read_model(every), find_tools(), BOUNDS)


def verdicts(mutated, changed):
    return {each.verdict for each in mutated.trials if each.change == changed}


def one(mutated, changed):
    (found,) = (each for each in mutated.trials if each.change == changed)
    return found


def test_each_verdict_is_given(mutated):
    assert one(mutated, "a guard is dropped: n < 2").by == "Low"
    assert one(mutated, "another operator: n + 1 -> n - 1").by == "Steps"
    assert (
        one(mutated, "another operator: n < 2 -> n >= 2").by == "Counts"
    )  # it asks the mutant what is possible
    assert one(mutated, "an update is forgotten: last' = n -> last' = last").verdict is Verdict.SURVIVES
    never = one(mutated, "an alternative is dropped: Never")
    assert (never.verdict, never.why) == (Verdict.EQUIVALENT, "TLC never evaluates the place")


def test_a_place_is_a_line_of_the_user_s(mutated):
    assert one(mutated, "a guard is dropped: n < 2").place == "Every.tla:7"
    assert one(mutated, "a guard is dropped: n < 2").subject == "Every.Up"


def test_one_that_nothing_notices_has_the_shortest_behaviour_that_only_it_has(mutated):
    found = one(mutated, "an update is forgotten: last' = n -> last' = last")
    assert found.why.startswith("2 states and 2 steps are new")
    assert found.details[0] == "the shortest behaviour that only the mutant has:"
    (last,) = (line.split() for line in found.details if line.strip().startswith("last"))
    assert last == ["last", "0", "0", "0"]


def test_one_that_takes_an_action_away_is_told_by_coverage(mutated):
    found = one(mutated, "an alternative is dropped: Note")
    assert (found.verdict, found.by) == (Verdict.NOTICED, "coverage: Note is never taken")


def test_only_the_mutants_of_a_run_are_written_out(every):
    module = one_module.mutant_module(read_model(every))
    numbers = {each.number for each in module.mutants}
    lines, of_line = module.text_with({0, 2, 3}, 10)
    assert set(of_line.values()) == {2, 3} & {number for _, number in module.definitions}
    left_out = [line for line in lines if re.fullmatch(rf"{one_module.OWN}Mutant\d+ == FALSE", line)]
    assert left_out
    assert len(module.text_with({0, *numbers}, 10)[0]) > len(lines)


def test_all_ran_at_once_but_for_those_that_cannot_be_evaluated(mutated):
    bad = sum(each.by == UNEVALUATED for each in mutated.trials)
    assert mutated.runs == 2 + bad


LET_BOUND = """---- MODULE Bound ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
More(a) == (a + 1) % 3
Go(a) == n < 4 /\\ n' = More(a)
Both == Go(0) \\/ (n < 3 /\\ Go(n))
Next == LET Way == Both IN Way
Spec == Init /\\ [][Next]_n
Low == [](n < 3)
====
"""


def test_what_a_let_uses_in_two_ways_is_mutated_in_both_and_always_is_a_property(tmp_path):
    (tmp_path / "Bound.tla").write_text(LET_BOUND, encoding="utf-8")
    config = "SPECIFICATION Spec\nPROPERTY Low\nCHECK_DEADLOCK FALSE\n"
    (tmp_path / "Bound.cfg").write_text(config, encoding="utf-8")
    found = mutate(read_model(tmp_path / "Bound.tla"), find_tools(), BOUNDS)
    assert "Low" in {each.by for each in found.trials}
    assert one(found, "another operator: n < 4 -> n >= 4").by.startswith("coverage: ")
    used = {each.verdict for each in found.trials if each.subject == "Bound.More"}
    assert used.isdisjoint({Verdict.EQUIVALENT, Verdict.INCOMPLETE})


WIDE = """---- MODULE Wide ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
Up == n < 2 /\\ n' = (n + 1) % 1500
Low == n <= 1200
====
"""


@pytest.mark.parametrize("late", some([False, True], 1))
def test_a_mutant_whose_graph_grows_is_followed_once_more_and_further(late, tmp_path, monkeypatch):
    (tmp_path / "Wide.tla").write_text(WIDE, encoding="utf-8")
    (tmp_path / "Wide.cfg").write_text(
        "INIT Init NEXT Up INVARIANT Low CHECK_DEADLOCK FALSE", encoding="utf-8"
    )

    def too_late(most, _):
        monkeypatch.setattr(followed_mutants.MutantTlc, "left", 0)
        return most

    if late:
        monkeypatch.setattr(followed_mutants, "more_looks", too_late)
    found = mutate(read_model(tmp_path / "Wide.tla"), find_tools(), BOUNDS)
    (each,) = (one for one in found.trials if one.change.startswith("a guard is dropped"))
    grows = (Verdict.INCOMPLETE, "its graph grows beyond the bound")
    assert (each.verdict, each.by or each.why) == (grows if late else (Verdict.NOTICED, "Low"))


def test_where_all_is_an_instance_s_nothing_is_changed_which_is_said(tmp_path):
    inner = "---- MODULE Inner ----\nVARIABLE b\nInit == b = TRUE\nNext == b' = ~b\n====\n"
    outer = "---- MODULE Outer ----\nVARIABLE b\nI == INSTANCE Inner\nInit == I!Init\nNext == I!Next\n"
    (tmp_path / "Inner.tla").write_text(inner, encoding="utf-8")
    (tmp_path / "Outer.tla").write_text(f"{outer}Inv == b \\in BOOLEAN\n====\n", encoding="utf-8")
    (tmp_path / "Outer.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["mutate", str(tmp_path / "Outer.tla")])
    assert result.exit_code == 3, result.output
    assert "an instance's definitions, and those that a property reads, stay as they are" in result.output


def test_a_mutant_that_comes_to_a_stop_is_noticed_where_deadlock_is_looked_for():
    found = mutate(read_model(SPECS / "Minutes.tla"), find_tools(), BOUNDS)
    assert {each.by for each in found.trials} <= {"Refines", DEADLOCK, "", UNEVALUATED}
    assert any(each.by == "Refines" for each in found.trials)


def entries(trials):
    return "".join(
        f'[[spec]]\nof = [\'{each["subject"]}\']\nchanges = ["""{each["change"]}"""]\nreason = \'nobody reads it\'\n'
        for each in trials
    ).replace("\\", "\\\\")


def test_the_exit_code_says_what_is_not_noticed_unless_it_is_on_the_list(
    every, mutated, tmp_path, monkeypatch
):
    monkeypatch.setattr(mutant_runs, "mutate", lambda *_, **__: mutated)
    arguments = ["mutate", str(every), "--seconds", "600"]
    result = CliRunner().invoke(cli, [*arguments, "--json"])
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["counts"]["noticed"] == len(
        [each for each in document["trials"] if each["by"] and not each["why"]]
    )
    unnoticed = [each for each in document["trials"] if each["verdict"] == "not noticed"]
    path = tmp_path / "list.toml"
    head = f'format = "pyharness-survivors/1"\n[pinned]\nspec = {len(unnoticed)}\n'
    path.write_text(head + entries(unnoticed), encoding="utf-8")
    accepted = CliRunner().invoke(cli, [*arguments, "--survivors", str(path)])
    assert accepted.exit_code == 0, accepted.stdout
    assert f"{len(unnoticed)} accepted, with a reason" in accepted.stdout


def test_what_is_not_decided_exits_with_3(every, monkeypatch):
    monkeypatch.setattr(mutant_runs._Mutation, "_run_batch", lambda *_: True)
    result = CliRunner().invoke(cli, ["mutate", str(every)])
    assert (result.exit_code, "0 NOT NOTICED, " in result.stdout) == (3, True)
    assert "the time was up" in result.stdout


MODEL_OPTIONS = ("config", "libraries", "constants", "named", "topologies", "items")


@pytest.mark.long
def test_what_is_listed_of_our_own_specs_is_of_mutants_that_make_mutation_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    made = set()
    for command in re.findall(r"^\t\$\(MUTATE\) (.+)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE):
        with mutate_command.mutate.make_context("mutate", shlex.split(command)) as context:
            asked = {key: context.params[key] for key in MODEL_OPTIONS}
            with mutate_command._models(context.params["spec"], SHIPPED, **asked) as models:
                made |= {
                    (f"{model.subject}.{each.definition}", each.change)
                    for model in models
                    for each in one_module.mutant_module(model).mutants
                }
    assert set(read_survivors(SHIPPED / SURVIVORS, "spec").accepted) <= made


TWICE = """---- MODULE Twice ----
EXTENDS Naturals
VARIABLES n, m
Init == n = 0 /\\ m = 0
Up ==
  \\/ n < 2 /\\ n' = n + 1 /\\ m' = m
  \\/ n < 2 /\\ n' = n + 2 /\\ m' = m
Next == Up
Low == n <= 3
====
"""


@pytest.fixture(scope="module")
def twice(tmp_path_factory):
    place = tmp_path_factory.mktemp("twice")
    (place / "Twice.tla").write_text(TWICE, encoding="utf-8")
    (place / "Twice.cfg").write_text(
        "INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n", encoding="utf-8"
    )
    return place / "Twice.tla"


def test_the_same_change_in_two_places_of_a_definition_is_two_mutants(twice):
    mutants = one_module.mutant_module(read_model(twice)).mutants
    assert len({(each.definition, each.change) for each in mutants}) == len(mutants)
    both = [each for each in mutants if (each.old_text, each.new_text) == ("n < 2", "n <= 2")]
    assert [(each.occurrence, each.change[-4:], each.line) for each in both] == [
        (1, " (1)", 6),
        (2, " (2)", 7),
    ]
    assert {each.occurrence for each in mutants if each.old_text == "n + 2"} == {0}


@LONG
def test_what_one_model_does_not_notice_the_next_one_is_asked(every, mutated, monkeypatch):
    model = read_model(every)
    blind = replace(model, config=replace(model.config, properties=()))
    first = mutate(blind, find_tools(), BOUNDS)

    def not_again(one, *given, but):
        return first if one is blind else mutate(one, *given, but=but)

    monkeypatch.setattr(mutant_runs, "mutate", not_again)
    both = mutate_in_turn([blind, model], find_tools(), BOUNDS)
    assert both.models == 2
    assert both.states == first.states + mutated.states
    assert {each.key for each in mutated.trials if each.by} <= {each.key for each in both.trials if each.by}
    left = [sum(each.verdict is Verdict.SURVIVES for each in found.trials) for found in (both, first)]
    assert left[0] < left[1]
    assert len({each.key for each in both.trials}) == len(both.trials)


def test_what_is_the_same_in_one_model_the_next_one_is_asked(monkeypatch):
    """And what is not noticed or not decided there; of what two models say, what is worth more counts."""
    rising = [Verdict.EQUIVALENT, Verdict.SURVIVES, Verdict.INCOMPLETE, Verdict.NOTICED]
    message = {f"{a.value}, {b.value}": (a, b) for a in rising for b in rising}

    def in_model(number, *_, but):
        assert but == (
            {("S.A", each) for each, (a, _) in message.items() if a is rising[-1]} if number else set()
        )
        trials = (Trial("S.A", each, verdicts[number]) for each, verdicts in message.items())
        return MutatedSpec(tuple(one for one in trials if one.key not in but), 1, 0.0, 1, 1)

    monkeypatch.setattr(mutant_runs, "mutate", in_model)
    found = mutate_in_turn([0, 1], find_tools(), BOUNDS).trials
    assert {one.change: one.verdict for one in found} == {
        each: max(verdicts, key=rising.index) for each, verdicts in message.items()
    }


def test_a_spec_that_differs_beside_its_mutants_is_no_verdict(every, monkeypatch):
    plain = one_module.MutantModule.text_with

    def other(self, alive, most):
        lines, of_line = plain(self, alive, most)
        return [line.replace("\\in {0, ", "\\in {") for line in lines], of_line

    monkeypatch.setattr(one_module.MutantModule, "text_with", other)
    with pytest.raises(IncompleteError, match="not the graph that it has alone"):
        mutate(read_model(every), find_tools(), BOUNDS)


def test_a_spec_that_is_no_pass_or_too_large_is_no_subject(every, monkeypatch):
    model = read_model(every)
    with pytest.raises(IncompleteError, match=r"the spec itself does not pass.*violation of Few"):
        mutate(replace(model, config=replace(model.config, invariants=("Few",))), find_tools(), BOUNDS)
    monkeypatch.setattr(mutant_tlc, "MOST_STATES", 2)
    with pytest.raises(IncompleteError, match=r"^Every\.tla: .*mutants are run up to 2"):
        mutate(model, find_tools(), BOUNDS)


def test_a_model_of_a_shipped_spec_is_chosen_by_its_name():
    with plain_model_of("AlignedBarriers", ROOT / "specs", named="aligned-barriers-full-actions") as model:
        assert 'ModelGranularity == "action"' in model.path.read_text(encoding="utf-8")
        assert (model.name, model.config.check_deadlock) == ("AlignedBarriers", False)
        assert "TypeOK" in model.unreached
    with (
        pytest.raises(SpecError, match="aligned-barriers"),
        plain_model_of("AlignedBarriers", ROOT / "specs", named="aligned-bariers"),
    ):
        pass
