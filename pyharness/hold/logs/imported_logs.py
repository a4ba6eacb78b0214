"""Logs of other tools, written as logs of ours: of ShiViz and GoVector, and of Flink's barrier handlers.

Nothing is added to their content. ShiViz's have vector clocks, and neither channels nor messages; Flink's have
barriers and records, and no messages: the questions that this leaves open are reported at the validation.
"""

from __future__ import annotations

import json
import re
import signal
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import read_utf8
from pyharness.base.toolchain.clean_text import one_line
from pyharness.base.toolchain.own_files import listed_files, own_directory, remove, write_list, write_text
from pyharness.hold.logs.log_events import FORMAT, clock_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import FrameType

GOVECTOR: Final = r"(?<host>\S+) (?<clock>\{.*\})\n(?<event>.*)"
"""How GoVector writes an event, and ShiViz reads it by default."""

RECORD: Final = r"(?i)\brecord(?:s|ed)?\b.*?\bsnapshot (?<id>[\w.-]+)"
"""The default pattern of a text that records a process's state, and names its snapshot."""

_MOST_BYTES: Final = 64 * 1024 * 1024
SECONDS: Final = 5
"""The most bytes of a file, and CPU seconds that a regular expression may take for an event."""

Logs = dict[str, list[dict[str, Any]]]
"""The header and events of each process, by its name."""


def from_shiviz(files: Sequence[Path], parse: str = GOVECTOR, record: str = RECORD) -> Logs:
    """Read logs of ShiViz: ``parse`` finds an event, by groups ``host``, ``clock`` (JSON) and ``event``, its text.

    An event whose text ``record`` finds is the record of the snapshot ``id``, a group. A host's events are in the
    order of its own clock, whatever files they are in. Regular expressions are those of ShiViz, ``(?<name>...)``.

    Raises SpecError for an expression that is none or lacks a group, or takes too long, and for files without events.
    """
    finds, says = _expression(parse, {"host", "clock"}), _expression(record, {"id"})
    events: dict[str, list[tuple[int, dict[str, Any]]]] = defaultdict(list)
    for file in files:
        text, line, begun = read_utf8(file, _MOST_BYTES), 1, 0
        for match in _matches(finds, text, str(file)):
            line, begun = line + text.count("\n", begun, match.start()), match.start()
            where = f"{file}:{line}"
            host, clock = match["host"], _clock(match["clock"], where)
            said = match["event"] if "event" in finds.groupindex else ""
            if not host or host not in clock:
                raise SpecError(f"the clock has no entry of {one_line(host, 60) or 'its host'}", where=where)
            event: dict[str, Any] = {"e": "internal", "vc": clock, "text": said[:200], "at": where}
            found = next(_matches(says, said[:2000], where), None)
            if found is not None:
                event |= {"e": "record", "id": found["id"]}
            events[host].append((clock[host], event))
    if not events:
        raise SpecError("no event is found", where=str(files[0]), hint="say by --parse how one is written")
    header = {"format": FORMAT, "channels": "none"}
    return {
        host: [header | {"process": host}, *(event for _, event in sorted(own, key=lambda pair: pair[0]))]
        for host, own in events.items()
    }


_FLINK: Final = re.compile(
    r"SingleCheckpointBarrierHandler\S* .*? - (?P<task>[^\n]{1,300}?): (?:"
    r"Received barrier from channel InputChannelInfo\{gateIdx=(?P<gate>\d{1,9}), inputChannelIdx=(?P<channel>\d{1,9})\}"
    r" @ (?P<came>\d{1,18})"
    r"|Triggering checkpoint (?P<triggered>\d{1,18}) on the "
    r"|Received cancellation (?P<cancelled>\d{1,18})"
    r"|Received (?:checkpoint barrier for checkpoint \d{1,18}|EndOfPartition\(-1\))"
    r" before completing current checkpoint (?P<subsumed>\d{1,18})"
    r"|Aborting checkpoint (?P<aborted>\d{1,18}) )"
)
"""The DEBUG lines of SingleCheckpointBarrierHandler, in Flink 1.18 to 2.3, after the part that a layout puts first."""

_TRACKER: Final = re.compile(
    r"\[(?P<task>[^\n]{1,300})\] \S*CheckpointBarrierTracker\S* .*?- (?:"
    r"Received barrier for checkpoint (?P<came>\d{1,18}) from channel "
    r"InputChannelInfo\{gateIdx=(?P<gate>\d{1,9}), inputChannelIdx=(?P<channel>\d{1,9})\}"
    r"|All the channels are aligned for checkpoint (?P<triggered>\d{1,18})"
    r"|Received cancellation barrier for checkpoint (?P<cancelled>\d{1,18}))"
)
"""The lines of CheckpointBarrierTracker, which name no task: the layout must have the thread, ``[%t] %c``."""

_LONGEST: Final = 4000


