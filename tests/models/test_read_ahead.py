"""Modules of models are read ahead, all that are not kept in one run of SANY."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.models.job import Job
from pyharness.models.machine_tools import find_tools
from pyharness.models.plain_form import plain_form, read_ahead
from pyharness.models.table_rows import RunRow, rows_of
from pyharness.models.tlc_jobs import checked_rows
from pyharness.tla.modules import kept_modules
from tests.long import some
from tests.shipped_plans import shipped_plan


def test_models_that_were_read_ahead_start_no_parser(tmp_path, monkeypatch):
    plan = shipped_plan("quick")
    models = [model for model in plan.models if model.mutant is None]
    violated = next(m for m in models if m.expect == "violation" and len(m.topologies) > 1)
    few = [*models[:2], replace(violated, topologies=violated.topologies[:2])]
    runs, exported = [], kept_modules.exported
    monkeypatch.setattr(
        kept_modules, "exported", lambda names, *places: runs.append(names) or exported(names, *places)
    )
    monkeypatch.setattr(kept_modules, "own_cache", lambda: tmp_path / "cache")

    read_ahead(few[:1], plan.library)
    read_ahead(few, plan.library)
    assert [len([name for name in names if name.startswith("Model_")]) for names in runs] == [1, 3]
    for model in few:
        for graphs in model.batches:
            one = replace(model, topologies=graphs)
            (place := tmp_path / f"{model.name}-{graphs[0].id}").mkdir()
            assert plain_form(one, plan.library, place, watched=model.conform).variables
    assert len(runs) == 2


def test_only_a_graph_that_is_compared_shows_where_a_predicate_holds(tmp_path):
    """Elsewhere it would be one action more, which is counted, and which a mutant may lose."""
    plan = shipped_plan("quick")
    model = next(model for model in plan.models if model.conform and model.predicate)
    forms = (plain_form(model, plan.library, tmp_path, **options) for options in ({}, {"watched": True}))
    texts = [form.path.read_text("utf-8") for form in forms]
    assert ["Watched" in text for text in texts] == [False, True]


def test_a_long_name_of_a_model_is_no_name_of_a_file(tmp_path):
    plan = shipped_plan("quick")
    models = [replace(plan.models[0], name="a" * 200 + end) for end in "bc"]
    paths = {plain_form(model, plan.library, tmp_path).path for model in models}
    assert len(paths) == 2


@pytest.mark.tlc
@pytest.mark.parametrize("checked", some([False, True], 1))
def test_a_model_of_walks_is_read_with_one_state_and_checked_from_all(tmp_path, checked):
    plan = shipped_plan("quick")
    model = min((m for m in plan.models if m.wander), key=lambda m: m.pins.distinct)
    found = plain_form(model, plan.library, tmp_path)
    more = found.path.read_text("utf-8").count("\n") - found.library.module(found.module).text.count("\n")
    assert more == len(model.begins(model.topologies)) - 1 > 50
    if checked:
        rows = checked_rows(Job("id", "check", model), plan.library, find_tools(), tmp_path)
        assert [row.distinct for row in rows_of(RunRow, list(rows))] == [model.pins.distinct]
