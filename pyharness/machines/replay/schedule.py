"""Schedules: behaviours written down step by step, as the worked examples of the literature are.

A schedule is a TOML file with these fields; no others are allowed::

    name, title, source, summary    texts; source is the citation
    question                        the question of users of such systems that it answers, if it does
    protocol                        ChandyLamport, StopTheWorld, FreeRecording or Checkpoints
    schedule                        the steps: "Send C12 m", "AcceptMarker C12", "Initiate P1", "RecordAll", ...; the name
                                    that an event has in the source may come first: "A: Send C12 m"
    rejected, rejected_at           true, and the first step that cannot be taken; or neither
    violates                        the property that the last step violates, if any
    why                             why it is rejected or violates, if it does
    [graph]                         processes, their number; channels, pairs; initiators
    [application]                   items, and placement, process -> items; or else
                                    initial, process -> local state, and transitions, process -> lines with
                                    source, action, channel, msg and target
    [expected]                      optional, the snapshot, unless it is rejected: states, channels, and optionally
                                    occurs: is it one of the states that the computation passes?

A local state is a text or a list of texts, which is a set; a message is a text.

A schedule of Checkpoints is about a dataflow, and ends in no one snapshot. Its steps are those of
``specs/Checkpoints.tla``: "Send C12" (a process has at most one record to send), "AcceptBarrier C12", "Inject P1",
"Trigger", "Crash", ... Instead of an application and a snapshot it has::

    violated_at                     the first step after which ``violates`` is violated; without it, the last one
    [constants]                     Mode, Records, MaxCheckpoints, Overlap, MaxDeclines, MaxCrashes, Ends: the spec's
    [expected]                      optional: variables of the spec with what they are in the last
                                    state, as TLA+: completed = "{1}"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import MOST_TOML_BYTES, read_utf8
from pyharness.base.toolchain.toml_tables import (
    FLAG,
    LIST,
    NAMES,
    TEXT,
    Kind,
    Table,
    are_texts,
    integer,
    one_of,
    parse_table,
    value,
)
from pyharness.base.topology import Topology
from pyharness.machines.protocols import Automata, Dataflow, Items, Transition
from pyharness.machines.systems.composition import PROTOCOLS, Composition
from pyharness.machines.systems.protocol_spec import COMPUTATION_STEPS
from pyharness.tla.values.parse import parse_value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyharness.machines.protocols import Channel, Value
    from pyharness.machines.systems.protocol_spec import ScheduleForm
    from pyharness.machines.systems.system import System
    from pyharness.tla.values import Value as TlaValue

FORMS: Final[Mapping[str, ScheduleForm]] = {
    name: spec.schedule for name, spec in PROTOCOLS.items() if spec.schedule is not None
}
"""The form of the schedules of each protocol that has any."""

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LABELLED: Final = re.compile(r"([A-Za-z0-9]{1,8}): (.*)")
_WRITTEN: Final = {
    "message": "{} C12 m",
    "channel": "{} C12",
    "process": "{} P1",
    "checkpoint": "{} P1 2",
    "nothing": "{}",
}


_SET: Final[Kind[Value]] = value("text, or a list of texts", list, are_texts, frozenset)
_TLA: Final[Kind[TlaValue]] = value("text", str, make=parse_value)


class ScheduleStep(NamedTuple):
    """One step: its ``text``, the ``action`` and the process, channel, message and checkpoint it is about.

    ``label`` is the name that the source has for the event, or empty.
    """

    text: str
    action: str
    process: int | None = None
    channel: Channel | None = None
    msg: str | None = None
    checkpoint: int | None = None
    label: str = ""

    @property
    def written(self) -> str:
        """The step with its name in front: ``A: Send C12 m``."""
        return f"{self.label}: {self.text}" if self.label else self.text

    @property
    def detail(self) -> str:
        """The arguments of the action, in the form of ``Action.detail``: ``C12, m``."""
        return ", ".join(self.text.split()[1:])


class ExpectedSnapshot(NamedTuple):
    """Recorded states in the order of the processes, recorded messages in the order of the channels."""

    states: tuple[Value, ...]
    channels: tuple[tuple[Value, ...], ...]

    def lines(self, topology: Topology) -> list[str]:
        """Yield a readable line for each process and channel: ``P1={a,b}``, ``C21=[d]``."""
        states = zip(range(1, topology.processes + 1), self.states, strict=True)
        channels = zip(topology.channels, self.channels, strict=True)
        return [
            *(f"{topology.process_name(p)}={_written(state)}" for p, state in states),
            *(f"{topology.channel_name(c)}=[{','.join(map(str, queue))}]" for c, queue in channels),
        ]


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule as its file gives it; see the module for the fields.

    ``expected`` is ``None`` when the schedule is to be rejected or expects nothing, ``rejected_at`` when it is not;
    ``occurs`` is ``None`` when the file does not have it.

    One of Checkpoints has ``constants``, and instead of ``expected`` has ``ending``: variables of the spec with their
    values in the last state. ``violated_at`` is there if ``violates`` is.
    """

    name: str
    title: str
    source: str
    summary: str
    protocol: str
    topology: Topology
    application: Items | Automata | Dataflow
    constants: Mapping[str, str | int]
    steps: tuple[ScheduleStep, ...]
    expected: ExpectedSnapshot | None
    ending: Mapping[str, TlaValue]
    occurs: bool | None
    rejected_at: int | None
    violates: str | None
    violated_at: int | None
    why: str
    question: str


