"""Decide a run's snapshots by vector clocks alone, of a log that has neither channels nor numbers of messages.

A snapshot is a consistent cut if no process, as it recorded, knew of more events of another than that one had had as it
recorded: VC(record of p)[q] <= VC(record of q)[q] for all p and q. A clock shows nothing of channels. Control events,
such as markers, change no state and carry no message: those directly after a record count with it, and knowledge that
came by those directly before it does not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.clean_text import one_line
from pyharness.hold.logs.log_events import RefusedError, clock_of, id_of

if TYPE_CHECKING:
    from pyharness.hold.logs.log_events import LogEvent
    from pyharness.hold.logs.run_log import RunLog

_Clock = dict[str, int]

_CONTROL: Final = {"record", "marker", "marker-out", "done", "pause", "resume"}
"""The events that change no state and send no message of the computation."""


class ClockFold:
    """The pass over a run's events by their clocks; it takes them as :class:`~pyharness.hold.logs.fold.Fold` does.

    ``behind`` counts processes of whose events after the record another one learned: if it is 0, no cut
    could have been inconsistent.
    """

    def __init__(self, run: RunLog) -> None:
        self.run = run
        self.complete: list[str] = []
        self.crossing = self.behind = self.events = 0
        self.unchecked = {
            "channels' states and their order, and the rules of a protocol: the log has clocks, and no channels",
            "the same by TLC: it walks channels",
        }
        self._clocks: dict[str, _Clock] = {process: {} for process in run.processes}
        self._heard: dict[tuple[str, str], LogEvent] = {}
        """The event at which a process learned of the latest known event of another, by the pair of processes."""
        self._open: dict[str, dict[str, tuple[LogEvent, _Clock]]] = {}
        self._own: dict[str, _Clock] = {}
        """Each process's own entry as it recorded, by the id of a complete snapshot."""
        self._before: dict[str, _Clock] = {process: {} for process in run.processes}
        """The clock of each process's last event other than a control event."""
        self._growing: dict[str, list[str]] = {process: [] for process in run.processes}
        """The snapshots for which a process has recorded, with nothing but control events after the record yet."""

    @property
    def incomplete(self) -> list[str]:
        """The ids of the snapshots that were begun and not completed."""
        return list(self._open)

    def take(self, event: LogEvent) -> None:
        """Take the next event. Raises RefusedError if it is wrong, SpecError for a value that is not a clock."""
        self.events += 1
        if event.kind == "end":
            return
        process, clock = event.process, self._clock(event)
        before = self._clocks[process]
        if clock.get(process, 0) <= before.get(process, 0):
            raise self._wrong(
                event,
                f"{process}'s own entry is {clock.get(process, 0)}, as before or less",
                "a clock goes on",
            )
        for other, known in before.items():
            if clock.get(other, 0) < known:
                raise self._wrong(
                    event,
                    f"{process} knew of {known} events of {other}, and of {clock.get(other, 0)} after this",
                    "a clock never forgets",
                )
        for other, known in clock.items():
            if known > before.get(other, 0):
                self._heard[process, other] = event
        self._clocks[process] = clock
        if event.kind not in _CONTROL:
            self._settle(process)
            self._before[process] = clock
        for name in self._growing[process]:
            self._open[name][process][1][process] = clock[process]
        if event.kind == "record":
            self._record(event, clock)

    def finish(self) -> None:
        """End the pass: the log has no more events.

        Raises RefusedError if one knew of an event that there never was, or if the processes that have recorded for a snapshot
        that is not complete did so at no cut.
        """
        for process in self._growing:
            self._settle(process)
        for (process, other), event in self._heard.items():
            known, there = self._clocks[process][other], self._clocks[other].get(other, 0)
            if known > there:
                raise self._wrong(
                    event,
                    f"{process} knows of event {known} of {other}, which has {there}",
                    "what is known has happened",
                )
        for name, records in self._open.items():
            self._require_cut(name, records)
        most = {
            process: max(
                (clock.get(process, 0) for p, clock in self._clocks.items() if p != process), default=0
            )
            for process in self._clocks
        }
        for own in self._own.values():
            self.behind += sum(most[process] > entry for process, entry in own.items())

    def _record(self, event: LogEvent, clock: _Clock) -> None:
        name, process = id_of(event), event.process
        records = self._open.setdefault(name, {})
        if process in records or name in self._own:
            raise self._wrong(
                event, f"{process} records for {name} a second time", "each records once (E1)", name
            )
        records[process] = (event, self._before[process] | {process: clock[process]})
        self._growing[process].append(name)

    def _settle(self, process: str) -> None:
        """Decide the snapshots that lack nothing but the end of what belongs to this process's record."""
        names, self._growing[process] = self._growing[process], []
        for name in names:
            records = self._open[name]
            if len(records) < len(self._clocks) or any(name in growing for growing in self._growing.values()):
                continue
            self._require_cut(name, records)
            del self._open[name]
            self._own[name] = {p: cut[p] for p, (_, cut) in records.items()}
            self.complete.append(name)

    def _require_cut(self, name: str, records: dict[str, tuple[LogEvent, _Clock]]) -> None:
        """Require of the processes that have recorded that none knew of more of another than that one's record did."""
        for p, (record, cut) in records.items():
            for q, known in cut.items():
                if q in records and known > (own := records[q][1][q]):
                    raise self._wrong(
                        record,
                        f"{p} knows of event {known} of {q} as it records {name}, and {q} recorded at event {own}",
                        "no red message is accepted in a white action (E4)",
                        name,
                    )

    def _clock(self, event: LogEvent) -> _Clock:
        clock = clock_of(event.content.get("vc"), self.run.at(event))
        for process in clock:
            if process not in self._clocks:
                raise SpecError(
                    f"the clock has {one_line(process, 60)}, of which there is no log",
                    where=self.run.at(event),
                )
        return clock

    def _wrong(self, event: LogEvent, message: str, rule: str, snapshot: str | None = None) -> RefusedError:
        return RefusedError(message, where=self.run.at(event), rule=rule, snapshot=snapshot)
