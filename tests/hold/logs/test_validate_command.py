"""``pyharness validate``: exit codes, hostile directories, pages, many logs, and the library's function."""

from __future__ import annotations

import json
import os

import pytest
from click.testing import CliRunner

import pyharness
from pyharness.base.errors import DisagreementError, SpecError
from pyharness.cli import validate_command
from pyharness.cli.main import cli
from pyharness.hold.logs.log_events import FORMAT
from tests.hold.logs.log_cases import TOKENS
from tests.hold.logs.simulated_logs import simulated, write_log


def run(*words):
    return CliRunner().invoke(cli, ["validate", *map(str, words)])


def counted(*words):
    return run("--no-tlc", *words)


@pytest.fixture
def logs(tmp_path):
    write_log(tmp_path / "good", simulated("ChandyLamport", 3).lines)
    write_log(tmp_path / "bad", simulated("ChandyLamport", 3, bug="late-marker").lines)
    write_log(tmp_path / "quiet", simulated("ChandyLamport", 3, steps=15).lines)
    (tmp_path / "none").mkdir()
    (tmp_path / "noise").mkdir()
    (tmp_path / "noise" / "a.jsonl").write_text("noise\n")
    return tmp_path


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["good"], 0),
        (["bad"], 1),
        (["noise"], 2),
        (["quiet"], 3),
        (["none"], 3),
        (["missing"], 2),
        (["good", "quiet"], 3),
        (["none", "noise"], 2),
        (["noise", "bad", "good"], 1),
    ],
)
def test_the_exit_code_is_that_of_the_worst_log(names, code, logs):
    found = counted(*(logs / name for name in names))
    assert found.exit_code == code, found.output
    assert "Traceback" not in found.output
    for name in names:
        assert f"{logs / name}: " in found.output


def test_two_verdicts_that_do_not_agree_have_an_exit_code_of_their_own(logs, monkeypatch):
    """The comparison itself is asked in test_tlc_agreement."""
    real = validate_command.validated

    def compared(directory, *given, **more):
        if directory.name == "good":
            raise DisagreementError("TLC refuses snapshot 1.20")
        return real(directory, *given, **more)

    monkeypatch.setattr(validate_command, "validated", compared)
    found = counted(logs / "good", logs / "bad")
    assert found.exit_code == 5, found.output
    assert "good: THE COUNT AND TLC DO NOT AGREE\n  TLC refuses snapshot 1.20" in found.output


def header(**fields):
    return (
        json.dumps({"format": FORMAT, "process": 1, "protocol": "WhiteRed", "channels": [], **fields}) + "\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        header() + '{"e": "internal", "s": ' + "[" * 900 + "]" * 900 + "}\n",
        header(state=1)
        + '{"e": "internal", "s": '
        + "[" * 950
        + "]" * 950
        + '}\n{"e": "record", "id": 1, "s": 1}\n',
        header(sum=1, state=1) + '{"e": "internal", "s": 1e999}\n',
        header(sum=1, state=1) + f'{{"e": "internal", "s": {"9" * 4000}}}\n',
        header(process="\x1b[31mred\x1b[0m") + '{"e": "fly\x1b[2J"}\n',
        header() + '{"e": "record", "id": "\\u001b]0;title\\u0007"}\n' * 2,
        header() + '{"e": "record", "id": "\ud800"}\n'.encode("utf-8", "surrogatepass").decode("latin-1"),
        header(process=[1]),
        header(channels=[[True, 1]]),
        header(channels="none") + '{"e": "record", "id": 1, "vc": {"1": 1e3}}\n',
        header(channels="none") + '{"e": "record", "id": 1}\n',
        header() + '{"e": "internal"} {"e": "internal"}\n',
        "\ufeff" + header(),
    ],
)
def test_what_is_hostile_ends_with_a_message(text, tmp_path):
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    found = counted(tmp_path)
    assert found.exit_code in {1, 2, 3}, found.output
    assert "Traceback" not in found.output
    assert "\x1b" not in found.output
    assert found.exception is None or isinstance(found.exception, SystemExit)


def test_a_name_in_many_files_of_which_one_is_a_pipe(tmp_path):
    write_log(tmp_path / "log", TOKENS)
    os.mkfifo(tmp_path / "log" / "z.jsonl")
    assert counted(tmp_path / "log").exit_code == 2


def test_more_files_than_are_read(tmp_path):
    for number in range(300):
        (tmp_path / f"{number}.jsonl").write_text(header(process=number))
    found = counted(tmp_path)
    assert found.exit_code == 2
    assert "more than" in found.output


# The library


def test_the_library_tells_the_same(logs):
    good, bad = (pyharness.validate(logs / name, tlc=False) for name in ("good", "bad"))
    assert good
    assert good.walked is None
    assert not bad
    assert bad.verdict == "violation"
    assert bad.where.startswith(str(logs / "bad"))
    assert bad.accepted
    assert "violation" in repr(bad)
    with pytest.raises(SpecError):
        pyharness.validate(logs / "noise", tlc=False)
