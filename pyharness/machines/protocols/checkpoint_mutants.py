"""Seeded bugs of checkpoints, one of each kind: of the barrier handler, of tasks, and of the coordinator.

``specs/mutants/`` has more of them, in TLA+. A bug of the handler overrides one decision of
:class:`~pyharness.machines.protocols.Operator`. It shows in the modes that its class names; in another it may be no bug at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.machines.protocols.checkpoints.checkpoint_coordinator import (
    CheckpointCoordinator,
    CoordinatorState,
)
from pyharness.machines.protocols.checkpoints.checkpoint_tasks import Task
from pyharness.machines.protocols.checkpoints.operator import Barrier, Operator
from pyharness.machines.protocols.common.mutant import Mutant, mutants_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.machines.protocols.applications.application import Value
    from pyharness.machines.protocols.checkpoints.operator import Handled, OperatorState, Pending


class NoBlocking(Operator):
    """Records after the barrier are processed before the state is recorded (FLINK-17568). Aligned."""

    def blocks(self, pending: Pending, source: int) -> bool:
        """Return false: no input is blocked."""
        return False


class WrongChannelsLogged(Operator):
    """The inputs whose barrier came are logged, and not the others (as in FLINK-18139). Unaligned and cyclic."""

    def logs(self, pending: Pending, source: int) -> bool:
        """Return whether the barrier of the input came, where the spec has the contrary."""
        return pending.taken and self.past(pending, source)


class UnblockAtTimeout(Operator):
    """Barriers that arrived are released at the switch, and later input is logged (FLINK-22638). Timeout."""

    def past(self, pending: Pending, source: int) -> bool:
        """Return whether the input is past its barrier, only until the switch."""
        return super().past(pending, source) and not pending.taken


class DropLog(Operator):
    """Records in flight are not logged. Unaligned, cyclic and timeout."""

    def logs(self, pending: Pending, source: int) -> bool:
        """Return false: no record is logged."""
        return False


class AbortPerMarker(Operator):
    """Every cancellation that comes aborts, however often (FLINK-5285). Any mode."""

    def cancels(self, state: OperatorState, number: int) -> bool:
        """Return true: every cancellation aborts."""
        return True


class ForgetFinished(Operator):
    """A finished input does not count as arrived, and checkpoints wait for it forever (FLINK-21086). Any mode."""

    def counts_finished(self) -> bool:
        """Return false: a finished input does not count."""
        return False


class KeepBlocked(Operator):
    """An aborted checkpoint stays pending, and inputs that arrived for it stay blocked. Aligned, cyclic and timeout."""

    def outlasts(self, pending: Pending, number: int) -> bool:
        """Return true: every pending checkpoint goes on."""
        return True


class SilentDrop(Operator):
    """A cancellation drops what is older without aborting it. At-least-once."""

    def aborts_older(self, state: OperatorState, number: int) -> tuple[int, ...]:
        """Return no id: older checkpoints are dropped without a word."""
        return ()


class AnnouncedArrives(Operator):
    """The announcement of a barrier counts as its arrival. Timeout."""

    def announced(self, state: OperatorState, source: int, barrier: Barrier) -> Handled:
        """Handle the announced barrier as one that came, with no record before it."""
        return self._barrier(state, source, barrier, ())


class CommitEarly(Task):
    """A sink commits at the barrier, before the checkpoint is complete (A3)."""

    def may_commit(self, number: int, completed: frozenset[int]) -> bool:
        """Return true: a sink commits at once."""
        return True


class ReplayTwice(Task):
    """The records in flight are restored twice (A10)."""

    def replayed(self, log: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the records of the log twice."""
        return log + log


class ForgetCompleted(CheckpointCoordinator):
    """The coordinator knows no complete checkpoints after a crash (A8)."""

    def remembered(self, state: CoordinatorState) -> frozenset[int]:
        """Return no id: all complete checkpoints are forgotten."""
        return frozenset()


OPERATOR_MUTANTS: Final[Mapping[str, type[Operator]]] = {
    kind.__name__: kind
    for kind in (
        *(NoBlocking, WrongChannelsLogged, UnblockAtTimeout, DropLog, AbortPerMarker),
        *(ForgetFinished, KeepBlocked, SilentDrop, AnnouncedArrives),
    )
}
"""The seeded bugs of the handler by name."""

CHECKPOINT_MUTANTS: Final[Mapping[str, Mutant]] = {
    **mutants_of("process", CommitEarly, ReplayTwice),
    **mutants_of("coordinator", ForgetCompleted),
    **mutants_of("handler", AbortPerMarker, ForgetFinished, KeepBlocked, AnnouncedArrives),
    "SkipAlignment": {"handler": NoBlocking},
    "LogNothing": {"handler": DropLog},
}
"""The seeded bugs of ``Checkpoints`` by name. Barriers have bugs with the names ``NoBlocking`` and ``DropLog``, so those
of the handler are ``SkipAlignment`` and ``LogNothing`` here."""
