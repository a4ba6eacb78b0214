"""Apache Flink past its handlers: complete jobs, killed at random moments, judged by what they log and what they write.

A job runs on Flink's cluster within one process (:mod:`~pyharness.lab.real_systems.flink_job`), with a checkpoint every 20
milliseconds. At level DEBUG its barrier handlers log which barriers come and when they trigger, and its coordinator
which acknowledgements come and what is complete: so the log is held against the specs as that of any program is, and no
code of Flink is changed. The process is killed (SIGKILL), goes on from its newest checkpoint, and is left to finish in
the end; what the sink has committed by then is the numbers from 1, each once.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata
from typing import TYPE_CHECKING, Final

from pyharness.base.toolchain.bounded_files import read_utf8
from pyharness.base.toolchain.extras import require_extra
from pyharness.base.toolchain.machine_size import cores
from pyharness.hold.logs.imported_logs import from_flink, write_logs
from pyharness.hold.logs.validation import validate
from pyharness.lab.real_systems.flink_job import MODES
from pyharness.lab.real_systems.held_rules import Held, Rule
from pyharness.lab.real_systems.killed_process import kill, started, wait_for

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

ROWS: Final = 6000
_RATE: Final = 1500
"""Of each of the two parts of a source, a second: a job takes two, if it is not killed."""

_KILLS: Final = 5
"""Of a job, at most."""

_SECONDS: Final = 300
"""So long a job may take to start, or to finish."""

_AGAIN: Final = 120
"""So long one is waited for that may write again what is there."""

_MOST: Final = 64 * 1024 * 1024

_PROTOCOLS: Final = {
    "aligned": "AlignedBarriers",
    "unaligned": "UnalignedBarriers",
    "at-least-once": "AtLeastOnceBarriers",
}


@dataclass(frozen=True)
class Job:
    """The files that a job has left: the evidence that :func:`judge` looks at.

    ``logs`` are those of its executions, all but the last of which were killed; ``visible`` has, of each kill, the
    numbers that the sink had committed by then, and ``output`` those that it has in the end. ``wanted`` is how many
    numbers there are, from 1.
    """

    name: str
    mode: str
    logs: Sequence[Path]
    visible: Sequence[tuple[int, ...]]
    output: tuple[int, ...]
    wanted: int = ROWS
    last: frozenset[int] = frozenset()
    """The largest number of each of the sink's tasks: what it commits at the end of its input has it."""

    torn: Sequence[bool] = field(default=())
    """Of each kill, whether it met a checkpoint that was under way."""


