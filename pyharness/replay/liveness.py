"""Behaviours that go on for ever: whether they are fair, and what they never come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.systems import find_protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.systems.system import GlobalState, System


def liveness_violations(system: System, path: Sequence[GlobalState], start: int) -> tuple[str, ...]:
    """Name the liveness properties that a behaviour violates.

    The behaviour goes through ``path`` and then for ever through ``path[start:]``; with ``start`` the last index
    it stays in its last state. One that is not fair violates nothing: it is not a behaviour of the system.
    """
    loop = path[start:]
    if not is_fair(system, loop):
        return ()
    known = find_protocol(system.protocol).liveness
    return tuple(name for name, holds in known.items() if not holds(system, path, loop))


def is_fair(system: System, loop: Sequence[GlobalState]) -> bool:
    """Tell whether going through ``loop`` for ever is weakly fair (E18): nothing is neglected."""
    return not neglected(system, loop)


def neglected(system: System, loop: Sequence[GlobalState]) -> frozenset[tuple[str, str]]:
    """Return the fair actions, with their places, that are possible in every state of the loop, and never taken.

    Of a disjunction it is enough that one part is taken, and too much that some part is possible in each state.
    """
    left = set(system.fair_actions())
    for index, state in enumerate(loop):
        following = loop[(index + 1) % len(loop)]
        actions = [
            (system.disjunctions.get(action.name, action.name), action.place, action.after)
            for action in system.actions(state)
        ]
        left &= {(name, place) for name, place, _ in actions}
        left -= {(name, place) for name, place, after in actions if after == following}
        if not left:
            break
    return frozenset(left)
