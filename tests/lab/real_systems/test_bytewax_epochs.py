"""Bytewax's epochs are cuts; a record lost, doubled, or of a later epoch is found, wherever the fault is seeded."""

from __future__ import annotations

import pickle
import sqlite3
from contextlib import closing
from types import SimpleNamespace

import pytest

from pyharness.base.errors import SpecError
from pyharness.lab.real_systems import bytewax_epochs
from pyharness.lab.real_systems.bytewax_epochs import Recorded, hold_bytewax, plain_value
from tests.long import LONG


def held(flow, tmp_path, crashes=40, kills=0):
    return hold_bytewax(seed=5, crashes=crashes, kills=kills, place=tmp_path, say=lambda _: None, flow=flow)


def differing(found):
    return {rule.name for rule in found.rules if rule.differences}


def test_crashes_in_this_process_leave_consistent_cuts(bytewax, tmp_path):
    found = held(bytewax, tmp_path)
    assert differing(found) == set(), found.text()
    assert found.did["crashes in this process"] >= 40
    assert found.did["cuts"] >= 100
    assert found.exit_code == 3  # no process was killed


@LONG
def test_two_workers_that_are_killed(bytewax, tmp_path, monkeypatch):
    monkeypatch.setattr(bytewax_epochs, "_MANY", 60)
    found = held(bytewax, tmp_path, crashes=1, kills=3)
    assert found.exit_code == 0, found.text()
    assert found.did["kills of two workers"] == 3


def broken_flow(flow, fold=None, snapshot=None):
    """Return the flow with a fault in our adapter: its fold, or the position that its source records."""
    source = flow.Source
    if snapshot:

        class Broken(flow.Source):
            def build_part(self, step_id, for_part, resume_state):
                part = super().build_part(step_id, for_part, resume_state)
                part.snapshot = lambda: snapshot(part.position)
                return part

        source = Broken

    def run_once(place, given, workers=1):
        before = flow._fold
        flow._fold = fold or before
        try:
            return flow.run_once(place, given, workers)
        finally:
            flow._fold = before

    return SimpleNamespace(
        **{**vars(flow), "Source": source, "run_once": run_once},
    )


def loses(state, record):
    return (state or "",) * 2 if record == "a3" else ((f"{state} {record}" if state else record),) * 2


def doubles(state, record):
    new = f"{state} {record}" if state else record
    return (f"{new} {record}" if record == "b2" else new,) * 2


@pytest.mark.parametrize(
    ("fault", "rules"),
    [
        ({"fold": loses}, {"fold", "end"}),
        ({"fold": doubles}, {"fold", "end"}),
        ({"snapshot": lambda position: max(position - 1, 0)}, {"later", "fold"}),
        ({"snapshot": lambda position: position + 1}, {"fold"}),
    ],
    ids=["lost", "doubled", "an earlier position", "a later position"],
)
def test_a_fault_of_our_adapter_is_found(bytewax, tmp_path, fault, rules):
    assert rules <= differing(held(broken_flow(bytewax, **fault), tmp_path, crashes=10))


def test_the_state_of_another_epoch_is_found(bytewax, tmp_path, monkeypatch):
    real = bytewax_epochs.read_recorded

    def shifted(place):
        found = real(place)
        moved = [(e - 1 if isinstance(v, str) else e, k, v) for e, k, v in found.changes]
        return Recorded(found.frontier, moved)

    monkeypatch.setattr(bytewax_epochs, "read_recorded", shifted)
    assert "later" in differing(held(bytewax, tmp_path, crashes=10))


def test_a_known_defect_that_is_gone_is_told(bytewax, tmp_path, monkeypatch):
    from pyharness.lab.real_systems import bytewax_defects

    monkeypatch.setitem(bytewax_defects.DEFECTS, "stale snapshot", (lambda _: "x1 x2", "x1 x2 x2"))
    found = held(bytewax, tmp_path, crashes=1)
    assert differing(found) == {"known defects"}
    assert "stale snapshot: x1 x2, and not x1 x2 x2" in found.text()


def test_a_stale_snapshot_explains_only_what_comes_from_it(bytewax, tmp_path):
    """The same wrong cut is the known defect if a crash left its snapshot in an open epoch, and a difference if not."""
    for left_open, stale in ((frozenset({(1, "1", "a1 a4")}), True), (frozenset(), False)):
        rules = bytewax_epochs._Rules()
        run = bytewax_epochs._Run(rules, bytewax, tmp_path / f"{stale}", 8)
        run.left_open = left_open
        bytewax.prepare(run.place, 1)
        with closing(sqlite3.connect(next(run.place.glob("*.sqlite3")))) as base, base:
            base.execute("insert into exs (ex_num, worker_count, resume_epoch) values (0, 1, 1)")
            base.execute("insert into fronts (ex_num, worker_index, worker_frontier) values (0, 0, 2)")
            for step, key, value in (("s", "a", 1), ("s", "b", 0), ("f", "1", "a1 a4")):
                base.execute(
                    "insert into snaps (step_id, state_key, snap_epoch, ser_change) values (?, ?, 1, ?)",
                    (step, key, pickle.dumps(value, protocol=4)),
                )
        run.judge()
        assert run.stale == stale
        assert bool(rules.later.differences) != stale


@pytest.mark.parametrize("value", [0, 7, 300, 70_000, "", "a1 a4", "x" * 300])
def test_plain_values_are_read_without_unpickling(value):
    assert plain_value(pickle.dumps(value, protocol=4)) == value


class Evil:
    def __reduce__(self):
        return (print, ("run",))


@pytest.mark.parametrize("value", [Evil(), (1, 2), None, [1], {"a": 1}, 1.5, b"x"])
def test_nothing_else_is(value, capsys):
    with pytest.raises(SpecError, match="neither a number nor a text"):
        plain_value(pickle.dumps(value, protocol=4))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "data", [b"", b"\x80", b"\x80\x04K", b"no pickle", b"\x80\x04\x8c\xffshort", b"\x80\x04K\x01"]
)
def test_what_is_no_pickle_is_refused(data):
    with pytest.raises(SpecError):
        plain_value(data)
