"""Logs of other tools, written as logs of ours: of GoVector, as ShiViz reads them, and of Flink's barrier handlers.

Nothing is added to their content. ShiViz's have vector clocks, and neither channels nor messages; Flink's have
barriers and records, and no messages: the questions that this leaves open are reported at the validation.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import read_utf8
from pyharness.base.toolchain.clean_text import one_line
from pyharness.base.toolchain.own_files import listed_files, own_directory, remove, write_list, write_text
from pyharness.hold.logs.log_events import FORMAT, clock_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_GOVECTOR: Final = re.compile(r"^(?P<host>\S+) (?P<clock>\{.*\})[ \t\r]*\n(?P<event>.*)", re.MULTILINE)
"""GoVector's form of an event; blanks after the clock are ignored."""

_RECORD: Final = re.compile(r"(?i)\brecord(?:s|ed)?\b.*?\bsnapshot (?P<id>[\w.-]+)")
"""A text that records a process's state, and names its snapshot."""

_CONTROL: Final = re.compile(r"(?i)\bmarkers?\b")
"""The text of a control event: a marker that goes out or comes in."""

_MOST_BYTES: Final = 64 * 1024 * 1024
"""The most bytes of a file."""

Logs = dict[str, list[dict[str, Any]]]
"""The header and events of each process, by its name."""


class Imported(NamedTuple):
    """Logs in our format, and counts by their names in words: of control events, and of lines and events left out."""

    logs: Logs
    counts: dict[str, int]


def from_shiviz(files: Sequence[Path]) -> Imported:
    """Read logs of GoVector: the host, its clock in JSON, and on the next line the text of the event.

    An event whose text is such as "recorded snapshot 1" is the record of that snapshot; another with the word "marker"
    is a marker's. A host's events are in the order of its own clock, in any of the files.

    Raises SpecError for files without events or with several executions.
    """
    events: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    counts = {"control events": 0, _NO_EVENT: 0}
    for file in files:
        text, line, ended = read_utf8(file, _MOST_BYTES), 1, 0
        for match in chain(_GOVECTOR.finditer(text), [None]):
            between = text[ended : match.start() if match else None]
            counts[_NO_EVENT] += sum(map(bool, map(str.strip, between.split("\n"))))
            if match is None:
                continue
            line += between.count("\n")
            where = f"{file}:{line}"
            line, ended = line + match[0].count("\n"), match.end()
            host, clock = match["host"], _clock(match["clock"], where)
            line_text = match["event"][:_MOST_TEXT]
            if host not in clock:
                raise SpecError(f"the clock has no entry of {one_line(host, 60)}", where=where)
            if (before := events[host].get(clock[host])) is not None:
                twice = f"event {clock[host]} of {one_line(host, 60)} is there twice, at {before['at']} too"
                hint = "one log is one execution: divide the file if it has several"
                raise SpecError(twice, where=where, hint=hint)
            event: dict[str, Any] = {"e": "internal", "vc": clock, "text": line_text[:200], "at": where}
            if found := _RECORD.search(line_text):
                event |= {"e": "record", "id": found["id"]}
            elif found := _CONTROL.search(line_text):
                event |= {"e": "marker", "id": found[0]}
                counts["control events"] += 1
            events[host][clock[host]] = event
    if not events:
        hint = 'one is such as `alice {"alice":1}`, and on the next line its text'
        raise SpecError("no event of GoVector is found", where=str(files[0]), hint=hint)
    header = {"format": FORMAT, "channels": "none"}
    logs = {
        host: [header | {"process": host}, *(own[number] for number in sorted(own))]
        for host, own in events.items()
    }
    return Imported(logs, counts)


_MOST_TEXT: Final = 2000
_NO_EVENT: Final = "lines of no event, left out"
_NO_BARRIER: Final = "lines of barrier handlers without a barrier or a record, left out"
_GIVEN_UP: Final = "barriers and records of checkpoints that were given up or not completed, left out"
_INPUT: Final = r"InputChannelInfo\{gateIdx=(?P<gate>\d{1,9}), inputChannelIdx=(?P<channel>\d{1,9})\}"
_FLINK: Final = re.compile(
    rf"Received barrier from channel {_INPUT} @ (?P<came>\d{{1,18}})"
    r"|Triggering checkpoint (?P<triggered>\d{1,18}) on the "
    r"|Received cancellation (?P<cancelled>\d{1,18})"
    r"|Received (?:checkpoint barrier for checkpoint \d{1,18}|EndOfPartition\(-1\))"
    r" before completing current checkpoint (?P<subsumed>\d{1,18})"
    r"|Aborting checkpoint (?P<aborted>\d{1,18}) "
)
"""The DEBUG messages of SingleCheckpointBarrierHandler, in Flink 1.18 to 2.3, after the task's name and a colon."""

