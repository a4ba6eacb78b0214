"""The claims: each part is stated by properties of the specs, and checked by models of the quick plan that mean it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.claims_command import BEGIN, END, claims_table
from pyharness.cli.main import cli
from pyharness.gate.judge.claim_coverage import claim_rows, expected_evidence
from pyharness.gate.plans.claims import (
    FEATURES,
    GRAPH_FEATURES,
    RUN_FEATURES,
    features_of,
    read_claims,
)
from pyharness.tla.modules.library import Library
from tests.each_case import each_case
from tests.shipped_plans import shipped_plan

LIBRARY = Library(SPECS, SPECS / "mutants", SPECS / "recovering")
PLAN = shipped_plan("quick")
EVIDENCE = expected_evidence(PLAN)
CLAIMS = read_claims(SPECS / "claims.toml")
STATED = [(claim.id, name) for claim in CLAIMS for name in (*claim.properties, *claim.refuted)]
HEAD = 'format = "pyharness-claims/2"\n[[claim]]\nid = "E1"\nsays = "x"\n'
PART = f'{HEAD}[[claim.part]]\nsays = "y"\n'


def rows_of(models=PLAN.models, claims=CLAIMS, evidence=None, modules=PLAN.modules):
    plan = replace(PLAN, models=tuple(models), modules=tuple(modules))
    return claim_rows(claims, plan, evidence or EVIDENCE)


def unchecked(models=PLAN.models, evidence=None, claims=CLAIMS):
    """The parts that are not checked, as (claim, part)."""
    return {
        (row.claim.id, part.part.says)
        for row in rows_of(models, claims, evidence)
        for part in row.parts
        if part.lacking
    }


def having(is_asked):
    """The claims with the parts that are asked for, and with nothing else: each part costs."""
    found = [(claim, tuple(filter(is_asked, claim.parts))) for claim in CLAIMS]
    return [replace(claim, parts=parts, proved=()) for claim, parts in found if parts]


def test_every_claim_is_there_once():
    assert [claim.id for claim in CLAIMS] == [
        *(f"E{number}" for number in range(1, 24)),
        *(f"A{number}" for number in range(1, 12)),
    ]


def test_the_quick_plan_checks_every_part_of_every_claim():
    for row in rows_of():
        assert not row.unchecked, row.claim.id
        for part in row.parts:
            assert part.models or part.part.harness
            assert part.states or part.part.refuted or part.part.harness
            assert part.mutants or not part.part.properties
            for model in part.models:
                assert set(part.part.needs) <= set(model.features)
                assert model.graphs or model.name == "recovering-barriers"


def test_the_table_in_the_readme_is_what_the_plan_does():
    text = (SPECS / "README.md").read_text(encoding="utf-8")
    table = text.partition(BEGIN)[2].partition(END)[0].strip()
    assert table == claims_table(rows_of())


# These speak of all properties, in a setting: their numbers are beside the decisions that make it.
SETTINGS = {"E16": "MayInitiate", "E17": "Exchange"}


@each_case("claim, name", STATED)
def test_a_property_carries_its_claim_s_number(claim, name):
    spec, _, prop = name.partition(".")
    prop = SETTINGS.get(claim, prop)
    module = next(m for m in LIBRARY.closure(spec) if prop in m.definitions)
    own = module.definitions[prop]
    following = [d.line for d in module.definitions.values() if d.line > own.line]
    text = "\n".join(module.text.split("\n")[own.line - 1 : min(following, default=None or own.last + 1) - 1])
    assert re.search(rf"\\\* .*\b{claim}\b", text), f"{claim} is not beside {prop}"


def test_every_property_that_is_to_hold_is_a_theorem():
    for model in PLAN.models:
        for name in (*model.invariants, *model.properties) if model.expect == "pass" else ():
            texts = [module.text for module in LIBRARY.closure(model.spec)]
            assert any(re.search(rf"^THEOREM .*\b{name}\b", text, re.MULTILINE) for text in texts), (
                f"{model.spec}: {name}"
            )


@each_case("claim", [claim for claim in CLAIMS if claim.properties])
def test_a_claim_whose_models_are_gone_is_unchecked(claim):
    wanted = {name.partition(".")[2] for name in claim.properties}
    left = [m for m in PLAN.models if not wanted & {*m.invariants, *m.properties}]
    modules = [source for source in PLAN.modules if not wanted & set(source.properties)]
    row = rows_of(left, [claim], modules=modules)[0]
    assert all(part.lacking for part in row.parts if part.part.properties)


@each_case("name", sorted({name for claim in CLAIMS for part in claim.parts for name in part.mutants}))
def test_a_mutant_that_no_property_catches_leaves_a_part_unchecked(name):
    left = [m for m in PLAN.models if m.mutant != name]
    modules = [source for source in PLAN.modules if source.config is None or source.config.stem != name]
    for row in rows_of(left, having(lambda part: name in part.mutants), modules=modules):
        assert all(part.lacking for part in row.parts)


@each_case("need", sorted({need for c in CLAIMS for p in c.parts for need in p.needs}))
def test_without_a_feature_that_is_needed_a_part_is_unchecked(need):
    if need in GRAPH_FEATURES:
        graphs = [tuple(t for t in m.topologies if not GRAPH_FEATURES[need](t)) for m in PLAN.models]
        pairs = zip(PLAN.models, graphs, strict=True)
        left = [m if m.mutant else replace(m, topologies=g) for m, g in pairs if g or m.mutant]
    else:
        left = [m for m in PLAN.models if m.mutant or need not in features_of(m, EVIDENCE.reached(m))]
    needing = having(lambda part: need in part.needs)
    assert unchecked(left, claims=needing) == {(c.id, p.says) for c in needing for p in c.parts}


@each_case(
    "name", sorted({name for c in CLAIMS for p in c.parts if len(p.properties) > 1 for name in p.properties})
)
def test_each_property_of_a_part_must_hold_somewhere(name):
    spec, _, prop = name.partition(".")

    def without(model):
        if model.mutant or model.spec != spec:
            return model
        kinds = ("invariants", "properties")
        return replace(model, **{k: tuple(o for o in getattr(model, k) if o != prop) for k in kinds})

    rows = rows_of(map(without, PLAN.models), having(lambda part: name in part.properties))
    for part in (part for row in rows for part in row.parts):
        assert any(why.startswith(f"{name}: ") for why in part.lacking)


REFUTED = sorted({name for claim in CLAIMS for name in claim.refuted})


@each_case("name", REFUTED)
def test_that_a_mutant_violates_it_does_not_refute_a_property(name):
    """Only the spec itself does, in a model that expects it; that a model checks the property is not enough."""
    prop = name.partition(".")[2]
    of_mutants = replace(
        next(m for m in PLAN.models if m.mutant), caught_by=(prop,), spec=name.partition(".")[0]
    )
    left = [m if m.mutant else replace(m, caught_by=()) for m in PLAN.models]
    for claim in (claim for claim in CLAIMS if name in claim.refuted):
        (row,) = rows_of([*left, of_mutants], [claim])
        lacking = [part.lacking for part in row.parts if name in part.part.refuted]
        assert lacking
        assert all(f"not {name}: no model expects that" in part for part in lacking)


@each_case("name", REFUTED)
def test_only_a_model_that_is_as_expected_and_has_what_the_part_says_refutes_a_property(name):
    prop = name.partition(".")[2]
    refuting = {m.name for m in PLAN.models if m.mutant is None and prop in m.caught_by}
    otherwise = replace(EVIDENCE, passed=EVIDENCE.passed - refuting)
    for claim in (claim for claim in CLAIMS if name in claim.refuted):
        (part,) = (part for part in claim.parts if name in part.refuted)
        for changed, evidence, why in (
            (part, otherwise, "none of its models is as expected"),
            (replace(part, where={"items": 99}), EVIDENCE, "no such model has items = 99"),
            (replace(part, needs=(*part.needs, *GRAPH_FEATURES)), EVIDENCE, "no such graph: "),
        ):
            (row,) = rows_of(claims=[replace(claim, parts=(changed,))], evidence=evidence)
            assert any(lack.startswith(f"not {name}: {why}") for lack in row.parts[0].lacking), why


OF_SPECS = [claim for claim in CLAIMS if any(p.startswith("RecoveringBarriers.") for p in claim.properties)]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"expect": "violation"}, "no spec that is to pass names it"),
        ({"properties": ()}, "no spec that is to pass names it"),
        ({"name": "another"}, "none of its specs passes"),
    ],
)
def test_a_spec_without_graphs_states_a_part_where_it_passes_with_the_property(changed, why):
    (claim,) = OF_SPECS
    modules = [replace(each, **changed) if each.expect == "pass" else each for each in PLAN.modules]
    (row,) = rows_of(claims=[claim], modules=modules)
    of_specs = [part for part in row.parts if part.part.properties[0].startswith("RecoveringBarriers.")]
    assert len(of_specs) == 4
    assert all(part.lacking == (f"{part.part.properties[0]}: {why}",) for part in of_specs)


@pytest.mark.parametrize("asked", [{"where": {"items": 1}}, {"needs": ("crashes",)}])
def test_a_part_that_asks_for_bounds_or_features_is_unchecked_by_specs_without_graphs(asked):
    (claim,) = OF_SPECS
    part = next(part for part in claim.parts if part.properties[0].startswith("RecoveringBarriers."))
    (row,) = rows_of(claims=[replace(claim, parts=(replace(part, **asked),))])
    (lack, *_) = row.parts[0].lacking
    assert lack == f"{part.properties[0]}: of a module without graphs nothing can be needed"


def test_a_bug_of_a_spec_that_did_not_come_out_as_expected_leaves_a_part_unchecked():
    wrong = {each.name for each in PLAN.modules if each.caught_by == ("InOrder",)}
    (lost,) = unchecked(evidence=replace(EVIDENCE, passed=EVIDENCE.passed - wrong))
    assert lost[0] == "A5"


def test_a_part_that_names_no_mutant_is_unchecked():
    claim = next(claim for claim in CLAIMS if claim.parts[0].properties)
    part = replace(claim.parts[0], mutants=())
    (row,) = rows_of(claims=[replace(claim, parts=(part,))])
    assert row.parts[0].lacking == ("it names no mutant, so nothing shows that its check is one",)


def test_what_a_claim_calls_proved_must_have_an_obligation():
    claim = next(claim for claim in CLAIMS if claim.proved)
    (row,) = rows_of(claims=[replace(claim, proved=(*claim.proved, "WhiteRed.Nothing"))])
    assert row.unchecked == ("proof of WhiteRed.Nothing",)


def test_a_kill_that_the_run_did_not_find_leaves_a_part_unchecked():
    kills = {pair for pair in EVIDENCE.kills if pair != ("mutants-white-red-turn-back", "TurnsRedOnce")}
    lost = unchecked(evidence=replace(EVIDENCE, kills=frozenset(kills)))
    assert lost == {("E1", "where turning is left to magic")}


def test_a_model_that_does_not_pass_is_no_evidence():
    passed = EVIDENCE.passed - {"the-rule-is-sharp"}
    lost = {row.claim.id: row.unchecked for row in rows_of(evidence=replace(EVIDENCE, passed=passed))}
    assert lost["E20"] == ("on a ring: WhiteRedHistory.Sharp: none of its models passes",)


def test_a_property_whose_antecedent_is_never_reached_is_unchecked():
    witnessed = {
        model: {name: reached and name != "AbortUnblocks.1" for name, reached in found.items()}
        for model, found in EVIDENCE.witnessed.items()
    }
    lost = unchecked(evidence=replace(EVIDENCE, witnessed=witnessed))
    assert ("A7", "it unblocks all inputs") in lost


def test_a_stage_of_the_harness_without_rows_is_no_check():
    lost = unchecked(evidence=replace(EVIDENCE, stages=EVIDENCE.stages | {"reorder": 0}))
    assert {claim for claim, _ in lost} == {"E9", "E10"}


def test_a_plan_without_simulation_does_not_reorder():
    plan = replace(PLAN, models=tuple(replace(m, simulate=None) for m in PLAN.models))
    assert {"E9", "E10"} <= {claim for claim, _ in unchecked(evidence=expected_evidence(plan))}


def test_every_feature_of_runs_is_looked_for_by_some_model():
    looked_for = {name for found in EVIDENCE.witnessed.values() for name in found}
    assert set(RUN_FEATURES.values()) <= looked_for
    assert len(set(FEATURES)) == len(FEATURES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "format: is missing"),
        ('format = "pyharness-claims/2"', "claim"),
        ('format = "pyharness-claims/2"\nclaim = []', "claim"),
        (HEAD, "nothing states"),
        (f"{HEAD}part = []", "nothing states this claim"),
        (f'{HEAD}[claim.part]\nsays = "y"', "part: must be"),
        (PART, "nothing states this part"),
        (f'{HEAD}property = ["A"]', "property"),
        (f'{PART}models = ["A"]', "models"),
        (f'{PART}properties = "A"', "list of names"),
        (f'{PART}properties = ["A"]', "must be Spec.Property"),
        (f'{PART}properties = ["A.B"]\nneeds = ["two-input"]', "no feature 'two-input'"),
        (f'{PART}properties = ["A.B"]\nwhere = "event"', "a table"),
        ("=", "not TOML"),
    ],
)
def test_wrong_claims_are_named(tmp_path, text, message):
    path = tmp_path / "claims.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError, match=message):
        read_claims(path)


def test_the_command_prints_the_table_and_what_is_unchecked(tmp_path):
    assert "| E4 | no red message" in CliRunner().invoke(cli, ["plan", "claims"]).stdout
    plan = tmp_path / "small.toml"
    plan.write_text(
        'format = "pyharness-plan/1"\n[[model]]\nname = "a"\nspec = "ChandyLamport"\n'
        'topologies = [{ processes = 2 }]\ninvariants = ["NoRedInWhite"]\n',
        encoding="utf-8",
    )
    result = CliRunner().invoke(cli, ["plan", "claims", str(plan)])
    assert result.exit_code == 3
    assert "unchecked: E5: only what was sent is accepted" in result.stderr
    assert "no such graph: two-inputs, two-outputs" in result.stderr
