"""Drive one operator by hand: give it a list of events, and get its reaction to each.

>>> from pyharness.machines.protocols import END
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
>>> unaligned[1].pending
{1: ((), ())}

The effects of one event have an order, and it matters: here the end waits after the blocked input's record.

>>> moments = drive([(0, Barrier(0)), (0, "a"), (0, END), (1, END)])
>>> for effect in moments[-1].effects:
...     print(effect)
finished(input=1)
triggered(id=0)
completed(id=0)
processed(input=0, record='a')
finished(input=0)
ended()
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from pyharness.base.errors import SpecError
from pyharness.machines.protocols.checkpoints.operator import Barrier, Cancel, EndOfInput, Handled, Operator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyharness.machines.protocols.applications.application import Value


class Overtaking(NamedTuple):
    """An event: a barrier is handled ahead of records that wait in the input's queue.

    It overtakes them where barriers do (:meth:`Operator.overtake`); else it is handled after them.
    """

    barrier: Barrier
    records: tuple[Value, ...]


class Queued(NamedTuple):
    """An event: records and, after them, a barrier come into an input's queue, and the operator is slow there.

    A barrier that may time out is announced; it waits, and so do its records, until the input may :data:`GO_ON`, or
    until it overtakes them. Any other barrier does not wait: it is as :class:`Overtaking`.
    """

    barrier: Barrier
    records: tuple[Value, ...]


class GoOn(NamedTuple):
    """An event: the operator goes on with what is queued on an input."""

    control: str = "go on"


GO_ON = GoOn()


class Timeout(NamedTuple):
    """An event: the alignment takes too long. It comes on no input in particular."""

    control: str = "timeout"


TIMEOUT = Timeout()


class Effect(NamedTuple):
    """One thing that an operator did.

    ``kind`` is ``processed`` (of ``input`` the ``record``); ``aborted``, ``triggered`` or ``completed`` (of the
    checkpoint ``id``: its cancellation sent, its state recorded and its barrier sent, its part acknowledged);
    ``dropped`` (that checkpoint ended here silently, for a newer one was cancelled); ``finished`` (of ``input``:
    its end was taken); or ``ended`` (the end was sent on every output). ``alignment`` is what the barrier that was sent
    carries of its own, if anything.
    """

    kind: str
    input: int | None = None
    id: int | None = None
    record: Value = None
    alignment: str | None = None

    def __str__(self) -> str:
        parts = [
            f"{name}={value}"
            for name, value in (("input", self.input), ("id", self.id), ("alignment", self.alignment))
            if value is not None
        ]
        parts += [f"record={self.record!r}"] * (self.kind == "processed")
        return f"{self.kind}({', '.join(parts)})"


_CONTROL: Final = re.compile(r"end|timeout|go on|(barrier|cancel)( .*)?", re.DOTALL | re.IGNORECASE)
"""The texts that a transcript has for elements that are not records."""

Logs: TypeAlias = dict[int, tuple[tuple["Value", ...], ...]]
"""The records logged as in flight, one tuple for each input, by checkpoint."""


class Reaction(NamedTuple):
    """The effects of one event at an operator.

    ``effects`` has all of it in the order in which it took effect; the rest is the same by kind. ``processed`` are the
    records processed in this step, as pairs (input, record), in order; ``triggered``, ``completed`` and ``aborted`` are
    ids; ``finished`` the inputs whose end was taken, in order, and ``ended`` is whether the operator's own end was
    sent. After the event ``blocked`` are the inputs that are blocked.

    Logs are by id, each with one tuple of records per input: ``in_flight`` of the checkpoints completed in this step,
    ``pending`` of those that are going on after it, and ``abandoned`` of those that ended in it without being complete,
    aborted or dropped, as far as they had come.
    """

    event: tuple[int | None, Value]
    processed: tuple[tuple[int, Value], ...]
    blocked: frozenset[int]
    in_flight: Logs
    triggered: tuple[int, ...]
    completed: tuple[int, ...]
    aborted: tuple[int, ...]
    effects: tuple[Effect, ...]
    finished: tuple[int, ...]
    ended: bool
    pending: Logs
    abandoned: Logs


def reaction(
    event: tuple[int | None, Value],
    effects: Iterable[Effect],
    *,
    blocked: Iterable[int] = (),
    in_flight: Logs | None = None,
    pending: Logs | None = None,
    abandoned: Logs | None = None,
) -> Reaction:
    """Return the reaction to an event, from its effects in order, and the blocked inputs and the logs after it."""
    effects = tuple(effects)

    def of(kind: str, field: str) -> tuple[Any, ...]:
        return tuple(getattr(effect, field) for effect in effects if effect.kind == kind)

    return Reaction(
        event=event,
        processed=tuple(zip(of("processed", "input"), of("processed", "record"), strict=True)),
        blocked=frozenset(blocked),
        in_flight=in_flight or {},
        triggered=of("triggered", "id"),
        completed=of("completed", "id"),
        aborted=of("aborted", "id"),
        effects=effects,
        finished=of("finished", "input"),
        ended=any(effect.kind == "ended" for effect in effects),
        pending=pending or {},
        abandoned=abandoned or {},
    )


def drive(
    events: Iterable[tuple[int | None, Value]],
    inputs: int = 2,
    mode: str = "aligned",
    back: Iterable[int] = (),
    kind: Callable[..., Operator] = Operator,
    *,
    after_ends: bool = True,
) -> tuple[Reaction, ...]:
    """Hand an operator these events, and return its reaction to each.

    An event is a pair: the input, and a :class:`Barrier`, a :class:`Cancel`, :data:`END`, an :class:`Overtaking`,
    a :class:`Queued`, :data:`GO_ON`, :data:`TIMEOUT` (of no input in particular: any number, or ``None``), or anything
    else: a record, whose text differs from those that a transcript has for these. Elements of a blocked input wait in
    its queue. ``kind`` may be a mutant; ``after_ends`` is whether checkpoints go on after an input's end.

    Raises SpecError, with the event's number, for an event that no input can bring.
    """
    driver = OperatorDriver(kind(inputs, mode, frozenset(back), after_ends=after_ends))
    return tuple(driver.take(number, event) for number, event in enumerate(events, 1))


class OperatorDriver:
    """An operator, its state, and the elements that wait in the queues of its inputs, in order of arrival.

    It takes events one by one, as :func:`drive` does all of them; a :meth:`copy` goes on from where it is.
    """

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.state = operator.initial()
        self.waiting: list[tuple[int, Value]] = []
        self.ended: set[int] = set()
        self.heard: set[int] = set()
        self.slow: set[int] = set()
        self._begin()

    def _begin(self) -> None:
        self.effects: list[Effect] = []
        self.in_flight: Logs = {}
        self.abandoned: Logs = {}

    def copy(self) -> OperatorDriver:
        """Return another driver of the same operator, in the same state."""
        other = OperatorDriver(self.operator)
        other.state = self.state
        other.waiting = self.waiting.copy()
        other.ended, other.heard, other.slow = self.ended.copy(), self.heard.copy(), self.slow.copy()
        return other

    def take(self, number: int, event: tuple[int | None, Value]) -> Reaction:
        """Take the event with this number, from 1; return the operator's reaction. Raises SpecError as :func:`drive`."""
        source, element = self._checked(number, event)
        self._begin()
        if isinstance(element, Timeout):
            self._done(source, element, self.operator.time_out(self.state))
        elif isinstance(element, Overtaking | Queued):
            self._behind(source, element)
        elif isinstance(element, GoOn):
            self.slow.discard(source)
        else:
            self.waiting.append((source, element))
        while self._one_that_overtakes() or self._one_of_the_waiting():
            pass
        return reaction(
            event,
            self.effects,
            blocked=self.operator.blocked(self.state),
            in_flight=self.in_flight,
            pending={pending.id: pending.log for pending in self.state.pending},
            abandoned=self.abandoned,
        )

    def _behind(self, source: int, element: Overtaking | Queued) -> None:
        """Take records and, after them, a barrier, into a queue: the barrier overtakes, or is announced, or waits."""
        barrier, records = element.barrier, element.records
        first = not any(origin == source for origin, _ in self.waiting)
        here = first and source not in self.operator.blocked(self.state) | self.state.finished
        handled = self.operator.overtake(self.state, source, barrier, records) if here else None
        self.waiting += ((source, record) for record in records)
        if handled is None:
            self.waiting.append((source, barrier))
            if here and self.operator.announces(barrier):
                self.heard.add(source)
                self.slow |= {source} if isinstance(element, Queued) else set()
                handled = self.operator.announce(self.state, source, barrier)
        self._done(source, barrier, handled)

    def _one_that_overtakes(self) -> bool:
        """Handle a barrier that was announced and may by now overtake, and return whether there was any."""
        for source in sorted(self.heard):
            queue = [element for origin, element in self.waiting if origin == source]
            place = next(n for n, element in enumerate(queue) if isinstance(element, Barrier))
            handled = self.operator.overtake(self.state, source, queue[place], tuple(queue[:place]))  # type: ignore[arg-type]
            if handled is not None:
                self.waiting.remove((source, queue[place]))
                self._taken(source, queue[place])
                self._done(source, queue[place], handled)
                return True
        return False

    def _taken(self, source: int, element: Value) -> None:
        if isinstance(element, Barrier):
            self.heard.discard(source)
            self.slow.discard(source)

    def _one_of_the_waiting(self) -> bool:
        """Handle the earliest waiting element that may be handled, and return whether there was any."""
        for index, (source, element) in enumerate(self.waiting):
            if source in self.slow:
                continue
            handled = self.operator.handle(self.state, source, element)
            if handled is not None:
                del self.waiting[index]
                self._taken(source, element)
                self._done(source, element, handled)
                return True
        return False

    def _done(self, source: int, element: Value, handled: Handled | None) -> None:
        """Record the operator's effects, in the order in which the parts of the result take effect."""
        if handled is None:
            return
        left = {p.id for p in handled.state.pending} | {p.id for p in handled.completed}
        gone = {p.id: p.log for p in self.state.pending if p.id not in left}
        self.abandoned |= gone
        self.in_flight |= {p.id: p.log for p in handled.completed}
        self.state = handled.state
        if handled.processed:
            self.effects.append(Effect("processed", input=source, record=element))
        if isinstance(element, EndOfInput):
            self.effects.append(Effect("finished", input=source))
        self.effects += (Effect("dropped", id=number) for number in gone if number not in handled.aborted)
        self.effects += (Effect("aborted", id=number) for number in handled.aborted)
        sent = handled.alignment
        self.effects += (Effect("triggered", id=number, alignment=sent) for number in handled.triggered)
        self.effects += (Effect("completed", id=pending.id) for pending in handled.completed)
        self.effects += [Effect("ended")] * handled.ended

    def _checked(self, number: int, event: tuple[int | None, Value]) -> tuple[int, Any]:
        where = f"event {number}"
        if not isinstance(event, tuple) or len(event) != 2:
            raise SpecError(
                f"{event!r} is not an event", where=where, hint="an event is a pair: input, element"
            )
        source, element = event
        if isinstance(element, Timeout):
            return -1, element
        if type(source) is not int or source not in self.operator.inputs:
            known = ", ".join(map(str, sorted(self.operator.inputs))) or "none"
            raise SpecError(f"no input {source!r}", where=where, hint=f"the inputs are {known}")
        if source in self.ended and not isinstance(element, GoOn):
            raise SpecError(f"input {source} has ended", where=where, hint="nothing comes after the end")
        barrier = element.barrier if isinstance(element, Overtaking | Queued) else element
        if isinstance(barrier, Barrier | Cancel) and (type(barrier.id) is not int or barrier.id < 0):
            raise SpecError(f"checkpoint {barrier.id!r}", where=where, hint="ids are numbers from 0")
        for record in element.records if isinstance(element, Overtaking | Queued) else (element,):
            if isinstance(record, str) and _CONTROL.fullmatch(record):
                hint = "END, TIMEOUT, GO_ON, Barrier(1) and Cancel(1) are not texts"
                raise SpecError(f"{record!r} is not a record", where=where, hint=hint)
        if isinstance(element, EndOfInput):
            self.ended.add(source)
        return source, element


