"""Render the model of a schedule: a module that extends the protocol's spec and allows only the given steps.

Its invariant ``Unfinished`` is violated exactly when all steps can be taken and end with a complete snapshot (in
Checkpoints, which has no single snapshot: when they can be taken), so TLC's trace is the schedule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from pyharness.machines.protocols import Dataflow, Items
from pyharness.machines.replay.schedule import FORMS
from pyharness.tla.values import Fn, function, record, set_of
from pyharness.tla.values.print import to_tla

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols import Automata
    from pyharness.machines.replay.schedule import Schedule, ScheduleStep

MODULE: Final = "Schedule"
"""The name of the rendered module."""

STEP: Final = "step"
"""The variable that the model adds: the number of the step to be taken next."""

UNFINISHED: Final = "Unfinished"
"""The invariant whose violation ends the schedule."""

AS_CLAIMED: Final = "AsClaimed"
"""The invariant that the property which a schedule of Checkpoints violates is first violated by the stated step."""

OPERATORS: Final = ("Sendable", "AfterSend", "Acceptable", "AfterAccept", "Internals", "Conserved")
"""The operators that an application defines under its own name and theirs, except ``InitialStates``."""

TEMPLATES: Final = Environment(
    loader=PackageLoader("pyharness.models"),
    autoescape=False,  # noqa: S701 - TLA+ is not HTML
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    undefined=StrictUndefined,
)


def render_schedule(schedule: Schedule, invariants: Sequence[str] = ()) -> tuple[str, str]:
    """Return the module and the configuration of ``schedule``; TLC checks ``invariants`` before ``Unfinished``."""
    fields: dict[str, Any] = {
        "module": MODULE,
        "name": schedule.name,
        "protocol": schedule.protocol,
        "graphs": to_tla(Fn([(schedule.topology.id, graph_record(schedule.topology))])),
        "steps": [_step(step, coloured=FORMS[schedule.protocol].coloured) for step in schedule.steps],
        "operators": OPERATORS,
        "invariants": invariants,
        "constants": [
            (name, to_tla(value)) for name, value in schedule.constants.items() if name != "Records"
        ],
        "violates": schedule.violates,
        "violated_at": schedule.violated_at,
        **application_fields(schedule.application, schedule.topology),
    }
    return (
        TEMPLATES.get_template("schedule.tla.jinja").render(fields),
        TEMPLATES.get_template("schedule.cfg.jinja").render(fields),
    )


def schedule_modules(schedule: Schedule) -> tuple[str, str]:
    """Return the names of the two modules that the module of ``schedule`` extends: the protocol and the application."""
    return schedule.protocol, application_fields(schedule.application, schedule.topology)["application"]


def graph_record(topology: Topology) -> Fn:
    """Return a topology as the record that ``specs/Digraph.tla`` uses."""
    return record(
        processes=topology.processes,
        channels=set_of(topology.channels),
        initiators=set_of(topology.initiators),
    )


def application_fields(application: Items | Automata | Dataflow, topology: Topology) -> dict[str, Any]:
    """Return the values of an application in a template: its name, its initial state on ``topology``, its constants."""
    if isinstance(application, Dataflow):
        return {"application": "Dataflow", "records": application.records}
    beginning = to_tla(next(iter(application.initial_states(topology))))  # type: ignore[arg-type]
    if isinstance(application, Items):
        items = to_tla(set_of(application.items))  # type: ignore[arg-type]
        return {"application": "Items", "beginning": beginning, "items": items}
    table = function(
        (
            process,
            set_of(
                record(
                    source=line.source,  # type: ignore[arg-type]
                    action=line.action,
                    channel=line.channel or (),
                    msg=line.message or "",  # type: ignore[arg-type]
                    target=line.target,  # type: ignore[arg-type]
                )
                for line in lines
            ),
        )
        for process, lines in application.table.items()
    )
    return {"application": "Automata", "beginning": beginning, "table": to_tla(table)}


def _step(step: ScheduleStep, *, coloured: bool) -> dict[str, str]:
    """Return a step for the template: its text, its action, and an equation for the message in the channel, if any."""
    subject = step.process if step.channel is None else step.channel
    parameters = [to_tla(each) for each in (subject, step.checkpoint) if each is not None]
    action = f"{step.action}({', '.join(parameters)})" if parameters else step.action
    message = ""
    if step.msg is not None and step.channel is not None:
        queue = f"chan[{to_tla(step.channel)}]"
        element = f"Head({queue})" if step.action == "Accept" else f"({queue}')[Len({queue}')]"
        message = f"{element}{'.msg' if coloured else ''} = {to_tla(step.msg)}"
    return {"text": step.text, "action": action, "message": message}
