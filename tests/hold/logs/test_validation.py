"""Logs of runs: right ones pass, in any order that is as good; one wrong line is refused, by the fold and by TLC."""

from __future__ import annotations

import json
import os
from random import Random

import pytest

from pyharness.base.errors import DisagreementError, IncompleteError, SpecError
from pyharness.hold.logs import run_log
from pyharness.hold.logs.fold import Fold
from pyharness.hold.logs.log_events import FORMAT
from pyharness.hold.logs.rules import PROTOCOLS, possible
from pyharness.hold.logs.validation import validate
from pyharness.models.machine_tools import find_tools
from tests.hold.logs.log_cases import TAMPERED, log_of, lost, twice
from tests.hold.logs.log_judge import wrong_lines
from tests.hold.logs.simulated_logs import RING, Simulation, simulated, write_log
from tests.hold.logs.tampered_table import PAGE, SEEDS, judged, row
from tests.long import long_but, some


@pytest.fixture(scope="module")
def runs():
    return [simulated("ChandyLamport", seed).lines for seed in SEEDS]


def share(found):
    return sum(blamed for _, blamed in found) / len(found)


def test_the_judge_finds_no_line_of_a_right_log_wrong(runs):
    assert not any(wrong_lines(lines, Random(order)) for lines in runs[:5] for order in range(5))


@pytest.mark.parametrize("kind", TAMPERED)
def test_a_log_that_was_tampered_with_is_refused_at_the_judge_s_line(kind, tmp_path):
    """Without contents fewer are wrong."""
    found = judged(kind, SEEDS[:5], tmp_path / "full")
    assert [(came.verdict, blamed) for came, blamed in found] == [("violation", True)] * 5
    without = judged(kind, SEEDS[:3], tmp_path / "bare", without_contents=True)
    assert all(came.verdict == "violation" and blamed for came, blamed in without)


@pytest.mark.parametrize("kind", some(TAMPERED, 1))
def test_the_row_of_a_kind_in_the_documentation_is_what_all_its_logs_give(kind, tmp_path):
    found = judged(kind, SEEDS, tmp_path / "full")
    assert [came.verdict for came, _ in found] == ["violation"] * len(SEEDS)
    assert share(found) >= 0.95
    assert row(kind, found) in PAGE.read_text(encoding="utf-8"), (
        "run python -m tests.hold.logs.tampered_table"
    )
    without = judged(kind, SEEDS[:10], tmp_path / "bare", without_contents=True)
    assert all(came.verdict == "violation" for came, _ in without)
    assert not without or share(without) >= 0.95


def test_a_reader_that_lets_wrong_lines_wait_blames_others(tmp_path, monkeypatch):
    monkeypatch.setattr(run_log, "possible", lambda event, channel, _: possible(event, channel, None))
    kinds = ["a marker is another snapshot's", "a marker is of a snapshot that nobody takes"]
    assert all(share(judged(kind, SEEDS, tmp_path)) < 0.95 for kind in kinds)


def test_all_lines_that_wait_for_each_other_are_named(tmp_path):
    """Each receives first what the one before it sends then: none of the lines is more wrong than another."""
    channels = [[1, 2], [2, 3], [3, 1], [3, 4]]
    logs = [
        [{"e": "receive", "c": [(n + 1) % 3 + 1, n]}, {"e": "send", "c": [n, n % 3 + 1]}] for n in (1, 2, 3)
    ]
    logs[2].append({"e": "send", "c": [3, 4]})
    lines = log_of("ChandyLamport", channels, *logs, [{"e": "receive", "c": [3, 4]}])
    refused = validate(write_log(tmp_path / "log", lines)).refused
    named = {f"p{n}.jsonl" for n in range(1, 5) if f"p{n}.jsonl:2" in f"{refused.where} {refused.message}"}
    assert named == {"p1.jsonl", "p2.jsonl", "p3.jsonl"}
    assert "wait for each other" in refused.message


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_right_log_passes_in_other_orders_too(protocol, tmp_path):
    for seed in range(3):
        place = write_log(tmp_path / str(seed), simulated(protocol, seed).lines)
        plain = validate(place)
        assert plain.verdict == "pass"
        assert plain.complete
        for order in range(10):
            other = validate(place, shuffled=Random(order))
            assert other.verdict == "pass"
            assert sorted(other.complete) == sorted(plain.complete)
            assert other.crossing == plain.crossing


@pytest.mark.parametrize("protocol", [name for name, rules in PROTOCOLS.items() if rules.markers])
def test_a_wrong_log_is_refused_for_the_same_reason_in_other_orders(protocol, tmp_path):
    for seed in range(3):
        place = write_log(tmp_path / str(seed), simulated(protocol, seed, bug="late-marker").lines)
        plain = validate(place).refused
        assert plain is not None
        for order in range(10):
            other = validate(place, shuffled=Random(order)).refused
            assert other is not None
            assert other.rule == plain.rule


@pytest.mark.tlc
@pytest.mark.parametrize("protocol", long_but(PROTOCOLS, {"UnalignedBarriers", "StopTheWorld"}))
def test_tlc_walks_what_the_fold_accepts(protocol, tmp_path):
    came = validate(write_log(tmp_path / "log", simulated(protocol, 5).lines), tools=find_tools())
    assert came.verdict == "pass"
    assert sorted(came.walked) == sorted(came.complete)


