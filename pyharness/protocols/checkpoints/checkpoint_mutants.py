"""Seeded bugs of checkpoints: of a task, of the coordinator, and (by ``operator_mutants``) of the barrier handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.protocols.checkpoints.checkpoint_coordinator import CheckpointCoordinator, CoordinatorState
from pyharness.protocols.checkpoints.checkpoint_tasks import Task, TaskState
from pyharness.protocols.checkpoints.operator_mutants import (
    AbortPerMarker,
    AnnouncedArrives,
    ForgetFinished,
    KeepBlocked,
    NoBlocking,
    NoEpochs,
    OldBarrierBegins,
    SwitchNotFollowed,
    SwitchUntold,
)
from pyharness.protocols.common.mutant import Mutant, mutants_of

if TYPE_CHECKING:
    from pyharness.protocols.applications.application import Value

__all__ = ["CHECKPOINT_MUTANTS"]


class OffsetAfterBarrier(Task):
    """A source records the offset behind its barrier (A2)."""

    def state_taken(self, state: TaskState) -> Value:
        """With the next record counted as emitted."""
        app: tuple[Value, ...] = state.app  # type: ignore[assignment]
        limit = getattr(self.application, "records", 0)
        offset: int = app[0]  # type: ignore[assignment]
        return app if self.inputs or offset == limit else (offset + 1, *app[1:])


class DropInFlight(Task):
    """The records in flight are not restored (A5, A10)."""

    def replayed(self, log: tuple[Value, ...]) -> tuple[Value, ...]:
        """Nothing."""
        return ()


class ReplayTwice(Task):
    """The records in flight are restored twice (A10)."""

    def replayed(self, log: tuple[Value, ...]) -> tuple[Value, ...]:
        """Once more."""
        return log + log


class CommitEarly(Task):
    """A sink commits at the barrier, before the checkpoint is complete (A3)."""

    def may_commit(self, number: int, completed: frozenset[int]) -> bool:
        """At once."""
        return True


class SinksAlone(CheckpointCoordinator):
    """A checkpoint is complete when the sinks have acknowledged it (A8)."""

    def acknowledged(self, processes: frozenset[int]) -> bool:
        """The sinks alone."""
        return self.sinks <= processes


class RestoreIncomplete(CheckpointCoordinator):
    """Each task restores the newest checkpoint that it has acknowledged itself (A2)."""

    def restored_from(self, state: CoordinatorState, process: int) -> int:
        """Complete or not."""
        own = (ack.id for acks in state.acks for ack in acks if ack.process == process)
        return max(own, default=0)


class ForgetCompleted(CheckpointCoordinator):
    """The coordinator knows no complete checkpoints after a crash (A8)."""

    def remembered(self, state: CoordinatorState) -> frozenset[int]:
        """None."""
        return frozenset()


CHECKPOINT_MUTANTS: dict[str, Mutant] = {
    **mutants_of("process", OffsetAfterBarrier, DropInFlight, ReplayTwice, CommitEarly),
    **mutants_of("coordinator", SinksAlone, RestoreIncomplete, ForgetCompleted),
    **mutants_of("handler", AbortPerMarker, KeepBlocked, ForgetFinished, OldBarrierBegins, NoEpochs),
    **mutants_of("handler", SwitchUntold, SwitchNotFollowed, AnnouncedArrives),
    "SkipAlignment": {"handler": NoBlocking},
}
"""The seeded bugs by name. ``NoBlocking`` of the handler is ``SkipAlignment`` there: barriers have one of that name."""
