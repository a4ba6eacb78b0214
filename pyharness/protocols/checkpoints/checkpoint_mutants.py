"""Seeded bugs of checkpoints: of a task, of the coordinator, and (by ``operator_mutants``) of the barrier handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.protocols.checkpoints.checkpoint_coordinator import CheckpointCoordinator, CoordinatorState
from pyharness.protocols.checkpoints.checkpoint_tasks import Task, TaskState

if TYPE_CHECKING:
    from pyharness.protocols.applications.application import Value

__all__ = ["COORDINATOR_MUTANTS", "HANDLER_MUTANTS", "TASK_MUTANTS"]


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


TASK_MUTANTS = {kind.__name__: kind for kind in (OffsetAfterBarrier, DropInFlight, ReplayTwice, CommitEarly)}
"""The seeded bugs of tasks by name."""

COORDINATOR_MUTANTS = {kind.__name__: kind for kind in (SinksAlone, RestoreIncomplete, ForgetCompleted)}
"""The seeded bugs of the coordinator by name."""

HANDLER_MUTANTS = {
    "SkipAlignment": "NoBlocking",
    "AbortPerMarker": "AbortPerMarker",
    "KeepBlocked": "KeepBlocked",
    "ForgetFinished": "ForgetFinished",
    "OldBarrierBegins": "OldBarrierBegins",
    "NoEpochs": "NoEpochs",
}
"""The seeded bugs of the barrier handler, by the spec's name, and the class's in ``operator_mutants``."""
