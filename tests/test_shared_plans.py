"""A shipped plan is shared as long as nothing has changed that it comes from, and only where tests ask for it."""

from __future__ import annotations

import pytest

from tests import shared_plans
from tests.shared_plans import SharedPlans


@pytest.fixture
def shared(tmp_path, monkeypatch):
    """Shared plans of a directory of specs of the test's own; what is read is the text of the plan."""
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "quick.toml").write_text("a plan", encoding="utf-8")
    (tmp_path / "Spec.tla").write_text("a spec", encoding="utf-8")
    monkeypatch.setattr(shared_plans, "SPECS", tmp_path)
    monkeypatch.setattr(shared_plans, "_READ", lambda path, _: [path.read_text(encoding="utf-8")])
    return SharedPlans()


def test_it_is_read_once_where_it_is_shared_and_each_time_elsewhere(shared, tmp_path):
    path = tmp_path / "plans" / "quick.toml"
    assert shared(path, tmp_path) is not shared(path, tmp_path)
    with shared.everywhere():
        assert shared(path, tmp_path) is shared(path, tmp_path)
    assert shared.read == 1
    assert shared(path, tmp_path) is not shared(path, tmp_path)


@pytest.mark.parametrize("changed", ["plans/quick.toml", "Spec.tla", "plans/New.tla", "own/Own.tla"])
def test_whatever_it_comes_from_makes_it_read_again(shared, tmp_path, changed):
    path, own = tmp_path / "plans" / "quick.toml", tmp_path / "own"
    own.mkdir()
    with shared.everywhere():
        before = shared(path, own)
        (tmp_path / changed).write_text("another text", encoding="utf-8")
        assert shared(path, own) is not before
        assert shared(path, tmp_path) is not shared(path, own), "nor with other specs"


def test_a_plan_that_is_not_shipped_is_read_each_time(shared, tmp_path_factory):
    path = tmp_path_factory.mktemp("elsewhere") / "own.toml"
    path.write_text("a plan", encoding="utf-8")
    with shared.everywhere():
        assert shared(path, path.parent) is not shared(path, path.parent)
