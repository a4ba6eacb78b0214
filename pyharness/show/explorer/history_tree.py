"""A tree of histories: every state that was visited, by the path to it; nothing is forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from pyharness.base.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterator


class ExploredAction(Protocol):
    """An action that can be taken: its ``name``, what it is applied to, and the state ``after`` it."""

    @property
    def name(self) -> str:
        """The name of the action."""

    @property
    def detail(self) -> str:
        """The arguments of the action; "" without any."""

    @property
    def after(self) -> Any:
        """The state that it leads to."""


MOST_STEPS: Final = 500
"""The greatest number of steps of a history; its picture could not be looked at any more."""

MOST_MOMENTS: Final = 5_000
"""The greatest number of moments of a tree."""


@dataclass(eq=False, slots=True)
class Moment:
    """A state in a history.

    ``number`` is its own in the tree. ``action`` led to it from ``before``; both are ``None`` at a beginning. ``steps``
    counts the actions up to it. ``fails`` names the properties that the state, or the step to it, violates.
    ``following`` are the moments that were gone on to from it, and ``last`` is the one of them that was visited last.
    """

    number: int
    state: Any
    before: Moment | None = None
    action: ExploredAction | None = None
    fails: tuple[str, ...] = ()
    steps: int = 0
    following: list[Moment] = field(default_factory=list)
    last: Moment | None = None

    def past(self) -> list[Moment]:
        """Return the history up to this moment, from its beginning on, with itself."""
        found: list[Moment] = []
        at: Moment | None = self
        while at is not None:
            found.append(at)
            at = at.before
        return found[::-1]

    def line(self) -> list[Moment]:
        """Return the history through this moment, and on along what was visited last."""
        found, at = self.past(), self.last
        while at is not None:
            found.append(at)
            at = at.last
        return found


class HistoryTree:
    """All moments of a session, by number: a tree for each beginning."""

    def __init__(self) -> None:
        self.moments: list[Moment] = []

    def begin(self, state: Any, fails: tuple[str, ...]) -> Moment:
        """Return the moment at which ``state`` is the beginning; there is one for each state."""
        for moment in self.moments:
            if moment.before is None and moment.state == state:
                return moment
        return self._add(Moment(len(self.moments), state, fails=fails))

    def add(self, before: Moment, action: ExploredAction, fails: tuple[str, ...]) -> Moment:
        """Return the moment to which ``action`` leads; taken a second time, it leads to the same one.

        Raises SpecError when the history or the tree would be longer than can be shown.
        """
        known = next((m for m in before.following if m.action == action), None)
        if known is not None:
            return known
        if before.steps >= MOST_STEPS:
            raise SpecError(f"this history has {MOST_STEPS} steps, which is as many as can be drawn")
        moment = Moment(len(self.moments), action.after, before, action, fails, before.steps + 1)
        self._add(moment)
        before.following.append(moment)
        return moment

    def at(self, number: int) -> Moment:
        """Return the moment of this number. Raises SpecError for a number without a moment."""
        if not 0 <= number < len(self.moments):
            raise SpecError(f"there is no moment {number} in this tree")
        return self.moments[number]

    def visit(self, moment: Moment) -> None:
        """Note that ``moment`` was visited, so that its line is the one that leads through it."""
        while moment.before is not None:
            moment.before.last = moment
            moment = moment.before

    def ends(self) -> Iterator[Moment]:
        """Yield the last moment of each history, in the order in which they were reached."""
        return (moment for moment in self.moments if not moment.following)

    def _add(self, moment: Moment) -> Moment:
        if len(self.moments) >= MOST_MOMENTS:
            raise SpecError(f"this tree has {MOST_MOMENTS} moments", hint="start the explorer again")
        self.moments.append(moment)
        return moment
