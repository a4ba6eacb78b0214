"""The operator as Flink has it: each known difference as a variant of a few decisions.

A difference is known if Flink does what its variant does after every event of the sequence, and not only at the first
that differs. So it is recognised without being made small, and later events are compared as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.machines.protocols.checkpoints.operator import Handled, Operator, Pending

if TYPE_CHECKING:
    from pyharness.machines.protocols.applications.application import Value
    from pyharness.machines.protocols.checkpoints.operator import Barrier, OperatorState


class HandlerThrowsError(Exception):
    """A variant raises this where Flink's handler throws."""


class AnnouncedCancelLost(Operator):
    """A cancellation of a checkpoint of which no barrier was handled is ignored, though one was announced."""

    def cancels(self, state: OperatorState, number: int) -> bool:
        """Return false also for a checkpoint that is pending, and for which no barrier was handled yet."""
        heard = any(each.id == number and not (each.taken or each.held) for each in state.pending)
        return super().cancels(state, number) and not heard

    def released(self, pending: Pending, source: int) -> Pending:
        """Keep an input that ends later as one that counts; nothing else comes from it."""
        return pending._replace(held=pending.held | {source})


class CompletedIsCancelled(Operator):
    """With one open input, a barrier completes a checkpoint, and a cancellation aborts: their numbers are not noted."""

    def fast(self, state: OperatorState, number: int) -> bool:
        """Return whether a number takes this path: if one input is open and it is new; here, if nothing is pending."""
        one = len(state.finished) == len(self.inputs) - 1
        return one and not state.pending and number > state.last

    def _barrier(
        self, state: OperatorState, source: int, barrier: Barrier, overtaken: tuple[Value, ...]
    ) -> Handled:
        if not self.fast(state, barrier.id):
            return super()._barrier(state, source, barrier, overtaken)
        complete = Pending(barrier.id, self.inputs, taken=True, log=((),) * len(self.inputs))
        return Handled(_passed_by(state), triggered=(barrier.id,), completed=(complete,))

    def _cancel(self, state: OperatorState, number: int) -> Handled:
        if not self.fast(state, number):
            return super()._cancel(state, number)
        return Handled(_passed_by(state), aborted=(number,))


class LeavesPending(CompletedIsCancelled):
    """On that path an older checkpoint that is pending is neither dropped nor aborted.

    If it becomes complete after that, the handler's account of alignment times throws.
    """

    def fast(self, state: OperatorState, number: int) -> bool:
        """Return whether one input is open, and the number is newer than all pending ones."""
        one = len(state.finished) == len(self.inputs) - 1
        return one and number > max(state.last, *(each.id for each in state.pending), self.first - 1)

    def _arrive(
        self, state: OperatorState, pending: Pending, source: int, *, recorded: bool, own: str | None
    ) -> Handled:
        handled = super()._arrive(state, pending, source, recorded=recorded, own=own)
        newest = max(each.id for each in (pending, *state.pending))
        if handled.completed and pending.forced and newest == pending.id > state.last:
            raise HandlerThrowsError
        return handled


def _passed_by(state: OperatorState) -> OperatorState:
    """Mark what is pending, in a field that means nothing where barriers are counted."""
    return state._replace(pending=tuple(each._replace(forced=True) for each in state.pending))


VARIANTS: dict[str, type[Operator]] = {
    kind.__name__: kind for kind in (AnnouncedCancelLost, CompletedIsCancelled, LeavesPending)
}
"""The variants by name."""
