"""What a theorem states, hypotheses included, is what its models check, in a stranger's module as in our own."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli
from pyharness.gate.judge.pinned import stated_by
from pyharness.gate.judge.pinned_lists import changed_statements, read_weakenings
from pyharness.gate.judge.stated_theorems import not_stated
from pyharness.gate.plans.plan import read_plan
from pyharness.models.theorems import theorems_of
from pyharness.tla.modules.library import Library
from tests.long import LONG, some
from tests.shipped_plans import shipped_plan

OWN = r"""---- MODULE Own ----
EXTENDS Application
VARIABLES topo, x
vars == <<topo, x>>
Init == topo \in DOMAIN Graphs /\ x = 0
Step == x' = (x + 1) % 3 /\ UNCHANGED topo
Next == Step
Low == x < 3
Small == \A t \in DOMAIN Graphs : Graphs[t].processes < 3
Comes == <>(x = 1)
Stays == [][x' # x]_x
NotYet == x = 0
Spec == Init /\ [][Next]_vars
Fairness == WF_vars(Step)
FairSpec == Spec /\ Fairness
StrongSpec == Spec /\ SF_vars(Step)
"""


@pytest.fixture
def own(tmp_path):
    def write(theorems):
        (tmp_path / "Own.tla").write_text(f"{OWN}{theorems}\n====\n", encoding="utf-8")
        return Library(tmp_path, SPECS)

    return write


SMALL_PLAN = """
format = "pyharness-plan/1"
[[model]]
name = "tiny"
spec = "WhiteRed"
topologies = ["ring:2"]
invariants = ["TypeOK"]
"""


@pytest.fixture
def checked(tmp_path, own, monkeypatch):
    """Return a function that checks a module; the plan beside it, which is read first, is small."""
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "quick.toml").write_text(SMALL_PLAN, encoding="utf-8")

    def check(theorems, *options):
        own(theorems)
        monkeypatch.chdir(tmp_path)
        given = ["check", "Own", "--specs", str(tmp_path), "--topology", "ring:2", *options]
        return CliRunner().invoke(cli, given)

    return check


HYPOTHESES = [
    ("THEOREM Spec => []Low1", {}),
    ("THEOREM Small /\\ Spec => []Low2", {"Small": "first"}),
    ("THEOREM Small => (Spec => []Low3)", {"Small": "first"}),
    ("THEOREM Spec /\\ []Low => Stays", {"[]Low": "each"}),
    ("THEOREM (Spec => []Low) /\\ Spec => Stays5", {"Spec => []Low": "each"}),
    ("THEOREM Stays /\\ FairSpec => Comes", {"Stays": "behaviour"}),
    ("THEOREM ASSUME Small, Spec PROVE []Low7", {"Small": "first"}),
    ("THEOREM Spec /\\ (Small \\/ Low) => []Low8", {"Small \\/ Low": "first"}),
]


def test_each_hypothesis_is_read(own):
    names = [*(f"Low{number} == x < 3" for number in (1, 2, 3, 7, 8)), "Stays5 == [][x' # x]_x"]
    read = theorems_of(own("\n".join([*names, *(theorem for theorem, _ in HYPOTHESES)])), "Own").values()
    found = [{each.text: each.kind for each in theorem.hypotheses} for theorem in read]
    assert found == [kinds for _, kinds in HYPOTHESES]


LESS = [
    ("THEOREM Spec => Low", r"Low of the first state alone"),
    ("THEOREM Spec => []Low /\\ NotYet", r"NotYet of the first state alone"),
    ("THEOREM FairSpec => []Comes", r"Comes of each state, and it is about behaviours"),
    ("THEOREM Spec => []Low\nTHEOREM Small /\\ Spec => []Low", "Low is stated twice"),
]


def test_a_theorem_that_says_less_than_it_seems_to_is_refused(tmp_path):
    for number, (theorem, _) in enumerate(LESS):
        text = f"{OWN.replace('Own', f'Own{number}', 1)}{theorem}\n====\n"
        (tmp_path / f"Own{number}.tla").write_text(text, encoding="utf-8")
    library = Library(tmp_path, SPECS)
    for number, (_, message) in enumerate(LESS):
        with pytest.raises(SpecError, match=message) as caught:
            theorems_of(library, f"Own{number}")
        assert caught.value.where.startswith(f"Own{number}.tla:")


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("theorem", "exit_code", "message"),
    some(
        [
            ("THEOREM Spec /\\ []NotYet => []Low", 1, "AssumedNotYet"),
            ("THEOREM Small /\\ Spec => []Low", 0, "NO VIOLATION"),
            ("THEOREM FALSE /\\ Spec => []Low", 1, "AssumedFALSE"),
            ("THEOREM (Spec => []NotYet) /\\ Spec => []Low", 1, "AssumedNotYet"),
            ("THEOREM ~Small /\\ Spec => []Low", 1, "AssumedSmall"),
            ("THEOREM Stays /\\ FairSpec => Comes", 0, "NO VIOLATION"),
            ("THEOREM <>[]NotYet /\\ FairSpec => Comes", 1, "AssumedNotYet"),
            ("THEOREM StrongSpec => Comes", 2, "stated where SF_vars"),
            ("THEOREM Spec => Comes", 1, "Comes"),
        ],
        1,  # quick models pass with hypotheses, and catch nothing by them
    ),
)
def test_a_stranger_s_theorem_is_checked_with_what_it_assumes(checked, theorem, exit_code, message):
    result = checked(theorem)
    assert (result.exit_code, message in " ".join(result.output.split())) == (exit_code, True), result.output


def changed(tmp_path, module, old, new):
    """A copy of the specs with another text in a module."""
    specs = tmp_path / "specs"
    shutil.copytree(SPECS, specs)
    path = specs / f"{module}.tla"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, (module, old, text.count(old))
    path.write_text(text.replace(old, new), encoding="utf-8")
    return specs


def with_specs(specs, *names):
    """The quick plan, or its models of some specs, with the specs there."""
    plan = shipped_plan("quick")
    models = tuple(model for model in plan.models if model.spec in names or not names)
    library = Library(specs, specs / "mutants", ahead=names or True)
    return replace(plan, models=models, library=library)


CHANGES = [
    ("Colours", "InputEnabled ==\n", "InputEnabled == FALSE\nWasEnabled ==\n"),
    ("ChandyLamport", "THEOREM AllReachable /\\ InputEnabled /\\ FairSpec => EventuallyAllRed",
     "THEOREM NoCycles /\\ AllReachable /\\ InputEnabled /\\ FairSpec => EventuallyAllRed"),
    ("WhiteRed", "THEOREM Spec => []TypeOK", "THEOREM FALSE /\\ Spec => []TypeOK"),
    ("Checkpoints", "/\\ Overlap = 0 \\/ MaxDeclines = 0", "/\\ Overlap = 1 \\/ MaxDeclines = 0"),
    ("Application", "AllReachable == \\A t \\in DOMAIN Graphs : EveryoneReachable(Graphs[t])", "AllReachable == TRUE"),
    ("Computation", "Law == Conserved(state, chan)", "Law == TRUE"),
]  # fmt: skip


def restated(plan):
    return changed_statements(stated_by(plan), read_weakenings(SPECS / "weakenings.toml"))


@LONG
@pytest.mark.parametrize(("module", "old", "new"), CHANGES)
def test_a_theorem_or_what_its_hypotheses_rest_on_changes_and_the_plan_is_not_as_pinned(
    tmp_path, module, old, new
):
    assert not restated(shipped_plan("quick"))
    specs = changed(tmp_path, module, old, new)
    assert [line for line in restated(with_specs(specs)) if "theorems of" in line]


@pytest.mark.parametrize("change", [
    {"invariants": ("TypeOK",)}, {"properties": ()}, {"silent": ("Internal", "Exchange", "Send")}, {"conform": False},
    {"unreached": ("RecordedIsSSS.1",)}, {"stop": ""}, {"overrides": {"MayTake": "FreeMayTake"}},
])  # fmt: skip
def test_a_model_that_asks_for_less_is_not_as_pinned(change):
    """Another model may check the property that this one loses, and the counts are the same."""
    plan = shipped_plan("quick")
    models = [replace(each, **change) if each.name == "chandy-lamport" else each for each in plan.models]
    less = replace(plan, models=tuple(models))
    assert restated(less) == ["models of ChandyLamport: changed since pinned"]


def test_every_property_is_stated_and_every_theorem_checked_in_what_is_shipped():
    assert not_stated(shipped_plan("quick")) == ()
    assert not restated(shipped_plan("quick"))


def test_a_theorem_left_out_and_one_that_no_model_checks_are_told(tmp_path):
    """And either is restated, as is a theorem with a hypothesis that says something else now."""
    specs = changed(tmp_path, "ChandyLamport", "THEOREM Spec => []LocallyFinal\n", "")
    colours, (_, old, new) = specs / "Colours.tla", CHANGES[0]
    colours.write_text(colours.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    left_out = with_specs(specs, "ChandyLamport", "StopTheWorld")
    lines = {f"theorems of {spec}: changed since pinned" for spec in ("ChandyLamport", "StopTheWorld")}
    assert lines <= set(restated(left_out))
    assert not_stated(left_out) == ("ChandyLamport.LocallyFinal is checked, and no theorem states it",)
    plan = shipped_plan("quick")
    fewer = replace(plan, models=tuple(m for m in plan.models if m.name != "at-least-once-terminates"))
    (reported,) = not_stated(fewer)
    assert "states EventuallyComplete, and no model checks it" in reported


def test_a_theorem_of_another_fairness_than_the_models_take_is_refused(tmp_path, own):
    small = SMALL_PLAN.replace("WhiteRed", "Own")
    small = small.replace('invariants = ["TypeOK"]', 'stop = ""\nfair = true\nproperties = ["Comes"]')
    (path := tmp_path / "own.toml").write_text(small, encoding="utf-8")
    own("THEOREM StrongSpec => Comes")
    with pytest.raises(SpecError, match="stated where SF_vars"):
        read_plan(path, tmp_path)
    own("THEOREM FairSpec => Comes")
    assert read_plan(path, tmp_path).models
