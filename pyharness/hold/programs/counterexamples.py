"""The counterexamples of the seeded bugs: ways on which a machine with the bug breaks a property.

They are found here, by exploring the Python machines with the bugs on small graphs; the plans hold each of those against
the mutant of that name in ``specs/mutants/``. So nothing need be at hand but the package. A program must go along as far as
the spec does, and then do what the spec does instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from pyharness.hold.programs.case_runs import LiveRun
from pyharness.hold.programs.vocabulary import find_held
from pyharness.hold.programs.watched_machine import taken_by, watched_system
from pyharness.machines.protocols import Items
from pyharness.machines.systems import build_system, find_protocol, violations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.base.topology import Topology
    from pyharness.hold.programs.difference import Difference
    from pyharness.hold.programs.team import Programs
    from pyharness.hold.programs.vocabulary import HeldProtocol
    from pyharness.machines.systems.system import Action, GlobalState, System

_MOST_STATES: Final = 400
"""The number of states of a graph in which a bug is looked for; then the next graph is taken."""

_ITEMS: Final = 2


@dataclass(frozen=True)
class Refusals:
    """The seeded bugs whose counterexamples were asked, by name, and those for which none was found."""

    refused: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@cache
def counterexample(
    protocol: str, mutant: str, graphs: tuple[Topology, ...]
) -> tuple[Topology, tuple[str, ...]] | None:
    """Return the first graph on which a seeded bug breaks a property of a state or step, and a shortest way there.

    The way is of actions as :class:`~pyharness.machines.systems.Action` prints them, and is none of the spec's. ``None`` if no
    such graph is found.
    """
    constants = find_held(protocol).constants
    for graph in graphs:
        correct, system = (
            build_system(protocol, graph, Items(_ITEMS, "spread"), mutant=bug, constants=constants)
            for bug in (None, mutant)
        )
        if (way := _shortest(system, correct)) is not None:
            return graph, way
    return None


def _shortest(system: System, correct: System) -> tuple[str, ...] | None:
    level = list(system.initial())
    came: dict[GlobalState, tuple[GlobalState, Action] | None] = dict.fromkeys(level)
    while level and len(came) < _MOST_STATES:
        following = []
        for state in level:
            for action in [] if system.over(state) else system.actions(state):
                if violations(system, state, action.after):
                    way = (*_way(came, state), str(action))
                    if not _is_taken(correct, way, action.after):
                        return way
                if action.after not in came:
                    came[action.after] = state, action
                    following.append(action.after)
        level = following
    return None


def _is_taken(system: System, way: Sequence[str], end: GlobalState) -> bool:
    """Return whether the spec takes a path too, and ends in the same state."""
    state = next(system.initial())
    for text in way:
        after = next((action.after for action in system.actions(state) if str(action) == text), None)
        if after is None:
            return False
        state = after
    return state == end


def _way(came: dict[GlobalState, tuple[GlobalState, Action] | None], state: GlobalState) -> tuple[str, ...]:
    way: list[str] = []
    while (before := came[state]) is not None:
        way.append(str(before[1]))
        state = before[0]
    return tuple(reversed(way))


def hold_counterexamples(
    held: HeldProtocol, programs: Programs, graphs: Sequence[Topology]
) -> Refusals | Difference:
    """Ask programs for the counterexample of each seeded bug of a protocol's process; return the first difference.

    Raises ProgramError if programs cannot be reset.
    """
    refused, without = [], []
    for name, parts in find_protocol(held.name).mutants.items():
        if "process" not in parts:
            continue
        found = counterexample(held.name, name, tuple(graphs))
        if found is None:
            without.append(name)
            continue
        differs = _follow(held, programs, *found)
        if differs is not None:
            return differs.said(f"the counterexample of {name}")
        refused.append(name)
    return Refusals(tuple(refused), tuple(without))


def _follow(held: HeldProtocol, programs: Programs, graph: Topology, way: Sequence[str]) -> Difference | None:
    """Ask for the steps of a way as long as the spec has them, and then for what the spec refuses there."""
    system = watched_system(held, graph, Items(_ITEMS, "spread"))
    run = LiveRun(system, next(system.initial()), programs.team(graph.processes))
    for text in way:
        choices = {str(action): action for action in system.actions(run.state)}
        if text not in choices:
            break
        found = run.take(taken_by(choices[text]), choices[text].after)
        if found is not None:
            return found
    for event in run.choices()[1]:
        found = run.take((event,), None)
        if found is not None:
            return found
    return None
