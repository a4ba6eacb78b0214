"""Nothing outside the place for results is written or removed, and there nothing that the tool did not make."""

from __future__ import annotations

import ast
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

import pyharness
import pyharness.cli.gate_command
from pyharness.base.errors import SpecError
from pyharness.base.toolchain.kept_texts import KeptTexts
from pyharness.base.toolchain.own_files import (
    LOCK,
    locked,
    named_place,
    own_directory,
    own_place,
    remove,
    write_bytes,
    write_named,
)
from pyharness.cli.main import cli
from pyharness.cli.plan_run import unfinished
from pyharness.gate.jobs.job_store import leave_rows
from tests.gate.gate.gate_reports import run, violation

TRACE = Path(__file__).parents[2] / "traces" / "LateTurn.itf.json"


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A clone that holds what its author committed, and beside it what is none of its business."""
    clone, victim = tmp_path / "clone", tmp_path / "victim"
    (clone / "build" / "quick").mkdir(parents=True)
    victim.mkdir()
    for name in ("id_rsa", "notes.txt", "page.html", "a.itf.json", "0" * 32, "index.html", "junit.xml"):
        (victim / name).write_text("mine")
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    monkeypatch.chdir(clone)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "")
    return clone


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """Run the gate on a run that never was, whose report is red."""
    began = []

    def fake(_plan, **_options):
        began.append(True)
        return run(tmp_path, algorithm=violation("NoRedInWhite"))

    monkeypatch.setattr(pyharness.cli.gate_command, "run_chosen", fake)

    def call(*args):
        del began[:]
        return CliRunner().invoke(cli, ["check", "--ci", "quick", *map(str, args)]), bool(began)

    return call


def contents(directory):
    return {path.name: path.read_text() for path in directory.iterdir()}


@pytest.mark.parametrize(
    "link",
    ["build", "build/quick", "build/quick/report", "build/quick/report-parts", "build/quick/failures",
     "build/quick/jobs", "build/quick/history", "build/quick/tables", "build/quick/report/traces",
     "build/quick/tables/runs"],
)  # fmt: skip
@pytest.mark.parametrize("named", [(), ("--out", "build/quick"), ("--out", "../clone/build/quick")], ids=str)
def test_a_committed_link_to_a_directory_is_refused_before_the_run(clone, gate, link, named):
    victim, path = clone.parent / "victim", clone / link
    before = contents(victim)
    if path.is_dir():
        subprocess.run(["rm", "-r", str(path)], check=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    (clone / "build" / "quick").mkdir(parents=True, exist_ok=True) if link.count("/") > 1 else None
    path.symlink_to(victim)
    result, began = gate(*named)
    assert result.exit_code == 2
    assert "this is a link" in result.stderr
    assert not began
    assert contents(victim) == before


@pytest.mark.parametrize(
    "name",
    [
        LOCK,
        "named.json",
        "junit.xml",
        "summary.md",
        "jobs/0123.json",
        ".written-by-pyharness",
    ],
)
def test_a_committed_link_to_a_file_is_refused_before_the_run(clone, gate, name):
    victim, path = clone.parent / "victim" / "id_rsa", clone / "build" / "quick" / name
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(victim)
    result, began = gate()
    assert (result.exit_code, began) == (2, False)
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("what", ["directory", "logical name", "absolute"])
def test_a_link_is_seen_however_it_is_named(clone, what):
    (clone / "build" / "linked").symlink_to(clone.parent / "victim")
    (clone.parent / "alias").symlink_to(clone)
    (clone / "below").mkdir()
    named = {
        "directory": Path("below/../build/linked"),
        "logical name": clone.parent / "alias" / "build" / "linked",
        "absolute": clone / "build" / "linked" / "deeper",
    }
    with pytest.raises(SpecError, match="this is a link"):
        own_place(named[what])


def test_a_link_of_the_user_s_own_elsewhere_is_followed(clone, gate):
    """Who types it knows where it leads."""
    (clone.parent / "large disk").mkdir()
    (clone.parent / "mine").symlink_to("large disk")
    result, began = gate("--out", clone.parent / "mine" / "new")
    assert (result.exit_code, began) == (1, True), result.output
    assert (clone.parent / "large disk" / "new" / "junit.xml").is_file()


def test_a_link_that_is_put_there_during_the_run_is_not_followed(clone):
    """What is written replaces a link, and a directory is looked at again."""
    victim, out = clone.parent / "victim", clone / "build" / "quick"
    (out / "file").symlink_to(victim / "id_rsa")
    write_bytes(out / "file", b"ours")
    assert not (out / "file").is_symlink()
    (out / "jobs").symlink_to(victim)
    for write in (
        lambda: leave_rows(out / "jobs" / "notes.json", ()),
        lambda: write_bytes(out / "jobs" / "notes.txt", b"ours"),
        lambda: remove(out / "jobs" / "notes.txt"),
    ):
        with pytest.raises(SpecError, match="this is a link"):
            write()
    (out / "report-parts").symlink_to(victim)
    with pytest.raises(SpecError, match="this is a link"):
        KeptTexts(out / "report-parts", "part").forget_unused()
    assert set(contents(victim).values()) == {"mine"}
    assert "notes.txt" in contents(victim)


@pytest.mark.parametrize(
    "name",
    ["report/index.html", "failures/notes.txt", "summary.md", "junit.xml", "report-parts/x", "jobs/notes.json",
     "tables/own.csv"],
)  # fmt: skip
def test_a_directory_with_files_of_the_user_s_own_is_refused_before_the_run(clone, gate, name):
    mine = clone / "docs" / name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    result, began = gate("--out", "docs")
    assert (result.exit_code, began) == (2, False)
    assert mine.parts[len(clone.parts) + 1] in result.stderr
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("name", ["notes.txt", "mine.html", "mine.itf.json"])
def test_what_the_user_puts_beside_our_files_survives(clone, gate, name):
    gate()
    failures = clone / "build" / "quick" / "failures"
    (mine := failures / name).write_text("mine")
    ours = {path.name for path in failures.iterdir()} - {name}
    assert ours
    with locked(clone / "build" / "quick"):
        pyharness.cli.gate_command._clear(Path("build/quick"))
    assert [path.name for path in failures.iterdir()] == [name]
    gate()
    assert mine.read_text() == "mine"
    assert {path.name for path in failures.iterdir()} == ours | {name}


@pytest.mark.parametrize("name", ["my-own.txt", "traces/notes.txt", "deep/er/notes.txt"])
def test_what_the_user_puts_into_a_report_is_not_replaced_with_it(clone, name):
    report, now = clone / "build" / "quick" / "report", datetime.now(UTC)
    with unfinished("quick", now, report):
        pass
    with unfinished("quick", now, report):
        pass
    mine = report / name
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("mine")
    with pytest.raises(SpecError, match=name), unfinished("quick", now, report):
        raise AssertionError("the run began")
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("name", ["notes.txt", "index.html", "mine.html", "deep/notes.txt"])
def test_traces_replace_no_file_that_they_did_not_make(clone, name):
    out = clone / "mine"
    (out / name).parent.mkdir(parents=True)
    (out / name).write_text("mine")
    (out / "LateTurn.itf.json").write_bytes(TRACE.read_bytes())
    result = CliRunner().invoke(cli, ["plan", "traces", "--out", "mine"])
    assert result.exit_code == 2
    assert "would be replaced" in result.stderr
    assert (out / name).read_text() == "mine"


def test_what_is_put_beside_traces_during_their_run_survives(clone, monkeypatch):
    out = clone / "mine"

    def regenerate(fresh, *_):
        (fresh / "New.itf.json").write_bytes(TRACE.read_bytes())
        (fresh / "New.txt").write_text("new")
        (out / "LateTurn.txt").write_text("LateTurn")

    out.mkdir()
    (out / "LateTurn.itf.json").write_bytes(TRACE.read_bytes())
    monkeypatch.setattr("pyharness.cli.traces_command._regenerate", regenerate)
    result = CliRunner().invoke(cli, ["plan", "traces", "--out", "mine"])
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in out.iterdir()) == [
        "New.itf.json",
        "New.txt",
    ]

    def meanwhile(fresh, *_):
        regenerate(fresh)
        (out / "notes.txt").write_text("mine")

    monkeypatch.setattr("pyharness.cli.traces_command._regenerate", meanwhile)
    assert CliRunner().invoke(cli, ["plan", "traces", "--out", "mine"]).exit_code == 2
    assert (out / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("link", ["specs", "specs/plans", ".github/workflows", ".github"])
def test_the_starter_is_written_through_no_link(clone, link):
    before = contents(clone.parent / "victim")
    (clone / link).parent.mkdir(exist_ok=True)
    (clone / link).symlink_to(clone.parent / "victim")
    result = CliRunner().invoke(cli, ["init", "."])
    assert result.exit_code == 2
    assert contents(clone.parent / "victim") == before
    assert [path.name for path in clone.rglob("*.tla")] == []


@pytest.mark.parametrize("command", ["export", "reorder", "model"])
def test_a_file_that_is_named_is_not_written_through_a_committed_link(clone, command):
    victim = clone.parent / "victim"
    (clone / "out").symlink_to(victim / "id_rsa" if command != "model" else victim)
    words = {
        "export": ["trace", "export", str(TRACE), "--to", "text"],
        "reorder": ["trace", "reorder", str(TRACE.with_name("OtherChannel.itf.json"))],
        "model": ["plan", "model", "quick", "white-red"],
    }
    CliRunner().invoke(cli, [*words[command], "--out", "out"])
    assert set(contents(victim).values()) == {"mine"}
    with pytest.raises(SpecError, match="this is a link"):
        write_named(Path("out"), "ours")


WRITES = {"write_text", "write_bytes", "unlink", "rmtree", "rename", "mkdir", "makedirs", "copyfile", "touch"}
ALLOWED = {
    "base/toolchain/own_files.py": WRITES,
    "base/toolchain/seal.py": {"mkdir", "unlink"},  # the user's own cache
    "base/toolchain/java.py": {"mkdir", "unlink"},
    "tla/tlc/run.py": {"mkdir"},
    "show/report/run/report_files.py": {
        "rmtree",
        "rename",
    },  # of a directory whose files are all listed as ours
    "gate/jobs/table_schemas.py": {"unlink"},
}


def test_all_that_is_written_goes_one_way():
    """Whoever writes or removes a file by Python's own means does so in a directory that was made for it."""
    found, allowed = set(), set()
    for path in sorted(Path(pyharness.__file__).parent.rglob("*.py")):
        name = path.relative_to(Path(pyharness.__file__).parent).as_posix()
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr not in WRITES:
                continue
            if node.func.attr in ALLOWED.get(name, set()):
                allowed.add(name)
                continue
            if "TemporaryDirectory" in text and node.func.attr in {"write_text", "write_bytes", "mkdir"}:
                continue  # it makes its own place
            found.add(f"{name}: {ast.unparse(node.func)}")
    assert found == NOTES
    assert allowed == set(ALLOWED), "a file of ALLOWED writes nothing any more"


