"""Search for the nearest state with something about it, breadth-first and within bounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.systems.system import Action, GlobalState, System

__all__ = ["MOST_SEARCHED", "Found", "Reached", "search"]

MOST_SEARCHED: Final = 20_000
"""A search gives up after so many states."""


class Reached(NamedTuple):
    """A step of the search: the states ``before`` and ``after`` it, and whether the second is ``new``.

    ``way`` gives the states of the shortest way to ``after``, with both ends.
    """

    before: GlobalState
    after: GlobalState
    new: bool
    way: Callable[[], list[GlobalState]]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: the shortest ``path``, or ``None``, after visiting so many ``states``.

    ``complete`` is whether everything reachable was visited: without a path, there is none.
    """

    path: tuple[Action, ...] | None
    states: int
    complete: bool


def search(
    system: System,
    start: GlobalState,
    goal: Callable[[Reached], bool],
    *,
    most: int = MOST_SEARCHED,
    in_time: Callable[[], bool] = lambda: True,
) -> Found:
    """Look for the shortest path from ``start`` whose last step is a ``goal``.

    It gives up after ``most`` states, or when ``in_time`` says that it is too late.
    """
    came: dict[GlobalState, tuple[GlobalState, Action] | None] = {start: None}
    level = [start]
    while level:
        following: list[GlobalState] = []
        for state in level:
            if len(came) > most or not in_time():
                return Found(None, len(came), complete=False)
            for action in system.actions(state):
                new = action.after not in came
                if new:
                    came[action.after] = (state, action)
                    following.append(action.after)
                if goal(Reached(state, action.after, new, partial(_states, came, start, state, action))):
                    return Found((*_way(came, state), action), len(came), complete=False)
        level = following
    return Found(None, len(came), complete=True)


def _states(
    came: dict[GlobalState, tuple[GlobalState, Action] | None],
    start: GlobalState,
    state: GlobalState,
    last: Action,
) -> list[GlobalState]:
    return [start, *(action.after for action in _way(came, state)), last.after]


def _way(
    came: dict[GlobalState, tuple[GlobalState, Action] | None], state: GlobalState
) -> tuple[Action, ...]:
    way: list[Action] = []
    while (step := came[state]) is not None:
        state = step[0]
        way.append(step[1])
    return tuple(reversed(way))
