"""Walks are kept by all that they depend on: what is the same is taken over, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.topology import Topology
from pyharness.machines.replay import wander as module
from pyharness.machines.replay.wander import Wander
from pyharness.models.model import Model

GRAPH = Topology.of(3, [(1, 3), (2, 3)], [1, 2])
OTHER = Topology.of(2, [(1, 2)], [1])
MODEL = Model("walks", "Checkpoints", (GRAPH,), application="Dataflow", wander=Wander(9))
CHANGES = {
    "spec": "UnalignedBarriers",
    "constants": {"Records": 1},
    "wander": Wander(9, seed=2),
    "stop": "",
    "granularity": "action",
}


@pytest.fixture
def walks(tmp_path, monkeypatch):
    """The place where walks are kept, and how many were walked."""
    made, wandered = [], module.wandered
    monkeypatch.setattr(module, "own_cache", lambda: tmp_path)
    monkeypatch.setattr(module, "wandered", lambda *a, **k: made.append(a) or wandered(*a, **k))
    return tmp_path / "walks", made


def test_the_same_walk_is_taken_over(walks):
    _, made = walks
    first = MODEL.begins((GRAPH,))
    assert len(first) == 9
    assert MODEL.begins((GRAPH,)) == first
    assert len(made) == 1


@pytest.mark.parametrize("field", CHANGES)
def test_a_walk_of_anything_else_is_another_one(walks, field):
    _, made = walks
    MODEL.begins((GRAPH,))
    changed = replace(MODEL, **{field: CHANGES[field]})
    assert changed.begins((GRAPH,)) == changed.begins((GRAPH,))
    assert len(made) == 2


def test_so_is_one_on_another_graph_and_one_of_other_code(walks, monkeypatch):
    _, made = walks
    MODEL.begins((GRAPH,))
    MODEL.begins((OTHER,))
    monkeypatch.setattr(module, "_code", lambda: "other")
    MODEL.begins((GRAPH,))
    assert len(made) == 3


def test_a_walk_that_somebody_else_wrote_is_not_believed(walks):
    place, made = walks
    right = MODEL.begins((GRAPH,))
    (kept,) = place.iterdir()
    seal, _, text = kept.read_text(encoding="utf-8").partition("\n")
    kept.write_text(f"{seal}\n{text.replace('1', '2')}", encoding="utf-8")
    assert MODEL.begins((GRAPH,)) == right
    assert len(made) == 2
