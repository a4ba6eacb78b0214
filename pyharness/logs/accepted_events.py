"""What a process could have written where its log was refused: tried, event by event, on copies of the fold."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Final

from pyharness.errors import HarnessError
from pyharness.logs.log_events import Event, numbered, possible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.logs.fold import Fold
    from pyharness.logs.log_events import Channel

_MOST: Final = 24
"""So many events are tried; each takes a copy of what is known."""


def accepted_instead(fold: Fold, refused: Event) -> list[str]:
    """Return in words what the fold would have taken of a process in place of an event that it has refused."""
    found = []
    shared = {id(thing): thing for thing in (fold.run, fold.settled, *fold.run.channels.values())}
    for number, (event, words) in enumerate(_tried(fold, refused)):
        if number == _MOST:
            break
        trial = copy.deepcopy(fold, dict(shared))
        trial.forgets = False
        try:
            trial.take(event)
        except HarnessError:
            continue
        found.append(words)
    return found


def _tried(fold: Fold, refused: Event) -> Iterator[tuple[Event, str]]:
    process = refused.process

    def event(kind: str, channel: Channel | None = None, name: str | None = None) -> Event:
        made = refused._replace(kind=kind, channel=channel, number=None, id=name, said={})
        return numbered(made, channel) if channel is not None else made

    names = [*fold.open, *fold.settled]
    kinds = ["record", "done", *(["pause", "resume"] if fold.rules.stops else [])]
    for name in names:
        for kind in kinds:
            yield event(kind, None, name), f"{kind} of {name}"
    for channel in fold.inputs[process]:
        receipt = event("receive", channel)
        if possible(receipt, channel):
            yield receipt, f"receive of message {receipt.number} on {channel.name}"
        for name, _ in channel.markers if fold.rules.markers else ():
            yield event("marker", channel, name), f"marker of {name} on {channel.name}"
    for channel in fold.outputs[process]:
        for name in sorted(fold.owed.get(channel, ())):
            yield event("marker-out", channel, name), f"marker-out of {name} on {channel.name}"
        yield event("send", channel), f"send of message {channel.sent + 1} on {channel.name}"
    yield event("internal"), "internal"
