"""The subjects of an exploration: states, the actions between them, the claims of them, the states to search for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from markupsafe import Markup

from pyharness.machines.protocols import Coloured, Marker, Message
from pyharness.machines.replay.replay import liveness_violations, neglected
from pyharness.machines.systems import find_protocol
from pyharness.machines.systems.protocol_spec import claim_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyharness.machines.systems import GlobalState, System
    from pyharness.show.explorer.history_tree import ExploredAction, Moment
    from pyharness.show.report.state_graphs.state_picture import StateGraph
    from pyharness.tla.tlc import Trace
    from pyharness.tla.values import Fn


@dataclass(frozen=True, slots=True)
class Truth:
    """A property at a moment.

    ``kind`` is ``state``, ``step`` or ``behaviour``. ``holds`` is ``None`` while it is open, as one of behaviours is
    until it is known how the behaviour goes on forever; it is ``owed`` while its goal is not reached, so that a
    behaviour that stayed here would violate it. ``says`` is its claim. ``failed_at`` is the first step of the
    history, from 1 as people count, at which it failed; one that fails now failed then or before. ``why`` is the
    sentence that explains, from the state, why it fails here.
    """

    name: str
    kind: str
    holds: bool | None
    says: str
    failed_at: int | None = None
    why: str = ""
    owed: bool = False


@dataclass(frozen=True, slots=True)
class Endless:
    """How a history can go on forever as it is: by staying in its last state, or by coming back to it again and again.

    ``begins`` is the index of the state where what repeats begins; of a history that ``stays`` it is the last.
    ``neglected`` are the actions, each with what it is applied to, that could be taken all the way round and are not:
    with one, it is not fair, and no behaviour of the system. ``missing`` are the properties that it violates.
    """

    begins: int
    stays: bool
    neglected: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


def endless(system: System, states: Sequence[GlobalState]) -> Endless | None:
    """Return how a history can go on forever, if its last state allows nothing or was there before; else ``None``.

    Of several ways round, the shortest that violates a property, else the shortest that is fair, else the shortest.
    """
    last = len(states) - 1
    if not any(system.actions(states[last])):
        return Endless(last, True, (), never_comes(system, states))
    found = [
        Endless(
            begins,
            False,
            tuple(sorted(neglected(system, states[begins:last]))),
            liveness_violations(system, states[:last], begins),
        )
        for begins in reversed(range(last))
        if states[begins] == states[last]
    ]
    return min(found, key=lambda way: (not way.missing, bool(way.neglected)), default=None)


def truths(system: System, here: Moment, goes_on: Endless | None) -> list[Truth]:
    """Judge each property at the moment ``here``; ``goes_on`` is how its history can go on forever, if it can."""
    spec, past = find_protocol(system.protocol), here.past()
    found = []
    for kind, properties in (("state", spec.state_properties), ("step", spec.step_properties)):
        for name, predicate in properties.items():
            failed_at = next((moment.steps + 1 for moment in past if name in moment.fails), None)
            found.append(Truth(name, kind, name not in here.fails, claim_of(predicate), failed_at))
    states = [moment.state for moment in past]
    for name, judged in spec.liveness.items():
        fails = goes_on is not None and name in goes_on.missing
        holds = False if fails else True if goes_on is not None and goes_on.stays else None
        owed = holds is None and not judged(system, states, states[-1:])
        at = here.steps + 1 if fails else None
        found.append(Truth(name, "behaviour", holds, claim_of(judged), at, owed=owed))
    return found


def never_comes(system: System, path: Sequence[GlobalState]) -> tuple[str, ...]:
    """Name the properties of behaviours that one violates which stays in the last state of ``path`` forever."""
    return liveness_violations(system, path, len(path) - 1)


_VARIABLES: Final = {
    "completed": "a checkpoint is complete",
    "aborted": "a checkpoint is aborted",
    "crashes": "there was a crash",
}
"""Variables of which it can be asked that they are neither empty nor 0."""


class StateGoal(NamedTuple):
    """A predicate of states: ``key`` in requests, ``text`` after "a state where", and whether it ``holds``."""

    key: str
    text: str
    holds: Callable[[Any], bool]


def goals_of(system: System) -> tuple[StateGoal, ...]:
    """List what can be asked for of the states of ``system``, each under a key of its own."""
    return tuple(_goals(system))


def _goals(system: System) -> Iterator[StateGoal]:
    spec, topology = find_protocol(system.protocol), system.topology
    names = system.variables(next(iter(system.initial())))
    if "recState" in names:
        yield StateGoal("complete", "the snapshot is complete", system.complete)
    if spec.tests_predicates:
        yield StateGoal("over", "the collector has its verdict", system.over)
    yield StateGoal("still", "nothing can happen any more", lambda state: not any(system.actions(state)))
    yield StateGoal("empty", "every channel is empty", lambda state: not any(state.queues))
    if spec.predicate_holds is not None:
        holds = spec.predicate_holds
        yield StateGoal("predicate", "the predicate holds now", lambda state: holds(system, state))
    for name, text in _VARIABLES.items():
        if name in names:
            yield StateGoal(name, text, _is_not_empty(system, name))
    if "recState" in names:
        for process in range(1, topology.processes + 1):
            name = topology.process_name(process)
            yield StateGoal(f"recorded-{name}", f"{name} has recorded", _has_recorded(system, process))
    for index, channel in enumerate(system.channels):
        name = topology.channel_name(channel)
        yield StateGoal(f"message-{name}", f"{name} holds a message", _holds(index, (Coloured, Message)))
        if spec.coloured:
            yield StateGoal(f"marker-{name}", f"{name} holds a marker", _holds(index, (Marker,)))


def _is_not_empty(system: System, variable: str) -> Callable[[GlobalState], bool]:
    return lambda state: bool(system.variables(state)[variable])


def _has_recorded(system: System, process: int) -> Callable[[GlobalState], bool]:
    return lambda state: process in system.recorded_states(state)


def _holds(index: int, kinds: tuple[type, ...]) -> Callable[[GlobalState], bool]:
    return lambda state: any(isinstance(element, kinds) for element in state.queues[index])


class TableColumn(NamedTuple):
    """A step in a table: the ``moment`` by its number, its step from 1, and the action that led to it."""

    moment: int
    step: int
    action: str
    here: bool


class TableRow(NamedTuple):
    """A row of a table: a name, and for each column a text and whether it changed."""

    name: str
    cells: tuple[tuple[str, bool], ...]


class Chart(NamedTuple):
    """A history as it is shown: a ``drawing`` with its ``legend``, or a table of ``columns`` and ``rows``."""

    drawing: Markup = Markup("")
    legend: Markup = Markup("")
    columns: tuple[TableColumn, ...] = ()
    rows: tuple[TableRow, ...] = ()


class ExploredSubject(ABC):
    """The subject of a session. A state is any value that can be compared and hashed.

    ``name`` is its name on a command line, ``title`` has also the graph that it is explored on; ``meta`` is the meta of a
    saved trace. ``properties`` are the names of all that is judged, of which those about the future are
    ``liveness``.
    """

    name: str
    title: str
    meta: dict[str, Any]
    properties: tuple[str, ...]
    liveness: frozenset[str] = frozenset()
    most_searched: int | None = None
    """The number of states after which a search gives up, if not after as many as one of a protocol."""

    ends: str = "nothing can happen any more"
    """The note on a state from which no step leads on."""

    unjudged: tuple[str, ...] = ()
    """Properties that are not judged here."""

    notes: tuple[str, ...] = ()
    """Further notes for the reader."""

    replayed: bool = False
    """Whether a saved history can be held against an implementation."""

    # -- what there is ---------------------------------------------------------------------------------------------

    @abstractmethod
    def initial(self) -> Iterator[Any]:
        """Yield the initial states."""

    @abstractmethod
    def actions(self, state: Any) -> Iterable[ExploredAction]:
        """Yield what can be taken in a state, always in the same order."""

    @abstractmethod
    def variables(self, state: Any) -> Fn:
        """Return the values of the spec's variables in a state."""

    @abstractmethod
    def in_words(self, name: str, detail: str) -> str:
        """Write an action as people read it."""

    def choice(self, state: Any, action: ExploredAction) -> str:
        """Write an action that can be taken in a state, in words that no other one has."""
        del state
        return self.in_words(action.name, action.detail)

    @abstractmethod
    def goals(self) -> Iterable[StateGoal]:
        """Return what can be asked for in "go to a state where …"."""

    # -- what holds ------------------------------------------------------------------------------------------------

    @abstractmethod
    def violations(self, before: Any | None, after: Any) -> tuple[str, ...]:
        """Name the properties that a state, or the step to it, violates; ``before`` is ``None`` for an initial one."""

    @abstractmethod
    def truths(self, here: Moment, goes_on: Endless | None) -> list[Truth]:
        """Judge each property at a moment; ``goes_on`` is how its history can go on forever, if it can."""

    def endless(self, states: Sequence[Any]) -> Endless | None:
        """Return how a history can go on forever as it is; ``None`` if it cannot, or that is not looked into."""
        del states
        return None

    def never_comes(self, path: Sequence[Any]) -> tuple[str, ...]:
        """Name the properties of behaviours that one violates which stays in the last state of a path forever."""
        del path
        return ()

    def why(self, name: str, trace: Trace) -> str:
        """Explain why a property fails at the end of a trace; "" if there is no reason to give."""
        del name, trace
        return ""

    # -- how it is shown -------------------------------------------------------------------------------------------

    @abstractmethod
    def definition(self, name: str) -> str:
        """Return the text in TLA+ of an action or a property; empty where there is none."""

    @property
    @abstractmethod
    def formats(self) -> Mapping[str, Callable[[Trace, Mapping[str, Any]], str]]:
        """The formats in which a history can be saved."""

    @abstractmethod
    def facts(self) -> Iterable[tuple[str, str]]:
        """Yield what is explored, each fact with its name."""

    @abstractmethod
    def picture(self, trace: Trace, meta: Mapping[str, Any], line: Sequence[Moment], here: Moment) -> Chart:
        """Return the picture of a history, the moments of a ``line``, in which one is ``here``."""

    @abstractmethod
    def rows(self, before: Any | None, after: Any) -> list[dict[str, Any]]:
        """Return the rows of a state; ``was`` is what a row had ``before`` the last step, if that changed it."""

    @abstractmethod
    def graph(self) -> StateGraph | str:
        """Return the graph of all states, or why there is no picture of it."""

    @abstractmethod
    def state_text(self, state: Any) -> str:
        """Write a state as the nodes of the graph have it."""
