"""What is told of a run that goes on is what its logs say by then, however they came to be written."""

from __future__ import annotations

from random import Random

import pytest

from pyharness.hold.logs.log_behaviour import cut_behaviour
from pyharness.hold.logs.run_log import RunLog
from pyharness.hold.logs.validation import validate
from pyharness.show.live.live_run import LiveRun
from pyharness.show.report.trace.diagram import diagram_of
from tests.show.live.growing_logs import GrowingLog

PROTOCOLS = ("ChandyLamport", "StopTheWorld", "AlignedBarriers", "UnalignedBarriers", "AtLeastOnceBarriers")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(4))
def test_a_log_that_grows_by_pieces_is_followed_to_the_same_end(protocol, seed, tmp_path):
    log, live, random = GrowingLog(tmp_path, protocol, seed), LiveRun(tmp_path), Random(seed)
    seen = []
    while not log.over:
        log.grow_at_random(random)
        live.look()
        seen.append(live.events)
    live.look()
    came = validate(log.place)
    assert live.refused == ""
    assert live.events == came.events
    assert [s.id for s in live.snapshots() if s.in_flight is not None][::-1] == came.complete
    assert sum(s.in_flight or 0 for s in live.snapshots()) == came.crossing
    assert live.channels() == []
    assert live.behind == 0
    assert any(0 < events < came.events for events in seen), "it was seen on its way"


def test_following_keeps_the_order_of_each_process_and_sends_come_first(tmp_path):
    log, random = GrowingLog(tmp_path), Random(1)
    for process in log.left:
        log.grow(process, 400)
    run, events = RunLog(log.place), []
    while not log.over:
        log.grow_at_random(random)
        events += [(e.process, e.line, e.kind, e.channel and e.channel.name, e.number) for e in run.follow()]
    assert run.notes == []
    assert sorted(events, key=str) == sorted(
        (
            (e.process, e.line, e.kind, e.channel and e.channel.name, e.number)
            for e in RunLog(log.place).merged()
        ),
        key=str,
    )
    for process in run.processes:
        own = [line for at, line, *_ in events if at == process]
        assert own == sorted(own)
    sent = {
        (channel, number): at for at, (_, _, kind, channel, number) in enumerate(events) if kind == "send"
    }
    received = [
        (at, channel, number) for at, (_, _, kind, channel, number) in enumerate(events) if kind == "receive"
    ]
    assert received
    assert all(sent[channel, number] < at for at, channel, number in received)


def test_what_is_restored_is_in_the_channels_before_anything_happens(tmp_path):
    """A process's first line may be written after another has sent: nothing is followed before all are there."""
    log = GrowingLog(
        tmp_path, restored=[(2, {"e": "restore", "inc": 2, "s": 989, "chans": [[[1, 2], [5, 6]]]})]
    )
    run = LiveRun(tmp_path)
    for process in (1, 3):
        log.grow(process, 10_000)
    log.grow(2, len(log.left[2].partition(b"\n")[0]) + 1)
    run.look()
    assert run.run is not None
    assert run.events == 0
    log.grow(2, len(log.left[2].partition(b"\n")[0]) + 1)
    run.look()
    channel = next(channel for channel in run.channels() if channel.name == "1->2")
    assert channel.messages[:2] == ["#1: 5", "#2: 6"]
    assert "renumbered" not in run.refused
    assert "message 1 is sent on 1->2 after 2" in run.refused, "the simulated sender counts anew"


def test_a_wrong_line_ends_it_and_is_told(tmp_path):
    log, live = GrowingLog(tmp_path, bug="late-marker"), LiveRun(tmp_path)
    log.end()
    live.look()
    refused = validate(log.place).refused
    assert refused.where.rpartition("/")[2].split(":")[0] in live.refused
    assert "the marker goes out before anything else" in live.refused
    events = live.events
    live.look()
    assert live.events == events


def test_nothing_is_there_before_all_logs_are(tmp_path):
    live = LiveRun(tmp_path)
    live.look()
    log = GrowingLog(tmp_path)
    log.grow(1, 10_000)
    live.look()
    assert (live.run, live.trace(), live.channels(), live.snapshots(), live.events) == (None, None, [], [], 0)


def test_the_picture_has_the_snapshots_that_are_taken_in_it(tmp_path):
    log, live, random = GrowingLog(tmp_path), LiveRun(tmp_path), Random(3)
    cuts, in_transit = set(), False
    while not log.over:
        log.grow_at_random(random)
        live.look()
        trace = live.trace()
        if trace is not None:
            diagram = diagram_of(trace)
            cuts |= {cut.name for cut in diagram.cuts}
            in_transit |= any(message.end is None for message in diagram.messages)
            assert len(trace.steps) <= 25
    assert cuts == {f"snapshot {name}" for name in validate(log.place).complete}
    assert in_transit


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_cut_of_each_snapshot_is_what_was_counted(protocol, tmp_path):
    log, live = GrowingLog(tmp_path, protocol), LiveRun(tmp_path)
    log.end()
    live.look()
    for snapshot in live.snapshots():
        diagram = diagram_of(*cut_behaviour(log.place, snapshot.id))
        (cut,) = diagram.cuts
        assert len(cut.states) == len(live.run.processes)
        crossing = [m for m in diagram.messages if m.crossing == "white in red"]
        assert len(diagram.kept) == snapshot.in_flight
        if protocol in ("ChandyLamport", "UnalignedBarriers"):
            assert {k.message for k in diagram.kept} == {m.id for m in crossing}
        wrong = [m for m in diagram.messages if m.crossing == "red in white"]
        assert protocol == "AtLeastOnceBarriers" or not wrong
