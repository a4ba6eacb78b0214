"""A property that was weakened by hand is seen by the gate: its text is not the pinned one, or it catches less."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import replace

import pytest

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.spec_files import SPECS, find_plan
from pyharness.cli import pins_command
from pyharness.gate.judge import pinned
from pyharness.gate.judge.judgement import judge_plan
from pyharness.gate.judge.kill_matrix import kill_matrix
from pyharness.gate.judge.pinned import not_as_pinned, pinned_kills, stated_by, violations
from pyharness.gate.judge.pinned_lists import (
    Figures,
    Listing,
    listing_text,
    may_be_less,
    read_weakenings,
)
from pyharness.gate.plans.plan import read_plan
from pyharness.models.checked_texts import CheckedTexts
from pyharness.models.verdicts import Verdict
from pyharness.tla.modules.library import Library
from tests.long import some
from tests.shipped_plans import shipped_plan
from tests.table_rows import tables

MUTANT = next(m for m in shipped_plan("quick").models if m.name == "mutants-goes-on-initiate-again")


def with_each_property(models):
    """Enough of the models for each property of each spec."""
    seen = set()
    for model in models:
        asked = {(model.spec, name) for name in (*model.invariants, *model.properties)}
        if asked - seen or model is MUTANT:
            seen |= asked
            yield model


QUICK = replace(shipped_plan("quick"), models=tuple(with_each_property(shipped_plan("quick").models)))
SMALL = """format = "pyharness-plan/1"
[[model]]
name = "tiny"
spec = "WhiteRed"
topologies = ["ring:2"]
invariants = ["TypeOK"]
"""
LEAST = "\n[minimums]\nexamples = 1\nmutants = 1\nreplays = 1\nrefused = 1\ntransitions = 1\n[minimums.reorderings]\n"
NEEDED = frozenset(name for m in QUICK.models for name in (m.spec, m.application, m.mutant) if name)
KILLS = {MUTANT.name: {"OneMarker": [6], "RefinesWhiteRed": [6, 7]}}
STATES = {MUTANT.name: {"OneMarker": [69]}}


@pytest.fixture(scope="module")
def specs(tmp_path_factory):
    """A copy of the specs whose list says what these kills are, and each text."""
    specs = tmp_path_factory.mktemp("project") / "specs"
    shutil.copytree(SPECS, specs)
    maker = CheckedTexts(QUICK.models, QUICK.library)
    figures = {key: Figures(maker.digest(key), 0, 0, 0) for key in maker.texts()}
    pinned = Listing(figures, KILLS, STATES, stated_by(QUICK), maker.passing_digests())
    (specs / "weakenings.toml").write_text(listing_text(pinned), encoding="utf-8")
    return specs


def kills(one_marker=6, states=69, refines=(6, 7)):
    """Rows of one mutant, on graphs a and b."""
    rows = [{"property": "OneMarker", "topology": "a", "length": one_marker, "states": states}]
    rows += [
        {"property": "RefinesWhiteRed", "topology": graph, "length": length}
        for graph, length in zip("ab", refines, strict=False)
    ]
    return tables(kills=[{"model": MUTANT.name, **row} for row in rows])["kills"]


def plan_of(specs):
    """The quick plan with the specs there, of which no more is read than the plan needs."""
    library = Library(specs, specs / "mutants", ahead=NEEDED)
    return replace(QUICK, library=library, strength=specs / "weakenings.toml")


@pytest.fixture(scope="module")
def unchanged(specs):
    """That plan, for tests that change no module: what is made of those is made once."""
    return plan_of(specs)


def test_what_is_as_it_is_pinned_is_not_mentioned(unchanged):
    assert not_as_pinned(unchanged, kills()) == ()


WEAKENED = [
    ("Collection", 'CameToHold == verdict = "holds" /\\', "CameToHold ==", "Collection.CameToHold"),
    # a variable left out below the brackets: each step that changes it alone would satisfy the property
    ("ChandyLamport", "vars   == <<topo, state, chan, recState, ", "vars   == <<topo, state, chan, ",
     "ChandyLamport.TurnsRedOnce"),
    ("ChandyLamport", "recChan = whiteInRed ", "Len(recChan) = Len(whiteInRed) ", "ChandyLamport.RecordedIsSSS"),
    ("ChandyLamport", "LocallyComplete(p) == p \\in Red /\\", "LocallyComplete(p) ==", "ChandyLamport.LocallyFinal"),
    ("ChandyLamport", "IF p \\in Red THEN recState[p] ELSE state[p]", "state[p]", "ChandyLamport.SSSReachable"),
    ("ChandyLamport", "WF_vars(Initiate(p))", "SF_vars(Initiate(p))", "ChandyLamport.Fairness"),
    ("Computation", "Spec == Init /\\ [][Next]_vars", "Spec == [][Next]_vars", "StopTheWorld.SSSReachable"),
    ("WhiteRed", 'e.colour = "red" => action = "red"', "TRUE", "Barriers.RefinesWhiteRed"),
    ("Colours", "Tinted(q, colour) ==", "Tinted(q, colour) == Tail(q) \\o", "ChandyLamport.ColourDiscipline"),
    ("Items", "channels) = 1", "channels) <= 1", "Items.ItemsConserved"),
    ("Predicates", "/\\ ~SomebodyWaits(states)", "/\\ TRUE", "Predicates.Terminated"),
    ("BarrierHandler", "ASSUME ModeIsKnown ==", "ASSUME TRUE \\/", "Checkpoints.ExactlyOnce"),
]  # fmt: skip


@pytest.mark.parametrize(("module", "old", "new", "named"), some(WEAKENED, 1), ids=[w[3] for w in WEAKENED])
def test_a_text_that_is_not_the_pinned_one_is_named(specs, module, old, new, named):
    path = specs / f"{module}.tla"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    try:
        reasons = not_as_pinned(plan_of(specs), kills())
    finally:
        path.write_text(text, encoding="utf-8")
    assert any(named in reason and "pyharness plan pins --update" in reason for reason in reasons), reasons


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (
            kills(one_marker=7),
            "OneMarker catches it by traces of 7 states, pinned are traces of 6 states",
        ),
        (
            kills(refines=(6,)),
            "RefinesWhiteRed catches it by traces of 6 states, pinned are traces of 6, 7 states",
        ),
        (kills(states=68), "68 states violate OneMarker, pinned are 69"),
        (kills(refines=()), "RefinesWhiteRed catches it by none, pinned are traces of 6, 7 states"),
    ],
)
def test_a_property_that_catches_a_mutant_later_is_no_pass(unchanged, rows, reason):
    plan = unchanged
    reasons = not_as_pinned(plan, rows)
    assert reasons == (f"{MUTANT.name}: {reason}",)
    assert not_as_pinned(replace(plan, complete=False, models=(MUTANT,)), rows) == reasons
    part = replace(plan, complete=False)
    assert judge_plan(part, kill_matrix(part, []), (), (), reasons) == (Verdict.INCOMPLETE, reasons)


def test_a_violation_that_no_model_expects_without_a_mutant_is_none_of_the_plan_s():
    row = {"model": MUTANT.name, "kind": "counterexample", "violated": "NoRedInWhite"}
    assert violations(QUICK, tables(traces=[row])["traces"]) == []


def test_a_row_that_was_measured_must_be_there(unchanged):
    left = replace(unchanged, models=tuple(m for m in unchanged.models if m.name != MUTANT.name))
    assert f"{MUTANT.name} is pinned, and no model of the plan" in not_as_pinned(left, ())


def test_a_plan_that_claims_nothing_or_stands_elsewhere_is_not_asked(specs, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    claiming, silent = tmp_path / "elsewhere" / "quick.toml", specs / "plans" / "silent.toml"
    claiming.write_text(f"claims = true\n{SMALL}{LEAST}", encoding="utf-8")
    silent.write_text(SMALL, encoding="utf-8")
    assert read_plan(claiming, specs).strength is None
    assert read_plan(silent, specs).strength is None
    assert read_plan(find_plan("quick"), specs).strength == SPECS / "weakenings.toml"
    assert QUICK.strength == SPECS / "weakenings.toml"


def test_without_the_list_there_is_no_verdict(unchanged, specs):
    plan = replace(unchanged, strength=specs / "none.toml")
    with pytest.raises(SpecError, match="cannot be read"):
        not_as_pinned(plan, ())


def test_a_copy_of_the_specs_without_what_the_plan_s_strength_rests_on_is_no_pass(specs, tmp_path):
    shutil.copytree(specs, tmp_path / "specs")
    (tmp_path / "specs" / "weakenings.toml").unlink()
    plan = read_plan(tmp_path / "specs" / "plans" / "quick.toml", tmp_path / "specs")
    with pytest.raises(SpecError, match="cannot be read"):
        not_as_pinned(plan, kills())


def test_an_expected_violation_without_a_mutant_is_pinned_by_its_length():
    model = next(m for m in QUICK.models if m.mutant is None and "OutputOnce" in m.caught_by)
    row = {"model": model.name, "topology": "a", "violated": "OutputOnce"}
    rows = tables(traces=[{**row, "length": 9}])["traces"]
    lengths, states = pinned_kills(QUICK, violations(QUICK, rows))
    assert (lengths, states) == ({model.name: {"OutputOnce": [9]}}, {})


@pytest.fixture
def pinning(specs, tmp_path, monkeypatch):
    """Pin the texts of a copy of the specs, one of which may have changed, as `pins` does with these kills."""
    shutil.copytree(specs, tmp_path / "specs")

    def pin(old="", new="", module="Collection", accept=(), rows=None):
        path = tmp_path / "specs" / f"{module}.tla"
        path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
        given = kills() if rows is None else rows
        return pins_command._changed_strength(plan_of(tmp_path / "specs"), given, accept, update=True)

    return pin


CAME_TO_HOLD = ('CameToHold == verdict = "holds" /\\', "CameToHold ==", "Collection")


@pytest.mark.parametrize(
    ("old", "new", "module"),
    some(
        [
            CAME_TO_HOLD,
            ("aborts[p][n] <= 1", "aborts[p][n] <= 2", "Checkpoints"),
            (
                "MonotoneIds == [][triggered' >= triggered",
                "MonotoneIds == [][triggered' >= triggered - 1",
                "Checkpoints",
            ),
            ("Quiet == /\\ ", "Quiet == /\\ crashes = 0\n         /\\ ", "Checkpoints"),
        ],
        1,
    ),
)
def test_a_text_that_has_changed_is_not_pinned_unless_it_is_named(pinning, old, new, module):
    with pytest.raises(IncompleteError, match="has another text, which may be weaker") as refused:
        pinning(old, new, module)
    named = shlex.split(refused.value.hint.partition(": ")[2])
    assert pinning(accept=tuple(name for name in named if name != "--accept"))


def test_what_the_new_text_no_longer_catches_is_told(pinning, capsys):
    with pytest.raises(IncompleteError):
        pinning(*CAME_TO_HOLD, rows=kills(one_marker=9))
    assert "OneMarker catches it by traces of 9 states, pinned are traces of 6" in capsys.readouterr().out


def test_a_text_that_is_accepted_and_has_not_changed_is_a_slip(pinning):
    with pytest.raises(SpecError, match="MonotoneIds states or catches has changed"):
        pinning(*CAME_TO_HOLD, accept=("Collection.CameToHold", "Checkpoints.MonotoneIds"))


def test_a_property_that_is_gone_or_renamed_is_taken_out_only_by_name(specs):
    listing = read_weakenings(specs / "weakenings.toml")
    digests = {key: row.digest for key, row in listing.figures.items()}
    assert may_be_less(digests, listing.stated, KILLS, listing) == {}
    digests["Checkpoints.Renamed"] = digests.pop("Checkpoints.AbortedOnce")
    assert may_be_less(digests, listing.stated, KILLS, listing) == {"Checkpoints.AbortedOnce": "is gone"}


def test_what_models_ask_or_a_theorem_states_is_changed_only_by_name(specs):
    listing = read_weakenings(specs / "weakenings.toml")
    digests = {key: row.digest for key, row in listing.figures.items()}
    other = {**listing.stated, "models of ChandyLamport": "another", "models of a new spec": "0"}
    del other["models of WhiteRed"]
    assert may_be_less(digests, other, KILLS, listing) == {
        "models of ChandyLamport": "has another text, which may be weaker",
        "models of WhiteRed": "is gone",
    }


@pytest.mark.parametrize(
    ("now", "less"),
    [
        ({"OneMarker": [6]}, {"RefinesWhiteRed": "catches it on 0 of 2 graphs"}),
        ({"OneMarker": [9], "RefinesWhiteRed": [6]}, {"RefinesWhiteRed": "catches it on 1 of 2 graphs"}),
        ({"OneMarker": [6], "RefinesWhiteRed": [6, 7], "TypeOK": [1]}, {}),
    ],
)
def test_a_kill_that_is_gone_is_taken_out_only_by_name(specs, now, less):
    listing = read_weakenings(specs / "weakenings.toml")
    digests = {key: row.digest for key, row in listing.figures.items()}
    named = {f"{MUTANT.name}.{name}": why for name, why in less.items()}
    assert may_be_less(digests, listing.stated, {MUTANT.name: now}, listing) == named


def test_less_kills_are_not_pinned_unless_they_are_named(pinning):
    rows = kills(refines=(6,))
    with pytest.raises(IncompleteError, match="RefinesWhiteRed catches it on 1 of 2 graphs"):
        pinning(rows=rows)
    assert pinning(rows=rows, accept=(f"{MUTANT.name}.RefinesWhiteRed",))


@pytest.mark.parametrize("few", [1, 2, 5])
def test_a_text_that_is_pinned_and_was_never_weakened_is_told(specs, unchanged, few):
    """`pins --update` pins a new text without asking what it is worth; only `weaken` knows."""
    text = (specs / "weakenings.toml").read_text(encoding="utf-8")
    maker = CheckedTexts(QUICK.models, QUICK.library)
    keys = sorted(maker.texts())[:few]
    try:
        path = specs / "weakenings.toml"
        figures = {key: Figures(maker.digest(key)) for key in keys}
        path.write_text(listing_text(replace(read_weakenings(path), figures=figures)), encoding="utf-8")
        told = [line for line in not_as_pinned(unchanged, kills()) if "was never weakened" in line]
    finally:
        path.write_text(text, encoding="utf-8")
    assert told == [f"{key} was never weakened: `pyharness mutate property` does" for key in keys]


def test_properties_that_python_lost_are_named(unchanged, monkeypatch):
    known = pinned.known_properties
    monkeypatch.setattr(pinned, "known_properties", lambda spec: set(known(spec)) - {"OneMarker"})
    assert any("properties of ChandyLamport in Python" in line for line in not_as_pinned(unchanged, kills()))