def load_schedule(path: Path) -> Schedule:
    """Read a schedule from ``path``. Raises SpecError, which names the file and the field, when it is not one."""
    return parse_schedule(read_utf8(path, MOST_TOML_BYTES), where=str(path))


def parse_schedule(text: str, where: str = "schedule") -> Schedule:
    """Read a schedule from the text of a file named ``where``; errors as in :func:`load_schedule`."""
    table = parse_table(text, where)
    name, title, source, summary = (table.take(key, TEXT) for key in ("name", "title", "source", "summary"))
    if not _NAME.fullmatch(name):
        raise table.error(f"{name!r} is not a name", "name", "use small letters, digits and hyphens")
    protocol = table.take("protocol", one_of(FORMS))
    form = FORMS[protocol]
    graph = table.table("graph")
    topology = _topology(graph)
    reader = _ScheduleReader(topology)
    constants: dict[str, str | int] = {}
    application: Items | Automata | Dataflow
    if form.constants is not None:
        _require_dataflow(graph, topology)
        constants = form.constants(table.table("constants"))
        application = Dataflow(int(constants["Records"]))
    else:
        application = reader.application(table.table("application"))
    texts = table.take("schedule", NAMES)
    steps = tuple(reader.step(table, number, protocol, line) for number, line in enumerate(texts, start=1))
    if not steps:
        raise table.error("there are no steps", "schedule")
    rejected = table.take("rejected", FLAG, default=False)
    a_step = integer(1, len(steps), "a step")
    rejected_at = table.take("rejected_at", a_step) if rejected else None
    violates = violated_at = expected = occurs = None
    ending: dict[str, TlaValue] = {}
    if rejected:
        pass
    elif form.constants is not None:
        violates, violated_at = _read_violation(table, protocol, len(steps))
        if "expected" in table:
            ending = _read_ending(table, Composition(protocol, application, constants=constants).on(topology))
    else:
        violates = table.take("violates", TEXT, "") or None
        violated_at = len(steps) if violates else None
        if "expected" in table:
            expected, occurs = reader.expected(table.table("expected"))
    why = table.take("why", TEXT) if rejected or violates else ""
    question = table.take("question", TEXT, "")
    table.close()
    return Schedule(
        name=name, title=title, source=source, summary=summary, protocol=protocol, topology=topology,
        application=application, constants=constants, steps=steps, expected=expected, ending=ending, occurs=occurs,
        rejected_at=rejected_at, violates=violates, violated_at=violated_at, why=why, question=question,
    )  # fmt: skip


def _topology(table: Table) -> Topology:
    try:
        channels = tuple((a, b) for a, b in table.take("channels", LIST))
        topology = Topology.of(table.take("processes", integer(1)), channels, table.take("initiators", LIST))
    except (TypeError, ValueError):
        raise table.error("not a list of pairs of processes", "channels") from None
    except SpecError as error:
        raise error if error.where else table.error(error.message, "channels", error.hint) from None
    table.close()
    return topology


