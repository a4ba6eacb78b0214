"""Drive one operator by hand: a list of events in, what it did at each of them out.

>>> moments = drive([(0, "a"), (0, Barrier(1)), (0, "b"), (1, "c"), (1, Barrier(1))])
>>> print(transcript(moments))
 #  input  event      processed  blocked  checkpoints
 1      0  a          0:a        -        -
 2      0  barrier 1  -          0        -
 3      0  b          -          0        -
 4      1  c          1:c        0        -
 5      1  barrier 1  0:b        -        1 triggered, 1 completed
>>> unaligned = drive([(0, Barrier(1)), (0, "b"), (1, "c"), (1, Barrier(1))], mode="unaligned")
>>> unaligned[-1].in_flight
{1: ((), ('c',))}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyharness.errors import SpecError
from pyharness.protocols.checkpoints.operator import END, Barrier, Cancel, EndOfInput, Handled, Operator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.protocols.applications.application import Value

__all__ = ["Moment", "Overtaking", "drive", "transcript"]


class Overtaking(NamedTuple):
    """An event: a barrier comes up from behind records that wait in the input's queue.

    It overtakes them where barriers do (:meth:`Operator.overtake`); else it is handled after them.
    """

    barrier: Barrier
    records: tuple[Value, ...]


class Moment(NamedTuple):
    """What an operator did at an event.

    ``processed`` are the records processed in this step, as pairs (input, record), in order; ``blocked`` the inputs
    blocked after it; ``in_flight`` the logs of the checkpoints completed in it, by id, each with one tuple of
    records per input. ``triggered``, ``completed`` and ``aborted`` are ids.
    """

    event: tuple[int, Value]
    processed: tuple[tuple[int, Value], ...]
    blocked: frozenset[int]
    in_flight: dict[int, tuple[tuple[Value, ...], ...]]
    triggered: tuple[int, ...]
    completed: tuple[int, ...]
    aborted: tuple[int, ...]


def drive(
    events: Iterable[tuple[int, Value]],
    inputs: int = 2,
    mode: str = "aligned",
    back: Iterable[int] = (),
    kind: type[Operator] = Operator,
) -> tuple[Moment, ...]:
    """Return an operator these events, and tell what it did at each.

    An event is a pair: the input, and a :class:`Barrier`, a :class:`Cancel`, :data:`END` or ``"end"``, an
    :class:`Overtaking`, ``"timeout"`` (of no input in particular), or anything else: a record. What comes on a
    blocked input waits in its queue. ``kind`` may be a mutant.
    """
    driver = _Driver(kind(inputs, mode, frozenset(back)))
    return tuple(driver.take(number, event) for number, event in enumerate(events, 1))


class _Driver:
    """An operator, its state, and what waits in the queues of its inputs, in order of arrival."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.state = operator.initial()
        self.waiting: list[tuple[int, Value]] = []
        self.ended: set[int] = set()

    def take(self, number: int, event: tuple[int, Value]) -> Moment:
        source, element = self._checked(number, event)
        if element == "timeout":
            first = self.operator.time_out(self.state)
        elif isinstance(element, Overtaking):
            first = self.operator.overtake(self.state, source, element.barrier, element.records)
            self.waiting += ((source, record) for record in element.records)
            if first is None:
                self.waiting.append((source, element.barrier))
        else:
            first = None
            self.waiting.append((source, element))
        steps = [] if first is None else [first]
        self.state = self.state if first is None else first.state
        processed = self._drain(steps)
        return Moment(
            event,
            processed,
            self.operator.blocked(self.state),
            {pending.id: pending.log for handled in steps for pending in handled.completed},
            tuple(number for handled in steps for number in handled.triggered),
            tuple(pending.id for handled in steps for pending in handled.completed),
            tuple(number for handled in steps for number in handled.aborted),
        )

    def _drain(self, steps: list[Handled]) -> tuple[tuple[int, Value], ...]:
        """Handle what waits and may be handled, the earliest first, until nothing is left that may."""
        processed = []
        progress = True
        while progress:
            progress = False
            for index, (source, element) in enumerate(self.waiting):
                handled = self.operator.handle(self.state, source, element)
                if handled is not None:
                    del self.waiting[index]
                    steps.append(handled)
                    self.state = handled.state
                    if handled.processed:
                        processed.append((source, element))
                    progress = True
                    break
        return tuple(processed)

    def _checked(self, number: int, event: tuple[int, Value]) -> tuple[int, Value]:
        source, element = event
        where = f"event {number}"
        if element == "timeout":
            return source, element
        if source not in self.operator.inputs:
            known = ", ".join(map(str, sorted(self.operator.inputs))) or "none"
            raise SpecError(f"no input {source!r}", where=where, hint=f"the inputs are {known}")
        if source in self.ended:
            raise SpecError(f"input {source} has ended", where=where, hint="nothing comes after the end")
        barrier = element.barrier if isinstance(element, Overtaking) else element
        if isinstance(barrier, Barrier | Cancel) and barrier.id < 1:
            raise SpecError(f"checkpoint {barrier.id}", where=where, hint="ids are numbers from 1")
        if element == "end" or isinstance(element, EndOfInput):
            self.ended.add(source)
            return source, END
        return source, element


def transcript(moments: Iterable[Moment]) -> str:
    """Return a table of what happened, one line per event."""
    head = ("#", "input", "event", "processed", "blocked", "checkpoints")
    rows = [head, *(_row(number, moment) for number, moment in enumerate(moments, 1))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    widths[0] = max(widths[0], 2)
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column < 2 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _row(number: int, moment: Moment) -> tuple[str, ...]:
    source, element = moment.event
    facts = [f"{each} aborted" for each in moment.aborted]
    facts += [f"{each} triggered" for each in moment.triggered]
    facts += [_completion(each, moment.in_flight[each]) for each in moment.completed]
    return (
        str(number),
        "-" if element == "timeout" else str(source),
        _text(element),
        " ".join(f"{origin}:{record}" for origin, record in moment.processed) or "-",
        " ".join(map(str, sorted(moment.blocked))) or "-",
        ", ".join(facts) or "-",
    )


def _completion(number: int, log: tuple[tuple[Value, ...], ...]) -> str:
    records = [f"{source}:{record}" for source, each in enumerate(log) for record in each]
    return f"{number} completed" + (f" with {' '.join(records)} in flight" if records else "")


def _text(element: Value) -> str:
    if isinstance(element, Overtaking):
        return f"{_text(element.barrier)} overtakes {' '.join(map(str, element.records)) or 'nothing'}"
    if isinstance(element, Barrier | Cancel):
        return f"{element.control} {element.id}"
    return element.control if isinstance(element, EndOfInput) else str(element)
