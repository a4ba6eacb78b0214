"""A property that is a constant, or is not looked at, is refused, also behind names; so is what makes it so."""

from __future__ import annotations

import re

import pytest

from pyharness.base.errors import SpecError
from pyharness.gate.plans.plan import read_plan
from pyharness.gate.plans.requested_model import requested_model
from pyharness.models.witness import witnesses
from tests.long import long_but, some

OTHER = r"""---- MODULE Other ----
EXTENDS Naturals
VARIABLE y
vars == <<y>>
Init == y = 1
Next == y' = y + 1
Spec == Init /\ [][Next]_vars
Premised == y = 7 => y = 8
Loose == [][TRUE]_vars
Partly == [][y' > y]_vars
Plain == y # 8
====
"""
HEAD = r"""---- MODULE Own ----
EXTENDS ChandyLamport
Given == INSTANCE Other WITH y <- 1
Real == INSTANCE Other WITH y <- Cardinality(Red)
Two(a, b) == INSTANCE Other WITH y <- a
GivenInline == INSTANCE Inline WITH z <- 1
RealInline == INSTANCE Inline WITH z <- Cardinality(Red)
RealEmpty == INSTANCE Empty WITH w <- Cardinality(Red)
Few == <<topo>>
Never == topo = "never"
Cut == Red # {}
"""
INLINE = r"""---- MODULE Inline ----
EXTENDS Naturals
VARIABLE z
Spec == z = 1 /\ [][z' = z + 1]_z
====
"""
EMPTY = r"""---- MODULE Empty ----
EXTENDS Naturals
VARIABLE w
vars == <<w>>
Next == w' = w + 1
Spec == [][TRUE]_vars
====
"""
PLAN = """format = "pyharness-plan/1"
[[model]]
name = "own"
spec = "Own"
topologies = ["ring:2"]
"""


def plan_of(tmp_path, tla, toml):
    specs = tmp_path / "specs"
    (specs / "plans").mkdir(parents=True)
    (specs / "Other.tla").write_text(OTHER, encoding="utf-8")
    (specs / "Inline.tla").write_text(INLINE, encoding="utf-8")
    (specs / "Empty.tla").write_text(EMPTY, encoding="utf-8")
    (specs / "Own.tla").write_text(f"{HEAD}{tla}\n====\n", encoding="utf-8")
    path = specs / "plans" / "own.toml"
    path.write_text(PLAN + toml, encoding="utf-8")
    return read_plan(path, specs)


def refused(tmp_path, tla, toml):
    with pytest.raises(SpecError) as caught:
        plan_of(tmp_path, tla, toml)
    return f"{caught.value.where}: {caught.value.message}"


@pytest.mark.parametrize(
    "formula",
    some(
        [
            "TRUE",
            "LET q == 1 IN q = 1",
            "Cardinality({1, 2}) = 2",
            '"topo" # "state"',
            r"\A p \in Process : p = p",
            "Given!Plain",
            "Two(1, 2)!Plain",
        ],
        3,
    ),
)
def test_a_constant_is_no_invariant(tmp_path, formula):
    said = refused(tmp_path, f"Inner == {formula}\nP == Inner", 'invariants = ["P"]')
    assert said == "own.toml:6: invariants: P is vacuous: it is a constant"


@pytest.mark.parametrize(
    ("formula", "why"),
    some(
        [
            ("[][TRUE]_vars", "[TRUE]_vars is a constant"),
            ("<>(1 = 1)", "it is a constant"),
            (r"Init /\ [][1 = 1]_vars", "[1 = 1]_vars is a constant"),
            ("[][state' = state]_topo",
                "a step that leaves topo unchanged is not checked, regardless of what it does to state"),
            ("[][chan' = [chan EXCEPT ![1] = 2]]_<<topo, state>>", "<< topo, state >> unchanged is not checked"),
            ("Given!Spec", "Given!Next is a constant"),
            ("GivenInline!Spec", "it is a constant"),
            ("RealEmpty!Spec", "in Empty, [TRUE]_vars is a constant"),
            ("Real!Loose", "in Other, [TRUE]_vars is a constant"),
        ],
        3,
    ),
)  # fmt: skip
def test_what_no_step_can_break_is_no_property(tmp_path, formula, why):
    said = refused(tmp_path, f"Inner == {formula}\nP == Inner", 'properties = ["P"]')
    assert "P is vacuous: " in said
    assert why in said


@pytest.mark.parametrize(
    ("key", "formula"),
    some(
        [
            ("invariants", "Real!Plain"),
            ("invariants", "Two(Cardinality(Red), 1)!Plain"),
            ("invariants", "LET K == INSTANCE Other WITH y <- topo IN K!Plain"),
            ("invariants", "LET q == topo IN q # 1"),
            ("properties", "Real!Spec"),
            ("properties", "RealInline!Spec"),
            ("properties", "Real!Partly"),
            ("properties", "[][topo' = topo]_topo"),
            ("properties", "[][state' # 1]_<<state, topo>>"),
            ("properties", "[][Given!Plain /\\ state' = state]_vars"),
        ],
        3,
    ),
)
def test_what_depends_on_a_variable_is_taken(tmp_path, key, formula):
    assert plan_of(tmp_path, f"Inner == {formula}\nP == Inner", f'{key} = ["P"]').models


