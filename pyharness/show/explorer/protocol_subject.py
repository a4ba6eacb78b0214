"""A protocol of the shipped specs as it is explored, and how a session begins: on a graph, or with a trace."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import module_directories, specs_here
from pyharness.gate.plans.requested_model import protocol_model
from pyharness.machines.explain.readable_values import Wording
from pyharness.machines.explain.state_values import words
from pyharness.machines.explain.why import why
from pyharness.machines.protocols import Coloured, Marker, Message
from pyharness.machines.replay import replay
from pyharness.machines.replay.replay import liveness_violations, neglected
from pyharness.machines.systems import find_mutant, find_protocol, violations
from pyharness.machines.systems.protocol_spec import claim_of
from pyharness.models.trace_system import system_for
from pyharness.show.explorer.explored_subject import Chart, Endless, ExploredSubject, StateGoal, Truth
from pyharness.show.explorer.session import Session
from pyharness.show.report.formats.export_formats import FORMATS
from pyharness.show.report.state_graphs.state_picture import state_graph, state_text
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.diagram_svg import draw, legend_list
from pyharness.show.report.trace.state_rows import rows
from pyharness.tla.modules.definition_text import definition_text
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.systems import Action, GlobalState, System
    from pyharness.show.explorer.history_tree import Moment
    from pyharness.show.report.state_graphs.state_picture import StateGraph


class ProtocolSubject(ExploredSubject):
    """A ``system``; ``meta`` has spec, mutant, application and its bounds."""

    replayed = True

    def __init__(self, system: System, meta: Mapping[str, Any]) -> None:
        self.system, self.meta = system, dict(meta)
        self._spec = find_protocol(system.protocol)
        mutant = self.meta.get("mutant")
        self.name = f"{system.protocol}:{mutant}" if mutant else system.protocol
        self.title = f"{self.name} on {system.topology.id}"
        self.liveness = frozenset(self._spec.liveness)
        self.properties = (*self._spec.state_properties, *self._spec.step_properties, *self._spec.liveness)
        first = self.variables(next(iter(system.initial())))
        self._prefixed = "collected" in first
        self._wording = Wording(Trace((TraceStep(None, first),)), self.meta)

    def initial(self) -> Iterator[GlobalState]:
        """Yield the initial states."""
        return iter(self.system.initial())

    def actions(self, state: GlobalState) -> Iterable[Action]:
        """Yield the actions that are enabled in a state."""
        return self.system.actions(state)

    def variables(self, state: GlobalState) -> Fn:
        """Return the values of the spec's variables in a state."""
        return Fn(self.system.variables(state).items())

    def in_words(self, name: str, detail: str) -> str:
        """Write an action's name and what it is applied to as people read them: "accept marker C12"."""
        return f"{words(name, prefixed=self._prefixed)} {self._wording.detail(detail)}".strip()

    def goals(self) -> Iterator[StateGoal]:
        """Yield the goals of searches, each under a key of its own."""
        system, spec, topology = self.system, self._spec, self.system.topology
        names = self.variables(next(iter(system.initial())))
        if "recState" in names:
            yield StateGoal("complete", "the snapshot is complete", system.complete)
        if spec.tests_predicates:
            yield StateGoal("over", "the collector has its verdict", system.over)
        yield StateGoal("still", self.ends, lambda state: not any(system.actions(state)))
        yield StateGoal("empty", "every channel is empty", lambda state: not any(state.queues))
        if spec.predicate_holds is not None:
            yield StateGoal("predicate", "the predicate holds now", partial(spec.predicate_holds, system))
        for name, text in _VARIABLES.items():
            if name in names:
                yield StateGoal(name, text, partial(self._is_not_empty, name))
        if "recState" in names:
            for process in range(1, topology.processes + 1):
                name = topology.process_name(process)
                yield StateGoal(f"recorded-{name}", f"{name} has recorded", partial(self._recorded, process))
        for index, channel in enumerate(system.channels):
            name = topology.channel_name(channel)
            yield StateGoal(f"message-{name}", f"{name} holds a message", _holds(index, (Coloured, Message)))
            if spec.coloured:
                yield StateGoal(f"marker-{name}", f"{name} holds a marker", _holds(index, (Marker,)))

    def _is_not_empty(self, variable: str, state: GlobalState) -> bool:
        return bool(self.system.variables(state)[variable])

    def _recorded(self, process: int, state: GlobalState) -> bool:
        return process in self.system.recorded_states(state)

    def violations(self, before: GlobalState | None, after: GlobalState) -> tuple[str, ...]:
        """Name the properties that a state, or the step to it, violates."""
        return violations(self.system, before, after)

    def truths(self, here: Moment, goes_on: Endless | None) -> list[Truth]:
        """Judge each property at the moment ``here``; ``goes_on`` is how its history can go on forever, if it can."""
        spec, past = self._spec, here.past()
        found = []
        for kind, properties in (("state", spec.state_properties), ("step", spec.step_properties)):
            for name, predicate in properties.items():
                failed_at = next((moment.steps + 1 for moment in past if name in moment.fails), None)
                found.append(Truth(name, kind, name not in here.fails, claim_of(predicate), failed_at))
        states = [moment.state for moment in past]
        for name, judged in spec.liveness.items():
            fails = goes_on is not None and name in goes_on.missing
            holds = False if fails else True if goes_on is not None and goes_on.stays else None
            owed = holds is None and not judged(self.system, states, states[-1:])
            at = here.steps + 1 if fails else None
            found.append(Truth(name, "behaviour", holds, claim_of(judged), at, owed=owed))
        return found

    def endless(self, states: Sequence[GlobalState]) -> Endless | None:
        """Return how a history can go on forever, if its last state allows nothing or was there before; else ``None``.

        Of several ways round, the shortest that violates a property, else the shortest that is fair, else the shortest.
        """
        last = len(states) - 1
        if not any(self.system.actions(states[last])):
            return Endless(last, True, (), self.never_comes(states))
        found = [
            Endless(
                begins,
                False,
                tuple(sorted(neglected(self.system, states[begins:last]))),
                liveness_violations(self.system, states[:last], begins),
            )
            for begins in reversed(range(last))
            if states[begins] == states[last]
        ]
        return min(found, key=lambda way: (not way.missing, bool(way.neglected)), default=None)

    def never_comes(self, path: Sequence[GlobalState]) -> tuple[str, ...]:
        """Name the properties of behaviours that one violates which stays in the last state of a path forever."""
        return liveness_violations(self.system, path, len(path) - 1)

    def why(self, name: str, trace: Trace) -> str:
        """Explain why a property fails at the end of a trace."""
        return why(name, trace, self.meta) or ""

    def definition(self, name: str) -> str:
        """Return the text in the spec, or in the seeded bug's module, of an action or a property."""
        module = str(self.meta.get("mutant") or self.system.protocol)
        directories = module_directories(specs_here())
        return definition_text(name, module, directories) or definition_text(
            name, self.system.protocol, directories
        )

    @property
    def formats(self) -> Mapping[str, Callable[[Trace, Mapping[str, Any]], str]]:
        """Every format of ``pyharness trace export``."""
        return FORMATS

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the graph, the seeded bug, and the application with its bounds."""
        meta = self.meta
        yield "topology", self.system.topology.id
        if meta.get("mutant"):
            yield "seeded bug", str(meta["mutant"])
        if "application" in meta:
            yield "application", str(meta["application"])
            if meta["application"] != "Dataflow":
                yield "items", f"{meta.get('items', 2)}, placed {meta.get('placement', 'spread')}"
        yield from ((name, str(value)) for name, value in meta.get("constants", {}).items())
        if meta.get("predicate"):
            yield "predicate", str(meta["predicate"])

    def picture(self, trace: Trace, meta: Mapping[str, Any], line: Sequence[Moment], here: Moment) -> Chart:
        """Draw the space-time diagram of a history."""
        del line, here
        diagram = diagram_of(trace, meta)
        drawing = Markup(draw(diagram, key=False))  # noqa: S704 - every text in it is escaped where it is written
        return Chart(drawing, legend_list(diagram))

    def rows(self, before: GlobalState | None, after: GlobalState) -> list[dict[str, Any]]:
        """Return a row for each process and channel of each variable."""
        shown = [self.variables(state) for state in (before, after) if state is not None]
        lanes = diagram_of(Trace(tuple(TraceStep(None, state) for state in shown)), self.meta).lanes
        old = {row.name: row for row in rows(shown[0], lanes, self._wording)} if before is not None else None
        found = []
        for row in rows(shown[-1], lanes, self._wording):
            was = None if old is None else old.get(row.name)
            changed = old is not None and (was is None or was.text != row.text)
            found.append(
                {
                    "name": row.name,
                    "text": row.text,
                    "words": row.words,
                    "changed": changed,
                    "was": was if changed else None,
                }
            )
        return found

    def graph(self) -> StateGraph | str:
        """Return the graph of all states that can be reached, or why there is no picture of it."""
        try:
            return state_graph(self.system)
        except SpecError as error:
            return error.message

    def state_text(self, state: GlobalState) -> str:
        """Write a state as the spec's variables, a line for each."""
        return state_text(self.system, state)


