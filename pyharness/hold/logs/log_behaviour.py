"""Part of a run as a behaviour in the variables of the specs: to be looked at."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from pyharness.hold.logs.fold import Fold
from pyharness.hold.logs.log_events import UNKNOWN, RefusedError, shown
from pyharness.hold.logs.run_log import RunLog
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn, Value, function

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pyharness.hold.logs.log_events import Channel, LogEvent
    from pyharness.hold.logs.rules import LogSnapshot


MOST_LANES: Final = 8
"""The number of processes that are shown."""

_ACTIONS: Final = {
    "send": "Send",
    "receive": "Accept",
    "internal": "Internal",
    "record": "Record",
    "marker": "AcceptMarker",
    "marker-out": "SendMarker",
    "pause": "Pause",
    "resume": "Resume",
}


def behaviour(
    directory: Path,
    protocol: str,
    span: tuple[int, int],
    processes: Sequence[str],
    name: str | None,
    turn: int,
) -> Trace:
    """Return the events of a log from one number to another, the last left out, as steps of these processes.

    Messages are coloured by the snapshot of that name, and events of another one are left out. The log is read from
    its beginning, in turns of ``turn`` events. Raises as reading the log and ``Fold.take`` do.
    """
    steps: list[TraceStep] = []
    run = RunLog(directory)
    try:
        fold = Fold(run, protocol)
        channels = channels_among(fold, processes)
        for event, snapshot in _moments(fold, span, name, turn):
            if event is not None and (event.process not in processes or event.id not in (None, name)):
                continue
            states = snapshot.states if snapshot is not None else {}
            variables: list[tuple[Value, Value]] = [
                ("state", function((p, state_text(fold.state[p])) for p in processes)),
                ("chan", function(((c.source, c.target), queue(c, snapshot)) for c in channels)),
                ("recState", function((p, state_text(states[p])) for p in processes if p in states)),
                ("recChan", function(((c.source, c.target), recorded(c, snapshot)) for c in channels)),
            ]
            steps.append(step(event, Fn(variables)))
    finally:
        run.close()
    return Trace(tuple(steps))


def _moments(
    fold: Fold, span: tuple[int, int], name: str | None, turn: int
) -> Iterator[tuple[LogEvent | None, LogSnapshot | None]]:
    """Yield the moments of a span, all but the first with their event, and the known facts of a snapshot."""
    begins, ends = span
    snapshot: LogSnapshot | None = None
    previous: LogEvent | None = None
    number = 0
    with suppress(RefusedError):  # of an event that nobody can take after the last one
        for event in fold.run.merged(turn=turn):
            if number >= begins:
                fold.forgets = False
                yield previous if number > begins else None, snapshot
            if number == ends:
                return
            fold.take(event)
            snapshot = fold.open.get(name or "", snapshot)
            previous = event
            number += 1
    yield previous if number > begins else None, snapshot


def step(event: LogEvent | None, state: Fn) -> TraceStep:
    """Return the step that leads to a state, by an event, or by none at the beginning."""
    if event is None:
        return TraceStep(None, state)
    place = event.channel.name if event.channel is not None else event.process
    action = _ACTIONS.get(event.kind, event.kind.capitalize())
    return TraceStep(action, state, arguments=f"{place}, {event.id}" if event.id is not None else place)


def channels_among(fold: Fold, processes: Sequence[str]) -> list[Channel]:
    """Return the channels between processes."""
    return [c for c in fold.run.channels.values() if {c.source, c.target} <= set(processes)]


def queue(channel: Channel, snapshot: LogSnapshot | None) -> tuple[Value, ...]:
    """Return what is in a channel: messages with their colours, and markers of the snapshot."""
    white = snapshot.sent.get(channel) if snapshot is not None else None
    at = dict(channel.markers).get(snapshot.id) if snapshot is not None else None
    elements: list[Value] = []
    for number in range(channel.got + 1, channel.sent + 1):
        if at is not None and number == at + 1:
            elements.append(Fn([("control", "marker")]))
        colour = "red" if white is not None and number > white else "white"
        elements.append(Fn([("msg", message_text(channel, number)), ("colour", colour)]))
    if at is not None and at >= channel.sent:
        elements.append(Fn([("control", "marker")]))
    return tuple(elements)


def recorded(channel: Channel, snapshot: LogSnapshot | None) -> tuple[Value, ...]:
    """Return what has been recorded of a channel for a snapshot so far."""
    if snapshot is None or channel not in snapshot.got:
        return ()
    last = min(channel.got, snapshot.sent.get(channel, channel.got))
    return tuple(message_text(channel, number) for number in range(snapshot.got[channel] + 1, last + 1))


def message_text(channel: Channel, number: int) -> str:
    """Name a message by its number on its channel, with what it carries if that is known."""
    carried = channel.carried(number)
    return f"#{number}" if carried is UNKNOWN else f"#{number}: {shown(carried)[:20]}"


def state_text(value: Any) -> str:
    """Return a process's state in a few characters."""
    return "?" if value is UNKNOWN else shown(value)[:30]
