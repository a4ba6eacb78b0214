"""The evaluation of this tool's own: it agrees with TLC where TLC is right, differs where TLC errs, and never guesses."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from pyharness.models import second_opinion as module
from pyharness.models import spec_check
from pyharness.models.machine_tools import find_tools
from pyharness.models.second_opinion import is_no_violation, opinion_on, second_opinion
from pyharness.models.spec_check import Bounds, check_plain
from pyharness.models.verdicts import Verdict
from pyharness.tla.plain_models.plain_model import read_model
from pyharness.tla.tlc import Trace
from pyharness.tla.tlc.dump import DumpGraph, Edge
from pyharness.tla.tlc.trace import TraceStep
from pyharness.tla.values import record
from tests.long import some
from tests.models.test_tlc_defects import DEFECTS

pytestmark = pytest.mark.tlc

TRUE = r"""
x \in 0..2 /\ n = x * 2
~(x = 5) => x # 5
x = 0 <=> n = 0
x = 1 => n = 2
(CHOOSE k \in 1..2 : TRUE) = 3 \/ x \in 0..2
\A k \in 1..3, j \in {4} : k + j > 4
\E k \in Nat \cap {7} : k = 7
\E <<a, b>> \in {<<1, 2>>} : a < b
(CHOOSE k \in 1..9 : k * k = 49) = 7
{k \in 1..4 : k % 2 = 0} = {2, 4}
{<<a, b>> \in {1} \X {2} : a < b} = {<<1, 2>>}
{k + 1 : k \in 1..2} \cup {9} = {2, 3, 9}
UNION {{1}, {2, 3}} \ {3} = {1, 2}
{1} \in SUBSET {1, 2} /\ {3} \notin SUBSET {1, 2}
0 \notin 1..1000000 /\ {1, 3} \notin SUBSET {1, 2}
<<1, 2, 3>> \notin Nat \X Nat /\ <<1, -1>> \notin Nat \X Nat
{<<a>> \in {<<1>>} : a = 1} = {<<1>>}
Cardinality(SUBSET {1, 2, 3}) = 8
[a |-> 1, b |-> "x"] \in [a : Nat, b : STRING]
[a |-> 1] \notin [a : Nat, b : STRING]
[a |-> -1, b |-> "x"] \notin [a : Nat, b : STRING]
[a |-> 1].a = 1
[[a \in 1..2, b \in 1..2 |-> 0] EXCEPT ![1, 2] = 5][1, 2] = 5
[k \in 1..2 |-> k * k] = <<1, 4>>
[k \in {5} |-> TRUE][5]
[a \in 1..2, b \in 1..2 |-> a + b][2, 1] = 3
[[k \in 1..2 |-> 0] EXCEPT ![2] = @ + 7] = <<0, 7>>
[[a |-> <<1, 2>>] EXCEPT !.a[2] = 5].a[2] = 5
[[k \in 1..2 |-> 0] EXCEPT ![3] = 7] = <<0, 0>>
DOMAIN <<5, 6>> = 1..2
<<1>> \in Seq(Nat) /\ <<1, 2>> \in [1..2 -> Nat]
Append(<<1>>, 2) \o <<3>> = <<1, 2, 3>>
SubSeq(<<1, 2, 3>>, 2, 3) = Tail(<<1, 2, 3>>) /\ Len(<<>>) = 0
SubSeq([[i \in 1..3 |-> 0] EXCEPT ![2] = 7], 2, 3)[1] \in {0, 7}
SelectSeq(<<1, 2, 3>>, LAMBDA k : k # 2) = <<1, 3>>
(-7) \div 2 = -4 /\ (-7) % 2 = 1
(1 :> 2 @@ 1 :> 3 @@ 2 :> 5) = <<2, 5>>
IF x > 1 THEN n = 4 ELSE n < 4
(CASE x = 0 -> "a" [] x = 1 -> "b" [] OTHER -> "c") = Named(x)
LET twice(k) == 2 * k IN twice(x) = n
LET f[k \in 0..3] == IF k = 0 THEN 1 ELSE 2 IN f[3] = 2
Applied(LAMBDA k : k + 1, x) = x + 1
x \oplus 1 = x + 11
Inner!Half(4) = 2 /\ Inner!Within
Chosen = who
1..3 \subseteq Int /\ "TRUE" \in STRING /\ TRUE \in BOOLEAN
{{}, {1}} = SUBSET {1}
x \in 0..1000000
""".strip().splitlines()

NEITHER = {
    "CHOOSE": r"(CHOOSE k \in 1..2 : TRUE) \in 1..2",
    "infinite": r"\A k \in Nat : k >= 0",
    "ENABLED": "ENABLED Next",
    "not defined for": "<<1>>[x + 2] = 1 \\/ TRUE = FALSE",
    "several arms": r"CASE x >= 0 -> TRUE [] x <= 2 -> TRUE",
}


@pytest.fixture
def model(tmp_path):
    def read(formulas, config=""):
        rows = [f"Inv{number} == x \\in 0..2 /\\ ({text})" for number, text in enumerate(formulas)]
        (tmp_path / "Halves.tla").write_text(
            "---- MODULE Halves ----\nEXTENDS Naturals\nCONSTANT Whole\nHalf(k) == k \\div 2\n"
            "Within == Half(Whole) <= Whole\n====\n",
            encoding="utf-8",
        )
        (tmp_path / "Many.tla").write_text(
            "---- MODULE Many ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\nCONSTANTS who, Given\nVARIABLES x, n\n"
            "Inner == INSTANCE Halves WITH Whole <- n\na \\oplus b == a + b + 10\nApplied(F(_), k) == F(k)\n"
            'Named(k) == <<"a", "b", "c">>[k + 1]\nChosen == Given\nOther == who\n'
            "Init == x = 0 /\\ n = 0\nMore(v, k) == v' = v + k\nUp == x < 2 /\\ More(x, 1) /\\ More(n, 2)\n"
            "Rest == x = 2 /\\ UNCHANGED <<x, n>>\n"
            "Next == Up \\/ Rest\nSpec == Init /\\ [][Next]_<<x, n>>\n" + "\n".join(rows) + "\n====\n",
            encoding="utf-8",
        )
        names = "".join(f"INVARIANT Inv{number}\n" for number in range(len(formulas)))
        text = f"SPECIFICATION Spec\nCONSTANTS\nwho = who\nGiven <- Other\n{names}{config}"
        (tmp_path / "Many.cfg").write_text(text, encoding="utf-8")
        return read_model(tmp_path / "Many.tla")

    return read


def opinion(given, distinct=3):
    return second_opinion(given, find_tools(), distinct, heap_mib=1024, cpu_seconds=None)


def graph(*edges):
    states = {number: record(n=2 * number, x=number) for number in range(3)}
    return DumpGraph(states, (0,), tuple(Edge(a, b, None, None) for a, b in edges))


def test_what_tlc_finds_true_is_true(model, monkeypatch):
    monkeypatch.setattr(spec_check, "defects_of", lambda *_: [])
    given = model(TRUE)
    found = check_plain(given, find_tools(), Bounds(120, 1024), again=True)
    assert found.verdict is Verdict.PASS, found.reason
    assert found.opinion == replace(found.opinion, states=3, steps=2, differing={}, beyond={})
    assert found.opinion.agreed == (*given.config.invariants, "initial states", "steps")
    assert found.opinion.text.endswith(", initial states, steps in 3 states and 2 steps")


def test_the_opposite_of_each_is_false(model):
    found = opinion_on(model([f"~({text})" for text in TRUE]), graph((0, 1), (1, 2)))
    assert sorted(found.differing) == sorted(f"Inv{number}" for number in range(len(TRUE)))
    assert found.agreed == ("initial states", "steps")
    found = opinion_on(model(TRUE), graph((0, 1), (1, 2)))
    assert not found.differing | found.beyond


def test_what_is_beyond_it_is_no_opinion(model):
    given = model(NEITHER.values())
    found = opinion_on(given, graph())
    assert not found.differing
    for number, reason in enumerate(NEITHER):
        assert reason in found.beyond[f"Inv{number}"] or reason == "several arms"
        assert not is_no_violation(given, f"Inv{number}", Trace((TraceStep(None, record(n=0, x=0)),)))


def test_a_step_that_is_none_differs_but_not_under_symmetry(model):
    given = model(["x >= 0"])
    wrong = graph((0, 1), (0, 2))
    assert opinion_on(given, wrong).differing == {"steps": (wrong.states[0], wrong.states[2])}
    for kind in ("view", "symmetry"):
        merged = opinion_on(replace(given, config=replace(given.config, **{kind: "x"})), wrong)
        assert (merged.differing, merged.steps) == ({}, 0)


def test_only_an_invariant_that_is_true_in_the_last_state_is_not_violated(model):
    given, trace = model(["x >= 0", "x > 0"]), Trace((TraceStep(None, record(n=0, x=0)),))
    assert [is_no_violation(given, name, trace) for name in ("Inv0", "Inv1", "Init")] == [True, False, False]
    assert not is_no_violation(given, "Inv0", None)


def test_an_initial_state_that_is_none_differs(model):
    assert opinion_on(model(["x >= 0"]), replace(graph(), initial=(1,))).differing.keys() == {
        "initial states"
    }


def test_too_many_states_and_too_little_time_are_said(model, monkeypatch):
    given = model(["x >= 0"])
    assert opinion(given, module.MOST_STATES + 1).text == "nothing: there are more than 50,000 states"
    assert opinion(given, 4).text == "nothing: TLC did not write the graph of 4 states: success"
    assert opinion(given, 0) is None
    assert opinion_on(given, graph(), seconds=-1).beyond["Inv0"] == "the time was up after 0 of 3"
    monkeypatch.setattr(module, "_SECONDS", 0.01)
    assert opinion(given).text.startswith("nothing: TLC did not write the graph of 3 states")


def test_one_evaluation_ends_when_its_time_is_up(model):
    doubled = (
        "LET D0 == x >= 0\n" + "\n".join(f"D{n} == D{n - 1} /\\ D{n - 1}" for n in range(1, 30)) + "\nIN D29"
    )
    began = time.monotonic()
    assert opinion_on(model([doubled]), graph(), seconds=0.5).beyond["Inv0"] == "the time was up"
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("value", "beyond"), [("-3", None), ("{1, 2}", None), ("1 - 4", "the value of C is an expression")]
)
def test_a_constant_that_a_command_gives_has_its_value(tmp_path, value, beyond):
    text = "EXTENDS Integers\nCONSTANT C\nVARIABLE x\nInit == x = C\nNext == x' = C\nSpec == Init /\\ [][Next]_x\nInv == x = C"
    (tmp_path / "Given.tla").write_text(f"---- MODULE Given ----\n{text}\n====\n", encoding="utf-8")
    (tmp_path / "Given.cfg").write_text("SPECIFICATION Spec\nINVARIANT Inv\n", encoding="utf-8")
    found = opinion(read_model(tmp_path / "Given.tla", constants=(f"C={value}",)), 1)
    assert found.beyond.get("Inv") == beyond


@pytest.mark.parametrize("name", some(["SubSequence", "TailOfUpdate"], 1))
def test_a_defect_of_tlc_is_seen_without_knowing_its_shape(tmp_path, monkeypatch, name):
    monkeypatch.setattr(spec_check, "defects_of", lambda *_: [])
    text = f"---- MODULE {name} ----\n{DEFECTS[name].text}\n====\n"
    (tmp_path / f"{name}.tla").write_text(text, encoding="utf-8")
    (tmp_path / f"{name}.cfg").write_text("SPECIFICATION Spec\nINVARIANT NeverSeven\n", encoding="utf-8")
    model = read_model(tmp_path / f"{name}.tla")
    found = check_plain(model, find_tools(), Bounds(120, 1024), again=True)
    alone = check_plain(model, find_tools(), Bounds(120, 1024))
    assert (alone.verdict, found.verdict) in {
        (Verdict.PASS, Verdict.INCOMPLETE),
        (Verdict.VIOLATION, Verdict.VIOLATION),  # of a build that does not err
    }


def test_a_violation_that_is_none_is_incomplete(model, monkeypatch):
    given = model(["x < 2"])
    checked = check_plain(given, find_tools(), Bounds(120, 1024))
    assert checked.verdict is Verdict.VIOLATION
    monkeypatch.setattr(module.Evaluation, "holds", lambda *_: True)
    checked = check_plain(given, find_tools(), Bounds(120, 1024))
    assert checked.verdict is Verdict.INCOMPLETE
    assert "finds it true in that state" in checked.reason
