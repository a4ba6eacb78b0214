"""Schedules: behaviours written down step by step, as the worked examples of the literature are.

A schedule is a TOML file with these fields; no others are allowed::

    name, title, source, summary    texts; source is the citation
    protocol                        ChandyLamport, StopTheWorld or FreeRecording
    schedule                        the steps: "Send C12 m", "AcceptMarker C12", "Initiate P1", "RecordAll", ...
    rejected, rejected_at           true, and the first step that cannot be taken; or neither
    violates                        the property that the last step violates, if any
    why                             why it is rejected or violates, if it does
    [graph]                         processes, their number; channels, pairs; initiators
    [application]                   items, and placement, process -> items; or else
                                    initial, process -> local state, and transitions, process -> lines with
                                    source, action, channel, msg and target
    [expected]                      the snapshot, unless it is rejected: states, channels, and optionally
                                    occurs: is it one of the states that the computation passes?

A local state is a text or a list of texts, which is a set; a message is a text.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from pyharness.errors import SpecError
from pyharness.protocols import Automata, Items, Transition
from pyharness.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyharness.protocols import Channel, Value

__all__ = ["ACTIONS", "Schedule", "ScheduleStep", "Snapshot", "load_schedule", "parse_schedule"]

T = TypeVar("T")

_EVENTS: Final = {"Send": "message", "Accept": "message", "Internal": "process"}

ACTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "ChandyLamport": {**_EVENTS, "Initiate": "process", "AcceptMarker": "channel"},
    "StopTheWorld": {
        **_EVENTS,
        "RecordAll": "nothing",
        "Pause": "process",
        "Record": "process",
        "Resume": "process",
    },
    "FreeRecording": {**_EVENTS, "RecordProcess": "process", "RecordChannel": "channel"},
}
"""The actions a schedule may name, by protocol, each with what it is applied to."""

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FORMS: Final = {"message": "{} C12 m", "channel": "{} C12", "process": "{} P1", "nothing": "{}"}


class ScheduleStep(NamedTuple):
    """One step: its ``text``, the ``action`` and the process, channel and message it is about."""

    text: str
    action: str
    process: int | None = None
    channel: Channel | None = None
    msg: str | None = None

    @property
    def detail(self) -> str:
        """What the action is applied to, as ``Action.detail`` says it: ``C12, m``."""
        return ", ".join(self.text.split()[1:])


class Snapshot(NamedTuple):
    """Recorded states in the order of the processes, recorded messages in the order of the channels."""

    states: tuple[Value, ...]
    channels: tuple[tuple[Value, ...], ...]

    def lines(self, topology: Topology) -> list[str]:
        """Write it as people do: ``P1={a,b}``, ``C21=[d]``."""
        states = zip(range(1, topology.processes + 1), self.states, strict=True)
        channels = zip(topology.channels, self.channels, strict=True)
        return [
            *(f"{topology.process_name(p)}={_written(state)}" for p, state in states),
            *(f"{topology.channel_name(c)}=[{','.join(map(str, queue))}]" for c, queue in channels),
        ]


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule as its file gives it; see the module for the fields.

    ``expected`` is ``None`` when the schedule is to be rejected, ``rejected_at`` otherwise; ``occurs`` is
    ``None`` when the file does not say.
    """

    name: str
    title: str
    source: str
    summary: str
    protocol: str
    topology: Topology
    application: Items | Automata
    steps: tuple[ScheduleStep, ...]
    expected: Snapshot | None
    occurs: bool | None
    rejected_at: int | None
    violates: str | None
    why: str


