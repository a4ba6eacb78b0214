"""Traces: the behaviours TLC prints, step by step."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError, ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.tla import Fn, StateReader
    from pyharness.tlc.itf_shapes import Shape

LOCATION: Final = r"line \d+, col \d+ to line \d+, col \d+ of module [^\s>:]+"
"""A regular expression for a place in a module, as TLC prints it."""

_HEADER: Final = re.compile(r"(?:State )?(\d+): <(.*)>\s*\Z")
_ACTION: Final = re.compile(rf"(.*?)(?: ({LOCATION}))?\Z", re.DOTALL)
_BACK: Final = re.compile(r"(\d+): Back to state|Back to state (\d+)")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a trace: the action that was taken and the state it led to.

    ``action`` is the name of the action, ``None`` for the first step (the initial state) and when TLC gives no
    name; ``arguments`` is the text of its arguments if TLC gives them (``p1, 3``); ``location`` is the place of
    the action in its module, as text; ``state`` maps names of variables to values.
    """

    action: str | None
    state: Fn
    location: str | None = None
    arguments: str | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A finite behaviour, or with its end an infinite one.

    ``steps[0]`` is the initial state. ``lasso`` is the index of the step the last state returns to, if the
    behaviour is a loop; ``stuttering`` says that it stays in the last state for ever. ``shapes`` has what a typed
    reader's file says of variables, by name, that their values do not (see :mod:`pyharness.tlc.itf_shapes`).
    """

    steps: tuple[Step, ...]
    lasso: int | None = None
    stuttering: bool = False
    shapes: Mapping[str, Shape] = field(default_factory=dict, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.steps)


def split_action(text: str) -> tuple[str, str | None, str | None]:
    """Split ``Act(p1) line 6, col 8 to … of module M`` into the action's name, its arguments, its location."""
    match = _ACTION.match(text)
    name, location = (match[1], match[2]) if match else (text, None)
    if name.endswith(")") and "(" in name:
        name, _, arguments = name[:-1].partition("(")
        return name, arguments, location
    return name, None, location


class TraceBuilder:
    """Puts the states that follow a violation together to a trace.

    ``reader`` reads the states; share one for the whole run. With ``-difftrace`` a state lists only what
    changed; it is completed from the state before.
    """

    def __init__(self, reader: StateReader) -> None:
        self._reader = reader
        self._steps: list[Step] = []
        self._lasso: int | None = None
        self._stuttering = False

    def add_state(self, text: str) -> None:
        """Add the state that a message with a state has: a header ``3: <Act …>`` and the lines of the state.

        Raises ``ToolError`` when the text is not such a state or its number is not the next one.
        """
        head, _, body = text.partition("\n")
        header = _HEADER.match(head)
        if not header or int(header[1]) != len(self._steps) + 1:
            raise ToolError(f"TLC printed a state that is out of order: {head[:80]!r}")
        self.add(header[2], body)

    def add(self, action: str | None, body: str) -> None:
        """Add a state from its lines ``body``; ``action`` is what TLC printed between ``<`` and ``>``."""
        try:
            state = self._steps[-1].state if self._steps and not body.strip() else self._reader.read(body)
        except SpecError as error:
            raise ToolError(f"TLC printed a state that cannot be read: {error}") from error
        if not self._steps:
            location = split_action(action)[2] if action else None
            self._steps.append(Step(None, state, location))
            return
        before = self._steps[-1].state
        if len(state) < len(before):
            state = before.updated(state)
        name, arguments, location = split_action(action) if action else (None, None, None)
        self._steps.append(Step(name or None, state, location, arguments))

    def add_back(self, text: str) -> None:
        """Close the loop: ``1: Back to state: …``. Raises ``ToolError`` if there is no such state."""
        match = _BACK.match(text)
        number = int(match[1] or match[2]) if match else 0
        if not 1 <= number <= len(self._steps):
            raise ToolError(f"TLC printed a loop to a state that is not in the trace: {text[:80]!r}")
        self._lasso = number - 1

    def add_stuttering(self) -> None:
        """End the trace: it stays in its last state."""
        self._stuttering = True

    def trace(self) -> Trace | None:
        """Return what was added so far, or ``None`` when that is nothing."""
        return Trace(tuple(self._steps), self._lasso, self._stuttering) if self._steps else None
