"""``pyharness mutate property FOO.tla``: the weakenings of any spec's properties, judged by its machine-made mutants."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.cli import file_weaken
from pyharness.cli.main import cli
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds
from pyharness.mutants.specs import mutant_tlc, one_module, weakening_runs
from pyharness.mutants.specs.mutant_tlc import BatchRun, MutantTlc
from pyharness.mutants.specs.plain_weakenings import (
    About,
    Judged,
    PlainWeakening,
    Seen,
    WeakenedProperty,
    chosen_weakenings,
    verdict_on,
)
from pyharness.mutants.specs.spec_mutant import SpecMutant
from pyharness.mutants.specs.weakening_runs import weaken_plain
from pyharness.mutants.weakening.formula_weakenings import HELPERS
from pyharness.mutants.weakening.noticing import ESCAPES, NOT_EVALUATED
from pyharness.tla.modules.expressions import Name
from pyharness.tla.plain_models.plain_model import TOOLS, TOOLS_PLACE, read_model
from pyharness.tla.tlc import Outcome
from tests.long import some

SPECS = Path(__file__).parents[2] / "show" / "any_spec" / "specs"
BOUNDS = Bounds(600, 1024)

pytestmark = [pytest.mark.tlc, pytest.mark.usefixtures("shared_tlc")]

PARTS = """---- MODULE Parts ----
EXTENDS Integers, Sequences
VARIABLES n, m, log
vars == <<n, m, log>>
Init == n = 0 /\\ m = 0 /\\ log = <<0, 0>>
Up ==
  /\\ n < 2
  /\\ n' = (n + 1) % 5
  /\\ UNCHANGED <<m, log>>
Mark ==
  /\\ m = 0
  /\\ m' = 1
  /\\ UNCHANGED <<n, log>>
Less ==
  /\\ Len(log) > 1
  /\\ log' = Tail(log)
  /\\ UNCHANGED <<n, m>>
