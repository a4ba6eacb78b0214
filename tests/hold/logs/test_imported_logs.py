"""Logs of other tools: ShiViz and GoVector decide the cut, Flink's own barrier handler who recorded when."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.cli.main import cli
from pyharness.hold.logs.imported_logs import from_flink, from_shiviz, write_logs
from pyharness.hold.logs.rules import PROTOCOLS
from pyharness.hold.logs.run_log import RunLog
from pyharness.hold.logs.validation import validate
from tests.hold.logs.simulated_logs import simulated, write_log

SAMPLES = Path(__file__).parent / "samples"
ALIGNED, UNALIGNED = SAMPLES / "flink-aligned.log", SAMPLES / "flink-unaligned.log"
"""Recorded from Flink 2.3.0: barriers 1 to 7 on two inputs, 4 cancelled, 5 overtaken by 6, with log4j at DEBUG."""

GOVECTOR = SAMPLES / "govector.log"


def govector(tmp_path, change=lambda text: text):
    path = tmp_path / "run.log"
    path.write_text(change(GOVECTOR.read_text(encoding="utf-8")), encoding="utf-8")
    return path


@pytest.mark.parametrize("behind", ["", " ", "\t "])
def test_the_cut_of_a_govector_log_is_decided(tmp_path, behind):
    log = govector(tmp_path, lambda text: text.replace("}\n", f"}}{behind}\n"))
    write_logs(from_shiviz([log]).logs, tmp_path / "run")
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

    write_logs(from_shiviz([govector(tmp_path, late)]).logs, tmp_path / "run")
    refused = validate(tmp_path / "run").refused
    assert refused is not None
    assert refused.where == f"{tmp_path}/run.log:15"
    assert refused.snapshot == "1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing", "no event of GoVector is found"),
        ("a {1}\nx\n", "no clock"),
        ('a {"b":1}\nx\n', "the clock has no entry of a"),
    ],
)
def test_a_text_that_is_no_event_is_refused(text, said, tmp_path):
    with pytest.raises(SpecError, match=said):
        from_shiviz([govector(tmp_path, lambda _: text)])


def rendered(lines, place, *, markers):
    """Write a run as GoVector does: with ``markers`` they tick and carry clocks, too; else messages alone do."""
    run = RunLog(write_log(place / "own", lines))
    run.rules = PROTOCOLS["ChandyLamport"]
    clocks, carried, text = {process: {} for process in run.processes}, {}, []
    words = {
        "record": "Recorded for snapshot",
        "marker": "Received MARKER of",
        "marker-out": "Sending MARKER of",
    }
    for event in run.merged():
        if event.kind in {"done", "end"} or (not markers and event.kind in {"marker", "marker-out"}):
            continue
        clock = clocks[event.process]
        clock[event.process] = clock.get(event.process, 0) + 1
        key = (event.channel, event.number, event.id)
        if event.kind in {"receive", "marker"}:
            clock |= {p: max(n, clock.get(p, 0)) for p, n in carried.pop(key).items()}
        carried[key] = dict(clock)
        said = f"{words.get(event.kind, event.kind)} {event.id or event.number}"
        text.append(f"P{event.process} {json.dumps({f'P{p}': n for p, n in clock.items()})}\n{said}\n")
    run.close()
    place.joinpath("run.log").write_text("".join(text), encoding="utf-8")
    return place / "run.log"


@pytest.mark.parametrize(("bug", "verdict"), [("", "pass"), ("late-marker", "violation")])
def test_a_run_has_one_verdict_in_three_renderings(bug, verdict, tmp_path):
    """A marker that ticks and carries its clock makes others know of an event behind the record, and of no message."""
    lines = simulated("ChandyLamport", 3, bug=bug).lines
    assert validate(write_log(tmp_path / "log", lines)).verdict == verdict
    for markers in (True, False):
        (tmp_path / str(markers)).mkdir()
        logs, counts = from_shiviz([rendered(lines, tmp_path / str(markers), markers=markers)])
        write_logs(logs, tmp_path / f"run-{markers}")
        came = validate(tmp_path / f"run-{markers}")
        assert came.verdict == verdict
        assert bool(counts["control events"]) == markers
        assert bug or len(came.complete) == 5


def test_a_message_that_is_sent_among_the_markers_is_no_part_of_the_record(tmp_path):
    text = """a {"a":1}\nrecorded snapshot 1\na {"a":2}\nsends a marker\na {"a":3}\nsends 5\na {"a":4}\nsends a marker
b {"b":1, "a":3}\nreceives 5\nb {"b":2, "a":3}\nrecorded snapshot 1\n"""
    path = tmp_path / "run.log"
    path.write_text(text, encoding="utf-8")
    write_logs(from_shiviz([path]).logs, tmp_path / "run")
    assert validate(tmp_path / "run").refused.message == (
        "b knows of event 3 of a as it records 1, and a recorded at event 2"
    )


def test_a_marker_that_goes_out_behind_a_message_is_no_message(tmp_path):
    """It passes on that there was one: c knows of it as it records, and has not received it."""
    text = """a {"a":1}\nrecorded snapshot 1\na {"a":2}\nsends a marker to b\na {"a":3}\nsends 5 to b
