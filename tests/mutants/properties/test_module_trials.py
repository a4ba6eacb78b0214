"""``pyharness mutate property FOO.tla``: the weakenings of any spec's properties, judged by its machine-made mutants."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyharness.base.errors import IncompleteError
from pyharness.cli.main import cli
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds
from pyharness.mutants.properties import module_trials
from pyharness.mutants.properties.asked_change import ESCAPES, NOT_EVALUATED
from pyharness.mutants.properties.module_changes import chosen_weakenings
from pyharness.mutants.properties.module_trials import weaken_model
from pyharness.mutants.properties.watching import ITSELF, PropertyChange
from pyharness.mutants.specs import mutant_tlc, one_module
from pyharness.mutants.specs.followed_mutants import Seen
from pyharness.mutants.specs.mutant_tlc import MutantTlc
from pyharness.mutants.specs.spec_mutant import SpecMutant
from pyharness.mutants.trial import Verdict
from pyharness.tla.modules.expressions import Name
from pyharness.tla.plain_models.plain_model import read_model
from pyharness.tla.tlc import Outcome
from tests.long import LONG, some

SPECS = Path(__file__).parents[2] / "models" / "specs"
BOUNDS = Bounds(600, 1024)

pytestmark = pytest.mark.tlc

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
  /\\ log = <<0, 0>>
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
Near == n < 9
====
"""
CONFIG = """INIT Init
NEXT Next
INVARIANTS Low Front Ahead
PROPERTIES Marks Small
CONSTRAINT Near
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


GENERATED = []
"""How many states each batch of ``weakened`` generated."""


@pytest.fixture(scope="module")
def weakened(parts):
    plain = MutantTlc.batch

    @contextmanager
    def batch(self, module, alive, most, **options):
        with plain(self, module, alive, most, **options) as run:
            GENERATED.append(run.result.generated)
            yield run

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mutant_tlc.MutantTlc, "batch", batch)
        return weaken_model(read_model(parts), find_tools(), BOUNDS)


def judged(weakened, prop, change):
    return {(each.subject.partition(".")[2], each.change): each for each in weakened.trials}[prop, change]


def test_a_weakening_is_noticed_by_a_mutant_that_violates_the_property_and_not_it(weakened):
    found = judged(weakened, "Low", "n <= 2 -> n <= 3")
    assert (found.verdict, found.why) == (Verdict.NOTICED, ESCAPES)
    assert found.by.startswith("Parts.tla:7 Up, ")


@pytest.mark.usefixtures("weakened")
def test_a_step_of_a_mutant_is_taken_once(parts):
    tlc = MutantTlc(read_model(parts), find_tools(), BOUNDS)
    assert GENERATED[0] == tlc.checked(tlc.model).result.generated


def test_a_part_that_no_mutant_needs_is_not_noticed(weakened):
    found = judged(weakened, "Low", "m <= 5 -> TRUE")
    assert found.verdict is Verdict.SURVIVES
    assert found.why.endswith(" mutants it differs from the property")


@LONG
def test_where_only_a_mutant_without_end_could_tell_it_is_not_decided(tmp_path, monkeypatch):
    monkeypatch.setattr(mutant_tlc, "_MORE_LOOKS", 2000)
    (tmp_path / "Endless.tla").write_text(ENDLESS, encoding="utf-8")
    (tmp_path / "Endless.cfg").write_text(
        "INIT Init NEXT Next INVARIANT Far CHECK_DEADLOCK FALSE", encoding="utf-8"
    )
    found = weaken_model(read_model(tmp_path / "Endless.tla"), find_tools(), BOUNDS)
    far = judged(found, "Far", "n <= 50 -> TRUE")
    assert far.verdict is Verdict.INCOMPLETE
    assert "may notice it: its graph grows beyond the bound" in far.why
    assert any("were not followed to their end" in note for note in found.notes)


def test_a_mutant_in_which_one_property_cannot_be_evaluated_judges_the_others(weakened):
    found = judged(weakened, "Front", "log # << >> -> TRUE")
    assert (found.verdict, found.why) == (Verdict.NOTICED, NOT_EVALUATED)
    assert " Less, " in found.by
    ahead = judged(weakened, "Ahead", "Head(log) >= 0 -> Head(log) + 1 >= 0")
    assert (ahead.verdict, ahead.why) == (Verdict.SURVIVES, "no mutant violates the property")


def kinds(path):
    return {one.name: one.kind for one in chosen_weakenings(read_model(path))}


def test_properties_of_steps_and_of_all_states_are_weakened(weakened, parts):
    assert kinds(parts) == {
        **dict.fromkeys(("Low", "Front", "Ahead", "Small"), "state"),
        "Marks": "step",
    }
    assert judged(weakened, "Small", "m <= 1 -> m <= 2").verdict is Verdict.NOTICED
    assert all(each.verdict is not Verdict.INCOMPLETE for each in weakened.trials)


def test_helpers_of_properties_are_opened_and_a_refinement_may_lose_its_init(parts):
    model = read_model(parts)
    model = replace(model, config=replace(model.config, invariants=("Few",), properties=()))
    ((few,),) = (each.changes for each in chosen_weakenings(model))
    assert few.change == "AtMost: m <= 1 -> m <= 2"
    refines = chosen_weakenings(read_model(SPECS / "Minutes.tla"))[0]
    assert (refines.changes[0].change, refines.kind) == ("Init -> TRUE", "step")


# -- temporal properties --------------------------------------------------------------------------------------------

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
    (place / "Leads.cfg").write_text("SPECIFICATION Spec PROPERTY Leads", encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def lasting(waits):
    return weaken_model(read_model(waits / "Waits.tla", waits / "Leads.cfg"), find_tools(), BOUNDS)


@LONG
def test_properties_of_whole_behaviours_are_weakened_behind_their_names(waits):
    (waits / "Waits.cfg").write_text(
        "SPECIFICATION Spec INVARIANT Low PROPERTIES Ends Leads", encoding="utf-8"
    )
    found = weaken_model(read_model(waits / "Waits.tla"), find_tools(), BOUNDS)
    assert not found.notes
    assert kinds(waits / "Waits.tla") == {"Low": "state", "Ends": "behaviour", "Leads": "behaviour"}
    assert all(each.verdict is not Verdict.INCOMPLETE for each in found.trials)
    early = judged(found, "Ends", "n >= 2 -> n + 1 >= 2")
    assert (early.why, early.by[-2:]) == (ESCAPES, " 1")
    # a mutant that begins again notices that it need not stay
    assert "a guard is dropped" in judged(found, "Ends", "<>[](n >= 2) -> []<>(n >= 2)").by


def test_a_mutant_that_comes_to_less_notices_what_was_left_out(lasting):
    early = judged(lasting, "Leads", "Done: n = 2 -> n <= 2")
    assert (early.verdict, early.why, early.by[-2:]) == (Verdict.NOTICED, ESCAPES, " 1")


def test_a_lasting_part_that_no_mutant_needs_is_not_noticed(lasting):
    found = judged(lasting, "Leads", "Done: n = 2 -> n >= 2")
    assert found.verdict is Verdict.SURVIVES
    assert found.why.endswith(" mutants it differs from the property")


@pytest.mark.parametrize(("asked", "seen"), some([(2, 1), (1, 0)], 1))
def test_what_was_not_followed_for_ever_is_not_decided(waits, monkeypatch, asked, seen):
    """The time is up before the property, or before its weakenings."""
    plain, runs = MutantTlc.fairly, []

    def counted(self, module, alive, properties):
        runs.append(alive)
        result, number = plain(self, module, alive, properties)
        if len(runs) >= asked:
            monkeypatch.setattr(MutantTlc, "left", 0)
        return (result, number) if len(runs) <= seen else (replace(result, outcome=Outcome.INCOMPLETE), None)

    monkeypatch.setattr(MutantTlc, "fairly", counted)
    found = weaken_model(read_model(waits / "Waits.tla", waits / "Leads.cfg"), find_tools(), BOUNDS)
    assert len(found.trials) == 2
    assert all(each.verdict is Verdict.INCOMPLETE for each in found.trials)
    assert all("temporal properties were not decided in it" in each.why for each in found.trials)


# -- what was seen -------------------------------------------------------------------------------------------------

P, WEAK = ("P", ITSELF), ("P", 0)
MUTANTS = {n: SpecMutant(n, "A", "M", n, "another operator", Name("a"), Name("b")) for n in (1, 2)}


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (Seen(not_hold={(1, P)}, complete={1, 2}), Verdict.NOTICED),
        (Seen(not_hold={(1, P), (1, WEAK)}, complete={1, 2}), Verdict.SURVIVES),
        (Seen(complete={1, 2}), Verdict.SURVIVES),
        (Seen(not_hold={(1, P)}, complete={2}), Verdict.INCOMPLETE),
        (Seen(not_hold={(1, P)}, complete={2}, grown={1}), Verdict.INCOMPLETE),
        (Seen(not_hold={(1, P), (1, WEAK)}, complete={2}), Verdict.SURVIVES),
        (Seen(not_hold={(1, P)}, complete={1}), Verdict.NOTICED),
        (Seen(not_hold={(1, P)}, complete={1, 2}, stopped={1}), Verdict.SURVIVES),
        (Seen(not_hold={(1, P)}, complete={1, 2}, unasked={(1, P)}), Verdict.SURVIVES),
        (Seen(complete={1, 2}, unevaluated={WEAK: 1}), Verdict.NOTICED),
        (Seen(complete={1, 2}, refused={WEAK}), Verdict.INCOMPLETE),
        (Seen(complete={1, 2}, refused={P}), Verdict.INCOMPLETE),
    ],
)
def test_a_verdict_never_says_more_than_was_seen(seen, expected):
    assert seen.trial(PropertyChange("M.P", "a -> TRUE", "b"), WEAK, MUTANTS).verdict is expected


def test_a_spec_that_is_another_beside_its_mutants_is_no_verdict(parts, monkeypatch):
    plain = one_module.MutantModule.text_with

    def other(self, alive, most):
        lines, of_line = plain(self, alive, most)
        return [line.replace("\\in {0}", "\\in {1}") for line in lines], of_line

    monkeypatch.setattr(one_module.MutantModule, "text_with", other)
    with pytest.raises(IncompleteError, match="not what it is alone"):
        weaken_model(read_model(parts), find_tools(), BOUNDS)


def test_a_spec_that_violates_something_beside_its_mutants_is_no_verdict(parts):
    weakening = module_trials._Weakening(read_model(parts), find_tools(), BOUNDS, None, "")
    weakening._seen.not_hold.add((0, ("Low", ITSELF)))
    with pytest.raises(IncompleteError, match="violates what it does not violate alone"):
        weakening._require_right_spec()


def test_what_the_time_does_not_suffice_for_is_not_decided(parts, monkeypatch):
    monkeypatch.setattr(module_trials._Weakening, "_run_batch", lambda *_: True)
    result = CliRunner().invoke(cli, ["mutate", "property", str(parts)])
    assert result.exit_code == 3
    assert "0 NOT NOTICED, " in result.stdout
    assert "it was not run to its end in time" in result.stdout


@LONG
def test_beyond_a_number_weakenings_are_not_asked_for(parts, monkeypatch):
    monkeypatch.setattr(module_trials, "MOST_WEAKENINGS", 1)
    found = weaken_model(read_model(parts), find_tools(), BOUNDS, only="Low")
    first, *others = found.trials
    assert first.verdict is Verdict.NOTICED
    assert {each.why for each in others} == {"at most 1 weakenings are asked for"}


# -- the command ---------------------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(cli, ["mutate", "property", *map(str, arguments)])


def test_the_exit_code_says_what_is_not_noticed_unless_it_is_on_the_list(
    parts, weakened, tmp_path, monkeypatch
):
    monkeypatch.setattr(module_trials, "weaken_model", lambda *_, **__: weakened)
    result = run(parts, "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["format"] == "pyharness-mutate/2"
    assert sum(document["counts"].values()) == len(document["trials"])
    assert "nothing beyond Near was looked at" in document["notes"]
    left = [each for each in document["trials"] if each["verdict"] == "not noticed"]
    entry = "[[property]]\nof = ['{subject}']\nchanges = [\"{change}\"]\nreason = 'it is so'\n"
    listed = tmp_path / "list.toml"
    listed.write_text(
        f'format = "pyharness-survivors/1"\n[pinned]\nproperty = {len(left)}\n'
        + "".join(entry.format(**each) for each in left),
        encoding="utf-8",
    )
    result = run(parts, "--survivors", listed)
    assert (result.exit_code, "0 NOT NOTICED" in result.stdout) == (0, True), result.stdout
    assert f"{len(left)} accepted, with a reason" in result.stdout
    noticed = [each for each in weakened.trials if each.verdict is Verdict.NOTICED]
    monkeypatch.setattr(module_trials, "weaken_model", lambda *_, **__: replace(weakened, trials=noticed))
    result = run(parts)
    assert (result.exit_code, "0 NOT NOTICED" in result.stdout) == (0, True), result.stdout


def test_a_shipped_spec_is_judged_by_its_mutants_and_by_our_own_list(weakened, monkeypatch):
    asked = []
    trial = replace(
        weakened.trials[0], subject="ChandyLamport.TypeOK", change="topo \\in DOMAIN Graphs -> TRUE"
    )
    survives = replace(trial, verdict=Verdict.SURVIVES)

    def weaken(model, *_, only, **__):
        asked.append((model.subject, only, model.config.check_deadlock))
        return replace(weakened, trials=(survives,))

    monkeypatch.setattr(module_trials, "weaken_model", weaken)
    found = run("ChandyLamport", "--topology", "ring:2", "--items", 1, "--only", "TypeOK", "--json")
    assert asked == [("ChandyLamport", "TypeOK", False)]
    assert json.loads(found.stdout)["counts"] == {"accepted, with a reason": 1}


def test_where_nothing_is_weakened_the_command_exits_with_3(parts):
    nothing = run(parts, "--only", "Nowhere")
    assert nothing.exit_code == 3
    assert "nothing is weakened, so there is no verdict" in nothing.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Foo.tla"], "there is no such module"),
        (["Foo.tla", "--update"], "--update is of a plan"),
        (["Foo.tla", "--items", "1"], "--items is of a shipped spec"),
        (["quick", "--config", "a.cfg"], "--config is of a spec"),
        (["quick", "--seconds", "9"], "--seconds is of a spec"),
    ],
)
def test_bad_input_is_told_and_exits_with_2(arguments, said):
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
