"""What can be explored: states, the actions between them, what is claimed of them, and how they are shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyharness.explorer.explored_action import ExploredAction
    from pyharness.explorer.history_tree import Moment
    from pyharness.explorer.property_truths import Endless, Truth
    from pyharness.explorer.state_goals import StateGoal
    from pyharness.report.state_graphs.state_picture import StateGraph
    from pyharness.tla import Fn
    from pyharness.tlc import Trace


class Column(NamedTuple):
    """A step in a table: the ``moment`` by its number, its step from 1, and the action that led to it."""

    moment: int
    step: int
    action: str
    here: bool


class TableRow(NamedTuple):
    """A row of a table: a name, and for each column a text and whether it changed."""

    name: str
    cells: tuple[tuple[str, bool], ...]


class Picture(NamedTuple):
    """A history as it is shown: a ``drawing`` with its ``legend``, or a table of ``columns`` and ``rows``."""

    drawing: Markup = Markup("")
    legend: Markup = Markup("")
    columns: tuple[Column, ...] = ()
    rows: tuple[TableRow, ...] = ()


class Subject(ABC):
    """What a session explores. A state is any value that can be compared and hashed.

    ``name`` is what a command line says of it, ``title`` also what it is explored on; ``meta`` is what a saved trace
    says of itself. ``properties`` are the names of all that is judged, of which those that say what comes are
    ``liveness``.
    """

    name: str
    title: str
    meta: dict[str, Any]
    properties: tuple[str, ...]
    liveness: frozenset[str] = frozenset()
    most_searched: int | None = None
    """A search gives up after so many states, if not after as many as one of a protocol."""

    ends: str = "nothing can happen any more"
    """What is said of a state from which no step leads on."""

    unjudged: tuple[str, ...] = ()
    """Properties that are not judged here."""

    notes: tuple[str, ...] = ()
    """What a reader must know besides."""

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
        """Write an action that can be taken in a state, so that it can be told from others."""
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
        """Judge each property at a moment; ``goes_on`` is how its history can go on for ever, if it can."""

    def endless(self, states: Sequence[Any]) -> Endless | None:
        """Tell how a history can go on for ever as it is; ``None`` if it cannot, or that is not looked into."""
        del states
        return None

    def never_comes(self, path: Sequence[Any]) -> tuple[str, ...]:
        """Name the properties of behaviours that one violates which stays in the last state of a path for ever."""
        del path
        return ()

    def why(self, name: str, trace: Trace) -> str:
        """Say why a property fails at the end of a trace; nothing if there is nothing to say."""
        del name, trace
        return ""

    # -- how it is shown -------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def formats(self) -> Mapping[str, Callable[[Trace, Mapping[str, Any]], str | bytes]]:
        """The formats in which a history can be saved."""

    @abstractmethod
    def facts(self) -> Iterable[tuple[str, str]]:
        """Yield what is explored, each fact with its name."""

    @abstractmethod
    def picture(self, trace: Trace, meta: Mapping[str, Any], line: Sequence[Moment], here: Moment) -> Picture:
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
