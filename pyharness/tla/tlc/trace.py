"""Traces: the behaviours TLC prints, step by step; and the shapes of variables in all their states, which ITF needs.

A variable has one kind in all states of a trace, so that ITF gives it one type: a function stays a map, even when empty. In
TLA+ a sequence is a function, and ``<<>>`` is the empty one; a typed reader of ITF (Apalache, Quint) distinguishes them.
A value that is a map in one state, or was one in the file that it was read from, is a map in all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError, ToolError
from pyharness.tla.values import Fn, Value, is_identifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyharness.tla.values import StateReader


@dataclass(frozen=True)
class Shape:
    """The kind of value that a variable, or a part of it, is in all states.

    ``kind`` is ``scalar``, ``set``, ``record``, ``tuple`` (or sequence) or ``map``; ``any`` if nothing is known,
    ``mixed`` if states differ. ``parts`` has the shapes of a record's fields by name, and of a tuple's items by their
    places (from 0); ``keys`` and ``every`` are those of a map's arguments and results, ``every`` also that of members
    of a set or a sequence.
    """

    kind: str = "any"
    parts: Mapping[Any, Shape] = field(default_factory=dict)
    keys: Shape | None = None
    every: Shape | None = None

    def part(self, key: object) -> Shape:
        """Return the shape of a field, an item, a member or a result."""
        return self.parts.get(key) or self.every or ANY


ANY: Final = Shape()

_FUNCTIONS: Final = frozenset({"map", "tuple", "record"})
"""All are functions in TLA+; those of different kinds are maps to a typed reader."""


def merged(shapes: Iterable[Shape]) -> Shape:
    """Return the one shape that values of all ``shapes`` have."""
    return reduce(_both, shapes, ANY)


def shape_of_value(value: Value) -> Shape:
    """Return the shape of a value. A function on ``1..n`` is a tuple as far as the value shows."""
    if isinstance(value, tuple):
        return _tuple(map(shape_of_value, value))
    if isinstance(value, frozenset):
        return Shape("set", every=merged(map(shape_of_value, value)))
    if isinstance(value, Fn):
        if all(isinstance(key, str) and is_identifier(key) for key in value):
            return Shape("record", {str(key): shape_of_value(item) for key, item in value.items()})
        keys, results = map(shape_of_value, value), map(shape_of_value, value.values())
        return Shape("map", keys=merged(keys), every=merged(results))
    return Shape("scalar")


def shape_of_json(data: Any) -> Shape:
    """Return the shape of a value as an ITF document has it; ``None`` if it is not an ITF value."""
    if isinstance(data, list):
        return _tuple(map(shape_of_json, data))
    if not isinstance(data, dict):
        return Shape("scalar")
    match data:
        case {"#tup": list(items)}:
            return _tuple(map(shape_of_json, items))
        case {"#set": list(items)}:
            return Shape("set", every=merged(map(shape_of_json, items)))
        case {"#map": list(pairs)}:
            return Shape(
                "map",
                keys=merged(shape_of_json(key) for key, _ in pairs),
                every=merged(shape_of_json(item) for _, item in pairs),
            )
        case _ if not any(key.startswith("#") for key in data):
            return Shape("record", {key: shape_of_json(item) for key, item in data.items()})
    return Shape("scalar")


def _tuple(items: Iterable[Shape]) -> Shape:
    return Shape("tuple", dict(enumerate(items)))


def _both(one: Shape, other: Shape) -> Shape:
    if "any" in {one.kind, other.kind}:
        return other if one.kind == "any" else one
    if one.kind != other.kind:
        return _as_map(one, other) if {one.kind, other.kind} <= _FUNCTIONS else Shape("mixed")
    if one.kind == "map":
        return _as_map(one, other)
    if one.kind == "tuple":
        return _tuples(one, other)
    parts = {key: _both(one.part(key), other.part(key)) for key in {**one.parts, **other.parts}}
    return Shape(one.kind, parts, every=_both(one.every or ANY, other.every or ANY))


def _as_map(one: Shape, other: Shape) -> Shape:
    results = [shape for own in (one, other) for shape in (*own.parts.values(), own.every or ANY)]
    return Shape("map", keys=merged(own.keys or ANY for own in (one, other)), every=merged(results))


def _tuples(one: Shape, other: Shape) -> Shape:
    """Merge item by item; where the lengths differ it is a sequence, whose members have one shape."""
    if one.every is None and other.every is None and len(one.parts) == len(other.parts):
        return _tuple(_both(one.parts[key], other.parts[key]) for key in one.parts)
    members = [shape for own in (one, other) for shape in (*own.parts.values(), own.every or ANY)]
    return Shape("tuple", every=merged(members))


LOCATION: Final = r"line \d+, col \d+ to line \d+, col \d+ of module [^\s>:]+"
"""A regular expression for a place in a module, as TLC prints it."""

_HEADER: Final = re.compile(r"(?:State )?(\d{1,18}): <(.*)>\s*\Z")
_ACTION: Final = re.compile(rf"(.*?)(?: ({LOCATION}))?\Z", re.DOTALL)
_BACK: Final = re.compile(r"(\d{1,18}): Back to state|Back to state (\d{1,18})")


@dataclass(frozen=True, slots=True)
class TraceStep:
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
    behaviour is a loop; ``stuttering`` means that it stays in the last state forever. ``shapes`` has, by name, the types
    of variables in a typed reader's file that their values do not show (see :mod:`pyharness.tla.tlc.trace`).
    """

    steps: tuple[TraceStep, ...]
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
    """Builds a trace from the states that follow a violation.

    ``reader`` reads the states; share one for the run. With ``-difftrace`` a state lists only what
    changed; it is completed from the state before.
    """

    def __init__(self, reader: StateReader) -> None:
        self._reader = reader
        self._steps: list[TraceStep] = []
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
            self._steps.append(TraceStep(None, state, location))
            return
        before = self._steps[-1].state
        if len(state) < len(before):
            state = before.updated(state)
        name, arguments, location = split_action(action) if action else (None, None, None)
        self._steps.append(TraceStep(name or None, state, location, arguments))

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
        """Return the trace of the states added so far, or ``None`` if there are none."""
        return Trace(tuple(self._steps), self._lasso, self._stuttering) if self._steps else None
