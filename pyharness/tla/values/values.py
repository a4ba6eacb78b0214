r"""TLA+ values as immutable Python values.

====================================  ==========================================================
TLA+                                  Python
====================================  ==========================================================
``TRUE``, ``FALSE``                   ``bool``
integers                              ``int``
strings                               ``str``
model values                          :class:`ModelValue`
sets, ``1..3`` too                    ``frozenset``
sequences, tuples                     ``tuple`` (a function whose domain is ``1..n`` *is* a tuple)
every other function, records too     :class:`Fn`
====================================  ==========================================================

Each TLA+ value has one Python form: ``function`` returns a tuple when the domain is ``1..n``, so the empty
function, ``<<>>`` and ``[x \in {} |-> 0]`` are all ``()``.

Python holds ``True == 1``; TLA+ does not. Compare values from two sources with :func:`same`.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from dataclasses import dataclass
from typing import TypeAlias, Union, overload

from pyharness.base.errors import SpecError


@dataclass(frozen=True, slots=True)
class ModelValue:
    """An uninterpreted constant: equal to itself and to nothing else.

    ``name`` is the identifier the model gave it.
    """

    name: str

    def __str__(self) -> str:
        return self.name


Value: TypeAlias = Union[bool, int, str, ModelValue, "frozenset[Value]", "tuple[Value, ...]", "Fn"]

UNDEFINED = ModelValue("null")
"""TLC's output for a variable that has no value yet (``null``); not a value of the logic."""


class Fn(Mapping[Value, Value]):
    """An immutable, hashable TLA+ function whose domain is not ``1..n``: records, states, general functions.

    Iterates over its domain in the order of :func:`sort_key`. Build one with :func:`function` or
    :func:`record`; the constructor itself refuses a domain ``1..n``, which belongs to ``tuple``.

    Raises ``SpecError`` for an empty domain, a domain ``1..n``, or an argument given two results.
    """

    __slots__ = ("_hash", "_map")
    _map: dict[Value, Value]
    _hash: int | None

    def __init__(self, pairs: Iterable[tuple[Value, Value]]) -> None:
        mapping = _mapping(list(pairs))
        if _is_sequence_domain(mapping):
            raise SpecError(
                "a function on 1..n is a tuple", hint="build it with pyharness.tla.values.function"
            )
        self._map = _in_order(mapping)
        self._hash = None

    @classmethod
    def of_sorted(cls, mapping: dict[Value, Value]) -> Fn:
        """Wrap ``mapping`` without a copy or a check: its keys are in the order of :func:`sort_key`.

        For readers of many states; the domain is not ``1..n``. The caller must not keep a reference to ``mapping``.
        """
        self = cls.__new__(cls)
        self._map = mapping
        self._hash = None
        return self

    @overload
    def __getitem__(self, key: Value) -> Value: ...
    @overload
    def __getitem__(self, key: object) -> Value: ...
    def __getitem__(self, key: object) -> Value:
        return self._map[key]  # type: ignore[index]

    def __iter__(self) -> Iterator[Value]:
        return iter(self._map)

    def __len__(self) -> int:
        return len(self._map)

    def __contains__(self, key: object) -> bool:
        return key in self._map

    def keys(self) -> KeysView[Value]:
        """Return the domain, in order."""
        return self._map.keys()

    def values(self) -> ValuesView[Value]:
        """Return the results, in the order of the domain."""
        return self._map.values()

    def items(self) -> ItemsView[Value, Value]:
        """Return the pairs of argument and result, in the order of the domain."""
        return self._map.items()

    def updated(self, changes: Mapping[Value, Value]) -> Fn:
        """Return a copy with some results replaced or added: ``[f EXCEPT ![k] = v]`` for each change."""
        return Fn((self._map | dict(changes)).items())

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Fn):
            return NotImplemented
        return self._map == other._map

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._map.items()))
        return self._hash

    def __repr__(self) -> str:
        return f"Fn({{{', '.join(f'{k!r}: {v!r}' for k, v in self._map.items())}}})"

    def __reduce__(self) -> tuple[object, ...]:
        return (Fn, (tuple(self._map.items()),))


