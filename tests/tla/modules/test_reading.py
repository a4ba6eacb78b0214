"""What SANY reads is read: every form in which TLA+ lets one define something, each with its place."""

from __future__ import annotations

from copy import deepcopy

import pytest

from pyharness.base.errors import SpecError
from pyharness.tla.modules import kept_modules, sany
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.formula_facts import used_variables
from pyharness.tla.modules.library import Library
from pyharness.tla.modules.meanings import meaning_of
from tests.tla_expressions import library_of

pytestmark = pytest.mark.tlc

OTHER = """EXTENDS Naturals
CONSTANT z
VARIABLE n
Zero == n = 0
More(a) == a > n + z
LOCAL Hidden == 1"""
FORMS = r"""EXTENDS Integers, Sequences
LOCAL INSTANCE FiniteSets
CONSTANTS N, F(_, _)
VARIABLES x, y
---- MODULE Inner ----
VARIABLE v
Up == v' = v
====
K == INSTANCE Inner WITH v <- x
LOCAL Plus(a) == a + 1
a (+) b == a \cup b   \* (* an operator with a sign
RECURSIVE Sum(_)
Sum(s) == IF s = << >> THEN 0 ELSE Head(s) + Sum(Tail(s))
INSTANCE Other WITH n <- y, z <- N
P(z0) == INSTANCE Other WITH n <- x, z <- z0
Used == Zero /\ P(2)!More(4) /\ K!Up /\ {1} (+) {2} # {}
Big(Op(_), q) == LET g[i \in 0..q] == i
                     Y == INSTANCE Other WITH n <- x, z <- N
                 IN  Y!Zero /\ Op(g[1]) = q
Text == "(* no comment \" == *)" A == 1 B == 2
Table[i, j \in N] == i + j
Lambda == Big(LAMBDA t : t + 1, 3)
Cube == N \X N \X N # (N \X N) \X N
Changed == [x EXCEPT ![1][2].f = @ + 1, ![1, 2] = -3]
Named == one:: (x \leq 2 \land y =< 3) \lor x /= 1
ASSUME Large == N > 1
LEMMA ASSUME NEW q \in N, q > 1 PROVE q > 0 OBVIOUS
THEOREM Spoken == (N = 1) => []Zero PROOF OMITTED"""
WRITTEN = {
    "Plus": "Plus(a) == a + 1",
    "\\oplus": "\\oplus(a, b) == a \\cup b",
    "Sum": "Sum(s) == IF s = << >> THEN 0 ELSE Head(s) + Sum(Tail(s))",
    "Zero": "Zero() == y = 0",
    "More": "More(a) == a > y + N",
    "Used": "Used() == Zero /\\ P(2)!More(4) /\\ K!Up /\\ ({1} \\oplus {2}) # {}",
    "Big": "Big(Op(_), q) == LET g == [i \\in 0 .. q |-> i] Y == INSTANCE Other WITH n <- x, z <- N"
    " IN Y!Zero /\\ Op(g[1]) = q",
    "Text": 'Text() == "(* no comment \\" == *)"',
    "A": "A() == 1",
    "B": "B() == 2",
    "Table": "Table() == [i, j \\in N |-> i + j]",
    "Lambda": "Lambda() == Big(LAMBDA t : t + 1, 3)",
    "Cube": "Cube() == N \\X N \\X N # (N \\X N) \\X N",
    "Changed": "Changed() == [x EXCEPT ![1][2].f = @ + 1, ![1, 2] = -3]",
    "Named": "Named() == (x <= 2 /\\ y <= 3) \\/ x # 1",
}


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    return library_of(
        tmp_path_factory.mktemp("forms"), Other=OTHER, Forms=FORMS, Uses="EXTENDS Forms\nC == A"
    )