def test_an_override_can_make_a_property_a_constant(tmp_path):
    tla = "Helper == Red = {}\nP == Helper\nYes == TRUE"
    assert plan_of(tmp_path / "without", tla, 'invariants = ["P"]').models
    said = refused(tmp_path, tla, 'invariants = ["P"]\noverrides = { Helper = "Yes" }')
    assert said == "own.toml:6: invariants: P is vacuous: it is a constant"


@pytest.mark.parametrize(
    ("tla", "said"),
    [
        ("P == Given!Plain", "P is vacuous: it is a constant"),
        ("P == <>(topo = topo)", "P is vacuous: it is true for all values of its variables"),
        ("P == <>(topo = 1)", None),
        (
            "P == [][chan' # chan => topo # 1]_vars",
            "P: TLC cannot check whether there is a step with chan' # chan",
        ),
    ],
)
def test_a_property_that_is_asked_for_by_itself_must_say_something_too(tmp_path, tla, said):
    plan = plan_of(tmp_path, f"Q == Red # 1\n{tla}", 'invariants = ["Q"]')
    if said is None:
        assert requested_model("Own", plan, properties=["P"]).properties == ("P",)
        return
    with pytest.raises(SpecError) as caught:
        requested_model("Own", plan, properties=["P"])
    assert said in caught.value.message


# -- premises --------------------------------------------------------------------------------------------------


PREMISES = [
    ("Red = {} => topo # 1", ["Red = {}"]),
    (r"TypeOK /\ (Red = {} => topo # 1)", ["Red = {}"]),
    ("\n\t/\\ TypeOK\n        /\\ Red = {} => topo # 1", ["Red = {}"]),
    (r"TypeOK /\ \A p \in Red : (p = 1 => topo # 1)", [r"\E p \in Red : p = 1"]),
    (r"\A p \in Red : (Red = {} => topo # 1) /\ p # 0", [r"\E p \in Red : Red = {}"]),
    (
        r"\A p \in {q \in Process : q \in Red} : topo # p",
        [r"\E p \in {q \in Process : q \in Red} : TRUE"],
    ),
    (r"\A p \in {} : topo # p", [r"\E p \in {} : TRUE"]),
    (r"\A p \in {1, 2} : topo # p", []),
    ("(Red = {}) ~> Complete", ["Red = {}"]),
    ("[](Red = {} => <>Complete)", ["Red = {}"]),
    (r"TypeOK /\ \A p \in Red : p = 1 => topo # 1", [r"\E p \in Red : p = 1"]),
    (r"\A p \in Red : \E q \in Red : p = q => topo # 1", [r"\E p \in Red : \E q \in Red : p = q"]),
    (r"TypeOK /\ LET x == 1 IN Red = {} => topo # x", ["LET x == 1 IN Red = {}"]),
    (r"LET y == LET x == 1 IN x IN Red = {} => topo # y", ["LET y == LET x == 1 IN x IN Red = {}"]),
    (r"(TypeOK \/ Complete) /\ (Red = {} => topo # 1)", ["Red = {}"]),
    (
        "IF Complete THEN Red = {} => topo # 1 ELSE Red # {} => topo # 2",
        [r"Complete /\ Red = {}", r"~Complete /\ Red # {}"],
    ),
    ("Red = {} <=> Complete => topo # 1", ["Red = {} <=> Complete"]),
    (
        "Red = {} => Complete <=> topo # 1",
        ["Red = {}", r"Red = {} /\ Complete", r"Red = {} /\ ~Complete"],
    ),
    (r"TypeOK \land \forall p \in Red : p = 1 => topo # 1", [r"\E p \in Red : p = 1"]),
    (r"Complete \equiv (Red = {} \lor TypeOK)", ["Complete", "~Complete"]),
    ("\n  \\/ Complete\n  \\/ Red = {} => topo # 1", ["Red = {}"]),
    ('topo # "( => )" => topo # 1', ['topo # "( => )"']),
    ("\n    /\\ Complete\n    /\\ Red = {}\n  => topo # 1", [r"Complete /\ Red = {}"]),
    (
        "\n (/\\ \\A p \\in Red : p = 1\n  /\\ \\/ Complete\n     \\/ Red = {}) => topo # 1",
        [r"(\A p \in Red : p = 1) /\ (Complete \/ Red = {})"],
    ),
    ("\n  Complete\n  /\\ Red = {}\n  /\\ TypeOK => topo # 1", [r"Complete /\ Red = {} /\ TypeOK"]),
]
BEHIND = ["P == {}", "Q == {}\nP == Q", "R == {}\nQ == R\nP == (Red # {{1}}) /\\ Q"]
FEW = [(*case, BEHIND[0]) for case in PREMISES[::3]] + [(*PREMISES[0], behind) for behind in BEHIND[1:]]


