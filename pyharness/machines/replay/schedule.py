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

from pyharness.base.errors import SpecError, nearest
from pyharness.base.toolchain.bounded_files import MOST_TOML_BYTES, parse_toml, read_utf8
from pyharness.base.topology import Topology
from pyharness.machines.protocols import Automata, Dataflow, Items, Transition
from pyharness.machines.systems.composition import PROTOCOLS, Composition
from pyharness.machines.systems.protocol_spec import COMPUTATION_STEPS
from pyharness.machines.systems.toml_fields import Fields
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
"""How schedules of each protocol are written, of those that have any."""

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LABELLED: Final = re.compile(r"([A-Za-z0-9]{1,8}): (.*)")
_WRITTEN: Final = {
    "message": "{} C12 m",
    "channel": "{} C12",
    "process": "{} P1",
    "checkpoint": "{} P1 2",
    "nothing": "{}",
}


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
    table = Fields(parse_toml(text, where), where)
    name, title, source, summary = (table.take(key, str) for key in ("name", "title", "source", "summary"))
    if not _NAME.fullmatch(name):
        raise table.error("name", f"{name!r} is not a name", "use small letters, digits and hyphens")
    protocol = table.take("protocol", str)
    if protocol not in FORMS:
        raise table.error("protocol", f"no protocol {protocol!r}", nearest(protocol, FORMS))
    form = FORMS[protocol]
    topology = _topology(table.table("graph"))
    reader = _ScheduleReader(topology)
    constants: dict[str, str | int] = {}
    application: Items | Automata | Dataflow
    if form.constants is not None:
        _require_dataflow(table, topology)
        constants = form.constants(table.table("constants"))
        application = Dataflow(int(constants["Records"]))
    else:
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
    violates = violated_at = expected = occurs = None
    ending: dict[str, TlaValue] = {}
    if rejected:
        pass
    elif form.constants is not None:
        violates, violated_at = _read_violation(table, protocol, len(steps))
        if "expected" in table:
            ending = _read_ending(table, Composition(protocol, application, constants=constants).on(topology))
    else:
        violates = table.take("violates", str, default="") or None
        violated_at = len(steps) if violates else None
        if "expected" in table:
            expected, occurs = reader.expected(table.table("expected"))
    why = table.take("why", str) if rejected or violates else ""
    question = table.take("question", str, default="")
    table.close()
    return Schedule(
        name=name, title=title, source=source, summary=summary, protocol=protocol, topology=topology,
        application=application, constants=constants, steps=steps, expected=expected, ending=ending, occurs=occurs,
        rejected_at=rejected_at, violates=violates, violated_at=violated_at, why=why, question=question,
    )  # fmt: skip


def _topology(table: Fields) -> Topology:
    try:
        channels = tuple((a, b) for a, b in table.take("channels", list))
        topology = Topology.of(table.take("processes", int), channels, table.take("initiators", list))
    except (TypeError, ValueError):
        raise table.error("channels", "not a list of pairs of processes") from None
    except SpecError as error:
        raise error if error.where else table.error("channels", error.message, error.hint) from None
    table.close()
    return topology


