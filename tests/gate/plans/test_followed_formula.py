"""A model follows Init and Next: a module whose formula says something else is refused, not checked as another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import parse_topologies
from pyharness.gate.plans.plan import read_plan
from pyharness.gate.plans.requested_model import requested_model
from pyharness.models.theorems import fairness_of, stated_by_theorems
from pyharness.tla.modules.expressions import Name
from pyharness.tla.modules.library import Library
from tests.long import some
from tests.shipped_plans import shipped_plan

HEAD = r"""
EXTENDS Application
VARIABLES topo, x
vars == <<topo, x>>
Init == topo \in DOMAIN Graphs /\ x = 0
Step == x' = 1 - x /\ UNCHANGED topo
Next == Step
Low == x < 2
Lower == x < 1
Comes == <>(x = 1)
Again == Comes
Fairness == WF_vars(Step)
"""
PLAIN = "Spec == Init /\\ [][Next]_vars\n"
FAIR = "FairSpec == Spec /\\ Fairness\n"
PLAN = """format = "pyharness-plan/1"
[[model]]
name = "own"
spec = "{}"
topologies = ["ring:2"]
stop = ""
"""


MODULES: list[str] = []
"""The modules of all cases: that one of them is read reads all, in one run of SANY."""


def own(tla):
    """Return the name that the module of a case has."""
    MODULES.append(f"---- MODULE Own{len(MODULES)} ----{HEAD}{tla}\n====\n")
    return f"Own{len(MODULES) - 1}"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    place = tmp_path_factory.mktemp("specs")
    (place / "plans").mkdir()
    for number, text in enumerate(MODULES):
        (place / f"Own{number}.tla").write_text(text, encoding="utf-8")
    read = Library(place, SPECS)
    read.module("Own0")
    return read


@pytest.fixture
def plan_of(library):
    def read(name, toml):
        (place := library.directories[0] / "plans" / "own.toml").write_text(
            PLAN.format(name) + toml, encoding="utf-8"
        )
        return read_plan(place, library.directories[0])

    return read


def asked(name, library, **options):
    plan = replace(shipped_plan("quick"), library=library)
    return requested_model(name, plan, topologies=parse_topologies("ring:2"), **options)


FOLLOWED = [
    ("Init /\\ [][Next]_vars", ()),
    ("/\\ Init\n  /\\ [] [Next]_<<topo, x>>", ()),
    ("Spec /\\ Fairness", ("Fairness",)),
    ("Spec /\\ WF_vars(Next)", ("WF_vars(Next)",)),
    ("Spec /\\ \\A p \\in Process : SF_vars(Step)", ("\\A p \\in Process : SF_vars(Step)",)),
    ("Init /\\ [][Next \\/ x' = 7]_vars", None),
    ("Lower /\\ [][Next]_vars", None),
    ("[][Next]_vars", None),
    ("Spec /\\ []Low", None),
]
FORMULAS = own(PLAIN + "\n".join(f"Other{n} ==\n  {formula}" for n, (formula, _) in enumerate(FOLLOWED)))


def test_a_formula_is_followed_whatever_is_fair(library):
    found = [fairness_of(library, FORMULAS, Name(f"Other{number}")) for number in range(len(FOLLOWED))]
    assert found == [fair for _, fair in FOLLOWED]


@pytest.mark.parametrize(
    "name",
    [
        own("Spec == Init /\\ [][Next \\/ x' = 7]_vars"),
        own("Wild == Step \\/ x' = 7\nWildSpec == Init /\\ [][Wild]_vars"),
        own("Begin == x = 5\nSpec == Begin /\\ [][Next]_vars"),
    ],
)
def test_a_formula_that_is_not_followed_is_refused(plan_of, name):
    with pytest.raises(SpecError, match=r"Spec is not Init /\\ \[\]\[Next\]_vars") as caught:
        plan_of(name, 'invariants = ["Low"]')
    assert caught.value.where.startswith(f"{name}.tla:")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    some(
        [
            ("vars == <<topo, x>>\n", "", "Unknown operator: `vars'"),
            ("\nInit ==", "\nBegin ==", "Unknown operator: `Init'"),
            ("VARIABLES topo, x", "VARIABLES graph, x", "Unknown operator: `topo'"),
        ],
        1,
    ),
)
def test_what_a_model_needs_is_asked_for_before_tlc_reads_it(tmp_path, old, new, message):
    (tmp_path / "Own.tla").write_text(
        f"---- MODULE Own ----{HEAD.replace(old, new)}{PLAIN}====\n", encoding="utf-8"
    )
    with pytest.raises(SpecError, match=message):
        asked("Own", Library(tmp_path, SPECS), properties=["Low"])


WILD = f"{PLAIN}WildSpec == Init /\\ [][Next \\/ x' = 7]_vars\n"
THEOREMS = [
    ("THEOREM Spec => []Low", ["Low"]),
    ("THEOREM Safe == Spec => []Low   \\* the main one", ["Low"]),
    ("LEMMA Spec => [](Low /\\ Lower)", ["Low", "Lower"]),
    ("THEOREM Spec => []Low /\\ []Lower", ["Low", "Lower"]),
    ("THEOREM Spec => /\\ []Low\n                /\\ []Lower\n<1>1. QED BY Low", ["Low", "Lower"]),
    ("THEOREM Spec =>\n  []Low BY DEF Low", ["Low"]),
    ("THEOREM Spec => []Low\nTHEOREM WildSpec => []Lower", ["Low"]),
    ("THEOREM Spec => []Low\nTHEOREM Lower /\\ Spec => []Lower", ["Low", "Lower"]),
    ("THEOREM Spec => []Low\n(*\nTHEOREM Spec => []Lower\n*)", ["Low"]),
]


@pytest.mark.parametrize(("name", "names"), [(own(WILD + theorems), names) for theorems, names in THEOREMS])
def test_theorems_are_read_as_people_write_them(library, name, names):
    assert [each.name for each in stated_by_theorems(library, name)] == names


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (own(PLAIN), "no theorem of {} states a property of Spec"),
        (own(f"{PLAIN}THEOREM Lower => []Low"), "no theorem of {} states a property of Spec"),
        (own(f"{PLAIN}THEOREM Spec => [](x < 2)"), "a theorem states x < 2"),
        (own(f"{PLAIN}THEOREM Spec => []Low /\\ [](x < 2)"), "a theorem states x < 2"),
    ],
)
def test_theorems_of_which_nothing_could_be_checked_are_no_pass(library, name, message):
    with pytest.raises(SpecError, match=message.format(name)):
        asked(name, library)
    assert asked(name, library, properties=["Low"]).invariants == ("Low",)


WEAKLY_FAIR = own("Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)\nTHEOREM Spec => Comes")
IN_TWO_WAYS = own(f"{PLAIN}{FAIR}THEOREM FairSpec => Comes\nTHEOREM Spec => Again")


@pytest.mark.parametrize("name", [WEAKLY_FAIR, IN_TWO_WAYS])
def test_what_is_fair_in_another_way_is_refused(library, name):
    with pytest.raises(SpecError, match=r"is a temporal property, and stated where .* is fair"):
        asked(name, library)


def test_a_plan_does_not_forget_what_the_formula_says_is_fair(plan_of):
    """Without it a step need never be taken: the property would be violated, or a mutant caught, by nothing."""
    assert plan_of(WEAKLY_FAIR, 'invariants = ["Low"]').models
    for expected in ("", 'expect = "violation"\ncaught_by = ["Comes"]\n'):
        with pytest.raises(
            SpecError, match=r"Comes is a temporal property, and Spec states what is fair: WF_vars\(Next\)"
        ):
            plan_of(WEAKLY_FAIR, f'properties = ["Comes"]\n{expected}')