def function(pairs: Mapping[Value, Value] | Iterable[tuple[Value, Value]]) -> Value:
    """Return the TLA+ function with these pairs of argument and result, in its one Python form.

    A ``tuple`` when the domain is ``1..n`` (``()`` when it is empty), else an :class:`Fn`.
    Raises ``SpecError`` when an argument is given twice.
    """
    mapping = _mapping(list(pairs.items() if isinstance(pairs, Mapping) else pairs))
    if _is_sequence_domain(mapping):
        return tuple(mapping[i] for i in range(1, len(mapping) + 1))
    return Fn.of_sorted(_in_order(mapping))


def record(**fields: Value) -> Fn:
    """Return the record with these fields: ``record(a=1)`` is ``[a |-> 1]``. At least one field."""
    return Fn(fields.items())


def set_of(items: Iterable[Value]) -> frozenset[Value]:
    """Return the TLA+ set of these items; repeats are merged.

    Raises ``SpecError`` when two items differ only as ``TRUE`` differs from ``1``: such a set has no Python
    form, and TLC cannot make it either.
    """
    given = list(items)
    result = frozenset(given)
    if len(result) != len(given):
        kept: dict[Value, Value] = {}
        for item in given:
            if not same(kept.setdefault(item, item), item):
                raise SpecError(f"a set cannot hold both {kept[item]!r} and {item!r}")
    return result


def same(a: Value, b: Value) -> bool:
    """Whether ``a`` and ``b`` are the same TLA+ value; unlike ``==`` this distinguishes ``TRUE`` from ``1``."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if type(a) is Fn and type(b) is Fn:  # isinstance is slow for an abstract class
        return len(a) == len(b) and all(map(same, a, b)) and all(map(same, a.values(), b.values()))
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return a == b and all(map(same, sorted(a, key=sort_key), sorted(b, key=sort_key)))
    return a == b


_SortKey: TypeAlias = "tuple[int, bool | int | str | tuple[_SortKey, ...] | tuple[int, tuple[_SortKey, ...]]]"


def sort_key(value: Value) -> _SortKey:
    """Return a key that puts all values in one total order.

    Booleans, integers, strings, model values, tuples, sets, functions, in this order; tuples, sets and functions
    by length first. Raises ``SpecError`` for something that is not a value.
    """
    kind = type(value)
    if kind is str or kind is int or kind is bool:
        return (_RANK[kind], value)  # type: ignore[return-value]
    if isinstance(value, ModelValue):
        return (3, value.name)
    if isinstance(value, tuple):
        return (4, (len(value), tuple(map(sort_key, value))))
    if isinstance(value, frozenset):
        return (5, (len(value), tuple(sorted(map(sort_key, value)))))
    if type(value) is Fn:
        flat = tuple(sort_key(part) for pair in value.items() for part in pair)
        return (6, (len(value), flat))
    raise SpecError(f"{value!r} is not a TLA+ value", hint="see pyharness.tla.values.values")


_RANK = {bool: 0, int: 1, str: 2}


def _mapping(pairs: list[tuple[Value, Value]]) -> dict[Value, Value]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise SpecError("a function gives two results for one argument")
    return mapping


def _in_order(mapping: dict[Value, Value]) -> dict[Value, Value]:
    """Return the mapping in the order of :func:`sort_key`, Python's own for strings, numbers and pairs of these."""
    keys = [*mapping]
    kinds = {*map(type, keys)}
    if kinds == {tuple} and {*map(len, keys)} == {2}:  # type: ignore[arg-type]
        kinds = {type(part) for pair in keys for part in pair}  # type: ignore[union-attr]
    ordered = sorted(keys, key=None if kinds in _OWN_ORDER else sort_key)  # type: ignore[type-var, arg-type]
    return mapping if ordered == keys else {key: mapping[key] for key in ordered}


_OWN_ORDER = ({str}, {int})


def _is_sequence_domain(mapping: Mapping[Value, Value]) -> bool:
    """Whether the keys are exactly the integers ``1..n`` (``TRUE`` is not ``1``)."""
    size = len(mapping)
    for key in mapping:  # noqa: SIM110 - a generator takes three times as long
        if type(key) is not int or not 1 <= key <= size:
            return False
    return True
