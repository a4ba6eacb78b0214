"""The rules of each protocol for the processes that take snapshots by it: also of a world that stops for one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyharness.hold.logs.log_events import id_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyharness.hold.logs.log_events import Channel, LogEvent, RefusedError


@dataclass(frozen=True)
class Rules:
    """The rules of a protocol for its processes.

    ``markers`` means that there are any; ``begin`` that the processes without an input begin; ``all_inputs`` that a
    process records at the last of its inputs' markers instead of the first; ``blocks`` that it receives nothing from
    an input whose marker has come until then; ``overtakes`` that a marker may come before messages sent before it;
    ``exact`` that a snapshot is a consistent cut; ``stops`` that the world stops for it.
    """

    markers: bool = True
    begin: bool = False
    all_inputs: bool = False
    blocks: bool = False
    overtakes: bool = False
    exact: bool = True
    stops: bool = False


PROTOCOLS: Final = {
    "ChandyLamport": Rules(),
    "AlignedBarriers": Rules(begin=True, all_inputs=True, blocks=True),
    "UnalignedBarriers": Rules(begin=True, overtakes=True),
    "AtLeastOnceBarriers": Rules(begin=True, all_inputs=True, exact=False),
    "StopTheWorld": Rules(markers=False, stops=True),
    "WhiteRed": Rules(markers=False),
}
"""The protocols of which a log is understood, by their spec's name."""


def possible(event: LogEvent, channel: Channel, rules: Rules | None) -> bool:
    """Return whether an event can be judged now: its message or marker is in the channel, or can never be next there."""
    markers, full = channel.markers, channel.sent > channel.got
    if event.kind == "receive" and event.number == channel.got + 1:
        return full or (bool(markers) and rules is not None and rules.markers)
    if event.kind != "marker" or event.id in channel.marked:
        return True
    return rules is not None and rules.markers and (bool(markers) or (full and not rules.overtakes))


@dataclass
class LogSnapshot:
    """The known facts of a snapshot: which processes have recorded, with what state, and at which messages.

    ``sent`` and ``got`` are, by channel, the messages sent before its source recorded and received before its target
    did; ``closed`` the channels of which all is known: whose marker was accepted, or, without markers, whose messages
    sent before the record were all received. ``done`` are those that report their part complete, ``early`` the
    events of those that report it before all is known that it takes to judge it, with the messages received until then.
    ``reported`` are the processes that reported their records. ``recorded`` is, by channel, what crossed the cut, ``last`` the
    event after which nothing was open, and ``behind`` counts the messages that were sent after the records.
    ``paused`` and ``resumed`` have the events of a world that stops.
    """

    id: str
    states: dict[str, Any] = field(default_factory=dict)
    sent: dict[Channel, int] = field(default_factory=dict)
    got: dict[Channel, int] = field(default_factory=dict)
    closed: set[Channel] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    reported: set[str] = field(default_factory=set)
    recorded: dict[Channel, list[Any]] = field(default_factory=dict)
    early: list[tuple[LogEvent, dict[Channel, int]]] = field(default_factory=list)
    last: LogEvent | None = None
    behind: int = 0
    paused: dict[str, LogEvent] = field(default_factory=dict)
    resumed: dict[str, LogEvent] = field(default_factory=dict)


class Pauses:
    """The paused processes, and the rules of the spec StopTheWorld for them; ``wrong`` makes the refusal of an event.

    A snapshot without any pause is one of all processes in one instant: its channels are recorded as found. No log
    shows an instant, so the question is whether the processes may have recorded in one: whether it is a cut.
    """

    def __init__(self, wrong: Callable[[LogEvent, str, str, str | None], RefusedError]) -> None:
        self._wrong = wrong
        self._paused: dict[str, list[str]] = {}

    @property
    def used(self) -> bool:
        """Whether the world was stopped by pausing: then its channels are empty as one records, by rule."""
        return bool(self._paused)

    def act(self, event: LogEvent, what: str) -> None:
        """Require that the process of an event is not paused."""
        if paused := self._paused.get(event.process):
            raise self._wrong(
                event,
                f"{what}, and {event.process} is paused for {paused[0]}",
                "nobody acts while paused: Pause",
                paused[0],
            )

    def pause(self, event: LogEvent, snapshot: LogSnapshot) -> None:
        """Let a process pause for a snapshot for which no process has recorded without a pause."""
        process, name = event.process, snapshot.id
        if process in snapshot.paused:
            raise self._wrong(
                event, f"{process} pauses for {name} a second time", "each pauses once: Pause", name
            )
        unpaused = next((other for other in snapshot.states if other not in snapshot.paused), None)
        if unpaused is not None:
            raise self._wrong(
                event,
                f"{process} pauses for {name}, and {unpaused} has recorded without",
                "all are paused before one records: Record",
                name,
            )
        snapshot.paused[process] = event
        self._paused.setdefault(process, []).append(name)

    def record(
        self, event: LogEvent, snapshot: LogSnapshot, inputs: Sequence[Channel], outputs: Sequence[Channel]
    ) -> None:
        """Require that a process that records while others are paused is paused, too, and its channels are empty."""
        process = event.process
        if not snapshot.paused:
            return
        if process not in snapshot.paused:
            raise self._wrong(
                event,
                f"{process} records for {snapshot.id} and is not paused, as {next(iter(snapshot.paused))} is",
                "all are paused before one records: Record",
                snapshot.id,
            )
        full = [c for c in inputs if snapshot.sent.get(c, c.got) != c.got]
        full += [c for c in outputs if snapshot.got.get(c, c.sent) != c.sent]
        if full:
            raise self._wrong(
                event,
                f"{process} records for {snapshot.id}, and {full[0].name} was not empty as both its ends did",
                "the channels are drained before one records: Record",
                snapshot.id,
            )

    def resume(self, event: LogEvent, snapshot: LogSnapshot | None) -> None:
        """Let a process that has paused and recorded go on; ``snapshot`` is None if it is complete, or never was."""
        process, name = event.process, id_of(event)
        lacks = "paused" if name not in self._paused.get(process, ()) else ""
        if snapshot is not None and process not in snapshot.states:
            lacks = lacks or "recorded"
        if lacks:
            raise self._wrong(
                event,
                f"{process} resumes after {name}, and has not {lacks}",
                "who resumes has paused and recorded: Resume",
                name if snapshot is not None else None,
            )
        self._paused[process].remove(name)
        if snapshot is not None:
            snapshot.resumed[process] = event

    def finish(self, unrecorded: Iterable[LogSnapshot]) -> None:
        """Require that no process has resumed of snapshots for which not all have recorded, by the end of the log."""
        for snapshot in unrecorded:
            if snapshot.resumed:
                event = next(iter(snapshot.resumed.values()))
                raise self._wrong(
                    event,
                    f"{event.process} resumes after {snapshot.id}, and not all have recorded by the end of the log",
                    "all have recorded before one resumes: Resume",
                    snapshot.id,
                )