class _ScheduleReader:
    """Reads the parts of a schedule that are about processes and channels."""

    def __init__(self, topology: Topology) -> None:
        self.processes = {topology.process_name(p): p for p in range(1, topology.processes + 1)}
        self.channels: dict[str, Channel] = {topology.channel_name(c): c for c in topology.channels}

    def step(self, table: Table, number: int, protocol: str, text: str) -> ScheduleStep:
        if named := _LABELLED.fullmatch(text):
            return self.step(table, number, protocol, named[2])._replace(label=named[1])
        action, *words = text.split() or [""]
        text = " ".join((action, *words))
        actions = FORMS[protocol].actions
        form = actions.get(action)
        if form is None:
            raise table.error(
                f"step {number}: {protocol} has no action {action!r}", "schedule", ", ".join(actions)
            )
        if form == "nothing" and not words:
            return ScheduleStep(text, action)
        if form == "process" and len(words) == 1 and words[0] in self.processes:
            return ScheduleStep(text, action, process=self.processes[words[0]])
        if form == "channel" and len(words) == 1 and words[0] in self.channels:
            return ScheduleStep(text, action, channel=self.channels[words[0]])
        if (
            form == "checkpoint"
            and len(words) == 2
            and words[0] in self.processes
            and words[1].isdecimal()
            and len(words[1]) < 19
        ):
            return ScheduleStep(text, action, process=self.processes[words[0]], checkpoint=int(words[1]))
        if form == "message" and len(words) == 2 and words[0] in self.channels:
            return ScheduleStep(text, action, channel=self.channels[words[0]], msg=words[1])
        form_of = _WRITTEN[form].format(action)
        raise table.error(
            f"step {number}: {text!r} is not of the form {form_of!r}", "schedule", "on this graph"
        )

    def application(self, table: Table) -> Items | Automata:
        application = self._items(table) if "items" in table else self._automata(table)
        table.close()
        return application

    def _items(self, table: Table) -> Items:
        items, places = table.take("items", NAMES), table.table("placement")
        placement = {process: places.take(name, NAMES) for name, process in self.processes.items()}
        places.close()
        if sorted(items) != sorted(item for held in placement.values() for item in held):
            raise table.error("each item must be placed, once", "placement")
        if len(set(items)) != len(items) or any(len(item.split()) != 1 for item in items):
            raise table.error("items must be different words", "items")
        return Items(items, placement)

    def _automata(self, table: Table) -> Automata:
        begin, rows = table.table("initial"), table.table("transitions")
        initial = {process: _state(begin, name) for name, process in self.processes.items()}
        lines: dict[int, list[Transition]] = {}
        for name, process in self.processes.items():
            given = enumerate(rows.take(name, LIST, []), start=1)
            lines[process] = [self._line(rows, f"{name}, line {n}", process, row) for n, row in given]
        begin.close()
        rows.close()
        states = [
            *initial.values(),
            *(s for own in lines.values() for t in own for s in (t.source, t.target)),
        ]
        if len({isinstance(state, str) for state in states}) > 1:
            raise table.error("the local states must be all texts or all lists", "transitions")
        return Automata(initial, lines)

    def _line(self, rows: Table, field: str, process: int, row: Any) -> Transition:
        line = rows.within(field, row)
        source, target = _state(line, "source"), _state(line, "target")
        action = line.take("action", one_of(COMPUTATION_STEPS))
        channel = msg = None
        if action != "Internal":
            channel, msg = self.channels.get(line.take("channel", TEXT)), line.take("msg", TEXT)
            if channel is None or channel[0 if action == "Send" else 1] != process:
                raise line.error(f"this process does not {action.lower()} on such a channel", "channel")
        line.close()
        return Transition(source, action, channel, msg, target)

    def expected(self, table: Table) -> tuple[ExpectedSnapshot, bool | None]:
        states, channels = table.table("states"), table.table("channels")
        snapshot = ExpectedSnapshot(
            tuple(_state(states, name) for name in self.processes),
            tuple(channels.take(name, NAMES) for name in self.channels),
        )
        occurs = table.take("occurs", FLAG, None)
        for part in (states, channels, table):
            part.close()
        return snapshot, occurs


def _state(table: Table, key: str) -> Value:
    """Take a local state: a text, or a list of texts that stands for a set."""
    return table.take(key, TEXT if isinstance(table.left.get(key), str) else _SET)


def _written(state: Value) -> str:
    return f"{{{','.join(sorted(map(str, state)))}}}" if isinstance(state, frozenset) else str(state)


def _require_dataflow(table: Table, topology: Topology) -> None:
    """Require that a graph's initiators are its sources, of which there are some; ``table`` is the graph's."""
    sources = tuple(p for p in range(1, topology.processes + 1) if not topology.inputs(p))
    if not sources or topology.initiators != sources:
        found = f"here {list(sources)}" if sources else "and here there are none"
        hint = "a process without inputs is a source"
        raise table.error(f"the initiators of a dataflow are its sources, {found}", "initiators", hint)


def _read_violation(table: Table, protocol: str, steps: int) -> tuple[str | None, int | None]:
    """Read the invariant that is violated, if any, and the first step after which it is: the last one by default."""
    name = table.take("violates", one_of(PROTOCOLS[protocol].state_properties), None)
    return name, table.take("violated_at", integer(1, steps, "a step"), steps) if name else None


def _read_ending(parent: Table, system: System) -> dict[str, TlaValue]:
    """Read the values of some variables of the spec in the last state, as TLA+, from ``expected``."""
    table = parent.table("expected")
    known = system.variables(next(iter(system.initial())))
    ending: dict[str, TlaValue] = {}
    if not table.left:
        raise parent.error("this needs at least one variable", "expected", 'such as completed = "{1}"')
    for name in [*table.left]:
        if name not in known:
            raise table.error(
                f"{system.protocol} has no such variable", name, f"there are {', '.join(known)}"
            )
        ending[name] = table.take(name, _TLA)
    return ending
