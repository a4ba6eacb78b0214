"""Runs over sockets: each protocol once, its log decided by TLC, too; and seeded bugs, which are refused."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from pyharness.base.errors import SpecError
from pyharness.cli import run_command
from pyharness.hold.logs.validation import validate
from pyharness.lab.runtime.system_run import RunSetting, run_system
from pyharness.lab.runtime.vertex_process import RUNNING
from pyharness.models.machine_tools import find_tools
from tests.lab.runtime.bug_runs import bug_run, consistent
from tests.lab.runtime.good_runs import good_run


@pytest.mark.tlc
@pytest.mark.parametrize("protocol", RUNNING)
def test_a_run_is_one_of_the_spec(protocol, tmp_path):
    number = {"ChandyLamport": 11, "StopTheWorld": 3}.get(protocol, 4)
    result, log = good_run(tmp_path, protocol, number, 1, find_tools())
    assert (log.verdict, log.reason, log.unchecked) == ("pass", "", [])
    assert len(log.walked) == len(log.complete) == len(result.snapshots)


@pytest.mark.parametrize(
    ("protocol", "bug"),
    [
        ("ChandyLamport", "BufferIsShared"),
        ("ChandyLamport", "SkipsNumber"),
        ("StopTheWorld", "NoWaiting"),
        ("AlignedBarriers", "NoBlocking"),
        ("UnalignedBarriers", "DropLog"),
    ],
)
def test_a_bug_that_has_an_effect_is_refused(protocol, bug, tmp_path):
    assert bug_run(tmp_path, protocol, bug, 0) == (True, "refused")


def test_without_alignment_records_are_there_twice_and_none_is_lost(tmp_path):
    """The comparison of snapshots with what they conserve sees an inconsistent one."""
    good_run(tmp_path, "AtLeastOnceBarriers", 4, 2)
    assert not consistent(tmp_path)


def test_it_runs_beside_a_loop_that_runs_already(tmp_path):
    async def cell():
        return run_system(RunSetting("ring:2", seconds=0.2), tmp_path / "run")

    with ThreadPoolExecutor(1) as notebook:  # the tests of pages leave a loop running in this thread
        assert notebook.submit(lambda: asyncio.run(cell())).result().snapshots


@pytest.mark.parametrize(
    ("topology", "protocol", "bug", "said"),
    [
        ("chain:3", "ChandyLamport", "", "not every process reaches"),
        ("ring:3", "AlignedBarriers", "", "a channel leads back"),
        ("ring:3", "ChandyLamport", "NoBlocking", "no bug of ChandyLamport"),
        ("ring:3", "StopTheWorld", "LateTurn", "no bug of StopTheWorld"),
        ("1>2,2>1", "ChandyLamport", "", "nobody may begin"),
        ("1@1", "ChandyLamport", "", "1 processes"),
    ],
)
def test_what_cannot_be_run_is_refused(topology, protocol, bug, said, tmp_path):
    with pytest.raises(SpecError, match=said):
        run_system(RunSetting(topology, protocol, bug=bug), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_snapshot_by_pausing_shows_something_though_no_message_crosses(tmp_path):
    run_system(RunSetting("kuper", "StopTheWorld", seconds=0.3, every=20), tmp_path)
    log = validate(tmp_path / "logs" / "1")
    assert (log.verdict, log.crossing) == ("pass", 0)


def test_one_of_a_thing_is_said_as_one():
    assert [run_command._many(count, "snapshot") for count in (0, 1, 1200)] == [
        "0 snapshots",
        "1 snapshot",
        "1,200 snapshots",
    ]