NOTES = {
    "show/report/run/report_files.py: path.write_text",
    "show/report/run/trace_links.py: path.write_text",
    "show/report/run/trace_links.py: path.parent.mkdir",
    "models/text_run.py: (work / f'{rendered.module}.{suffix}').write_text",
    "models/spec_check.py: dump.unlink",
    "cli/systems_command.py: shutil.rmtree",
    "lab/real_systems/bytewax_epochs.py: directory.mkdir",
    "lab/real_systems/bytewax_epochs.py: (run.place / 'started').unlink",
    "lab/real_systems/bytewax_flow.py: place.mkdir",
    "lab/real_systems/bytewax_flow.py: (Path(sys.argv[1]) / 'started').touch",
    "lab/real_systems/flink_job.py: layout.write_text",
    "lab/real_systems/flink_job.py: store.unlink",
    "lab/real_systems/flink_job.py: (place / 'finished').touch",
    "lab/real_systems/flink_log.py: directory.mkdir",
    "lab/real_systems/flink_log.py: place.mkdir",
    "lab/real_systems/spark_batches.py: (place / 'input').mkdir",
    "lab/real_systems/spark_batches.py: path.write_text",
    "lab/real_systems/spark_batches.py: (place / STARTED).unlink",
    "lab/real_systems/spark_driver.py: (place / STARTED).touch",
    "lab/real_systems/spark_driver.py: (place / FINISHED).touch",
}
"""What is written into a directory that a caller made for it."""