def test_every_form_of_a_definition_is_read_with_its_place(forms):
    module = forms.module("Forms")
    lines = module.text.split("\n")
    assert {name: d.text for name, d in module.definitions.items()} == WRITTEN
    for name, definition in module.definitions.items():
        assert name in lines[definition.line - 1] or lines[definition.line - 1][:8] in (
            "INSTANCE",
            "a (+) b ",
        )
    assert (module.constants, module.variables) == (("N", "F"), ("x", "y"))


def test_what_an_instance_without_a_name_brings_keeps_its_names_unless_they_would_capture(tmp_path):
    other = "EXTENDS Integers\nVARIABLE v\nCONSTANT S\nAll == \\A p, q \\in S : v # p + q\nMore(p, q) == p + q > v"
    mine = "EXTENDS Integers\nCONSTANT N\nVARIABLE q\nINSTANCE Other WITH v <- q, S <- N"
    brought = library_of(tmp_path, Other=other, Mine=mine).module("Mine").definitions
    assert brought["All"].text == "All() == \\A p, q_of_Other \\in N : q # p + q_of_Other"
    assert brought["More"].text == "More(p, q_of_Other) == p + q_of_Other > q"


def test_instances_have_their_modules_and_what_is_substituted(forms):
    module = forms.module("Forms")
    assert {name: i.module for name, i in module.instances.items()} == {"K": "Forms!Inner", "P": "Other"}
    given = {n: on_one_line(e) for n, e in module.instances["P"].substitutions.items()}
    assert (module.instances["P"].parameters, given) == (("z0",), {"n": "x", "z": "z0"})
    assert set(module.instanced) == {"Forms!Inner", "Other"}
    assert next(m.name for m in forms.closure("Forms", instances=True)) == "Forms"
    assert forms.module("Forms!Inner").definitions["Up"].level == 2


def test_what_is_local_is_seen_in_its_own_module_alone(forms):
    assert forms.defines("Forms", "Plus")
    assert not forms.defines("Uses", "Plus")
    assert forms.defines("Uses", "Sum")
    assert not forms.defines("Forms", "Hidden")


@pytest.mark.parametrize(
    ("name", "variables"),
    [("Zero", "y"), ("Used", "xy"), ("K!Up", "x"), ("Sum", ""), ("Changed", "x"), ("Named", "xy"), ("A", "")],
)
def test_what_a_definition_depends_on_is_told_through_instances(forms, name, variables):
    from pyharness.tla.modules.expressions import Name

    assert used_variables(forms, "Forms", Name(name)) == set(variables)


def test_assumptions_and_theorems_are_read_with_their_parts(forms):
    large, lemma, spoken = forms.module("Forms").statements
    assert (large.kind, large.name, on_one_line(large.formula)) == ("assumption", "Large", "N > 1")
    assert (lemma.new, [on_one_line(each) for each in lemma.assumed]) == (("q",), ["q > 1"])
    assert (spoken.kind, on_one_line(spoken.formula)) == ("theorem", "N = 1 => []Zero")


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("VARIABLE x\nA == x = 1 /\\ Lenn(x)", "Unknown operator: `Lenn'", 3),
        ("VARIABLE x\nA == x +* 1", "Parse error", 3),
        ("A == \u2200 x : x", "Lexical error", 2),
        ("EXTENDS Nowhere", "Cannot find source file for module Nowhere", None),
    ],
)
def test_what_sany_refuses_is_told_with_its_place(tmp_path, text, said, line):
    with pytest.raises(SpecError, match=said) as caught:
        library_of(tmp_path, One=text).module("One")
    assert line is None or f"One.tla:{line}" in caught.value.where


def test_a_semantic_error_takes_one_run_of_sany(tmp_path, monkeypatch):
    """The first run gives its place, which is not in a module that is only read ahead."""
    made = []
    run = sany._run
    monkeypatch.setattr(sany, "_run", lambda *given: made.append(given) or run(*given))
    with pytest.raises(SpecError, match="Lenn") as caught:
        library_of(tmp_path, One="A == 1 + Lenn(2)", Two="EXTENDS One\nB == A", Three="C == 3").module("One")
    assert "One.tla:2" in caught.value.where
    assert len(made) == 1


