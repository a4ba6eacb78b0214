"""Logs of other tools: ShiViz and GoVector decide the cut, Flink's own barrier handler who recorded when."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.cli.main import cli
from pyharness.hold.logs import imported_logs
from pyharness.hold.logs.imported_logs import from_flink, from_shiviz, write_logs
from pyharness.hold.logs.validation import validate

SAMPLES = Path(__file__).parent / "samples"
ALIGNED, UNALIGNED = SAMPLES / "flink-aligned.log", SAMPLES / "flink-unaligned.log"
"""Recorded from Flink 2.3.0: barriers 1 to 7 on two inputs, 4 cancelled, 5 overtaken by 6, with log4j at DEBUG."""

GOVECTOR = SAMPLES / "govector.log"


def govector(tmp_path, change=lambda text: text):
    path = tmp_path / "run.log"
    path.write_text(change(GOVECTOR.read_text(encoding="utf-8")), encoding="utf-8")
    return path


def test_the_cut_of_a_govector_log_is_decided(tmp_path):
    write_logs(from_shiviz([GOVECTOR]), tmp_path / "run")
    came = validate(tmp_path / "run")
    assert (came.verdict, came.complete, came.walked) == ("pass", ["1"], None)
    assert any("channels' states" in what for what in came.unchecked)
    assert any("TLC" in what for what in came.unchecked)


def test_a_cut_that_a_message_crosses_backwards_is_refused_at_the_line_of_the_log_itself(tmp_path):
    """bob records after he has received what alice sent behind her record."""

    def late(text):
        record = 'bob {"alice":2, "bob":3}\nrecorded snapshot 1\n'
        receipt = 'bob {"alice":4, "bob":4}\nreceives 7\n'
        assert record + receipt in text
        moved = 'bob {"alice":4, "bob":3}\nreceives 7\nbob {"alice":4, "bob":4}\nrecorded snapshot 1\n'
        return text.replace(record + receipt, moved)

    write_logs(from_shiviz([govector(tmp_path, late)]), tmp_path / "run")
    refused = validate(tmp_path / "run").refused
    assert refused is not None
    assert refused.where == f"{tmp_path}/run.log:15"
    assert refused.snapshot == "1"


@pytest.mark.parametrize(
    ("parse", "record", "said"),
    [
        ("(", "(?<id>x)", "no regular expression"),
        ("(?<host>x)", "(?<id>x)", "no group clock"),
        (imported_logs.GOVECTOR, "x", "no group id"),
        ("nothing(?<host>x)(?<clock>y)", "(?<id>x)", "no event is found"),
        (r"(?<host>\w+) (?<clock>\S+)", "(?<id>x)", "no clock"),
        (r"(?<clock>\{.*\})()(?<host>)", "(?<id>x)", "no entry"),
    ],
)
def test_an_expression_that_does_not_fit_is_said_to_be_none(parse, record, said, tmp_path):
    with pytest.raises(SpecError, match=said):
        from_shiviz([govector(tmp_path)], parse, record)


def test_an_expression_that_takes_for_ever_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(imported_logs, "SECONDS", 0.2)
    hostile = govector(tmp_path, lambda text: text + "a" * 60 + "!\n")
    with pytest.raises(SpecError, match="CPU seconds"):
        from_shiviz([hostile], r"(?<host>(a+)+)(?<clock>$)", "(?<id>x)")


@pytest.mark.parametrize(
    ("path", "protocol"), [(ALIGNED, "AlignedBarriers"), (UNALIGNED, "UnalignedBarriers")]
)
def test_flinks_own_log_keeps_the_rules_and_shows_no_more(path, protocol, tmp_path):
    write_logs(from_flink([path], protocol), tmp_path / "run")
    came = validate(tmp_path / "run")
    assert came.refused is None
    assert came.verdict == "incomplete"
    assert came.vacuous == ["nothing was sent behind a marker"]
    assert {"1", "2", "3", "6"} <= set(came.complete)
    assert not {"4", "5"} & set(came.complete), "given up"


def test_a_directory_with_a_log_of_others_is_left_alone(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "theirs.jsonl").write_text("{}\n")
    with pytest.raises(SpecError, match="theirs"):
        write_logs(from_shiviz([GOVECTOR]), tmp_path / "run")
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["theirs.jsonl"]


def test_the_commands(tmp_path):
    def run(*words):
        return CliRunner().invoke(cli, [str(word) for word in words])

    out = tmp_path / "run"
    assert run("validate", "--from", "shiviz", GOVECTOR, "--out", out).exit_code in {0, 3}
    assert run("validate", "--no-tlc", out).exit_code == 0
    assert (
        run("validate", "--from", "flink", ALIGNED, "--protocol", "AlignedBarriers", "--out", out).exit_code
        == 3
    )
    assert run("validate", "--no-tlc", out).exit_code == 3
    assert (
        run("validate", "--from", "flink", GOVECTOR, "--protocol", "AlignedBarriers", "--out", out).exit_code
        == 2
    )
    assert run("validate", "--from", "shiviz", tmp_path / "none", "--out", out).exit_code == 2