Next == Up \\/ Mark \\/ Less
Low == n <= 2 /\\ m <= 5
Front == log # << >> /\\ Head(log) = 0
Ahead == Head(log) >= 0
Marks == [][m' >= m]_vars
Small == [](m <= 1)
Ends == <>(n = 2)
AtMost(x) == x <= 1
Few == AtMost(m)
====
"""
CONFIG = """INIT Init
NEXT Next
INVARIANTS Low Front Ahead
PROPERTIES Marks Small
CHECK_DEADLOCK FALSE
"""
ENDLESS = """---- MODULE Endless ----
EXTENDS Integers
VARIABLE n
Init == n = 0
Next == n < 2 /\\ n' = n + 1
Far == n <= 50 /\\ n >= 0
====
"""


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    place = tmp_path_factory.mktemp("parts")
    (place / "Parts.tla").write_text(PARTS, encoding="utf-8")
    (place / "Parts.cfg").write_text(CONFIG, encoding="utf-8")
    return place / "Parts.tla"


@pytest.fixture(scope="module")
def weakened(parts):
    return weaken_plain(read_model(parts), find_tools(), BOUNDS)


def judged(weakened, prop, change):
    (found,) = (
        each for each in weakened.verdicts if (each.weakening.of, each.weakening.change) == (prop, change)
    )
    return found


def test_a_weakening_is_noticed_by_a_mutant_that_violates_the_property_and_not_it(weakened):
    found = judged(weakened, "Low", "n <= 2 -> n <= 3")
    assert (found.judged, found.how) == (Judged.NOTICED, ESCAPES)
    assert found.by.place == "Parts.tla:7"


def test_a_part_that_no_mutant_needs_is_not_noticed(weakened):
    found = judged(weakened, "Low", "m <= 5 -> TRUE")
    assert found.judged is Judged.UNNOTICED
    assert found.why == "each mutant that violates the property violates it, too"


def test_where_only_a_mutant_without_end_could_tell_it_is_not_decided(tmp_path):
    (tmp_path / "Endless.tla").write_text(ENDLESS, encoding="utf-8")
    (tmp_path / "Endless.cfg").write_text(
        "INIT Init NEXT Next INVARIANT Far CHECK_DEADLOCK FALSE", encoding="utf-8"
    )
    found = weaken_plain(read_model(tmp_path / "Endless.tla"), find_tools(), BOUNDS)
    assert judged(found, "Far", "n <= 50 -> TRUE").judged is Judged.UNDECIDED
    assert "may tell: its graph grows beyond the bound" in judged(found, "Far", "n <= 50 -> TRUE").why
    assert found.judges < found.mutants


def test_what_tlc_cannot_evaluate_where_it_can_the_property_is_noticed(weakened):
    found = judged(weakened, "Front", "log # << >> -> TRUE")
    assert (found.judged, found.how) == (Judged.NOTICED, NOT_EVALUATED)


def test_a_mutant_in_which_one_property_cannot_be_evaluated_judges_the_others(weakened):
    by = judged(weakened, "Front", "log # << >> -> TRUE").by
    assert by.definition == "Less"
    assert weakened.violators["Ahead"] == 0
    assert {each.judged for each in weakened.verdicts if each.weakening.of == "Ahead"} == {Judged.UNNOTICED}


def test_properties_of_steps_and_of_all_states_are_weakened(weakened):
    assert {prop.name: prop.about for prop in weakened.choice.properties} == {
        "Low": About.STATES,
        "Front": About.STATES,
        "Ahead": About.STATES,
        "Marks": About.STEPS,
        "Small": About.STATES,
    }
    assert judged(weakened, "Small", "m <= 1 -> m <= 2").judged is Judged.NOTICED
    assert all(
        each.judged is not Judged.UNDECIDED for each in weakened.verdicts if each.weakening.of == "Marks"
    )


def test_helpers_of_properties_are_opened_and_a_refinement_may_lose_its_init(parts):
    model = read_model(parts)
    model = replace(model, config=replace(model.config, invariants=("Few",), properties=()))
    ((few,),) = (each.weakenings for each in chosen_weakenings(model).properties)
    assert few.change == "AtMost: m <= 1 -> m <= 2"
    refines = chosen_weakenings(read_model(SPECS / "Minutes.tla")).properties[0]
    assert refines.weakenings[0].change == "without its Init"
    assert refines.about is About.STEPS


def test_a_name_that_weakenings_are_written_with_is_refused(tmp_path):
    (tmp_path / "Own.tla").write_text(
        "---- MODULE Own ----\nVARIABLE x\nAllButOne(S) == S\nInit == x = {}\nNext == x' = AllButOne(x)\n"
        "P == x = {}\n====\n",
        encoding="utf-8",
    )
    (tmp_path / "Own.cfg").write_text("INIT Init NEXT Next INVARIANT P", encoding="utf-8")
    with pytest.raises(SpecError, match="a definition AllButOne, as which a weakening is written"):
        chosen_weakenings(read_model(tmp_path / "Own.tla"))


def test_the_operators_of_weakenings_have_one_text():
    tools = (TOOLS_PLACE / f"{TOOLS}.tla").read_text(encoding="utf-8")
    for line in HELPERS.splitlines():
        assert f"\nPyharness{re.sub(' +==', ' ==', line)}\n" in tools


# -- whole behaviours ----------------------------------------------------------------------------------------------

WAITS = """---- MODULE Waits ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
Up == n < 2 /\\ n' = (n + 1) % 4
Spec == Init /\\ [][Up]_n /\\ WF_n(Up)
Done == n = 2
Stays == <>[](n >= 2)
Ends == Stays
Leads == n = 1 ~> Done
Low == n <= 2
====
"""


@pytest.fixture(scope="module")
def waits(tmp_path_factory):
    place = tmp_path_factory.mktemp("waits")
    (place / "Waits.tla").write_text(WAITS, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def lasting(waits):
    (waits / "Waits.cfg").write_text(
        "SPECIFICATION Spec INVARIANT Low PROPERTIES Ends Leads", encoding="utf-8"
    )
    return weaken_plain(read_model(waits / "Waits.tla"), find_tools(), BOUNDS)


def test_properties_of_whole_behaviours_are_weakened_behind_their_names(lasting):
    assert not lasting.choice.left_out
    assert {prop.name: prop.about for prop in lasting.choice.properties} == {
        "Low": About.STATES,
        "Ends": About.BEHAVIOURS,
        "Leads": About.BEHAVIOURS,
    }
    assert all(each.judged is not Judged.UNDECIDED for each in lasting.verdicts)


def test_a_mutant_that_comes_to_less_notices_what_was_left_out(lasting):
    early = judged(lasting, "Ends", "n >= 2 -> n + 1 >= 2")
    assert (early.how, early.by.new_text) == (ESCAPES, "1")
    assert judged(lasting, "Leads", "Done: n = 2 -> n <= 2").judged is Judged.NOTICED


def test_a_mutant_that_begins_again_notices_that_it_need_not_stay(lasting):
    assert judged(lasting, "Ends", "<>[](n >= 2) -> []<>(n >= 2)").by.kind == "a guard is dropped"


def test_a_lasting_part_that_no_mutant_needs_is_not_noticed(lasting):
    found = judged(lasting, "Leads", "Done: n = 2 -> n >= 2")
    assert (found.judged, found.why) == (
        Judged.UNNOTICED,
        "each mutant that violates the property violates it, too",
    )


@pytest.mark.parametrize(("asked", "seen"), some([(2, 1), (1, 0)], 1))
def test_what_was_not_followed_for_ever_is_not_decided(waits, monkeypatch, asked, seen):
    """The time is up before the property, or before its weakenings."""
    (waits / "Ends.cfg").write_text("SPECIFICATION Spec PROPERTY Ends", encoding="utf-8")
    plain, runs = MutantTlc.fairly, []

    def counted(self, module, alive, properties):
        runs.append(alive)
        result, number = plain(self, module, alive, properties)
        if len(runs) >= asked:
            monkeypatch.setattr(MutantTlc, "left", 0)
        return (result, number) if len(runs) <= seen else (replace(result, outcome=Outcome.INCOMPLETE), None)

    monkeypatch.setattr(MutantTlc, "fairly", counted)
    found = weaken_plain(read_model(waits / "Waits.tla", waits / "Ends.cfg"), find_tools(), BOUNDS)
    assert len(found.verdicts) > 2
    assert all(each.judged is Judged.UNDECIDED for each in found.verdicts)
    assert all("what it does for ever was not followed" in each.why for each in found.verdicts)


# -- what was seen -------------------------------------------------------------------------------------------------

WEAK = PlainWeakening(2, "P", "a -> TRUE", "b")
PROP = WeakenedProperty(1, "P", about=About.STATES, formula="P", weakenings=(WEAK,))
MUTANTS = {n: SpecMutant(n, "A", "M", n, "another operator", Name("a"), Name("b")) for n in (1, 2)}


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (Seen(not_hold={(1, 1)}, whole={1, 2}), Judged.NOTICED),
        (Seen(not_hold={(1, 1), (1, 2)}, whole={1, 2}), Judged.UNNOTICED),
        (Seen(whole={1, 2}), Judged.UNNOTICED),
        (Seen(not_hold={(1, 1)}, whole={2}), Judged.UNDECIDED),
        (Seen(not_hold={(1, 1)}, whole={2}, grown={1}), Judged.UNDECIDED),
        (Seen(not_hold={(1, 1), (1, 2)}, whole={2}), Judged.UNNOTICED),
        (Seen(not_hold={(1, 1)}, whole={1}), Judged.NOTICED),
        (Seen(not_hold={(1, 1)}, whole={1, 2}, no_judge={1}), Judged.UNNOTICED),
        (Seen(not_hold={(1, 1)}, whole={1, 2}, unasked={(1, 1)}), Judged.UNNOTICED),
        (Seen(whole={1, 2}, unevaluated={2: 1}), Judged.NOTICED),
        (Seen(whole={1, 2}, refused={2}), Judged.UNDECIDED),
        (Seen(whole={1, 2}, refused={1}), Judged.UNDECIDED),
    ],
)
def test_a_verdict_never_says_more_than_was_seen(seen, expected):
    assert verdict_on(PROP, WEAK, seen, MUTANTS).judged is expected


def test_a_spec_that_is_another_beside_its_mutants_is_no_verdict(parts, monkeypatch):
    plain = one_module.MutantModule.text_with

    def other(self, alive, most):
        lines, of_line = plain(self, alive, most)
        return [line.replace("\\in {0}", "\\in {1}") for line in lines], of_line

    monkeypatch.setattr(one_module.MutantModule, "text_with", other)
    with pytest.raises(IncompleteError, match="not what it is alone"):
        weaken_plain(read_model(parts), find_tools(), BOUNDS)


def test_a_spec_that_violates_something_beside_its_mutants_is_no_verdict(parts):
    weakening = weakening_runs._Weakening(read_model(parts), find_tools(), BOUNDS, "", lambda _: None)
    with pytest.raises(IncompleteError, match="violates what it does not violate alone"):
        weakening._take(BatchRun(None, ['<<"PyharnessSeen", 0, 1>>'], {}, Path()))


def test_what_the_time_does_not_suffice_for_is_not_decided(parts, monkeypatch):
    monkeypatch.setattr(weakening_runs._Weakening, "_run_batch", lambda *_: True)
    result = CliRunner().invoke(cli, ["mutate", "property", str(parts), "--only", "Low"])
    assert result.exit_code == 3
    assert "0 NOT NOTICED, " in result.stdout
    assert "it was not run to its end in time" in result.stdout


def test_beyond_a_number_weakenings_are_not_asked_for(parts, monkeypatch):
    monkeypatch.setattr(weakening_runs, "MOST_WEAKENINGS", 1)
    found = weaken_plain(read_model(parts), find_tools(), BOUNDS, only="Low")
    first, *others = found.verdicts
    assert first.judged is Judged.NOTICED
    assert {each.why for each in others} == {"at most 1 weakenings are asked for"}


def test_a_step_of_a_mutant_is_taken_once(parts, monkeypatch):
    plain, generated = MutantTlc.batch, []

    @contextmanager
    def batch(self, module, alive, most, **options):
        with plain(self, module, alive, most, **options) as run:
            generated.append(run.result.generated)
            yield run

    monkeypatch.setattr(mutant_tlc.MutantTlc, "batch", batch)
    tlc = MutantTlc(read_model(parts), find_tools(), BOUNDS)
    weaken_plain(read_model(parts), find_tools(), BOUNDS, only="Low")
    assert generated[0] == tlc.checked(tlc.model).result.generated


# -- the command ---------------------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(cli, ["mutate", "property", *map(str, arguments)])


def test_the_document_has_each_weakening_and_the_exit_code_says_what_is_not_noticed(
    parts, weakened, monkeypatch
):
    monkeypatch.setattr(file_weaken, "weaken_plain", lambda *_, **__: weakened)
    result = run(parts, "--json", "--seconds", 600)
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["format"] == "pyharness-weaken-file/1"
    assert sum(document["counts"].values()) == len(document["weakenings"])
    assert {entry["verdict"] for entry in document["unnoticed"]} == {"not noticed"}
    by = next(each["by"] for each in document["weakenings"] if each["verdict"] == "noticed")
    assert by["place"]["module"] == "Parts"
    assert document["mutants"]["whole"] <= document["mutants"]["made"]


def test_what_is_not_noticed_may_be_in_a_list_with_its_reason(parts, tmp_path, monkeypatch):
    low = weaken_plain(read_model(parts), find_tools(), BOUNDS, only="Low")
    monkeypatch.setattr(file_weaken, "weaken_plain", lambda *_, **__: low)
    entry = "[[weakening]]\nproperty = '{}'\nweakening = '{}'\nreason = 'it is so'\n"
    listed, only = tmp_path / "list.toml", ("--only", "Low", "--seconds", 600)
    listed.write_text(entry.format("Low", "m <= 5 -> TRUE"), encoding="utf-8")
    document = json.loads(run(parts, *only, "--accepted", listed, "--json").stdout)
    reasons = {each["weakening"]: each["accepted"] for each in document["weakenings"]}
    assert (reasons["m <= 5 -> TRUE"], reasons["n <= 2 -> n <= 3"]) == ("it is so", None)
    others = {each["weakening"] for each in document["unnoticed"]}
    assert others == {each for each, reason in reasons.items() if judged_in(document, each)} - {
        "m <= 5 -> TRUE"
    }
    listed.write_text("".join(entry.format("Low", each) for each in reasons), encoding="utf-8")
    result = run(parts, *only, "--accepted", listed)
    assert (result.exit_code, "0 NOT NOTICED" in result.stdout) == (0, True), result.stdout
    assert "accepted, with a reason" in result.stdout
    listed.write_text("[[weakening]]\nproperty = 'Low'\n", encoding="utf-8")
    refused = run(parts, *only, "--accepted", listed)
    assert (refused.exit_code, "it must have property, weakening and reason" in refused.stderr) == (2, True)


def judged_in(document, change):
    (found,) = {each["verdict"] for each in document["weakenings"] if each["weakening"] == change}
    return found == "not noticed"


def test_where_each_is_noticed_the_command_exits_with_0_and_where_one_is_not_decided_with_3(parts):
    small = run(parts, "--only", "Small", "--seconds", 600)
    assert (small.exit_code, "0 NOT NOTICED, by these mutants" in small.stdout) == (0, True), small.stdout
    nothing = run(parts, "--only", "Nowhere")
    assert nothing.exit_code == 3
    assert "nothing is weakened, so nothing is told" in nothing.stderr


def test_what_is_beyond_a_constraint_is_said(tmp_path):
    result = run(SPECS / "MCQueue.tla", "--json", "--seconds", 600)
    document = json.loads(result.stdout)
    assert document["notes"] == ["nothing beyond Few was looked at"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Foo.tla"], "there is no such module"),
        (["Foo.tla", "--update"], "--update is of a plan"),
        (["Foo.tla", "--listing", "a.toml"], "--listing is of a plan"),
        (["quick", "--config", "a.cfg"], "--config is of the file of a module"),
        (["quick", "--accepted", "a.toml"], "--accepted is of the file of a module"),
        (["quick", "--seconds", "9"], "--seconds is of the file of a module"),
    ],
)
def test_bad_input_is_told_and_exits_with_2(arguments, said):
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
