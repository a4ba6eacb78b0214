"""Your own operator code against the spec's: all short lists of events, and many long random ones.

It needs no Flink and no TLC: the spec's part is played by :class:`~pyharness.machines.protocols.Operator`, whose steps conform
to ``specs/BarrierHandler.tla``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from pyharness.base.errors import SpecError
from pyharness.hold.flink.event_sequences import Grammar, sequence_text
from pyharness.hold.flink.flink_task import Driven
from pyharness.hold.flink.handler_comparison import Comparer, Deviation, differing, side_by_side
from pyharness.hold.flink.real_handlers import FLINK_MODES
from pyharness.machines.protocols.checkpoints.operator_drive import Effect, Reaction, Timeout, reaction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyharness.hold.flink.event_sequences import Event
    from pyharness.machines.protocols.checkpoints.operator_drive import Logs

_KINDS = ("processed", "aborted", "triggered", "completed")
_SHORT = 3
_NOT_REPEATED = (
    "A second time the same events gave something else: a handler must depend on nothing but its events,\n"
    "no clock, no chance, and nothing that another handler of the class has changed."
)


class Handler(Protocol):
    """The interface of an operator's code for :func:`compare`."""

    def take(self, source: int, element: Any) -> Iterable[tuple[Any, ...]]:
        """Take an element of an input, and return the effects, in order.

        That is ``("processed", input, record)``, ``("aborted", id)``, ``("triggered", id)`` for a state recorded and a
        barrier sent, and ``("completed", id)`` when its part of the checkpoint is complete, or ``("completed", id, logs)``
        with a list of the records in flight for each input. An element that waits, because its input is blocked, is kept by the
        handler, and shows when it is processed.
        """


@dataclass(frozen=True)
class Comparison:
    """The result: how many ``sequences`` and ``events`` were compared, and the first ``difference``, made small.

    It is true without a difference, and prints the two courses side by side otherwise. It is not ``repeated`` where a
    new handler does something else with the same events.
    """

    mode: str
    sequences: int
    events: int
    difference: Deviation | None = None
    repeated: bool = True

    def __bool__(self) -> bool:
        return self.difference is None

    def __str__(self) -> str:
        head = f"{self.mode}: {self.sequences:,} sequence{'s'[: self.sequences != 1]}, {self.events:,} events"
        if self.difference is None:
            return f"{head}: the same"
        found = self.difference
        courses = f"{head}; different: {sequence_text(found.events)}\n{side_by_side(found, 'yours')}"
        return courses if self.repeated else f"{courses}\n{_NOT_REPEATED}"

    __repr__ = __str__


def compare(
    handler: Callable[[int], Handler],
    mode: str = "aligned",
    inputs: int = 2,
    runs: int = 10_000,
    *,
    ids: int = 2,
    length: int = 10,
    seed: int = 1,
) -> Comparison:
    """Give your operator's code and the spec's the same events, and compare after each what they did.

    ``handler`` makes one for a number of ``inputs``; see :class:`Handler`. It gets every sequence of three events, and
    ``runs`` random ones of ``length`` from a ``seed``, of records (texts), ``Barrier`` and ``Cancel`` of checkpoints 1
    to ``ids``, and ``END``; in the modes unaligned and timeout also ``Overtaking``, and in mode timeout ``TIMEOUT``.
    ``mode`` is aligned, unaligned, timeout or at-least-once. The comparison ends at the first difference, and makes it
    as small as it goes. An exception of the handler is one.

    Raises SpecError for a mode that does not exist, and where ``take`` returns anything else than the above.
    """
    _require_mode(mode)
    if (
        any(type(number) is not int for number in (inputs, ids, length, runs))
        or min(inputs, ids, length) < 1
        or runs < 0
    ):
        raise SpecError("there is nothing to compare", hint="inputs, ids and length are numbers from 1")
    _made(handler, inputs)
    comparer = _HandlerComparer(handler, mode)
    sequences = events = 0
    for given in _sequences(Grammar(mode, inputs, ids), runs, length, seed):
        found = comparer.compare(given, inputs)
        sequences, events = sequences + 1, events + len(given)
        if found is not None:
            smallest = comparer.minimise(found)
            again = comparer.compare(smallest.events, smallest.inputs)
            repeated = again is not None and _seen(again) == _seen(smallest)
            return Comparison(mode, sequences, events, smallest, repeated=repeated)
    return Comparison(mode, sequences, events)


def compare_once(
    handler: Callable[[int], Handler], mode: str, inputs: int, events: tuple[Event, ...]
) -> Comparison:
    """Compare the handler with the spec on these events. Raises SpecError as :func:`compare`, and for impossible events."""
    _require_mode(mode)
    found = _HandlerComparer(handler, mode).compare(events, inputs)
    return Comparison(mode, 1, len(events), found)


