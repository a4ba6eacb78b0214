"""Seeded bugs of the barrier handler: each overrides one decision of :class:`~pyharness.machines.protocols.Operator`.

Each shows in the modes that its class names; in another it may be no bug at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.machines.protocols.checkpoints.operator import Barrier, Operator

if TYPE_CHECKING:
    from pyharness.machines.protocols.applications.application import Value
    from pyharness.machines.protocols.checkpoints.operator import Handled, OperatorState, Pending


class NoBlocking(Operator):
    """Records behind the barrier are processed before the state is recorded (FLINK-17568). Aligned."""

    def blocks(self, pending: Pending, source: int) -> bool:
        """Never."""
        return False


class LogPastBarrier(Operator):
    """Records behind the barrier are logged as in flight as well. Unaligned and cyclic."""

    def logs(self, pending: Pending, source: int) -> bool:
        """From the recording on, whatever arrived."""
        return pending.taken


class WrongChannelsLogged(Operator):
    """The inputs whose barrier came are logged, and not the others (as in FLINK-18139). Unaligned and cyclic."""

    def logs(self, pending: Pending, source: int) -> bool:
        """The wrong way round."""
        return pending.taken and self.past(pending, source)


class UnblockAtTimeout(Operator):
    """What arrived is let go at the switch, and what comes from it is logged (FLINK-22638). Timeout."""

    def past(self, pending: Pending, source: int) -> bool:
        """Only until the switch."""
        return super().past(pending, source) and not pending.taken


class AbortPerMarker(Operator):
    """Every cancellation that comes aborts, however often (FLINK-5285). Any mode."""

    def cancels(self, state: OperatorState, number: int) -> bool:
        """Always."""
        return True


class OldBarrierBegins(Operator):
    """A barrier of a checkpoint that ended begins it again. Any mode."""

    def is_old(self, state: OperatorState, number: int) -> bool:
        """Never."""
        return False


class NoEpochs(Operator):
    """Barriers carry no number: while a checkpoint is pending, all are taken for its own (as in arXiv 1506.08603).

    Where the next checkpoint begins before the last one ended.
    """

    def is_old(self, state: OperatorState, number: int) -> bool:
        """Also if another checkpoint is pending."""
        pending = {pending.id for pending in state.pending}
        return super().is_old(state, number) or (bool(pending) and number not in pending)


class DropLog(Operator):
    """What is in flight is not logged. Unaligned, cyclic and timeout."""

    def logs(self, pending: Pending, source: int) -> bool:
        """Never."""
        return False


class ForgetFinished(Operator):
    """A finished input does not count as arrived, and checkpoints wait for it for ever (FLINK-21086). Any mode."""

    def counts_finished(self) -> bool:
        """Not so."""
        return False


class KeepBlocked(Operator):
    """An aborted checkpoint stays pending, and what arrived for it stays blocked. Aligned, cyclic and timeout."""

    def outlasts(self, pending: Pending, number: int) -> bool:
        """All do."""
        return True


class OldBarrierCounts(Operator):
    """A barrier older than a pending checkpoint begins its own all the same. At-least-once."""

    def is_old(self, state: OperatorState, number: int) -> bool:
        """Only if it ended, or something newer did."""
        return super().is_old(state, number) and number <= state.last


class OldCancelAborts(Operator):
    """A cancellation older than a pending checkpoint aborts its own, which was not begun. At-least-once."""

    def cancels(self, state: OperatorState, number: int) -> bool:
        """Unless it ended, or something newer did."""
        return super().cancels(state, number) or number > state.last


class SilentDrop(Operator):
    """A cancellation drops what is older without aborting it. At-least-once."""

    def aborts_older(self, state: OperatorState, number: int) -> tuple[int, ...]:
        """Nothing."""
        return ()


class EndCompletesTheOldest(Operator):
    """An end completes the oldest of the checkpoints that lacked it. At-least-once."""

    def ends_in_order(self, pending: tuple[Pending, ...]) -> tuple[Pending, ...]:
        """The oldest first."""
        return pending


class SwitchUntold(Operator):
    """Whoever switched does not say so with the barrier, and those behind it align. Timeout."""

    def switched_alignment(self) -> str | None:
        """Nothing."""
        return None


class SwitchNotFollowed(Operator):
    """A barrier whose sender switched is aligned all the same. Timeout."""

    def alignment(self, barrier: Barrier) -> str:
        """That of the mode, whatever the barrier says."""
        return super().alignment(Barrier(barrier.id))


class AnnouncedArrives(Operator):
    """The announcement of a barrier counts as its arrival. Timeout."""

    def announced(self, state: OperatorState, source: int, barrier: Barrier) -> Handled:
        """As if it came without what is before it."""
        return self._barrier(state, source, barrier, ())


class AnnouncedCancelLost(Operator):
    """A cancellation is ignored if no barrier of its checkpoint has come, though one was announced. Timeout.

    Flink does so (:mod:`pyharness.hold.flink.operator_variants`), so that this is none of those which it tells.
    """

    def cancels(self, state: OperatorState, number: int) -> bool:
        """Unless it is pending, and no input arrived since it was begun."""
        heard = any(each.id == number and not (each.taken or each.held) for each in state.pending)
        return super().cancels(state, number) and not heard


class LeavesPending(Operator):
    """A barrier that comes when one input is left leaves an older checkpoint pending. At-least-once.

    Flink does so (:mod:`pyharness.hold.flink.operator_variants`), so that this is none of those which it tells.
    """

    def _barrier(
        self, state: OperatorState, source: int, barrier: Barrier, overtaken: tuple[Value, ...]
    ) -> Handled:
        handled = super()._barrier(state, source, barrier, overtaken)
        begun = any(each.id == barrier.id for each in state.pending)
        if self.is_old(state, barrier.id) or begun or len(state.finished) != len(self.inputs) - 1:
            return handled
        return handled._replace(state=handled.state._replace(pending=state.pending))


class DeafToAnnouncements(Operator):
    """A barrier is not heard of while it is queued: an older checkpoint goes on, and no clock runs. Timeout."""

    def announces(self, barrier: Barrier) -> bool:
        """Never."""
        return False


class OvertakenHeld(Operator):
    """What a barrier overtook waits with its sender. Timeout."""

    def lets_overtaken(self, pending: Pending, source: int) -> bool:
        """Never."""
        return False


OPERATOR_MUTANTS: dict[str, type[Operator]] = {
    kind.__name__: kind
    for kind in (
        NoBlocking,
        LogPastBarrier,
        WrongChannelsLogged,
        UnblockAtTimeout,
        AbortPerMarker,
        OldBarrierBegins,
        NoEpochs,
        DropLog,
        ForgetFinished,
        KeepBlocked,
        OldBarrierCounts,
        OldCancelAborts,
        SilentDrop,
        EndCompletesTheOldest,
        SwitchUntold,
        SwitchNotFollowed,
        AnnouncedArrives,
        DeafToAnnouncements,
        OvertakenHeld,
    )
}
"""The seeded bugs by name."""
