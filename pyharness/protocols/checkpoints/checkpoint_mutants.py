"""Seeded bugs of checkpoints: of tasks, the coordinator, and, beside ``operator_mutants``, the barrier handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.protocols.checkpoints.checkpoint_coordinator import CheckpointCoordinator, CoordinatorState
from pyharness.protocols.checkpoints.checkpoint_tasks import Task, TaskState
from pyharness.protocols.checkpoints.operator import Operator
from pyharness.protocols.checkpoints.operator_mutants import (
    AbortPerMarker,
    AnnouncedArrives,
    AnnouncedCancelLost,
    DropLog,
    ForgetFinished,
    KeepBlocked,
    LeavesPending,
    NoBlocking,
    NoEpochs,
    OldBarrierBegins,
    SwitchNotFollowed,
    SwitchUntold,
)
from pyharness.protocols.common.mutant import Mutant, mutants_of

if TYPE_CHECKING:
    from pyharness.protocols.applications.application import Value
    from pyharness.protocols.checkpoints.operator import OperatorState, Pending
    from pyharness.protocols.checkpoints.operator_values import Barrier

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


class SecondCrashForgetsSinks(CheckpointCoordinator):
    """After a second crash the sinks begin from the beginning (A2)."""

    def restored_from(self, state: CoordinatorState, process: int) -> int:
        """Nothing, if it is a sink."""
        return 0 if state.crashes and process in self.sinks else super().restored_from(state, process)


class ForgetCompleted(CheckpointCoordinator):
    """The coordinator knows no complete checkpoints after a crash (A8)."""

    def remembered(self, state: CoordinatorState) -> frozenset[int]:
        """None."""
        return frozenset()


class AbortTakesNext(Operator):
    """An operator that aborts a checkpoint takes the next one for ended too (A7)."""

    def _abort(self, state: OperatorState, number: int) -> OperatorState:
        return state._replace(last=max(state.last, number + 1), pending=())


class RecordLate(Operator):
    """The state is recorded at the last barrier and not at the first one (A5). Unaligned."""

    def records_at_once(self, barrier: Barrier) -> bool:
        """Never."""
        return False


class LogLastRecord(Operator):
    """Of the records that a barrier overtakes only the last one is in flight (A1, A5). Unaligned and timeout."""

    def _log(self, pending: Pending, source: int, records: tuple[Value, ...]) -> Pending:
        return super()._log(pending, source, records[-1:])


CHECKPOINT_MUTANTS: dict[str, Mutant] = {
    **mutants_of("process", OffsetAfterBarrier, DropInFlight, ReplayTwice, CommitEarly),
    **mutants_of("coordinator", SinksAlone, RestoreIncomplete, SecondCrashForgetsSinks, ForgetCompleted),
    **mutants_of("handler", AbortPerMarker, KeepBlocked, AbortTakesNext, LogLastRecord, RecordLate),
    **mutants_of("handler", ForgetFinished, OldBarrierBegins, NoEpochs),
    **mutants_of("handler", SwitchUntold, SwitchNotFollowed),
    **mutants_of("handler", AnnouncedArrives, AnnouncedCancelLost, LeavesPending),
    "SkipAlignment": {"handler": NoBlocking},
    "LogNothing": {"handler": DropLog},
}
"""The seeded bugs by name. ``NoBlocking`` of the handler is ``SkipAlignment`` here, and ``DropLog`` is ``LogNothing``:
barriers have bugs of those names."""
