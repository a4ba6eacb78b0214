"""A difference as a trace: what the spec does at the events of its case, the last one too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.errors import SpecError
from pyharness.programs.difference import event_words
from pyharness.programs.vocabulary import find_held
from pyharness.programs.watched_machine import refused_in, settled, taken_by, watched_system
from pyharness.tla import Fn
from pyharness.tlc.trace import Step, Trace

if TYPE_CHECKING:
    from pyharness.programs.difference import Difference


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
