"""What happened before a line that was refused, as a behaviour in the variables of the specs: to be looked at."""

from __future__ import annotations

from collections import deque
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from pyharness.logs.conserved_sum import UNKNOWN, shown
from pyharness.logs.fold import Fold
from pyharness.logs.log_events import RefusedError
from pyharness.logs.run_log import TURN, RunLog
from pyharness.tla import Fn, Value, function
from pyharness.tlc import Step, Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.logs.log_events import Channel, Event
    from pyharness.logs.rules import Snapshot
    from pyharness.logs.validation import Validation

__all__ = ["neighbourhood"]

_STEPS: Final = 30
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

    Messages are coloured by the snapshot that the refusal is about. The log is read again, as far as to there, in turns
    of one event, so that what happened at about the same time is near.
    """
    refused = came.refused
    if refused is None:
        return None
    for turn in (1, TURN):
        found = _last_events(came, turn)
        if found is not None:
            break
    else:
        return None
    index, last = found
    name = refused.snapshot or next((event.id for event in reversed(last) if event.id is not None), None)
    ends = [
        end
        for event in reversed(last)
        for end in (event.process, *((event.channel.source, event.channel.target) if event.channel else ()))
    ]
    trace = _trace(came, index, last, name, list(dict.fromkeys(ends))[:_PROCESSES], turn)
    title = f"{refused.where}: {refused.message}"
    instead = f"accepted there: {'; '.join(came.accepted)}" if came.accepted else "nothing is accepted there"
    meta = {"title": title, "spec": came.protocol, "refused": f"{title}\n{refused.hint}\n{instead}"}
    return trace, meta


def _last_events(came: Validation, turn: int) -> tuple[int, list[Event]] | None:
    """Return how many events there are before the refused one in this order, and the last of them.

    None if another one is refused first, or if the log has no channels.
    """
    last: deque[Event] = deque(maxlen=_STEPS)
    count = 0
    run = RunLog(came.directory)
    try:
        if run.clocked:
            return None
        fold = Fold(run, came.protocol)
        for event in run.merged(turn=turn):
            fold.take(event)
            last.append(event)
            count += 1
    except RefusedError as error:
        return (count, list(last)) if came.refused is not None and error.where == came.refused.where else None
    finally:
        run.close()
    return count, list(last)


def _trace(
    came: Validation, index: int, last: Sequence[Event], name: str | None, processes: Sequence[str], turn: int
) -> Trace:
    """Take the events again, up to the refused one, and note the state after each of the last."""
    steps: list[Step] = []
    begins = index - len(last)
    seen: dict[str, Snapshot] = {}
    run = RunLog(came.directory)
    try:
        fold = Fold(run, came.protocol)
        previous = None
        for number, event in enumerate(chain(islice(run.merged(turn=turn), index), (None,))):
            if number == begins or previous is None:
                steps = [Step(None, _state(fold, seen.get(name or ""), processes))]
            elif number > begins and previous.process in processes:
                steps.append(_step(previous, fold, seen.get(name or ""), processes))
            if event is not None:
                fold.take(event)
                seen |= fold.open
                previous = event
    finally:
        run.close()
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
