"""Seeded bugs of stopping the world: of the controller, and of its processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.protocols.common.mutant import Mutant, mutants_of
from pyharness.protocols.stopping.stop_the_world import Controller, StopTheWorld, StopTheWorldState, World

if TYPE_CHECKING:
    from pyharness.protocols.applications.application import Value
    from pyharness.protocols.common.process import Coloured, Message, Recorded

__all__ = [
    "STOP_THE_WORLD_MUTANTS",
    "ForgetChannels",
    "ForgetRecord",
    "MissOne",
    "RecordAtAnyTime",
    "ResumeEarly",
]


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


class ForgetRecord(StopTheWorld):
    """A process that resumes forgets what it recorded (E1)."""

    def kept(self, state: StopTheWorldState) -> Recorded | None:
        """Nothing."""
        return None


STOP_THE_WORLD_MUTANTS: dict[str, Mutant] = {
    **mutants_of(
        "controller",
        RecordAtAnyTime,
        ResumeEarly,
        ForgetChannels,
        MissOne,
    ),
    **mutants_of(
        "process",
        ForgetRecord,
    ),
}
"""The seeded bugs of stopping the world by name."""
