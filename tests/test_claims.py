"""The claims: each is stated by properties of the specs, and checked by models of the quick plan; the table says so."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from click.testing import CliRunner

from pyharness.cli import cli
from pyharness.cli.claims_command import BEGIN, END, claims_table
from pyharness.errors import SpecError
from pyharness.judge.claim_coverage import claim_rows
from pyharness.pipeline.stages import STAGES
from pyharness.plan.claims import read_claims
from pyharness.plan.plan import read_plan
from pyharness.plan.spec_modules import Library
from pyharness.toolchain.spec_files import SPECS, find_plan

LIBRARY = Library(SPECS, SPECS / "mutants")
PLAN = read_plan(find_plan("quick"), SPECS)
CLAIMS = read_claims(SPECS / "claims.toml")
STATED = [(claim.id, name) for claim in CLAIMS for name in (*claim.properties, *claim.refuted)]


def test_every_claim_is_there_once():
    assert [claim.id for claim in CLAIMS] == [
        *(f"E{number}" for number in range(1, 22)),
        *(f"A{number}" for number in range(1, 12)),
    ]


def test_the_quick_plan_checks_every_claim():
    for row in claim_rows(CLAIMS, PLAN, STAGES):
        assert not row.unchecked, row.claim.id


def test_the_table_in_the_readme_is_what_the_plan_does():
    text = (SPECS / "README.md").read_text(encoding="utf-8")
    table = text.partition(BEGIN)[2].partition(END)[0].strip()
    assert table == claims_table(claim_rows(CLAIMS, PLAN, STAGES))


@pytest.mark.parametrize(("claim", "name"), STATED)
def test_a_property_carries_its_claim_s_number(claim, name):
    spec, _, prop = name.partition(".")
    module = next(m for m in LIBRARY.closure(spec) if prop in m.definitions)
    assert re.search(rf"\\\* .*\b{claim}\b", module.body(prop)), f"{claim} is not beside {prop}"


def test_every_property_that_is_to_hold_is_a_theorem():
    for model in PLAN.models:
        for name in (*model.invariants, *model.properties) if model.expect == "pass" else ():
            texts = [module.text for module in LIBRARY.closure(model.spec)]
            assert any(re.search(rf"^THEOREM .*\b{name}\b", text, re.MULTILINE) for text in texts), (
                f"{model.spec}: {name}"
            )


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim.properties], ids=lambda claim: claim.id)
def test_a_claim_whose_models_are_gone_is_unchecked(claim):
    wanted = {name.partition(".")[2] for name in claim.properties}
    left = tuple(m for m in PLAN.models if not wanted & {*m.invariants, *m.properties})
    row = claim_rows([claim], replace(PLAN, models=left), STAGES)[0]
    assert set(row.unchecked) >= set(claim.properties)


def test_a_harness_check_that_is_not_run_is_unchecked():
    claim = next(claim for claim in CLAIMS if claim.harness)
    assert claim_rows([claim], PLAN, ())[0].unchecked == (claim.harness,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must have format"),
        ('format = "pyharness-claims/1"', "claim"),
        ('format = "pyharness-claims/1"\n[[claim]]\nid = "E1"\nsays = "x"', "nothing states"),
        ('format = "pyharness-claims/1"\n[[claim]]\nid = "E1"\nsays = "x"\nproperty = ["A"]', "property"),
        ('format = "pyharness-claims/1"\n[[claim]]\nid = "E1"\nsays = "x"\nmodels = "A"', "list of names"),
        ("=", "not TOML"),
    ],
)
def test_wrong_claims_are_named(tmp_path, text, message):
    path = tmp_path / "claims.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError, match=message):
        read_claims(path)


def test_the_command_prints_the_table_and_what_is_unchecked(tmp_path):
    assert "| E4 | no red message" in CliRunner().invoke(cli, ["claims"]).stdout
    plan = tmp_path / "small.toml"
    plan.write_text(
        'format = "pyharness-plan/1"\n[[model]]\nname = "a"\nspec = "ChandyLamport"\n'
        'topologies = [{ processes = 2 }]\ninvariants = ["NoRedInWhite"]\n',
        encoding="utf-8",
    )
    result = CliRunner().invoke(cli, ["claims", str(plan)])
    assert result.exit_code == 3
    assert "unchecked: E5" in result.stderr
