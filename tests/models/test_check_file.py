"""``pyharness check FOO.tla``: a module of anybody's, with its own configuration or its theorems."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.toolchain import find_tla2tools
from pyharness.base.toolchain.spec_files import ROOT
from pyharness.cli import single_check
from pyharness.cli.main import cli
from pyharness.models import second_opinion
from pyharness.tla.plain_models.plain_model import read_model
from tests.long import LONG, some
from tests.modules_at_once import read_at_once

SPECS = Path(__file__).parent / "specs"

pytestmark = pytest.mark.tlc


def run(*arguments):
    return CliRunner().invoke(cli, ["check", *(str(argument) for argument in arguments)])


def reported(*arguments):
    result = run(*arguments, "--json")
    return result.exit_code, json.loads(result.stdout)


@pytest.fixture(autouse=True, scope="module")
def _read():
    read_at_once(SPECS)


@pytest.fixture(autouse=True)
def _no_second_opinion(request, monkeypatch):
    """Of which only some are about: it is another run of TLC for each model that passes."""
    if "evidence" not in request.node.name:
        monkeypatch.setattr(second_opinion, "MOST_STATES", 0)


@pytest.fixture
def place(tmp_path):
    for path in SPECS.iterdir():
        shutil.copyfile(path, tmp_path / path.name)
    return tmp_path


def spec(place, name, text, config=""):
    (place / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{text}\n====\n", encoding="utf-8")
    if config:
        (place / f"{name}.cfg").write_text(config, encoding="utf-8")
    return place / f"{name}.tla"


def test_a_spec_with_a_configuration_is_checked_with_its_evidence():
    code, document = reported(SPECS / "Mutex.tla")
    assert (code, document["verdict"]) == (0, "no violation")
    assert document["states"] == {"distinct": 20, "generated": 35, "depth": 7}
    assert document["tlc"]["outcome"] == "success"
    assert document["tlc"]["sha256"] == find_tla2tools().sha256
    assert document["printed"] == []
    evidence = document["evidence"]
    assert {each["name"] for each in evidence["actions"]} == {"Ask", "Yield", "Enter", "Leave"}
    assert all(each["taken"] for each in evidence["actions"])
    assert evidence["evaluated"] == ["TypeOK", "Exclusion", "Flagged"]
    assert [each["reached"] for each in evidence["premises"]] == [True, True]


def test_theorems_say_what_is_checked_where_there_is_no_configuration():
    code, document = reported(SPECS / "Counter.tla", "--constant", "Most=3")
    assert (code, document["states"]["distinct"]) == (0, 4)
    assert document["invariants"] == ["Bounded", "Theorem17"]
    assert document["properties"] == ["Ends", "Grows"]
    assert not any("is about states" in note for note in document["notes"])
    actions = {each["name"]: each["taken"] for each in document["evidence"]["actions"]}
    assert actions == {"Up": 3, "Back": 0}


def test_an_action_that_is_never_taken_is_named_and_strictly_no_pass():
    strict = run(SPECS / "Counter.tla", "--constant", "Most=3", "--strict")
    assert strict.exit_code == 3
    assert "never taken: Back (Counter.tla:9)" in strict.stdout
    assert "never taken or reached: Back" in strict.stdout


def test_a_spec_split_over_modules_with_symmetry_and_a_constraint():
    code, document = reported(SPECS / "MCQueue.tla")
    assert (code, document["states"]["distinct"]) == (0, 4)
    assert any("ALIAS Nothing is left out" in note for note in document["notes"])
    assert any("nothing beyond Few" in note for note in document["notes"])


def test_a_counterexample_is_a_table_of_the_translation_s_variables():
    result = run(SPECS / "Translated.tla")
    assert result.exit_code == 1
    assert "VIOLATION of Counted, 12 distinct states" in result.stdout
    page = (ROOT / "docs" / "how-to" / "check-any-spec.md").read_text(encoding="utf-8")
    shown = page.partition("check tests/models/specs/Translated.tla` -->")[2].split("```")[1]
    assert shown.removeprefix("text\n") in result.stdout
    first, second, *_ = reported(SPECS / "Translated.tla")[1]["counterexample"]["steps"]
    assert (first["action"], second["action"], second["arguments"]) == (None, "read", "1")
    assert "Pyharness" not in result.stdout


def test_a_translation_that_is_not_that_of_its_algorithm_is_said(place):
    path = place / "Translated.tla"
    text = path.read_text(encoding="utf-8")
    assert "BEGIN TRANSLATION" in text
    path.write_text(
        text.replace("BEGIN TRANSLATION", f"BEGIN TRANSLATION PCal-{'0' * 32}", 1), encoding="utf-8"
    )
    (place / "Translated.cfg").write_text("SPECIFICATION Spec\n", encoding="utf-8")
    _, document = reported(path)
    assert document["notes"] == [
        "Translated: its PlusCal or the translation was changed since it was translated; checked was the translation"
    ]


def test_a_violated_property_of_behaviours_is_named(tmp_path):
    text = (
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 2\nSpec == Init /\\ [][Next]_x\n"
        "Idles == <>[](x = 0 \\/ TRUE)\nRises == <>(x = 1)"
    )
    code, document = reported(spec(tmp_path, "Rises", text, "SPECIFICATION Spec PROPERTY Idles Rises"))
    assert (code, document["violated"]) == (1, "Rises")
    assert document["counterexample"]["stuttering"]


def test_nothing_is_left_beside_a_spec_and_its_own_tools_change_nothing(place):
    spec(place, "PyharnessTools", 'EXTENDS TLC\nPyharnessSought(r, f) == PrintT(<<"Pyharness", r>>)')
    before = sorted(path.name for path in place.rglob("*"))
    place.chmod(0o555)
    try:
        code, document = reported(place / "Minutes.tla")
    finally:
        place.chmod(0o755)
    assert (code, document["states"]["distinct"]) == (0, 6)
    assert sorted(path.name for path in place.rglob("*")) == before


@pytest.mark.parametrize(
    ("text", "config", "message"),
    [
        pytest.param("VARIABLE x\nInit == x \\in {}\nNext == UNCHANGED x\nI == x = 1",
            "INIT Init\nNEXT Next\nINVARIANT I", "no initial state", marks=LONG),
        (
            """EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x < 9 /\\ x' = x + 1