def transcript(moments: Iterable[Reaction]) -> str:
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


def _row(number: int, moment: Reaction) -> tuple[str, ...]:
    source, element = moment.event
    facts = [
        _fact(effect, moment) for effect in moment.effects if effect.kind not in {"processed", "finished"}
    ]
    return (
        str(number),
        "-" if isinstance(element, Timeout) else str(source),
        element_text(element, empty="nothing"),
        " ".join(f"{origin}:{record}" for origin, record in moment.processed) or "-",
        " ".join(map(str, sorted(moment.blocked))) or "-",
        ", ".join(facts) or "-",
    )


def _fact(effect: Effect, moment: Reaction) -> str:
    if effect.id is None:
        return effect.kind
    log = moment.in_flight[effect.id] if effect.kind == "completed" else ()
    records = [f"{source}:{record}" for source, each in enumerate(log) for record in each]
    how = f" {effect.alignment}" if effect.alignment else ""
    return f"{effect.id} {effect.kind}{how}" + (f" with {' '.join(records)} in flight" if records else "")


def element_text(element: Value, empty: str = "") -> str:
    """Return an element as text, such as ``barrier 1 overtakes a``; ``empty`` stands for no records."""
    if isinstance(element, Overtaking | Queued):
        how = "overtakes" if isinstance(element, Overtaking) else "queued behind"
        records = " ".join(map(str, element.records)) or empty
        return f"{element_text(element.barrier)} {how} {records}".rstrip()
    if isinstance(element, Barrier) and element.alignment:
        return f"{element.control} {element.id} {element.alignment}"
    if isinstance(element, Barrier | Cancel):
        return f"{element.control} {element.id}"
    return element.control if isinstance(element, EndOfInput | Timeout | GoOn) else str(element)
