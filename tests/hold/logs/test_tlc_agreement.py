"""The fold and TLC on the same logs, of every protocol: tampered with, they agree; and what the walk needs."""

from __future__ import annotations

import copy
import os
from random import Random

import pytest

from pyharness.base.errors import DisagreementError
from pyharness.hold.logs import chains as chains_module
from pyharness.hold.logs.fold import Fold, SnapshotFold
from pyharness.hold.logs.rules import PROTOCOLS, Pauses
from pyharness.hold.logs.self_test import simulated, write_log
from pyharness.hold.logs.validation import validate
from pyharness.models.machine_tools import find_tools
from tests.hold.logs.log_battery import dropped, log_of, moved, stopping, without
from tests.hold.logs.log_cases import TOKENS, events, lost_of_a_channel
from tests.long import some

pytestmark = pytest.mark.tlc

EVERY = int(os.environ.get("PYHARNESS_TAMPERED", "8"))
"""Of the logs that were tampered with one of so many is tried."""

BARRIERS = ["AlignedBarriers", "UnalignedBarriers", "AtLeastOnceBarriers"]


def judged(lines, tmp_path, protocol=""):
    return validate(write_log(tmp_path / "log", lines), protocol=protocol, tools=find_tools())


@pytest.mark.parametrize("protocol", some(BARRIERS, 1))
def test_barriers_with_a_seeded_bug_are_not_walked(protocol, tmp_path):
    """A record goes out ahead of the barrier, behind which it was sent by the state that was recorded."""
    came = judged(simulated(protocol, 2, bug="late-marker").lines, tmp_path)
    assert came.verdict == "violation"
    assert came.stop is not None
    assert came.refused.snapshot not in came.walked


@pytest.mark.parametrize("protocol", some(BARRIERS, 1))
def test_tlc_refuses_such_a_run_by_itself(protocol, tmp_path, monkeypatch):
    """Without any rule of the fold: the two are independent."""
    monkeypatch.setattr(Fold, "take", lambda *_: None)
    with pytest.raises(DisagreementError, match="TLC refuses snapshot"):
        judged(simulated(protocol, 2, bug="late-marker").lines, tmp_path)


def test_aligned_barriers_that_do_not_block_are_refused_by_both(tmp_path):
    """The log of a run that does not align is one of at-least-once, and none of AlignedBarriers."""
    lines = simulated("AtLeastOnceBarriers", 1).lines
    came = judged(lines, tmp_path, "AlignedBarriers")
    assert came.verdict == "violation"
    assert came.refused.protocol
    assert came.refused.snapshot not in came.walked


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
@pytest.mark.parametrize("protocol", some(PROTOCOLS, 2))
def test_they_agree_on_logs_that_were_tampered_with(protocol, tmp_path):
    """A disagreement would be raised; some are tried, for each takes a run of TLC: `make soak` tries all."""
    refused = 0
    for number, lines in enumerate(tampered(protocol, 0)):
        if number % EVERY == 5 % EVERY:
            came = judged(lines, tmp_path / str(number))
            refused += came.refused is not None
    assert refused


def test_a_marker_that_goes_out_before_anybody_has_recorded_is_refused_by_both(tmp_path):
    lines = without(TOKENS, "s", "state", "sum")
    ((process, record), *_) = events(lines, "record")
    came = judged(moved(lines, process, record, record + 1), tmp_path)
    assert came.refused.snapshot == "1"
    assert came.walked == []


def test_who_is_done_before_he_has_recorded_is_refused_by_both(tmp_path):
    came = judged(stopping(order=("done", "record")), tmp_path)
    assert came.refused.snapshot == "1"
    assert came.walked == []