_LAYOUT: Final = re.compile(
    r'.*"message"\s*:\s*"|(?:.*?BarrierHandler|.*?\bDEBUG\b)\S*\s+(?:[\[{(][^\])}]*[\])}]\s+)*(?:-\s+)?|.*? - '
)
"""The part of a line that a logger's layout puts ahead of the task's name: JSON, or text with or without the class."""

_TRACKER: Final = re.compile(
    rf"Received barrier for checkpoint (?P<came>\d{{1,18}}) from channel {_INPUT}"
    r"|All the channels are aligned for checkpoint (?P<triggered>\d{1,18})"
    r"|Received cancellation barrier for checkpoint (?P<cancelled>\d{1,18})"
)
"""The messages of CheckpointBarrierTracker, which name no task: the layout must have the thread."""

_THREAD: Final = re.compile(
    r'\[(?P<text>[^\n\[\]]{0,1000}\(\d+/\d+\)[^\n\[\]]{0,1000})\]|"[\w.]*thread[\w.]*"\s*:\s*"(?P<json>[^"\n]+)"'
)
"""The name of a thread, bounded so that no line takes long."""

_LONGEST: Final = 4000


def _message(line: str) -> tuple[str, dict[str, str | None]] | None:
    """Return the task of a barrier handler's line, and the parts of its message; None for any other line."""
    if "CheckpointBarrierTracker" in line:
        match, thread = _TRACKER.search(line), _THREAD.search(line)
        task = thread and (thread["text"] or thread["json"])
        return (task, match.groupdict()) if match and task else None
    match = _FLINK.search(line)
    before = line[: match.start()] if match else ""
    layout = _LAYOUT.match(before)
    if match is None or layout is None or not before.endswith(": ") or layout.end() > len(before) - 3:
        return None
    return before[layout.end() : -2], match.groupdict()


def from_flink(files: Sequence[Path], protocol: str) -> Imported:
    """Read the DEBUG messages of Flink's barrier handlers: when barriers came, and when it triggered a checkpoint.

    A task is a process. The senders of its barriers are in no such log: for each input there is a process that records and
    sends a barrier for each that comes. A checkpoint that a task gave up, and one that not all inputs' barriers have
    come of by the end (the inputs may have ended), is left out there.

    Raises SpecError for files without such lines.
    """
    tasks: dict[str, list[tuple[str, str, int, str]]] = defaultdict(list)
    given_up: dict[str, set[int]] = defaultdict(set)
    counts = {_NO_BARRIER: 0, _GIVEN_UP: 0}
    for file in files:
        text = read_utf8(file, _MOST_BYTES)
        for number, line in enumerate(text.split("\n"), start=1):
            found = _message(line[:_LONGEST])
            if found is None:
                counts[_NO_BARRIER] += "BarrierHandler" in line or "CheckpointBarrierTracker" in line
                continue
            (task, parts), where = found, f"{file}:{number}"
            if parts["came"]:
                channel = f"{parts['gate']}.{parts['channel']}"
                tasks[task].append(("barrier", channel, int(parts["came"]), where))
            elif parts["triggered"]:
                tasks[task].append(("record", "", int(parts["triggered"]), where))
            else:
                given_up[task].add(int(parts["cancelled"] or parts.get("subsumed") or parts["aborted"] or 0))
    if not tasks:
        unread = f"{counts[_NO_BARRIER]:,} lines of barrier handlers, and none has a barrier"
        raise SpecError(
            unread if counts[_NO_BARRIER] else "no line of a barrier handler",
            where=str(files[0]),
            hint="log org.apache.flink.streaming.runtime.io.checkpointing at level DEBUG; for at-least-once with the thread",
        )
    logs: Logs = {}
    for task, events in tasks.items():
        _add_task(logs, task, events, given_up[task], {"format": FORMAT, "protocol": protocol})
        counts[_GIVEN_UP] += len(events) - len(logs[task]) + 1
    return Imported(logs, counts)


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


def _clock(text: str, where: str) -> dict[str, int]:
    try:
        return clock_of(json.loads(text), where)
    except (ValueError, RecursionError):
        raise SpecError(f"no clock: {one_line(text, 60)} is not JSON", where=where) from None
