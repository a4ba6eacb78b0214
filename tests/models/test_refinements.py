"""A refinement is checked in a form of its own, which means the same; what TLC says of it is said of the property."""

from __future__ import annotations

import re
import shutil

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.tla.modules.library import Library
from tests.long import LONG, some
from tests.shipped_plans import shipped_plan

PLAN = shipped_plan("quick")
MODELS = {model.name: model for model in PLAN.models}


def asked(model, library):
    return re.findall(r"PROPERTY (\w+)", model.render(library, None).cfg)


def specs_with(tmp_path, module, old, new):
    """Return a library of all specs, one of them edited."""
    shutil.copytree(SPECS, tmp_path / "specs")
    file = tmp_path / "specs" / f"{module}.tla"
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
    return Library(tmp_path / "specs", tmp_path / "specs" / "mutants")


@pytest.mark.parametrize(
    ("spec", "name", "instance"),
    [
        ("ChandyLamport", "SSSReachable", "C"),
        ("ChandyLamport", "RefinesWhiteRed", "WR"),
        ("WhiteRed", "RefinesComputation", "Underlying"),
        ("Collection", "RefinesChandyLamport", "CL"),
        ("AlignedBarriers", "SSSReachable", "C"),
        ("ChandyLamport", "TurnsRedOnce", None),
        ("ChandyLamport", "EventuallyComplete", None),
        ("ColouredCheckpoints", "RefinesWhiteRed", None),
    ],
)
def test_a_refinement_is_that_of_a_plain_spec(spec, name, instance):
    assert PLAN.library.refined(spec, name) == instance


def test_each_refinement_looks_at_the_beginning_and_at_each_step():
    rendered = MODELS["white-red"].render(PLAN.library, None)
    for name, instance in (("SSSReachable", "C"), ("RefinesComputation", "Underlying")):
        step = f"UNCHANGED {instance}!vars \\/ {instance}!Next"
        assert f"Steps{name} == {instance}!Init /\\ [][{step}]_({instance}!vars)\n" in rendered.tla
    assert asked(MODELS["white-red"], PLAN.library) == [
        f"Steps{name}" if name in {"SSSReachable", "RefinesComputation"} else name
        for name in MODELS["white-red"].properties
    ]


@pytest.mark.parametrize("other", some(["[][Next]_vars", "Init /\\ [][Next]_vars /\\ WF_vars(Next)"], 1))
@LONG
def test_a_spec_that_says_anything_else_is_checked_as_it_is_written(tmp_path, other):
    library = specs_with(tmp_path, "Computation", "Spec == Init /\\ [][Next]_vars", f"Spec == {other}")
    assert library.refined("ChandyLamport", "SSSReachable") is None
    assert asked(MODELS["chandy-lamport"], library)[-2:] == ["StepsRefinesWhiteRed", "SSSReachable"]
