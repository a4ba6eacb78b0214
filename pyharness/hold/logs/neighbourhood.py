"""The events before a line that was refused, as a behaviour in the variables of the specs: to be looked at."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from pyharness.hold.logs.fold import Fold
from pyharness.hold.logs.log_behaviour import MOST_LANES, behaviour
from pyharness.hold.logs.log_events import RefusedError
from pyharness.hold.logs.run_log import TURN, RunLog

if TYPE_CHECKING:
    from pyharness.hold.logs.log_events import LogEvent
    from pyharness.hold.logs.validation import Validation
    from pyharness.tla.tlc import Trace

_STEPS: Final = 30
"""The number of events before the refused one that are shown."""


def neighbourhood(came: Validation) -> tuple[Trace, dict[str, Any]] | None:
    """Return the events before the refused one as a trace, with a page's facts of it; None if there is none.

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
    processes = list(dict.fromkeys(ends))[:MOST_LANES]
    trace = behaviour(came.directory, came.protocol, (index - len(last), index), processes, name, turn)
    title = f"{refused.where}: {refused.message}"
    instead = f"accepted there: {'; '.join(came.accepted)}" if came.accepted else "nothing is accepted there"
    meta = {"title": title, "spec": came.protocol, "refused": f"{title}\n{refused.hint}\n{instead}"}
    return trace, meta


def _last_events(came: Validation, turn: int) -> tuple[int, list[LogEvent]] | None:
    """Return how many events there are before the refused one in this order, and the last of them.

    None if another one is refused first, or if the log has no channels.
    """
    last: deque[LogEvent] = deque(maxlen=_STEPS)
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
