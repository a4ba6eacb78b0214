"""Seeded bugs of stopping the world: of the controller, and of its processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.machines.protocols.common.mutant import Mutant, mutants_of
from pyharness.machines.protocols.common.process import RED, WHITE, Coloured, Network
from pyharness.machines.protocols.stopping.stop_the_world import (
    Controller,
    StopTheWorld,
    StopTheWorldState,
    World,
)

if TYPE_CHECKING:
    from pyharness.machines.protocols.applications.application import Channel, Value
    from pyharness.machines.protocols.common.process import Message, Recorded


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


class StaysPaused(Controller):
    """The controller lets nobody resume (E18)."""

    def may_resume(self, world: World) -> bool:
        """Never."""
        return False


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


class ForgetRecord(StopTheWorld):
    """A process that resumes forgets what it recorded (E1)."""

    def kept(self, state: StopTheWorldState) -> Recorded | None:
        """Nothing."""
        return None


class FirstOverAgain(Controller):
    """The recording in one instant has a channel's first message in the place of each further one (E6)."""

    def as_found(self, queue: tuple[Message | Coloured, ...]) -> tuple[Value, ...]:
        """The first, so many times."""
        return tuple(queue[0].msg for _ in queue)


class RecordTwice(Controller):
    """The recording in one instant has each channel's messages twice (E6)."""

    def as_found(self, queue: tuple[Message | Coloured, ...]) -> tuple[Value, ...]:
        """All of them, and once more."""
        return super().as_found(queue) * 2


class RecordWhilePaused(Controller):
    """A process that is still paused records again what has come to it since others resumed (E1)."""

    def may_record(self, world: World, number: int) -> bool:
        """Also when it has recorded, as long as it is paused."""
        again = all(world.paused) or world.red[number]
        return world.paused[number] and world.drained and again


class NoWaiting(Controller):
    """A paused process records at any time, and resumes when it has (E4, E6)."""

    def may_record(self, world: World, number: int) -> bool:
        """Once it is paused."""
        return world.paused[number] and not world.red[number]

    def may_resume(self, world: World) -> bool:
        """Always."""
        return True


class RefuseWhite(StopTheWorld):
    """A red process accepts no white message: it stays in its channel for ever (E3, E18)."""

    carries = Coloured

    def may_take(self, state: StopTheWorldState, message: Message | Coloured) -> bool:
        """None that was sent before the snapshot."""
        white = isinstance(message, Coloured) and message.colour == WHITE
        return not (white and self.colour(state) == RED)


class RefuseAtFirst(RefuseWhite):
    """Process 1, once red, accepts no white message: what was on its way there stays there for ever (E3, E18)."""

    def may_take(self, state: StopTheWorldState, message: Message | Coloured) -> bool:
        """At process 1, none that was sent before the snapshot."""
        return self.identity != 1 or super().may_take(state, message)


class BeginsInMotion(Network):
    """The world begins in motion, with item 1 in each channel, which nobody has sent (E5, E7)."""

    def left(self, channel: Channel) -> tuple[Coloured, ...]:
        """Item 1, white."""
        return (Coloured(1, WHITE),)


STOP_THE_WORLD_MUTANTS: dict[str, Mutant] = {
    **mutants_of(
        "controller",
        RecordAtAnyTime,
        ResumeEarly,
        ForgetChannels,
        MissOne,
        FirstOverAgain,
        RecordTwice,
        RecordWhilePaused,
        NoWaiting,
        StaysPaused,
    ),
    **mutants_of(
        "process",
        ForgetRecord,
        RefuseWhite,
        RefuseAtFirst,
    ),
    **mutants_of("network", BeginsInMotion),
}
"""The seeded bugs of stopping the world by name."""