def hold_flink_log(
    *, seed: int, kills: int, place: Path, say: Callable[[str], object], modes: Sequence[str] = tuple(MODES)
) -> Held:
    """Run jobs of all modes in directories below ``place``, kill them ``kills`` times, and judge what they leave.

    Raises SpecError without the extra, and IncompleteError when a job does not start or finish in time, or fails.
    """
    require_extra("flink")
    count = max(len(modes), -(-kills // _KILLS))
    wanted = [kills // count + (number < kills % count) for number in range(count)]
    done: list[Path] = []

    def work(number: int) -> Job:
        directory = place / f"job-{number}"
        directory.mkdir()
        generator = random.Random(seed * 1_000_003 + number)  # noqa: S311 - moments, no secrets
        mode = modes[number % len(modes)]
        visible, torn = [], []
        for log in _lives(directory, mode, wanted[number], generator):
            visible.append(_committed(directory))
            torn.append(_under_way(log))
            done.append(log)
            say(f"{len(done)} of {kills} kills")
        return read_job(directory, mode, visible, torn)

    with ThreadPoolExecutor(cores()) as pool:
        ahead = pool.submit(_commits_ahead, place / "ahead")
        jobs = list(pool.map(work, range(count)))
        known = ahead.result()
    return judge(jobs, place, f"pyharness systems flink-log --seed {seed} --kills {kills}", known)


def _commits_ahead(place: Path) -> tuple[int, ...]:
    """Kill a job whose sink has committed all, ahead of a checkpoint, and return what is there once it ran again.

    At the end of its input Flink's file sink commits what no checkpoint has: that is there twice then. The job itself
    does not end, for it has another insert, so that it can be killed at leisure.
    """
    place.mkdir()
    with _started(place, place / "execution-0.log", "aligned", inserts=2) as job:
        _wait(job, place, lambda: len(_committed(place)) >= ROWS)
        kill(job)
    with _started(place, place / "execution-1.log", "aligned", inserts=2) as job:
        end = time.monotonic() + _AGAIN
        _wait(job, place, lambda: len(_committed(place)) > ROWS or time.monotonic() > end)
        kill(job)
    return _committed(place)


def _lives(place: Path, mode: str, kills: int, generator: random.Random) -> Iterator[Path]:
    """Run the job, kill it up to ``kills`` times, each time after some more checkpoints, and let it finish in the end.

    Yields the log of each execution that was killed.
    """
    for life in range(kills + 1):
        log = place / f"execution-{life}.log"
        with _started(place, log, mode) as job:
            if life < kills:
                wanted = generator.randint(1, 6)
                _wait(job, place, lambda: _completed(log) >= wanted or _finished(place))  # noqa: B023 - it ends here
                time.sleep(generator.uniform(0, 0.08))
            else:
                _wait(job, place, lambda: _finished(place))
            finished = _finished(place)
            kill(job)
        if finished:
            return
        yield log


def _started(place: Path, log: Path, mode: str, inserts: int = 1) -> subprocess.Popen[bytes]:
    newest = max(place.glob("checkpoints/*/chk-*/_metadata"), key=_number, default=None)
    words = [
        str(os.getpid()),
        str(place),
        str(log),
        mode,
        str(ROWS),
        str(_RATE),
        str(inserts),
        str(newest.parent) if newest else "",
    ]
    return started("pyharness.lab.real_systems.flink_job", words, place / "job.log")


def _number(metadata_file: Path) -> int:
    return int(metadata_file.parent.name.removeprefix("chk-"))


def _completed(log: Path) -> int:
    return log.read_bytes().count(b"Completed checkpoint ") if log.is_file() else 0


def _finished(place: Path) -> bool:
    return (place / "finished").is_file()


def _wait(job: subprocess.Popen[bytes], place: Path, seen: Callable[[], bool]) -> None:
    wait_for(job, seen, "Flink's job", place / "job.log", _SECONDS)


def _committed(place: Path) -> tuple[int, ...]:
    """Return the numbers in the files that the sink has committed: those that are not hidden."""
    return tuple(sorted(int(line) for path in _files(place) for line in read_utf8(path, _MOST).split()))


def _files(place: Path) -> list[Path]:
    with suppress(FileNotFoundError):
        return [path for path in (place / "output").iterdir() if not path.name.startswith((".", "_"))]
    return []


def read_job(
    place: Path, mode: str, visible: Sequence[tuple[int, ...]] = (), torn: Sequence[bool] = ()
) -> Job:
    """Read what a job has left in its directory."""
    logs = sorted(place.glob("execution-*.log"), key=lambda path: int(path.stem.partition("-")[2]))
    last: dict[str, int] = {}
    for path in _files(place):  # part-UUID-TASK-NUMBER
        task = path.name.split("-")[-2]
        last[task] = max([last.get(task, 0), *map(int, read_utf8(path, _MOST).split())])
    return Job(place.name, mode, logs, visible, _committed(place), ROWS, frozenset(last.values()), torn)


# -- what the coordinator logs ---------------------------------------------------------------------------------------

_COORDINATOR: Final = re.compile(
    r"CheckpointCoordinator\S* .*?- (?:"
    r"Triggering checkpoint (?P<begun>\d+) \(type=CheckpointType\{name='Checkpoint'"
    r"|Received acknowledge message for checkpoint (?P<acknowledged>\d+) from task (?P<task>\w+) of job"
    r"|Completed checkpoint (?P<completed>\d+) for job"
    r"|(?:Decline checkpoint|Checkpoint) (?P<declined>\d+) (?:by task|of job \w+ expired))"
)
_TRIGGERED: Final = re.compile(
    r"SingleCheckpointBarrierHandler\S* .*? - .{1,300}? \((?P<task>\w+)\): "
    r"Triggering checkpoint (?P<number>\d+) on the "
)


@dataclass
class _Coordinated:
    """The lines of a log, in order: the begin, acknowledgements, triggers and completion of each checkpoint."""

    begun: dict[int, int] = field(default_factory=dict)
    acknowledged: dict[int, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    triggered: dict[int, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    again: list[str] = field(default_factory=list)
    completed: dict[int, int] = field(default_factory=dict)
    declined: dict[int, int] = field(default_factory=dict)


def _coordinated(log: Path) -> _Coordinated:
    found = _Coordinated()
    for number, line in enumerate(read_utf8(log, _MOST).split("\n"), start=1):
        if match := _TRIGGERED.search(line):
            checkpoint = int(match["number"])
            if match["task"] in found.triggered[checkpoint]:
                found.again.append(f"line {number}: {match['task'][-4:]} triggers {checkpoint} again")
            found.triggered[checkpoint].setdefault(match["task"], number)
        elif match := _COORDINATOR.search(line):
            if match["begun"]:
                found.begun.setdefault(int(match["begun"]), number)
            elif match["acknowledged"]:
                found.acknowledged[int(match["acknowledged"])].setdefault(match["task"], number)
            elif match["completed"]:
                found.completed[int(match["completed"])] = number
            else:
                found.declined.setdefault(int(match["declined"]), number)
    return found


def _under_way(log: Path) -> bool:
    """Whether a checkpoint had begun, and was neither complete nor declined."""
    found = _coordinated(log)
    return bool(set(found.begun) - set(found.completed) - set(found.declined))


# -- the rules -------------------------------------------------------------------------------------------------------


def judge(jobs: Sequence[Job], place: Path, command: str, ahead: Sequence[int]) -> Held:
    """Hold what the jobs have left against the rules; what their logs are converted to is written below ``place``.

    ``ahead`` is the output of one that was killed behind the end of its input, and ahead of a checkpoint.
    """
    handlers = Rule(
        "handlers",
        "a task triggers a checkpoint at the last of its inputs' barriers, an unaligned one at the first, and once",
        "NoRedInWhite, A5",
    )
    before = Rule("acknowledge", "a task acknowledges a checkpoint after it has triggered it", "A8")
    complete = Rule(
        "complete",
        "a checkpoint is complete after each task that takes part in it, or in a later one, has acknowledged it",
        "A8",
    )
    order = Rule(
        "in order",
        "checkpoints are complete in ascending order, and none that was declined before is",
        "A7, A8",
    )
    kept = Rule("committed", "what the sink had committed when it was killed is there in the end", "A3")
    end = Rule(
        "end",
        "in the end the sink has each number once; at least once, where barriers do not align",
        "A3, A4",
    )
    known = Rule(
        "known difference",
        "what is committed at the end of the input, ahead of a checkpoint, is there twice",
        "A3",
    )
    if ahead:
        known.check("the most copies of a number", max(Counter(ahead).values()), 2)
    twice = behind = 0
    for job in jobs:
        for life, log in enumerate(job.logs):
            where = f"{job.name} ({job.mode}), execution {life}"
            found = _coordinated(log)
            if found.completed:  # else there may be no barrier at all
                _judge_handlers(job, log, place / f"{job.name}-{life}", where, handlers)
            handlers.check(f"{where}: triggered twice", found.again[:3], [])
            _judge_coordinator(found, where, before, complete, order)
        for life, seen in enumerate(job.visible):
            lost = sorted(Counter(seen) - Counter(job.output))
            kept.check(f"{job.name} ({job.mode}), kill {life}: lost", lost[:5], [])
        counted = Counter(job.output)
        many = {number for number, times in counted.items() if times > 1}
        excused = {number for number in many if counted[number] <= _most_often(job, number)}
        if job.mode == "at-least-once":
            twice += len(many)
        else:
            behind += len(excused)
        missing = [number for number in range(1, job.wanted + 1) if number not in counted]
        foreign = sorted(set(counted) - set(range(1, job.wanted + 1)))
        end.checked += job.wanted
        end.check(f"{job.name} ({job.mode}): missing, foreign", (missing[:5], foreign[:5]), ([], []))
        if job.mode != "at-least-once":
            end.check(f"{job.name} ({job.mode}): there twice", sorted(many - excused)[:5], [])
    completed = sum(len(_coordinated(log).completed) for job in jobs for log in job.logs)
    return Held(
        system="flink-log",
        version=f"apache-flink {metadata.version('apache-flink-libraries')}",
        command=command,
        did={
            "jobs": len(jobs),
            "kills": sum(len(job.visible) for job in jobs),
            "kills within a checkpoint": sum(sum(job.torn) for job in jobs),
            "complete checkpoints": completed,
        },
        rules=[handlers, before, complete, order, kept, end, known],
        seen={
            "numbers that are there twice, as is allowed at-least-once (A4)": twice,
            "numbers that are there twice after a kill behind the end of the input (known difference)": behind,
        },
    )


def _most_often(job: Job, number: int) -> int:
    """Return how often a number may be there by the known difference: once more for each kill behind the input's end.

    What was there before the first of these came from a checkpoint, and may be there once.
    """
    over = [bool(job.last & set(seen)) for seen in job.visible]
    early = any(number in seen for seen, ended in zip(job.visible, over, strict=True) if not ended)
    return 1 if early else 1 + sum(over)


def _judge_handlers(job: Job, log: Path, place: Path, where: str, rule: Rule) -> None:
    """Validate a log as that of any program; each checkpoint that a task triggers counts once."""
    logs = from_flink([log], _PROTOCOLS[job.mode]).logs
    write_logs(logs, place)
    came = validate(place)
    inputs = re.compile(r" input \d+\.\d+")
    counts = {
        task: sum(event.get("e") == "record" for event in events)
        for task, events in logs.items()
        if not inputs.search(task)
    }
    rule.checked += sum(counts.values())
    rule.check(
        f"{where}: tasks that trigger nothing", sorted(t for t, count in counts.items() if not count), []
    )
    refused = f"{came.refused.where}: {came.refused.message}" if came.refused is not None else "nothing"
    rule.check(f"{where}: refused", refused, "nothing")


def _judge_coordinator(found: _Coordinated, where: str, before: Rule, complete: Rule, order: Rule) -> None:
    for checkpoint, by_task in found.acknowledged.items():
        for task, line in by_task.items():
            if task in found.triggered.get(checkpoint, {}):
                early = line < found.triggered[checkpoint][task]
                before.check(f"{where}, checkpoint {checkpoint}: {task[-4:]} early", early, wanted=False)
    last: Counter[str] = Counter()
    for known in (found.acknowledged, found.triggered):
        for checkpoint, by_task in known.items():
            for task in by_task:
                last[task] = max(last[task], checkpoint)
    for checkpoint, line in found.completed.items():
        came = {task for task, at in found.acknowledged.get(checkpoint, {}).items() if at < line}
        missing = sorted(
            task[-4:] for task, newest in last.items() if newest >= checkpoint and task not in came
        )
        complete.check(f"{where}, checkpoint {checkpoint}: not acknowledged by", missing, [])
        declined = found.declined.get(checkpoint, line) < line
        order.check(f"{where}, checkpoint {checkpoint}: declined before", declined, wanted=False)
    numbers = [number for number, _ in sorted(found.completed.items(), key=lambda item: item[1])]
    order.check(f"{where}: complete in the order", numbers, sorted(numbers))