a {"a":4}\nsends a marker to c\nb {"b":1, "a":2}\nmarker\nb {"b":2, "a":2}\nrecorded snapshot 1
b {"b":3, "a":3}\nreceives 5\nc {"c":1, "a":4}\nmarker\n"""
    record, late = 'c {"c":2, "a":4}\nrecorded snapshot 1\n', 'c {"c":2, "a":4}\nreceives 6\n'
    for number, (more, verdict) in enumerate(
        [(record, "pass"), (late + record.replace("2", "3", 1), "violation")]
    ):
        path = tmp_path / f"{number}.log"
        path.write_text(text + more, encoding="utf-8")
        write_logs(from_shiviz([path]).logs, tmp_path / f"run-{number}")
        assert validate(tmp_path / f"run-{number}").verdict == verdict


def test_several_executions_in_one_log_are_refused(tmp_path):
    twice = govector(tmp_path, lambda text: f"{text}=== second ===\n{text}")
    with pytest.raises(SpecError, match=r"event 1 of alice is there twice, at .*run\.log:1 too") as told:
        from_shiviz([twice])
    assert "divide the file" in told.value.hint


def test_lines_that_are_left_out_are_counted(tmp_path):
    noisy = govector(tmp_path, lambda text: f"begin\n{text}\nnoise\nnoise {{\n")
    assert from_shiviz([noisy]).counts["lines of no event, left out"] == 3
    lines = ALIGNED.read_text(encoding="utf-8").splitlines()
    assert from_flink([ALIGNED], "AlignedBarriers").counts == {
        "lines of barrier handlers without a barrier or a record, left out": sum(
            "aligned for" in s for s in lines
        ),
        "barriers and records of checkpoints that were given up or not completed, left out": 6,
    }


LAYOUTS = {
    "logback": ("{thread} DEBUG o.a.f.s.r.i.c.{name} - {message}"),
    "with line numbers": "2022-09-29 07:08:33,100 DEBUG [,] [] org.apache.flink.{name}:[218] - {message}",
    "colon": "DEBUG {name}: {message}",
    "space": "DEBUG [{thread}] {name} {message}",
    "no class": "07:08:33.100 [{thread}] DEBUG - {message}",
    "no class, no dash": "07:08:33.100 [{thread}] DEBUG {message}",
    "json": '{{"@timestamp": "2022", "log.logger": "org.{name}", "message": "{message}"}}',
    "ecs, message first": '{{"log.level":"DEBUG","message":"{message}","process.thread.name":"{thread}","logger":"{name}"}}',
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_message_is_read_in_any_layout(layout, tmp_path):
    task = "Source: a - b -> Map (1/2)#0 (5b3167f1)"
    lines = ALIGNED.read_text(encoding="utf-8").splitlines()
    messages = [line.split(" [] - ")[1].replace("Count (1/2)#0", task) for line in lines]
    fields = {"thread": task, "name": "SingleCheckpointBarrierHandler"}
    path = tmp_path / "tasks.log"
    path.write_text(
        "\n".join(LAYOUTS[layout].format(message=m, **fields) for m in messages), encoding="utf-8"
    )
    plain, found = (from_flink([log], "AlignedBarriers").logs for log in (ALIGNED, path))
    assert task in found
    assert [len(log) for log in found.values()] == [len(log) for log in plain.values()]


@pytest.mark.parametrize(
    "layout",
    [
        "DEBUG [{task}] o.a.f.CheckpointBarrierTracker - {message}",
        "[main] {task} CheckpointBarrierTracker: [{task}] {message}",
        '{{"logger":"a.CheckpointBarrierTracker","message":"{message}","process.thread.name":"{task}"}}',
    ],
)
def test_the_tracker_s_task_is_its_thread(layout, tmp_path):
    info = "InputChannelInfo{gateIdx=0, inputChannelIdx=0}"
    messages = [
        f"Received barrier for checkpoint 1 from channel {info}",
        "All the channels are aligned for checkpoint 1.",
    ]
    path = tmp_path / "tasks.log"
    path.write_text(
        "\n".join(layout.format(task="Sink (1/1)#0", message=m) for m in messages), encoding="utf-8"
    )
    logs = from_flink([path], "UnalignedBarriers").logs
    assert [event["e"] for event in logs["Sink (1/1)#0"][1:]] == ["barrier", "record"]


def test_a_log_of_handlers_without_a_barrier_is_not_said_to_be_at_another_level(tmp_path):
    path = tmp_path / "tasks.log"
    path.write_text("DEBUG SingleCheckpointBarrierHandler - Sink (1/1)#0: something new\n", encoding="utf-8")
    with pytest.raises(SpecError, match="1 lines of barrier handlers, and none has a barrier"):
        from_flink([path], "AlignedBarriers")


def test_a_line_without_a_space_is_read_at_once(tmp_path):
    began = time.process_time()
    long = govector(tmp_path, lambda text: f"{'x' * 1_000_000}\n{text}")
    assert from_shiviz([long]).counts["lines of no event, left out"] == 1
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("path", "protocol"), [(ALIGNED, "AlignedBarriers"), (UNALIGNED, "UnalignedBarriers")]
)
def test_flinks_own_log_keeps_the_rules_and_shows_no_more(path, protocol, tmp_path):
    write_logs(from_flink([path], protocol).logs, tmp_path / "run")
    came = validate(tmp_path / "run")
    assert came.refused is None
    assert came.verdict == "incomplete"
    assert came.vacuous == ["nothing was sent after a marker"]
    assert {"1", "2", "3", "6"} <= set(came.complete)
    assert not {"4", "5"} & set(came.complete), "given up"


def test_a_directory_with_a_log_of_others_is_left_alone(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "theirs.jsonl").write_text("{}\n")
    with pytest.raises(SpecError, match="theirs"):
        write_logs(from_shiviz([GOVECTOR]).logs, tmp_path / "run")
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
