"""A number for each state of a system: the same in every process, on every machine.

A key is the sum, modulo 2**64, of a digest of each part of the state at its place, as a signed 64-bit number. Two
states that differ somewhere have the same key with a probability of 2**-64, which is what TLC itself accepts: its
fingerprints have 64 bits too. Among a million states that is one chance in 37 million.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from pyharness.base.errors import SpecError
from pyharness.machines.protocols import Message
from pyharness.tla.values import Fn, ModelValue, Value, to_tla

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyharness.machines.systems.system import GlobalState, System

_SIGN = 1 << 63
_MASK = (1 << 64) - 1
_MOST_VALUES = 400_000


def canonical(value: Any) -> str:
    """Write a value of the implementation: the same text exactly for equal values, regardless of the order of sets.

    Values are equal here if Python holds them equal, as it does ``True`` and ``1``.

    Raises SpecError for an object that is not a value.
    """
    if isinstance(value, tuple):
        return f"({','.join(map(canonical, value))})"
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(canonical, value)))}}}"
    if isinstance(value, int):
        return str(int(value))
    if value is None or isinstance(value, str):
        return repr(value)
    if isinstance(value, Message):
        return f"<{canonical(value.msg)}>"
    if isinstance(value, ModelValue):
        return f"!{value.name}"
    if isinstance(value, Fn):
        return f"[{','.join(f'{canonical(k)}:{canonical(v)}' for k, v in value.items())}]"
    raise SpecError(f"a state cannot hold {value!r}", hint="see pyharness.tla.values.values")


def value_key(variables: Mapping[Any, Value], known: dict[tuple[str, Any], int]) -> int:
    """Return the key of a state as the values of its variables: the same for TLC's states and the implementation's.

    ``known`` caches the digest of each value of a variable. For values that are equal in Python, such as ``True`` and
    ``1``, the digest of the first one is used.
    """
    total = 0
    for pair in variables.items():
        digest = known.get(pair)
        if digest is None:
            if len(known) >= _MOST_VALUES:
                known.clear()
            digest = known[pair] = variable_digest(*pair)
        total += digest
    return _signed(total)


def variable_digest(name: str, value: Value) -> int:
    """Return the part of a state's key that is the value of a variable; TRUE and 1 differ."""
    return _digest(f"{name} = {to_tla(value)}")


def summed(digests: Iterable[int]) -> int:
    """Return the key of a state from the digests of its variables."""
    return _signed(sum(digests))


class Keys:
    """The keys of one system's states by their parts: all that the implementation itself holds.

    Digests are kept, at most ``max_entries`` of each place.
    """

    def __init__(self, system: System, *, max_entries: int = 200_000) -> None:
        names = system.variables(next(iter(system.initial())))
        self._has_ghosts = "whiteInRed" in names
        places = len(system.processes) + len(system.channels) + (2 if self._has_ghosts else 0) + 1
        topology = system.topology.id
        self._digests = [_Digests(f"{topology} {place} ", max_entries) for place in range(places)]
        self._base = _digest(topology)

    def of(self, state: GlobalState) -> int:
        """Return the key of a state, from -2**63 up to and without 2**63."""
        parts = zip(self._digests, self._parts(state), strict=True)
        return _signed(self._base + sum([digests[part] for digests, part in parts]))

    def of_successors(self, state: GlobalState, key: int, successors: Iterable[GlobalState]) -> list[int]:
        """Return the keys of some states that share most of their parts with ``state``, whose own is ``key``."""
        before, keys = self._parts(state), []
        for after in successors:
            total = key
            for digests, old, new in zip(self._digests, before, self._parts(after), strict=True):
                if new is not old:
                    total += digests[new] - digests[old]
            keys.append(_signed(total))
        return keys

    def _parts(self, state: GlobalState) -> tuple[Any, ...]:
        ghosts = (state.white_in_red, state.red_in_white) if self._has_ghosts else ()
        return (*state.local, *state.queues, *ghosts, state.outside)


class _Digests(dict[Any, int]):
    """The digest of each part that was met at one place."""

    def __init__(self, place: str, max_entries: int) -> None:
        super().__init__()
        self._place = place
        self._max_entries = max_entries

    def __missing__(self, part: Any) -> int:
        if len(self) >= self._max_entries:
            self.clear()
        digest = self[part] = _digest(self._place + canonical(part))
        return digest


def _signed(number: int) -> int:
    return ((number + _SIGN) & _MASK) - _SIGN


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
