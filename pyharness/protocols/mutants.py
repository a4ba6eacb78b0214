"""Seeded bugs, each overriding one method; ``specs/mutants/`` has the same ones under the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.protocols.chandy_lamport import ChandyLamport, ChandyLamportState
from pyharness.protocols.network import Network
from pyharness.protocols.process import MARKER, RED, Element, Process
from pyharness.protocols.white_red import WhiteRed

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MUTANTS", "Mutant"]


class NonFifoChannel(Network):
    """A channel is a bag: a red message can overtake the marker (E4, E5)."""

    def positions(self, queue: tuple[Element, ...]) -> Iterable[int]:
        """Any element may come next."""
        return range(len(queue))


class CappedChannel(Network):
    """A channel of capacity 1 makes its sender wait; SSS may then be unreachable (E7)."""

    def room(self, queue: tuple[Element, ...]) -> bool:
        """Only while it is empty."""
        return len(queue) < 1


class MarkerAfterMessage(ChandyLamport):
    """The marker is sent after the next message (E4, E12)."""

    def emission(
        self, state: ChandyLamportState, output: int, *, turning: bool, body: tuple[Element, ...]
    ) -> tuple[Element, ...]:
        """Put off the marker until a message has gone."""
        late = not turning and self.colour(state) == RED and state.markers[output] == 0 and body
        return (*body, MARKER) if late else body


class LateTurn(ChandyLamport):
    """A process turns red at the end of the first action after the one that accepted a marker (E4, E13)."""

    def turns_red(self, state: ChandyLamportState, *, accepts_marker: bool) -> bool:
        """Only if an earlier action accepted one."""
        return any(state.closed)


class DropChannelState(ChandyLamport):
    """Channel states are dropped: a token in transit is lost (E6)."""

    def recording(self, state: ChandyLamportState, index: int) -> bool:
        """Never."""
        return False


class RecordPastMarker(ChandyLamport):
    """Recording goes on past the marker (E6)."""

    def recording(self, state: ChandyLamportState, index: int) -> bool:
        """For ever, once red."""
        return self.colour(state) == RED


class Mutant(NamedTuple):
    """A seeded bug: the protocol it breaks, and the classes to run it with."""

    protocol: str
    process: type[Process[Any]]
    network: type[Network]


MUTANTS: dict[str, Mutant] = {
    "NonFifoChannel": Mutant("ChandyLamport", ChandyLamport, NonFifoChannel),
    "MarkerAfterMessage": Mutant("ChandyLamport", MarkerAfterMessage, Network),
    "LateTurn": Mutant("ChandyLamport", LateTurn, Network),
    "DropChannelState": Mutant("ChandyLamport", DropChannelState, Network),
    "RecordPastMarker": Mutant("ChandyLamport", RecordPastMarker, Network),
    "CappedChannel": Mutant("WhiteRed", WhiteRed, CappedChannel),
}
"""Every seeded bug by its name."""
