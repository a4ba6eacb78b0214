"""The formulas were held against TLC's state graphs, and the label says no more than that."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.cli import prove_command
from pyharness.cli.main import cli
from pyharness.gate.plans.proof_lists import expected, held, label
from pyharness.prove.proof_catalogue import MODULES
from pyharness.prove.third_party import Held, first_order_subject, held_models
from tests.shipped_plans import shipped_plan


def run(*arguments):
    return CliRunner().invoke(cli, ["prove", *arguments])


def test_the_formulas_were_held_against_the_quick_plans_graphs():
    models = held_models(shipped_plan("quick"))
    pinned = {(m.name, m.spec, len(m.topologies), m.pins.distinct) for m in models}
    assert {row[:4] for row in held()} == pinned
    steps = {m.name: m.pins.transitions for m in models}
    assert all(steps[name] in (None, transitions) for name, _, _, _, transitions, _ in held())
    assert {row[1] for row in held()} == set(MODULES)
    assert len(held_models(shipped_plan("quick"), ["StopTheWorld"])) == 3


def test_the_label_says_what_was_measured_and_no_more():
    rows, said = held(), label()
    proved = [line for line in expected() if not {"Possible", "Needed"} & set(line.split("/"))]
    assert f"{len(proved):,} first-order obligations (cvc5, z3)" in said
    assert f"{sum(r[2] for r in rows)} graphs, {sum(r[3] for r in rows):,} states" in said
    assert "on paper: induction over behaviours, positions for sequences, fairness" in said
    assert "verified" not in said
    page = (ROOT / "docs" / "explanation" / "for-every-graph.md").read_text(encoding="utf-8")
    assert f"{sum(r[2] for r in rows)} graphs, {sum(r[3] for r in rows):,} states" in page
    assert f"{len(expected()):,} obligations" in page


@pytest.mark.parametrize(("states", "code"), [(32, 0), (33, 3)])
def test_what_is_held_must_be_as_listed(monkeypatch, tmp_path, states, code):
    models = held_models(shipped_plan("quick"))[:1]
    monkeypatch.setattr(prove_command, "held_models", lambda *_: models)
    monkeypatch.setattr(prove_command, "held", lambda: [("tiny", "ChandyLamport", 1, 32, 37, 1)])
    monkeypatch.setattr(prove_command, "hold", lambda *_: Held("tiny", "ChandyLamport", 1, states, 37, 1))
    result = run("--held-against-tlc", "--out", str(tmp_path))
    assert result.exit_code == code, result.output
    assert f"1 graphs, {states} states, 37 steps" in result.output
    assert ("not as listed: tiny" in result.output) == bool(code)
    assert (tmp_path / "held_against_tlc.txt").read_text() == f"tiny ChandyLamport 1 {states} 37 1\n"


def test_what_is_held_has_no_document():
    result = run("--held-against-tlc", "--json")
    assert (result.exit_code, "--json is of the proofs" in result.stderr) == (2, True)


def test_on_every_graph_of_the_list_the_assumptions_hold():
    """The graphs of the quick plan are asked again: all are as the proof of their module assumes."""
    for model in held_models(shipped_plan("quick")):
        built = first_order_subject(model).build()
        asked = sum(built.unassumed(graph) is None for graph in model.topologies)
        assert asked == len(model.topologies)
        assert (model.name, asked) in {(row[0], row[5]) for row in held()}
