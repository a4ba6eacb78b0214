"""Random walks of an implementation: states deep in graphs that are too large to be explored.

A model that wanders begins in such states, and goes a step from each: there TLC evaluates its invariants, and the
implementation must have the same successors. Every state that is walked to is one of the spec's as long as they have.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.systems.system import Action, GlobalState, System

_LONGEST: Final = 400
"""A walk is given up after so many steps: some behaviours have no end."""

_PER_STATE: Final = 6
"""So many states are walked to for each one that is taken, for neighbours on a walk differ little."""

_IN_VAIN: Final = 40
"""So many walks in a row that come to nothing new are taken to mean that there is nothing."""


@dataclass(frozen=True)
class Wander:
    """How many ``states`` are taken of each graph, of random walks from a ``seed``."""

    states: int
    seed: int = 1


def wandered(system: System, wander: Wander, *, stop_when_over: bool = True) -> tuple[GlobalState, ...]:
    """Return states that random walks of a system come to, the same ones for the same seed and graph.

    With ``stop_when_over`` no walk goes beyond a state that is over. There are fewer where the walks find fewer.
    """
    random = Random(f"{wander.seed} {system.topology.id}")  # noqa: S311 - to be repeated, not secret
    begins = list(system.initial())
    seen: dict[GlobalState, None] = {}
    in_vain = 0
    while len(seen) < _PER_STATE * wander.states and in_vain < _IN_VAIN:
        before, state = len(seen), random.choice(begins)
        seen[state] = None
        by_name = (
            random.random() < 0.5
        )  # else what is most often possible, such as to send, is nearly all there is
        for _ in range(_LONGEST):
            actions = [] if stop_when_over and system.over(state) else list(system.actions(state))
            if not actions:
                break
            state = _chosen(actions, random, by_name=by_name).after
            seen[state] = None
        in_vain = in_vain + 1 if len(seen) == before else 0
    found = list(seen)
    return tuple(found if len(found) <= wander.states else random.sample(found, wander.states))


def _chosen(actions: Sequence[Action], random: Random, *, by_name: bool) -> Action:
    if by_name:
        name = random.choice(sorted({action.name for action in actions}))
        actions = [action for action in actions if action.name == name]
    return random.choice(actions)