class _ScheduleReader:
    """Reads the parts of a schedule that speak of processes and channels."""

    def __init__(self, topology: Topology) -> None:
        self.processes = {topology.process_name(p): p for p in range(1, topology.processes + 1)}
        self.channels: dict[str, Channel] = {topology.channel_name(c): c for c in topology.channels}

    def step(self, table: Fields, field: str, protocol: str, text: str) -> ScheduleStep:
        if named := _LABELLED.fullmatch(text):
            return self.step(table, field, protocol, named[2])._replace(label=named[1])
        action, *words = text.split() or [""]
        text = " ".join((action, *words))
        actions = FORMS[protocol].actions
        form = actions.get(action)
        if form is None:
            raise table.error(field, f"{protocol} has no action {action!r}", ", ".join(actions))
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
        raise table.error(
            field, f"{text!r} is not of the form {_WRITTEN[form].format(action)!r}", "on this graph"
        )

    def application(self, table: Fields) -> Items | Automata:
        application = self._items(table) if "items" in table else self._automata(table)
        table.close()
        return application

    def _items(self, table: Fields) -> Items:
        items, places = table.texts("items"), table.table("placement")
        placement = {process: places.texts(name) for name, process in self.processes.items()}
        places.close()
        if sorted(items) != sorted(item for held in placement.values() for item in held):
            raise table.error("placement", "each item must be placed, once")
        if len(set(items)) != len(items) or any(len(item.split()) != 1 for item in items):
            raise table.error("items", "items must be different words")
        return Items(items, placement)

    def _automata(self, table: Fields) -> Automata:
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

    def _line(self, rows: Fields, field: str, process: int, row: Any) -> Transition:
        if not isinstance(row, dict):
            raise rows.error(field, "not a table")
        line = rows.within(field, row)
        source, action, target = line.state("source"), line.take("action", str), line.state("target")
        if action not in COMPUTATION_STEPS:
            raise line.error("action", f"no action {action!r}", f"there are {', '.join(COMPUTATION_STEPS)}")
        channel = msg = None
        if action != "Internal":
            channel, msg = self.channels.get(line.take("channel", str)), line.take("msg", str)
            if channel is None or channel[0 if action == "Send" else 1] != process:
                raise line.error("channel", f"this process does not {action.lower()} on such a channel")
        line.close()
        return Transition(source, action, channel, msg, target)

    def expected(self, table: Fields) -> tuple[ExpectedSnapshot, bool | None]:
        states, channels = table.table("states"), table.table("channels")
        snapshot = ExpectedSnapshot(
            tuple(states.state(name) for name in self.processes),
            tuple(channels.texts(name) for name in self.channels),
        )
        occurs = table.take("occurs", bool) if "occurs" in table else None
        for part in (states, channels, table):
            part.close()
        return snapshot, occurs


def _written(state: Value) -> str:
    return f"{{{','.join(sorted(map(str, state)))}}}" if isinstance(state, frozenset) else str(state)


def _require_dataflow(table: Fields, topology: Topology) -> None:
    """Refuse a graph whose initiators are not its sources, or which has none; ``table`` is the file."""
    sources = tuple(p for p in range(1, topology.processes + 1) if not topology.inputs(p))
    if not sources or topology.initiators != sources:
        found = f"here {list(sources)}" if sources else "and here there are none"
        hint = "a process without inputs is a source"
        raise table.error("graph.initiators", f"the initiators of a dataflow are its sources, {found}", hint)


def _read_violation(table: Fields, protocol: str, steps: int) -> tuple[str | None, int | None]:
    """Read the invariant that is violated, if any, and the first step after which it is: the last one by default."""
    name = table.take("violates", str, default="")
    if not name:
        return None, None
    if name not in PROTOCOLS[protocol].state_properties:
        known = ", ".join(PROTOCOLS[protocol].state_properties)
        raise table.error("violates", f"{protocol} has no invariant {name!r}", f"there are {known}")
    step = table.take("violated_at", int, default=steps)
    if not 1 <= step <= steps:
        raise table.error("violated_at", f"there is no step {step}: they are 1..{steps}")
    return name, step


def _read_ending(parent: Fields, system: System) -> dict[str, TlaValue]:
    """Read what some variables of the spec are in the last state, each as a TLA+ value, from ``expected``."""
    table = parent.table("expected")
    known = system.variables(next(iter(system.initial())))
    ending: dict[str, TlaValue] = {}
    if not table.names():
        raise parent.error("expected", "this needs at least one variable", 'completed = "{1}", say')
    for name in table.names():
        if name not in known:
            raise table.error(
                name, f"{system.protocol} has no variable {name!r}", f"there are {', '.join(known)}"
            )
        try:
            ending[name] = parse_value(table.take(name, str))
        except SpecError as error:
            if error.where is not None and error.where.endswith(f".{name}"):
                raise
            place = f" ({error.where})" if error.where else ""
            raise table.error(name, f"{error.message}{place}", error.hint) from None
    return ending
