"""One model, one command: ``pyharness check SPEC`` without a plan and without Spark."""

from __future__ import annotations

import json

import pytest

from pyharness.base.topology import parse_topologies
from pyharness.gate.plans.requested_model import (
    requested_model,
)
from tests.command import run
from tests.shipped_plans import shipped_plan

TOY = """---- MODULE Toy ----
EXTENDS Application
CONSTANT Top
VARIABLES topo, level

vars == <<topo, level>>

Init == topo \\in DOMAIN Graphs /\\ level = 0

Step == level < Top /\\ level' = level + 1 /\\ UNCHANGED topo

Next == Step

Spec == Init /\\ [][Next]_vars

Over == FALSE

Low == level < 9

Even == level % 2 = 0

THEOREM Spec => []Low
====
"""


@pytest.fixture(scope="module")
def plan():
    return shipped_plan("quick")


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """A bug by --override, to a page, in one command."""
    out = tmp_path_factory.mktemp("one")
    result = run("check", "WhiteRed", "--topology", "ring:2", "--override", "MayTake=TRUE",
                 "--property", "SSSReachable", "--out", out)  # fmt: skip
    return result, out


@pytest.mark.parametrize(
    ("name", "near"), [("RecordedIsSS", "did you mean RecordedIsSSS"), ("Foo", "such as TypeOK, ")]
)
def test_instead_of_a_property_that_is_none_those_of_theorems_are_named(name, near):
    result = run("check", "ChandyLamport", "--topology", "ring:2", "--property", name)
    assert result.exit_code == 2
    assert near in result.stderr
    assert "vars" not in result.stderr


def test_a_spec_whose_behaviours_have_no_end_is_followed_without_one():
    model = requested_model("FreeRecording", shipped_plan("quick"), topologies=parse_topologies("ring:2"))
    assert model.stop == ""


def test_a_bug_of_ones_own_is_told_and_drawn(broken):
    result, out = broken
    assert result.exit_code == 1, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("WhiteRed, MayTake = TRUE on n2-6-i1: ")
    assert any("Accept(C12, 1)" in line for line in lines)
    assert any(line.startswith("VIOLATION of SSSReachable, ") for line in lines)
    told = " ".join(lines)
    assert (
        "At step 4 P2, which has not recorded yet, accepts item 1 from C12, which P1 sent at step 3" in told
    )
    assert lines[-1].endswith("counterexample.html")
    page = (out / "counterexample.html").read_text(encoding="utf-8")
    assert "WhiteRed with MayTake = TRUE: SSSReachable is violated" in page
    assert "which has not recorded yet, accepts item 1 from C12" in page
    assert "<svg" in page
    assert max(map(len, lines[:-1])) <= 100


def test_a_typo_is_told_with_its_line_and_a_caret(tmp_path):
    (tmp_path / "Toy.tla").write_text(TOY.replace("= level + 1", "= leve + 1"), encoding="utf-8")
    result = run("check", "Toy", "--topology", "ring:2", "--specs", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 2
    first, line, caret, hint = result.stderr.splitlines()
    assert "Toy.tla:" in first
    assert first.endswith("Unknown operator: `leve'.")
    assert line.index("leve +") == caret.index("^")
    assert hint.startswith("  did you mean level")


def test_a_spec_of_ones_own_is_checked_by_its_theorems_with_its_constants(tmp_path):
    (tmp_path / "Toy.tla").write_text(TOY, encoding="utf-8")
    options = ("--topology", "ring:2", "--specs", tmp_path, "--out", tmp_path / "out")
    result = run("check", "Toy", "--constant", "Top=5", *options)
    assert result.exit_code == 0, result.output
    assert "on n2-6-i1: Low" in result.stdout
    assert "NO VIOLATION, 6 distinct states" in result.stdout
    result = run("check", "Toy", "--constant", "Top=3", "--property", "Even", "--json", *options)
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert (document["violated"], document["why"]) == ("Even", None)
    found = document["counterexample"]
    assert len(found["steps"]) == len(found["itf"]["states"]) == 2
    for given, said in (
        ((), "Toy has no value for Top\n  such as --constant Top=1"),
        (("--constant", "Topp=5"), "no constant of Toy 'Topp'\n  did you mean Top?"),
        (("--constant", "Top=five"), "Top is a number"),
    ):
        result = run("check", "Toy", *given, *options)
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in result.stderr


def test_a_spec_that_runs_on_no_graph_is_refused_before_tlc_reads_it(tmp_path):
    alone = TOY.replace("Application", "Naturals, Randomization").replace("topo \\in DOMAIN Graphs /\\ ", "")
    (tmp_path / "Toy.tla").write_text(alone, encoding="utf-8")
    result = run("check", "Toy", "--topology", "ring:2", "--specs", tmp_path)
    assert result.exit_code == 2
    assert "Toy.tla: Toy extends no module that runs on graphs" in result.stderr
    assert "extend a shipped protocol, or Colours, or Application" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ChandyLamprt",), "did you mean ChandyLamport?"),
        (("quik",), "did you mean quick?"),
        (("specs/WhiteRed.tla",), "name the module: pyharness check WhiteRed\n"),
        (("other/Own.tla",), "there is no such module"),
        (("quick", "--topology", "ring:2"), "--topology is of one model"),
        (("WhiteRed", "--only", "x"), "--only is of a plan"),
        (("other/Own.tla", "--only", "x"), "other/Own.tla: --only is of a plan"),
        (("other/Own.tla", "--budget", "9"), "--budget is of a plan"),
        (("other/Own.tla", "--list"), "--list is of a plan"),
        (("WhiteRed", "--topology", "rign:2"), "did you mean ring?"),
        (("WhiteRed:NoGard",), "did you mean NoGuard?"),
        (("WhiteRed", "--override", "MayTak=TRUE"), "did you mean MayTake"),
        (("WhiteRed", "--override", "MayTake"), "is not Operator=Definition"),
        (("WhiteRed", "--property", "TypOK"), "did you mean TypeOK?"),
        (("WhiteRed:NoGuard", "--override", "MayTake=TRUE"), "give one of the two"),
        (("Checkpoints", "--constant", "Mode=unalinged"), "did you mean unaligned"),
        (("Checkpoints", "--constant", "Record=1"), "did you mean Records"),
        (("Checkpoints", "--constant", "Records=many"), "Records is a number"),
        (("Checkpoints", "--items", "2"), "Checkpoints has records"),
        (("Checkpoints", "--constant", "Mode"), "is not NAME=VALUE"),
    ],
)
def test_what_does_not_fit_is_told_with_what_is_near(arguments, said):
    result = run("check", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""
