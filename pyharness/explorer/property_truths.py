"""Every property of a protocol at one moment of a history: whether it holds, and what it says."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.replay.replay import liveness_violations, neglected
from pyharness.systems import find_protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.explorer.history_tree import Moment
    from pyharness.systems import GlobalState, System


@dataclass(frozen=True, slots=True)
class Truth:
    """A property at a moment.

    ``kind`` is ``state``, ``step`` or ``behaviour``. ``holds`` is ``None`` while it is open, as one of behaviours is
    until it is known how the behaviour goes on for ever; it is ``owed`` while what it asks for has not come, so that a
    behaviour that stayed here would violate it. ``says`` is what it claims. ``failed_at`` is the first step of the
    history, from 1 as people count, at which it failed; one that fails now failed then or before. ``why`` is the
    sentence that says, from the state, why it fails here.
    """

    name: str
    kind: str
    holds: bool | None
    says: str
    failed_at: int | None = None
    why: str = ""
    owed: bool = False


@dataclass(frozen=True, slots=True)
class Endless:
    """How a history can go on for ever as it is: by staying in its last state, or by coming back to it again and again.

    ``begins`` is the index of the state where what repeats begins; of a history that ``stays`` it is the last.
    ``neglected`` are the actions, each with what it is applied to, that could be taken all the way round and are not:
    with one, it is not fair, and no behaviour of the system. ``missing`` are the properties that it violates.
    """

    begins: int
    stays: bool
    neglected: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


def endless(system: System, states: Sequence[GlobalState]) -> Endless | None:
    """Tell how a history can go on for ever, if its last state allows nothing or was there before; else ``None``.

    Of several ways round, the shortest that violates a property, else the shortest that is fair, else the shortest.
    """
    last = len(states) - 1
    if not any(system.actions(states[last])):
        return Endless(last, True, (), never_comes(system, states))
    found = [
        Endless(
            begins,
            False,
            tuple(sorted(neglected(system, states[begins:last]))),
            liveness_violations(system, states[:last], begins),
        )
        for begins in reversed(range(last))
        if states[begins] == states[last]
    ]
    return min(found, key=lambda way: (not way.missing, bool(way.neglected)), default=None)


def truths(system: System, here: Moment, goes_on: Endless | None) -> list[Truth]:
    """Judge each property at the moment ``here``; ``goes_on`` is how its history can go on for ever, if it can."""
    spec, past = find_protocol(system.protocol), here.past()
    found = []
    for kind, properties in (("state", spec.state_properties), ("step", spec.step_properties)):
        for name, predicate in properties.items():
            failed_at = next((moment.steps + 1 for moment in past if name in moment.fails), None)
            found.append(Truth(name, kind, name not in here.fails, _says(predicate), failed_at))
    states = [moment.state for moment in past]
    for name, judged in spec.liveness.items():
        fails = goes_on is not None and name in goes_on.missing
        holds = False if fails else True if goes_on is not None and goes_on.stays else None
        owed = holds is None and not judged(system, states, states[-1:])
        at = here.steps + 1 if fails else None
        found.append(Truth(name, "behaviour", holds, _says(judged), at, owed=owed))
    return found


def never_comes(system: System, path: Sequence[GlobalState]) -> tuple[str, ...]:
    """Name the properties of behaviours that one violates which stays in the last state of ``path`` for ever."""
    return liveness_violations(system, path, len(path) - 1)


def _says(predicate: object) -> str:
    """Return the first paragraph of the docstring: the property in words, with the number of its claim."""
    return " ".join((inspect.getdoc(predicate) or "").partition("\n\n")[0].split())
