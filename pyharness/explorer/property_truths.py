"""Every property of a protocol at one moment of a history: whether it holds, and what it says."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.replay.liveness import liveness_violations
from pyharness.systems import find_protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.explorer.history_tree import Moment
    from pyharness.systems import GlobalState, System

__all__ = ["Truth", "never_comes", "truths"]


@dataclass(frozen=True, slots=True)
class Truth:
    """A property at a moment.

    ``kind`` is ``state``, ``step`` or ``behaviour``. ``holds`` is ``None`` while it is open, as one of behaviours is
    until nothing can happen any more. ``says`` is what it claims. ``failed_at`` is the first step of the history, from
    1 as people count, at which it failed; one that fails now failed then or before. ``why`` is the sentence that says,
    from the state, why it fails here.
    """

    name: str
    kind: str
    holds: bool | None
    says: str
    failed_at: int | None = None
    why: str = ""


def truths(system: System, here: Moment, *, still: bool) -> list[Truth]:
    """Judge each property at the moment ``here``; ``still`` says that no action is enabled there."""
    spec, past = find_protocol(system.protocol), here.past()
    found = []
    for kind, properties in (("state", spec.state_properties), ("step", spec.step_properties)):
        for name, predicate in properties.items():
            failed_at = next((moment.steps + 1 for moment in past if name in moment.fails), None)
            found.append(Truth(name, kind, name not in here.fails, _says(predicate), failed_at))
    missing = never_comes(system, [moment.state for moment in past]) if still else None
    for name, judged in spec.liveness.items():
        holds = None if missing is None else name not in missing
        found.append(
            Truth(name, "behaviour", holds, _says(judged), here.steps + 1 if holds is False else None)
        )
    return found


def never_comes(system: System, path: Sequence[GlobalState]) -> tuple[str, ...]:
    """Name the properties of behaviours that one violates which stays in the last state of ``path`` for ever."""
    return liveness_violations(system, path, len(path) - 1)


def _says(predicate: object) -> str:
    """Return the first paragraph of the docstring: the property in words, with the number of its claim."""
    return " ".join((inspect.getdoc(predicate) or "").partition("\n\n")[0].split())