@pytest.mark.tlc
def test_a_fold_that_refuses_what_is_right_is_found_out(monkeypatch, tmp_path):
    def refuse(self, event, snapshot, process):
        raise self.wrong(event, "made up", "none", snapshot.id)

    monkeypatch.setattr(Fold, "_compare", refuse)
    place = write_log(tmp_path / "log", simulated("ChandyLamport").lines)
    with pytest.raises(DisagreementError, match="TLC walks it to its end"):
        validate(place, tools=find_tools())


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_logs_of_each_protocol_are_judged_as_they_must_be(protocol, tmp_path):
    logs = [
        ("pass", simulated(protocol).lines),
        ("violation", tampered(lost("send"), protocol)),
        ("violation", tampered(twice("record"), protocol)),
        ("incomplete", simulated(protocol, snapshots=4, steps=15).lines),
    ]
    if PROTOCOLS[protocol].markers:
        logs.append(("violation", simulated(protocol, bug="late-marker").lines))
    for number, (verdict, lines) in enumerate(logs):
        assert validate(write_log(tmp_path / str(number), lines)).verdict == verdict


def tampered(tamper, protocol):
    lines = simulated(protocol).lines
    tamper(lines, Random(1))
    return lines


# What shows nothing


def _quiet(*, snapshot_last):
    run = Simulation("ChandyLamport", 3, RING, 1)
    if not snapshot_last:
        run.snapshot("1.1")
        run._send((1, 2))
        run._send((2, 3))
    else:
        for _ in range(20):
            run.step()
        run.snapshot("1.1")
    run.drain()
    return run


def _alone():
    run = Simulation("ChandyLamport", 1, [], 1)
    run.snapshot("1.1")
    run.drain()
    return run


@pytest.mark.parametrize(
    ("why", "make"),
    [
        ("no snapshot is complete", lambda: simulated("ChandyLamport", steps=15)),
        ("nothing was sent after a marker", lambda: _quiet(snapshot_last=True)),
        ("no message crossed a cut", lambda: _quiet(snapshot_last=False)),
        ("only one process recorded", _alone),
    ],
)
def test_a_log_that_shows_nothing_is_no_pass(why, make, tmp_path):
    came = validate(write_log(tmp_path / "log", make().lines))
    assert came.verdict == "incomplete"
    assert came.vacuous == [why]


def test_an_empty_directory_is_no_pass(tmp_path):
    with pytest.raises(IncompleteError, match="no log"):
        validate(tmp_path)


# What is no log


def written(tmp_path, text, name="p1.jsonl"):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path


HEADER = json.dumps({"format": FORMAT, "process": 1, "protocol": "ChandyLamport", "channels": []}) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe\n",
        b"[]\n",
        b"{}\n",
        b'{"format": "pyharness-log/2", "process": 1}\n',
        b"[" * 100_000 + b"\n",
        HEADER + "nonsense\n",
        HEADER + '{"e": "fly"}\n',
        HEADER + '{"e": ["send"]}\n',
        HEADER + '{"e": "send", "c": 1}\n',
        HEADER + '{"e": "send", "c": [[], {}]}\n',
        HEADER + '{"e": "record"}\n',
        HEADER + '{"e": "record", "id": {}}\n',
        HEADER + '{"e": "internal", "s": NaN}\n',
        HEADER + '{"e": "end"}\n{"e": "internal"}\n',
        HEADER + '{"e": "internal"}\n{"e": "restore"}\n',
        HEADER + f'{{"e": "internal", "s": {"9" * 5000}}}\n',
        HEADER + '{"e": "restore", "chans": 3}\n',
        HEADER + '{"e": "record", "id": 1}\n{"e": "done", "id": 1, "chans": 3}\n',
        HEADER + '{"e": "record", "id": 1}\n{"e": "done", "id": 1, "chans": [[3, []]]}\n',
        HEADER.replace('"ChandyLamport"', "3"),
        HEADER.replace('"ChandyLamport"', '"Paxos"'),
        HEADER.replace("[]", '[["1"]]'),
        HEADER.replace("}\n", ', "sum": "much"}\n'),
        HEADER + "x" * (1 << 21) + "\n",
    ],
)
def test_what_is_no_log_is_said_to_be_none(text, tmp_path):
    with pytest.raises(SpecError) as error:
        validate(written(tmp_path, text))
    assert "p1.jsonl" in str(error.value) or str(tmp_path) in str(error.value)


def test_a_torn_last_line_is_left_out_and_said_so(tmp_path):
    came = validate(written(tmp_path, HEADER + '{"e": "internal"}\n{"e": "inter'))
    assert came.events == 1
    assert "torn" in came.notes[0]


def test_a_process_without_a_log_is_missing_evidence(tmp_path):
    with pytest.raises(IncompleteError, match="no log of process 2"):
        validate(written(tmp_path, HEADER.replace("[]", "[[1, 2]]")))


def test_two_logs_of_a_process_are_two_runs(tmp_path):
    written(tmp_path, HEADER, "p2.jsonl")
    with pytest.raises(SpecError, match="two logs"):
        validate(written(tmp_path, HEADER))


def test_no_link_is_followed_and_no_pipe_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(SpecError, match="no regular file"):
        validate(tmp_path)
    (tmp_path / "a.jsonl").unlink()
    (tmp_path / "a.jsonl").symlink_to(written(tmp_path, HEADER, "other") / "other")
    with pytest.raises(SpecError, match="cannot be read"):
        validate(tmp_path)


@pytest.mark.parametrize("number", [None, 0, "1", True, 1.5])
def test_a_message_s_number_is_a_number_or_is_left_out(tmp_path, number):
    lines = simulated("ChandyLamport").lines
    event = next(event for event in lines[1] if event.get("e") == "send")
    event["m"] = number
    with pytest.raises(SpecError, match="m is the number of a message on its channel, from 1"):
        validate(write_log(tmp_path / "log", lines))
    del event["m"]
    assert validate(write_log(tmp_path / "left-out", lines)).refused is None
