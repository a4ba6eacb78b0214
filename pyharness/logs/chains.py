"""A snapshot of a log as a chain of steps of its spec, which TLC walks with the spec's own Init and Next.

The application of the walk is a counter: a process's state is the number of its events in the chain, and a message is
its sender's state after it. A chain begins as the first process records, with a sending of each message in a channel,
and ends as the last is done, or with the log. No rule is checked here: what a process did is what is written down.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyharness.logs.log_events import parts_of

if TYPE_CHECKING:
    from pyharness.logs.log_events import Channel, Event
    from pyharness.logs.run_log import RunLog

__all__ = ["MOST_EVENTS", "Chain", "Chains"]

MOST_EVENTS: Final = 30_000
"""Of a longer chain it is not asked: what is recorded within it is copied in each state."""

SEND, RECEIVE, INTERNAL, RECORD, MARKER, RECORDED, MARKER_OUT, DONE, END = range(9)

_ROOM: Final = 32_768


@dataclass
class Chain:
    """The chain of one snapshot: ``codes`` of its steps, with the ``places`` they come from.

    A code is ``kind + 16 * (process or channel, from 1) + 65536 * number``. ``parts`` has what each event ``done``
    says: for each input the messages recorded of it. ``places`` are ``process * 2**40 + line``, 0 for what was in a
    channel.
    """

    id: str
    codes: array[int] = field(default_factory=lambda: array("l"))
    places: array[int] = field(default_factory=lambda: array("q"))
    parts: list[dict[int, list[int]]] = field(default_factory=list)
    own: dict[str, int] = field(default_factory=dict)
    names: dict[Channel, dict[int, int]] = field(default_factory=dict)
    begun: dict[Channel, int] = field(default_factory=dict)
    recorded: dict[str, int] = field(default_factory=dict)
    perhaps: list[str] = field(default_factory=list)
    early: list[Event] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    over: bool = False

    def add(self, kind: int, subject: int, number: int, place: int) -> None:
        """Add a step; a chain that is too long takes none, and says so."""
        if len(self.codes) > MOST_EVENTS:
            self.over = True
            return
        self.codes.append(kind + 16 * subject + 65536 * min(number, _ROOM - 1))
        self.places.append(place)


class Chains:
    """Collects the chains of a run; give it each event as :class:`Fold` gets it. ``ended`` are those that are whole.

    With ``late``, of a protocol without markers, who is done is asked once all have recorded: nothing in its own log
    tells it before.
    """

    def __init__(self, run: RunLog, *, late: bool) -> None:
        self._run, self._late = run, late
        self._open: dict[str, Chain] = {}
        self._closed: set[str] = set()
        self.ended: list[Chain] = []
        self.processes = {p: n for n, p in enumerate(run.processes, start=1)}
        self.channels = {c: n for n, c in enumerate(run.channels.values(), start=1)}
        self._last: dict[str, Event] = {}

    def take(self, event: Event) -> None:
        """Add an event to the chains that are open."""
        process = event.process
        place = (self.processes[process] << 40) + event.line
        if (
            event.kind == "record"
            and event.id is not None
            and event.id not in self._open
            and event.id not in self._closed
        ):
            self._open[event.id] = self._begin(event.id)
        if event.kind in {"send", "receive", "internal"}:
            for chain in self._open.values():
                self._step(chain, event, place)
        elif event.id is not None and event.id in self._open:
            chain = self._open[event.id]
            self._control(chain, event, place)
            if len(chain.done) == len(self.processes):
                self._close(chain)
        self._last[process] = event

    def finish(self) -> list[Chain]:
        """Close the chains that are open, and return all."""
        for chain in list(self._open.values()):
            self._close(chain)
        return self.ended

    def _begin(self, name: str) -> Chain:
        chain = Chain(name, own=dict.fromkeys(self.processes, 0))
        for channel, number in self.channels.items():
            names = chain.names[channel] = {}
            for message in range(channel.got + 1, channel.sent + 1):
                chain.own[channel.source] += 1
                names[message] = chain.own[channel.source]
                chain.add(SEND, number, 0, 0)
        return chain

    def _step(self, chain: Chain, event: Event, place: int) -> None:
        channel, process = event.channel, event.process
        chain.own[process] += 1
        if channel is None:
            chain.add(INTERNAL, self.processes[process], 0, place)
            return
        names = chain.names.setdefault(channel, {})
        number = event.number or 0
        if event.kind == "send":
            names[number] = chain.own[process]
            chain.add(SEND, self.channels[channel], 0, place)
        else:
            chain.add(RECEIVE, self.channels[channel], names.get(number, 0), place)

    def _control(self, chain: Chain, event: Event, place: int) -> None:
        process, kind, channel = event.process, event.kind, event.channel
        if kind == "record":
            last = self._last.get(process)
            if last is None or last.kind != "marker" or last.id != chain.id:
                chain.add(RECORD, self.processes[process], 0, place)
            chain.recorded[process] = chain.own[process]
            chain.begun |= {c: c.got for c in self.channels if c.target == process}
            chain.add(RECORDED, self.processes[process], chain.own[process], place)
            if len(chain.recorded) == len(self.processes):
                early, chain.early = chain.early, []
                for done in early:
                    self._done(chain, done)
        elif kind == "marker" and channel is not None:
            chain.add(MARKER, self.channels[channel], 0, place)
        elif kind == "marker-out" and channel is not None:
            chain.add(MARKER_OUT, self.channels[channel], 0, place)
        elif kind == "done" and self._late and len(chain.recorded) < len(self.processes):
            chain.early.append(event)
        elif kind == "done":
            self._done(chain, event)

    def _done(self, chain: Chain, event: Event) -> None:
        number = self.processes[event.process]
        chain.parts.append(self._part(chain, event))
        chain.add(DONE, number, len(chain.parts), (number << 40) + event.line)
        chain.done.add(event.process)

    def _part(self, chain: Chain, event: Event) -> dict[int, list[int]]:
        """Return what an event ``done`` says, with messages as the chain numbers them; 0 is none of them."""
        if event.said.get("chans") is None:
            return {}
        lists = dict(parts_of(event, self._run.at(event)))
        part = {}
        for channel, number in self.channels.items():
            if channel.target == event.process:
                first = chain.begun.get(channel, channel.got) + 1
                messages = lists.get((channel.source, channel.target), [])
                part[number] = [
                    chain.names.get(channel, {}).get(first + at, 0)
                    if self._carries(channel, first + at, message)
                    else 0
                    for at, message in enumerate(messages)
                ]
        return part

    @staticmethod
    def _carries(channel: Channel, number: int, message: Any) -> bool:
        kept = channel.carried(number)
        return kept is None or bool(kept == message)

    def _close(self, chain: Chain) -> None:
        lasts = self._last.items()
        chain.perhaps = [p for p, last in lasts if last.kind == "marker" and last.id == chain.id]
        chain.add(END, 0, 0, chain.places[-1] if chain.places else 0)
        chain.own.clear()
        chain.names.clear()
        del self._open[chain.id]
        self._closed.add(chain.id)
        self.ended.append(chain)
