"""The subjects of an exploration: states, the actions between them, the claims of them, the states to search for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyharness.show.explorer.history_tree import ExploredAction, Moment
    from pyharness.show.report.state_graphs.state_picture import StateGraph
    from pyharness.tla.tlc import Trace
    from pyharness.tla.values import Fn


@dataclass(frozen=True, slots=True)
class Truth:
    """A property at a moment.

    ``kind`` is ``state``, ``step`` or ``behaviour``. ``holds`` is ``None`` while it is open, as one of behaviours is
    until it is known how the behaviour goes on forever; it is ``owed`` while its goal is not reached, so that a
    behaviour that stayed here would violate it. ``claim`` is its text. ``failed_at`` is the first step of the
    history, from 1 as people count, at which it failed; one that fails now failed then or before. ``why`` is the
    sentence that explains, from the state, why it fails here.
    """

    name: str
    kind: str
    holds: bool | None
    claim: str
    failed_at: int | None = None
    why: str = ""
    owed: bool = False


@dataclass(frozen=True, slots=True)
class Endless:
    """How a history can go on forever as it is: by staying in its last state, or by coming back to it again and again.

    ``begins`` is the index of the state where what repeats begins; of a history that ``stays`` it is the last.
    ``neglected`` are the actions, each with what it is applied to, that could be taken all the way round and are not:
    with one, it is not fair, and not a behaviour of the system. ``missing`` are the properties that it violates.
    """

    begins: int
    stays: bool
    neglected: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


class StateGoal(NamedTuple):
    """A predicate of states: ``key`` in requests, ``text`` after "a state where", and whether it ``holds``."""

    key: str
    text: str
    holds: Callable[[Any], bool]


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
    """The number of states after which a search gives up; ``None`` for the number of protocols' searches."""

    ends: str = "nothing can happen any more"
    """The note on a state from which no step leads on."""

    unjudged: tuple[str, ...] = ()
    """Properties that are not judged here."""

    notes: tuple[str, ...] = ()
    """Further notes for the reader."""

    replayed: bool = False
    """Whether a saved history can be compared with an implementation."""

    # -- what there is ---------------------------------------------------------------------------------------------

    @abstractmethod
    def initial(self) -> Iterator[Any]:
        """Yield the initial states."""

    @abstractmethod
    def actions(self, state: Any) -> Iterable[ExploredAction]:
        """Yield the actions that are enabled in a state, always in the same order."""

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
        """Return the goals of "go to a state where …"."""

    # -- what holds ------------------------------------------------------------------------------------------------

    @abstractmethod
    def violations(self, before: Any | None, after: Any) -> tuple[str, ...]:
        """Name the properties that a state, or the step to it, violates; ``before`` is ``None`` for an initial one."""

    @abstractmethod
    def truths(self, here: Moment, goes_on: Endless | None) -> list[Truth]:
        """Judge each property at a moment; ``goes_on`` is how its history can go on forever, if it can."""

    def endless(self, states: Sequence[Any]) -> Endless | None:
        """Return how a history can go on forever without new states; ``None`` if it cannot, or if this is not examined."""
        del states
        return None

    def never_comes(self, path: Sequence[Any]) -> tuple[str, ...]:
        """Name the properties of behaviours that one violates which stays in the last state of a path forever."""
        del path
        return ()

    def why(self, name: str, trace: Trace) -> str:
        """Explain why a property fails at the end of a trace; "" without a reason."""
        del name, trace
        return ""

    # -- how it is shown -------------------------------------------------------------------------------------------

    @abstractmethod
    def definition(self, name: str) -> str:
        """Return the text in TLA+ of an action or a property; "" if it has none."""

    @property
    @abstractmethod
    def formats(self) -> Mapping[str, Callable[[Trace, Mapping[str, Any]], str]]:
        """The formats in which a history can be saved."""

    @abstractmethod
    def facts(self) -> Iterable[tuple[str, str]]:
        """Yield facts about the subject, each with its name."""

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
