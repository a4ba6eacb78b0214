"""The coordinator of checkpoints (``specs/Checkpoints.tla``): it triggers them and decides which are complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.protocols.applications.application import Value

__all__ = ["Acknowledgement", "CheckpointCoordinator", "CoordinatorState"]


class Acknowledgement(NamedTuple):
    """What a task tells the coordinator of checkpoint ``id``: its state, and for each input the records in flight."""

    id: int
    process: int
    state: Value
    log: tuple[tuple[Value, ...], ...]


class CoordinatorState(NamedTuple):
    """The coordinator's state.

    ``triggered`` is the highest id, ``acks`` has by id the acknowledgements of what may be restored, by process;
    ``declines`` and ``crashes`` count those.
    """

    triggered: int
    acks: tuple[tuple[Acknowledgement, ...], ...]
    completed: frozenset[int]
    aborted: frozenset[int]
    declines: int
    crashes: int


class CheckpointCoordinator:
    """Who triggers checkpoints and counts acknowledgements. Mutants override one of its decisions.

    ``processes`` is their number; at most ``checkpoints`` are triggered, one at a time unless they may ``overlap``.
    """

    def __init__(self, processes: int, sinks: Iterable[int], checkpoints: int, *, overlap: bool) -> None:
        self.processes = frozenset(range(1, processes + 1))
        self.sinks = frozenset(sinks)
        self.checkpoints = checkpoints
        self.overlap = overlap

    def initial(self) -> CoordinatorState:
        """Begin with nothing triggered."""
        return CoordinatorState(0, ((),) * self.checkpoints, frozenset(), frozenset(), 0, 0)

    def acknowledged(self, processes: frozenset[int]) -> bool:
        """Tell whether a checkpoint is complete that these have acknowledged: all (A8). TLA+: Acknowledged."""
        return self.processes <= processes

    def restored_from(self, state: CoordinatorState, process: int) -> int:
        """Return the checkpoint to restore, 0 for the beginning: the newest complete one (A2). TLA+: RestoredFrom."""
        return max(state.completed, default=0)

    def remembered(self, state: CoordinatorState) -> frozenset[int]:
        """Return the complete checkpoints that it still knows after a crash (A8). TLA+: Recall."""
        return state.completed

    def trigger(self, state: CoordinatorState) -> CoordinatorState | None:
        """Trigger the next checkpoint. TLA+: Trigger."""
        settled = state.triggered == 0 or state.triggered in state.completed | state.aborted
        if state.triggered == self.checkpoints or not (self.overlap or settled):
            return None
        return state._replace(triggered=state.triggered + 1)

    def account(
        self,
        state: CoordinatorState,
        acknowledged: Sequence[Acknowledgement],
        aborted: Iterable[int],
        final: Sequence[Acknowledgement],
    ) -> CoordinatorState:
        """Count acknowledgements and aborts; ``final`` has the states of the tasks at their end. TLA+: Account."""
        acks = list(state.acks)
        for ack in acknowledged:
            others = [known for known in acks[ack.id - 1] if known.process != ack.process]
            acks[ack.id - 1] = tuple(sorted([*others, ack], key=lambda known: known.process))
        off = state.aborted | (frozenset(aborted) - state.completed)
        over = frozenset(ack.process for ack in final)
        new = {
            n
            for n in range(1, state.triggered + 1)
            if n not in off and self.acknowledged(frozenset(a.process for a in acks[n - 1]) | over)
        }
        whole = state.completed | new
        newest = max(whole, default=0)
        gone = off | (frozenset(range(1, newest + 1)) - whole)
        for n in range(1, self.checkpoints + 1):
            if n in gone or n < newest:
                acks[n - 1] = ()
            elif n in whole - state.completed:
                there = {ack.process for ack in acks[n - 1]}
                filled = [*acks[n - 1], *(ack._replace(id=n) for ack in final if ack.process not in there)]
                acks[n - 1] = tuple(sorted(filled, key=lambda known: known.process))
        return state._replace(acks=tuple(acks), completed=frozenset(whole), aborted=gone)

    def crash(self, state: CoordinatorState) -> CoordinatorState:
        """Forget what is not complete (A2). TLA+: Crash."""
        newest = max(state.completed, default=0)
        return state._replace(
            crashes=state.crashes + 1,
            completed=self.remembered(state),
            aborted=state.aborted | (frozenset(range(1, state.triggered + 1)) - state.completed),
            acks=tuple(ack if n == newest else () for n, ack in enumerate(state.acks, start=1)),
        )
