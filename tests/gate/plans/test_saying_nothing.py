"""A property that is a constant, or is not looked at, is refused, also behind names; so is what makes it so."""

from __future__ import annotations

import re

import pytest

from pyharness.base.errors import SpecError
from pyharness.gate.plans.plan import read_plan
from pyharness.gate.plans.requested_model import requested_model
from pyharness.models.witness import witnesses

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
Yes == TRUE
Endless == <>Never
Stays == [][topo' = topo]_topo
Completes == <>Complete
Step(p) == Initiate(p) \/ Internal(p)
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
TEXTS: list[str] = []
"""The definitions of all cases, in the order in which they are made: SANY reads them once, as one module."""


def own(tla, name="P"):
    """Return the name that a case's definition has among those of all: those of a case have its number behind them."""
    names = re.findall(r"^(\w+)(?:\(\w+\))? ==", tla, re.MULTILINE)
    number = len(TEXTS)
    TEXTS.append(re.sub(rf"\b(?:{'|'.join(names)})\b", rf"\g<0>{number}", tla))
    return f"{name}{number}"


def inner(formula):
    return own(f"Inner == {formula}\nP == Inner")


@pytest.fixture(scope="module")
def specs(tmp_path_factory):
    specs = tmp_path_factory.mktemp("specs")
    (specs / "plans").mkdir()
    tla = "\n".join(TEXTS)
    for name, text in {
        "Other": OTHER,
        "Inline": INLINE,
        "Empty": EMPTY,
        "Own": f"{HEAD}{tla}\n====\n",
    }.items():
        (specs / f"{name}.tla").write_text(text, encoding="utf-8")
    return specs


@pytest.fixture
def plan_of(specs):
    """Return a function that reads a plan of a model of that module."""

    def read(toml):
        path = specs / "plans" / "own.toml"
        path.write_text(PLAN + toml, encoding="utf-8")
        return read_plan(path, specs)

    return read


@pytest.fixture
def refused(plan_of):
    def why(toml):
        with pytest.raises(SpecError) as caught:
            plan_of(toml)
        return f"{caught.value.where}: {caught.value.message}"

    return why


CONSTANT = [
    "TRUE", "LET q == 1 IN q = 1", "Cardinality({1, 2}) = 2", '"topo" # "state"', r"\A p \in Process : p = p",
    "Given!Plain", "Two(1, 2)!Plain",
]  # fmt: skip


@pytest.mark.parametrize("name", [inner(formula) for formula in CONSTANT], ids=CONSTANT)
def test_a_constant_is_no_invariant(refused, name):
    printed = refused(f'invariants = ["{name}"]')
    assert printed == f"own.toml:6: invariants: {name} is vacuous: it is a constant"


UNBROKEN = [
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
]  # fmt: skip


@pytest.mark.parametrize(("name", "why"), [(inner(formula), why) for formula, why in UNBROKEN])
def test_what_no_step_can_break_is_no_property(refused, name, why):
    printed = refused(f'properties = ["{name}"]')
    assert f"{name} is vacuous: " in printed
    assert why in printed


TAKEN = [
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
]


@pytest.mark.parametrize(("key", "name"), [(key, inner(formula)) for key, formula in TAKEN])
def test_what_depends_on_a_variable_is_taken(plan_of, key, name):
    assert plan_of(f'{key} = ["{name}"]').models


HELPED = own("P == Cut")


def test_an_override_can_make_a_property_a_constant(plan_of, refused):
    assert plan_of(f'invariants = ["{HELPED}"]').models
    printed = refused(f'invariants = ["{HELPED}"]\noverrides = {{ Cut = "Yes" }}')
    assert printed == f"own.toml:6: invariants: {HELPED} is vacuous: it is a constant"


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        (own("P == Given!Plain"), "{} is vacuous: it is a constant"),
        (own("P == <>(topo = topo)"), "{} is vacuous: it is true for all values of its variables"),
        (own("P == <>(topo = 1)"), None),
        (
            own("P == [][chan' # chan => topo # 1]_vars"),
            "{}: TLC cannot check whether there is a step with chan' # chan",
        ),
    ],
)
def test_a_property_that_is_asked_for_by_itself_must_say_something_too(plan_of, name, printed):
    plan = plan_of('invariants = ["Cut"]')
    if printed is None:
        assert requested_model("Own", plan, properties=[name]).properties == (name,)
        return
    with pytest.raises(SpecError) as caught:
        requested_model("Own", plan, properties=[name])
    assert printed.format(name) in caught.value.message


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


