"""``pyharness mutate``: machine-made mutants of a spec, in one run, and what each came to."""

from __future__ import annotations

import json
import re
import shlex
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.bounded_files import read_toml
from pyharness.base.topology import parse_topologies
from pyharness.cli import mutate_command
from pyharness.cli.main import cli
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds
from pyharness.mutants.specs import mutant_runs, mutant_tlc, one_module
from pyharness.mutants.specs.accepted_list import read_accepted
from pyharness.mutants.specs.mutant_runs import mutate, mutate_in_turn
from pyharness.mutants.specs.mutant_verdict import DEADLOCK, UNEVALUATED, Class
from pyharness.mutants.specs.mutants_page import with_section
from pyharness.mutants.specs.own_spec import digest_of, plain_model_of
from pyharness.tla.plain_models.plain_model import read_model

ROOT = Path(__file__).parents[3]
SPECS = ROOT / "tests" / "show" / "any_spec" / "specs"
BOUNDS = Bounds(600, 1024)

pytestmark = [pytest.mark.tlc, pytest.mark.usefixtures("shared_tlc")]

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
====
"""


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    place = tmp_path_factory.mktemp("every")
    (place / "Every.tla").write_text(EVERY_CLASS, encoding="utf-8")
    config = "INIT Init\nNEXT Next\nINVARIANT Low\nPROPERTY Steps\nCHECK_DEADLOCK FALSE\n"
    (place / "Every.cfg").write_text(config, encoding="utf-8")
    return place / "Every.tla"


@pytest.fixture(scope="module")
def mutated(every):
    return mutate(read_model(every), find_tools(), BOUNDS)


@pytest.fixture
def run_once(monkeypatch):
    """The commands of a test, which differ in their lists alone, run the mutants once."""
    mutate_all, ran = mutate_command.mutate_in_turn, []

    def once(*given):
        ran[:] = ran or [mutate_all(*given)]
        return ran[0]

    monkeypatch.setattr(mutate_command, "mutate_in_turn", once)


def verdicts(mutated, old, kind=None):
    return {
        (each.mutant.new_text, each.verdict, each.by)
        for each in mutated.verdicts
        if each.mutant.old_text == old and kind in (None, each.mutant.kind)
    }


def test_each_class_is_told(mutated):
    assert ("", Class.NOTICED, "Low") in verdicts(mutated, "n < 2")
    assert ("n - 1", Class.NOTICED, "Steps") in verdicts(mutated, "n + 1")
    assert ("last' = last", Class.OTHER, "") in verdicts(mutated, "last' = n")
    assert ("", Class.FEWER, "") in verdicts(mutated, "Note")
    assert ("", Class.UNREACHED, "") in verdicts(mutated, "Never")
    assert {verdict for _, verdict, _ in verdicts(mutated, "n' = 0")} == {Class.UNREACHED}


def test_a_place_is_a_line_of_the_user_s(mutated):
    places = {each.mutant.old_text: each.mutant.place for each in mutated.verdicts}
    assert places["n < 2"] == "Every.tla:7"
    assert places["last' = n"] == "Every.tla:9"


def test_one_that_nothing_notices_has_the_shortest_behaviour_that_only_it_has(mutated):
    (found,) = (each for each in mutated.verdicts if each.mutant.old_text == "last' = n")
    assert found.is_unnoticed
    assert [step.action for step in found.behaviour] == ["", "Up", "Up"]
    assert [step.state["last"] for step in found.behaviour] == [0, 0, 0]
    assert found.numbers is not None
    assert found.numbers.new_steps == 2


def test_one_that_takes_an_action_away_is_told_by_coverage(mutated):
    (found,) = (each for each in mutated.verdicts if each.mutant.old_text == "Note")
    assert found.idle == ("Note",)
    assert not found.is_unnoticed


def test_only_the_mutants_of_a_run_are_written_out(every):
    module = one_module.mutant_module(read_model(every))
    numbers = {each.number for each in module.mutants}
    lines, of_line = module.text_with({0, 2, 3}, 10)
    assert set(of_line.values()) == {2, 3} & {number for _, number in module.definitions}
    left_out = [line for line in lines if re.fullmatch(rf"{one_module.OWN}Mutant\d+ == FALSE", line)]
    assert left_out
    assert len(module.text_with({0, *numbers}, 10)[0]) > len(lines)


def test_all_ran_at_once_but_for_those_that_cannot_be_evaluated(mutated):
    bad = sum(each.by == UNEVALUATED for each in mutated.verdicts)
    assert mutated.runs == 2 + bad


LET_BOUND = """---- MODULE Bound ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
More(a) == (a + 1) % 3
Up == n' = More(n)
Next == LET Way == Up IN Way
Spec == Init /\\ [][Next]_n
Low == [](n < 3)
====
"""


def test_what_a_let_of_the_relation_uses_is_mutated_and_always_is_a_property(tmp_path):
    (tmp_path / "Bound.tla").write_text(LET_BOUND, encoding="utf-8")
    (tmp_path / "Bound.cfg").write_text("SPECIFICATION Spec\nPROPERTY Low\n", encoding="utf-8")
    found = mutate(read_model(tmp_path / "Bound.tla"), find_tools(), BOUNDS)
    verdicts = {
        (each.mutant.definition, str(each.mutant.number)): (each.verdict, each.by) for each in found.verdicts
    }
    assert all(verdict is not Class.SAME for verdict, _ in verdicts.values())
    assert (Class.NOTICED, "Low") in verdicts.values()
    assert all(verdict is not Class.UNDECIDED for verdict, _ in verdicts.values())


WIDE = """---- MODULE Wide ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
Up == n < 2 /\\ n' = (n + 1) % 3000
Low == n <= 2500
====
"""


def test_a_mutant_whose_graph_grows_is_followed_once_more_and_further(tmp_path, monkeypatch):
    (tmp_path / "Wide.tla").write_text(WIDE, encoding="utf-8")
    (tmp_path / "Wide.cfg").write_text(
        "INIT Init NEXT Up INVARIANT Low CHECK_DEADLOCK FALSE", encoding="utf-8"
    )

    def unguarded():
        found = mutate(read_model(tmp_path / "Wide.tla"), find_tools(), BOUNDS)
        (each,) = (one for one in found.verdicts if one.mutant.kind == "a guard is dropped")
        return each.verdict, each.by or each.why

    assert unguarded() == (Class.NOTICED, "Low")
    monkeypatch.setattr(mutant_runs, "more_looks", lambda most, _: most)
    assert unguarded() == (Class.UNDECIDED, "its graph grows beyond the bound")

    def too_late(most, _):
        monkeypatch.setattr(mutant_runs.MutantTlc, "left", 0)
        return most

    monkeypatch.setattr(mutant_runs, "more_looks", too_late)
    assert unguarded() == (Class.UNDECIDED, "the time was up")


def test_an_action_that_is_used_in_two_ways_is_mutated_in_both(tmp_path):
    text = LET_BOUND.replace(
        "Up == n' = More(n)",
        "Go(a) == n < 1 /\\ n' = More(a)\nUp == Go(n)\nWay == Go(0) \\/ (n < 2 /\\ Go(n))",
    ).replace("LET Way == Up IN Way", "Way")
    (tmp_path / "Bound.tla").write_text(text, encoding="utf-8")
    (tmp_path / "Bound.cfg").write_text(
        "SPECIFICATION Spec\nPROPERTY Low\nCHECK_DEADLOCK FALSE\n", encoding="utf-8"
    )
    found = mutate(read_model(tmp_path / "Bound.tla"), find_tools(), BOUNDS)
    (never,) = (each for each in found.verdicts if each.mutant.new_text == "n >= 1")
    assert (never.verdict, never.numbers.states) == (Class.FEWER, 1)


def test_where_all_is_an_instance_s_nothing_is_changed_which_is_said(tmp_path):
    inner = "---- MODULE Inner ----\nVARIABLE b\nInit == b = TRUE\nNext == b' = ~b\n====\n"
    outer = "---- MODULE Outer ----\nVARIABLE b\nI == INSTANCE Inner\nInit == I!Init\nNext == I!Next\n"
    (tmp_path / "Inner.tla").write_text(inner, encoding="utf-8")
    (tmp_path / "Outer.tla").write_text(f"{outer}Inv == b \\in BOOLEAN\n====\n", encoding="utf-8")
    (tmp_path / "Outer.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["mutate", str(tmp_path / "Outer.tla")])
    assert result.exit_code == 3, result.output
    assert "0 to be changed: what an instance defines stays as it is" in result.output


def test_a_mutant_that_comes_to_a_stop_is_noticed_where_deadlock_is_looked_for():
    found = mutate(read_model(SPECS / "Minutes.tla"), find_tools(), BOUNDS)
    assert {each.by for each in found.verdicts} <= {"Refines", DEADLOCK, "", UNEVALUATED}
    assert any(each.by == "Refines" for each in found.verdicts)


@pytest.mark.usefixtures("run_once")
def test_what_is_not_noticed_makes_the_exit_code_unless_it_is_accepted(every, tmp_path):
    arguments = ["mutate", str(every), "--seconds", "600"]
    result = CliRunner().invoke(cli, [*arguments, "--json"])
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["unnoticed"]
    assert all(entry["verdict"] for entry in document["mutants"])
    assert document["unnoticed"][0]["behaviour"]
    lines = [
        f'[[mutant]]\ndefinition = "{e["place"]["definition"]}"\nkind = "{e["change"]["kind"]}"\n'
        f"old = '''{e['change']['old']}'''\nnew = '''{e['change']['new'] or ''}'''\nreason = 'nobody reads it'\n"
        + (f"occurrence = {e['change']['occurrence']}\n" if "occurrence" in e["change"] else "")
        for e in document["unnoticed"]
    ]
    (tmp_path / "accepted.toml").write_text("\n".join(lines), encoding="utf-8")
    accepted = CliRunner().invoke(cli, [*arguments, "--accepted", str(tmp_path / "accepted.toml")])
    assert accepted.exit_code == 0, accepted.stdout
    assert "are accepted, with a reason" in accepted.stdout


def test_a_page_is_written_where_each_mutant_is_decided_and_else_stays(every, tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    arguments = ["mutate", str(every), "--page", str(page)]
    CliRunner().invoke(cli, [*arguments, "--seconds", "600"])
    written = page.read_text(encoding="utf-8")
    assert "## Every" in written
    monkeypatch.setattr(mutant_runs._Mutation, "_run_batch", lambda *_: True)
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 3
    assert "0 UNNOTICED, " in result.stdout
    assert " NOT DECIDED" in result.stdout
    assert "stays as it is, for not every mutant was decided: the time was up" in result.stderr
    assert page.read_text(encoding="utf-8") == written


def test_sections_are_one_empty_line_apart_also_where_nothing_is_unnoticed(mutated):
    none_left = replace(mutated, verdicts=tuple(v for v in mutated.verdicts if not v.is_unnoticed))
    once = with_section("", "Second", "pyharness mutate Second", "12", none_left, {})
    both = with_section(once, "First", "pyharness mutate First", "34", none_left, {})
    assert with_section(both, "First", "pyharness mutate First", "34", none_left, {}) == both
    assert "\n\n\n" not in both


def test_what_nothing_notices_of_our_own_specs_is_listed_with_a_reason():
    page = (ROOT / "docs" / "reference" / "spec-mutants.md").read_text(encoding="utf-8")
    path = ROOT / "specs" / "spec-mutants.toml"
    _, *sections = re.split(r"^## ", page, flags=re.MULTILINE)
    specs = [section.partition("\n")[0] for section in sections]
    assert {entry.get("spec") for entry in read_toml(path)[1]["mutant"]} <= set(specs)
    for spec, section in zip(specs, sections, strict=True):
        _, _, table = section.partition(
            "| nothing notices | it was | it is | why that is right |\n|---|---|---|---|\n"
        )
        reasons = [row.rpartition(" | ")[2].removesuffix(" |") for row in table.splitlines() if row]
        assert sorted(reasons) == sorted(read_accepted(path, "mutant", spec).values()), spec


def test_each_section_of_the_page_is_of_a_command_that_make_mutation_runs():
    page = (ROOT / "docs" / "reference" / "spec-mutants.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    written = re.findall(r"^`pyharness mutate (.+)`: ", page, flags=re.MULTILINE)
    run = re.findall(r"^\t\$\(MUTATE\) (.+)$", makefile, flags=re.MULTILINE)
    assert sorted(written) == sorted(run)
    assert len(written) == page.count("\n## ")


@contextmanager
def asked_by(command, specs):
    """Give the models that a command of the page asks."""
    with mutate_command.mutate.make_context("mutate", shlex.split(command)) as context:
        given = context.params
    own = mutate_command._OwnModel(given["named"], given["topologies"], given["items"])
    of_file = (given["config"], given["constants"], given["libraries"])
    with mutate_command._models(given["spec"], *of_file, own, specs) as models:
        yield [each.only(given["properties"]) if given["properties"] else each for each in models]


@pytest.fixture(scope="module")
def of_the_page():
    """By spec what its section says, command, number of mutants and digest, and the keys and the digest of today."""
    page = (ROOT / "docs" / "reference" / "spec-mutants.md").read_text(encoding="utf-8")
    said = re.findall(
        r"^## (.+)\n\n`pyharness mutate (.+)`: .* states.*, (\d+) mutants\.\n\n<!-- asked: (\w+) -->$",
        page,
        flags=re.MULTILINE,
    )
    assert len(said) == page.count("\n## ")
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        for spec, command, count, digest in said:
            with asked_by(command, ROOT / "specs") as models:
                keys = {each.key for model in models for each in one_module.mutant_module(model).mutants}
                found[spec] = (command, int(count), digest, keys, digest_of(models))
    return found


def test_each_section_of_the_page_is_of_the_specs_and_models_of_today(of_the_page):
    stale = [
        f"$(MUTATE) {command}"
        for command, count, digest, keys, today in of_the_page.values()
        if (count, digest) != (len(keys), today)
    ]
    assert not stale, (
        f"the page is of another spec, or of other models; in the Makefile, run: {'; '.join(stale)}"
    )


def test_what_is_listed_of_our_own_specs_is_one_mutant_each(of_the_page):
    for spec, (_, _, _, keys, _) in of_the_page.items():
        listed = set(read_accepted(ROOT / "specs" / "spec-mutants.toml", "mutant", spec))
        assert listed <= keys, (spec, sorted(listed - keys))


def test_a_digest_is_of_what_is_asked_and_of_what_the_spec_means(tmp_path):
    def digest(text, config):
        (tmp_path / "Every.tla").write_text(text, encoding="utf-8")
        (tmp_path / "Every.cfg").write_text(config, encoding="utf-8")
        return digest_of([read_model(tmp_path / "Every.tla")])

    config = "INIT Init\nNEXT Next\nINVARIANT Low\n"
    plain = digest(EVERY_CLASS, config)
    assert digest(EVERY_CLASS.replace("VARIABLES", "\\* a comment\n\nVARIABLES"), config) == plain
    assert digest(EVERY_CLASS.replace("n < 2", "n <= 2"), config) != plain
    assert digest(EVERY_CLASS.replace("Low == n <= 2", "Low == n <= 3"), config) != plain
    assert digest(EVERY_CLASS, f"{config}PROPERTY Steps\n") != plain
    assert digest(EVERY_CLASS.replace("[n' >= n]", "[n' > n]"), config) == plain


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
    assert len({each.key for each in mutants}) == len(mutants)
    both = [each for each in mutants if (each.old_text, each.new_text) == ("n < 2", "n <= 2")]
    assert [(each.occurrence, each.key[-1], each.line) for each in both] == [(1, "1", 6), (2, "2", 7)]
    assert {each.occurrence for each in mutants if each.old_text == "n + 2"} == {0}


@pytest.mark.usefixtures("run_once")
def test_an_entry_of_one_place_accepts_no_other(twice, tmp_path):
    arguments = ["mutate", str(twice), "--seconds", "600"]
    unnoticed = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).stdout)["unnoticed"]
    several = [each for each in unnoticed if "occurrence" in each["change"]]
    assert several
    change = several[0]["change"]
    entry = (
        f"[[mutant]]\ndefinition = '{several[0]['place']['definition']}'\nkind = '{change['kind']}'\n"
        f'old = """{change["old"]}"""\nnew = """{change["new"] or ""}"""\nreason = "it may"\n'
    ).replace("\\", "\\\\")
    for line, accepted in ((f"occurrence = {change['occurrence']}\n", 1), ("occurrence = 9\n", 0), ("", 0)):
        (tmp_path / "list.toml").write_text(entry + line, encoding="utf-8")
        told = CliRunner().invoke(cli, [*arguments, "--json", "--accepted", str(tmp_path / "list.toml")])
        assert len(unnoticed) - len(json.loads(told.stdout)["unnoticed"]) == accepted


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
    noticed = {each.mutant.key for each in mutated.verdicts if each.verdict is Class.NOTICED}
    assert noticed <= {each.mutant.key for each in both.verdicts if not each.is_unnoticed}
    assert len(both.unnoticed) < len(first.unnoticed)
    assert [each.mutant.number for each in both.verdicts] == list(range(1, len(both.verdicts) + 1))


def test_what_is_the_same_in_one_model_the_next_one_is_asked(tmp_path, monkeypatch):
    """One mutant is asked about, without the others."""
    text = "---- MODULE Two ----\nEXTENDS Naturals\nCONSTANT On\nVARIABLE n\nInit == n = 0\n"
    text += "Up == n < 2 /\\ (On => n < 1) /\\ n' = n + 1\nLow == n < 2 \\/ ~On\n====\n"
    (tmp_path / "Two.tla").write_text(text, encoding="utf-8")
    (tmp_path / "Two.cfg").write_text(
        "INIT Init NEXT Up INVARIANT Low CHECK_DEADLOCK FALSE", encoding="utf-8"
    )
    models = [read_model(tmp_path / "Two.tla", constants=[f"On={value}"]) for value in ("FALSE", "TRUE")]

    key = ("Up", "another operator", "n < 1", "n <= 1")
    others = {each.key for each in one_module.mutant_module(models[0]).mutants if each.key[:4] != key}

    def alone(*given, but):
        return mutate(*given, but={*but, *others})

    monkeypatch.setattr(mutant_runs, "mutate", alone)

    def shifted(asked):
        (each,) = mutate_in_turn(asked, find_tools(), BOUNDS).verdicts
        return each.verdict

    assert shifted(models[:1]) is Class.SAME
    assert shifted(models) is Class.NOTICED


def test_a_spec_that_differs_beside_its_mutants_is_no_verdict(every, monkeypatch):
    plain = one_module.MutantModule.text_with

    def other(self, alive, most):
        lines, of_line = plain(self, alive, most)
        return [line.replace("\\in {0, ", "\\in {") for line in lines], of_line

    monkeypatch.setattr(one_module.MutantModule, "text_with", other)
    with pytest.raises(IncompleteError, match="not the graph that it has alone"):
        mutate(read_model(every), find_tools(), BOUNDS)


def test_a_spec_that_is_no_pass_or_too_large_is_no_subject(every, monkeypatch):
    with pytest.raises(IncompleteError, match=r"the spec itself is no pass.*violation of Counted"):
        mutate(read_model(SPECS / "Translated.tla"), find_tools(), BOUNDS)
    monkeypatch.setattr(mutant_tlc, "MOST_STATES", 2)
    with pytest.raises(IncompleteError, match="mutants are run up to 2"):
        mutate(read_model(every), find_tools(), BOUNDS)
    with (
        plain_model_of("WhiteRed", ROOT / "specs", topologies=parse_topologies("ring:2"), items=1) as shipped,
        pytest.raises(IncompleteError, match=r"^WhiteRed: "),
    ):
        mutate(shipped, find_tools(), BOUNDS)


def test_a_page_names_the_whole_command_as_a_shell_takes_it():
    own = mutate_command._OwnModel(("pipes",), ("1>3,2>3@1,2",), 2)
    said = mutate_command._command("Some", own, ("Records=1",))
    assert (
        said == "pyharness mutate Some --model pipes --topology '1>3,2>3@1,2' --items 2 --constant Records=1"
    )


def test_a_page_names_the_configuration_and_the_properties_that_a_file_was_asked_for(every, tmp_path):
    page, config = tmp_path / "page.md", tmp_path / "Other one.cfg"
    config.write_text((every.parent / "Every.cfg").read_text(encoding="utf-8"), encoding="utf-8")
    asked = ["--property", "Low", "--property", "Steps"]
    options = ["--config", str(config), "--library", str(tmp_path), *asked]
    CliRunner().invoke(cli, ["mutate", str(every), *options, "--page", str(page), "--seconds", "600"])
    assert f"`{shlex.join(['pyharness', 'mutate', str(every), *options])}`" in page.read_text(
        encoding="utf-8"
    )


def test_what_is_listed_of_one_spec_is_of_no_other(tmp_path):
    entry = "[[mutant]]\ndefinition='{}'\nkind='k'\nold='o'\nnew=''\nreason='r'\n"
    text = entry.format("Anywhere") + entry.format("InA") + "spec='A'\n"
    (tmp_path / "list.toml").write_text(text, encoding="utf-8")
    assert {key[0] for key in read_accepted(tmp_path / "list.toml", "mutant", "A")} == {"Anywhere", "InA"}
    assert {key[0] for key in read_accepted(tmp_path / "list.toml", "mutant", "B")} == {"Anywhere"}


def test_a_model_of_a_shipped_spec_is_chosen_by_its_name():
    with plain_model_of("AlignedBarriers", ROOT / "specs", named="aligned-barriers-full-actions") as model:
        assert 'ModelGranularity == "action"' in model.path.read_text(encoding="utf-8")
        assert not model.config.check_deadlock
        assert "TypeOK" in model.unreached
    with (
        pytest.raises(SpecError, match="aligned-barriers"),
        plain_model_of("AlignedBarriers", ROOT / "specs", named="aligned-bariers"),
    ):
        pass


AN_ENTRY = "[[mutant]]\ndefinition='A'\nkind='k'\nold='o'\nnew=''\nreason='r'\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[mutants]]", "has [[mutant]] and [[weakening]] tables and nothing else"),
        ("[[mutant]]\ndefinition = 'A'", "it must have"),
        ("[[mutant]]\ndefinition='A'\nkind='k'\nold='o'\nnew=''\nreason=' '", "the reason is not empty"),
        (f"{AN_ENTRY}occurrence='1'", "occurrence is a number from 1 on"),
        (f"{AN_ENTRY}occurrence=0", "occurrence is a number from 1 on"),
        (AN_ENTRY + AN_ENTRY, "mutant 2: an earlier entry is of the same mutant"),
    ],
)
def test_a_list_without_reasons_is_refused(tmp_path, text, said):
    (tmp_path / "list.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as error:
        read_accepted(tmp_path / "list.toml", "mutant", "A")
    assert said in str(error.value)
