"""What a variable is in all states of a trace, so that ITF gives it one type: a function stays a map, even when empty.

In TLA+ a sequence is a function, and ``<<>>`` is the empty one; a typed reader of ITF (Apalache, Quint) tells them
apart. A value that is a map in one state, or was one in the file that it was read from, is a map in all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from pyharness.tla import Fn, Value, is_identifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class Shape:
    """What kind of value a variable, or a part of it, is in all states.

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
    """Return the shape of a value. A function on ``1..n`` is a tuple for all that the value says."""
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
    """Return the shape of a value as an ITF document has it; of what is no ITF value, nothing."""
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
