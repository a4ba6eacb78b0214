"""The decisions of the barrier handler: in what the modes differ, each in one method, which a mutant may override.

:class:`~pyharness.protocols.checkpoints.operator.Operator` acts by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.errors import SpecError
from pyharness.protocols.checkpoints.operator_values import OperatorState

if TYPE_CHECKING:
    from pyharness.protocols.checkpoints.operator_values import Barrier, Pending

UNALIGNED = "unaligned"

OF_MODE = {"unaligned": "unaligned", "timeout": "timeoutable"}
"""The alignment of a barrier that says nothing of its own; in the other modes it is aligned, or counted."""

MODES = ("aligned", "cyclic", "unaligned", "at-least-once", "timeout")
"""The ways to handle barriers."""


class OperatorDecisions:
    """What an operator is made of, and what it decides."""

    def phase(self, state: OperatorState) -> str:
        """Tell whether it is idle, aligning or recording."""
        if not state.pending:
            return "idle"
        return "recording" if any(pending.taken for pending in state.pending) else "aligning"

    def __init__(
        self,
        inputs: int,
        mode: str = "aligned",
        back: frozenset[int] = frozenset(),
        *,
        first: int = 0,
        after_ends: bool = True,
        most_pending: int = 50,
    ) -> None:
        if inputs < 0:
            raise SpecError(f"{inputs} inputs", where="operator", hint="give a number from 0")
        if mode not in MODES:
            raise SpecError(f"unknown mode {mode!r}", where="operator", hint=f"use {', '.join(MODES)}")
        self.mode = mode
        self.inputs = frozenset(range(inputs))
        if not self.inputs >= frozenset(back):
            raise SpecError(
                f"back edges {sorted(back)} among {inputs} inputs",
                where="operator",
                hint="inputs are numbered from 0",
            )
        self.back = frozenset(back) if mode == "cyclic" else frozenset()
        self.regular = self.inputs - self.back
        self.first = first
        self.after_ends = after_ends
        self.most_pending = most_pending

    def initial(self) -> OperatorState:
        """Begin with no checkpoint and every input open."""
        return OperatorState(self.first - 1, (), frozenset())

    def blocked(self, state: OperatorState) -> frozenset[int]:
        """Return the inputs whose sender waits, so that nothing more may be taken from them now."""
        if not state.pending:
            return frozenset()
        return frozenset(
            source for source in self.inputs for pending in state.pending if self.blocks(pending, source)
        )

    # -- the decisions -------------------------------------------------------------------------------------

    def exclusive(self) -> bool:
        """Tell whether there is one checkpoint at a time: not where barriers are counted. TLA+: Exclusive."""
        return self.mode != "at-least-once"

    def alignment(self, barrier: Barrier) -> str:
        """Return a barrier's alignment: its own, or the mode's. TLA+: AlignmentOf."""
        return barrier.alignment or OF_MODE.get(self.mode, "aligned")

    def records_at_once(self, barrier: Barrier) -> bool:
        """Tell whether a barrier has the state recorded: if unaligned (FLIP-76). TLA+: RecordsAtOnce."""
        return self.alignment(barrier) == "unaligned"

    def forced_alignment(self) -> str | None:
        """Return what a savepoint's barrier says of its own: aligned, where its mode's are not. TLA+: OfSavepoint."""
        return "aligned" if self.mode in OF_MODE else None

    def switched_alignment(self) -> str | None:
        """Return what the barrier of an operator that switched says of its own. TLA+: Switched."""
        return UNALIGNED

    def holds(self, barrier: Barrier, source: int) -> bool:
        """Tell whether an input waits after its barrier for the others': unless it is unaligned. TLA+: Holds.

        A back edge never does, and none where barriers are counted.
        """
        if self.mode == "at-least-once" or source in self.back:
            return False
        return self.alignment(barrier) != UNALIGNED

    def announces(self, barrier: Barrier) -> bool:
        """Tell whether a barrier is heard of while it is queued: if it may time out. TLA+: Announces."""
        return self.alignment(barrier) == "timeoutable"

    def counts_finished(self) -> bool:
        """Tell whether a finished input counts as arrived: always (FLIP-147). TLA+: Began, AfterEnd."""
        return True

    def past(self, pending: Pending, source: int) -> bool:
        """Tell whether what comes from an input is behind the barrier, if it arrived. TLA+: Blocks, Logs."""
        return source in pending.arrived

    def blocks(self, pending: Pending, source: int) -> bool:
        """Tell whether an input waits for the others: from a barrier that holds it. TLA+: Blocks.

        In a timeout this is so after the switch too; in a cycle until the state is recorded.
        """
        waits = source in pending.held and self.past(pending, source)
        return waits and not (self.mode == "cyclic" and pending.taken)

    def released(self, pending: Pending, source: int) -> Pending:
        """Return what becomes of a pending checkpoint when an input ends: its sender waits no more. TLA+: AfterEnd."""
        return pending._replace(held=pending.held - {source})

    def lets_overtaken(self, pending: Pending, source: int) -> bool:
        """Tell whether a record comes from an input that waits: one that its barrier overtook. TLA+: OpenToRecords."""
        return bool(pending.ahead[source])

    def ready(self, pending: Pending) -> bool:
        """Tell whether all inputs that the recording waits for arrived: all but back edges. TLA+: Arrived."""
        return pending.arrived >= self.regular

    def whole(self, pending: Pending) -> bool:
        """Tell whether nothing more comes into a recorded checkpoint: if all inputs arrived. TLA+: Arrived."""
        return pending.arrived >= self.inputs

    def logs(self, pending: Pending, source: int) -> bool:
        """Tell whether a record from an input is in flight: recorded, and ahead of the barrier. TLA+: Logs."""
        return pending.taken and not self.past(pending, source)

    def is_old(self, state: OperatorState, number: int) -> bool:
        """Tell whether a barrier comes too late, to be ignored: if its checkpoint ended. TLA+: HasEnded."""
        return self._ended(state, number)

    def supersedes(self, state: OperatorState, number: int) -> bool:
        """Tell whether a barrier aborts what is pending: if that is older, one at a time. TLA+: Counted."""
        return self.exclusive() and any(pending.id < number for pending in state.pending)

    def cancels(self, state: OperatorState, number: int) -> bool:
        """Tell whether a cancellation aborts: once per id, unless its checkpoint ended. TLA+: HasEnded."""
        return not self._ended(state, number)

    def outlasts(self, pending: Pending, number: int) -> bool:
        """Tell whether a pending checkpoint goes on when one is aborted: if it is newer. TLA+: Aborted."""
        return pending.id > number

    def aborts_older(self, state: OperatorState, number: int) -> tuple[int, ...]:
        """Return what a cancellation aborts beside its own: what is older, if counted. TLA+: AfterCancel."""
        return () if self.exclusive() else tuple(each.id for each in state.pending if each.id < number)

    def ends_in_order(self, pending: tuple[Pending, ...]) -> tuple[Pending, ...]:
        """Return in which order an end counts for what is pending: the newest first. TLA+: EndFor."""
        return pending[::-1]

    def switches(self, pending: Pending) -> bool:
        """Tell whether a checkpoint may go over to unaligned: not recorded, not forced. TLA+: TimeOut."""
        return self.mode == "timeout" and not pending.taken and not pending.forced

    # -- helpers -------------------------------------------------------------------------------------------

    def _ended(self, state: OperatorState, number: int) -> bool:
        """Tell whether a checkpoint ended here, or gave way to a newer one that is pending."""
        ids = [pending.id for pending in state.pending]
        return number not in ids and number <= max((state.last, *ids))
