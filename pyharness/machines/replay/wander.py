"""Walk an implementation at random, and return the states reached, as TLA+: deep in graphs too large to explore.

A model that wanders begins in such states, and goes a step from each: there TLC evaluates its invariants, and the
implementation must have the same successors. Every state that is walked to is one of the spec's as long as they have.
"""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.toolchain.code_digest import code_digest
from pyharness.base.toolchain.kept_texts import KeptTexts
from pyharness.base.toolchain.seal import own_cache
from pyharness.tla.values import to_tla

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.systems import Composition
    from pyharness.machines.systems.system import Action, GlobalState, System


_LONGEST: Final = 400
"""The number of steps after which a walk is given up: some behaviours have no end."""

_PER_STATE: Final = 6
"""The number of states that are walked to for each one taken, for neighbours on a walk differ little."""

_IN_VAIN: Final = 40
"""The number of walks in a row without a new state after which there is taken to be none."""


@dataclass(frozen=True)
class Wander:
    """The number of ``states`` that random walks from a ``seed`` take of each graph."""

    states: int
    seed: int = 1


def wandered(system: System, wander: Wander, *, stop_when_over: bool = True) -> tuple[GlobalState, ...]:
    """Return states that random walks of a system reach, the same ones for the same seed and graph.

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


def walked_states(
    composition: Composition,
    topologies: Sequence[Topology],
    wander: Wander,
    *,
    stop_when_over: bool,
    composed_of: Mapping[str, Any],
) -> list[dict[str, str]]:
    """Return the states that random walks reach on each topology (:func:`wandered`), as TLA+ by variable.

    ``composed_of`` is all that the composition depends on but the code, as JSON can have it.
    """
    directory = own_cache()
    kept = KeptTexts(directory and directory / "walks", "walk")
    graphs = [repr(topology) for topology in topologies]
    made_from = json.dumps([composed_of, graphs, asdict(wander), stop_when_over])

    def walked() -> str:
        return json.dumps(
            [
                {name: to_tla(value) for name, value in system.variables(state).items()}
                for system in map(composition.on, topologies)
                for state in wandered(system, wander, stop_when_over=stop_when_over)
            ]
        )

    found: list[dict[str, str]] = json.loads(kept.text((made_from, _code()), walked))
    return found


@cache
def _code() -> str:
    """Return the identity of the code that walks, and of the source of its random choices."""
    digest = code_digest("base", "tla", "machines")
    return f"{digest} Python {platform.python_version()}"
