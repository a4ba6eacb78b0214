"""The cover of a plan: each kind of evidence is in it, no run of TLC too many, and what it lacks is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.plan_run import choose, model_lines
from pyharness.gate.judge.claim_coverage import claim_rows, expected_evidence
from pyharness.gate.judge.cover import _evidence, chosen_jobs, cover, is_asked, left_out
from pyharness.gate.judge.judgement import judge_plan
from pyharness.gate.judge.kill_matrix import kill_matrix
from pyharness.gate.judge.pinned import not_as_pinned
from pyharness.gate.judge.pinned_lists import listing_text, read_weakenings
from pyharness.models.mutant_group import groups
from pyharness.models.verdicts import Verdict
from tests.shipped_plans import shipped_plan
from tests.table_rows import tables

QUICK = shipped_plan("quick")
COVER = cover(QUICK)


def held(plan):
    """The properties that a plan's models are to satisfy."""
    return {
        f"{m.spec}.{name} holds"
        for m in plan.models
        if m.expect == "pass"
        for name in (*m.invariants, *m.properties)
    }


def caught(plan):
    """The properties that catch a seeded bug, or are violated without one, as a plan's models say."""
    return {
        f"{m.spec}.{name} {'catches' if m.mutant else 'is violated'}"
        for m in (*plan.models,)
        if m.expect != "pass"
        for name in m.caught_by
    } | {f"{s.module.stem}.{name} is violated" for s in plan.modules for name in s.caught_by}


@pytest.mark.parametrize(
    "of",
    [
        lambda plan: {m.spec for m in plan.models},
        lambda plan: {m.spec for m in plan.models if m.conform},
        lambda plan: {(spec.module, spec.expect) for spec in plan.modules if spec.expect == "pass"},
    ],
    ids=["specs", "compared", "without graphs"],
)
def test_each_spec_and_each_implementation_is_in_the_cover(of):
    assert of(COVER) == of(QUICK)


def test_each_part_of_a_claim_is_in_the_cover_or_named_as_left_out():
    rows = claim_rows(QUICK.claims, COVER, expected_evidence(QUICK))
    bare = {
        f"part {number + 1} of {row.claim.id}"
        for row in rows
        for number, part in enumerate(row.parts)
        if not part.models and (part.part.properties or part.part.refuted)
    }
    assert bare == {kind for kind in COVER.cover.lacking if kind.startswith("part ")}
    assert f", {len(bare)} parts of claims, " in left_out(COVER)


def test_evidence_is_added_while_there_is_time_and_what_it_lacks_is_named():
    lacking = set(COVER.cover.lacking)
    assert caught(QUICK) - caught(COVER) == {k for k in lacking if k.endswith((" catches", " is violated"))}
    assert held(QUICK) - held(COVER) == {k for k in lacking if k.endswith(" holds")}
    for of, share in ((caught, 0.6), (held, 0.85)):
        assert share <= len(of(COVER)) / len(of(QUICK)) < 1
    parts = sum(len(claim.parts) for claim in QUICK.claims)
    assert 0.7 <= 1 - sum(kind.startswith("part ") for kind in lacking) / parts < 1
    assert f", {len(held(QUICK)) - len(held(COVER))} properties that hold, " in left_out(COVER)
    lines = model_lines("quick", (), SPECS, cover=True)
    assert [line for line in lines if line.startswith("left out: ")] == [
        f"left out: {kind}" for kind in COVER.cover.lacking
    ]


def test_without_any_of_its_runs_a_cover_lacks_evidence():
    """So that no run of TLC is there in vain."""
    jobs, _ = chosen_jobs(QUICK)
    places = {}
    for kind, job in _evidence(QUICK):
        places.setdefault(kind, set()).add(job)
    together = {model.name: {m.name for m in group} for group in groups(QUICK.models) for model in group}
    for name, _ in jobs:
        run = {job for job in jobs if job[0] in together.get(name, {name})}
        assert [kind for kind, of in places.items() if of & jobs and of & jobs <= run], name


def test_a_plan_has_the_same_cover_however_its_models_are_ordered():
    turned = replace(QUICK, models=QUICK.models[::-1])
    assert sorted(cover(turned).names) == sorted(COVER.names)


def test_a_model_that_is_not_compared_is_not_asked_for_transitions():
    of = {model.name: model for model in QUICK.models}
    for model in COVER.models:
        assert model.conform or model.pins is None or model.pins.transitions is None
        assert model == replace(
            of[model.name], conform=model.conform, simulate=model.simulate, pins=model.pins
        )


def test_a_property_that_catches_nothing_is_a_gap_of_a_cover_and_none_of_a_selection():
    missing = next(m for m in COVER.models if m.mutant)
    matrix = kill_matrix(COVER, [])
    verdict, reasons = judge_plan(COVER, matrix, ())
    assert verdict is Verdict.VIOLATION
    assert f"{missing.spec}:{missing.mutant} survives: no property catches it" in reasons
    idle = {reason.split()[0] for reason in reasons if "catches no mutant" in reason}
    of = {f"{row.spec}.{row.name}" for row in matrix.properties}
    assert idle == {name for name in of if is_asked(COVER, name, "catches")}
    assert 50 <= len(idle) < 154
    assert judge_plan(replace(COVER, cover=None), matrix, ()) == (Verdict.PASS, ())


def test_a_text_that_is_not_the_pinned_one_is_named_by_a_cover(tmp_path):
    listing = read_weakenings(QUICK.strength)
    changed = dict(listing.figures)
    key = min(changed)
    changed[key] = replace(changed[key], digest="0" * 16)
    path = tmp_path / "weakenings.toml"
    path.write_text(listing_text(replace(listing, figures=changed)), encoding="utf-8")
    given = replace(COVER, strength=path)
    kills = tables(kills=[])["kills"]
    assert any(reason.startswith(f"the text of {key} has changed") for reason in not_as_pinned(given, kills))
    assert not_as_pinned(replace(given, cover=None), kills) == ()


def test_a_cover_of_a_selection_is_refused():
    with pytest.raises(SpecError, match="a cover is chosen by machine"):
        choose(QUICK, ("chandy-*",), cover=True)


def test_a_plan_whose_runs_are_all_too_long_has_no_cover():
    """An empty one would pass."""
    long = max((m for m in QUICK.models if m.pins and not m.mutant), key=lambda m: m.pins.distinct)
    with pytest.raises(SpecError, match="each run of it is too long for a cover"):
        cover(replace(QUICK, models=(long,), modules=(), claims=()))


def test_all_that_is_left_out_is_counted():
    logged = replace(QUICK, logs=("a log", "another"))
    assert ", 2 logs" in left_out(cover(logged))