def test_a_file_without_a_module_is_an_error_of_that_file(tmp_path):
    library = library_of(tmp_path, One="EXTENDS Two")
    (tmp_path / "Two.tla").write_text("nothing but words\n", encoding="utf-8")
    with pytest.raises(SpecError, match="no module begins in this file") as caught:
        library.module("One")
    assert caught.value.where.endswith("Two.tla:1")


def test_an_expression_that_is_too_deep_is_an_error_of_the_module(tmp_path):
    library = library_of(tmp_path, One=f"EXTENDS Naturals\nA == {'(' * 300}1{' + 0)' * 300}")
    with pytest.raises(SpecError, match=r"One.tla: an expression has more parts within each other"):
        library.module("One")


def test_a_module_that_cannot_be_read_keeps_no_other_from_being_read(tmp_path):
    library = library_of(tmp_path, Bad="A == Nowhere", Good="A == 1", Better="B == 2")
    assert library.module("Good").definitions["A"].text == "A() == 1"
    assert library.module("Better").definitions["B"].text == "B() == 2"
    with pytest.raises(SpecError, match="Nowhere"):
        library.module("Bad")


def test_another_process_keeps_what_it_read_in_a_cache_of_its_own(tmp_path, monkeypatch):
    """A library is sent, as what is copied is, to where a job runs, which may be another machine."""
    (tmp_path / "specs").mkdir()
    library = library_of(tmp_path / "specs", One="A == 1", Two="B == 2")
    library.module("One")
    (tmp_path / "specs" / "Three.tla").write_text("---- MODULE Three ----\nC == 3\n====\n", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    monkeypatch.setattr(sany, "quick_start", lambda *_: ())  # there is no archive of Java's classes there
    sent = deepcopy(library)
    assert sent.definition("Three", "C").text == "C() == 3"
    assert list((tmp_path / "other" / "pyharness" / "modules").iterdir())


def test_what_was_read_once_starts_no_parser(tmp_path, monkeypatch):
    library_of(tmp_path, Below="A == 1", Above="EXTENDS Below\nB == A").module("Above")
    runs = []
    real = kept_modules.exported
    monkeypatch.setattr(
        kept_modules, "exported", lambda names, *places: runs.append(names) or real(names, *places)
    )
    assert Library(tmp_path).definition("Above", "A").text == "A() == 1"
    assert runs == []
    again = library_of(tmp_path, Below="A == 3")
    assert again.definition("Above", "A").text == "A() == 3"
    assert len(runs) == 1, "what a module extends is another one, so it is read again"


def test_comments_layout_and_what_is_not_reached_mean_nothing(tmp_path):
    text = "EXTENDS Naturals\nVARIABLE x\nSmall(n) == n < 5\nLow == /\\ x < 3\n       /\\ Small(x)\nOther == x = 7"
    before = meaning_of(library_of(tmp_path, One=text), ["One"], ["Low"])
    assert set(before) == {"One declares", "One extends", "One!Low", "One!Small"}
    same = (
        text.replace("\nLow", "\n\n(* more *)\nLow").replace("Small(x)", "(Small( x ))").replace("= 7", "= 8")
    )
    assert meaning_of(library_of(tmp_path, One=same), ["One"], ["Low"]) == before
    other = meaning_of(library_of(tmp_path, One=text.replace("n < 5", "n < 6")), ["One"], ["Low"])
    assert {key for key in before if before[key] != other[key]} == {"One!Small"}


def test_the_subscript_of_a_step_counts_too(tmp_path):
    text = "VARIABLES x, y\nvars == <<x, y>>\nSteps == [][x' = x]_vars"
    library = library_of(tmp_path, One=text)
    assert "One!vars" in meaning_of(library, ["One"], ["Steps"])
    assert "One!vars" in meaning_of(library, ["One"], ["[][Next]_vars"])