@pytest.mark.parametrize(
    ("name", "found", "endless"),
    [
        (own(behind.format(formula)), found, "<>" in formula or "~>" in formula)
        for formula, found in PREMISES
        for behind in BEHIND
    ],
)
def test_a_premise_is_looked_for_behind_names(plan_of, name, found, endless):
    plan = plan_of(f'fair = true\nproperties = ["{name}"]' if endless else f'invariants = ["{name}"]')
    probes = witnesses(plan.models[0], plan.library)
    assert [probes[each] for each in probes if each.startswith(f"{name}.")] == found


BEYOND = own("Q == Real!Premised\nP == Q")
STEP = own("P == [][state' # state => Red' = Red]_vars")


def test_a_premise_in_an_instance_cannot_be_looked_for(refused):
    printed = refused(f'invariants = ["{BEYOND}"]')
    assert (
        printed
        == f"own.toml:6: invariants: {BEYOND}: TLC cannot check whether a premise in Real!Premised ever holds"
    )


def test_a_premise_about_a_step_cannot_be_looked_for(plan_of, refused):
    toml = f'properties = ["{STEP}"]'
    printed = "TLC cannot check whether there is a step with state' # state"
    assert refused(toml) == f"own.toml:6: properties: {STEP}: {printed}"
    assert plan_of(
        f'{toml}\nexpect = "violation"\ncaught_by = ["{STEP}"]'
    ).models  # what is violated is not vacuous


# -- temporal properties ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cut", "printed"),
    [
        (
            "depth = 3",
            "own.toml:8: depth: Endless is a temporal property, and no behaviour is followed beyond it",
        ),
        (
            'stop = "Cut"',
            "own.toml:8: stop: Endless is a temporal property, and no behaviour is followed beyond Cut",
        ),
        ('overrides = { Over = "Cut" }', "own.toml:2: stop: Endless is a temporal property"),
    ],
)
def test_whole_behaviours_are_followed_to_their_end(plan_of, refused, cut, printed):
    """Of behaviours that are cut off none is fair, so that each of them has the property."""
    toml = f'fair = true\nproperties = ["Endless"]\n{cut}'
    assert refused(toml).startswith(printed)
    assert plan_of(toml.replace("fair = true", "items = 1").replace("Endless", "Stays")).models
    assert plan_of(f'{toml}\nexpect = "violation"\ncaught_by = ["Endless"]').models


def mine(formula):
    return own(f"Mine ==\n  {formula}", "Mine")


FAIR = 'fair = true\nproperties = ["Completes"]\noverrides = {{ Fairness = "{}" }}'
FAIRNESS = [
    "WF_vars(Next)",
    r"\A p \in Process : SF_vars(Initiate(p)) /\ WF_vars(Step(p))",
    "/\\ \\A c \\in Channel :\n       /\\ WF_vars(Accept(c))\n       /\\ WF_vars(Send(c))\n  /\\ WF_vars(Next)",
    r"WF_<<topo, state>>(\E p \in Process : Initiate(p) /\ p > 1)",
    r"(\A p \in Process : (WF_vars((Initiate(p) \/ Internal(p)))))",
    r"\A p \in Process : p # 1 => WF_vars(Initiate(p))",
    "/\\ Never => SF_vars(Next)\n  /\\ WF_vars(Next)",
]


@pytest.mark.parametrize("name", [mine(formula) for formula in FAIRNESS], ids=FAIRNESS)
def test_fairness_is_that_of_actions(plan_of, name):
    assert plan_of(FAIR.format(name)).models


NO_FAIRNESS = [
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
]


@pytest.mark.parametrize(("name", "part"), [(mine(formula), part) for formula, part in NO_FAIRNESS])
def test_what_is_no_fairness_is_refused(plan_of, name, part):
    """No behaviour may meet such a condition, and of none everything holds."""
    with pytest.raises(SpecError, match=re.escape(f"fair: {part} is not WF or SF of an action of Own")):
        plan_of(FAIR.format(name))
