"""Explore the reachable states by the implementation alone, breadth first and independently of TLC."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.base.errors import IncompleteError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.machines.systems.system import GlobalState, System


@dataclass(frozen=True, slots=True)
class Exploration:
    """The result of an exploration.

    ``distinct`` states, ``transitions`` taken (with repetition), the same by action name in ``actions``, and
    the ``depth``: the number of states on the longest of the shortest paths, as TLC counts it.
    """

    distinct: int
    transitions: int
    actions: Mapping[str, int]
    depth: int


def explore(system: System, *, stop_when_over: bool = True, max_states: int = 10_000_000) -> Exploration:
    """Visit every reachable state of ``system``; with ``stop_when_over``, none beyond a state that is over.

    Raises IncompleteError when there are more than ``max_states``.
    """
    level = list(dict.fromkeys(system.initial()))
    seen: set[GlobalState] = set(level)
    actions: Counter[str] = Counter()
    depth = 0
    while level:
        depth += 1
        following: list[GlobalState] = []
        for state in level:
            if stop_when_over and system.over(state):
                continue
            for action in system.actions(state):
                actions[action.name] += 1
                if action.after not in seen:
                    seen.add(action.after)
                    following.append(action.after)
            if len(seen) > max_states:
                raise IncompleteError(
                    f"more than {max_states} states",
                    hint="use fewer items or a smaller topology; does anything in a state grow?",
                )
        level = following
    return Exploration(len(seen), actions.total(), dict(actions), depth)
