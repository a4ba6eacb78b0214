"""Snapshots as files: what is damaged, cut off, foreign or impossible is refused with its reason."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections import Counter

import pytest
from click.testing import CliRunner

from pyharness.base.errors import ConformanceError, IncompleteError, SpecError
from pyharness.cli.main import cli
from pyharness.cli.run_command import run
from pyharness.cli.snapshots_command import snapshots
from pyharness.lab.runtime import stored_snapshots
from pyharness.lab.runtime.dataflow_vertex import MOST_OFFSET, DataflowVertex, word_of
from pyharness.lab.runtime.stored_snapshots import StoredSnapshot, newest_snapshot, snapshot_files
from pyharness.lab.runtime.system_run import RunSetting, run_of, run_system
from pyharness.lab.runtime.vertex import Start


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    place = tmp_path_factory.mktemp("run")
    run_system(RunSetting("1>2,2>1@1,2", seconds=0.4, every=20), place)
    return place


@pytest.fixture
def directory(whole_run, tmp_path):
    shutil.copytree(whole_run, tmp_path / "run")
    return tmp_path / "run"


def asked(*arguments):
    came = CliRunner().invoke(snapshots, [str(argument) for argument in arguments], standalone_mode=False)
    return came.return_value if came.exception is None else came.exception, came.output


def rewritten(path, change):
    """Change what a snapshot says, and make its first line right again."""
    document = json.loads(path.read_bytes().partition(b"\n")[2])
    change(document)
    body = json.dumps(document).encode()
    path.write_bytes(
        f"pyharness-snapshot/1 sha256:{hashlib.sha256(body).hexdigest()} {len(body)}\n".encode() + body
    )


def test_snapshots_are_listed_shown_and_verified(directory):
    files = snapshot_files(directory)
    assert files
    assert [line.split()[0] for line in asked("list", directory)[1].splitlines()] == [p.name for p in files]
    shown = json.loads(asked("show", directory)[1])
    assert shown["file"] == str(files[-1])
    code, said = asked("verify", directory)
    assert (code, said.count(": conserved")) == (0, len(files))


def test_what_a_killed_parent_left_is_not_listed(directory):
    (directory / "snapshots" / ".0123.draft").write_bytes(b"pyharness-snap")
    assert len(snapshot_files(directory)) == len(list((directory / "snapshots").iterdir())) - 1


def test_no_snapshot_is_no_pass(directory):
    for path in snapshot_files(directory):
        path.unlink()
    assert isinstance(asked("verify", directory)[0], IncompleteError)
    with pytest.raises(IncompleteError, match="no snapshot"):
        newest_snapshot(directory)


def _cut(path):
    path.write_bytes(path.read_bytes()[:-20])


def _flip(path):
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(bytes(data))


def _said(**values):
    return lambda path: rewritten(path, lambda document: document.update(values))


DAMAGE = {
    "cut off": _cut,
    "damaged: the digest": _flip,
    "names no format": lambda path: path.write_bytes(b""),
    "no snapshot: its first": lambda path: path.write_bytes(b"{}\n"),
    "of format pyharness-snapshot/9": lambda path: path.write_bytes(
        path.read_bytes().replace(b"snapshot/1", b"snapshot/9", 1)
    ),
    "of another run": _said(run="0" * 32),
    "not a part of each": _said(parts=[]),
    "data.window": _said(window=-1),
    "not written as a whole number": _said(window=4.0),
    "has other inputs": _said(
        topology="1>2,2>1,1>3,3>1@1",
        parts=[{"process": p, "state": 0, "owed": 0, "chans": []} for p in (1, 2, 3)],
    ),
    "none of this protocol": _said(
        protocol="AlignedBarriers",
        topology="1>2@1",
        parts=[
            {"process": 1, "state": 0, "owed": 0, "chans": []},
            {"process": 2, "state": 0, "owed": 0, "chans": [[[1, 2], []]]},
        ],
    ),
    "is no graph": _said(topology="1>"),
}


@pytest.mark.parametrize("reason", DAMAGE)
def test_a_snapshot_that_is_none_is_refused_with_its_reason(reason, directory):
    before, path = snapshot_files(directory)[-2:]
    DAMAGE[reason](path)
    with pytest.raises(SpecError, match=reason if "data." not in reason else "window"):
        StoredSnapshot.read(path, run_of(directory))
    code, said = asked("verify", directory)
    assert (code, said.count("refused")) == (2, 1)
    assert newest_snapshot(directory, run_of(directory)) == before
    came = CliRunner().invoke(run, ["--restore", str(path)])
    assert isinstance(came.exception, SpecError)
    assert not (directory / "logs" / "2").exists()


@pytest.mark.parametrize("change", [{"state": 1}, {"owed": 99}])
def test_a_snapshot_that_conserves_nothing_is_no_pass(change, directory):
    path = snapshot_files(directory)[-1]
    rewritten(path, lambda document: document["parts"][0].update(change))
    with pytest.raises(ConformanceError, match="none that could have occurred"):
        StoredSnapshot.read(path).require_law("")
    assert asked("verify", directory)[0] == 1
    assert asked("verify", path)[0] == 1
    came = CliRunner().invoke(run, ["--restore", str(path)])
    assert isinstance(came.exception, ConformanceError)
    assert not (directory / "logs" / "2").exists()


def test_a_snapshot_is_written_only_if_it_can_be_read(directory, monkeypatch, tmp_path):
    """Its size is bounded where it is read: one that is larger is refused where it is made, and the run says so."""
    path = snapshot_files(directory)[-1]
    found = StoredSnapshot.read(path)
    monkeypatch.setattr(stored_snapshots, "_MOST_VALUES", 3)
    for way in (lambda: StoredSnapshot.read(path), lambda: found.write(tmp_path)):
        with pytest.raises(SpecError, match="more than 3 values"):
            way()
    with pytest.raises(SpecError, match="more than 3 values"):
        run_system(RunSetting("1>2,2>1@1,2", seconds=0.4, every=20), tmp_path / "other")


def test_a_source_emits_no_more_than_a_snapshot_holds(monkeypatch, tmp_path):
    vertex = DataflowVertex(Start(1, "pipeline:2", "AlignedBarriers", 1, 1000))
    vertex.offset = MOST_OFFSET - 1
    assert vertex.turn()
    assert vertex.offset == MOST_OFFSET
    assert not vertex.turn()


def test_the_words_of_a_source_are_counted_once():
    """In blocks, which are kept: a later snapshot counts what is new."""
    by_hand = Counter(word_of(3, 1, number) for number in range(1, 25_001))
    assert stored_snapshots._emitted(3, 1, 25_000) == by_hand
    began = time.process_time()
    for _ in range(50):
        assert stored_snapshots._emitted(3, 1, 25_000) == by_hand
    assert stored_snapshots._emitted_in.cache_info().misses <= 3
    assert time.process_time() - began < 10


@pytest.mark.parametrize("change", [lambda text: text[:9], lambda text: text.replace("1", "2", 1)])
def test_what_was_written_is_what_the_snapshot_knows_of(change, tmp_path):
    """After a restore from an older snapshot it may be another."""
    run_system(RunSetting("pipeline:2", "AlignedBarriers", seconds=0.3, every=20), tmp_path)
    output = tmp_path / "output" / "2.jsonl"
    output.write_text(change(output.read_text()))
    with pytest.raises(SpecError, match="the snapshot knows of"):
        run_system(
            RunSetting("pipeline:2", "AlignedBarriers"),
            tmp_path,
            StoredSnapshot.read(newest_snapshot(tmp_path)),
        )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--out"),
        (("--restore", "x", "--topology", "ring:3"), "as it was"),
        (("--restore", "x", "--out", "y"), "as it was"),
    ],
)
def test_options_that_do_not_go_together(arguments, said):
    came = CliRunner().invoke(run, arguments)
    assert came.exit_code == 2
    assert said in came.output


def test_a_snapshot_that_is_not_there_or_not_in_its_run_is_named(directory, tmp_path):
    gone = directory / "snapshots" / "nope.json"
    taken = shutil.copy(snapshot_files(directory)[-1], tmp_path / "taken.json")
    for path, where in ((tmp_path / "nope.json",) * 2, (gone, gone), (taken, tmp_path.parent)):
        came = CliRunner().invoke(run, ["--restore", str(path)])
        assert (came.exception.where, came.exception.exit_code) == (str(where), 2)
    assert "run.json" in asked("show", taken)[0].message


def test_the_cut_of_a_stored_snapshot_is_a_page(tmp_path):
    runner = CliRunner()
    assert runner.invoke(cli, ["run", "--seconds", "0.5", "--out", str(tmp_path / "run")]).exit_code == 0
    page = tmp_path / "cut.html"
    result = runner.invoke(cli, ["run", "snapshots", "show", str(tmp_path / "run"), "--html", str(page)])
    assert result.exit_code == 0, result.output
    assert "snapshot line" in page.read_text(encoding="utf-8")
    assert json.loads(result.stdout)["id"] in page.read_text(encoding="utf-8")
