"""Search for the nearest state with something about it, breadth-first and within bounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.explorer.explored_action import ExploredAction
    from pyharness.explorer.explored_subject import Subject

MOST_SEARCHED: Final = 20_000
"""A search gives up after so many states."""


class Reached(NamedTuple):
    """A step of the search: the states ``before`` and ``after`` it, and whether the second is ``new``.

    ``way`` gives the states of the shortest way to ``after``, with both ends.
    """

    before: Any
    after: Any
    new: bool
    way: Callable[[], list[Any]]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: the shortest ``path``, or ``None``, after visiting so many ``states``.

    ``complete`` is whether everything reachable was visited: without a path, there is none.
    """

    path: tuple[ExploredAction, ...] | None
    states: int
    complete: bool


def search(
    subject: Subject,
    start: Any,
    goal: Callable[[Reached], bool],
    *,
    most: int = MOST_SEARCHED,
    in_time: Callable[[], bool] = lambda: True,
) -> Found:
    """Look for the shortest path from ``start`` whose last step is a ``goal``.

    It gives up after ``most`` states, or when ``in_time`` says that it is too late.
    """
    came: dict[Any, tuple[Any, ExploredAction] | None] = {start: None}
    level = [start]
    while level:
        following: list[Any] = []
        for state in level:
            if len(came) > most or not in_time():
                return Found(None, len(came), complete=False)
            for action in subject.actions(state):
                new = action.after not in came
                if new:
                    came[action.after] = (state, action)
                    following.append(action.after)
                if goal(Reached(state, action.after, new, partial(_states, came, start, state, action))):
                    return Found((*_way(came, state), action), len(came), complete=False)
        level = following
    return Found(None, len(came), complete=True)


def _states(
    came: dict[Any, tuple[Any, ExploredAction] | None],
    start: Any,
    state: Any,
    last: ExploredAction,
) -> list[Any]:
    return [start, *(action.after for action in _way(came, state)), last.after]


def _way(came: dict[Any, tuple[Any, ExploredAction] | None], state: Any) -> tuple[ExploredAction, ...]:
    way: list[ExploredAction] = []
    while (step := came[state]) is not None:
        state = step[0]
        way.append(step[1])
    return tuple(reversed(way))
