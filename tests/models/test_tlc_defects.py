"""Small specs that TLC is known to judge wrongly: each has the right verdict, or none and the reason.

Each is of our own making, after an issue of github.com/tlaplus/tlaplus, whose number stands beside it. ``holds`` is the
truth: whether every behaviour satisfies what the configuration asks for.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds, check_plain
from pyharness.models.verdicts import Verdict
from pyharness.tla.plain_models.plain_model import read_model
from tests.long import long_but

pytestmark = pytest.mark.tlc


class Defect(NamedTuple):
    """The ``issue``, a configuration and a module; whether all behaviours satisfy it, and words of the reason."""

    issue: int
    config: str
    text: str
    holds: bool
    words: str = ""


DEFECTS = {
    "SubSequence": Defect(
        1145,
        "INVARIANT NeverSeven",
        r"""EXTENDS Naturals, Sequences
VARIABLE seen
Rest(q) == SubSeq(q, 2, 3)
Init == seen = Rest([[i \in 1..3 |-> 0] EXCEPT ![2] = 7])[1]
Next == UNCHANGED seen
Spec == Init /\ [][Next]_seen
NeverSeven == seen # 7""",
        holds=False,
        words="tlaplus 1145",
    ),
    "TailOfUpdate": Defect(
        1145,
        "INVARIANT NeverSeven",
        r"""EXTENDS Naturals, Sequences
VARIABLE seen
Zeros == [i \in 1..3 |-> 0]
Init == seen = 0
Next == seen' = Head(Tail([Zeros EXCEPT ![2] = 7]))
Spec == Init /\ [][Next]_seen
NeverSeven == seen # 7""",
        holds=False,
    ),
    "LocalRule": Defect(
        1145,
        "INVARIANT NeverSeven",
        r"""EXTENDS Naturals, Sequences
VARIABLE seen
Init == seen = 0
Next == seen' = LET zeros == [i \in 1..3 |-> 0] IN SubSeq([zeros EXCEPT ![2] = 7], 2, 2)[1]
Spec == Init /\ [][Next]_seen
NeverSeven == seen # 7""",
        holds=False,
        words="tlaplus 1145",
    ),
    "SharedUpdate": Defect(
        1302,
        "INVARIANT Loses",
        r"""EXTENDS TLC
VARIABLES before, after
Keys == [{1} -> {1, 2}]
One == [i \in {1} |-> 1]
Two == [i \in {1} |-> 2]
Zero == [k \in Keys |-> 0]
Init == before = [Zero EXCEPT ![One] = One :> 10] /\ after = [before EXCEPT ![Two] = 99]
Next == UNCHANGED <<before, after>>
Spec == Init /\ [][Next]_<<before, after>>
Loses == DOMAIN before # Keys""",
        holds=False,
        words="1302",
    ),
    "EmptyDomain": Defect(
        1407,
        "INVARIANT Differ",
        r"""EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == UNCHANGED x
Spec == Init /\ [][Next]_x
Differ == [{} -> {1}] # [{} -> {2}]""",
        holds=False,
        words="is vacuous",
    ),
    "EmptyDomainNamed": Defect(
        1407,
        "INVARIANT Differ",
        r"""EXTENDS Naturals
VARIABLE x
Init == x = {}
Next == UNCHANGED x
Spec == Init /\ [][Next]_x
To(s) == [x -> s]
Differ == To({1}) # To({2})""",
        holds=False,
        words="tlaplus 1407",
    ),
    "ManyFair": Defect(
        742,
        "PROPERTY StaysFalse",
        r"""EXTENDS Naturals
VARIABLE b
Init == b = FALSE
Flip == b' \in BOOLEAN
Spec == Init /\ [][Flip]_b /\ \A i \in 1..6 : \A j \in 1..6 : SF_b(Flip)
StaysFalse == <>[](b = FALSE)""",
        holds=False,
        words="tlaplus 742",
    ),
    "NotEvaluable": Defect(
        1440,
        "INVARIANT StaysZero\nPROPERTY Silly",
        r"""EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = 1
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Silly == <>(x.field = 1)
StaysZero == x = 0""",
        holds=False,
    ),
    "BehindConstraint": Defect(
        839,
        "CONSTRAINT Small\nPROPERTY Ends",
        r"""EXTENDS Naturals
VARIABLE n, done
vars == <<n, done>>
Init == n = 0 /\ done = FALSE
Step == n' = n + 1 /\ UNCHANGED done
Spec == Init /\ [][Step]_vars /\ WF_vars(Step)
Small == n < 4
Ends == <>done""",
        holds=False,
        words="under CONSTRAINT Small",
    ),
    "UnderSymmetry": Defect(
        59,
        "CONSTANT P = {p1, p2}\nSYMMETRY Perms\nPROPERTY Again",
        r"""EXTENDS Naturals, TLC
CONSTANT P
VARIABLE turn
Perms == Permutations(P)
Init == turn \in P
Next == turn' \in P
Spec == Init /\ [][Next]_turn /\ WF_turn(Next)
Again == \A p \in P : []<>(turn = p)""",
        holds=True,
        words="SYMMETRY Perms",
    ),
    "UnderView": Defect(
        59,
        "VIEW Parity\nINVARIANT Small",
        r"""EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = n + 1
Spec == Init /\ [][Next]_n
Parity == n % 2
Small == n < 5""",
        holds=False,
        words="VIEW Parity",
    ),
    "FalseLeads": Defect(
        604,
        "PROPERTY Holds",
        r"""EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = 1 - x
Spec == Init /\ [][Next]_x
Holds == [](FALSE ~> (x = 3))""",
        holds=True,
        words="tlaplus 604",
    ),
    "ImpliesStays": Defect(
        1037,
        "PROPERTY Liveness",
        r"""EXTENDS Naturals
VARIABLE x
Init == x = 1
Next == IF x = 5 THEN UNCHANGED x ELSE x' = x + 1
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Liveness == (x = 1) => <>[](x = 5)""",
        holds=True,
    ),
    "BothWays": Defect(
        201,
        "PROPERTY Fair",
        r"""EXTENDS Naturals
VARIABLE x
A == x' = (x + 1) % 3
B == x' \in 0..2
Init == x = 0
Next == A \/ B
Fair == WF_x(A)
Spec == Init /\ [][Next]_x /\ Fair""",
        holds=True,
    ),
    "Lost": Defect(
        810,
        "INVARIANT Starts\nCHECK_DEADLOCK FALSE",
        r"""EXTENDS Integers
VARIABLE x
Init == x = "start"
Next == \/ x' = "end"
        \/ x' = x + 1
Spec == Init /\ [][Next]_x
Starts == "start" = x""",
        holds=False,
    ),
}


QUICK = {"SubSequence", "EmptyDomainNamed", "NotEvaluable", "UnderSymmetry"}
"""One of each kind: the others are true, or doubted as tests of what passes show without TLC."""


@pytest.mark.parametrize("name", long_but(DEFECTS, QUICK))
def test_the_verdict_is_the_right_one_or_none(tmp_path, name):
    defect = DEFECTS[name]
    (tmp_path / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{defect.text}\n====\n", encoding="utf-8")
    (tmp_path / f"{name}.cfg").write_text(f"SPECIFICATION Spec\n{defect.config}\n", encoding="utf-8")
    found = check_plain(read_model(tmp_path / f"{name}.tla", None), find_tools(), Bounds(120, 1024))
    right = Verdict.PASS if defect.holds else Verdict.VIOLATION
    assert found.verdict in {right, Verdict.INCOMPLETE, Verdict.SPEC_ERROR}
    if defect.words:
        assert found.verdict is Verdict.INCOMPLETE
        assert defect.words in found.reason


def test_there_are_as_many_as_are_known():
    assert len(DEFECTS) >= 12
    assert len({each.issue for each in DEFECTS.values()}) >= 10
