"""``pyharness plan model``: a model of a plan, or of a spec on a graph; and one notation of graphs in every command."""

from __future__ import annotations

import pytest

from tests.command import run


def test_a_model_of_a_plan_and_one_of_a_spec():
    of_plan = run("plan", "model", "quick", "chandy-lamport")
    assert of_plan.exit_code == 0, of_plan.output
    assert "EXTENDS ChandyLamport" in of_plan.stdout
    of_spec = run("plan", "model", "ChandyLamport:LateTurn", "--topology", "ring:2", "--items", 3)
    assert of_spec.exit_code == 0, of_spec.output
    for line in ("EXTENDS ChandyLamport, LateTurn, Items", "ModelItem == 1..3", "INVARIANT NoRedInWhite"):
        assert line.split()[-1] in of_spec.stdout
    assert "n2-6-i1" in of_spec.stdout
    assert "n3-" not in of_spec.stdout


def test_it_leaves_files_and_the_command_that_runs_them(tmp_path):
    result = run(
        "plan",
        "model",
        "WhiteRed",
        "--topology",
        "ring:2",
        "--property",
        "SSSReachable",
        "--out",
        tmp_path / "m",
    )
    assert result.exit_code == 0, result.output
    assert {path.name for path in (tmp_path / "m").iterdir()} == {"Model.tla", "Model.cfg"}
    assert "SSSReachable" in (tmp_path / "m" / "Model.cfg").read_text(encoding="utf-8")
    assert "tlc2.TLC" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("quick",), "which model of the plan quick?\n  such as chandy-lamport"),
        (("quick", "chandy-lamprot"), "no model of plan quick 'chandy-lamprot'\n  did you mean chandy-lamport"),
        (("quick", "--topology", "ring:2"), "quick: --topology is of one model"),
        (("ChandyLamport", "mine"), "ChandyLamport is a spec, and has no model 'mine'"),
        (("ChandyLamprot",), "no plan or spec 'ChandyLamprot'\n  did you mean ChandyLamport?"),
        (("ChandyLamport:",), "'ChandyLamport:' names no mutant"),
        (("ChandyLamport:LateTurm",), "did you mean LateTurn?"),
        (("ChandyLamport", "--topology", "rnig:3"), "--topology: 'rnig:3' is not a graph\n  did you mean ring?"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_what_is_near(arguments, said):
    result = run("plan", "model", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
