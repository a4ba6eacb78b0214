"""Logs that a plan names: the gate tells of them, and what is missing is no pass."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli
from pyharness.gate.plans.plan import read_plan
from pyharness.gate.plans.plan_logs import content_of
from pyharness.hold.logs.log_rows import log_rows
from pyharness.hold.logs.log_source import LogSource
from tests.hold.logs.simulated_logs import simulated, write_log

MODEL = """format = "pyharness-plan/1"

[[model]]
name = "tiny"
spec = "WhiteRed"
topologies = ["ring:2"]
items = 1
invariants = ["TypeOK"]
silent = ["Internal", "Exchange", "TurnInExchange"]
pins = { distinct = 28, depth = 8 }
"""


def plan(tmp_path, *tables, model=MODEL):
    path = tmp_path / "own.toml"
    path.write_text(model + "".join(f"\n[[logs]]\n{table}\n" for table in tables), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('name = "x"', "directory: is missing"),
        ("directory = 3", "must be text"),
        ('directory = ""', "must be text"),
        ('directory = "x"\ntlc = "no"', "must be true or false"),
        ('directory = "x"\nprotocl = "WhiteRed"', "no such key"),
    ],
)
def test_a_table_that_is_none_is_said_to_be_wrong_at_its_line(table, said, tmp_path):
    with pytest.raises(SpecError, match=said) as error:
        read_plan(plan(tmp_path, table), SPECS)
    line = int(error.value.where.rpartition(":")[2])
    assert line >= MODEL.count("\n") + 1


def test_a_log_that_changes_is_another_one(tmp_path):
    place = write_log(tmp_path / "log", simulated("ChandyLamport", 1).lines)
    before = content_of(place)
    with (place / "p1.jsonl").open("a") as file:
        file.write("\n")
    assert content_of(place) != before
    assert content_of(tmp_path / "none") != {}
    (place / "directory.jsonl").mkdir()
    assert content_of(place)["directory.jsonl"] == "no regular file"


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("good", "pass"),
        ("bad", "violation"),
        ("quiet", "incomplete"),
        ("none", "incomplete"),
        ("noise", "spec error"),
    ],
)
def test_a_log_is_a_row(name, verdict, tmp_path):
    write_log(tmp_path / "good", simulated("ChandyLamport", 3).lines)
    write_log(tmp_path / "bad", simulated("ChandyLamport", 3, bug="late-marker").lines)
    write_log(tmp_path / "quiet", simulated("ChandyLamport", 3, steps=15).lines)
    (tmp_path / "noise").mkdir()
    (tmp_path / "noise" / "a.jsonl").write_text("noise\n")
    row, *snapshots = log_rows(LogSource(name, tmp_path / name, tlc=False), None)
    assert row.verdict == verdict
    assert bool(row.message) == (verdict != "pass")
    assert (name == "good") == (len(snapshots) == 5 and all(one.complete for one in snapshots))


@pytest.mark.slow
@pytest.mark.tlc
@pytest.mark.usefixtures("spark_here")
def test_the_gate_tells_of_logs(tmp_path):
    write_log(tmp_path / "good", simulated("ChandyLamport", 3).lines)
    write_log(tmp_path / "bad", simulated("AlignedBarriers", 3, bug="late-marker").lines)
    out = tmp_path / "out"

    def gate(*tables):
        found = CliRunner().invoke(cli, ["check", "--ci", str(plan(tmp_path, *tables)), "--out", str(out)])
        cases = ET.parse(out / "junit.xml").iter("testcase")  # noqa: S314 - our own
        logs = {case.get("name"): case for case in cases if case.get("classname", "").endswith(".logs")}
        return found, logs, (out / "summary.md").read_text(encoding="utf-8")

    found, logs, summary = gate('directory = "good"')
    assert found.exit_code == 0, found.output
    assert len(logs["good"].findall("failure") + logs["good"].findall("error")) == 0
    assert "| logs | 1 | 0 | 0 | 0 |" in summary
    found, logs, summary = gate('directory = "good"', 'directory = "missing"')
    assert found.exit_code == 3, found.output
    assert len(logs["missing"].findall("error")) == 1
    assert "there is no such directory" in summary
    found, logs, summary = gate('directory = "good"', 'directory = "bad"')
    assert found.exit_code == 1, found.output
    assert len(logs["bad"].findall("failure")) == 1
    assert "ahead of the marker" in summary
    assert "log bad" in (out / "report" / "index.html").read_text(encoding="utf-8")
