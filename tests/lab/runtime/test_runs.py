"""Runs over sockets: each protocol once, its log decided by TLC, too; and seeded bugs, which are refused."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.cli.main import cli
from pyharness.lab.runtime.system_run import RunSetting, run_system
from pyharness.lab.runtime.vertex_process import RUNNING
from pyharness.models.machine_tools import find_tools
from tests.lab.runtime.bug_runs import bug_run
from tests.lab.runtime.good_runs import good_run
from tests.long import some


@pytest.mark.tlc
@pytest.mark.parametrize("protocol", some(RUNNING, 1))
def test_a_run_is_one_of_the_spec(protocol, tmp_path):
    number = {"ChandyLamport": 11}.get(protocol, 4)
    result, log = good_run(tmp_path, protocol, number, 1, find_tools())
    assert (log.verdict, log.reason, log.unchecked) == ("pass", "", [])
    assert len(log.walked) == len(log.complete) == len(result.snapshots)


@pytest.mark.parametrize(
    ("protocol", "bug"),
    [
        ("ChandyLamport", "BufferIsShared"),
        ("ChandyLamport", "SkipsNumber"),
        ("AlignedBarriers", "NoBlocking"),
        ("UnalignedBarriers", "DropLog"),
    ],
)
def test_a_bug_that_has_an_effect_is_refused(protocol, bug, tmp_path):
    assert bug_run(tmp_path, protocol, bug, 0)[:2] == (True, "refused")


def test_without_alignment_records_are_there_twice_and_none_is_lost(tmp_path):
    result, _ = good_run(tmp_path, "AtLeastOnceBarriers", 4, 2)
    assert sum(each.twice for each in result.snapshots) > 0
    assert not any(each.lost for each in result.snapshots)
    assert result.inconsistent("AlignedBarriers")
    assert (result.end.parts, result.end.lost, result.end.twice) == (4, 0, 0)


@pytest.mark.parametrize("bug", ["", "DropLog"])
def test_the_command_says_whether_each_snapshot_has_everything_once(bug, tmp_path):
    given = ["run", "--protocol", "UnalignedBarriers", "--topology", "join:3", "--seconds", "0.5"]
    document = CliRunner().invoke(cli, [*given, "--bug", bug, "--out", str(tmp_path / "a"), "--json"])
    said = json.loads(document.stdout)
    assert (document.exit_code, said["consistent"]) == ((1, False) if bug else (0, True))
    assert any(each["in_flight"] for each in said["snapshots"]) == (not bug)
    assert any(each["lost"] for each in said["snapshots"]) == bool(bug)
    if bug:
        text = CliRunner().invoke(cli, [*given, "--bug", bug, "--out", str(tmp_path / "b")])
        assert "WRONG" in text.stdout


@pytest.mark.parametrize(
    ("topology", "protocol", "bug", "said"),
    [
        ("chain:3", "ChandyLamport", "", "not every process reaches"),
        ("ring:3", "AlignedBarriers", "", "a channel leads back"),
        ("ring:3", "ChandyLamport", "NoBlocking", "no bug of ChandyLamport"),
        ("1>2,2>1", "ChandyLamport", "", "no process may begin"),
        ("1@1", "ChandyLamport", "", "1 processes"),
    ],
)
def test_what_cannot_be_run_is_refused(topology, protocol, bug, said, tmp_path):
    with pytest.raises(SpecError, match=said):
        run_system(RunSetting(topology, protocol, bug=bug), tmp_path / "run")
    assert not (tmp_path / "run").exists()
