"""A run that is under way, as far as its logs tell: its last events, its snapshots, what is in its channels.

It reads the logs that the processes write, and nothing else, so looking at a run changes nothing in it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.errors import HarnessError, IncompleteError, SpecError
from pyharness.hold.logs.fold import Fold
from pyharness.hold.logs.log_behaviour import (
    MOST_LANES,
    channels_among,
    cut_behaviour,
    message_text,
    recorded,
    state_text,
    step,
)
from pyharness.hold.logs.run_log import RunLog
from pyharness.tla.tlc import Trace
from pyharness.tla.values import Fn, Value, function

if TYPE_CHECKING:
    from pathlib import Path

    from pyharness.hold.logs.log_events import Channel, Event
    from pyharness.hold.logs.rules import Snapshot
    from pyharness.tla.tlc import Step

_STEPS: Final = 24
"""So many events are drawn."""

_AT_ONCE: Final = 20_000
"""So many events are read before the page is shown again."""

_CLOSE: Final = 16 * 1024
"""States are noted for the picture only where fewer bytes than this are still to be read."""


class Channels(NamedTuple):
    """What a channel has at the moment: its name, its messages in words, and the snapshots whose markers are in it."""

    name: str
    messages: list[str]
    markers: list[str]


class Taken(NamedTuple):
    """A snapshot: its id, who has recorded, and how many messages are in its channels; if None, it is not complete."""

    id: str
    recorded: list[str]
    in_flight: int | None


@dataclass(frozen=True)
class _Moment:
    """The state after an event, of the processes that are shown, and what each snapshot has recorded by then."""

    event: Event | None
    state: Value
    channels: Value
    recorded: dict[str, tuple[Value, Value]]


class LiveRun:
    """The first incarnation behind ``since`` of the run in a directory. :meth:`look` reads on, all else is as of then.

    ``refused`` says which line is wrong, after which nothing is read any more; ``behind`` counts the bytes that are
    still to be read.
    """

    def __init__(self, directory: Path, since: int = 0) -> None:
        self.directory, self._logs = directory, directory / "logs" / str(since + 1)
        self.refused = ""
        self.behind = 0
        self.run: RunLog | None = None
        self._moments: deque[_Moment] = deque(maxlen=_STEPS + 1)
        self._ended: deque[tuple[str, tuple[Value, Value]]] = deque(maxlen=8)
        self._in_flight: dict[str, int] = {}
        self._previous: Event | None = None

    def close(self) -> None:
        """Close the logs."""
        if self.run is not None:
            self.run.close()

    @property
    def events(self) -> int:
        """How many events were read."""
        return self._fold.events if self.run is not None else 0

    def look(self) -> None:
        """Read what was written since the last time, or a good part of it."""
        run = self.run or self._open()
        if run is None or self.refused:
            return
        try:
            self._read(run)
        except HarnessError as error:
            self.refused = str(error)

    def _open(self) -> RunLog | None:
        try:
            run = RunLog(self._logs)
        except (SpecError, IncompleteError):
            return None  # not all of them are written
        self.run, self._following = run, run.follow()
        self._fold = Fold(run, run.protocol)
        self._processes = run.processes[:MOST_LANES]
        among = channels_among(self._fold, self._processes)
        self._channels = [(channel, (channel.source, channel.target)) for channel in among]
        return run

    def _read(self, run: RunLog) -> None:
        fold, goal = self._fold, run.written
        for count, event in enumerate(self._following, start=1):
            close = goal - run.read < _CLOSE
            if close:
                self._note()
            else:
                self._moments.clear()
            before = dict(fold.open)
            fold.take(event)
            for name in before.keys() - fold.open.keys():
                self._ended.append((name, self._taken(before[name])))
                self._in_flight[name] = sum(map(len, before[name].recorded.values()))
            self._previous = event
            if count == _AT_ONCE or run.read >= goal:
                break
        else:
            self._following = run.follow()
            self._note()
        self.behind = goal - run.read

    def _taken(self, snapshot: Snapshot) -> tuple[Value, Value]:
        """Return what a snapshot has of the processes that are shown, and of their channels."""
        states = function((p, state_text(s)) for p, s in snapshot.states.items() if p in self._processes)
        return states, function((pair, recorded(channel, snapshot)) for channel, pair in self._channels)

    def _note(self) -> None:
        """Note the state after the last event, whose effect on its channel is there once the next is asked for."""
        event, fold = self._previous, self._fold
        if self._moments and (event is self._moments[-1].event or event is None):
            return
        if event is not None and event.process not in self._processes:
            return
        taken = dict(self._ended) | {name: self._taken(s) for name, s in fold.open.items()}
        state = function((process, state_text(fold.state[process])) for process in self._processes)
        channels = function((pair, _queue(channel)) for channel, pair in self._channels)
        self._moments.append(_Moment(event, state, channels, taken))

    # -- what a page shows ---------------------------------------------------------------------------------------

    def trace(self) -> Trace | None:
        """Return the last events as a behaviour, with the snapshots that are taken in it; None if there are none."""
        if not self._moments:
            return None
        first, last = self._moments[0].recorded, self._moments[-1].recorded
        names = [name for name, (states, _) in last.items() if name not in first or first[name][0] != states]
        nothing: tuple[Value, Value] = ((), ())
        steps: list[Step] = []
        for moment in self._moments:
            known = {name: moment.recorded.get(name, nothing) for name in names}
            variables: list[tuple[Value, Value]] = [
                ("state", moment.state),
                ("chan", moment.channels),
                ("snapshots", tuple(names)),
                ("recState", function((name, states) for name, (states, _) in known.items())),
                ("recChan", function((name, chans) for name, (_, chans) in known.items())),
            ]
            steps.append(step(moment.event if steps else None, Fn(variables)))
        return Trace(tuple(steps))

    def channels(self) -> list[Channels]:
        """Return what is in each channel that is not empty, the first to come out first."""
        if self.run is None:
            return []
        return [
            Channels(
                channel.name,
                [message_text(channel, number) for number in range(channel.got + 1, channel.sent + 1)],
                [name for name, _ in channel.markers],
            )
            for channel in self.run.channels.values()
            if channel.got < channel.sent or channel.markers
        ]

    def snapshots(self) -> list[Taken]:
        """Return the snapshots of this incarnation, the newest first."""
        if self.run is None:
            return []
        under_way = [Taken(s.id, sorted(s.states), None) for s in self._fold.open.values()]
        complete = [
            Taken(name, self.run.processes, self._in_flight.get(name, 0)) for name in self._fold.complete
        ]
        return [*under_way[::-1], *complete[::-1]]

    def cut(self, name: str) -> tuple[Trace, dict[str, Any]]:
        """Return the events while a snapshot was taken, by :func:`~pyharness.hold.logs.log_behaviour.cut_behaviour`."""
        if self.run is None:
            raise IncompleteError("the run has not begun", where=str(self.directory))
        return cut_behaviour(self.run.directory, name)


def _queue(channel: Channel) -> tuple[Value, ...]:
    """Return what is in a channel, with the markers of all snapshots."""
    elements: list[Value] = []
    markers = deque(channel.markers)
    for number in range(channel.got + 1, channel.sent + 1):
        while markers and markers[0][1] < number:
            elements.append(Fn([("control", "marker"), ("id", markers.popleft()[0])]))
        elements.append(Fn([("msg", message_text(channel, number))]))
    elements += [Fn([("control", "marker"), ("id", name)]) for name, _ in markers]
    return tuple(elements)
