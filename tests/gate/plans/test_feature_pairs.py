"""Features in pairs: what counts as a model of two, and that neither a hole nor a stale reason is passed over."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner

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


def test_a_reason_that_nothing_needs_is_told():
    stale = Senseless(("ChandyLamport",), ("cycle", "three-items"), "no reason")
    told = wrong_in_pairs([table("ChandyLamport", MODELS, (stale,))], (stale,))
    assert told == (
        f"{FILE}: cycle and three-items in ChandyLamport: there is such a model, or no such pair",
    )


def test_the_command_fails_at_a_hole(tmp_path, monkeypatch):
    monkeypatch.setattr("pyharness.gate.plans.feature_pairs.read_senseless", lambda _: SENSELESS[1:])
    result = CliRunner().invoke(cli, ["plan", "pairs"])
    assert result.exit_code == 3
    assert "no model that is compared has both" in result.stderr
