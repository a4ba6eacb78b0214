"""What a barrier handler takes, keeps and answers: control elements, its state, and the result of an element."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pyharness.protocols.common.message_log import Log

ALIGNMENTS = ("aligned", "timeoutable", "unaligned")
"""What a barrier may say of its own: that it is aligned, that it is until it takes too long, or that it is not."""


class Barrier(NamedTuple):
    """What separates the records of before a checkpoint from those after it.

    ``alignment`` is one of :data:`ALIGNMENTS`, or ``None`` for that of the mode: in mode timeout a task that switched
    sends ``unaligned`` ones, and a savepoint's are ``aligned`` where checkpoints are not.
    """

    id: int
    control: str = "barrier"
    alignment: str | None = None


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

    ``held`` are the inputs whose sender waits, for the barrier that came was no unaligned one; ``ahead`` tells for each
    input how many records, first in its queue, such a barrier overtook: they come all the same. ``forced`` tells that
    it is a savepoint's among checkpoints that are not aligned, or may switch.
    """

    id: int
    arrived: frozenset[int]
    taken: bool
    log: tuple[Log, ...]
    held: frozenset[int] = frozenset()
    ahead: tuple[int, ...] = ()
    forced: bool = False


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
    output, with the ``alignment`` that it says of its own, if any. ``completed``: checkpoints whose part here is
    whole, with their logs, to be acknowledged. ``ended``: by this element all inputs are finished, and the end is sent
    on every output.
    """

    state: OperatorState
    processed: bool = False
    triggered: tuple[int, ...] = ()
    completed: tuple[Pending, ...] = ()
    aborted: tuple[int, ...] = ()
    ended: bool = False
    alignment: str | None = None
