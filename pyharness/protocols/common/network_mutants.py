"""Seeded bugs around the processes: of the channels, and of the controller that stops the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.protocols.common.network import Network
from pyharness.protocols.stopping.stop_the_world import Controller, World

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.protocols.applications.application import Channel, Value
    from pyharness.protocols.common.process import Coloured, Element, Message

__all__ = [
    "CappedChannel",
    "ColourAfterSending",
    "ColourOfReceiver",
    "ForgetChannels",
    "MissOne",
    "NonFifoChannel",
    "RecordAtAnyTime",
    "ResumeEarly",
    "UnfairChannel",
]


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


class ColourOfReceiver(Network):
    """A message has its receiver's colour (E2)."""

    def tint(self, action: str, after: str, receiver: str) -> str:
        """The receiver's."""
        return receiver


class ColourAfterSending(Network):
    """A message has the colour that its sender has after the action (E2, E17)."""

    def tint(self, action: str, after: str, receiver: str) -> str:
        """The sender's after the action."""
        return after


class RecordAtAnyTime(Controller):
    """A paused process records although others still run and channels have not drained (E1, E6)."""

    def may_record(self, world: World, number: int) -> bool:
        """Whenever it is paused, and again."""
        return world.paused[number]


class ResumeEarly(Controller):
    """A process resumes although others have not recorded yet (E4)."""

    def may_resume(self, world: World) -> bool:
        """Always."""
        return True


class ForgetChannels(Controller):
    """The recording in one instant forgets the channels (E6)."""

    def as_found(self, queue: tuple[Message | Coloured, ...]) -> tuple[Value, ...]:
        """Nothing."""
        return ()


class MissOne(Controller):
    """The recording in one instant misses a process, and its inputs (E3, E6)."""

    def everyone(self, processes: int) -> range:
        """All but the last."""
        return range(processes - 1)
