"""Features in pairs: what counts as a model of two, and that neither a hole nor a stale reason is passed over."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli
from pyharness.gate.plans.feature_pairs import (
    FILE,
    Senseless,
    not_paired,
    pair_table,
    read_senseless,
    tables_beside,
    wrong_in_pairs,
)
from tests.shipped_plans import shipped_plan

PLANS = [shipped_plan("quick"), shipped_plan("full")]
MODELS = [model for plan in PLANS for model in plan.models]
SENSELESS = read_senseless(SPECS / FILE)


def table(spec, models, senseless=()):
    return pair_table(spec, models, PLANS[0].library, senseless)


def test_no_pair_of_the_shipped_plans_is_missing():
    tables, senseless = tables_beside(PLANS[0])
    assert wrong_in_pairs(tables, senseless) == ()
    assert not_paired(PLANS[0]) == ()


@pytest.mark.parametrize(
    ("spec", "pair", "names"),
    [
        (
            "ChandyLamport",
            ("three-outputs", "three-items"),
            {"chandy-lamport-threes", "chandy-lamport-three-inputs"},
        ),
        ("Checkpoints", ("overlap", "three-crashes"), {"checkpoints-overlap-and-crashes"}),
        ("CyclicBarriers", ("self-loop", "two-initiators"), {"cyclic-barriers-two-sources"}),
    ],
)
def test_a_pair_whose_models_are_taken_out_is_a_hole(spec, pair, names):
    assert set(table(spec, MODELS).every[pair]) == names
    rest = [model for model in MODELS if model.name not in names and not model.wander]
    assert pair in table(spec, rest).holes


@pytest.mark.parametrize("change", [{"conform": False}, {"mutant": "LateTurn"}, {"depth": 5}])
def test_what_is_not_compared_in_every_state_of_the_correct_spec_counts_for_nothing(change):
    (model,) = [m for m in MODELS if m.name == "chandy-lamport-threes"]
    pair = ("three-outputs", "three-items")
    assert table("ChandyLamport", [model]).every[pair] == (model.name,)
    without = table("ChandyLamport", [replace(model, **change)])
    assert not without.every[pair]
    assert not without.walked[pair]


def test_two_features_on_two_graphs_of_a_model_are_no_pair():
    """Three inputs on one graph and three outputs on another one: no graph has both."""
    (model,) = [m for m in MODELS if m.name == "chandy-lamport-threes"]
    (joins,) = [m for m in MODELS if m.name == "chandy-lamport-three-inputs"]
    both = replace(model, topologies=(model.topologies[-1], joins.topologies[-1]))
    assert ("three-inputs", "three-outputs") in table("ChandyLamport", [both]).holes


def test_modes_are_no_pairs_of_each_other():
    every = table("Checkpoints", MODELS).every
    assert ("aligned", "unaligned") not in every
    assert ("three-crashes", "unaligned") in every


def test_a_reason_that_nothing_needs_is_told():
    stale = Senseless(("ChandyLamport",), ("cycle", "three-items"), "no reason")
    told = wrong_in_pairs([table("ChandyLamport", MODELS, (stale,))], (stale,))
    assert told == (
        f"{FILE}: cycle and three-items in ChandyLamport: there is such a model, or no such pair",
    )


def test_a_reason_fills_a_hole_of_its_spec_only():
    reason = Senseless(("WhiteRed",), ("cycle",), "for the test")
    assert not any("cycle" in pair for pair in table("WhiteRed", [], (reason,)).holes)
    assert any("cycle" in pair for pair in table("ChandyLamport", [], (reason,)).holes)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('specs = ["NoSuch"]\nfeatures = ["cycle"]\nwhy = "x"', "no spec NoSuch"),
        ('specs = ["WhiteRed"]\nfeatures = ["cycles"]\nwhy = "x"', "no feature cycles"),
        ('specs = ["WhiteRed"]\nfeatures = ["cycle"]\nwhy = " "', "says why"),
        ('specs = ["WhiteRed"]\nfeatures = []\nwhy = "x"', "one feature or two"),
        ('specs = ["WhiteRed"]\nfeatures = ["cycle"]', "missing"),
    ],
)
def test_an_entry_that_says_nothing_is_refused(tmp_path, entry, said):
    path = tmp_path / FILE
    path.write_text(f'format = "pyharness-feature-pairs/1"\n[[senseless]]\n{entry}\n', encoding="utf-8")
    with pytest.raises(SpecError, match=said):
        read_senseless(path)


def test_the_command_fails_at_a_hole(tmp_path, monkeypatch):
    monkeypatch.setattr("pyharness.gate.plans.feature_pairs.read_senseless", lambda _: SENSELESS[1:])
    result = CliRunner().invoke(cli, ["plan", "pairs"])
    assert result.exit_code == 3
    assert "no model that is compared has both" in result.stderr
