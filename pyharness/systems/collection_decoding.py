"""From a TLC state of ``specs/Collection.tla`` to the implementation's: Chandy and Lamport's part, and its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import ConformanceError
from pyharness.protocols import CollectorState, Report
from pyharness.systems.chandy_lamport_system import READINGS
from pyharness.systems.collection_system import CollectionState
from pyharness.systems.decoding import Decoder, arguments
from pyharness.tla import same, to_tla

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyharness.systems.collection_system import CollectionSystem
    from pyharness.systems.system import GlobalState
    from pyharness.tla import Value

_OWN: Final = ("reports", "collected", "verdict", "S0")
"""The variables that the collection adds; together they are one part of the implementation's state."""


class CollectionDecoder:
    """Reads TLC's states of one system, that is of one topology."""

    def __init__(self, system: CollectionSystem, *, max_entries: int = 200_000) -> None:
        self._system = system
        self._rest = Decoder(system, READINGS, beside=frozenset(_OWN))
        self._blank = next(iter(system.initial()))
        self._known: dict[tuple[str, ...], CollectionState] = {}
        self._max_entries = max_entries

    def decode(self, state: Mapping[Any, Value]) -> GlobalState:
        """Return the implementation's state that reads as these variables.

        Raises ConformanceError, naming a variable, for a state that the implementation cannot be in.
        """
        rest = {name: value for name, value in state.items() if name not in _OWN}
        return self._rest.decode(rest)._replace(outside=self._collection(state))

    def decode_texts(self, texts: Sequence[str], read: Callable[[str], tuple[str, Value]]) -> GlobalState:
        """Do the same for a state that is a text for each variable; ``read`` gives its name and value."""
        own = tuple(text for text in texts if text.partition(" = ")[0] in _OWN)
        if own not in self._known:
            if len(self._known) >= self._max_entries:
                self._known.clear()
            self._known[own] = self._collection(dict(map(read, own)))
        rest = self._rest.decode_texts([text for text in texts if text not in own], read)
        return rest._replace(outside=self._known[own])

    def _collection(self, state: Mapping[Any, Any]) -> CollectionState:
        try:
            collected = self._reports(state["collected"])
            found = CollectionState(
                self._reports(state["reports"]),
                CollectorState(collected, state["verdict"]),
                self._begun(state["S0"]),
            )
            again = self._system.variables(self._blank._replace(outside=found))
        except (LookupError, TypeError, ValueError, AttributeError):
            raise ConformanceError(
                "the implementation cannot be in this state of the collection", where=self._system.topology.id
            ) from None
        for name in _OWN:
            if not same(again[name], state[name]):
                raise ConformanceError(
                    f"the implementation cannot be in a state with {to_tla(state[name])}",
                    where=f"variable {name}",
                )
        return found

    def _reports(self, value: Any) -> tuple[Report, ...]:
        return tuple(
            Report(process, own["state"], self._log(process, own["channels"]))
            for process, own in sorted(arguments(value).items())
        )

    def _log(self, process: int, value: Any) -> tuple[Any, ...]:
        given = arguments(value)
        return tuple((channel, given[channel]) for channel in self._system.processes[process - 1].inputs)

    def _begun(self, value: Any) -> tuple[Any, Any] | None:
        states, channels = arguments(value["states"]), arguments(value["channels"])
        if not states:
            return None
        processes = range(1, len(self._system.processes) + 1)
        return tuple(states[p] for p in processes), tuple(channels[c] for c in self._system.channels)
