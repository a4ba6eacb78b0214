"""What happened before a line that was refused, as a behaviour in the variables of the specs: to be looked at."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pyharness.logs.conserved_sum import UNKNOWN, shown
from pyharness.logs.fold import Fold
from pyharness.logs.run_log import RunLog
from pyharness.tla import Fn, Value, function
from pyharness.tlc import Step, Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.logs.log_events import Channel, Event
    from pyharness.logs.rules import Snapshot
    from pyharness.logs.validation import Validation

__all__ = ["neighbourhood"]

_STEPS: Final = 24
_PROCESSES: Final = 8
"""So many events before the refused one are shown, and so many processes."""

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


def neighbourhood(came: Validation) -> tuple[Trace, dict[str, Any]] | None:
    """Return the events before the one that was refused as a trace, with what a page says of it; None if there is none.

    Messages are coloured by the snapshot that the refusal is about. The log is read again, as far as to there.
    """
    refused = came.refused
    if refused is None or came.index < 1:
        return None
    run = RunLog(came.directory)
    try:
        if run.clocked:
            return None
        last = _last_events(run, came.index)
        name = refused.snapshot or next((event.id for event in reversed(last) if event.id is not None), None)
        processes = list(dict.fromkeys(event.process for event in reversed(last)))[:_PROCESSES]
        trace = _trace(run, came, last, name, processes)
    finally:
        run.close()
    title = f"{refused.where}: {refused.message}"
    instead = f"accepted there: {'; '.join(came.accepted)}" if came.accepted else "nothing is accepted there"
    meta = {"title": title, "spec": came.protocol, "refused": f"{title}\n{refused.hint}\n{instead}"}
    return trace, meta


def _last_events(run: RunLog, index: int) -> list[Event]:
    return list(deque(islice(run.merged(), index), maxlen=_STEPS + 1))


def _trace(
    run: RunLog, came: Validation, last: Sequence[Event], name: str | None, processes: Sequence[str]
) -> Trace:
    """Take the events again, up to the refused one, and note the state after each of the last."""
    again = RunLog(came.directory)
    try:
        fold, steps = Fold(again, came.protocol), []
        begins, previous = came.index - len(last), last[0]
        seen: dict[str, Snapshot] = {}
        for number, event in enumerate(again.merged()):
            if number == begins:
                steps.append(Step(None, _state(fold, seen.get(name or ""), processes)))
            elif number > begins and previous.process in processes:
                steps.append(_step(previous, fold, seen.get(name or ""), processes))
            if number == came.index - 1:
                break
            fold.take(event)
            seen |= fold.open
            previous = event
    finally:
        again.close()
    return Trace(tuple(steps))


def _step(event: Event, fold: Fold, snapshot: Snapshot | None, processes: Sequence[str]) -> Step:
    place = event.channel.name if event.channel is not None else event.process
    action = _ACTIONS.get(event.kind, event.kind.capitalize())
    arguments = f"{place}, {event.id}" if event.id is not None else place
    return Step(action, _state(fold, snapshot, processes), arguments=arguments)


def _state(fold: Fold, snapshot: Snapshot | None, processes: Sequence[str]) -> Fn:
    channels = [c for c in fold.run.channels.values() if {c.source, c.target} <= set(processes)]
    states = snapshot.states if snapshot is not None else {}
    variables: list[tuple[Value, Value]] = [
        ("state", function((p, _value(fold.state[p])) for p in processes)),
        ("chan", function(((c.source, c.target), _queue(c, snapshot)) for c in channels)),
        ("recState", function((p, _value(states[p])) for p in processes if p in states)),
        ("recChan", function(((c.source, c.target), _recorded(c, snapshot)) for c in channels)),
    ]
    return Fn(variables)


def _queue(channel: Channel, snapshot: Snapshot | None) -> tuple[Value, ...]:
    """Return what is in a channel: messages with their colours, and markers of the snapshot."""
    white = snapshot.sent.get(channel) if snapshot is not None else None
    at = dict(channel.markers).get(snapshot.id) if snapshot is not None else None
    elements: list[Value] = []
    for number in range(channel.got + 1, channel.sent + 1):
        if at is not None and number == at + 1:
            elements.append(Fn([("control", "marker")]))
        colour = "red" if white is not None and number > white else "white"
        elements.append(Fn([("msg", _message(channel, number)), ("colour", colour)]))
    if at is not None and at >= channel.sent:
        elements.append(Fn([("control", "marker")]))
    return tuple(elements)


def _recorded(channel: Channel, snapshot: Snapshot | None) -> tuple[Value, ...]:
    if snapshot is None or channel not in snapshot.got:
        return ()
    last = min(channel.got, snapshot.sent.get(channel, channel.got))
    return tuple(_message(channel, number) for number in range(snapshot.got[channel] + 1, last + 1))


def _message(channel: Channel, number: int) -> Value:
    carried = channel.carried(number)
    return f"#{number}" if carried is None else f"#{number}: {shown(carried)[:20]}"


def _value(value: Any) -> Value:
    return "?" if value is UNKNOWN else shown(value)[:30]