# What is there already, and is no file


@pytest.mark.parametrize("write", [named_place, lambda path: write_named(path, "")])
def test_a_directory_is_no_file_and_a_file_no_directory(write, clone):
    Path("build/page.html").mkdir()
    Path("build/file").write_text("mine")
    with pytest.raises(SpecError, match="this is a directory"):
        write(Path("build/page.html"))
    with pytest.raises(SpecError, match="this is not a directory") as told:
        write(Path("build/file/page.html"))
    assert told.value.where == str(clone / "build" / "file")
    for name in ("build/file/below/it", "build/file"):
        with pytest.raises(NotADirectoryError, match="this is not a directory") as taken:
            own_directory(Path(name))
        assert taken.value.filename == str(clone / "build" / "file")
    assert Path("build/file").read_text() == "mine"
    with pytest.raises(IsADirectoryError):
        write_bytes(Path("build/page.html"), b"")
    assert sorted(path.name for path in Path("build").iterdir()) == ["file", "page.html", "quick"]


def test_a_lock_that_is_no_file_of_its_own_is_not_written(clone):
    """A hard link is the file that it is a name of."""
    lock, notes = clone / "build" / "quick" / LOCK, clone.parent / "victim" / "notes.txt"

    def refused():
        with pytest.raises(SpecError, match="not a file of a run"), locked(lock.parent):
            pass

    lock.hardlink_to(notes)
    refused()
    assert notes.read_text() == "mine"
    lock.unlink()
    os.mkfifo(lock)
    refused()
    lock.unlink()
    lock.mkdir()
    refused()