def from_flink(files: Sequence[Path], protocol: str) -> Logs:
    """Read the DEBUG messages of Flink's barrier handlers: when barriers came, and when it triggered a checkpoint.

    A task is a process. The senders of its barriers are in no such log: for each input there is a process that records and
    sends a barrier for each that comes. A checkpoint that a task gave up, and one that not all inputs' barriers have
    come of by the end (the inputs may have ended), is left out there.

    Raises SpecError for files without such lines.
    """
    tasks: dict[str, list[tuple[str, str, int, str]]] = defaultdict(list)
    given_up: dict[str, set[int]] = defaultdict(set)
    for file in files:
        for number, line in enumerate(read_utf8(file, _MOST_BYTES).split("\n"), start=1):
            match = _FLINK.search(line[:_LONGEST]) or _TRACKER.search(line[:_LONGEST])
            if match is None:
                continue
            task, where = match["task"], f"{file}:{number}"
            if match["came"]:
                tasks[task].append(
                    ("barrier", f"{match['gate']}.{match['channel']}", int(match["came"]), where)
                )
            elif match["triggered"]:
                tasks[task].append(("record", "", int(match["triggered"]), where))
            else:
                why = match.groupdict()
                given_up[task].add(int(why["cancelled"] or why.get("subsumed") or why["aborted"]))
    if not tasks:
        raise SpecError(
            "no line of a barrier handler",
            where=str(files[0]),
            hint="log org.apache.flink.streaming.runtime.io.checkpointing at level DEBUG",
        )
    logs: Logs = {}
    for task, events in tasks.items():
        _add_task(logs, task, events, given_up[task], {"format": FORMAT, "protocol": protocol})
    return logs


def _add_task(
    logs: Logs,
    task: str,
    events: Sequence[tuple[str, str, int, str]],
    given_up: set[int],
    header: dict[str, Any],
) -> None:
    """Add the log of a task, and of those that send its barriers."""
    last: dict[str, int] = {}
    for kind, channel, number, _ in events:
        if kind == "barrier":
            last[channel] = max(number, last.get(channel, 0))
    sources = {channel: f"{task} input {channel}" for channel in sorted(last)}
    header = header | {"channels": [[source, task] for source in sources.values()]}
    logs[task] = [header | {"process": task}]
    for source in sources.values():
        logs[source] = [header | {"process": source, "channels": [[source, task]]}]
    for kind, channel, number, where in events:
        if number in given_up or number > min(last.values(), default=0):
            continue
        event: dict[str, Any] = {"e": kind, "id": number, "at": where}
        if kind == "barrier":
            source = sources[channel]
            logs[source] += [
                {"e": "record", "id": number, "at": where},
                {"e": "barrier-out", "c": [source, task], "id": number, "at": where},
            ]
            event["c"] = [source, task]
        logs[task].append(event)


def write_logs(logs: Logs, directory: Path) -> None:
    """Write the logs of a run into a directory, a file of each process, in place of what was written there before.

    Raises SpecError for a directory that has logs of others.
    """
    own_directory(directory)
    before = listed_files(directory)
    foreign = sorted(path.name for path in directory.glob("*.jsonl") if path.name not in before)
    if foreign:
        raise SpecError(
            f"there is a log already, {one_line(foreign[0], 60)}",
            where=str(directory),
            hint="name another directory: one has one run",
        )
    for name in before:
        remove(directory / name)
    names = [f"{number:03}.jsonl" for number in range(1, len(logs) + 1)]
    write_list(directory, names)
    for name, lines in zip(names, logs.values(), strict=True):
        write_text(directory / name, "".join(json.dumps(line) + "\n" for line in lines))


def _expression(text: str, groups: set[str]) -> re.Pattern[str]:
    try:
        found = re.compile(re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", text))
    except (re.error, RecursionError, OverflowError) as error:
        raise SpecError(
            f"no regular expression: {one_line(str(error), 120)}", where=one_line(text, 120)
        ) from None
    if lacking := sorted(groups - set(found.groupindex)):
        hint = f"write (?<{lacking[0]}>...)"
        raise SpecError(f"the expression has no group {lacking[0]}", where=one_line(text, 120), hint=hint)
    return found


def _matches(expression: re.Pattern[str], text: str, where: str) -> Iterator[re.Match[str]]:
    """Yield the matches that are not empty. Raises SpecError if it takes too long to find one."""
    found = expression.finditer(text)
    while True:
        with _bounded(expression, where):
            match = next(found, None)
        if match is None:
            return
        if match[0]:
            yield match


@contextmanager
def _bounded(expression: re.Pattern[str], where: str) -> Iterator[None]:
    """Bound the CPU time of a search, which Python interrupts for a signal: some would never end on some texts."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise SpecError(
            f"the regular expression takes more than {SECONDS} CPU seconds for an event",
            where=where,
            hint=f"write {one_line(expression.pattern, 80)} without a repetition within a repetition",
        )

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _clock(text: str, where: str) -> dict[str, int]:
    try:
        return clock_of(json.loads(text), where)
    except (ValueError, RecursionError):
        raise SpecError(f"no clock: {one_line(text, 60)} is no JSON", where=where) from None
