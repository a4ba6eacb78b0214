"""How many tasks run here at the same time: as the machine and its limits allow."""

from __future__ import annotations

import os

import pytest

from pyharness.base.toolchain import machine_size
from pyharness.base.toolchain.machine_size import tasks_at_once
from pyharness.gate.jobs.spark_session import is_local, local_master

GIB = 1024**3


@pytest.mark.parametrize(
    ("cores", "gib", "tasks"),
    [(1, 24, 2), (2, 24, 3), (4, 24, 5), (8, 24, 8), (8, 64, 9), (64, 512, 16), (4, 8, 2), (4, 1, 2)],
)
def test_one_more_than_there_are_cores_where_they_fit_into_memory(monkeypatch, cores, gib, tasks):
    monkeypatch.setattr(machine_size, "cores", lambda _: cores)
    monkeypatch.setattr(machine_size, "memory", lambda _: gib * GIB)
    assert tasks_at_once() == tasks


def test_a_containers_limits_count(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(32)), raising=False)
    (tmp_path / "cpu.max").write_text("300000 100000\n")
    assert tasks_at_once(tmp_path) == 4
    (tmp_path / "memory.max").write_text(f"{7 * GIB}\n")
    assert tasks_at_once(tmp_path) == 2


def test_memory_that_nobody_tells_bounds_nothing(monkeypatch):
    monkeypatch.setattr(machine_size, "cores", lambda _: 3)
    monkeypatch.setattr(machine_size, "memory", lambda _: None)
    assert tasks_at_once() == 4


def test_a_session_here_has_so_many_and_tries_again(monkeypatch):
    monkeypatch.setattr("pyharness.gate.jobs.spark_session.tasks_at_once", lambda: 7)
    assert local_master() == "local[7,4]"
    assert is_local(local_master())
