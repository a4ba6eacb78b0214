"""A difference as a file, so that ``hold --replay`` and a test can ask it again, and as a trace of the spec."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import SpecError
from pyharness.flink.event_sequences import parse_sequence, sequence_text
from pyharness.programs.difference import Case, Difference, event_words
from pyharness.programs.operators import OperatorCase, OperatorDifference
from pyharness.programs.vocabulary import Event, find_held
from pyharness.programs.watched_machine import refused_in, settled, taken_by, watched_system
from pyharness.tla import Fn
from pyharness.tlc.trace import Step, Trace
from pyharness.toolchain.bounded_files import read_utf8
from pyharness.topology import Topology

if TYPE_CHECKING:
    from pathlib import Path


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
    }


def _event(process: int, event: Event) -> dict[str, Any]:
    found: dict[str, Any] = {"process": process, "event": event.type}
    if event.channel is not None:
        found["channel"] = list(event.channel)
    return {**found, **dict(event.said)}


def read_case(path: Path) -> Case | OperatorCase:
    """Read a case from a file. Raises SpecError, naming it, for what is none."""
    text = read_utf8(path, _MOST_BYTES)
    try:
        return case_of(json.loads(text))
    except (RecursionError, ValueError, TypeError, KeyError, AttributeError):
        hint = "`pyharness hold` writes one where a program differs"
        raise SpecError("no case of pyharness hold", where=str(path), hint=hint) from None
    except SpecError as error:
        raise SpecError(error.message, where=str(path), hint=error.hint) from None


def case_of(value: Any) -> Case | OperatorCase:
    """Return the case that a document has. Raises SpecError, ValueError, TypeError or KeyError for what is none."""
    if value["format"] != FORMAT:
        raise SpecError("no case of this version of pyharness hold", hint=f"its format is {FORMAT}")
    if value["protocol"] == "Operator":
        return OperatorCase(
            _text(value["mode"]), _number(value["inputs"]), parse_sequence(_text(value["events"]))
        )
    topology = Topology.from_id(_text(value["topology"]))
    held = tuple(tuple(map(_number, items)) for items in value["held"])
    if len(held) != topology.processes:
        raise SpecError("it does not say what each process holds")
    return Case(
        find_held(_text(value["protocol"])).name,
        topology,
        held,
        tuple(tuple(map(_read_event, _some(step))) for step in value["steps"]),
        _read_event(value["last"]),
    )


def _read_event(value: dict[str, Any]) -> tuple[int, Event]:
    said = tuple((n, _frozen(v)) for n, v in value.items() if n not in {"process", "event", "channel"})
    channel = tuple(map(_number, value["channel"])) if "channel" in value else None
    if channel is not None and len(channel) != 2:
        raise ValueError
    return _number(value["process"]), Event(_text(value["event"]), channel, said)


def _some(step: list[Any]) -> list[Any]:
    if not isinstance(step, list) or not step:
        raise TypeError
    return step


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else _number(value)


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def trace_of(difference: Difference) -> tuple[Trace, dict[str, Any]]:
    """Return the trace, and its meta, in which ``refused`` says what the program does instead in the last step.

    What the spec refuses changes nothing, and is no step. Raises SpecError for a case that the spec has not.
    """
    case = difference.case
    system = watched_system(find_held(case.protocol), case.topology, case.application)
    state = next(system.initial())
    steps = [Step(None, Fn(system.variables(state).items()))]
    for number, wanted in enumerate((*case.steps, (case.last,)), start=1):
        refused_in(system)
        action = next((a for a in system.actions(state) if set(wanted) <= set(taken_by(a))), None)
        if action is not None:
            state = settled(action.after)
            detail = action.detail or None
            steps.append(Step(action.name, Fn(system.variables(state).items()), arguments=detail))
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
