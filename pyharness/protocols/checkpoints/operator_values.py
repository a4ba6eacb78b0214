"""What a barrier handler takes, keeps and answers: control elements, its state, and the result of an element."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pyharness.protocols.applications.application import Value

__all__ = ["END", "Barrier", "Cancel", "EndOfInput", "Handled", "OperatorState", "Pending"]


class Barrier(NamedTuple):
    """What separates the records of before a checkpoint from those after it."""

    id: int
    control: str = "barrier"


class Cancel(NamedTuple):
    """Word from upstream that a checkpoint was aborted."""

    id: int
    control: str = "cancel"


class EndOfInput(NamedTuple):
    """The last element of an input."""

    control: str = "end"


END = EndOfInput()


class Pending(NamedTuple):
    """A checkpoint that the operator has begun and not ended.

    ``arrived`` are the inputs (from 0) that brought its barrier or are finished; ``taken`` tells whether the
    operator's state was recorded, so that what comes on the others is in flight; ``log`` has, for each input,
    the records logged as in flight.
    """

    id: int
    arrived: frozenset[int]
    taken: bool
    log: tuple[tuple[Value, ...], ...]


class OperatorState(NamedTuple):
    """The handler's state.

    ``last`` is the highest id that it ended: triggered and complete, aborted, or cancelled; at first the number below
    the first id.
    ``pending`` are the checkpoints begun, by ascending id, all above ``last``; at most one but in at-least-once.
    ``finished`` are the inputs at their end.
    """

    last: int
    pending: tuple[Pending, ...]
    finished: frozenset[int]


class Handled(NamedTuple):
    """The result of an element, in the order in which its parts take effect.

    ``processed``: it is a record, to be processed now. ``aborted``: ids for which the cancellation is sent on
    every output. ``triggered``: ids for which the operator's state is recorded and the barrier sent on every
    output. ``completed``: checkpoints whose part here is whole, with their logs, to be acknowledged. ``ended``:
    by this element all inputs are finished, and the end is sent on every output.
    """

    state: OperatorState
    processed: bool = False
    triggered: tuple[int, ...] = ()
    completed: tuple[Pending, ...] = ()
    aborted: tuple[int, ...] = ()
    ended: bool = False
