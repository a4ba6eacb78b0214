"""Seeded bugs of checkpoints: of tasks, the coordinator, and, beside ``operator_mutants``, the barrier handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.machines.protocols.checkpoints.checkpoint_coordinator import (
    CheckpointCoordinator,
    CoordinatorState,
)
from pyharness.machines.protocols.checkpoints.checkpoint_tasks import (
    SinkState,
    Task,
    TaskState,
    TaskStep,
    nothing_in,
)
from pyharness.machines.protocols.checkpoints.operator import Operator
from pyharness.machines.protocols.checkpoints.operator_mutants import (
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
from pyharness.machines.protocols.common.mutant import Mutant, mutants_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.machines.protocols.applications.application import Value
    from pyharness.machines.protocols.checkpoints.checkpoint_coordinator import Acknowledgement
    from pyharness.machines.protocols.checkpoints.operator import Barrier, Handled, OperatorState, Pending


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


class CommitTwice(Task):
    """A sink commits twice what it staged (A3)."""

    def committed(self, sink: SinkState, number: int) -> SinkState:
        """And once more."""
        once = super().committed(sink, number).committed
        return super().committed(sink._replace(committed=once), number)


class SubsumedIsDropped(Task):
    """A sink throws away what it staged for the checkpoints that a complete one subsumes (A3)."""

    def committable(self, staged: Sequence[int], number: int) -> Sequence[int]:
        """That checkpoint alone."""
        return [each for each in staged if each == number]


class StagedIsForgotten(Task):
    """After a crash a sink does not commit what it staged for a complete checkpoint (A3)."""

    def restore(self, state: TaskState, app: Value, safe: int) -> TaskState:
        """As if none were complete."""
        return super().restore(state, app, 0)


class StagedIsReplaced(Task):
    """A sink stages what a barrier overtook for its checkpoint, in place of what it has staged for it already (A3)."""

    def staged_with(self, sink: SinkState, uploads: Sequence[Acknowledgement], number: int) -> SinkState:
        """For the last one with records in flight, and nothing for this one."""
        late = max((part.id for part in uploads if any(part.log) and part.id in dict(sink.staged)), default=0)
        if not late:
            return super().staged_with(sink, uploads, number)
        nothing = nothing_in(sink.open)
        replaced = {number: nothing, **dict(sink.staged), late: sink.open}
        return sink._replace(staged=tuple(sorted(replaced.items())), open=nothing)


class LastNotStaged(Task):
    """What a sink has put out at its end, behind the last barrier, is never committed (A3)."""

    def staged_at_end(self, numbers: Sequence[int]) -> int:
        """For none."""
        return 0


class OutputWithheld(Task):
    """A plain sink puts out no record while it waits for a checkpoint, and never does (A3)."""

    def puts_out(self, state: TaskState) -> bool:
        """Only where no checkpoint is pending."""
        return not state.handler.pending


class ForgetCopy(Task):
    """A task acknowledges the state that it has then, not the one that it recorded (A5, A6)."""

    def _settle(self, state: TaskState, handled: Handled) -> TaskStep:
        return super()._settle(state._replace(copies=()), handled)


class SkipFirst(Task):
    """A source begins behind its first record, which nobody has emitted (A2)."""

    def initial(self, app: Value) -> TaskState:
        """With that record counted as emitted, if no other is."""
        own: tuple[Value, ...] = app  # type: ignore[assignment]
        begins = own[0] == 0 and bool(getattr(self.application, "records", 0))
        return super().initial((1, *own[1:]) if begins else own)


class SourceHearsAgain(Task):
    """A source hears of a checkpoint again that it has dealt with (A7)."""

    def hears(self, state: TaskState, number: int, *, over: bool) -> bool:
        """Of every one."""
        return number > 0 and not state.ended

    def _require_next(self, state: TaskState, number: int) -> None:
        pass


class AcknowledgeEarly(Task):
    """A task acknowledges what it has recorded before it is durable (A8)."""

    def acknowledges_at_once(self) -> bool:
        """Always."""
        return True


class SinksAlone(CheckpointCoordinator):
    """A checkpoint is complete when the sinks have acknowledged it (A8)."""

    def acknowledged(self, processes: frozenset[int]) -> bool:
        """The sinks alone."""
        return self.sinks <= processes


class FirstAcknowledged(CheckpointCoordinator):
    """A checkpoint is complete as soon as one task has acknowledged it (A8)."""

    def acknowledged(self, processes: frozenset[int]) -> bool:
        """Any one."""
        return bool(processes)


class OlderNotSubsumed(CheckpointCoordinator):
    """A newer complete checkpoint leaves the older ones pending (A8)."""

    def subsumed(self, state: CoordinatorState, newest: int) -> frozenset[int]:
        """None."""
        return frozenset()


class OutOfTurn(CheckpointCoordinator):
    """A checkpoint is complete when everyone has acknowledged it, also ahead of its turn (A8)."""

    def in_turn(self, state: CoordinatorState, whole: frozenset[int], off: frozenset[int]) -> frozenset[int]:
        """All of them."""
        return whole


class WaitsForAborted(CheckpointCoordinator):
    """Where checkpoints are completed in their order, one waits also for those before it that were aborted (A8)."""

    def in_turn(self, state: CoordinatorState, whole: frozenset[int], off: frozenset[int]) -> frozenset[int]:
        """Nothing aborted counts."""
        return super().in_turn(state, whole, frozenset())


class GivesUpNext(CheckpointCoordinator):
    """When a checkpoint is complete, the next one is given up too (A8)."""

    def subsumed(self, state: CoordinatorState, newest: int) -> frozenset[int]:
        """And one more."""
        return frozenset(range(1, min(newest + 1, state.triggered) + 1)) if newest else frozenset()


class SourceSkips(CheckpointCoordinator):
    """A source hears of the newest checkpoint alone, also where they are completed in their order (A8)."""

    def news_for(self, state: CoordinatorState, last: int) -> int:
        """The newest."""
        return state.triggered


class EndForgetsUploads(CheckpointCoordinator):
    """Of a task at its end the state at its end counts, also for a checkpoint that it recorded before (A9)."""

    def at_end(self, final: Sequence[Acknowledgement], number: int) -> frozenset[int]:
        """All of them."""
        return frozenset(ack.process for ack in final)


class ForgetNumbers(CheckpointCoordinator):
    """After a crash the coordinator goes on from the number of the last complete checkpoint (A8)."""

    def crash(self, state: CoordinatorState) -> CoordinatorState:
        """As if it had triggered no more."""
        return super().crash(state)._replace(triggered=max(state.completed, default=0))


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


class GiveUpCompleted(CheckpointCoordinator):
    """After a crash the coordinator gives up the complete checkpoints too (A8)."""

    def crash(self, state: CoordinatorState) -> CoordinatorState:
        """All that were triggered."""
        return super().crash(state)._replace(aborted=frozenset(range(1, state.triggered + 1)))


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


class LogBackwards(Operator):
    """What a barrier overtakes is logged in the wrong order, the last record first (A5). Unaligned and timeout."""

    def _log(self, pending: Pending, source: int, records: tuple[Value, ...]) -> Pending:
        return super()._log(pending, source, records[::-1])


class AlignFirstOnly(Operator):
    """Inputs wait for the others in the first checkpoint alone (A1). Aligned, cyclic and timeout."""

    def blocks(self, pending: Pending, source: int) -> bool:
        """Not later."""
        return super().blocks(pending, source) and pending.id == 1


class SwitchedWaits(Operator):
    """An input whose sender has switched waits all the same (A6). Timeout."""

    def holds(self, barrier: Barrier, source: int) -> bool:
        """Whatever the barrier says."""
        return self.mode != "at-least-once" and source not in self.back


class SavepointSwitches(Operator):
    """A savepoint's barriers are as those of any other checkpoint, and may switch (A11). Unaligned and timeout."""

    def forced_alignment(self) -> str | None:
        """That of the mode."""
        return None


