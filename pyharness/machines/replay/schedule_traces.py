"""Convert a schedule into a trace: the behaviour of the implementation as it takes the steps.

The meta of such a trace identifies its schedule, so that it can be replayed, reordered and explained as any other: an
``example`` by its name, any other by the text of its file, ``schedule``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import MOST_TOML_BYTES, read_utf8
from pyharness.base.toolchain.spec_files import specs_here
from pyharness.machines.replay.schedule import parse_schedule
from pyharness.machines.replay.worked_examples import load_example, take
from pyharness.tla.tlc.trace import Trace, TraceStep
from pyharness.tla.values import Fn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyharness.machines.replay.schedule import Schedule


def read_schedule_trace(path: Path) -> tuple[Trace, dict[str, Any]]:
    """Read a schedule from a file, take it with the implementation, and return the trace and its meta.

    A step that is refused, if the schedule expects it, ends the trace before it; the meta has it in ``refused``.

    Raises SpecError for a file that is not a schedule, and for a step that is refused though the schedule does not expect it.
    """
    text = read_utf8(path, MOST_TOML_BYTES)  # once: a pipe is read only once
    schedule = parse_schedule(text, where=str(path))
    trace, refused = schedule_trace(schedule)
    meta = {"title": schedule.title, "spec": schedule.protocol, "schedule": text}
    return trace, meta | ({"refused": refused} if refused else {})


def schedule_trace(schedule: Schedule) -> tuple[Trace, str | None]:
    """Take a schedule with its implementation, and return the trace, and the step that was refused as expected, if any.

    Raises SpecError for a step that is refused though the schedule does not expect it.
    """
    taken = take(schedule)
    refusal = taken.refusal
    if refusal is not None and refusal.step != schedule.rejected_at:
        raise SpecError(str(refusal), where=schedule.name)
    states = [Fn(taken.system.variables(state).items()) for state in taken.path]
    steps = [
        TraceStep(step.action, state, arguments=step.detail or None)
        for step, state in zip(schedule.steps, states[1:], strict=False)
    ]
    return Trace((TraceStep(None, states[0]), *steps)), None if refusal is None else str(refusal)


def schedule_of(meta: Mapping[str, Any], where: str = "#meta") -> Schedule | None:
    """Return the schedule of a trace with this meta, ``None`` if it has none.

    Raises SpecError, naming ``where``, for an example that does not exist and for a text that is not a schedule.
    """
    if isinstance(meta.get("example"), str):
        return load_example(meta["example"], specs_here())
    if isinstance(meta.get("schedule"), str):
        return parse_schedule(meta["schedule"], where=f"{where}, schedule")
    return None
