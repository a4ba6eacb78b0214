"""Seeded bugs of the channels, in any protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.machines.protocols.common.mutant import Mutant, mutants_of
from pyharness.machines.protocols.common.process import RED, WHITE, Network

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.machines.protocols.applications.application import Channel
    from pyharness.machines.protocols.common.process import Element


class NonFifoChannel(Network):
    """A channel is a bag: a red message can overtake the marker (E4, E5)."""

    def positions(self, queue: tuple[Element, ...]) -> Iterable[int]:
        """Any element may come next."""
        return range(len(queue))


class CappedChannel(Network):
    """A channel of capacity 1 makes its sender wait; SSS may then be unreachable (E7, E8)."""

    def room(self, queue: tuple[Element, ...]) -> bool:
        """Only while it is empty."""
        return len(queue) < 1


class UnfairChannel(Network):
    """One channel need not deliver (E3, E14, E18)."""

    def fair(self, channels: Sequence[Channel]) -> Iterable[Channel]:
        """All but the least."""
        return sorted(channels)[1:]


class UnfairLastChannel(Network):
    """The last channel need not deliver (E3, E14, E18)."""

    def fair(self, channels: Sequence[Channel]) -> Iterable[Channel]:
        """All but the greatest."""
        return sorted(channels)[:-1]


class ColourOfReceiver(Network):
    """A message has its receiver's colour (E2)."""

    def tint(self, action: str, after: str, receiver: str, *, first: bool) -> str:
        """The receiver's."""
        return receiver


class ColourAfterSending(Network):
    """A message has the colour that its sender has after the action (E2, E17)."""

    def tint(self, action: str, after: str, receiver: str, *, first: bool) -> str:
        """The sender's after the action."""
        return after


class OtherColour(Network):
    """A message has the other colour than the action that sends it (E2)."""

    def tint(self, action: str, after: str, receiver: str, *, first: bool) -> str:
        """The one that it has not."""
        return WHITE if action == RED else RED


class ColourOneOutput(Network):
    """Only what goes out on a process's first output has the colour of the action; the rest is white (E2)."""

    def tint(self, action: str, after: str, receiver: str, *, first: bool) -> str:
        """White, on any other output."""
        return action if first else WHITE


NETWORK_MUTANTS: dict[str, Mutant] = mutants_of(
    "network",
    NonFifoChannel,
    CappedChannel,
    UnfairChannel,
    UnfairLastChannel,
    ColourOfReceiver,
    ColourAfterSending,
    OtherColour,
    ColourOneOutput,
)
"""The seeded bugs of the channels by name."""
