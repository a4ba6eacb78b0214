"""Flink's jobs are judged by their logs and their output; each fault seeded there is found."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from pyharness.lab.real_systems import flink_log
from pyharness.lab.real_systems.flink_log import Job, hold_flink_log, judge
from tests.security.test_spark_ports import LOOPBACK, listening

pytestmark = pytest.mark.skipif(
    not find_spec("pyflink"), reason="apache-flink-libraries not installed; `make flink` does"
)

TASKS = ("a1_v1_0_0", "a1_v1_1_0")
COORDINATOR = "10:00:00,000 DEBUG [io-1] org.apache.flink.runtime.checkpoint.CheckpointCoordinator [] - "
HANDLER = (
    "10:00:00,000 DEBUG [Join (1/2)#0] "
    "org.apache.flink.streaming.runtime.io.checkpointing.SingleCheckpointBarrierHandler [] - Join (1/2)#0 ({task}): "
)
TRACKER = (
    "10:00:00,000 DEBUG [Join ({task})#0] "
    "org.apache.flink.streaming.runtime.io.checkpointing.CheckpointBarrierTracker [] - "
)
TWICE = (1, 1, 2, 2)
CHANNEL = "InputChannelInfo{{gateIdx=0, inputChannelIdx={channel}}}"


def barrier(task, channel, number):
    return (
        HANDLER.format(task=task)
        + f"Received barrier from channel {CHANNEL.format(channel=channel)} @ {number}."
    )


def trigger(task, number):
    return HANDLER.format(task=task) + f"Triggering checkpoint {number} on the barrier announcement at 17."


def acknowledge(task, number):
    return (
        COORDINATOR
        + f"Received acknowledge message for checkpoint {number} from task {task} of job j at here."
    )


def complete(number):
    return COORDINATOR + f"Completed checkpoint {number} for job j (1 bytes, checkpointDuration=1 ms)."


def begin(number):
    return (
        COORDINATOR
        + f"Triggering checkpoint {number} (type=CheckpointType{{name='Checkpoint', x=y}}) @ 1 for job j."
    )


def decline(number):
    return COORDINATOR + f"Decline checkpoint {number} by task {TASKS[0]} of job j at here."


def checkpoint(number, *, first=False):
    """The lines of a checkpoint that is triggered at the last of two barriers, or at the first."""
    lines = [begin(number)]
    for task in TASKS:
        barriers = [barrier(task, channel, number) for channel in (0, 1)]
        barriers.insert(1 if first else 2, trigger(task, number))
        lines += [*barriers, acknowledge(task, number)]
    return [*lines, complete(number)]


@pytest.fixture
def place(tmp_path):
    (tmp_path / "log").mkdir()
    return tmp_path


def job(place, lines, mode="aligned", **fields):
    number = len(list((place / "log").iterdir()))
    log = place / "log" / f"{number}.log"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    facts = {
        "visible": [(1, 2)],
        "output": (1, 2, 3, 4),
        "wanted": 4,
        "last": frozenset({3, 4}),
        "torn": [True],
    }
    return Job(f"job-{number}", mode, [log], **{**facts, **fields})


def lines_of(count=4, **options):
    return [line for number in range(1, count + 1) for line in checkpoint(number, **options)]


def differing(job, place):
    found = judge([job], place / "judged", "command", TWICE)
    return {rule.name for rule in found.rules if rule.differences}


@pytest.fixture(autouse=True)
def judged(place):
    (place / "judged").mkdir()


def test_what_is_sound_passes(place):
    found = judge([job(place, lines_of())], place / "judged", "command", TWICE)
    assert found.exit_code == 0, found.text()
    assert found.did == {"jobs": 1, "kills": 1, "kills within a checkpoint": 1, "complete checkpoints": 4}
    assert {rule.name: rule.checked for rule in found.rules} == {
        "handlers": 11,
        "acknowledge": 8,
        "complete": 4,
        "in order": 5,
        "committed": 1,
        "end": 6,
        "known difference": 1,
    }


def test_unaligned_ones_trigger_at_the_first_barrier(place):
    assert differing(job(place, lines_of(first=True), "unaligned"), place) == set()


def test_without_a_kill_it_is_incomplete(place):
    assert judge([job(place, lines_of(), visible=[], torn=[])], place / "judged", "c", TWICE).exit_code == 3
    assert judge([], place / "judged", "c", TWICE).exit_code == 3


def moved(lines, what, by):
    at = next(n for n, line in enumerate(lines) if line == what)
    line = lines.pop(at)
    lines.insert(at + by, line)


def without(lines, what):
    lines.remove(what)


FAULTS = {
    "a trigger ahead of the last barrier": (lambda ls: moved(ls, trigger(TASKS[1], 2), -1), "handlers"),
    "a trigger behind the next barrier": (lambda ls: moved(ls, trigger(TASKS[0], 2), 9), "handlers"),
    "a trigger that is missing": (lambda ls: without(ls, trigger(TASKS[0], 2)), "handlers"),
    "a trigger that is there twice": (
        lambda ls: ls.insert(ls.index(trigger(TASKS[0], 2)) + 1, trigger(TASKS[0], 2)),
        "handlers",
    ),
    "a barrier that is missing": (lambda ls: without(ls, barrier(TASKS[0], 1, 2)), "handlers"),
    "an acknowledgement ahead of the trigger": (
        lambda ls: moved(ls, acknowledge(TASKS[0], 3), -2),
        "acknowledge",
    ),
    "a checkpoint complete without a task": (lambda ls: without(ls, acknowledge(TASKS[1], 2)), "complete"),
    "the last checkpoint complete without a task": (
        lambda ls: without(ls, acknowledge(TASKS[1], 4)),
        "complete",
    ),
    "barriers that are not understood": (
        lambda ls: [without(ls, barrier(TASKS[0], c, n)) for c in (0, 1) for n in (1, 2, 3, 4)],
        "handlers",
    ),
    "a checkpoint complete ahead of a task": (lambda ls: moved(ls, complete(2), -1), "complete"),
    "one complete behind the next": (lambda ls: moved(ls, complete(1), 10), "in order"),
    "one complete that was declined": (lambda ls: ls.insert(ls.index(complete(3)), decline(3)), "in order"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_in_a_log_is_found_by_its_rule(fault, place):
    change, rule = FAULTS[fault]
    lines = lines_of()
    change(lines)
    assert rule in differing(job(place, lines), place)


@pytest.mark.parametrize("mode", ["aligned", "unaligned"])
def test_the_log_of_one_mode_is_none_of_the_other(mode, place):
    lines = lines_of(first=mode == "aligned")
    assert differing(job(place, lines, mode), place) == {"handlers"}


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"output": (1, 2, 3)}, "end"),
        ({"output": (1, 2, 2, 3, 4)}, "end"),
        ({"output": (1, 2, 3, 4, 5)}, "end"),
        ({"output": (2, 3, 4)}, "committed"),
        ({"visible": [(1, 1)]}, "committed"),
    ],
)
def test_each_fault_in_the_output_is_found_by_its_rule(fields, rule, place):
    assert rule in differing(job(place, lines_of(), **fields), place)


def test_a_known_difference_that_is_gone_is_told(place):
    found = judge([job(place, lines_of())], place / "judged", "c", (1, 2))
    assert {rule.name for rule in found.rules if rule.differences} == {"known difference"}
    assert judge([job(place, lines_of())], place / "judged", "c", ()).exit_code == 3


def test_what_was_committed_at_the_end_ahead_of_a_checkpoint_may_be_there_twice(place):
    """That is the known difference: all was there when it was killed."""
    at_the_end = job(place, lines_of(), visible=[(1, 2, 3, 4)], output=(1, 2, 3, 3, 4, 4))
    assert differing(at_the_end, place) == set()
    assert differing(replace(at_the_end, visible=[(1, 2, 3)]), place) == set(), (
        "one of two tasks of the sink was done"
    )
    assert differing(replace(at_the_end, visible=[(1, 2)]), place) == {"end"}
    assert differing(replace(at_the_end, visible=[(1, 2, 3), (1, 2, 3, 4)], last=frozenset({4})), place) == {
        "end"
    }
    assert differing(replace(at_the_end, output=(1, 2, 3, 4, 4, 4)), place) == {"end"}


def tracked(number, tasks=("1/2", "2/2"), *, late=False):
    lines = [begin(number)]
    for task in tasks:
        head = TRACKER.format(task=task)
        came = [
            head + f"Received barrier for checkpoint {number} from channel {CHANNEL.format(channel=c)}"
            for c in (0, 1)
        ]
        came.insert(1 if late else 2, head + f"All the channels are aligned for checkpoint {number}")
        lines += came
    return [*lines, *(acknowledge(task, number) for task in TASKS), complete(number)]


def test_at_least_once_has_a_handler_of_its_own_and_may_have_a_number_twice(place):
    lines = [*lines_of(1), *(line for number in (2, 3, 4) for line in tracked(number))]
    sound = job(place, lines, "at-least-once", output=(1, 2, 2, 3, 4))
    found = judge([sound], place / "judged", "command", TWICE)
    assert found.exit_code == 0, found.text()
    assert next(iter(found.seen.values())) == 1
    lines = [*lines_of(1), *(line for number in (2, 3, 4) for line in tracked(number, late=True))]
    assert differing(job(place, lines, "at-least-once"), place) == {"handlers"}


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("PYHARNESS_SYSTEMS") != "required", reason="`make systems-quick` runs it")
def test_a_killed_flink_passes_listens_to_nobody_else_and_what_is_broken_on_disk_is_found(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(flink_log, "ROWS", 4000)
    jobs, places, over = [], set(), threading.Event()
    read = flink_log.read_job
    monkeypatch.setattr(flink_log, "read_job", lambda *words: jobs.append(read(*words)) or jobs[-1])

    def look():
        while not over.wait(0.2):
            for line in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    if b"real_systems.flink_job" in line.read_bytes():
                        places.update(listening(int(line.parent.name)))
                except OSError:
                    continue

    watching = threading.Thread(target=look)
    watching.start()
    try:
        found = hold_flink_log(
            seed=3, kills=2, place=tmp_path, say=lambda _: None, modes=("aligned", "at-least-once")
        )
    finally:
        over.set()
        watching.join()
    assert found.exit_code == 0, found.text()
    assert found.did["kills"] >= 1, "a job may end before"
    assert places, "it was seen while it listened"
    assert {address for address, _ in places} <= LOOPBACK
    aligned = next(job for job in jobs if job.mode == "aligned")
    judged = tmp_path / "again"
    judged.mkdir()
    assert "end" in {
        rule.name
        for rule in judge([replace(aligned, output=aligned.output[1:])], judged, "c", TWICE).rules
        if rule.differences
    }
    parts = sorted((tmp_path / aligned.name / "output").glob("part*"))
    output = next(path for path in parts if path.stat().st_size)
    output.write_text(output.read_text() * 4)  # the two kills may excuse three
    broken = read(tmp_path / aligned.name, "aligned", aligned.visible, aligned.torn)
    (judged / str(time.monotonic_ns())).mkdir()
    assert "end" in {rule.name for rule in judge([broken], judged, "c", TWICE).rules if rule.differences}
