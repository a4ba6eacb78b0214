"""The exit codes of the command line: none that is not a verdict may look like one."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner
from rich.console import Console

import pyharness.cli.topologies_command
from pyharness.base.errors import ConformanceError, IncompleteError, SpecError, ToolError
from pyharness.cli.main import cli, main


def run(monkeypatch, error):
    def fail(*_args, **_options):
        raise error

    monkeypatch.setattr(pyharness.cli.topologies_command.topologies, "callback", fail)
    return CliRunner().invoke(cli, ["topologies", "2"])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConformanceError("differs", where="step 3", hint="look"), 1),
        (SpecError("wrong"), 2),
        (IncompleteError("cut off"), 3),
        (KeyboardInterrupt(), 3),
        (ToolError("no Java"), 4),
        (ZeroDivisionError("unforeseen"), 4),
        (MemoryError(), 4),
        (OSError(errno.ENOSPC, "No space left on device", "/out/jobs/1.json"), 4),
        (OSError(errno.ENOTDIR, "Not a directory", "/a/file/junit.xml"), 4),
        (OSError(errno.ENOENT, "unforeseen"), 4),
    ],
)
def test_each_error_has_its_code_and_says_something(monkeypatch, error, code):
    result = run(monkeypatch, error)
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr


def test_the_place_and_the_advice_are_part_of_the_message(monkeypatch):
    assert (
        "step 3: differs\n  look"
        in run(monkeypatch, ConformanceError("differs", where="step 3", hint="look")).stderr
    )


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_that_nobody_reads_any_more_is_no_verdict(stream):
    """Status 1 would say that a property is violated, 120 is Python's own where its last words are not taken."""
    reads, writes = os.pipe()
    os.close(reads)
    arguments = ["topologies", "3"] if stream == "stdout" else ["check", "no-such-plan"]
    done = subprocess.run(
        [sys.executable, "-m", "pyharness", *arguments],
        **{"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, stream: writes},
        check=False,
    )
    os.close(writes)
    assert done.returncode == (3 if stream == "stdout" else 2)
    assert not done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_leads_nowhere(tmp_path, closed):
    """What a program that is started here prints does not get into the file that would have its number."""
    code = """
import os, subprocess, sys
from pyharness.cli.main import open_streams
open_streams()
with open("own.txt", "w") as own:
    subprocess.run(["sh", "-c", "echo stray; echo stray >&2"], check=True)
    print(sys.stdout.isatty(), sys.stderr.isatty(), sys.stdin.read(), file=own)
    print("said")
"""
    words = ["sh", "-c", f'exec "$0" -c "$1" {closed}', sys.executable, code]
    done = subprocess.run(words, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "own.txt").read_text(encoding="utf-8").split() == ["False", "False"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG])
def test_a_full_disk_and_a_path_that_is_no_directory_or_no_file_are_no_bugs_of_ours(monkeypatch, number):
    stderr = run(monkeypatch, OSError(number, "so it is", "/a/file/junit.xml")).stderr
    assert "/a/file/junit.xml: a file cannot be written: so it is" in stderr
    assert "Traceback" not in stderr
    assert "Traceback" in run(monkeypatch, OSError(errno.ENOENT, "unforeseen")).stderr


def test_unknown_commands_and_options_are_usage_errors():
    assert CliRunner().invoke(cli, ["nothing"]).exit_code == 2
    assert CliRunner().invoke(cli, ["topologies", "--nothing"]).exit_code == 2


def test_an_unknown_command_is_told_the_nearest():
    result = CliRunner().invoke(cli, ["chek"])
    assert "no command 'chek'" in result.stderr
    assert "did you mean check?" in result.stderr


def test_a_character_that_the_terminal_cannot_show_is_no_error(monkeypatch):
    """A table that is cut ends in an ellipsis, which an ASCII or Latin-1 terminal does not have."""
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii", write_through=True))
    monkeypatch.setattr(
        pyharness.cli.topologies_command.topologies, "callback", lambda **_: Console().print("a cut…")
    )
    monkeypatch.setattr(sys, "argv", ["pyharness", "topologies", "2"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, written.getvalue()) == (0, b"a cut?\n")