def test_a_pipe_that_nobody_reads_keeps_no_writer_waiting(clone):
    os.mkfifo("build/page.html")
    with pytest.raises(SpecError, match="has no reader"):
        write_named(Path("build/page.html"), "page")
    reader = os.open("build/page.html", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_named(Path("build/page.html"), "page")
        assert os.read(reader, 10) == b"page"
    finally:
        os.close(reader)


def test_where_a_difference_is_left_is_looked_at_before_it_is_looked_for(clone):
    (clone / "build" / "hold").mkdir()
    (clone / "build" / "hold" / "difference.html").symlink_to(clone.parent / "victim" / "page.html")
    found = CliRunner().invoke(cli, ["hold", "--", "no-such-program"])
    assert found.exit_code == 2
    assert "difference.html: this is a link" in found.output


PAGES = {
    "systems": ["spark-epochs", "--page"],
    "states": ["ChandyLamport", "--topology", "ring:2", "--out"],
    "trace reorder": ["trace.itf.json", "--out"],
    "trace export": ["trace.itf.json", "--to", "text", "--out"],
}


@pytest.mark.parametrize("command", PAGES)
def test_a_page_that_cannot_be_written_is_said_before_what_takes_long(clone, command):
    (clone / "build" / "link.md").symlink_to(clone.parent / "victim" / "notes.txt")
    for page, why in {
        "biuld/page.md": "there is no such directory",
        "build/link.md": "this is a link",
        "build": "this is a directory",
        "build/link.md/page.md": "this is a link",
    }.items():
        found = CliRunner().invoke(cli, [*command.split(), *PAGES[command], page])
        assert found.exit_code == 2
        assert why in found.stderr, found.stderr


def test_a_directory_that_is_none_or_cannot_be_made_is_said_before_a_check(clone):
    Path("build/file").write_text("mine")
    for place in ("build/file", "build/file/below", "/dev/full"):
        found = CliRunner().invoke(cli, ["check", "Mutex.tla", "--out", place])
        assert found.exit_code == 2
        assert "this is not a directory, and one is needed here" in found.stderr
    with pytest.raises(PermissionError, match="no directory can be made here"):
        own_directory(Path("/proc/pyharness"))
