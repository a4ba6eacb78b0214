"""The fold and TLC on the same logs, of every protocol: tampered with, they agree; and what the walk needs."""

from __future__ import annotations

import os
from itertools import islice
from random import Random

import pytest

from pyharness.base.errors import DisagreementError
from pyharness.hold.logs.fold import Fold, SnapshotFold
from pyharness.hold.logs.rules import PROTOCOLS, Pauses
from pyharness.hold.logs.validation import validate
from pyharness.models.machine_tools import find_tools
from tests.hold.logs.log_cases import (
    TOKENS,
    dropped,
    events,
    lost_of_a_channel,
    moved,
    stopping,
    without,
)
from tests.hold.logs.simulated_logs import simulated, write_log
from tests.long import some

pytestmark = pytest.mark.tlc

EVERY = int(os.environ.get("PYHARNESS_TAMPERED", "20"))
"""Of the logs that were tampered with one of so many is tried."""

BARRIERS = ["AlignedBarriers", "UnalignedBarriers", "AtLeastOnceBarriers"]


def judged(lines, tmp_path, protocol=""):
    return validate(write_log(tmp_path / "log", lines), protocol=protocol, tools=find_tools())


@pytest.mark.parametrize("protocol", some(BARRIERS, 1))
def test_tlc_refuses_such_a_run_by_itself(protocol, tmp_path, monkeypatch):
    """Without any rule of the fold: the two are independent."""
    monkeypatch.setattr(Fold, "take", lambda *_: None)
    with pytest.raises(DisagreementError, match="TLC refuses snapshot") as reported:
        judged(simulated(protocol, 2, steps=90, snapshots=2, bug="late-marker").lines, tmp_path)
    assert "this is a bug of pyharness" in reported.value.hint


KINDS = (
    "send",
    "receive",
    "record",
    "marker",
    "marker-out",
    "barrier",
    "barrier-out",
    "done",
    "pause",
    "resume",
)


def tampered(protocol, seed):
    """Yield logs of which one event is lost, or comes earlier or later than it did."""
    lines = without(simulated(protocol, seed, steps=90, snapshots=2).lines, "s", "state", "sum")
    random = Random(seed)
    for kind in KINDS:
        if places := events(lines, kind):
            process, at = random.choice(places)
            yield dropped(lines, process, at)
            yield moved(lines, process, at, max(1, at - 2))
            yield moved(lines, process, at, min(at + 2, len(lines[process]) - 2))  # before the end


@pytest.mark.slow
@pytest.mark.parametrize("protocol", some(["AlignedBarriers", "AtLeastOnceBarriers"], 1))
def test_a_barrier_that_no_log_has_as_sent_is_refused_by_both(protocol, tmp_path):
    """Both logs were a disagreement: its receiver accepts it, and a message goes out ahead of it."""
    found = judged(next(islice(tampered(protocol, 0), 12, None)), tmp_path)
    assert found.refused.message == "a message is sent on 2->3 ahead of the marker of 1.80"
    assert found.stop.id == "1.80"
    assert "1.80" not in found.walked


@pytest.mark.slow
@pytest.mark.parametrize("protocol", some(PROTOCOLS, 1))
def test_they_agree_on_logs_that_were_tampered_with(protocol, tmp_path):
    """A disagreement would be raised; some are tried, for each takes a run of TLC: `make soak` tries all."""
    refused = 0
    for number, lines in enumerate(tampered(protocol, 0)):
        if number % EVERY == 0:
            found = judged(lines, tmp_path / str(number))
            refused += found.refused is not None
    assert refused


@pytest.mark.parametrize(
    "lines",
    some(
        [
            moved(stopping(), 1, 6, 5),
            dropped(stopping(), 1, 2),
            moved(stopping(), 1, 6, 3),
            moved(stopping(), 2, 1, 4),
            dropped(stopping(), 1, 5),
            stopping(order=("record", "pause", "done")),
            stopping(order=("pause", "resume", "record", "done")),
        ],
        1,
    ),
    ids=[
        "sends before it resumes",
        "one does not pause",
        "sends while paused",
        "not drained",
        "does not resume",
        "records first",
        "resumes first",
    ],
)
def test_a_world_that_does_not_stop_is_refused_by_both(lines, tmp_path):
    came = judged(lines, tmp_path)
    assert came.verdict == "violation"
    if came.refused.protocol:
        assert came.walked == []


@pytest.mark.parametrize("name", some(["act", "record"], 1))
def test_a_fold_that_does_not_ask_for_a_pause_is_found_out(name, tmp_path, monkeypatch):
    monkeypatch.setattr(Pauses, name, lambda *_: None)
    lines = moved(stopping(), 1, 6, 5) if name == "act" else without(moved(stopping(), 2, 1, 4), "chans")
    with pytest.raises(DisagreementError, match="TLC refuses"):
        judged(lines, tmp_path)


def test_a_wrong_snapshot_that_was_complete_before_another_is_refused_is_found_out(tmp_path, monkeypatch):
    """The fold overlooks what the first snapshot recorded, and then refuses another line: TLC tells of the first."""
    lines = without(simulated("ChandyLamport", 1).lines, "s", "state", "sum")
    lost_of_a_channel(lines, Random(1))
    monkeypatch.setattr(SnapshotFold, "_compare", lambda *_: None)
    process, at = events(lines, "receive")[-2]
    lines[process][at]["m"] += 1
    with pytest.raises(DisagreementError, match="TLC refuses snapshot"):
        judged(lines, tmp_path)


def test_two_processes_by_hand_are_walked_without_numbers_or_dones(tmp_path):
    """What a log may leave out: the numbers, and who is done."""
    came = judged(without(TOKENS, "m", kinds=("done",)), tmp_path)
    assert (came.verdict, came.complete, came.walked) == ("pass", ["1"], ["1"])
    assert any("no event done" in what for what in came.unchecked)