_VARIABLES: Final = {
    "completed": "a checkpoint is complete",
    "aborted": "a checkpoint is aborted",
    "crashes": "there was a crash",
}
"""The variables with a goal that they are neither empty nor 0."""


def _holds(index: int, kinds: tuple[type, ...]) -> Callable[[GlobalState], bool]:
    return lambda state: any(isinstance(element, kinds) for element in state.queues[index])


SEARCH_SECONDS: Final = 20.0
"""The seconds after which a search of a session that was opened here gives up."""


def open_graph(
    protocol: str, topology: Topology, setting: Mapping[str, Any], mutant: str | None = None
) -> Session:
    """Begin a session of a protocol, or its mutant, on a topology.

    ``setting`` is that of a trace's document, without the defaults: application, items,
    placement, constants, granularity and predicate.

    Raises SpecError for names that do not exist, and for a graph that does not fit the application.
    """
    model = protocol_model(protocol, (topology,), **setting)
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

    ``protocol`` is ``NAME`` or ``NAME:MUTANT``; without it, it is the trace's. Where the implementation
    diverges from the trace, the session has the steps before it, and a note.

    Raises SpecError for a trace that no implementation can begin, and a step that it does not have.
    """
    require_step(step, trace, where)
    subject = protocol
    if subject is None and meta.get("mutant") and meta.get("spec"):
        subject = f"{meta['spec']}:{meta['mutant']}"
    system = system_for(trace, meta, subject, where=where)
    found = replay(trace, system)
    if not found.path:
        raise SpecError(
            "no implementation begins as this trace does", where=where, hint=str(found.divergence)
        )
    name, _, mutant = (subject or system.protocol).partition(":")
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
        session.message = f"{parts}; what comes before is opened, at step {session.here.steps + 1}."
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
    session.message = f"Opened at step {session.here.steps + 1} of {length}."


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
    """Refuse a graph that is not a dataflow where the application is one: its initiators are its sources."""
    sources = tuple(p for p in range(1, topology.processes + 1) if not topology.inputs(p))
    if application == "Dataflow" and topology.initiators != sources:
        raise SpecError(
            f"{topology.id} is not a dataflow, which {system.protocol} is about here",
            where="--topology",
            hint="its initiators must be the processes without inputs: pipeline:3, join:3 and diamond:4 are",
        )


def in_seconds() -> Callable[[], bool]:
    """Return the question whether a search that begins now may go on: for :data:`SEARCH_SECONDS`."""
    end = time.monotonic() + SEARCH_SECONDS
    return lambda: time.monotonic() < end