def load_schedule(path: Path) -> Schedule:
    """Read a schedule from ``path``. Raises SpecError, which names the file and the field, when it is not one."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError:
        raise SpecError("not UTF-8 text", where=str(path)) from None
    return parse_schedule(text, where=str(path))


def parse_schedule(text: str, where: str = "schedule") -> Schedule:
    """Read a schedule from the text of a file named ``where``; errors as in :func:`load_schedule`."""
    try:
        table = _Table(tomllib.loads(text), where)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"not TOML: {error}", where=where) from None
    name, title, source, summary = (table.take(key, str) for key in ("name", "title", "source", "summary"))
    if not _NAME.fullmatch(name):
        raise table.error("name", f"{name!r} is not a name", "use small letters, digits and hyphens")
    protocol = table.take("protocol", str)
    if protocol not in ACTIONS:
        raise table.error("protocol", f"no protocol {protocol!r}", f"there are {', '.join(ACTIONS)}")
    topology = _topology(table.table("graph"))
    reader = _Reader(topology)
    application = reader.application(table.table("application"))
    texts = table.texts("schedule")
    steps = tuple(
        reader.step(table, f"schedule, step {number}", protocol, line)
        for number, line in enumerate(texts, start=1)
    )
    if not steps:
        raise table.error("schedule", "there are no steps")
    rejected = table.take("rejected", bool, default=False)
    rejected_at = table.take("rejected_at", int) if rejected else None
    if rejected_at is not None and not 1 <= rejected_at <= len(steps):
        raise table.error("rejected_at", f"there is no step {rejected_at}: they are 1..{len(steps)}")
    violates = None if rejected else table.take("violates", str, default="") or None
    why = table.take("why", str) if rejected or violates else ""
    expected, occurs = (None, None) if rejected else reader.expected(table.table("expected"))
    table.close()
    return Schedule(
        name=name, title=title, source=source, summary=summary, protocol=protocol, topology=topology,
        application=application, steps=steps, expected=expected, occurs=occurs, rejected_at=rejected_at,
        violates=violates, why=why,
    )  # fmt: skip


class _Table:
    """A TOML table that is read field by field, and refuses fields that nobody asked for."""

    def __init__(self, fields: Mapping[str, Any], where: str, prefix: str = "") -> None:
        self._fields, self._where, self._prefix = dict(fields), where, prefix

    def error(self, field: str, message: str, hint: str | None = None) -> SpecError:
        return SpecError(message, where=f"{self._where}, {self._prefix}{field}", hint=hint)

    def __contains__(self, field: str) -> bool:
        return field in self._fields

    def take(self, field: str, kind: type[T], default: T | None = None) -> T:
        """Take a field of this type; it may be missing if there is a default."""
        if field not in self._fields:
            if default is None:
                raise self.error(field, "this field is missing")
            return default
        value = self._fields.pop(field)
        if type(value) is not kind:
            raise self.error(field, f"{value!r} is not a {_KINDS[kind]}")
        return value

    def table(self, field: str) -> _Table:
        return _Table(self.take(field, dict), self._where, f"{self._prefix}{field}.")

    def within(self, field: str, row: Mapping[str, Any]) -> _Table:
        """Read ``row``, an element of a list in this table."""
        return _Table(row, self._where, f"{self._prefix}{field}.")

    def texts(self, field: str) -> tuple[str, ...]:
        values = self.take(field, list)
        if not all(type(value) is str for value in values):
            raise self.error(field, "not a list of texts")
        return tuple(values)

    def state(self, field: str) -> Value:
        """Take a local state: a text, or a list of texts that stands for a set."""
        if isinstance(self._fields.get(field), str):
            return self.take(field, str)
        return frozenset(self.texts(field))

    def close(self) -> None:
        for field in self._fields:
            raise self.error(field, "there is no such field here", "see pyharness/replay/schedule.py")


_KINDS: Final = {str: "text", int: "number", bool: "truth value", list: "list", dict: "table"}


def _topology(table: _Table) -> Topology:
    try:
        channels = tuple((a, b) for a, b in table.take("channels", list))
        topology = Topology.of(table.take("processes", int), channels, table.take("initiators", list))
    except (TypeError, ValueError):
        raise table.error("channels", "not a list of pairs of processes") from None
    except SpecError as error:
        raise error if error.where else table.error("channels", error.message, error.hint) from None
    table.close()
    return topology


class _Reader:
    """Reads the parts of a schedule that speak of processes and channels."""

    def __init__(self, topology: Topology) -> None:
        self.processes = {topology.process_name(p): p for p in range(1, topology.processes + 1)}
        self.channels: dict[str, Channel] = {topology.channel_name(c): c for c in topology.channels}

    def step(self, table: _Table, field: str, protocol: str, text: str) -> ScheduleStep:
        action, *words = text.split() or [""]
        text = " ".join((action, *words))
        form = ACTIONS[protocol].get(action)
        if form is None:
            raise table.error(field, f"{protocol} has no action {action!r}", ", ".join(ACTIONS[protocol]))
        if form == "nothing" and not words:
            return ScheduleStep(text, action)
        if form == "process" and len(words) == 1 and words[0] in self.processes:
            return ScheduleStep(text, action, process=self.processes[words[0]])
        if form == "channel" and len(words) == 1 and words[0] in self.channels:
            return ScheduleStep(text, action, channel=self.channels[words[0]])
        if form == "message" and len(words) == 2 and words[0] in self.channels:
            return ScheduleStep(text, action, channel=self.channels[words[0]], msg=words[1])
        raise table.error(
            field, f"{text!r} is not of the form {_FORMS[form].format(action)!r}", "on this graph"
        )

    def application(self, table: _Table) -> Items | Automata:
        application = self._items(table) if "items" in table else self._automata(table)
        table.close()
        return application

    def _items(self, table: _Table) -> Items:
        items, places = table.texts("items"), table.table("placement")
        placement = {process: places.texts(name) for name, process in self.processes.items()}
        places.close()
        if sorted(items) != sorted(item for held in placement.values() for item in held):
            raise table.error("placement", "each item must be placed, once")
        if len(set(items)) != len(items) or any(len(item.split()) != 1 for item in items):
            raise table.error("items", "items must be different words")
        return Items(items, placement)

    def _automata(self, table: _Table) -> Automata:
        begin, rows = table.table("initial"), table.table("transitions")
        initial = {process: begin.state(name) for name, process in self.processes.items()}
        lines: dict[int, list[Transition]] = {}
        for name, process in self.processes.items():
            given = enumerate(rows.take(name, list, default=[]), start=1)
            lines[process] = [self._line(rows, f"{name}, line {n}", process, row) for n, row in given]
        begin.close()
        rows.close()
        states = [
            *initial.values(),
            *(s for own in lines.values() for t in own for s in (t.source, t.target)),
        ]
        if len({isinstance(state, str) for state in states}) > 1:
            raise table.error("transitions", "the local states must be all texts or all lists")
        return Automata(initial, lines)

    def _line(self, rows: _Table, field: str, process: int, row: Any) -> Transition:
        if not isinstance(row, dict):
            raise rows.error(field, "not a table")
        line = rows.within(field, row)
        source, action, target = line.state("source"), line.take("action", str), line.state("target")
        if action not in _EVENTS:
            raise line.error("action", f"no action {action!r}", f"there are {', '.join(_EVENTS)}")
        channel = msg = None
        if action != "Internal":
            channel, msg = self.channels.get(line.take("channel", str)), line.take("msg", str)
            if channel is None or channel[0 if action == "Send" else 1] != process:
                raise line.error("channel", f"this process does not {action.lower()} on such a channel")
        line.close()
        return Transition(source, action, channel, msg, target)

    def expected(self, table: _Table) -> tuple[Snapshot, bool | None]:
        states, channels = table.table("states"), table.table("channels")
        snapshot = Snapshot(
            tuple(states.state(name) for name in self.processes),
            tuple(channels.texts(name) for name in self.channels),
        )
        occurs = table.take("occurs", bool) if "occurs" in table else None
        for part in (states, channels, table):
            part.close()
        return snapshot, occurs


def _written(state: Value) -> str:
    return f"{{{','.join(sorted(map(str, state)))}}}" if isinstance(state, frozenset) else str(state)