@pytest.mark.parametrize(
    ("formula", "found", "behind"),
    long_but([(*case, behind) for case in PREMISES for behind in BEHIND], FEW),
)
def test_a_premise_is_looked_for_behind_names(tmp_path, formula, found, behind):
    endless = "<>" in formula or "~>" in formula
    key = 'fair = true\nproperties = ["P"]' if endless else 'invariants = ["P"]'
    plan = plan_of(tmp_path, behind.format(formula), key)
    probes = witnesses(plan.models[0], plan.library)
    assert [probes[name] for name in probes if name.startswith("P.")] == found


def test_a_premise_in_an_instance_cannot_be_looked_for(tmp_path):
    said = refused(tmp_path, "Q == Real!Premised\nP == Q", 'invariants = ["P"]')
    assert said == "own.toml:6: invariants: P: TLC cannot check whether a premise in Real!Premised ever holds"


def test_a_premise_about_a_step_cannot_be_looked_for(tmp_path):
    step = "P == [][state' # state => Red' = Red]_vars"
    said = refused(tmp_path, step, 'properties = ["P"]')
    assert said == "own.toml:6: properties: P: TLC cannot check whether there is a step with state' # state"
    caught = 'properties = ["P"]\nexpect = "violation"\ncaught_by = ["P"]'
    assert plan_of(tmp_path / "caught", step, caught).models  # what is violated is not vacuous


# -- temporal properties ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        ("depth = 3", "own.toml:8: depth: P is a temporal property, and no behaviour is followed beyond it"),
        (
            'stop = "Cut"',
            "own.toml:8: stop: P is a temporal property, and no behaviour is followed beyond Cut",
        ),
        ('overrides = { Over = "Cut" }', "own.toml:2: stop: P is a temporal property"),
    ],
)
def test_whole_behaviours_are_followed_to_their_end(tmp_path, cut, said):
    """Of behaviours that are cut off none is fair, so that each of them has the property."""
    tla, toml = "P == <>Never", f'fair = true\nproperties = ["P"]\n{cut}'
    assert refused(tmp_path, tla, toml).startswith(said)
    assert plan_of(
        tmp_path / "step", "P == [][topo' = topo]_topo", toml.replace("fair = true", "items = 1")
    ).models
    caught = f'{toml}\nexpect = "violation"\ncaught_by = ["P"]'
    assert plan_of(tmp_path / "caught", tla, caught).models


def fairness(tmp_path, formula):
    toml = 'fair = true\nproperties = ["P"]\noverrides = { Fairness = "Mine" }'
    return plan_of(
        tmp_path, f"Step(p) == Initiate(p) \\/ Internal(p)\nMine ==\n  {formula}\nP == <>Complete", toml
    )


@pytest.mark.parametrize(
    "formula",
    some(
        [
            "WF_vars(Next)",
            r"\A p \in Process : SF_vars(Initiate(p)) /\ WF_vars(Step(p))",
            "/\\ \\A c \\in Channel :\n       /\\ WF_vars(Accept(c))\n       /\\ WF_vars(Send(c))\n  /\\ Fairness",
            r"WF_<<topo, state>>(\E p \in Process : Initiate(p) /\ p > 1)",
            r"(\A p \in Process : (WF_vars((Initiate(p) \/ Internal(p)))))",
            r"\A p \in Process : p # 1 => WF_vars(Initiate(p))",
            "/\\ Never => SF_vars(Next)\n  /\\ WF_vars(Next)",
        ],
        3,
    ),
)
def test_fairness_is_that_of_actions(tmp_path, formula):
    assert fairness(tmp_path, formula.replace("Fairness", "WF_vars(Next)")).models


@pytest.mark.parametrize(
    ("formula", "part"),
    some(
        [
            ("FALSE", "FALSE"),
            ("<>[](topo = 1)", "<>[](topo = 1)"),
            (r"WF_vars(Next) /\ []<>(topo = 1)", "[]<>(topo = 1)"),
            (r"\A p \in Process : WF_vars(Initiate(p)) \/ <>Never", r"WF_vars(Initiate(p)) \/ <>Never"),
            ("WF_vars(topo' = 1)", "WF_vars(topo' = 1)"),
            (r"WF_vars(Next \/ topo' = 1)", r"WF_vars(Next \/ topo' = 1)"),
            ("WF_vars(Cut)", "WF_vars(Cut)"),
            ("~WF_vars(Next)", "~WF_vars(Next)"),
            ("WF_vars(Next) => Never", 'topo = "never"'),
            ("Never <=> WF_vars(Next)", "Never <=> WF_vars(Next)"),
        ],
        3,
    ),
)
def test_what_is_no_fairness_is_refused(tmp_path, formula, part):
    """No behaviour may meet such a condition, and of none everything holds."""
    with pytest.raises(SpecError, match=re.escape(f"fair: {part} is not WF or SF of an action of Own")):
        fairness(tmp_path, formula)
