"""The values that the TLA+ variables have in a state that a structure describes, those of ``Snapshots`` among them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pyharness.prove.logic import CHANNEL, ID, POSITION, PROCESS, Structure, reader
from pyharness.prove.logic.finite_universe import Element
from pyharness.prove.modules.chandy_lamport_proof import INITIATOR
from pyharness.prove.modules.snapshots_proof import BEFORE, BY, Snapshots
from pyharness.tla.values import function, record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.prove.proof_module import System
    from pyharness.prove.steps import State


RECORDED: Final = ("recChan", "whiteInRed", "redInWhite")
"""The variables that have a sequence of messages for each channel."""

CLOSING: Final = ("closed", "arrived")
"""The variables that are sets of channels."""

_CONTROL: Final = {"ChandyLamport": "marker"}

_ARGUMENTS: Final = {PROCESS: "p", CHANNEL: "c", POSITION: "k"}


class StateValues:
    """Reads a state of a proof module as TLA+ values; make one for a state, and use it for many structures."""

    def __init__(self, module: System, state: State) -> None:
        self._names = [symbol.name for symbol in module.variables]
        self._control = record(control=_CONTROL.get(module.name, "barrier"))
        self._read: dict[str, Callable[..., int]] = {
            symbol.name: reader(
                getattr(state, symbol.name), "".join(_ARGUMENTS[sort] for sort in symbol.arguments)
            )
            for symbol in module.variables
        }

    def __call__(
        self,
        structure: Structure,
        channels: Sequence[tuple[int, ...]],
        states: Sequence[Any],
        messages: Sequence[Any],
    ) -> dict[str, Any]:
        """Return the variables, but for ``topo``.

        ``channels`` are the pairs that the channels are, in their order; ``states`` and ``messages`` what is meant by
        the elements of these sorts. The processes are numbered from 1, in their order.
        """
        positions, processes = structure.universe[POSITION], structure.universe[PROCESS]
        named = {process: number for number, process in enumerate(processes, start=1)}

        def value_at(name: str, *place: int) -> int:
            return self._read[name](structure, *place)

        def element(c: int, k: int) -> Any:
            if "isMarker" in self._read and value_at("isMarker", c, k):
                return self._control
            return record(
                msg=messages[value_at("msg", c, k)], colour="red" if value_at("isRed", c, k) else "white"
            )

        def by_channel(read: Callable[[int], Any]) -> Any:
            return function((channel, read(c)) for c, channel in enumerate(channels))

        def within(name: str, c: int) -> list[int]:
            return [k for k in positions if value_at(name, c, k)]

        def recorded(name: str, c: int) -> Any:
            return tuple(messages[value_at("msg", c, k)] for k in within(name, c))

        found = {
            "state": function((n, states[value_at("state", p)]) for p, n in named.items()),
            "recState": function(
                (n, states[value_at("recState", p)]) for p, n in named.items() if value_at("red", p)
            ),
            "chan": by_channel(lambda c: tuple(element(c, k) for k in within("chan", c))),
        }
        for name in self._names:
            if name in RECORDED:
                found[name] = by_channel(partial(recorded, name))
            elif name in CLOSING:
                found[name] = frozenset(channel for c, channel in enumerate(channels) if value_at(name, c))
        if "paused" in self._read:
            found["paused"] = frozenset(n for p, n in named.items() if value_at("paused", p))
        if "closed" in self._read:
            found["markers"] = by_channel(
                lambda c: sum(bool(value_at("isMarker", c, k)) for k in within("sent", c))
            )
        return found


class SnapshotValues:
    """Reads a state of ``Snapshots``: what is recorded, through each id, as ``StateValues`` reads ``ChandyLamport``.

    Each initiator has as many ids as the one with most elements; of the others nothing was sent or recorded.
    """

    def __init__(self, module: Snapshots, state: State) -> None:
        self._module, self._state = module, state
        self._through: list[StateValues] = []
        self._chan, self._is_marker = reader(state.chan, "ck"), reader(state.isMarker, "ck")
        self._id, self._msg = reader(state.markerId, "ck"), reader(state.msg, "ck")
        self._red, self._local = reader(state.isRed, "nck"), reader(state.state, "p")

    def __call__(
        self,
        structure: Structure,
        channels: Sequence[tuple[int, ...]],
        states: Sequence[Any],
        messages: Sequence[Any],
    ) -> dict[str, Any]:
        """Return the variables, but for ``topo``; see ``StateValues`` for what is given."""
        processes = structure.universe[PROCESS]
        named = {process: number for number, process in enumerate(processes, start=1)}
        ids = ids_named(structure, named)
        of_ids = self._of_ids(len(structure.universe[ID]))
        views = [values(structure, channels, states, messages) for values in of_ids]
        each = max((number for _, number in ids), default=0)
        initiators = [named[p] for p in processes if structure.holds(INITIATOR(Element(PROCESS, p)))]
        untouched = [(p, k) for p in initiators for k in range(1, each + 1) if (p, k) not in ids]
        nothing = function((channel, ()) for channel in channels)
        absent: dict[str, Any] = {
            "recState": function([]),
            "closed": frozenset(),
            **dict.fromkeys(RECORDED, nothing),
        }

        def by_id(name: str) -> Any:
            seen = [(snapshot, view[name]) for snapshot, view in zip(ids, views, strict=True)]
            return function(sorted([*seen, *((snapshot, absent[name]) for snapshot in untouched)]))

        def element(c: int, k: int) -> Any:
            if self._is_marker(structure, c, k):
                return record(control="marker", id=ids[self._id(structure, c, k)])
            red = frozenset(snapshot for n, snapshot in enumerate(ids) if self._red(structure, n, c, k))
            return record(msg=messages[self._msg(structure, c, k)], red=red)

        positions = structure.universe[POSITION]
        return {
            "state": function((number, states[self._local(structure, p)]) for p, number in named.items()),
            "chan": function(
                (channel, tuple(element(c, k) for k in positions if self._chan(structure, c, k)))
                for c, channel in enumerate(channels)
            ),
            **{name: by_id(name) for name in absent},
        }

    def _of_ids(self, number: int) -> list[StateValues]:
        for n in range(len(self._through), number):
            view = self._module.view(self._state, Element(ID, n))
            self._through.append(StateValues(self._module.single, view))
        return self._through[:number]


def ids_named(structure: Structure, named: dict[int, int]) -> list[tuple[int, int]]:
    """Return for each element of the ids the initiator, by its number in ``named``, and which one of its ids it is."""
    elements = [Element(ID, n) for n in structure.universe[ID]]
    by = [structure.value(BY(n)) for n in elements]

    def number(n: Element) -> int:
        own = (m for m in elements if by[m.number] == by[n.number])
        return 1 + sum(structure.holds(BEFORE(m, n)) for m in own)

    return [(named[by[n.number]], number(n)) for n in elements]


def values_of(module: System, state: State) -> StateValues | SnapshotValues:
    """Return what reads a state of a module."""
    return SnapshotValues(module, state) if isinstance(module, Snapshots) else StateValues(module, state)
