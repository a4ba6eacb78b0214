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

HEAD = r"""---- MODULE Own ----
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
spec = "Own"
topologies = [{ family = "ring", processes = 2 }]
stop = ""
"""


def plan_of(tmp_path, tla, toml):
    (tmp_path / "plans").mkdir(exist_ok=True)
    (tmp_path / "Own.tla").write_text(f"{HEAD}{tla}\n====\n", encoding="utf-8")
    path = tmp_path / "plans" / "own.toml"
    path.write_text(PLAN + toml, encoding="utf-8")
    return read_plan(path, tmp_path)


@pytest.fixture
def library_of(tmp_path):
    return lambda tla: plan_of(tmp_path, f"{PLAIN}{tla}", 'invariants = ["Low"]').library


@pytest.fixture
def asked_of(tmp_path):
    def asked(tla, **options):
        (tmp_path / "Own.tla").write_text(f"{HEAD}{tla}\n====\n", encoding="utf-8")
        plan = replace(shipped_plan("quick"), library=Library(tmp_path, SPECS))
        return requested_model("Own", plan, topologies=parse_topologies("ring:2"), **options)

    return asked


@pytest.mark.parametrize(
    ("formula", "fair"),
    [
        ("Init /\\ [][Next]_vars", ()),
        ("/\\ Init\n  /\\ [] [Next]_<<topo, x>>", ()),
        ("Spec /\\ Fairness", ("Fairness",)),
        ("Spec /\\ WF_vars(Next)", ("WF_vars(Next)",)),
        ("Spec /\\ \\A p \\in Process : SF_vars(Step)", ("\\A p \\in Process : SF_vars(Step)",)),
        ("Init /\\ [][Next \\/ x' = 7]_vars", None),
        ("Lower /\\ [][Next]_vars", None),
        ("[][Next]_vars", None),
        ("Spec /\\ []Low", None),
    ],
)
def test_a_formula_is_followed_whatever_is_fair(library_of, formula, fair):
    assert fairness_of(library_of(f"Other ==\n  {formula}"), "Own", Name("Other")) == fair


@pytest.mark.parametrize(
    "formulas",
    [
        "Spec == Init /\\ [][Next \\/ x' = 7]_vars",
        "Wild == Step \\/ x' = 7\nWildSpec == Init /\\ [][Wild]_vars",
        "Begin == x = 5\nSpec == Begin /\\ [][Next]_vars",
    ],
)
def test_a_formula_that_is_not_followed_is_refused(tmp_path, formulas):
    with pytest.raises(SpecError, match=r"Spec is not Init /\\ \[\]\[Next\]_vars") as caught:
        plan_of(tmp_path, formulas, 'invariants = ["Low"]')
    assert caught.value.where.startswith("Own.tla:")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    some(
        [
            ("vars == <<topo, x>>\n", "", "Unknown operator: `vars'"),
            ("\nInit ==", "\nBegin ==", "Unknown operator: `Init'"),
            ("VARIABLES topo, x", "VARIABLES graph, x", "Unknown operator: `topo'"),
        ],
        1,
    ),
)
def test_what_a_model_needs_is_asked_for_before_tlc_reads_it(asked_of, monkeypatch, old, new, said):
    monkeypatch.setitem(globals(), "HEAD", HEAD.replace(old, new))
    with pytest.raises(SpecError, match=said):
        asked_of(PLAIN, properties=["Low"])


@pytest.mark.parametrize(
    ("theorems", "names"),
    [
        ("THEOREM Spec => []Low", ["Low"]),
        ("THEOREM Safe == Spec => []Low   \\* the main one", ["Low"]),
        ("LEMMA Spec => [](Low /\\ Lower)", ["Low", "Lower"]),
        ("THEOREM Spec => []Low /\\ []Lower", ["Low", "Lower"]),
        ("THEOREM Spec => /\\ []Low\n                /\\ []Lower\n<1>1. QED BY Low", ["Low", "Lower"]),
        ("THEOREM Spec =>\n  []Low BY DEF Low", ["Low"]),
        ("THEOREM Spec => []Low\nTHEOREM WildSpec => []Lower", ["Low"]),
        ("THEOREM Spec => []Low\nTHEOREM Lower /\\ Spec => []Lower", ["Low", "Lower"]),
        ("THEOREM Spec => []Low\n(*\nTHEOREM Spec => []Lower\n*)", ["Low"]),
    ],
)
def test_theorems_are_read_as_people_write_them(library_of, theorems, names):
    library = library_of(f"WildSpec == Init /\\ [][Next \\/ x' = 7]_vars\n{theorems}")
    assert [each.name for each in stated_by_theorems(library, "Own")] == names


@pytest.mark.parametrize(
    ("theorems", "said"),
    [
        ("", "no theorem of Own states a property of Spec"),
        ("THEOREM Lower => []Low", "no theorem of Own states a property of Spec"),
        ("THEOREM Spec => [](x < 2)", "a theorem states x < 2"),
        ("THEOREM Spec => []Low /\\ [](x < 2)", "a theorem states x < 2"),
    ],
)
def test_theorems_of_which_nothing_could_be_checked_are_no_pass(asked_of, theorems, said):
    with pytest.raises(SpecError, match=said):
        asked_of(f"{PLAIN}{theorems}")
    assert asked_of(f"{PLAIN}{theorems}", properties=["Low"]).invariants == ("Low",)


@pytest.mark.parametrize(
    "text",
    [
        "Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)\nTHEOREM Spec => Comes",
        f"{PLAIN}{FAIR}THEOREM FairSpec => Comes\nTHEOREM Spec => Again",
    ],
)
def test_what_is_fair_in_another_way_is_refused(asked_of, text):
    with pytest.raises(SpecError, match=r"is a temporal property, and stated where .* is fair"):
        asked_of(text)


def test_a_plan_does_not_forget_what_the_formula_says_is_fair(tmp_path):
    """Without it a step need never be taken: the property would be violated, or a mutant caught, by nothing."""
    formula = "Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)"
    assert plan_of(tmp_path, formula, 'invariants = ["Low"]').models
    for expected in ("", 'expect = "violation"\ncaught_by = ["Comes"]\n'):
        with pytest.raises(
            SpecError, match=r"Comes is a temporal property, and Spec states what is fair: WF_vars\(Next\)"
        ):
            plan_of(tmp_path, formula, f'properties = ["Comes"]\n{expected}')
