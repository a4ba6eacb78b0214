"""A difference between a program and the spec: the case that shows it, as text, as a file, and as a trace."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import read_utf8
from pyharness.base.topology import Topology
from pyharness.hold.flink.event_sequences import parse_sequence, sequence_text
from pyharness.hold.programs.operators import OperatorCase, OperatorDifference
from pyharness.hold.programs.vocabulary import ID, Event, find_held
from pyharness.hold.programs.watched_machine import refused_in, settled, taken_by, watched_system
from pyharness.hold.programs.wire import node_name, number_of, text_of
from pyharness.machines.protocols import Items
from pyharness.tla.tlc.trace import Trace, TraceStep
from pyharness.tla.values import Fn

if TYPE_CHECKING:
    from pathlib import Path

    from pyharness.hold.programs.team import Mismatch
    from pyharness.hold.programs.watched_machine import Taken


@dataclass(frozen=True)
class ProgramCase:
    """A sequence of requests to programs that can be repeated: on a graph, from the initial places of items.

    ``held`` has the items of each process, ``steps`` are actions, and ``last`` is the number of a process with the
    event at which it differs: one of an action, or one that the spec refuses there.
    """

    protocol: str
    topology: Topology
    held: tuple[tuple[int, ...], ...]
    steps: tuple[Taken, ...]
    last: tuple[int, Event]

    @property
    def application(self) -> Items:
        """The application, which begins like this."""
        placement = dict(enumerate(self.held, start=1))
        return Items(sorted(item for items in self.held for item in items), placement)

    @property
    def size(self) -> tuple[int, ...]:
        """The measures of the case, the most important first: a smaller case is less in this order."""
        graph, items = self.topology, sum(map(len, self.held))
        return len(self.steps), graph.processes, items, len(graph.channels), len(graph.initiators)


@dataclass(frozen=True)
class Difference:
    """A case, and how the program differs at its last event.

    ``found`` is where it was met, ``again`` whether it came again when the case was repeated with new processes, and ``cut``
    whether a limit was reached before it was as small as possible.
    """

    case: ProgramCase
    mismatches: tuple[Mismatch, ...]
    found: str = ""
    again: bool = True
    cut: bool = False

    @property
    def fields(self) -> frozenset[str]:
        """The fields that differ."""
        return frozenset(mismatch.field for mismatch in self.mismatches)

    @property
    def silent(self) -> bool:
        """Whether the only mismatch is that no answer came in time."""
        return self.fields == {"says nothing"}

    def met_at(self, found: str) -> Difference:
        """Return this difference with the place where it was met."""
        return replace(self, found=found)

    def __str__(self) -> str:
        case, graph = self.case, self.case.topology
        channels = ", ".join(f"n{source} -> n{target}" for source, target in graph.channels)
        held = "; ".join(
            f"{node_name(number)} has {', '.join(map(str, items))}"
            for number, items in enumerate(case.held, start=1)
            if items
        )
        held = held or "no process has an item"
        begins = ", ".join(map(node_name, graph.initiators)) or "none"
        lines = [f"graph {graph.id}: {channels}; may begin: {begins}; {held}"]
        width = len(str(len(case.steps) + 1))
        for number, step in enumerate(case.steps, start=1):
            lines.append(f"  {number:>{width}}  {'; '.join(event_words(*each) for each in step)}")
        lines.append(f"> {len(case.steps) + 1:>{width}}  {event_words(*case.last)}")
        for mismatch in self.mismatches:
            lines.append(f"     {mismatch.field}:")
            lines += [f"       the spec     {mismatch.spec}"] if mismatch.spec else []
            lines.append(f"       the program  {mismatch.program}")
        if self.cut:
            lines.append(
                "perhaps not the smallest case: the limit of requests was met before all smaller ones were asked"
            )
        return "\n".join(lines)


def event_words(process: int, event: Event) -> str:
    """Return an event as a line: the process, the request to it, and its source."""
    fields = " ".join(f"{name} {_words(name, value)}" for name, value in event.fields if value != ())
    if event.type == "send" and event.channel is not None:
        return f"{node_name(process)} sends {fields.removeprefix('msg ')} to {node_name(event.channel[1])}"
    source = f" from {node_name(event.channel[0])}" if event.channel is not None else ""
    what = fields.removeprefix("msg ") if event.type == "message" else f"{event.type} {fields}".strip()
    return f"{node_name(process)} gets {what}{source}" if source else f"{node_name(process)}: {what}"


def _words(name: str, value: Any) -> str:
    if name == ID:
        return f"{node_name(value[0])}:{value[1]}"
    return ",".join(_words("", each) for each in value) if isinstance(value, tuple) else str(value)


FORMAT: Final = "pyharness-hold-case/1"
_MOST_BYTES: Final = 1 << 20


def document(difference: Difference | OperatorDifference) -> dict[str, Any]:
    """Return a difference as a JSON document."""
    case = difference.case
    if isinstance(case, OperatorCase):
        asked: dict[str, Any] = {
            "mode": case.mode,
            "inputs": case.inputs,
            "events": sequence_text(case.events),
        }
        return {"format": FORMAT, "protocol": "Operator", **asked, "differs": str(difference).splitlines()}
    return {
        "format": FORMAT,
        "protocol": case.protocol,
        "topology": case.topology.id,
        "held": [list(items) for items in case.held],
        "steps": [[_event(*each) for each in step] for step in case.steps],
        "last": _event(*case.last),
        "differs": [mismatch._asdict() for mismatch in getattr(difference, "mismatches", ())],
        "cut": getattr(difference, "cut", False),
    }


def _event(process: int, event: Event) -> dict[str, Any]:
    found: dict[str, Any] = {"process": process, "event": event.type}
    if event.channel is not None:
        found["channel"] = list(event.channel)
    return {**found, **dict(event.fields)}


def read_case(path: Path) -> ProgramCase | OperatorCase:
    """Read a case from a file. Raises SpecError, naming it, for a file that is not one."""
    text = read_utf8(path, _MOST_BYTES)
    try:
        return case_of(json.loads(text))
    except (RecursionError, ValueError, TypeError, KeyError, AttributeError):
        hint = "`pyharness hold` writes one where a program differs"
        raise SpecError("no case of pyharness hold", where=str(path), hint=hint) from None
    except SpecError as error:
        raise SpecError(error.message, where=str(path), hint=error.hint) from None


def case_of(value: Any) -> ProgramCase | OperatorCase:
    """Return the case in a document. Raises SpecError, ValueError, TypeError or KeyError for another document."""
    if value["format"] != FORMAT:
        raise SpecError("no case of this version of pyharness hold", hint=f"its format is {FORMAT}")
    if value["protocol"] == "Operator":
        return OperatorCase(
            text_of(value["mode"]), number_of(value["inputs"]), parse_sequence(text_of(value["events"]))
        )
    topology = Topology.from_id(text_of(value["topology"]))
    held = tuple(tuple(map(number_of, items)) for items in value["held"])
    if len(held) != topology.processes:
        raise SpecError("it does not state what each process holds")
    return ProgramCase(
        find_held(text_of(value["protocol"])).name,
        topology,
        held,
        tuple(tuple(map(_read_event, _some(step))) for step in value["steps"]),
        _read_event(value["last"]),
    )


def _read_event(value: dict[str, Any]) -> tuple[int, Event]:
    fields = tuple((n, _frozen(v)) for n, v in value.items() if n not in {"process", "event", "channel"})
    channel = tuple(map(number_of, value["channel"])) if "channel" in value else None
    if channel is not None and len(channel) != 2:
        raise ValueError
    return number_of(value["process"]), Event(text_of(value["event"]), channel, fields)


def _some(step: list[Any]) -> list[Any]:
    if not isinstance(step, list) or not step:
        raise TypeError
    return step


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else number_of(value)


def trace_of(difference: Difference) -> tuple[Trace, dict[str, Any]]:
    """Return the trace, and its meta, in which ``refused`` is the program's reaction in the last step.

    An event that the spec refuses changes nothing, and is not a step. Raises SpecError for a case that the spec does not have.
    """
    case = difference.case
    system = watched_system(find_held(case.protocol), case.topology, case.application)
    state = next(system.initial())
    steps = [TraceStep(None, Fn(system.variables(state).items()))]
    for number, wanted in enumerate((*case.steps, (case.last,)), start=1):
        refused_in(system)
        action = next((a for a in system.actions(state) if set(wanted) <= set(taken_by(a))), None)
        if action is not None:
            state = settled(action.after)
            detail = action.detail or None
            steps.append(TraceStep(action.name, Fn(system.variables(state).items()), arguments=detail))
        elif not set(wanted) <= set(refused_in(system)):
            raise SpecError("the spec has no such event", where=f"step {number}")
    last = event_words(*case.last)
    lines = [f"The last event: {last}. What is drawn is the spec's, n1 as P1; the program differs:"]
    lines += [f"{each.field}: {_sides(each.spec, each.program)}" for each in difference.mismatches]
    title = f"A program against {case.protocol}: it differs where {last}"
    constants = find_held(case.protocol).constants
    of_spec = {"spec": case.protocol, **({"constants": dict(constants)} if constants else {})}
    return Trace(tuple(steps)), {"title": title, **of_spec, "refused": "\n".join(lines)}


def _sides(spec: str, program: str) -> str:
    return f"the spec has {spec}, the program {program}" if spec else program