@pytest.mark.parametrize(
    "lines",
    some(
        [
            dropped(stopping(), 1, 2),
            moved(stopping(), 1, 6, 5),
            moved(stopping(), 1, 6, 3),
            moved(stopping(), 2, 1, 4),
            dropped(stopping(), 1, 5),
            stopping(order=("record", "pause", "done")),
            stopping(order=("pause", "resume", "record", "done")),
        ],
        2,
    ),
    ids=[
        "one does not pause",
        "sends before it resumes",
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


@pytest.mark.parametrize("name", ["act", "record"])
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


def lost_receives():
    """Runs in which one message, not a channel's last, is not received, and nothing but its number tells."""
    for seed in (4, 5):
        lines = without(
            simulated("ChandyLamport", seed, steps=200, snapshots=3).lines, "s", "state", "sum", "d", "chans"
        )
        places = events(lines, "receive")
        process, at = Random(seed).choice(places[: len(places) * 2 // 3])
        yield dropped(lines, process, at)


def test_without_the_messages_number_tlc_would_accept_more(tmp_path, monkeypatch):
    """The control of the walk: to an opaque application a message that was not received is one that is in flight."""

    def walked(directory):
        monkeypatch.setattr(Fold, "take", lambda *_: None)
        total = 0
        for number, lines in enumerate(lost_receives()):
            try:
                came = judged(copy.deepcopy(lines), directory / str(number))
                total += len(came.walked)
            except DisagreementError as error:
                total += error.message.startswith("TLC walked")
        return total

    def all_chains(protocol, chains, initiators, tools):
        ended, stop = real(protocol, chains, initiators, tools)
        counts.append(len(ended))
        return ended, stop

    real, counts = chains_module.walk_chains, []
    monkeypatch.setattr("pyharness.hold.logs.validation.walk_chains", all_chains)
    walked(tmp_path / "with")
    with_numbers, counts = sum(counts), []
    template = chains_module.TEMPLATES.get_template("log.tla.jinja")
    source = chains_module.TEMPLATES.loader.get_source(chains_module.TEMPLATES, "log.tla.jinja")[0]
    numbered = " /\\ Head(chan[c]).msg = WalkNumber"
    assert numbered in source
    loose = chains_module.TEMPLATES.from_string(source.replace(numbered, ""))

    class Loose:
        def get_template(self, name):
            return loose if name == template.name else walk_templates.get_template(name)

    walk_templates = chains_module.TEMPLATES
    monkeypatch.setattr(chains_module, "TEMPLATES", Loose())
    walked(tmp_path / "without")
    assert sum(counts) > with_numbers


def test_two_processes_by_hand_are_walked_without_numbers_or_dones(tmp_path):
    """What a log may leave out: the numbers, and who is done."""
    came = judged(without(TOKENS, "m", kinds=("done",)), tmp_path)
    assert (came.verdict, came.complete, came.walked) == ("pass", ["1"], ["1"])
    assert any("no event done" in what for what in came.unchecked)


def test_a_log_of_white_and_red_alone(tmp_path):
    lines = log_of(
        "WhiteRed",
        [[1, 2]],
        [{"e": "send", "c": [1, 2]}, {"e": "record", "id": 1}, {"e": "send", "c": [1, 2]}],
        [{"e": "record", "id": 1}, {"e": "receive", "c": [1, 2]}, {"e": "receive", "c": [1, 2]}],
    )
    came = judged(lines, tmp_path)
    assert (came.verdict, came.crossing, came.walked) == ("pass", 1, ["1"])
    wrong = judged(moved(lines, 2, 1, 3), tmp_path / "wrong")
    assert wrong.verdict == "violation"
    assert wrong.walked == []


def test_a_lost_record_is_noticed_by_both_where_the_last_line_of_the_snapshot_is_a_done(tmp_path):
    """All are done, and one that says so right behind a marker has not recorded: the marker does not excuse it."""
    lines = without(simulated("ChandyLamport", 0, steps=90, snapshots=2).lines, "s", "state", "sum")
    places = [
        (process, at)
        for process, at in events(lines, "record")
        if lines[process][at - 1]["e"] == "marker"
        and any(
            lines[process][n]["id"] == lines[process][at]["id"] and lines[process][n - 1]["e"] == "marker"
            for p, n in events(lines, "done")
            if p == process
        )
    ]
    for number, place in enumerate(places[:2]):
        came = judged(dropped(lines, *place), tmp_path / str(number))
        assert came.refused.snapshot not in came.walked
    assert places
