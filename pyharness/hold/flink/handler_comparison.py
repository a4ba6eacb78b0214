"""Flink's handler and :class:`~pyharness.machines.protocols.Operator`, given the same events and compared after each."""

from __future__ import annotations

from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.hold.flink.event_sequences import event_text, record_name
from pyharness.hold.flink.flink_task import Driven, FlinkTask
from pyharness.hold.flink.operator_variants import HandlerThrowsError
from pyharness.hold.flink.real_handlers import FLINK_MODES
from pyharness.machines.protocols.checkpoints.operator import Barrier, Cancel, EndOfInput, Operator
from pyharness.machines.protocols.checkpoints.operator_drive import (
    GoOn,
    OperatorDriver,
    Overtaking,
    Queued,
    Reaction,
    Timeout,
    drive,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyharness.hold.flink.event_sequences import Event
    from pyharness.hold.flink.flink_classes import FlinkClasses
    from pyharness.machines.protocols.applications.application import Value
    from pyharness.machines.protocols.checkpoints.operator import OperatorState
    from pyharness.machines.protocols.checkpoints.operator_drive import Effect, Logs

    Events = tuple[Event, ...]

NOT_SEEN = {"dropped"}
"""Effects of the operator that no handler of Flink reports: a checkpoint that ends without a word."""


class Deviation(NamedTuple):
    """Two courses of the same events, the last of which is the first at which they differ.

    ``fields`` names what differs there: kinds of effects, their ``order``, ``blocked``, ``in_flight``; or ``failure``,
    when Flink's handler threw. ``given`` are all the events, and ``course`` what Flink did at each.
    """

    mode: str
    inputs: int
    events: tuple[Event, ...]
    spec: tuple[Reaction, ...]
    flink: Driven
    fields: tuple[str, ...]
    given: tuple[Event, ...]
    course: Driven

    @property
    def spec_facts(self) -> str:
        """The spec's effects at the last event."""
        return moment_facts(self.spec[-1])

    @property
    def flink_facts(self) -> str:
        """Flink's effects at the last event."""
        return self.flink.failure or moment_facts(self.flink.moments[-1])


def _comparable(kind: type[Operator]) -> type[Operator]:
    """Return the operator, with no finished input among the blocked ones: Flink has none there, and none matters."""

    class Comparable(kind):  # type: ignore[valid-type,misc]
        def blocked(self, state: OperatorState) -> frozenset[int]:
            blocked: frozenset[int] = super().blocked(state)
            return blocked - state.finished if state.finished else blocked

    return Comparable


class OperatorCourse:
    """An operator's effects at a sequence of events; the next one goes on from where both have the same beginning."""

    def __init__(self, operator: Operator) -> None:
        self._drivers = [OperatorDriver(operator)]
        self._events: list[Event] = []
        self._moments: list[Reaction] = []

    def drive(self, events: Events) -> tuple[Reaction, ...]:
        """Return what the operator does at these events, as ``drive`` does."""
        common = 0
        for before, now in zip(self._events, events, strict=False):
            if before != now:
                break
            common += 1
        del self._drivers[common + 1 :], self._events[common:], self._moments[common:]
        for number, event in enumerate(events[common:], common + 1):
            driver = self._drivers[-1].copy()
            self._moments.append(driver.take(number, event))
            self._drivers.append(driver)
            self._events.append(event)
        return tuple(self._moments)


class Comparer:
    """Compares the handlers of a mode on sequences of events. ``kind`` may be a mutant of the operator.

    ``after_ends`` is whether checkpoints go on after an input's end.
    """

    def __init__(
        self,
        flink: FlinkClasses,
        mode: str,
        kind: type[Operator] = Operator,
        task: Callable[..., FlinkTask] = FlinkTask,
        *,
        after_ends: bool = True,
    ) -> None:
        if mode not in FLINK_MODES:
            raise SpecError(
                f"Flink has no handler for mode {mode!r}", hint=f"there are {', '.join(FLINK_MODES)}"
            )
        self.flink = flink
        self.mode = mode
        self.kind = _comparable(kind)
        self.mutated = kind is not Operator
        self.task = task
        self.after_ends = after_ends
        self._known: dict[tuple[int, Events], Deviation | None] = {}
        self._courses: dict[int, OperatorCourse] = {}

    def compare(self, events: Events, inputs: int) -> Deviation | None:
        """Return where Flink and the operator differ first, or None."""
        if inputs not in self._courses:
            operator = self.kind(inputs, self.mode, after_ends=self.after_ends)
            self._courses[inputs] = OperatorCourse(operator)
        spec = self._courses[inputs].drive(events)
        real = self.task(self.flink, inputs, self.mode, after_ends=self.after_ends).drive(events)
        for index, (own, flink) in enumerate(zip_longest(spec, real.moments)):
            fields = self.differing(own, flink) if flink is not None else ("failure",)
            if fields:
                seen = Driven(real.moments[: index + 1], real.failure if flink is None else "")
                so_far = events[: index + 1]
                return Deviation(self.mode, inputs, so_far, spec[: index + 1], seen, fields, events, real)
        return None

    def differing(self, spec: Reaction, other: Reaction) -> tuple[str, ...]:
        """Return in what two moments differ."""
        return differing(spec, other)

    def is_variant(self, difference: Deviation, variant: type[Operator]) -> bool:
        """Return whether Flink did what a variant of the operator does, after every event that was given.

        A difference that a mutant makes does not count: the operator itself must have it, at the same event.
        """
        if self.mutated:
            own = Comparer(self.flink, self.mode, task=self.task, after_ends=self.after_ends)
            found = own.compare(difference.given, difference.inputs)
            if found is None or found.events != difference.events:
                return False
        given, course = difference.given, difference.course
        driver = partial(drive, mode=self.mode, kind=_comparable(variant), after_ends=self.after_ends)
        try:
            moments = driver(given[: len(course.moments)], difference.inputs)
        except HandlerThrowsError:
            return False
        if any(differing(own, flink) for own, flink in zip(moments, course.moments, strict=True)):
            return False
        if not course.failure:
            return True
        try:
            driver(given[: len(course.moments) + 1], difference.inputs)
        except HandlerThrowsError:
            return True
        return False

    def minimise(self, difference: Deviation) -> Deviation:
        """Return a smallest difference of the same kind that this one contains, with inputs and ids renamed.

        Events are left out one by one, then inputs and ids are made fewer, as long as the last event is of the same
        kind and no field differs there that did not before.
        """
        found = difference
        while True:
            for events, inputs in _smaller(found.events, found.inputs):
                smaller = self._cached(events, inputs)
                if smaller is not None and len(smaller.events) == len(events) and _is_like(smaller, found):
                    found = smaller
                    break
            else:
                return found

    def _cached(self, events: Events, inputs: int) -> Deviation | None:
        key = (inputs, events)
        if key not in self._known:
            self._known[key] = self.compare(events, inputs)
        return self._known[key]


def differing(spec: Reaction, flink: Reaction) -> tuple[str, ...]:
    """Return the kinds of effects in which two moments differ, and else whether it is their order; and other fields."""
    own = [effect for effect in spec.effects if effect.kind not in NOT_SEEN]
    kinds = dict.fromkeys(effect.kind for effect in (*own, *flink.effects))
    fields = [
        k for k in kinds if [e for e in own if e.kind == k] != [e for e in flink.effects if e.kind == k]
    ]
    if not fields and own != list(flink.effects):
        fields = ["order"]
    if spec.blocked != flink.blocked:
        fields.append("blocked")
    if spec.in_flight != flink.in_flight or _records(spec.pending) != _records(flink.pending):
        fields.append("in_flight")
    return tuple(fields)


def _records(logs: Logs) -> Logs:
    """Leave out the logs without records, which a checkpoint has that is not recorded yet."""
    return {number: log for number, log in logs.items() if any(log)}


def _is_like(smaller: Deviation, found: Deviation) -> bool:
    """Return whether a smaller difference may stand for another one."""
    elements = smaller.events[-1][1], found.events[-1][1]
    failures = (each.flink.failure.partition(":")[0] for each in (smaller, found))
    return (
        type(elements[0]) is type(elements[1])
        and set(smaller.fields) <= set(found.fields)
        and len(set(failures)) == 1
    )


def _smaller(events: Events, inputs: int) -> Iterator[tuple[Events, int]]:
    """Yield what is smaller than these events, the smallest steps last."""
    for left_out in range(len(events) - 1):
        yield _renamed(events[:left_out] + events[left_out + 1 :]), inputs
    for index, (source, element) in enumerate(events):
        if isinstance(element, Overtaking | Queued):
            yield _renamed((*events[:index], (source, element.barrier), *events[index + 1 :])), inputs
    used = {source for source, element in events if not isinstance(element, Timeout)}
    if inputs > max(len(used), 1):
        yield _renamed(events), inputs - 1
    for source in sorted(used - {events[-1][0]}):
        yield (
            _renamed(tuple(event for event in events if event[0] != source or isinstance(event[1], Timeout))),
            inputs - 1,
        )
    for fewer in (_renamed(events), _ids_from_1(events)):
        if fewer != events:
            yield fewer, inputs


def _renamed(events: Events) -> Events:
    """Rename inputs in the order of their appearance, and records by their place."""
    names: dict[int, int] = {}
    for source, element in events:
        if not isinstance(element, Timeout):
            names.setdefault(source, len(names))
    return tuple(
        (0, element)
        if isinstance(element, Timeout)
        else (names[source], _with_record(element, record_name(place)))
        for place, (source, element) in enumerate(events)
    )


def _with_record(element: Value, name: str) -> Value:
    """Return an element with its records renamed, if it is one or has some."""
    if isinstance(element, Overtaking | Queued):
        return element._replace(records=tuple(f"{name}{i or ''}" for i in range(len(element.records))))
    return element if isinstance(element, Barrier | Cancel | EndOfInput | GoOn) else name


def _ids_from_1(events: Events) -> Events:
    """Make the ids 1, 2, ... in their order."""
    ids = sorted({number for _, element in events if (number := _id(element))})
    rank = {number: place for place, number in enumerate(ids, 1)}
    return tuple((source, _with_id(element, rank)) for source, element in events)


def _id(element: Value) -> int:
    if isinstance(element, Overtaking | Queued):
        return element.barrier.id
    return element.id if isinstance(element, Barrier | Cancel) else 0


def _with_id(element: Value, rank: dict[int, int]) -> Value:
    if isinstance(element, Overtaking | Queued):
        return element._replace(barrier=element.barrier._replace(id=rank[element.barrier.id]))
    return element._replace(id=rank[element.id]) if isinstance(element, Barrier | Cancel) else element


def check_events(events: Events, inputs: int, mode: str = "timeout") -> None:
    """Raise SpecError for an event of an input that is not there or has ended, or with an id below 1.

    Raises PeerError for a barrier that is aligned as the mode has none.
    """
    drive(events, inputs, mode if mode in FLINK_MODES else "timeout")


# -- to look at ------------------------------------------------------------------------------------------------


def moment_facts(moment: Reaction) -> str:
    """Return a handler's effects at an event, in its order, and the inputs blocked after it; all in one line."""
    facts = [
        _fact(effect, moment)
        for effect in moment.effects
        if effect.kind not in {*NOT_SEEN, "finished", "ended"}
    ]
    if moment.blocked:
        facts.append(" ".join(["blocked", *map(str, sorted(moment.blocked))]))
    return ", ".join(facts) or "nothing"


def _fact(effect: Effect, moment: Reaction) -> str:
    if effect.kind == "processed":
        return f"processed {effect.input}:{effect.record}"
    logs = moment.in_flight.get(effect.id, ()) if effect.kind == "completed" and effect.id is not None else ()
    log = " ".join(f"{source}:{record}" for source, each in enumerate(logs) for record in each)
    alignment = f" {effect.alignment}" if effect.alignment else ""
    return f"{effect.kind} {effect.id}{alignment}" + (f" with {log}" if log else "")


def side_by_side(difference: Deviation, name: str = "Flink") -> str:
    """Return both courses as one table, with a mark at the event at which they differ; ``name`` is the other side's."""
    flink = [moment_facts(moment) for moment in difference.flink.moments]
    if difference.flink.failure:
        flink.append(difference.flink.failure)
    rows = [("", "#", "event", "the spec", name)]
    for number, (event, moment, facts) in enumerate(
        zip(difference.events, difference.spec, flink, strict=True), 1
    ):
        mark = ">" if number == len(difference.events) else " "
        rows.append((mark, str(number), event_text(event), moment_facts(moment), facts))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
