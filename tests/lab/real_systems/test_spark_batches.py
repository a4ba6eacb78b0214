"""Spark's batches are judged by what is on disk; each fault seeded there, or in what was read of it, is found."""

from __future__ import annotations

import copy
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.gate.jobs.spark_session import spark_session
from pyharness.lab.real_systems import spark_batches
from pyharness.lab.real_systems.spark_batches import Crash, hold_spark_batches, judge, read_workload

KILLS = 3


def fold(*ids):
    return spark_batches._fold(ids)


@pytest.fixture
def sound():
    """Two batches of two files, of which the first was sent twice: a crash came between that and its commit."""
    files = {"0": (0, 1, 2, 3), "1": (8, 9, 16, 17)}
    batches = {0: ("0",), 1: ("1",)}
    states = {0: fold(0, 1, 2, 3), 1: fold(0, 1, 2, 3, 8, 9, 16, 17)}
    second = {key: states[1][key] for key in (0, 1)}
    return spark_batches.Workload(
        name="w",
        files=files,
        counts=batches,
        copies=dict(batches),
        states=states,
        sent=[(0, states[0]), (0, states[0]), (1, second)],
        sink={0: files["0"], 1: files["1"]},
        kept=tuple(sorted(files["0"] + files["1"])),
        strays=0,
        crashes=[Crash({0: ("0",)}, frozenset())],
    )


def differing(*workloads):
    found = judge(workloads, 1, 1)
    return {rule.name for rule in found.rules if rule.differences}


def test_what_is_sound_passes(sound):
    found = judge([sound], 1, 1)
    assert found.exit_code == 0, found.text()
    assert found.did == {"workloads": 1, "kills": 1, "kills within a batch": 1, "cuts": 2}
    assert next(iter(found.seen.values())) == 1


def test_without_a_crash_it_is_incomplete(sound):
    assert judge([replace(sound, crashes=[])], 1, 0).exit_code == 3
    assert judge([], 1, 0).exit_code == 3


LATER = fold(0, 1, 2, 3, 8)
FAULTS = {
    "a record lost from a state": ({"states": {0: fold(0, 1, 2), 1: fold(0, 1, 2, 8, 9, 16, 17)}}, "cut"),
    "a record twice in a state": (
        {"states": {0: fold(0, 0, 1, 2, 3), 1: fold(0, 1, 2, 3, 8, 9, 16, 17)}},
        "cut",
    ),
    "the state of another batch": (
        {"states": {0: fold(0, 1, 2, 3, 8, 9, 16, 17), 1: fold(0, 1, 2, 3)}},
        "cut",
    ),
    "one for another record of the key": (
        {"states": {0: fold(8, 1, 2, 3), 1: fold(0, 1, 2, 3, 8, 9, 16, 17)}},
        "cut",
    ),
    "a batch that reads otherwise after a crash": ({"crashes": [Crash({0: ("1",)}, frozenset())]}, "plan"),
    "a planned batch that is gone": ({"crashes": [Crash({2: ("1",)}, frozenset())]}, "plan"),
    "a committed batch that is gone": ({"crashes": [Crash({0: ("0",)}, frozenset({5}))]}, "all"),
    "a file read twice": ({"counts": {0: ("0",), 1: ("0", "1")}}, "all"),
    "a file never read": ({"copies": {0: ("0",), 1: ()}}, "all"),
    "a batch never sent": ({"sent": [(0, fold(0, 1, 2, 3))]}, "foreachBatch"),
    "a batch sent otherwise": ({"sent": [(0, LATER), (1, {0: (3, 73), 1: (3, 73)})]}, "foreachBatch"),
    "a record lost from the sink": ({"kept": (0, 1, 2, 3, 8, 9, 16)}, "file sink"),
    "a record twice in the sink": ({"kept": (0, 0, 1, 2, 3, 8, 9, 16, 17)}, "file sink"),
    "a record of a later batch in the sink": ({"sink": {0: (0, 1, 2, 3, 8), 1: (9, 16, 17)}}, "file sink"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_by_its_rule(sound, fault):
    change, rule = FAULTS[fault]
    assert rule in differing(replace(sound, **change))


def test_a_difference_names_the_record(sound):
    found = judge([replace(sound, states={**sound.states, 0: fold(0, 0, 1, 2)})], 1, 1)
    assert "records 0 x2, 1, 2 in 4, and not records 0, 1, 2, 3 in 4" in found.rules[0].shown[0]


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("PYHARNESS_SYSTEMS") != "required", reason="`make systems-quick` runs it")
def test_a_killed_spark_passes_and_what_is_broken_on_disk_is_found(tmp_path, monkeypatch):
    """A handful of real kills; then an input file loses a record, has one twice, and a state is another batch's.

    Each query begins as after a kill during the write of its first plan, whose file has its entry already.
    """
    monkeypatch.setattr(spark_batches, "_FILES", 24)
    for query in ("counts", "copies"):
        checkpoint = tmp_path / "workload-0" / query
        unfinished = checkpoint / "offsets" / ".0.unfinished.tmp"
        unfinished.parent.mkdir(parents=True)
        unfinished.touch()
        entries = checkpoint / "sources" / "0" / "0"
        entries.parent.mkdir(parents=True)
        first = (tmp_path / "workload-0" / "input" / "0000.json").as_uri()
        entry = json.dumps({"path": first, "timestamp": 1_000_000_000_000, "batchId": 0})
        entries.write_text(f"v1\n{entry}", encoding="utf-8")
    found = hold_spark_batches(seed=3, kills=KILLS, place=tmp_path, say=lambda _: None)
    assert found.exit_code == 0, found.text()
    assert found.did["kills"] == KILLS
    with spark_session("local[2,4]") as spark:
        for change, rule in (
            (lose, "cut"),
            (double, "cut"),
            (take_the_next_state, "cut"),
            (lose_copy, "file sink"),
        ):
            broken = tmp_path / change.__name__
            shutil.copytree(tmp_path / "workload-0", broken)
            change(broken)
            load = read_workload(spark, broken)
            assert rule in differing(load), change.__name__


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


def lose(place):
    path = place / "input" / "0003.json"
    path.write_text("".join(lines_of(path)[1:]), encoding="utf-8")


def double(place):
    path = place / "input" / "0003.json"
    path.write_text("".join([*lines_of(path)[:1], *lines_of(path)]), encoding="utf-8")


def take_the_next_state(place):
    """Have the plan of batch 1 name what batches 1 and 2 read.

    A kill between the write of a file's entry and of its batch's plan lets that batch read two entries: the offset of
    a batch may be above its number.
    """
    first, second = (place / "counts" / "offsets" / name for name in "12")
    assert lines_of(first)[-1] != lines_of(second)[-1]
    first.write_text("".join([*lines_of(first)[:-1], lines_of(second)[-1]]), encoding="utf-8")
    (first.parent / ".1.crc").unlink(missing_ok=True)


def lose_copy(place):
    """Lose a line of a file that the sink's log names; a kill can leave files that it does not."""
    logs = sorted((place / "sink" / "_spark_metadata").glob("[0-9]*"))
    names = [Path(entry["path"]).name for log in logs for entry in spark_batches._log(log)]
    path = next(path for path in (place / "sink" / name for name in names) if lines_of(path))
    path.write_text("".join(lines_of(path)[1:]), encoding="utf-8")
    (path.parent / f".{path.name}.crc").unlink(missing_ok=True)


def test_the_sound_one_is_not_changed_by_judging(sound):
    before = copy.deepcopy(sound)
    judge([sound], 1, 1)
    assert sound == before
