"""A session on the graph of a model that begins with a trace: a counterexample, or a history that was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.errors import SpecError
from pyharness.explorer.opening import along, in_seconds, require_step
from pyharness.explorer.session import Session
from pyharness.toolchain.clean_text import clean, clip

if TYPE_CHECKING:
    from pyharness.any_spec.spec_graph import SpecGraph
    from pyharness.any_spec.spec_subject import SpecSubject
    from pyharness.tlc import Trace


def open_along(
    subject: SpecSubject, graph: SpecGraph, trace: Trace, step: int | None = None, *, where: str
) -> Session:
    """Begin a session on a ``graph`` with a trace, at its ``step`` (from 1; the last if none is given).

    Where the graph has no such step, the session has what comes before, and says so. The action of a step is the one of
    the trace's name, or any that leads to the same state where there is none of that name.

    Raises SpecError for a trace of other variables or another beginning, and for a step that it does not have.
    """
    require_step(step, trace, where)
    own, told = set(graph.states[0]), set(trace.steps[0].state)
    if own != told:
        raise SpecError(
            f"the trace has the variables {_listed(told)}, and {subject.name} has {_listed(own)}", where=where
        )
    path, names = _followed(graph, trace)
    if not path:
        raise SpecError(
            "it begins in a state that is no initial one",
            where=where,
            hint=f"is it a trace of {subject.title}, with the same constants?",
        )
    session = Session(subject, in_time=in_seconds)
    if path[0] not in session.beginnings:
        session.beginnings = [*session.beginnings, path[0]]
    along(session, path, names, step, len(trace))
    if len(path) < len(trace):
        parts = f"{subject.name} parts from the trace at step {len(path) + 1}"
        session.said = f"{parts}; what comes before is opened, at step {session.here.steps + 1}."
    elif trace.lasso is not None:
        session.said += f" From its last step the trace goes back to step {trace.lasso + 1}, for ever."
    elif trace.stuttering:
        session.said += " In its last state the trace stays for ever."
    return session


def _followed(graph: SpecGraph, trace: Trace) -> tuple[list[int], list[str | None]]:
    """Return the numbers of a trace's states, as far as the graph has its steps, and by which actions."""
    first = next((n for n in graph.initial if graph.states[n] == trace.steps[0].state), None)
    if first is None:
        return [], []
    path, names = [first], [trace.steps[0].action]
    for step in trace.steps[1:]:
        fitting = [each for each in graph.steps[path[-1]] if graph.states[each.after] == step.state]
        if not fitting:
            break
        path.append(fitting[0].after)
        names.append(step.action if any(each.name == step.action for each in fitting) else None)
    return path, names


def _listed(names: set[Any]) -> str:
    return clean(clip(", ".join(sorted(map(str, names))), 200))
