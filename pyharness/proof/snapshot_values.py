"""The values that the TLA+ variables of ``Snapshots`` have in a state that a structure describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.proof.logic import ID, POSITION, PROCESS, reader
from pyharness.proof.logic.finite_universe import Element
from pyharness.proof.modules.chandy_lamport_proof import INITIATOR
from pyharness.proof.modules.snapshots_proof import BEFORE, BY, Snapshots
from pyharness.proof.structure_values import RECORDED, StateValues
from pyharness.tla.values import function, record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.proof.logic import Structure
    from pyharness.proof.proof_module import System
    from pyharness.proof.steps import State


class SnapshotValues:
    """Reads a state of ``Snapshots``: what is recorded, through each id, as ``StateValues`` reads ``ChandyLamport``.

    Each initiator has ``each`` ids; for those of which the structure has no element nothing was sent or recorded. By
    default there are as many as the initiator with most elements has.
    """

    def __init__(self, module: Snapshots, state: State, each: int = 0) -> None:
        self._module, self._state, self._each = module, state, each
        self._through: list[StateValues] = []
        self._chan, self._is_marker = reader(state.chan, "ck"), reader(state.isMarker, "ck")
        self._id, self._msg = reader(state.markerId, "ck"), reader(state.msg, "ck")
        self._red, self._local = reader(state.isRed, "nck"), reader(state.state, "p")

    def __call__(
        self,
        structure: Structure,
        channels: Sequence[tuple[int, int]],
        states: Sequence[Any],
        messages: Sequence[Any],
        numbers: Sequence[int] | None = None,
    ) -> dict[str, Any]:
        """Return the variables, but for ``topo``; see ``StateValues`` for what is given."""
        processes = structure.universe[PROCESS]
        named = dict(zip(processes, numbers or range(1, len(processes) + 1), strict=True))
        ids = ids_named(structure, named)
        views = [
            values(structure, channels, states, messages, numbers)
            for values in self._of_ids(len(structure.universe[ID]))
        ]
        each = self._each or max((number for _, number in ids), default=0)
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


def values_of(module: System, state: State, each: int = 0) -> StateValues | SnapshotValues:
    """Return what reads a state of a module; ``each`` is how many ids each initiator has, where there are ids."""
    return (
        SnapshotValues(module, state, each) if isinstance(module, Snapshots) else StateValues(module, state)
    )