I == IF x = 3 THEN TLCSet("exit", TRUE) ELSE TRUE""",
            "INIT Init\nNEXT Next\nINVARIANT I",
            "TLC stopped before its end",
        ),
        ("X == 1", "CONSTANT", "neither a behaviour nor an assumption"),
    ],
)  # fmt: skip
def test_what_says_nothing_is_incomplete(tmp_path, text, config, message):
    result = run(spec(tmp_path, "Empty", text, config or "\n"))
    assert result.exit_code == 3, result.stdout + result.stderr
    assert message in result.stdout


def test_what_a_module_prints_is_shown_and_a_property_about_states_and_a_constant_that_is_none_are_said(
    tmp_path, monkeypatch
):
    text = (
        "EXTENDS Naturals, TLC\nCONSTANT N\nSmall == {0}\nVARIABLE x\nNext == x' = N\nP == x = 0\n"
        'Init == x \\in Nat /\\ PrintT(x) /\\ PrintT("x")\n'
        "Spec == Init /\\ [][Next]_x"
    )
    config = "SPECIFICATION Spec PROPERTY P CONSTANTS N = 1 M = 2 Nat <- Small"
    code, document = reported(path := spec(tmp_path, "First", text, config))
    assert (code, document["notes"]) == (
        0,
        [
            "First has no M: giving that in First.cfg changes nothing",
            "P is about states: as a PROPERTY it is asked of the initial states alone, as an INVARIANT of all",
        ],
    )
    assert document["printed"] == ["0", '"x"']
    monkeypatch.setattr(single_check, "_MOST_PRINTED", 1)
    shown = run(path).stdout
    assert shown.count("  printed: ") == shown.count("  printed: 0\n") == 1
    assert "  and 1 lines more; --json has them" in shown


@pytest.mark.parametrize(
    ("text", "config", "message"),
    [
        ("P == x", "INVARIANT P", "Kind.tla:6:6: TLC expected a boolean value"),
        pytest.param("P == x' = x", "INVARIANT P", "Kind.tla:6:1: The invariant P is not a state predicate",
            marks=LONG),
        pytest.param("P == x' = x", "PROPERTY P", "Kind.tla:6:1: The property P is not correctly defined",
            marks=LONG),
        pytest.param("P == <><<x' = x>>_x", "PROPERTY P", "Temporal formulas containing actions must be of forms",
            marks=LONG),
        ("P == x = 0", "INVARIANT P CONSTANT P <- Q", "Kind.cfg:4: <- Q: Kind has no such definition"),
        ("P == x = 0", "INVARIANT P\nPROPERTEIS P",
            "Kind.cfg:5: INVARIANT PROPERTEIS: Kind has no such definition\n  did you mean PROPERTIES"),
    ],
)  # fmt: skip
def test_what_is_no_property_of_that_kind_is_told_with_its_place(tmp_path, text, config, message):
    path = spec(
        tmp_path,
        "Kind",
        f"VARIABLE x\nInit == x = 0\nNext == x' = x\nSpec == Init /\\ [][Next]_x\n{text}",
        f"SPECIFICATION\n  Spec\n\n{config}",
    )
    result = run(path)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize(
    ("invariant", "workers", "code", "message"),
    [
        ("Falls(2)", 2, 3, "nothing is violated, but TLC fails where it counts"),
        pytest.param("TRUE /\\ Falls(2)", 2, 0, "NO VIOLATION, 3 distinct states", marks=LONG),
        pytest.param("Falls(2)", 1, 0, "NO VIOLATION, 3 distinct states", marks=LONG),
        ("Falls(3)", 1, 1, "VIOLATION of I"),
    ],
)
def test_where_tlc_cannot_count_a_violation_is_found_and_no_pass_said(
    tmp_path, invariant, workers, code, message
):
    text = (
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\nRECURSIVE Falls(_)\n"
        f"Falls(n) == IF n = 0 THEN x < 3 ELSE x < 5 - n /\\ Falls(n - 1)\nI == {invariant}"
    )
    path = spec(tmp_path, "Fall", text, "INIT Init\nNEXT Next\nINVARIANT I")
    result = run(path, "--workers", workers)
    assert result.exit_code == code, result.output
    assert message in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Mutexx.tla"], "did you mean Mutex.tla"),
        (["Counter.tla"], "Most has no value"),
        (["Counter.tla", "--constant", "Mots=3"], "did you mean Most?"),
        (["Queue.tla"], "neither Queue.cfg nor a theorem"),
        (["Mutex.tla", "--library", "nowhere"], "not a directory"),
        (["Mutex.tla", "--topology", "ring:2"], "Mutex.tla has no graphs: leave out --topology"),
        (["Mutex"], "did you mean Mutex.tla?"),
        (["."], "name a module in it: "),
        (["empty"], "there is no module, *.tla, in it"),
        (["empty/Mutex.tla"], "there is no module, *.tla, in "),
        (["a" * 400 + ".tla"], "there is no such module"),
        (["notes.md"], "neither a module (.tla) nor a plan (.toml)"),
        (["Counter.tla", "--config", "Strange.cfg"], "Mots is not a constant of Counter: is Most meant?"),
        (["Mutex.tla", "--config", "Mutex.tla"], "give a .cfg, not a module"),
        (["Equal.tla"], "      ^\n  == defines a name; is = meant, which compares?"),
        (["Sign.tla"], "newer builds also such signs: name one by TLA2TOOLS_JAR"),
        (["Mutex.tla", "--property", "Exclusoin"], "did you mean Exclusion?"),
    ],
)
def test_what_does_not_fit_is_told_before_tlc_runs(place, monkeypatch, arguments, message):
    monkeypatch.chdir(place)
    (place / "empty").mkdir()
    (place / "notes.md").write_text("# Notes\n")
    (place / "Strange.cfg").write_text("SPECIFICATION Spec\nCONSTANT Mots = 3\n")
    (place / "Equal.tla").write_text("---- MODULE Equal ----\nVARIABLE x\nNext == /\\ x' == x\n====\n")
    (place / "Sign.tla").write_text("---- MODULE Sign ----\nVARIABLE x\nInit ≜ x = 0\n====\n")
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("extended", "message"),
    [
        ("ShiViz", "one of the modules of CommunityModules"),
        pytest.param("Apalache", "of Apalache, another checker", marks=LONG),
        pytest.param("Foo", "name the directory that has Foo.tla by --library", marks=LONG),
        ("Foo\n====\n---- MODULE Foo ----", "Foo begins on line 4 of this file"),
    ],
)
def test_a_missing_module_is_named_with_what_to_do(tmp_path, extended, message):
    path = spec(tmp_path, "Lacks", f"EXTENDS {extended}\nVARIABLE x")
    with pytest.raises(SpecError, match=message):
        read_model(path)


STANDING_IN = r"""
EXTENDS Bitwise, BagsExt, Combinatorics, SequencesExt
G == INSTANCE Graphs
U == INSTANCE UndirectedGraphs
D == INSTANCE DyadicRationals
J == INSTANCE Json
X == INSTANCE TLCExt
E == INSTANCE IOUtils
S == INSTANCE SVG
ASSUME 12 & 10 = 8 /\ 12 | 10 = 14 /\ 12 ^^ 10 = 6 /\ 0 & 7 = 0 /\ Not(5) = 2 /\ shiftR(13, 2) = 3
Threes == BagAdd(BagAdd(EmptyBag, 3), 3)
ASSUME Threes[3] = 2 /\ BagRemove(Threes, 3) = SetToBag({3}) /\ BagRemoveAll(Threes, 3) = EmptyBag
ASSUME SumBag(Threes) = 6 /\ ProductBag(Threes) = 9 /\ choose(5, 2) = 10
Ring == [node |-> 1 .. 3, edge |-> {<<1, 2>>, <<2, 3>>, <<3, 1>>}]
Line == [node |-> 1 .. 3, edge |-> {<<1, 2>>, <<2, 3>>}]
ASSUME G!IsStronglyConnected(Ring) /\ ~G!IsStronglyConnected(Line) /\ G!HasCycle(Ring) /\ G!IsDag(Line)
ASSUME G!IsTreeWithRoot(Line, 3) /\ ~G!IsTreeWithRoot(Line, 1) /\ G!Transpose(Line).edge = {<<2, 1>>, <<3, 2>>}
ASSUME G!AreConnectedIn(1, 3, Line) /\ ~G!AreConnectedIn(3, 1, Line) /\ Cardinality(G!SimplePath(Line)) = 6
Two == [node |-> 1 .. 4, edge |-> {{1, 2}, {3}, {3, 4}}]
ASSUME U!ConnectedComponents(Two) = {{1, 2}, {3, 4}} /\ ~U!IsStronglyConnected(Two) /\ U!AreConnectedIn(3, 4, Two)
ASSUME U!IsUndirectedGraph(Two) /\ ~U!IsLoopFreeUndirectedGraph(Two)
ASSUME IsSorted(<<1, 2, 2>>, LAMBDA a, b : a <= b)
ASSUME ToBag(<<1, 1, 2>>) = (1 :> 2 @@ 2 :> 1) /\ Snoc(1, <<2>>) = <<2, 1>>
ASSUME ReplaceFirstSubSeq(<<7>>, <<2, 3>>, <<1, 2, 3, 4>>) = <<1, 7, 4>> /\ IndexFirstSubSeq(<<3>>, <<1, 2, 3>>) = 3
ASSUME RemoveFirstMatch(<<1, 2, 3>>, LAMBDA x : x > 1) = <<1, 3>> /\ Range(<<1, 2>>) = {1, 2}
ASSUME SelectInSubSeq(<<1, 2, 3>>, 2, 3, LAMBDA x : x = 3) = 2 /\ CommonPrefixes({<<1, 2>>, <<1, 3>>}) = {<< >>, <<1>>}
ASSUME D!Add(D!Half(D!One), D!Half(D!One)) = D!One /\ X!AssertEq(1, 1) /\ DOMAIN E!IOEnv = {}
ASSUME S!Circle(1, 2, 3, [fill |-> "red"]).attrs = [cx |-> "1", cy |-> "2", r |-> "3", fill |-> "red"]
"""


def test_what_the_modules_that_stand_in_define_is_what_their_names_mean(tmp_path):
    found = run(spec(tmp_path, "Uses", STANDING_IN, "CONSTANT"))
    assert found.exit_code == 0
    assert "stood in for" in found.stdout


@pytest.mark.parametrize(
    "of", some(["Init == x = 0 /\\ J!ToJson(x) = x", "Init == x = 0\nASSUME J!ToJson(1) # 1"], 1)
)
def test_what_is_in_java_is_no_pass_where_it_is_evaluated(tmp_path, of):
    text = f"J == INSTANCE Json\nVARIABLE x\nNext == UNCHANGED x\nI == x = 0 \\/ J!ToJson(x) = x\n{of}"
    config = "INIT Init\nNEXT Next\nINVARIANT I"
    result = run(spec(tmp_path, "Tells", text, config))
    assert result.exit_code == 2
    assert "ToJson of Json is in Java, which is not run here" in result.stderr


def test_a_name_of_the_configuration_that_is_not_there_is_told_with_its_line(place):
    (place / "Mutex.cfg").write_text("SPECIFICATION Spec\nINVARIANT Exclusoin\n", encoding="utf-8")
    with pytest.raises(SpecError, match=r"Mutex.cfg:2: INVARIANT Exclusoin.*\n.*did you mean Exclusion"):
        read_model(place / "Mutex.tla")
