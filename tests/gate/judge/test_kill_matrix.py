"""The kill matrix says who survives, who is idle, and never takes one spec's kill for another's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.gate.judge.judgement import judge_plan
from pyharness.gate.judge.kill_matrix import Kill, kill_matrix
from pyharness.models.table_rows import KillRow
from pyharness.models.verdicts import Verdict
from tests.shipped_plans import shipped_plan

QUICK = shipped_plan("quick")
MUTANT = next(m for m in QUICK.models if m.mutant == "LateTurn")
OTHERS = [m for m in QUICK.models if m.mutant is not None and m.mutant != "LateTurn"]


def kill(model, name, **given):
    row = KillRow(
        job="x",
        model=model.name,
        spec=model.spec,
        mutant=str(model.mutant),
        property=name,
        topology="n2-6-i1",
        states=None,
        processes=2,
        channels=2,
        length=5,
    )
    return replace(row, **given)


def kills_of(models):
    return [kill(model, name) for model in models for name in model.caught_by]


def test_all_kills_of_the_plan_leave_nobody_and_nothing():
    matrix = kill_matrix(QUICK, kills_of([MUTANT, *OTHERS]))
    assert (matrix.survivors, matrix.idle_properties, matrix.unheld_properties) == ((), (), ())


def test_a_mutant_without_a_kill_survives_and_the_plan_is_violated():
    matrix = kill_matrix(QUICK, kills_of(OTHERS))
    assert matrix.survivors == (f"{MUTANT.spec}:LateTurn",)
    verdict, reasons = judge_plan(QUICK, matrix, ())
    assert verdict is Verdict.VIOLATION
    assert reasons[0] == f"{MUTANT.spec}:LateTurn survives: no property catches it"


@pytest.mark.parametrize("spec", sorted({m.spec for m in OTHERS}))
def test_a_kill_counts_for_its_own_spec_alone(spec):
    """Many properties have one name in several specs."""
    matrix = kill_matrix(QUICK, kills_of(m for m in [MUTANT, *OTHERS] if m.spec != spec))
    held = {
        name
        for m in QUICK.models
        if m.expect == "pass" and m.spec == spec
        for name in (*m.invariants, *m.properties)
    }
    assert {f"{spec}.{name}" for name in held} == set(matrix.idle_properties)
    assert set(matrix.survivors) == {f"{spec}:{m.mutant}" for m in [MUTANT, *OTHERS] if m.spec == spec}
    verdict, reasons = judge_plan(QUICK, matrix, ())
    assert verdict is Verdict.VIOLATION
    assert all(
        any(reason.startswith(f"{spec}.{name} catches no mutant") for reason in reasons) for name in held
    )


@pytest.mark.parametrize("name", ["ChandyLamport.OneMarker", "WhiteRed.RefinesComputation"])
def test_a_property_is_idle_though_the_others_of_its_spec_catch(name):
    spec, _, prop = name.partition(".")
    rows = [row for row in kills_of([MUTANT, *OTHERS]) if (row.spec, row.property) != (spec, prop)]
    assert kill_matrix(QUICK, rows).idle_properties == (name,)


@pytest.mark.parametrize("kind", ["invariants", "properties"])
@pytest.mark.parametrize("name", ["Unknown", "OneMarker"])
def test_a_property_that_only_mutants_models_check_is_held_nowhere(kind, name):
    """That another spec has one of the same name, which holds there, is not enough."""
    mutant = next(m for m in QUICK.models if m.mutant and m.spec == "WhiteRed")
    more = replace(mutant, **{kind: (*getattr(mutant, kind), name)})
    plan = replace(QUICK, models=tuple(more if m is mutant else m for m in QUICK.models))
    matrix = kill_matrix(plan, kills_of([MUTANT, *OTHERS]))
    assert matrix.unheld_properties == (f"WhiteRed.{name}",)
    verdict, reasons = judge_plan(plan, matrix, ())
    assert verdict is Verdict.INCOMPLETE
    assert reasons[0].startswith(f"WhiteRed.{name} catches mutants, and no model that is to pass checks")


def test_the_best_kill_is_on_the_smallest_graph_and_then_the_shortest():
    name, other = "NoRedInWhite", "TypeOK"
    rows = [
        kill(MUTANT, name, topology="n3-0aa-i1", processes=3, channels=4, length=3),
        kill(MUTANT, name, length=9),
        kill(MUTANT, name, length=7),
        kill(MUTANT, name, topology="n2-e-i1", channels=3, length=2),
        kill(MUTANT, other, length=8),
        kill(MUTANT, None),
    ]
    found = next(row for row in kill_matrix(QUICK, rows).mutants if row.name == "LateTurn")
    assert found.kills == (Kill(name, "n2-6-i1", 7), Kill(other, "n2-6-i1", 8))