def _require_mode(mode: str) -> None:
    if mode not in FLINK_MODES:
        raise SpecError.unknown("mode", mode, FLINK_MODES, where="mode")


def _seen(difference: Deviation) -> tuple[Any, ...]:
    """Return the effects on both sides up to a difference, without the events after it."""
    return difference.events, difference.flink.moments[: len(difference.events)], difference.fields


def _made(handler: Callable[[int], Handler], inputs: int) -> Handler:
    """Make a handler for a number of inputs; raises SpecError if that fails, or the result has no method ``take``."""
    hint = "give a class, or a function, that makes an operator of a number of inputs; its `take` is called"
    try:
        made = handler(inputs)
    except (Exception, SystemExit) as error:
        cause = f"{type(error).__name__}: {error}"
        raise SpecError(
            f"no handler for {inputs} inputs can be made: {cause}", where="handler", hint=hint
        ) from error
    if not callable(getattr(made, "take", None)):
        raise SpecError(f"{type(made).__name__} has no method take", where="handler", hint=hint)
    return made


def _sequences(grammar: Grammar, runs: int, length: int, seed: int) -> Iterator[tuple[Event, ...]]:
    yield from grammar.every(min(_SHORT, length))
    random = Random(seed)  # noqa: S311 - to be repeated, not to be secret
    for _ in range(runs):
        yield grammar.random(random, length)


class _HandlerComparer(Comparer):
    """Compares a user's handler with the spec's, as far as it reports its effects."""

    def __init__(self, handler: Callable[[int], Handler], mode: str) -> None:
        def task(_: Any, inputs: int, __: str, **___: Any) -> Any:
            return _Driver(_made(handler, inputs))

        super().__init__(None, mode, task=task)  # type: ignore[arg-type]

    def differing(self, spec: Reaction, other: Reaction) -> tuple[str, ...]:
        """Compare the effects, and the reported logs; an input without a report has an empty log."""
        logs = {number: spec.in_flight.get(number, ()) for number in other.in_flight}
        reported = {
            number: (*log, *repeat((), len(logs[number]) - len(log)))
            for number, log in other.in_flight.items()
        }
        effects = tuple(effect._replace(alignment=None) for effect in spec.effects if effect.kind in _KINDS)
        seen = spec._replace(effects=effects, in_flight=logs, blocked=other.blocked, pending={})
        return differing(seen, other._replace(in_flight=reported))


class _Driver:
    """Drives a handler, and writes down the effects that it reports."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def drive(self, events: Sequence[Event]) -> Driven:
        """Take events until the handler throws."""
        moments: list[Reaction] = []
        for source, element in events:
            try:
                done = list(self.handler.take(source, element))
            except (Exception, SystemExit) as error:  # noqa: BLE001 - any exception is a difference
                return Driven(tuple(moments), f"{type(error).__name__}: {error}")
            moments.append(_moment((None if isinstance(element, Timeout) else source, element), done))
        return Driven(tuple(moments))


def _moment(event: tuple[int | None, Any], done: Sequence[Any]) -> Reaction:
    effects = tuple(map(_effect, done))
    logs: Logs = {
        int.__int__(fact[1]): _logs(fact)
        for effect, fact in zip(effects, done, strict=True)
        if effect.kind == "completed" and len(fact) == 3
    }

    return reaction(event, effects, in_flight=logs)


def _logs(fact: Any) -> tuple[tuple[str, ...], ...]:
    """Return the records in flight of a fact, a list for each input. Raises SpecError for anything else.

    A text is not a list, although it has letters.
    """
    try:
        logs = list(fact[2])
        if not any(isinstance(log, str) for log in logs):
            return tuple(tuple(map(_record, log)) for log in logs)
    except TypeError:
        pass
    raise _no_effect(fact)


def _record(record: Any) -> str:
    """Return a record as a text that is equal to its content, not to what its own class finds equal."""
    return str.__str__(record) if isinstance(record, str) else f"{record!r}, no text"


def _effect(fact: Any) -> Effect:
    match [str.__str__(fact[0]), *fact[1:]] if _has_kind(fact) else []:
        case ["processed", int(source), record]:
            return Effect("processed", input=int.__int__(source), record=_record(record))
        case [("aborted" | "triggered" | "completed") as kind, int(number)]:
            return Effect(kind, id=int.__int__(number))
        case ["completed", int(number), _]:
            return Effect("completed", id=int.__int__(number))
    raise _no_effect(fact)


def _has_kind(fact: Any) -> bool:
    return isinstance(fact, Sequence) and len(fact) > 0 and isinstance(fact[0], str)


def _no_effect(fact: Any) -> SpecError:
    hint = 'such as ("processed", 0, record), ("triggered", 1), ("completed", 1), ("aborted", 1)'
    hint += ', or with the records in flight of each of two inputs ("completed", 1, [["a"], []])'
    return SpecError(f"take returned {fact!r}, which is not an effect of an operator", hint=hint)
