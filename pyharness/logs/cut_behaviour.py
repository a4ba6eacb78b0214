"""What happened while a snapshot was taken, as a behaviour in the variables of the specs: its cut, to be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import IncompleteError
from pyharness.logs.fold import Fold
from pyharness.logs.log_behaviour import MOST_LANES, behaviour
from pyharness.logs.run_log import RunLog

if TYPE_CHECKING:
    from pathlib import Path

    from pyharness.logs.log_events import Event
    from pyharness.logs.rules import Snapshot
    from pyharness.tlc import Trace

_AROUND: Final = 6
_MOST: Final = 400
"""So many events before and after are shown, and so many in all."""


def cut_behaviour(directory: Path, name: str, protocol: str = "") -> tuple[Trace, dict[str, Any]]:
    """Return the events from the first to the last that are about a snapshot, and what a page says of them.

    The log is read up to there, twice. ``protocol`` is by default what the headers name. Raises IncompleteError if the
    log has no event of this snapshot, and what reading and counting raise for a log that is none, or is wrong.
    """
    run = RunLog(directory)
    try:
        fold = Fold(run, protocol or run.protocol)
        first = last = snapshot = None
        for number, event in enumerate(run.merged(turn=1)):
            if event.id == name or (snapshot is not None and _crosses(event, snapshot)):
                first, last = number if first is None else first, number
            elif last is not None and name not in fold.open and number > last + _MOST:
                break
            fold.take(event)
            snapshot = fold.open.get(name, snapshot)
        processes = run.processes[:MOST_LANES]
        protocol = fold.protocol
    finally:
        run.close()
    if first is None or last is None:
        raise IncompleteError(f"there is no event of snapshot {name}", where=str(directory))
    begins, ends = max(0, first - _AROUND), last + 1 + _AROUND
    trace = behaviour(directory, protocol, (begins, min(ends, begins + _MOST)), processes, name, turn=1)
    title = f"Snapshot {name} of {protocol}"
    if ends > begins + _MOST:
        title += f": the first {_MOST:,} of {ends - begins:,} events"
    return trace, {"title": title, "spec": protocol}


def _crosses(event: Event, snapshot: Snapshot) -> bool:
    """Whether it is the receipt, by who has recorded, of a message that was sent before its sender did."""
    channel = event.channel
    return (
        event.kind == "receive"
        and channel is not None
        and channel in snapshot.got
        and channel.got < snapshot.sent.get(channel, 0)
    )
