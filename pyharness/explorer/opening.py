"""How a session begins: on a graph, or with a trace, at any of its steps."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import SpecError
from pyharness.explorer.protocol_subject import ProtocolSubject
from pyharness.explorer.session import Session
from pyharness.plan.requested_model import protocol_model
from pyharness.plan.trace_system import system_for
from pyharness.replay import replay
from pyharness.systems import find_mutant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyharness.systems import System
    from pyharness.tlc import Trace
    from pyharness.topology import Topology

SEARCH_SECONDS: Final = 20.0
"""A search of a session that was opened here gives up after so many seconds."""


def open_graph(
    protocol: str, topology: Topology, said: Mapping[str, Any], mutant: str | None = None
) -> Session:
    """Begin a session of a protocol, or its mutant, on a topology.

    ``said`` has what a trace's document says of its setting, as far as it is not the usual: application, items,
    placement, constants, granularity and predicate.

    Raises SpecError for names that do not exist, and for a graph that does not fit the application.
    """
    model = protocol_model(protocol, (topology,), **said)
    if mutant is not None:
        find_mutant(protocol, mutant)
    system = model.system(topology, mutant)
    meta = {
        "spec": protocol,
        "mutant": mutant,
        "granularity": model.granularity,
        "application": model.application,
        "items": model.items,
        "placement": model.placement,
        "constants": {**model.defaults, **model.constants},
        "predicate": model.predicate,
    }
    _require_dataflow(system, topology, model.application)
    return Session(
        ProtocolSubject(system, {key: value for key, value in meta.items() if value is not None}),
        in_time=in_seconds,
    )


def open_trace(
    trace: Trace,
    meta: Mapping[str, Any],
    protocol: str | None = None,
    step: int | None = None,
    *,
    where: str = "the trace",
) -> Session:
    """Begin a session with a trace, at its ``step`` (from 1; the last if none is given).

    ``protocol`` is ``NAME`` or ``NAME:MUTANT``; without it, it is the one the trace says. Where the implementation
    parts from the trace, the session has what comes before, and says so.

    Raises SpecError for a trace that no implementation can begin, and a step that it does not have.
    """
    require_step(step, trace, where)
    said = protocol
    if said is None and meta.get("mutant") and meta.get("spec"):
        said = f"{meta['spec']}:{meta['mutant']}"
    system = system_for(trace, meta, said, where=where)
    found = replay(trace, system)
    if not found.path:
        raise SpecError(
            "no implementation begins as this trace does", where=where, hint=str(found.divergence)
        )
    name, _, mutant = (said or system.protocol).partition(":")
    kept = (
        "granularity",
        "application",
        "items",
        "placement",
        "constants",
        "predicate",
        "example",
        "schedule",
    )
    setting = {key: meta[key] for key in kept if meta.get(key) is not None}
    session = Session(
        ProtocolSubject(system, {"spec": name, **({"mutant": mutant} if mutant else {}), **setting}),
        in_time=in_seconds,
    )
    names = [step.action for step in trace.steps]
    along(session, found.path, names[: len(found.path)], step, len(trace))
    if found.divergence is not None:
        parts = f"{session.name} parts from the trace at step {found.divergence.step}"
        session.said = f"{parts}; what comes before is opened, at step {session.here.steps + 1}."
    return session


def along(
    session: Session, path: Sequence[Any], names: Sequence[str | None], step: int | None, length: int
) -> None:
    """Take a path of states in a session, by actions of these names, ``None`` for any; go to a ``step`` of it.

    ``length`` is how many the trace has of which this is the path, or its beginning. Raises SpecError for a step that
    no such action takes.
    """
    session.begin(session.beginnings.index(path[0]))
    for after, name in zip(path[1:], names[1:], strict=True):
        session.take(session.here.number, _number(session, after, name))
    if step is not None and step <= len(path):
        session.go(session.here.past()[step - 1].number)
    session.said = f"Opened at step {session.here.steps + 1} of {length}."


def _number(session: Session, after: Any, name: str | None) -> int:
    actions = session.subject.actions(session.here.state)
    fitting = [i for i, a in enumerate(actions) if a.after == after and (name is None or a.name == name)]
    if not fitting:
        raise SpecError(
            "this trace has a step in which nothing happens", hint="such steps cannot be explored"
        )
    return fitting[0]


def require_step(step: int | None, trace: Trace, where: str) -> None:
    """Require that a trace has a step. Raises SpecError."""
    if step is not None and not 1 <= step <= len(trace):
        raise SpecError(f"the trace has no step {step}", where=where, hint=f"its steps are 1 to {len(trace)}")


def _require_dataflow(system: System, topology: Topology, application: str) -> None:
    """Refuse a graph that is no dataflow where the application is one: its initiators are its sources."""
    sources = tuple(p for p in range(1, topology.processes + 1) if not topology.inputs(p))
    if application == "Dataflow" and topology.initiators != sources:
        raise SpecError(
            f"{topology.id} is no dataflow, which {system.protocol} is about here",
            where="--topology",
            hint="its initiators must be the processes without inputs: pipeline:3, join:3 and diamond:4 are",
        )


def in_seconds() -> Callable[[], bool]:
    """Return the question whether a search that begins now may go on: for :data:`SEARCH_SECONDS`."""
    end = time.monotonic() + SEARCH_SECONDS
    return lambda: time.monotonic() < end
