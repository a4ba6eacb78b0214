"""The coordinator of checkpoints (``specs/Checkpoints.tla``): it triggers them and decides which are complete.

Theory of operation
===================

One machine for the dataflow; its driver keeps a :class:`CoordinatorState` and carries messages between it and the
tasks. :meth:`~CheckpointCoordinator.trigger` begins the next checkpoint, with the next id, and returns ``None`` when
there are none left, or while the last one is pending and checkpoints may not overlap. The driver then gives each source
the result of :meth:`~CheckpointCoordinator.news_for`.

A task's acknowledgement or abort is handed to :meth:`~CheckpointCoordinator.account`, in any order between tasks,
and in one step with the task's own: a crash in between loses both. With it comes the state of each task that is at its
end, which acknowledges as it is (FLIP-147) every checkpoint that is newer than the last one it has dealt with. A
checkpoint is complete when all tasks have acknowledged it; older ones that are pending are then subsumed: aborted, and
their acknowledgements are forgotten. Where checkpoints are completed in their order (Spark's epochs) none is
subsumed, and one that all have acknowledged waits for those before it.

After a crash each task restores what :meth:`~CheckpointCoordinator.restored_from` names, with the state and the log
that it acknowledged itself; 0 is the beginning. :meth:`~CheckpointCoordinator.crash` is the coordinator's own part:
complete checkpoints stay, pending ones are aborted. Both happen in one step for all tasks: no task goes on with its
earlier state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.base.errors import PeerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.machines.protocols.applications.application import Value

_HERE = "coordinator"

IN_ORDER: Final = 2
"""The value of ``Overlap`` in the spec where checkpoints are completed in their order."""


class Acknowledgement(NamedTuple):
    """A task's report to the coordinator on checkpoint ``id``: its state, and for each input the records in flight."""

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
    """The coordinator triggers checkpoints and counts acknowledgements. Mutants override one of its decisions.

    ``processes`` is their number; at most ``checkpoints`` are triggered. ``overlap`` is 0: one at a time; 1: several,
    and a newer complete one subsumes the older; 2: several, completed in their order.
    """

    def __init__(self, processes: int, sinks: Iterable[int], checkpoints: int, *, overlap: int) -> None:
        self.processes = frozenset(range(1, processes + 1))
        self.sinks = frozenset(sinks)
        self.checkpoints = checkpoints
        self.overlap = overlap

    def initial(self) -> CoordinatorState:
        """Begin with nothing triggered."""
        return CoordinatorState(0, ((),) * self.checkpoints, frozenset(), frozenset(), 0, 0)

    def acknowledged(self, processes: frozenset[int]) -> bool:
        """Return whether a checkpoint is complete that these have acknowledged: all (A8). TLA+: Acknowledged."""
        return self.processes <= processes

    def restored_from(self, state: CoordinatorState, process: int) -> int:
        """Return the checkpoint to restore, 0 for the beginning: the newest complete one (A2). TLA+: RestoredFrom."""
        return max(state.completed, default=0)

    def news_for(self, state: CoordinatorState, last: int) -> int:
        """Return the checkpoint that a source hears of whose ``last`` one that is: the newest, or each in turn (A8).

        0 if there is none. TLA+: NewsFor.
        """
        if self.overlap != IN_ORDER:
            return state.triggered
        over = state.completed | state.aborted
        return next((n for n in range(last + 1, state.triggered + 1) if n not in over), 0)

    def in_turn(self, state: CoordinatorState, ready: frozenset[int], off: frozenset[int]) -> frozenset[int]:
        """Return which of the ``ready`` checkpoints, acknowledged by all, are complete, ``off`` being aborted (A8).

        TLA+: InTurn.
        """
        if self.overlap != IN_ORDER:
            return ready
        over = ready | state.completed | off
        return frozenset(n for n in ready if over >= set(range(1, n + 1)))

    def subsumed(self, state: CoordinatorState, newest: int) -> frozenset[int]:
        """Return the older checkpoints that no task waits for when ``newest`` is complete (A8). TLA+: Subsumed."""
        return frozenset() if self.overlap == IN_ORDER else frozenset(range(1, newest + 1))

    def at_end(self, final: Sequence[Acknowledgement], number: int) -> frozenset[int]:
        """Return which tasks at their end acknowledge a checkpoint as they are (A9). TLA+: AtEnd.

        The tasks for which it is newer than the last one that they have dealt with.
        """
        return frozenset(ack.process for ack in final if ack.id < number)

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
        """Count acknowledgements and aborts. TLA+: Account.

        ``final`` has the states of the tasks at their end, each with the last id that the task has dealt with.
        Raises PeerError for an id that was not triggered, and for a process that there is not.
        """
        aborted = tuple(aborted)
        for number, process in [*((a.id, a.process) for a in acknowledged), *((n, None) for n in aborted)]:
            if type(number) is not int or not 1 <= number <= state.triggered:
                raise PeerError(
                    f"checkpoint {number!r} was not triggered",
                    where=_HERE,
                    hint=f"the last one is {state.triggered}",
                )
            if process is not None and process not in self.processes:
                raise PeerError(
                    f"no process {process!r}", where=_HERE, hint=f"there are {len(self.processes)}, from 1"
                )
        acks = list(state.acks)
        for ack in acknowledged:
            earlier = acks[ack.id - 1]  # in a cycle, perhaps its own state at its end: that stays
            if all(known.process != ack.process for known in earlier):
                acks[ack.id - 1] = tuple(sorted([*earlier, ack], key=lambda known: known.process))
        off = state.aborted | (frozenset(aborted) - state.completed)
        new = frozenset(
            n
            for n in range(1, state.triggered + 1)
            if n not in off
            and self.acknowledged(frozenset(a.process for a in acks[n - 1]) | self.at_end(final, n))
        )
        completed = state.completed | self.in_turn(state, new, off)
        newest = max(completed, default=0)
        gone = off | (self.subsumed(state, newest) - completed)
        for n in range(1, self.checkpoints + 1):
            if n in gone or n < newest:
                acks[n - 1] = ()
            elif n in completed - state.completed:
                there = {ack.process for ack in acks[n - 1]}
                filled = [*acks[n - 1], *(ack._replace(id=n) for ack in final if ack.process not in there)]
                acks[n - 1] = tuple(sorted(filled, key=lambda known: known.process))
        return state._replace(acks=tuple(acks), completed=completed, aborted=gone)

    def crash(self, state: CoordinatorState) -> CoordinatorState:
        """Forget what is not complete (A2). TLA+: Crash."""
        newest = max(state.completed, default=0)
        return state._replace(
            crashes=state.crashes + 1,
            completed=self.remembered(state),
            aborted=state.aborted | (frozenset(range(1, state.triggered + 1)) - state.completed),
            acks=tuple(ack if n == newest else () for n, ack in enumerate(state.acks, start=1)),
        )
