"""What an earlier run left is taken over if this user's key made it: no file that came with a repository is."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain import seal as seals
from pyharness.base.toolchain.kept_texts import KeptTexts
from pyharness.base.toolchain.seal import VARIABLE, is_sealed, seal
from pyharness.gate.jobs.job_store import FORMAT, NOT_OURS, leave_rows, left_rows
from pyharness.models.table_rows import TABLES, rows_version
from pyharness.tla.modules import sany
from pyharness.tla.modules.library import Library
from tests.table_rows import made

STARTER = Path(__file__).parents[2] / "pyharness" / "cli" / "starter" / "snapshots.yml"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A user whose key is not there yet."""
    monkeypatch.delenv(VARIABLE, raising=False)
    return become(tmp_path / "me", monkeypatch)


def become(home, monkeypatch):
    """Be a user with another home, or in another run."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    seals._kept.cache_clear()
    return home


def rows():
    """A row of a job that came to its end."""
    return (made(TABLES["traces"], {"kind": "simulation"}),)


def test_rows_of_another_user_are_not_believed(tmp_path, monkeypatch, home):
    path = tmp_path / "0123.json"
    leave_rows(path, rows())
    assert left_rows(path).finished
    become(tmp_path / "somebody", monkeypatch)
    assert left_rows(path).problem == NOT_OURS
    become(home, monkeypatch)
    assert left_rows(path).finished


def test_rows_with_a_checksum_that_anybody_can_compute_are_not_believed(tmp_path):
    content = {"format": FORMAT, "job": "0123", "columns": rows_version(), "finished": True, "rows": []}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    for told in ({"sha256": digest}, {"sha256": None}, {"sha256": 1}, {"sha256": ""}, {}):
        (tmp_path / "0123.json").write_text(json.dumps({**told, **content}))
        assert left_rows(tmp_path / "0123.json").problem == NOT_OURS


def test_rows_are_not_believed_under_another_job_s_name(tmp_path):
    leave_rows(tmp_path / "0123.json", rows())
    (tmp_path / "0123.json").rename(tmp_path / "4567.json")
    assert left_rows(tmp_path / "4567.json").rows == ()


def test_a_kept_script_of_somebody_else_is_in_no_page(tmp_path):
    """Its name and its digest can be computed by everyone who knows its name."""
    name = hashlib.sha256(json.dumps(("a library", "1")).encode()).hexdigest()[:32]
    parts = KeptTexts(tmp_path, "part")
    others = seal("other", name, "evil()"), seal("part", "other", "evil()"), seal("part", name, "other")
    for digest in (hashlib.sha256(b"evil()").hexdigest(), *others, ""):
        (tmp_path / name).write_text(f"{digest}\nevil()")
        assert parts.text(("a library", "1"), lambda: "ours()") == "ours()"
    assert parts.text(("a library", "1"), lambda: "made again") == "ours()"


def test_what_was_read_of_a_module_is_not_believed_when_it_was_written_by_somebody_else(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(sany, "quick_start", lambda *_: ())  # this user has no archive of Java's classes yet
    (tmp_path / "One.tla").write_text("---- MODULE One ----\nA == 1\n====\n", encoding="utf-8")
    assert Library(tmp_path).module("One").definitions["A"].text == "A() == 1"
    (kept,) = (tmp_path / "me" / "pyharness" / "modules").iterdir()
    own = kept.read_text(encoding="utf-8")
    kept.write_text(
        own.replace('"Literal": ["1"]', '"Literal": ["2"]').replace('["1"]', '["2"]'), encoding="utf-8"
    )
    assert kept.read_text(encoding="utf-8") != own
    assert Library(tmp_path).module("One").definitions["A"].text == "A() == 1"
    for text in ("", "[]", "{}\n{}", own.partition("\n")[2]):
        kept.write_text(text, encoding="utf-8")
        assert Library(tmp_path).module("One").definitions["A"].text == "A() == 1"


READ_AGAIN = """
import os, sys
from contextlib import suppress
from pathlib import Path
from pyharness.base.errors import SpecError
from pyharness.mutants.trial import read_survivors
from pyharness.base.toolchain.kept_texts import KeptTexts

pipe, name = Path("pipe"), "0" * 32
os.mkfifo(pipe)
Path(name).symlink_to(pipe)
assert KeptTexts(Path(), "part").find(name) is None
try:
    read_survivors(pipe, "code")
except SpecError:
    print("read")
"""


def test_what_an_earlier_run_seems_to_have_left_keeps_no_reader_waiting(tmp_path):
    """A link at its place may lead to a device or a pipe."""
    run = [sys.executable, "-P", "-c", READ_AGAIN]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100)
    assert (done.returncode, done.stdout) == (0, "read\n"), done.stderr


def test_the_key_is_the_user_s_alone(home):
    seal("kind", "text")
    key = home / "pyharness" / "key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert len(key.read_bytes()) == 32
    assert [path.name for path in key.parent.iterdir()] == ["key"]


@pytest.mark.parametrize("spoil", ["others may read it", "a link", "cut off", "a directory"])
def test_a_key_that_others_may_know_is_not_used(tmp_path, home, monkeypatch, spoil):
    seal("kind", "text")
    key = home / "pyharness" / "key"
    before = key.read_bytes()
    if spoil == "others may read it":
        key.chmod(0o644)
    elif spoil == "cut off":
        key.write_bytes(before[:5])
    else:
        key.unlink()
        (tmp_path / "known").write_bytes(before)
        key.symlink_to(tmp_path / "known") if spoil == "a link" else key.mkdir()
    seals._kept.cache_clear()
    first = seal("kind", "text")
    assert is_sealed(first, "kind", "text"), "within this process"
    seals._kept.cache_clear()
    assert not is_sealed(first, "kind", "text")


def test_who_has_no_home_takes_nothing_over(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME")
    seals._kept.cache_clear()
    leave_rows(tmp_path / "0123.json", rows())
    assert left_rows(tmp_path / "0123.json").finished
    seals._kept.cache_clear()
    assert left_rows(tmp_path / "0123.json").problem == NOT_OURS


def test_machines_with_a_common_key_believe_each_other(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "a key that two machines have")
    leave_rows(tmp_path / "0123.json", rows())
    become(tmp_path / "another machine", monkeypatch)
    assert left_rows(tmp_path / "0123.json").finished
    monkeypatch.setenv(VARIABLE, "another key of the same form")
    assert not left_rows(tmp_path / "0123.json").finished
    monkeypatch.setenv(VARIABLE, "short")
    with pytest.raises(SpecError, match="at least 16 characters"):
        seal("kind", "text")


def test_processes_that_begin_at_once_have_one_key(home):
    code = "from pyharness.base.toolchain.seal import seal; print(seal('kind', 'text'))"
    command = [sys.executable, "-P", "-c", code]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, env=dict(os.environ)) for _ in range(4)]
    assert len({run.communicate()[0] for run in runs}) == 1


def test_texts_are_not_sealed_by_their_sum():
    assert len({seal("a", "bc"), seal("ab", "c"), seal("a", "b", "c"), seal("a", "b:c"), seal("a", "")}) == 5


def test_the_starter_s_workflow_takes_nothing_over():
    (gate,) = [line for line in STARTER.read_text().splitlines() if "run: pyharness check --ci" in line]
    assert "pyharness check --ci --fresh" in gate