class TimeOutAborts(Operator):
    """A task that takes too long aborts the checkpoint, which it goes on with (A6, A7). Timeout."""

    def time_out(self, state: OperatorState) -> Handled | None:
        """Record and abort."""
        handled = super().time_out(state)
        return handled and handled._replace(aborted=handled.triggered)


CHECKPOINT_MUTANTS: dict[str, Mutant] = {
    **mutants_of("process", OffsetAfterBarrier, DropInFlight, ReplayTwice, CommitEarly),
    **mutants_of("process", CommitTwice, ForgetCopy, SkipFirst, SourceHearsAgain, AcknowledgeEarly),
    **mutants_of(
        "process", SubsumedIsDropped, StagedIsForgotten, StagedIsReplaced, LastNotStaged, OutputWithheld
    ),
    **mutants_of("coordinator", SinksAlone, RestoreIncomplete, SecondCrashForgetsSinks, ForgetCompleted),
    **mutants_of("coordinator", FirstAcknowledged, OlderNotSubsumed, ForgetNumbers, GiveUpCompleted),
    **mutants_of("coordinator", OutOfTurn, SourceSkips, WaitsForAborted, GivesUpNext),
    **mutants_of("coordinator", EndForgetsUploads),
    **mutants_of("handler", AbortPerMarker, KeepBlocked, AbortTakesNext, LogLastRecord, RecordLate),
    **mutants_of("handler", ForgetFinished, OldBarrierBegins, NoEpochs),
    **mutants_of("handler", SwitchUntold, SwitchNotFollowed),
    **mutants_of("handler", AnnouncedArrives, AnnouncedCancelLost, LeavesPending),
    **mutants_of("handler", LogBackwards, AlignFirstOnly, SwitchedWaits, TimeOutAborts),
    **mutants_of("handler", SavepointSwitches),
    "SkipAlignment": {"handler": NoBlocking},
    "LogNothing": {"handler": DropLog},
}
"""The seeded bugs by name. ``NoBlocking`` of the handler is ``SkipAlignment`` here, and ``DropLog`` is ``LogNothing``:
barriers have bugs of those names."""
