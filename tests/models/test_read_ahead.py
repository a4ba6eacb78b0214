"""Modules of models are read ahead, all of them in one run of SANY."""

from __future__ import annotations

from pyharness.base.toolchain.spec_files import SPECS, find_plan
from pyharness.gate.plans.plan import read_plan
from pyharness.models.plain_form import plain_form, read_ahead
from pyharness.tla.modules import kept_modules


def test_models_that_were_read_ahead_start_no_parser(tmp_path, monkeypatch):
    plan = read_plan(find_plan("quick", SPECS), SPECS)
    models = [model for model in plan.models if model.mutant is None]
    some = models[:2] + [model for model in models if model.expect == "violation"][:1]
    runs, exported = [], kept_modules.exported
    monkeypatch.setattr(
        kept_modules, "exported", lambda names, *places: runs.append(names) or exported(names, *places)
    )
    monkeypatch.setattr(kept_modules, "own_cache", lambda: tmp_path / "cache")

    read_ahead(some, plan.library)
    assert len(runs) == 1
    assert len([name for name in runs[0] if name.startswith("Model_")]) == len(some) == 3
    for number, model in enumerate(some):
        (place := tmp_path / str(number)).mkdir()
        assert plain_form(model, plan.library, place).variables
    assert len(runs) == 1
