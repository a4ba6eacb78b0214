"""What the implementation can do in a state that TLC reached: the per-state work of conformance."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pyharness.errors import ConformanceError, SpecError
from pyharness.replay.decode import Decoder
from pyharness.replay.keys import Keys
from pyharness.replay.systems import build_system
from pyharness.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.protocols import Application
    from pyharness.replay.system import GlobalState, System
    from pyharness.tla import Fn

__all__ = ["Expansion", "Implementation"]


class Expansion(NamedTuple):
    """A state's topology and key, and by action the keys of its successors, ascending and each once."""

    topology: str
    key: int
    successors: Mapping[str, tuple[int, ...]]


class _OnTopology(NamedTuple):
    system: System
    decoder: Decoder
    keys: Keys


class Implementation:
    """A protocol's implementation on whichever topologies its states are of; with ``mutant``, the one with that bug.

    With ``stop_when_over`` a state in which the implementation says that the snapshot is over has no successors, as
    in a model with ``NotBeyond``. One object keeps what it learned about the parts of states: use it for many.

    Raises SpecError for a protocol or mutant that does not exist.
    """

    def __init__(
        self,
        protocol: str,
        application: Application,
        granularity: str = "event",
        mutant: str | None = None,
        *,
        stop_when_over: bool = True,
    ) -> None:
        self._build = lambda topology: build_system(protocol, topology, application, granularity, mutant)
        self._stop_when_over = stop_when_over
        self._known: dict[object, _OnTopology] = {}

    def initial(self, topology: Topology) -> dict[int, Fn]:
        """Give the initial states on a topology by their keys."""
        on = self._on(topology.id)
        return {on.keys.of(state): _as_tla(on.system, state) for state in on.system.initial()}

    def expand(self, state: Fn) -> Expansion:
        """Give the successors of a state of TLC's.

        Raises ConformanceError for a state that the implementation cannot be in.
        """
        on = self._on(state.get("topo"))
        own = on.decoder.decode(state)
        key = on.keys.of
        found: defaultdict[str, set[int]] = defaultdict(set)
        for name, after in self._steps(on, own):
            found[name].add(key(after))
        successors = {name: tuple(sorted(keys)) for name, keys in sorted(found.items())}
        return Expansion(on.system.topology.id, key(own), successors)

    def after(self, state: Fn, action: str) -> dict[int, Fn]:
        """Give the successors of a state by one action, as the spec's variables, by their keys."""
        on = self._on(state.get("topo"))
        steps = self._steps(on, on.decoder.decode(state))
        return {on.keys.of(after): _as_tla(on.system, after) for name, after in steps if name == action}

    def _steps(self, on: _OnTopology, state: GlobalState) -> Iterator[tuple[str, GlobalState]]:
        if self._stop_when_over and on.system.over(state):
            return
        for action in on.system.actions(state):
            yield action.name, action.after

    def _on(self, topology: object) -> _OnTopology:
        if topology not in self._known:
            try:
                system = self._build(Topology.from_id(str(topology)))
            except SpecError as error:
                raise ConformanceError(f"no topology: {error}", where="variable topo") from None
            self._known[topology] = _OnTopology(system, Decoder(system), Keys(system))
        return self._known[topology]


def _as_tla(system: System, state: GlobalState) -> Fn:
    return Fn(system.variables(state).items())
