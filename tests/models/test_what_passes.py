"""A model in which TLC finds no violation passes only if a violation could have been found."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from pyharness.base.errors import SpecError
from pyharness.models import spec_check
from pyharness.models.doubts import doubts_of, no_sure_violation, replaced_definitions
from pyharness.models.known_defects import defects_of
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds, check_plain
from pyharness.models.verdicts import Verdict
from pyharness.tla.plain_models.plain_model import read_model
from pyharness.tla.tlc import Outcome
from pyharness.tla.tlc.result import Progress
from tests.long import LONG
from tests.models.test_one_model import WHOLE

HEAD = """EXTENDS Naturals, Sequences
VARIABLES n, f
vars == <<n, f>>
Keys == [{1} -> {1, 2}]
Rule == [k \\in Keys |-> 0]
Other == Rule
Init == n = 0 /\\ f = <<0, 0>>
Next == n' = (n + 1) % 3 /\\ f' = [f EXCEPT ![1] = n]
Skip == UNCHANGED vars
Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)
Small == n < 3
Few == n < 2
Ends == <>(n = 2)
Leads == (n = 0) ~> Ends
Moves == [][n' # n]_n
Always == [](1 = 1)
Stutter == [][TRUE]_n
"""


@pytest.fixture
def model(tmp_path):
    """Return a function that reads a module, with further lines, under a configuration."""

    def read(config, *lines, **others):
        for name, text in others.items():
            (tmp_path / f"{name}.tla").write_text(
                f"---- MODULE {name} ----\n{text}\n====\n", encoding="utf-8"
            )
        text = "\n".join(["---- MODULE M ----", HEAD, *lines, "===="])
        (tmp_path / "M.tla").write_text(text, encoding="utf-8")
        (tmp_path / "M.cfg").write_text(f"SPECIFICATION Spec\n{config}\n", encoding="utf-8")
        return read_model(tmp_path / "M.tla", None)

    return read


ALWAYS = "it is true for all values of its variables"


BY_FORM = [
    "n = n", "[](n = n)", "<>(n = n)", "[]<>(n = n)", "[](n = 0 => n = 0)", "(n = 1) ~> (n = n)",
    r"n = 0 \/ ~(n = 0)", r"[](n = n /\ f = f)", r"n = 7 \/ n \subseteq n",
]  # fmt: skip
IN_PART = [r"[](n = n /\ n < 2)", r"n = 0 \/ ~(n = 1)", "(n = n) ~> (n = 1)", "[](n = 0 => n = 1)"]


def test_a_property_that_is_true_by_its_form_says_nothing_and_one_of_which_a_part_is_says_something(model):
    formulas = [*BY_FORM, *(f"({formula}) => []Small" for formula in BY_FORM), *IN_PART]
    lines = [f"P{number} == {formula}" for number, formula in enumerate(formulas)]
    doubts = doubts_of(model("".join(f"PROPERTY P{n}\n" for n in range(len(lines))), *lines))
    assert list(doubts) == [f"P{number} is vacuous: {ALWAYS}" for number in range(len(BY_FORM))]


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("spec", "verdict"),
    [
        ("Init /\\ [][Next]_vars /\\ WF_vars(n' = 9 /\\ f' = f)", Verdict.INCOMPLETE),
        pytest.param(
            "Init /\\ [][Next]_vars /\\ WF_vars(Next) /\\ []<>(n = 9)", Verdict.INCOMPLETE, marks=LONG
        ),
        pytest.param("Init /\\ [][Next]_vars /\\ WF_vars(Next)", Verdict.PASS, marks=LONG),
    ],
)
def test_where_no_behaviour_is_fair_whole_behaviours_are_not_decided(model, spec, verdict):
    made = model("PROPERTY Ends", f"Fair == {spec}")
    made = replace(made, config=replace(made.config, specification="Fair"))
    found = check_plain(made, find_tools(), Bounds(60, 1024))
    assert found.verdict is verdict
    assert ("no behaviour is as fair" in found.reason) == (verdict is Verdict.INCOMPLETE)


@pytest.mark.tlc
def test_where_that_is_not_decided_there_is_no_pass(model, monkeypatch):
    monkeypatch.setattr(spec_check._Check, "_alone", lambda *_: replace(WHOLE, outcome=Outcome.INCOMPLETE))
    found = check_plain(model("PROPERTY Ends"), find_tools(), Bounds(60, 1024))
    assert (found.verdict, "was not decided: incomplete" in found.reason) == (Verdict.INCOMPLETE, True)


@pytest.mark.parametrize(
    ("config", "doubt"),
    [
        ("INVARIANT Small\nPROPERTY Ends", None),
        ("INVARIANT Small\nPROPERTY Moves\nCONSTRAINT Few", None),
        ("PROPERTY Ends\nCONSTRAINT Few", "Ends is a temporal property, and TLC may not see all behaviours under CONSTRAINT Few"),
        ("PROPERTY Leads\nACTION_CONSTRAINT Few", "under ACTION_CONSTRAINT Few"),
        ("PROPERTY Ends\nVIEW vars", "under VIEW vars"),
        ("PROPERTY Always", "Always is vacuous: it is a constant"),
        ("PROPERTY Stutter", "Stutter is vacuous: [TRUE]_n is a constant"),
    ],
)  # fmt: skip
def test_a_property_that_no_run_could_violate_is_named(model, config, doubt):
    doubts = list(doubts_of(model(config)))
    assert len(doubts) == (doubt is not None)
    assert doubt is None or doubt in doubts[0]


def test_fairness_behind_an_instance_is_about_whole_behaviours(model):
    inner = "EXTENDS Naturals\nVARIABLE n\n\nNext == n' = n\nSpec == n = 0 /\\ [][Next]_n"
    lines = (
        "I == INSTANCE Inner",
        "J(m) == INSTANCE Inner WITH n <- m",
        "K == INSTANCE Unfair",
        "L(m) == INSTANCE Unfair WITH n <- m",
        "Refines == I!Spec",
        "Each == J(n)!Spec",
        "Follows == K!Spec",
        "Any == L(n)!Spec",
    )
    for name, fair in (("Refines", True), ("Each", True), ("Follows", False), ("Any", False)):
        read = model(
            f"PROPERTY {name}\nCONSTRAINT Few", *lines, Inner=f"{inner} /\\ WF_n(Next)", Unfair=inner
        )
        assert [each.startswith(f"{name} is a temporal property") for each in doubts_of(read)] == [
            True
        ] * fair


def test_a_definition_that_a_configuration_puts_in_the_place_of_another_is_looked_into(model):
    config = "PROPERTY Moves\nCONSTRAINT Few\nCONSTANT Moves <- Ends"
    assert any("temporal property" in each for each in doubts_of(model(config)))


SHAPES = [
    ("[f EXCEPT ![1] = 2]", 0),
    ("[Rule EXCEPT ![[i \\in {1} |-> 1]] = 2]", 1),
    ("[Other EXCEPT ![[i \\in {1} |-> 1]] = 2]", 1),
    ("Tail([[i \\in 1..3 |-> 0] EXCEPT ![2] = 7])", 1),
    ("LET g == [[f EXCEPT ![1] = 1] EXCEPT ![2] = 7] IN g[1]", 0),
    ("LET g == [i \\in 1..3 |-> 0] IN [g EXCEPT ![2] = 7]", 1),
    ("LET g[i \\in 1..3] == i IN [g EXCEPT ![2] = 7]", 1),
    ("\\A i \\in {1} : f = [Rule EXCEPT ![i] = 2]", 1),
]


def test_a_shape_that_an_old_tlc_evaluates_wrongly_is_named_with_its_line(model):
    made = model("INVARIANT Small", *(f"A{number} == {shape}" for number, (shape, _) in enumerate(SHAPES)))
    old = list(defects_of(made.library, "M", "2.15 of Day Month 20??"))
    first = HEAD.count(chr(10)) + 3
    named = [
        f"M.tla:{first + number}, A{number}: EXCEPT of a function"
        for number, (_, n) in enumerate(SHAPES)
        if n
    ]
    assert [each.partition(" that")[0] for each in old] == named
    for build in (None, "2.19 of Day Month 20??", "Version 2.15"):
        assert list(defects_of(made.library, "M", build)) == old
    assert not list(defects_of(made.library, "M", "2026.11.28.013844 (rev: cc6b616)"))


def test_what_is_enabled_of_a_lambda_in_an_instance_is_named(model):
    inner = (
        "EXTENDS Sequences, Naturals\nVARIABLES a, c\nStep == a' = 1 /\\ c' = {}\nFair == WF_<<a, c>>(Step)"
    )
    lines = [f"{name[0]} == INSTANCE {name} WITH a <- n, c <- f" for name in ("Inner", "Plain")]
    others = {"Inner": inner.format("SelectSeq(c, LAMBDA e : e # a)"), "Plain": inner.format("<<a>>")}
    made = model("INVARIANT Small", *lines, **others)
    assert [each.partition(":")[0] for each in defects_of(made.library, "M", "2.15")] == ["Inner.tla"]


def test_a_definition_in_whose_place_another_stands_is_named(model):
    assert replaced_definitions(model("INVARIANT Small\nCONSTANT Next <- Skip")) == ("Next <- Skip",)
    assert replaced_definitions(model("INVARIANT Small")) == ()


@pytest.mark.parametrize(
    ("algorithm", "hint"),
    [
        ("(* --algorithm a\nbegin skip; end algorithm *)", "its PlusCal is not translated"),
        ("", "did you mean Small"),
    ],
)
def test_a_definition_that_a_translation_would_have_made_is_said_to_lack_it(model, algorithm, hint):
    with pytest.raises(SpecError, match="M has no such definition") as caught:
        model("INVARIANT Smell", algorithm)
    assert hint in caught.value.hint


@pytest.mark.tlc
def test_assumptions_alone_rest_on_the_same_evaluation(tmp_path):
    shape = "[[i \\in {1} |-> 0] EXCEPT ![1] = 1]"
    text = f"---- MODULE Calc ----\nEXTENDS Naturals\nF == {shape}\nASSUME F[1] = 1\n====\n"
    (tmp_path / "Calc.tla").write_text(text, encoding="utf-8")
    (tmp_path / "Calc.cfg").touch()
    found = check_plain(read_model(tmp_path / "Calc.tla", None), find_tools(), Bounds(60, 1024))
    assert found.verdict is Verdict.INCOMPLETE, found.reason


def test_a_violation_that_tlc_may_have_made_up_is_named_behind_another_name_too(model):
    config = "PROPERTY Moves\nVIEW vars\nCONSTANT Moves <- Ends"
    assert "VIEW vars merges states" in no_sure_violation(model(config), "Moves")
    assert no_sure_violation(model("PROPERTY Moves\nVIEW vars"), "Moves") == ""
    assert no_sure_violation(model("PROPERTY Ends"), "Ends") == ""
    constant = "PROPERTY Odd\nCONSTANT Odd <- Other2"
    lines = ("Odd == [](n < 9)", "Other2 == FALSE ~> (n = 1)")
    assert "tlaplus 604" in no_sure_violation(model(constant, *lines), "Odd")


def test_how_far_tlc_was_is_of_the_time_when_it_reported():
    late = SimpleNamespace(_last=Progress(9999, 1234, 50, 5.2), _bounds=Bounds(8, 1024))
    told = "the time was up after 8 s; after 5 s TLC had found 1,234 distinct states, and 50 were still to be followed"
    assert spec_check._Check._late(late) == f"{told}: give it more seconds"


def test_a_constant_that_is_given_is_not_read_from_the_file(tmp_path):
    (path := tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{HEAD}CONSTANT K\n====\n", encoding="utf-8")
    (tmp_path / "M.cfg").write_text("CONSTANT K = -1\nSPECIFICATION Spec", encoding="utf-8")
    assert [each.text for each in read_model(path, constants=["K=3"]).config.constants] == ["K = 3"]
